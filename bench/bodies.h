/* What the callees do, and the handlers of callbacks with them: next to nothing, yet with every
 * argument, so that one that arrives in the wrong place shows in the result. */
#ifndef BENCH_BODIES_H
#define BENCH_BODIES_H
#include "rows.h"

#define BENCH_BODY static inline __attribute__((always_inline, unused))

BENCH_BODY void bench_body_nothing(void) { __asm__ volatile(""); }

BENCH_BODY int bench_body_i32_two(int a0, int a1) { return a0 - a1; }

BENCH_BODY double bench_body_f64_two(double a0, double a1) { return a0 - a1; }

/* By hand: strlen's own choice of implementation is nothing to measure here. */
BENCH_BODY unsigned long bench_body_string(const char *a0) {
  const char *end = a0;
  while (*end != 0) {
    end++;
  }
  return (unsigned long)(end - a0);
}

BENCH_BODY long bench_body_i64_eight(long a0, long a1, long a2, long a3, long a4, long a5, long a6,
                                     long a7) {
  return ((a0 + a1 * 2) + (a2 * 4 + a3 * 8)) + ((a4 * 2 - a5) + (a6 * 4 - a7));
}

BENCH_BODY long bench_body_mixed_10(int a0, double a1, long a2, float a3, unsigned char a4, long a5,
                                    const char *a6, short a7, long a8, int a9) {
  long integers = ((a0 + a2 * 2) + (a4 * 4L + a5 * 8)) + ((a6[0] * 2L - a7) + (a8 * 4 - a9));
  return integers + (long)(a1 - (double)a3);
}

BENCH_BODY double bench_body_mixed_26(int a0, double a1, long a2, float a3, unsigned char a4,
                                      double a5, short a6, double a7, long a8, float a9,
                                      unsigned a10, double a11, const char *a12, double a13,
                                      long a14, float a15, int a16, double a17, unsigned short a18,
                                      double a19, long a20, double a21, signed char a22, float a23,
                                      long a24, double a25) {
  long integers = ((a0 + a2 * 2) + (a4 * 4L + a6 * 8)) +
                  ((a8 * 2 - (long)a10) + (a12[0] * 4 - a14)) +
                  ((a16 * 2L + a18) - (a20 * 4 + a22 * 8)) - a24;
  double doubles = ((a1 - a5) + (a7 - a11)) + ((a13 - a17) - (a19 - a21)) + a25 * 2;
  float floats = (a3 - a9) + (a15 - a23) * 2;
  return (double)integers + (doubles + (double)floats);
}

BENCH_BODY struct bench_pair bench_body_pair(struct bench_pair a0) {
  struct bench_pair result = {a0.x + a0.y, a0.x - a0.y};
  return result;
}

BENCH_BODY struct bench_triple bench_body_triple(struct bench_triple a0) {
  struct bench_triple result = {a0.a + a0.b, a0.b - a0.c, a0.c * 2};
  return result;
}

BENCH_BODY struct bench_six bench_body_six(struct bench_six a0) {
  struct bench_six result = {a0.a + a0.b, a0.b - a0.c, a0.c * 2, a0.d - a0.e, a0.f, a0.d};
  return result;
}

BENCH_BODY int bench_body_compare(const void *a0, const void *a1) {
  int left = *(const int *)a0, right = *(const int *)a1;
  return (left > right) - (left < right);
}

#endif
