/* The functions that are called, in a shared object of their own. They do next to nothing, yet
 * use every argument, so that one that arrives in the wrong place shows in the result. The
 * arguments' values live here too, for all contestants to share. */
#include "rows.h"

#define VALUE(index, type, KIND, value) value
#define VALUES(name, title, type, KIND, PARAMS)                                                    \
  struct bench_values_##name bench_values_##name = {PARAMS(VALUE, BENCH_COMMA)};
BENCH_ROWS(VALUES)

void bench_nothing(void) { __asm__ volatile(""); }

int bench_i32_two(int a0, int a1) { return a0 - a1; }

double bench_f64_two(double a0, double a1) { return a0 - a1; }

/* By hand: strlen's own choice of implementation is nothing to measure here. */
unsigned long bench_string(const char *a0) {
  const char *end = a0;
  while (*end != 0) {
    end++;
  }
  return (unsigned long)(end - a0);
}

long bench_i64_eight(long a0, long a1, long a2, long a3, long a4, long a5, long a6, long a7) {
  return ((a0 + a1 * 2) + (a2 * 4 + a3 * 8)) + ((a4 * 2 - a5) + (a6 * 4 - a7));
}

long bench_mixed_10(int a0, double a1, long a2, float a3, unsigned char a4, long a5, const char *a6,
                    short a7, long a8, int a9) {
  long integers = ((a0 + a2 * 2) + (a4 * 4L + a5 * 8)) + ((a6[0] * 2L - a7) + (a8 * 4 - a9));
  return integers + (long)(a1 - (double)a3);
}

double bench_mixed_26(int a0, double a1, long a2, float a3, unsigned char a4, double a5, short a6,
                      double a7, long a8, float a9, unsigned a10, double a11, const char *a12,
                      double a13, long a14, float a15, int a16, double a17, unsigned short a18,
                      double a19, long a20, double a21, signed char a22, float a23, long a24,
                      double a25) {
  long integers = ((a0 + a2 * 2) + (a4 * 4L + a6 * 8)) +
                  ((a8 * 2 - (long)a10) + (a12[0] * 4 - a14)) +
                  ((a16 * 2L + a18) - (a20 * 4 + a22 * 8)) - a24;
  double doubles = ((a1 - a5) + (a7 - a11)) + ((a13 - a17) - (a19 - a21)) + a25 * 2;
  float floats = (a3 - a9) + (a15 - a23) * 2;
  return (double)integers + (doubles + (double)floats);
}

struct bench_pair bench_pair(struct bench_pair a0) {
  struct bench_pair result = {a0.x + a0.y, a0.x - a0.y};
  return result;
}

struct bench_triple bench_triple(struct bench_triple a0) {
  struct bench_triple result = {a0.a + a0.b, a0.b - a0.c, a0.c * 2};
  return result;
}

struct bench_six bench_six(struct bench_six a0) {
  struct bench_six result = {a0.a + a0.b, a0.b - a0.c, a0.c * 2, a0.d - a0.e, a0.f, a0.d};
  return result;
}
