/* Of libc.c in this folder. */
#ifndef FCG_STDLIB_H
#define FCG_STDLIB_H
#include <stddef.h>
void abort(void);
void *aligned_alloc(size_t align, size_t size);
void *calloc(size_t count, size_t size);
#endif
