/* Functions of 0, 1, 2, ... 200 parameters of mixed types, and one of 200 structs, on every path.
 */
#include "pace.h"
#include "paths.h"

__extension__ typedef __int128 int128;

typedef struct pair {
  double x;
  int64_t i;
} pair;
typedef struct bytes3 {
  uint8_t b[3];
} bytes3;

/* A parameter's type by the last digit of its number. The __int128 comes while there are two
 * registers left: where one is, gcc and clang disagree about who gets it. */
#define TYPE_0 int128
#define TYPE_1 float
#define TYPE_2 uint16_t
#define TYPE_3 double
#define TYPE_4 int64_t
#define TYPE_5 _Bool
#define TYPE_6 long double
#define TYPE_7 int8_t
#define TYPE_8 pair
#define TYPE_9 bytes3
#define FOR_DIGITS(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9)

/* Structs of one to 24 bytes, in every mix of classes, for the 200 structs. */
typedef struct struct_0 {
  uint8_t b[1];
} struct_0;
typedef struct struct_1 {
  float f[2];
} struct_1;
typedef struct struct_2 {
  uint16_t h[3];
} struct_2;
typedef struct struct_3 {
  double d[2];
} struct_3;
typedef struct struct_4 {
  int64_t i[2];
} struct_4;
typedef struct struct_5 {
  int64_t i[1];
  float f[2];
} struct_5;
typedef struct struct_6 {
  float f[3];
} struct_6;
typedef struct struct_7 {
  uint8_t b[24];
} struct_7;
typedef struct struct_8 {
  double d[1];
  int32_t i[2];
} struct_8;
typedef struct struct_9 {
  uint8_t b[11];
} struct_9;
static const char struct_texts[] =
    "struct struct_0 { uint8_t b[1]; }; struct struct_1 { float f[2]; };"
    "struct struct_2 { uint16_t h[3]; }; struct struct_3 { double d[2]; };"
    "struct struct_4 { int64_t i[2]; }; struct struct_5 { int64_t i[1]; float f[2]; };"
    "struct struct_6 { float f[3]; }; struct struct_7 { uint8_t b[24]; };"
    "struct struct_8 { double d[1]; int32_t i[2]; }; struct struct_9 { uint8_t b[11]; };"
    "typedef struct { double x; int64_t i; } pair; typedef struct { uint8_t b[3]; } bytes3;";

/* Every value and its place in the list count. */
static uint64_t mixed(uint64_t hash, const void *value, size_t size) {
  const unsigned char *byte = (const unsigned char *)value;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ byte[i]) * 1099511628211u;
  return hash ^ size;
}

/* A long double's padding is not passed. */
static size_t size_that_counts(size_t digit) {
#define SIZE(n) sizeof(TYPE_##n),
  static const size_t sizes[] = {FOR_DIGITS(SIZE)};
  return digit == 6 ? 10 : sizes[digit];
}

static uint64_t mixed_parameter(uint64_t hash, const void *value, size_t digit) {
  return mixed(hash, value, size_that_counts(digit));
}

/* The parameters 0 to h * 100 + t * 10 + u - 1, each after a comma; M gets the first two digits, of
 * which one is added to the first, and the last digit. */
