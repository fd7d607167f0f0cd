/* Results of every size: exactly their bytes are written, and narrow ones are extended. */
#include "paths.h"

/* The compiler leaves what it likes above a narrow result: here the rest of `from`. */
#define NARROW(name, type)                                                                         \
  static type name(int64_t from) { return (type)from; }
NARROW(as_bool, _Bool)
NARROW(as_i8, int8_t)
NARROW(as_u8, uint8_t)
NARROW(as_i16, int16_t)
NARROW(as_u16, uint16_t)
NARROW(as_i32, int32_t)
NARROW(as_u32, uint32_t)
NARROW(as_i64, int64_t)
NARROW(as_float, float)
NARROW(as_double, double)

static const int64_t patterns[] = {0,
                                   1,
                                   -1,
                                   0x7F,
                                   0x80,
                                   0xFF,
                                   0x7FFF,
                                   0x8000,
                                   0xFFFF,
                                   0x123456789ABCDEF0,
                                   -0x123456789ABCDEF0,
                                   INT64_MIN,
                                   INT64_MAX};

#define CHECK_NARROW(function, type)                                                               \
  for (size_t i = 0; i < COUNT_OF(patterns); i++) {                                                \
    int64_t from = patterns[i];                                                                    \
    type expected = function(from);                                                                \
    void *args[] = {&from};                                                                        \
    CHECK_CALL_AT(function, NULL, #type " f(int64_t)", args, &expected);                           \
  }

static void narrow_results(void) {
  CHECK_NARROW(as_bool, _Bool)
  CHECK_NARROW(as_i8, int8_t)
  CHECK_NARROW(as_u8, uint8_t)
  CHECK_NARROW(as_i16, int16_t)
  CHECK_NARROW(as_u16, uint16_t)
  CHECK_NARROW(as_i32, int32_t)
  CHECK_NARROW(as_u32, uint32_t)
  CHECK_NARROW(as_i64, int64_t)
  CHECK_NARROW(as_float, float)
  CHECK_NARROW(as_double, double)
}

/* gcc and clang differ in who extends arguments; the callee may count on it. */
static int64_t sum_of_narrow(int8_t a, uint8_t b, int16_t c, uint16_t d, _Bool e, int32_t f,
                             int8_t g, uint16_t h) {
  return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 7ll * f + 3 * g + 5 * h;
}

static void narrow_arguments(void) {
  static const int values[] = {0, 1, -1, 127, -128};
  for (size_t i = 0; i < COUNT_OF(values); i++) {
    int8_t a = (int8_t)values[i], g = (int8_t)~values[i];
    uint8_t b = (uint8_t)values[i];
    int16_t c = (int16_t)(values[i] * 256);
    uint16_t d = (uint16_t)(values[i] * 256), h = (uint16_t)~d;
    _Bool e = values[i] != 0;
    int32_t f = values[i] * 1000000;
    int64_t expected = sum_of_narrow(a, b, c, d, e, f, g, h);
    void *args[] = {&a, &b, &c, &d, &e, &f, &g, &h};
    CHECK_CALL_AT(sum_of_narrow, NULL,
                  "int64_t f(int8_t, uint8_t, int16_t, uint16_t, _Bool, int32_t, int8_t, uint16_t)",
                  args, &expected);
  }
}

/* Structs of every size up to past the largest that travels in registers. */
#define TO_8(M) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8)
#define TO_16(M) M(9) M(10) M(11) M(12) M(13) M(14) M(15) M(16)
#define LARGER(M) M(17) M(24) M(31) M(32) M(33) M(64) M(100)
#define BYTES(n)                                                                                   \
  typedef struct bytes_##n {                                                                       \
    uint8_t b[n];                                                                                  \
  } bytes_##n;                                                                                     \
  static bytes_##n reversed_##n(bytes_##n from, uint8_t plus) {                                    \
    bytes_##n to;                                                                                  \
    for (size_t i = 0; i < n; i++)                                                                 \
      to.b[i] = (uint8_t)(from.b[n - 1 - i] + plus);                                               \
    return to;                                                                                     \
  }
TO_8(BYTES)
TO_16(BYTES)
LARGER(BYTES)

