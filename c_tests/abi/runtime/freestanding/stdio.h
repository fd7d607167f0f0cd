/* Of libc.c in this folder. */
#ifndef FCG_STDIO_H
#define FCG_STDIO_H
#include <stdarg.h>
#include <stddef.h>
int vsnprintf(char *to, size_t room, const char *format, va_list ap);
#endif