#define UNITS_0(M, p)
#define UNITS_1(M, p) M(p, 0)
#define UNITS_2(M, p) UNITS_1(M, p) M(p, 1)
#define UNITS_3(M, p) UNITS_2(M, p) M(p, 2)
#define UNITS_4(M, p) UNITS_3(M, p) M(p, 3)
#define UNITS_5(M, p) UNITS_4(M, p) M(p, 4)
#define UNITS_6(M, p) UNITS_5(M, p) M(p, 5)
#define UNITS_7(M, p) UNITS_6(M, p) M(p, 6)
#define UNITS_8(M, p) UNITS_7(M, p) M(p, 7)
#define UNITS_9(M, p) UNITS_8(M, p) M(p, 8)
#define UNITS_10(M, p) UNITS_9(M, p) M(p, 9)
#define TENS_0(M, h)
#define TENS_1(M, h) UNITS_10(M, h##0)
#define TENS_2(M, h) TENS_1(M, h) UNITS_10(M, h##1)
#define TENS_3(M, h) TENS_2(M, h) UNITS_10(M, h##2)
#define TENS_4(M, h) TENS_3(M, h) UNITS_10(M, h##3)
#define TENS_5(M, h) TENS_4(M, h) UNITS_10(M, h##4)
#define TENS_6(M, h) TENS_5(M, h) UNITS_10(M, h##5)
#define TENS_7(M, h) TENS_6(M, h) UNITS_10(M, h##6)
#define TENS_8(M, h) TENS_7(M, h) UNITS_10(M, h##7)
#define TENS_9(M, h) TENS_8(M, h) UNITS_10(M, h##8)
#define TENS_10(M, h) TENS_9(M, h) UNITS_10(M, h##9)
#define BELOW_0(M, t, u) TENS_##t(M, 1) UNITS_##u(M, 1##t)
#define BELOW_1(M, t, u) TENS_10(M, 1) TENS_##t(M, 2) UNITS_##u(M, 2##t)

/* A first parameter, which takes no comma, and as many more as the name says. */
#define PARAMETER(p, u) , TYPE_##u a##p##u
#define MIX(p, u) hash = mixed_parameter(hash, &a##p##u, u);
#define FUNCTION(h, t, u)                                                                          \
  static uint64_t and_##h##t##u(int32_t first BELOW_##h(PARAMETER, t, u)) {                        \
    uint64_t hash = mixed(0, &first, sizeof first);                                                \
    BELOW_##h(MIX, t, u) return hash;                                                              \
  }
#define FUNCTIONS_OF_TEN(M, h, t)                                                                  \
  M(h, t, 0)                                                                                       \
  M(h, t, 1) M(h, t, 2) M(h, t, 3) M(h, t, 4) M(h, t, 5) M(h, t, 6) M(h, t, 7) M(h, t, 8) M(h, t, 9)
#define FUNCTIONS_OF_HUNDRED(M, h)                                                                 \
  FUNCTIONS_OF_TEN(M, h, 0)                                                                        \
  FUNCTIONS_OF_TEN(M, h, 1)                                                                        \
  FUNCTIONS_OF_TEN(M, h, 2)                                                                        \
  FUNCTIONS_OF_TEN(M, h, 3)                                                                        \
  FUNCTIONS_OF_TEN(M, h, 4)                                                                        \
  FUNCTIONS_OF_TEN(M, h, 5)                                                                        \
  FUNCTIONS_OF_TEN(M, h, 6)                                                                        \
  FUNCTIONS_OF_TEN(M, h, 7)                                                                        \
  FUNCTIONS_OF_TEN(M, h, 8)                                                                        \
  FUNCTIONS_OF_TEN(M, h, 9)
FUNCTIONS_OF_HUNDRED(FUNCTION, 0)
FUNCTIONS_OF_HUNDRED(FUNCTION, 1)

#define ADDRESS(h, t, u) __extension__(void *) and_##h##t##u,
static void *const addresses[] = {FUNCTIONS_OF_HUNDRED(ADDRESS, 0)
                                      FUNCTIONS_OF_HUNDRED(ADDRESS, 1)};

static uint64_t of_nothing(void) { return 14695981039346656037u; }

#define STRUCT_PARAMETER(p, u) , struct_##u a##p##u
#define STRUCT_MIX(p, u) hash = mixed(hash, &a##p##u, sizeof a##p##u);
static uint64_t of_structs(struct_9 first TENS_10(STRUCT_PARAMETER, 1) TENS_9(STRUCT_PARAMETER, 2)
                               UNITS_9(STRUCT_PARAMETER, 29)) {
  uint64_t hash = mixed(0, &first, sizeof first);
  TENS_10(STRUCT_MIX, 1) TENS_9(STRUCT_MIX, 2) UNITS_9(STRUCT_MIX, 29) return hash;
}

