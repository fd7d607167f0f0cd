/* Functions of Microsoft's x86-64 convention, called on System V systems on every path. */
#include "paths.h"

#if defined(__x86_64__)
static const fc_abi others[] = {FC_ABI_AAPCS64, FC_ABI_APPLE64};
static const char *const names_of_others[] = {"aapcs64", "apple64"};
#else
static const fc_abi others[] = {FC_ABI_SYSV64, FC_ABI_WIN64, FC_ABI_APPLE64};
static const char *const names_of_others[] = {
    "sysv64", "win64", "functions of apple64 cannot be called on aarch64-linux"};
#endif

static int identity(int value) { return value; }

static void conventions_of_other_machines_are_refused(void) {
  const fc_type *integer = fc_type_scalar(FC_I32);
  for (size_t i = 0; i < COUNT_OF(others); i++) {
    fc_signature *signature = NULL;
    fc_function *function = NULL;
    CHECK_STATUS(FC_OK, fc_signature_new(others[i], integer, &integer, 1, 1, &signature));
    CHECK_INT(others[i], fc_signature_abi(signature));
    CHECK_STATUS(FC_ERR_UNSUPPORTED,
                 fc_function_new(signature, ADDRESS_OF(identity), NULL, &function));
    CHECK_MESSAGE(names_of_others[i]);
    fc_signature_free(signature);
  }
}

#if defined(__x86_64__)

#define MS __attribute__((ms_abi))

/* Registers go by position, whatever the classes: the fourth is xmm3, the fifth on the stack. */
static MS double by_position(int a, double b, int c, double d, int e, double f) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f;
}

static void registers_go_by_position(void) {
  int a = 1, c = -3, e = 5;
  double b = 0.5, d = 0.25, f = -1.5, expected = 1 + 1 - 9 + 1 + 25 - 9;
  void *args[] = {&a, &b, &c, &d, &e, &f};
  CHECK_CALL_AT(by_position, NULL,
                "double by_position(int, double, int, double, int, double) "
                "__attribute__((ms_abi))",
                args, &expected);
}

static MS int64_t narrow(int8_t a, uint8_t b, int16_t c, uint16_t d, int8_t e, uint16_t f, bool g) {
  return a + 1000 * (b + 1000 * (c + (int64_t)100000 * (d + 100000ll * (e + 500 * (f / 500 + g)))));
}

static void narrow_integers_are_extended(void) {
  int8_t a = -1, e = -128;
  uint8_t b = 255;
  int16_t c = -32768;
  uint16_t d = 65535, f = 65535;
  bool g = true;
  int64_t expected = narrow(a, b, c, d, e, f, g);
  void *args[] = {&a, &b, &c, &d, &e, &f, &g};
  CHECK_CALL_AT(narrow, NULL,
                "__attribute__((ms_abi)) int64_t narrow(int8_t, uint8_t, int16_t, uint16_t, "
                "int8_t, uint16_t, _Bool)",
                args, &expected);
}

typedef struct one {
  int8_t v[1];
} one;
typedef struct two {
  int8_t v[2];
} two;
typedef struct three {
  int8_t v[3];
} three;
typedef struct four {
  float f;
} four;
typedef struct seven {
  int8_t v[7];
} seven;
typedef struct eight {
  float x, y;
} eight;
typedef struct sixteen {
  double x, y;
} sixteen;
typedef struct large {
  int64_t v[9];
} large;

static const char *const records =
    "typedef struct one { int8_t v[1]; } one; typedef struct two { int8_t v[2]; } two;"
    "typedef struct three { int8_t v[3]; } three; typedef struct four { float f; } four;"
    "typedef struct seven { int8_t v[7]; } seven; typedef struct eight { float x, y; } eight;"
    "typedef struct sixteen { double x, y; } sixteen; typedef struct large { int64_t v[9]; } "
    "large;";

static MS double of_records(one a, two b, three c, four d, seven e, eight f, sixteen g, large h) {
  /* Copies are the callee's own, who may write to them. */
  double sum = a.v[0] + 3 * b.v[1] + 5 * c.v[2] + 7 * (double)d.f + 11 * e.v[6] + 13 * (double)f.y +
               17 * g.y + 19 * (double)h.v[8];
  memset(&c, 0, sizeof c);
  memset(&g, 0, sizeof g);
  memset(&h, 0, sizeof h);
  __asm__ volatile("" ::"r"(&c), "r"(&g), "r"(&h) : "memory");
  return sum;
}

