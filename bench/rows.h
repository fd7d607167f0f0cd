/* The signatures that are measured, each as a list of its parameters, so that prototypes,
 * values, argument arrays and every library's way of pushing an argument are spelled once.
 *
 * X(index, type, KIND, value) stands for a parameter, S() for what separates two of them. */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H
#include <stddef.h>

struct bench_pair {
  double x, y;
};
struct bench_triple {
  long a, b, c;
};
struct bench_six {
  double a, b, c, d, e, f;
};

#define BENCH_STRUCTS                                                                              \
  "struct bench_pair { double x, y; };"                                                            \
  "struct bench_triple { long a, b, c; };"                                                         \
  "struct bench_six { double a, b, c, d, e, f; };"

/* Here, because a list of values between commas cannot travel as a macro argument. */
#define BENCH_PAIR_VALUE {1.5, 2.25}
#define BENCH_TRIPLE_VALUE {11, 22, 33}
#define BENCH_SIX_VALUE {1.5, 2.5, 3.5, 4.5, 5.5, 6.5}

/* The formatter takes S() for a function's name, and never comes to rest. */
/* clang-format off */
#define BENCH_I32_TWO(X, S)                                                                        \
  X(0, int, INT, 30) S() X(1, int, INT, 12)

#define BENCH_F64_TWO(X, S)                                                                        \
  X(0, double, DOUBLE, 1.5) S() X(1, double, DOUBLE, 2.25)

#define BENCH_STRING(X, S)                                                                         \
  X(0, const char *, POINTER, "farcall")

#define BENCH_I64_EIGHT(X, S)                                                                      \
  X(0, long, LONG, 1) S() X(1, long, LONG, 20) S() X(2, long, LONG, 300) S()                       \
  X(3, long, LONG, 4000) S() X(4, long, LONG, 50000) S() X(5, long, LONG, 600000) S()              \
  X(6, long, LONG, 7000000) S() X(7, long, LONG, 80000000)

/* Eight integers, two of which travel on the stack, and two floating-point numbers. */
#define BENCH_MIXED_10(X, S)                                                                       \
  X(0, int, INT, -7) S() X(1, double, DOUBLE, 8.5) S() X(2, long, LONG, 90000000000) S()           \
  X(3, float, FLOAT, 2.5F) S() X(4, unsigned char, UCHAR, 200) S() X(5, long, LONG, -5) S()        \
  X(6, const char *, POINTER, "ten") S() X(7, short, SHORT, -300) S() X(8, long, LONG, 17) S()     \
  X(9, int, INT, -19)

/* Thirteen integers (seven on the stack) and thirteen floating-point numbers (five). */
#define BENCH_MIXED_26(X, S)                                                                       \
  X(0, int, INT, -7) S() X(1, double, DOUBLE, 8.5) S() X(2, long, LONG, 90000000000) S()           \
  X(3, float, FLOAT, 2.5F) S() X(4, unsigned char, UCHAR, 200) S() X(5, double, DOUBLE, 5.25) S()  \
  X(6, short, SHORT, -300) S() X(7, double, DOUBLE, 7.75) S() X(8, long, LONG, 17) S()             \
  X(9, float, FLOAT, 9.5F) S() X(10, unsigned, UINT, 4000000000U) S()                              \
  X(11, double, DOUBLE, 11.5) S() X(12, const char *, POINTER, "many") S()                         \
  X(13, double, DOUBLE, 13.25) S() X(14, long, LONG, -14) S() X(15, float, FLOAT, 15.5F) S()      \
  X(16, int, INT, -16) S() X(17, double, DOUBLE, 17.5) S()                                         \
  X(18, unsigned short, USHORT, 60000) S() X(19, double, DOUBLE, 19.75) S()                        \
  X(20, long, LONG, 20) S() X(21, double, DOUBLE, 21.5) S() X(22, signed char, SCHAR, -100) S()    \
  X(23, float, FLOAT, 23.25F) S() X(24, long, LONG, 24) S() X(25, double, DOUBLE, 25.5)

/* What qsort asks: two pointers to int. */
#define BENCH_COMPARE(X, S)                                                                        \
  X(0, const void *, POINTER, &smaller) S() X(1, const void *, POINTER, &larger)
