/* Of libc.c in this folder. */
#ifndef FCG_ERRNO_H
#define FCG_ERRNO_H
extern int errno;
#endif