static void records_of_other_sizes_go_by_reference(void) {
  fc_decls *decls = NULL;
  one a = {{1}};
  two b = {{2, 3}};
  three c = {{4, 5, 6}};
  four d = {0.5f};
  seven e = {{1, 2, 3, 4, 5, 6, 7}};
  eight f = {0.25f, 1.5f};
  sixteen g = {2.5, -3.5};
  large h = {{1, 2, 3, 4, 5, 6, 7, 8, -9}};
  double expected = of_records(a, b, c, d, e, f, g, h);
  void *args[] = {&a, &b, &c, &d, &e, &f, &g, &h};
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  CHECK_STATUS(FC_OK, fc_decls_add(decls, records));
  CHECK_CALL_AT(of_records, decls,
                "double of_records(one, two, three, four, seven, eight, sixteen, large) "
                "__attribute__((ms_abi))",
                args, &expected);
  fc_decls_free(decls);
}

static MS one returns_one(one a) {
  a.v[0]++;
  return a;
}
static MS three returns_three(three a) {
  a.v[2]++;
  return a;
}
static MS eight returns_eight(eight a) {
  const eight turned = {a.y, a.x};
  return turned;
}
static MS sixteen returns_sixteen(double y, sixteen a) {
  a.y += y;
  return a;
}
static MS large returns_large(int64_t first, large a, int64_t last) {
  a.v[0] = first;
  a.v[8] = last;
  return a;
}

static void results_of_other_sizes_go_by_a_hidden_pointer(void) {
  fc_decls *decls = NULL;
  one a = {{5}}, one_more = {{6}};
  three c = {{1, 2, 3}}, three_more = {{1, 2, 4}};
  eight f = {1, 2}, turned = {2, 1};
  sixteen g = {1, 2}, sum = {1, 2.5};
  large h = {{0, 1, 2, 3, 4, 5, 6, 7, 8}}, set = {{-1, 1, 2, 3, 4, 5, 6, 7, -8}};
  double half = 0.5;
  int64_t first = -1, last = -8;
  void *of_one[] = {&a}, *of_three[] = {&c}, *of_eight[] = {&f}, *of_sixteen[] = {&half, &g};
  void *of_large[] = {&first, &h, &last};
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  CHECK_STATUS(FC_OK, fc_decls_add(decls, records));
  CHECK_CALL_AT(returns_one, decls, "__attribute__((ms_abi)) one returns_one(one)", of_one,
                &one_more);
  CHECK_CALL_AT(returns_three, decls, "__attribute__((ms_abi)) three returns_three(three)",
                of_three, &three_more);
  CHECK_CALL_AT(returns_eight, decls, "__attribute__((ms_abi)) eight returns_eight(eight)",
                of_eight, &turned);
  CHECK_CALL_AT(returns_sixteen, decls,
                "__attribute__((ms_abi)) sixteen returns_sixteen(double, sixteen)", of_sixteen,
                &sum);
  CHECK_CALL_AT(returns_large, decls,
                "__attribute__((ms_abi)) large returns_large(int64_t, large, int64_t)", of_large,
                &set);
  fc_decls_free(decls);
}

typedef float vector __attribute__((vector_size(16)));

static MS float of_vectors(vector a, int b, vector c, int d, vector e) {
  return a[0] + 2 * c[1] + 4 * e[3] + (float)b + (float)d;
}

static void vectors_go_by_reference(void) {
  fc_decls *decls = NULL;
  vector a = {1, 2, 3, 4}, c = {5, 6, 7, 8}, e = {9, 10, 11, 12};
  int b = 100, d = 1000;
  float expected = 1 + 12 + 48 + 1100;
  void *args[] = {&a, &b, &c, &d, &e};
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  CHECK_STATUS(FC_OK,
               fc_decls_add(decls, "typedef float vector __attribute__((vector_size(16)));"));
  callee target = {NULL,
                   ADDRESS_OF(of_vectors),
                   NULL,
                   decls,
                   "__attribute__((ms_abi)) float of_vectors(vector, int, vector, int, vector)",
                   true};
  check_call(&target, args, &expected, __FILE__, __LINE__);
  fc_decls_free(decls);
}

/* gcc passes all 16 bytes of a long double by reference; clang would pass ten on the x87 stack's
 * terms, so that only what gcc compiles can be called. */
#if !defined(__clang__)
static MS long double of_long_doubles(int a, long double b, long double c) { return a * b + c; }