/* clang-format on */

#define BENCH_PAIR_IN(X, S) X(0, struct bench_pair, PAIR, BENCH_PAIR_VALUE)
#define BENCH_TRIPLE_IN(X, S) X(0, struct bench_triple, TRIPLE, BENCH_TRIPLE_VALUE)
#define BENCH_SIX_IN(X, S) X(0, struct bench_six, SIX, BENCH_SIX_VALUE)

/* R(name, title, result type, RESULT KIND, parameters); void(void) fits no list and is
 * spelled out where it is needed. */
#define BENCH_ROWS(R)                                                                              \
  R(i32_two, "i32(i32, i32)", int, INT, BENCH_I32_TWO)                                             \
  R(f64_two, "f64(f64, f64)", double, DOUBLE, BENCH_F64_TWO)                                       \
  R(string, "size_t(const char *)", unsigned long, ULONG, BENCH_STRING)                            \
  R(i64_eight, "i64(i64 x 8)", long, LONG, BENCH_I64_EIGHT)                                        \
  R(mixed_10, "i64(10 mixed, 2 spilled)", long, LONG, BENCH_MIXED_10)                              \
  R(mixed_26, "f64(26 mixed, 12 spilled)", double, DOUBLE, BENCH_MIXED_26)                         \
  R(pair, "struct 16 B (2 f64) in, out", struct bench_pair, PAIR, BENCH_PAIR_IN)                   \
  R(triple, "struct 24 B in, out", struct bench_triple, TRIPLE, BENCH_TRIPLE_IN)                   \
  R(six, "struct 48 B in, out", struct bench_six, SIX, BENCH_SIX_IN)

/* The only one that no function is called for by itself. */
#define BENCH_COMPARE_ROW(R) R(compare, "int(void *, void *): qsort", int, INT, BENCH_COMPARE)

/* Those that are called back; again without void(void). */
#define BENCH_CALLBACK_ROWS(R)                                                                     \
  R(i32_two, "i32(i32, i32)", int, INT, BENCH_I32_TWO)                                             \
  R(f64_two, "f64(f64, f64)", double, DOUBLE, BENCH_F64_TWO)                                       \
  R(i64_eight, "i64(i64 x 8)", long, LONG, BENCH_I64_EIGHT)                                        \
  R(mixed_10, "i64(10 mixed, 2 spilled)", long, LONG, BENCH_MIXED_10)                              \
  R(pair, "struct 16 B (2 f64) in, out", struct bench_pair, PAIR, BENCH_PAIR_IN)                   \
  BENCH_COMPARE_ROW(R)

/* Every signature once. */
#define BENCH_CALLEES(R) BENCH_ROWS(R) BENCH_COMPARE_ROW(R)

/* Numbers of the callees, as bench_row.callee has them. */
#define BENCH_NUMBER(name, title, type, KIND, PARAMS) BENCH_CALLEE_##name,
enum bench_callee { BENCH_CALLEE_nothing, BENCH_CALLEES(BENCH_NUMBER) BENCH_CALLEE_COUNT };
#undef BENCH_NUMBER

#define BENCH_COMMA() ,
#define BENCH_NONE()
#define BENCH_SEMICOLON() ;

#define BENCH_PARAM(index, type, KIND, value) type a##index
#define BENCH_NAME(index, type, KIND, value) a##index
#define BENCH_FIELD(index, type, KIND, value) type v##index;

/* The callees, and their arguments: globals, which the compiler has to read again for every
 * call, since for all that it knows the callee has changed them. */
void bench_nothing(void);
#define BENCH_DECLARE(name, title, type, KIND, PARAMS)                                             \
  type bench_##name(PARAMS(BENCH_PARAM, BENCH_COMMA));                                             \
  struct bench_values_##name {                                                                     \
    PARAMS(BENCH_FIELD, BENCH_NONE)                                                                \
  };                                                                                               \
  extern struct bench_values_##name bench_values_##name;
BENCH_CALLEES(BENCH_DECLARE)
#undef BENCH_DECLARE

#endif