enum { MOST = 200, LARGEST = 32 };
static _Alignas(16) unsigned char memory[MOST][LARGEST];
static void *args[MOST];
static const fc_type *params[MOST];

static fc_type *type_named(const fc_decls *decls, const char *name) {
  fc_type *type = NULL;
  CHECK_STATUS(FC_OK, fc_decls_type(decls, name, &type));
  return type;
}

/* Small numbers, so that floating ones are no NaNs, and none like its neighbours. */
static void fill(size_t i, size_t digit) {
  const int n = (int)(i * 37 % 251) - 125;
  args[i] = memory[i];
#define FILL(type)                                                                                 \
  do {                                                                                             \
    const type value = (type)n;                                                                    \
    memcpy(memory[i], &value, sizeof value);                                                       \
  } while (0)
  switch (digit) {
  case 1:
    FILL(float);
    break;
  case 3:
    FILL(double);
    break;
  case 5:
    FILL(_Bool);
    break;
  case 6:
    FILL(long double);
    break;
  default:
    for (size_t at = 0; at < LARGEST; at++)
      memory[i][at] = (unsigned char)(n + (int)at * 59);
  }
}

static uint64_t hash_of_first(size_t count) {
  uint64_t hash = mixed(0, memory[0], sizeof(int32_t));
  for (size_t i = 1; i < count; i++)
    hash = mixed_parameter(hash, memory[i], (i - 1) % 10);
  return hash;
}

static void check_with(void *address, size_t count, uint64_t expected) {
  fc_signature *signature = NULL;
  CHECK_STATUS(FC_OK, fc_signature_new(FC_ABI_DEFAULT, fc_type_scalar(FC_U64), params, count, count,
                                       &signature));
  const int before = harness.failures;
  check_call_of(NULL, address, signature, NULL, NULL, args, &expected, __FILE__, __LINE__);
  if (harness.failures > before)
    printf("  that was with %zu arguments\n", count);
  fc_signature_free(signature);
}

static void every_number_of_arguments(void) {
  static const char *const names[] = {"__int128", "float",       "uint16_t", "double", "int64_t",
                                      "_Bool",    "long double", "int8_t",   "pair",   "bytes3"};
  fc_type *types[10];
  fc_decls *decls = NULL;
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  CHECK_STATUS(FC_OK, fc_decls_add(decls, struct_texts));
  for (size_t i = 0; i < 10; i++)
    types[i] = type_named(decls, names[i]);
  fill(0, 0);
  params[0] = fc_type_scalar(FC_I32);
  for (size_t i = 1; i < MOST; i++) {
    fill(i, (i - 1) % 10);
    params[i] = types[(i - 1) % 10];
  }
  check_with(ADDRESS_OF(of_nothing), 0, of_nothing());
  const size_t step = under_valgrind() ? 9 : 1;
  for (size_t i = 0; i < COUNT_OF(addresses); i += step)
    check_with(addresses[i], i + 1, hash_of_first(i + 1));
  for (size_t i = 0; i < 10; i++)
    fc_type_free(types[i]);
  fc_decls_free(decls);
}

static void two_hundred_structs(void) {
  fc_type *types[10];
  fc_decls *decls = NULL;
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  CHECK_STATUS(FC_OK, fc_decls_add(decls, struct_texts));
  for (size_t i = 0; i < 10; i++) {
    char name[] = "struct struct_0";
    name[sizeof name - 2] = (char)('0' + (char)i);
    types[i] = type_named(decls, name);
  }
  uint64_t expected = 0;
  for (size_t i = 0; i < MOST; i++) {
    params[i] = types[(i + 9) % 10];
    fill(i, 0);
    expected = mixed(expected, memory[i], fc_type_size(params[i]));
  }
  check_with(ADDRESS_OF(of_structs), MOST, expected);
  for (size_t i = 0; i < 10; i++)
    fc_type_free(types[i]);
  fc_decls_free(decls);
}

int main(void) {
  CHECK_SIZE(MOST, COUNT_OF(addresses));
  RUN(every_number_of_arguments);
  RUN(two_hundred_structs);
  return harness_end();
}
