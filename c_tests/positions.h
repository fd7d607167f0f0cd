/* What test_positions.c and its callees agree on: types, the parameters around the one that is
 * looked at, and what all of them hold. */
#ifndef POSITIONS_H
#define POSITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;
#if defined(__aarch64__)
typedef long double float128;
#define LONG_DOUBLE F128
#else
__extension__ typedef __float128 float128;
#define LONG_DOUBLE X87
#endif
typedef void *pointer;
enum side { LEFTMOST = -2147483647 - 1, RIGHTMOST = 2147483647 };
#define SIDE_TEXT "enum side { LEFTMOST = -2147483647 - 1, RIGHTMOST = 2147483647 };"

#ifdef __FLT16_MAX__
__extension__ typedef _Float16 float16;
#define FLOAT16_TYPES(X) X(f16, float16, float, float16, SAME, "_Float16", F16)
#else
#define FLOAT16_TYPES(X)
#endif

/* X(name, type, what it is widened to, result, how that comes from the value, type for farcall,
 * encoding). On x86-64 a _Float128 fills a vector register, which libffi can neither pass nor
 * return: on the stack alone it can, so there is one whose result is something else. */
#define POSITION_TYPES(X)                                                                          \
  X(boolean, _Bool, int, _Bool, SAME, "_Bool", BOOLEAN)                                            \
  X(plain_char, char, int64_t, char, SAME, "char", INTEGER)                                        \
  X(signed_char, signed char, int, signed char, SAME, "signed char", INTEGER)                      \
  X(unsigned_char, unsigned char, int, unsigned char, SAME, "unsigned char", INTEGER)              \
  X(signed_short, short, int64_t, short, SAME, "short", INTEGER)                                   \
  X(unsigned_short, unsigned short, int, unsigned short, SAME, "unsigned short", INTEGER)          \
  X(signed_int, int, int64_t, int, SAME, "int", INTEGER)                                           \
  X(unsigned_int, unsigned, uint64_t, unsigned, SAME, "unsigned", INTEGER)                         \
  X(signed_long, long, int128, long, SAME, "long", INTEGER)                                        \
  X(unsigned_long, unsigned long, uint128, unsigned long, SAME, "unsigned long", INTEGER)          \
  X(long_long, long long, int128, long long, SAME, "long long", INTEGER)                           \
  X(i128, int128, int128, int128, SAME, "__int128", INTEGER)                                       \
  X(u128, uint128, uint128, uint128, SAME, "unsigned __int128", INTEGER)                           \
  FLOAT16_TYPES(X)                                                                                 \
  X(f32, float, double, float, SAME, "float", F32)                                                 \
  X(f64, double, long double, double, SAME, "double", F64)                                         \
  X(long_double, long double, long double, long double, SAME, "long double", LONG_DOUBLE)          \
  X(f128, float128, float128, float128, SAME, "_Float128", F128)                                   \
  X(f128_given, float128, float128, int, SEVEN, "_Float128", F128)                                 \
  X(complex_f32, float _Complex, float _Complex, float _Complex, SAME, "float _Complex", F32)      \
  X(complex_f64, double _Complex, double _Complex, double _Complex, SAME, "double _Complex", F64)  \
  X(complex_long, long double _Complex, long double _Complex, long double _Complex, SAME,          \
    "long double _Complex", LONG_DOUBLE)                                                           \
  X(address, pointer, uintptr_t, pointer, SAME, "void *", INTEGER)                                 \
  X(enumeration, enum side, int64_t, enum side, SAME, "enum side", INTEGER)
#define SAME(value) value
#define SEVEN(value) 7

#define NAME_TYPE(name, type, wide, result, give, text, encoding) TYPE_##name,
enum { POSITION_TYPES(NAME_TYPE) TYPES };

/* The value stands in one of these positions, the rest are fillers. */
enum { POSITIONS = 13 };
#define AT_0(M, value)                                                                             \
  value, M(1), M(2), M(3), M(4), M(5), M(6), M(7), M(8), M(9), M(10), M(11), M(12)
#define AT_1(M, value)                                                                             \
  M(0), value, M(2), M(3), M(4), M(5), M(6), M(7), M(8), M(9), M(10), M(11), M(12)
#define AT_2(M, value)                                                                             \
  M(0), M(1), value, M(3), M(4), M(5), M(6), M(7), M(8), M(9), M(10), M(11), M(12)
