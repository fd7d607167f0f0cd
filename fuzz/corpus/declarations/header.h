/* A small header. */
#ifndef SMALL_H
#define SMALL_H

#include <stddef.h>
# include <stdint.h>  /* uint8_t */
#pragma once
#ifdef __cplusplus
extern "C" {
#if FOR_CPP
#endif
#endif

#define SMALL_API
#define SMALL_VERSION "1.2"
#define SMALL_MAX 16 /* bytes */
#define SMALL_ALL (SMALL_READ | \
                   SMALL_WRITE) // both
#define SMALL_READ 1
#define SMALL_WRITE (1u << 1)
#define SMALL_MIN(a, b) ((a) < (b) ? (a) : (b))
#define SMALL_NONE ((size_t)-1)
#define SMALL_HALF 0.5

typedef struct small { uint8_t bytes[SMALL_MAX]; } small;
SMALL_API int small_open(const char *name, int flags) /* = SMALL_ALL */;
#ifndef __cplusplus
int for_c;
#else
int for_cpp
#endif

#ifdef __cplusplus
}
#endif
#endif /* SMALL_H */