#define CHECK_BYTES_OF(n)                                                                          \
  do {                                                                                             \
    bytes_##n from, expected;                                                                      \
    uint8_t plus = 0xE0;                                                                           \
    for (size_t i = 0; i < n; i++)                                                                 \
      from.b[i] = (uint8_t)(i + 1);                                                                \
    expected = reversed_##n(from, plus);                                                           \
    void *args[] = {&from, &plus};                                                                 \
    CHECK_STATUS(FC_OK, fc_decls_add(decls, "struct bytes_" #n " { uint8_t b[" #n "]; };"));       \
    CHECK_CALL_AT(reversed_##n, decls, "struct bytes_" #n " f(struct bytes_" #n ", uint8_t)",      \
                  args, &expected);                                                                \
  } while (0);

static void structs_of_bytes(void) {
  fc_decls *decls = NULL;
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  TO_8(CHECK_BYTES_OF)
  TO_16(CHECK_BYTES_OF)
  LARGER(CHECK_BYTES_OF)
  fc_decls_free(decls);
}

typedef struct pair {
  float x, y;
} pair;
typedef struct triple {
  float x, y, z;
} triple;
typedef struct quad {
  double a, b, c, d;
} quad;
typedef struct tagged {
  int64_t tag;
  double value;
} tagged;

static pair swapped(pair p) {
  pair result = {p.y, p.x};
  return result;
}
static triple turned(triple t, float by) {
  triple result = {t.y + by, t.z + by, t.x + by};
  return result;
}
static quad doubled(quad q) {
  quad result = {q.d * 2, q.c * 2, q.b * 2, q.a * 2};
  return result;
}
static tagged retagged(double value, int64_t tag) {
  tagged result = {tag, value};
  return result;
}

static void structs_of_floats(void) {
  fc_decls *decls = NULL;
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  CHECK_STATUS(FC_OK, fc_decls_add(decls, "typedef struct { float x, y; } pair;\n"
                                          "typedef struct { float x, y, z; } triple;\n"
                                          "typedef struct { double a, b, c, d; } quad;\n"
                                          "typedef struct { int64_t tag; double value; } tagged;"));
  pair p = {1, 2}, p_expected = swapped(p);
  triple t = {1, 2, 3}, t_expected = turned(t, 10);
  quad q = {1, 2, 3, 4}, q_expected = doubled(q);
  float by = 10;
  double value = 2.5;
  int64_t tag = -3;
  tagged tagged_expected = retagged(value, tag);
  void *p_args[] = {&p}, *t_args[] = {&t, &by}, *q_args[] = {&q}, *tagged_args[] = {&value, &tag};
  CHECK_CALL_AT(swapped, decls, "pair f(pair)", p_args, &p_expected);
  CHECK_CALL_AT(turned, decls, "triple f(triple, float)", t_args, &t_expected);
  CHECK_CALL_AT(doubled, decls, "quad f(quad)", q_args, &q_expected);
  CHECK_CALL_AT(retagged, decls, "tagged f(double, int64_t)", tagged_args, &tagged_expected);
  fc_decls_free(decls);
}

enum side { LEFT = -1, RIGHT = 1 };
enum color { RED, BLUE = 0x7FFFFFFF };
static enum side other_side(enum side s) { return s == LEFT ? RIGHT : LEFT; }
static enum color last_color(void) { return BLUE; }

static void enums(void) {
  fc_decls *decls = NULL;
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  CHECK_STATUS(FC_OK, fc_decls_add(decls, "enum side { LEFT = -1, RIGHT = 1 };\n"
                                          "enum color { RED, BLUE = 0x7FFFFFFF };"));
  enum side right = RIGHT, left = LEFT;
  enum color blue = BLUE;
  void *args[] = {&right}, *no_args[] = {NULL};
  CHECK_CALL_AT(other_side, decls, "enum side f(enum side)", args, &left);
  CHECK_CALL_AT(last_color, decls, "enum color f(void)", no_args, &blue);
  fc_decls_free(decls);
}

static int calls_of_nothing;
static void nothing(void) { calls_of_nothing++; }

static void no_result_and_no_arguments(void) {
  CHECK_CALL_AT(nothing, NULL, "void f(void)", NULL, NULL);
  CHECK(calls_of_nothing >= 4 * 5);
}

int main(void) {
  RUN(narrow_results);
  RUN(narrow_arguments);
  RUN(structs_of_bytes);
  RUN(structs_of_floats);
  RUN(enums);
  RUN(no_result_and_no_arguments);
  return harness_end();
}