#define AT_3(M, value)                                                                             \
  M(0), M(1), M(2), value, M(4), M(5), M(6), M(7), M(8), M(9), M(10), M(11), M(12)
#define AT_4(M, value)                                                                             \
  M(0), M(1), M(2), M(3), value, M(5), M(6), M(7), M(8), M(9), M(10), M(11), M(12)
#define AT_5(M, value)                                                                             \
  M(0), M(1), M(2), M(3), M(4), value, M(6), M(7), M(8), M(9), M(10), M(11), M(12)
#define AT_6(M, value)                                                                             \
  M(0), M(1), M(2), M(3), M(4), M(5), value, M(7), M(8), M(9), M(10), M(11), M(12)
#define AT_7(M, value)                                                                             \
  M(0), M(1), M(2), M(3), M(4), M(5), M(6), value, M(8), M(9), M(10), M(11), M(12)
#define AT_8(M, value)                                                                             \
  M(0), M(1), M(2), M(3), M(4), M(5), M(6), M(7), value, M(9), M(10), M(11), M(12)
#define AT_9(M, value)                                                                             \
  M(0), M(1), M(2), M(3), M(4), M(5), M(6), M(7), M(8), value, M(10), M(11), M(12)
#define AT_10(M, value)                                                                            \
  M(0), M(1), M(2), M(3), M(4), M(5), M(6), M(7), M(8), M(9), value, M(11), M(12)
#define AT_11(M, value)                                                                            \
  M(0), M(1), M(2), M(3), M(4), M(5), M(6), M(7), M(8), M(9), M(10), value, M(12)
#define AT_12(M, value)                                                                            \
  M(0), M(1), M(2), M(3), M(4), M(5), M(6), M(7), M(8), M(9), M(10), M(11), value

/* Fillers of one register class, which decide when a position comes to the stack; and narrow
 * integers and floating numbers by turns, so that each type has neighbours of both classes. */
enum { ALONE, INTS, DOUBLES, INTEGERS_FIRST, FLOATS_FIRST, LAYOUTS };
#define FILLER_INTS(i) int
#define FILLER_DOUBLES(i) double
#define FILLER_INTEGERS_FIRST(i) INTEGERS_FIRST_##i
#define FILLER_FLOATS_FIRST(i) FLOATS_FIRST_##i
#define INTEGERS_FIRST_0 signed char
#define INTEGERS_FIRST_1 double
#define INTEGERS_FIRST_2 unsigned short
#define INTEGERS_FIRST_3 float
#define INTEGERS_FIRST_4 _Bool
#define INTEGERS_FIRST_5 double
#define INTEGERS_FIRST_6 long
#define INTEGERS_FIRST_7 float
#define INTEGERS_FIRST_8 unsigned char
#define INTEGERS_FIRST_9 double
#define INTEGERS_FIRST_10 short
#define INTEGERS_FIRST_11 float
#define INTEGERS_FIRST_12 unsigned
#define FLOATS_FIRST_0 float
#define FLOATS_FIRST_1 unsigned char
#define FLOATS_FIRST_2 double
#define FLOATS_FIRST_3 short
#define FLOATS_FIRST_4 float
#define FLOATS_FIRST_5 int
#define FLOATS_FIRST_6 float
#define FLOATS_FIRST_7 signed char
#define FLOATS_FIRST_8 double
#define FLOATS_FIRST_9 _Bool
#define FLOATS_FIRST_10 float
#define FLOATS_FIRST_11 unsigned short
#define FLOATS_FIRST_12 double

/* Negative for integers with a sign, with high bits for those without. */
#define FILLER_VALUE(type, i) ((type)(-37 * (i) - 1))

/* The bytes of each 16 that are no padding. */
#define USED_BYTES(type)                                                                           \
  _Generic((type){0},                                                                              \
      long double: (size_t)10,                                                                     \
      long double _Complex: (size_t)10,                                                            \
      default: (size_t)16)

typedef struct position_callee {
  int type, layout, position;
  void *address;
} position_callee;

/* The same callees, compiled without optimization and with it. */
extern const position_callee callees_of_O0[], callees_of_O2[];
extern const size_t callees_of_O0_count, callees_of_O2_count;

/* For the callees: what the value must be, and what they found. */
extern const unsigned char *position_expected;
bool position_same(const void *expected, const void *got, size_t size, size_t used);
void position_seen(bool value, bool widened, const bool *fillers, size_t count);

#endif