static void long_doubles_go_by_reference(void) {
  int a = 3;
  long double b = 1.5L, c = -0.25L, expected = 4.25L;
  void *args[] = {&a, &b, &c};
  callee target = {NULL,
                   ADDRESS_OF(of_long_doubles),
                   NULL,
                   NULL,
                   "__attribute__((ms_abi)) long double f(int, long double, long double)",
                   true};
  check_call(&target, args, &expected, __FILE__, __LINE__);
}
#endif

/* Extra arguments that are doubles stand in both register files. */
static MS double sum_of_extras(const char *kinds, ...) {
  __builtin_ms_va_list arguments;
  double sum = 0;
  __builtin_ms_va_start(arguments, kinds);
  for (; *kinds; kinds++)
    sum = 3 * sum + (*kinds == 'd'   ? __builtin_va_arg(arguments, double)
                     : *kinds == 'i' ? __builtin_va_arg(arguments, int)
                                     : (double)__builtin_va_arg(arguments, int64_t));
  __builtin_ms_va_end(arguments);
  return sum;
}

static void extra_arguments(void) {
  static const char *const kinds[] = {"", "d", "i", "dd", "did", "iddldi", "ldldldldiiiidddd"};
  int ints[20];
  int64_t longs[20];
  double doubles[20];
  for (int i = 0; i < 20; i++) {
    ints[i] = -i - 1;
    longs[i] = ((int64_t)i - 7) << 33;
    doubles[i] = i + 0.5;
  }
  fc_signature *fixed = NULL;
  CHECK_STATUS(
      FC_OK, fc_signature_parse(
                 NULL, "__attribute__((ms_abi)) double sum_of_extras(const char *, ...)", &fixed));
  CHECK_INT(FC_ABI_WIN64, fc_signature_abi(fixed));
  for (size_t one_case = 0; one_case < COUNT_OF(kinds); one_case++) {
    const fc_type *types[20];
    void *args[21];
    const char *list = kinds[one_case];
    size_t count = strlen(list);
    double expected = 0;
    args[0] = &list;
    for (size_t i = 0; i < count; i++) {
      const char kind = list[i];
      types[i] = fc_type_scalar(kind == 'd' ? FC_F64 : kind == 'i' ? FC_I32 : FC_I64);
      args[i + 1] = kind == 'd'   ? (void *)&doubles[i]
                    : kind == 'i' ? (void *)&ints[i]
                                  : (void *)&longs[i];
      expected = 3 * expected + (kind == 'd'   ? doubles[i]
                                 : kind == 'i' ? ints[i]
                                               : (double)longs[i]);
    }
    fc_signature *signature = NULL;
    CHECK_STATUS(FC_OK, fc_signature_variadic(fixed, types, count, &signature));
    CHECK_CALL_WITH(sum_of_extras, signature, args, &expected);
    fc_signature_free(signature);
  }
  fc_signature_free(fixed);
}

static void a_signature_of_types_says_the_convention(void) {
  const fc_type *number = fc_type_scalar(FC_F64), *integer = fc_type_scalar(FC_I32);
  const fc_type *params[] = {integer, number, integer, number, integer, number};
  fc_signature *signature = NULL;
  int a = 2, c = 2, e = 2;
  double b = 1, d = 1, f = 1, expected = 2 + 2 + 6 + 4 + 10 + 6;
  void *args[] = {&a, &b, &c, &d, &e, &f};
  CHECK_STATUS(FC_OK, fc_signature_new(FC_ABI_WIN64, number, params, 6, 6, &signature));
  CHECK_INT(FC_ABI_WIN64, fc_signature_abi(signature));
  CHECK_CALL_WITH(by_position, signature, args, &expected);
  fc_signature_free(signature);
}

int main(void) {
  RUN(registers_go_by_position);
  RUN(narrow_integers_are_extended);
  RUN(records_of_other_sizes_go_by_reference);
  RUN(results_of_other_sizes_go_by_a_hidden_pointer);
  RUN(vectors_go_by_reference);
#if !defined(__clang__)
  RUN(long_doubles_go_by_reference);
#endif
  RUN(extra_arguments);
  RUN(a_signature_of_types_says_the_convention);
  RUN(conventions_of_other_machines_are_refused);
  return harness_end();
}

#else

int main(void) {
  RUN(conventions_of_other_machines_are_refused);
  return harness_end();
}

#endif
