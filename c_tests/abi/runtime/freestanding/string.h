/* Of libc.c in this folder. */
#ifndef FCG_STRING_H
#define FCG_STRING_H
#include <stddef.h>
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int byte, size_t size);
void bzero(void *to, size_t size);
size_t strlen(const char *text);
char *strchr(const char *text, int c);
#endif
