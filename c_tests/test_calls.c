/* Functions of libc, libm, zlib and sqlite3, and long lists of one type, on every path. Mixed lists
 * are in test_arities.c. */
#include "paths.h"

#include <complex.h>
#include <errno.h>
#include <math.h>

static fc_library *opened(const char *path) {
  fc_library *library = NULL;
  CHECK_STATUS(FC_OK, fc_library_open(path, NULL, &library));
  return library;
}

static void libm_scalars(void) {
  fc_library *m = opened("libm.so.6");
  double x = 2, y = 10, d = pow(x, y);
  float f = 3, g = -4, h = hypotf(f, g);
  long double l = 1.25L, k = 3, fma_of_l = fmal(l, k, l);
  int n = 5;
  void *pow_args[] = {&x, &y}, *hypotf_args[] = {&f, &g}, *fmal_args[] = {&l, &k, &l};
  void *ldexp_args[] = {&x, &n}, *lround_args[] = {&y};
  CHECK_CALL(m, "double pow(double, double)", pow_args, &d);
  CHECK_CALL(m, "float hypotf(float, float)", hypotf_args, &h);
  CHECK_CALL(m, "long double fmal(long double, long double, long double)", fmal_args, &fma_of_l);
  d = ldexp(x, n);
  CHECK_CALL(m, "double ldexp(double, int)", ldexp_args, &d);
  long rounded = lround(y);
  CHECK_CALL(m, "long lround(double)", lround_args, &rounded);
  fc_library_free(m);
}

static void libm_complex_numbers(void) {
  fc_library *m = opened("libm.so.6");
  double _Complex z = 3 + 4 * I, conjugate = conj(z);
  float _Complex c = 1.5f - 2.5f * I, projected = cprojf(c);
  double absolute = cabs(z);
  float real_part = crealf(c);
  void *z_args[] = {&z}, *c_args[] = {&c};
  CHECK_CALL(m, "double _Complex conj(double _Complex)", z_args, &conjugate);
  CHECK_CALL(m, "double cabs(double _Complex)", z_args, &absolute);
  CHECK_CALL(m, "float _Complex cprojf(float _Complex)", c_args, &projected);
  CHECK_CALL(m, "float crealf(float _Complex)", c_args, &real_part);
  fc_library_free(m);
}

static void libc_integers_and_pointers(void) {
  fc_library *c = opened("libc.so.6");
  int i = -5, absolute = 5, upper = 'Q', lower = 'q', base = 16;
  long long ll = -(1ll << 40), labsolute = 1ll << 40;
  const char *text = "farcall", *hex = "7fff", *end = hex + 4;
  char *stopped = NULL, **stop = &stopped;
  size_t length = 7;
  long parsed = 0x7fff;
  void *abs_args[] = {&i}, *llabs_args[] = {&ll}, *tolower_args[] = {&upper};
  void *strlen_args[] = {&text}, *strtol_args[] = {&hex, &stop, &base};
  CHECK_CALL(c, "int abs(int)", abs_args, &absolute);
  CHECK_CALL(c, "long long llabs(long long)", llabs_args, &labsolute);
  CHECK_CALL(c, "int tolower(int)", tolower_args, &lower);
  CHECK_CALL(c, "size_t strlen(const char *)", strlen_args, &length);
  CHECK_CALL(c, "long strtol(const char *, char **, int)", strtol_args, &parsed);
  CHECK_POINTER(end, stopped);
  fc_library_free(c);
}

static void libc_structs(void) {
  fc_library *c = opened("libc.so.6");
  fc_decls *decls = NULL;
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  CHECK_STATUS(FC_OK, fc_decls_add(decls, "typedef struct { int quot, rem; } div_t;\n"
                                          "typedef struct { long quot, rem; } ldiv_t;\n"
                                          "div_t div(int, int); ldiv_t ldiv(long, long);"));
  int i = 17, j = -5;
  long l = 170000000000, k = -5000000001;
  div_t d = div(i, j);
  ldiv_t ld = ldiv(l, k);
  void *div_args[] = {&i, &j}, *ldiv_args[] = {&l, &k};
  check_call_of(c, NULL, NULL, decls, "div", div_args, &d, __FILE__, __LINE__);
  check_call_of(c, NULL, NULL, decls, "ldiv", ldiv_args, &ld, __FILE__, __LINE__);
  fc_decls_free(decls);
  fc_library_free(c);
}

static int compare_ints(const void *a, const void *b) {
  const int *x = (const int *)a, *y = (const int *)b;
  return (*x > *y) - (*x < *y);
}

static void a_function_pointer_as_argument(void) {
  fc_library *c = opened("libc.so.6");
  int numbers[] = {4, 1, 3, 2}, sorted[] = {1, 2, 3, 4};
  int *base = numbers;
  size_t count = 4, size = sizeof(int);
  int (*compare)(const void *, const void *) = compare_ints;
  void *args[] = {&base, &count, &size, &compare};
  CHECK_CALL(c, "void qsort(void *, size_t, size_t, int (*)(const void *, const void *))", args,
             NULL);
  CHECK_BYTES(sorted, numbers, sizeof numbers);
  fc_library_free(c);
}

static void zlib(void) {
  fc_library *z = opened("libz.so.1");
  unsigned long start = 0, sum = 0xCBF43926, one = 1, adler = 0x091E01DE;
  const char *text = "123456789";
  unsigned length = 9;
  void *crc_args[] = {&start, &text, &length}, *adler_args[] = {&one, &text, &length};
  CHECK_CALL(z, "unsigned long crc32(unsigned long, const unsigned char *, unsigned)", crc_args,
             &sum);
  CHECK_CALL(z, "unsigned long adler32(unsigned long, const unsigned char *, unsigned)", adler_args,
             &adler);
  fc_library_free(z);
}

static void zlib_there_and_back(void) {
  fc_library *z = opened("libz.so.1");
  static char text[4000], packed[5000], unpacked[4000];
  for (size_t i = 0; i < sizeof text; i++)
    text[i] = (char)("farcall"[i % 7] + (char)(i / 1000));
  char *source = text, *middle = packed, *target = unpacked;
  unsigned long packed_size = sizeof packed, size = sizeof text;
  unsigned long *packed_size_at = &packed_size, *size_at = &size;
  int ok = 0;
  void *compress_args[] = {&middle, &packed_size_at, &source, &size};
  CHECK_CALL(z, "int compress(void *, unsigned long *, const void *, unsigned long)", compress_args,
             &ok);
  CHECK(packed_size < sizeof text / 4);
  void *uncompress_args[] = {&target, &size_at, &middle, &packed_size};
  CHECK_CALL(z, "int uncompress(void *, unsigned long *, const void *, unsigned long)",
             uncompress_args, &ok);
  CHECK_BYTES(text, unpacked, sizeof text);
  fc_library_free(z);
}

/* One query, each function bound anew by its prototype and called through fc_invoke_checked. */
static int sqlite_call(const fc_library *sqlite, const char *prototype, void **args) {
  fc_function *function = NULL;
  int result = -1;
  if (CHECK_STATUS(FC_OK, fc_bind(sqlite, NULL, prototype, NULL, &function)))
    CHECK_STATUS(FC_OK, fc_invoke_checked(function, &result, args));
  fc_function_free(function);
  return result;
}

static void sqlite(void) {
  fc_library *sqlite = opened("libsqlite3.so.0");
  void *database = NULL, *statement = NULL, **database_at = &database, **statement_at = &statement;
  const char *name = ":memory:", *query = "SELECT count(*) + 40, sum(x) FROM (SELECT 1.5 AS x "
                                          "UNION ALL SELECT 2)";
  const void *no_tail = NULL;
  int all = -1, first = 0, second = 1, row = 100, ok = 0;
  double sum = 3.5;
  void *open_args[] = {&name, &database_at};
  CHECK_INT(ok, sqlite_call(sqlite, "int sqlite3_open(const char *, void **)", open_args));
  void *prepare_args[] = {&database, &query, &all, &statement_at, &no_tail};
  CHECK_INT(ok, sqlite_call(sqlite,
                            "int sqlite3_prepare_v2(void *, const char *, int, void **, void *)",
                            prepare_args));
  void *step_args[] = {&statement};
  CHECK_INT(row, sqlite_call(sqlite, "int sqlite3_step(void *)", step_args));
  void *column_args[] = {&statement, &first}, *sum_args[] = {&statement, &second};
  CHECK_INT(42, sqlite_call(sqlite, "int sqlite3_column_int(void *, int)", column_args));
  CHECK_CALL(sqlite, "double sqlite3_column_double(void *, int)", sum_args, &sum);
  CHECK_INT(ok, sqlite_call(sqlite, "int sqlite3_finalize(void *)", step_args));
  void *close_args[] = {&database};
  CHECK_INT(ok, sqlite_call(sqlite, "int sqlite3_close(void *)", close_args));
  fc_library_free(sqlite);
}

/* Weighted sums, so that two arguments that changed places are noticed. */
#define TEN(M, n)                                                                                  \
  M(n##0), M(n##1), M(n##2), M(n##3), M(n##4), M(n##5), M(n##6), M(n##7), M(n##8), M(n##9)
#define HUNDRED(M, n)                                                                              \
  TEN(M, n##0), TEN(M, n##1), TEN(M, n##2), TEN(M, n##3), TEN(M, n##4), TEN(M, n##5),              \
      TEN(M, n##6), TEN(M, n##7), TEN(M, n##8), TEN(M, n##9)
#define AS_INT64(n) int64_t a##n
#define AS_NAME(n) a##n
#define AS_DOUBLE(n) double a##n

static double weighted(const double *values, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += values[i] * (double)(i + 1);
  return sum;
}

static double weighted_ints(const int64_t *values, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += (double)values[i] * (double)(i + 1);
  return sum;
}

static double of_200_ints(HUNDRED(AS_INT64, 1), HUNDRED(AS_INT64, 2)) {
  int64_t values[] = {HUNDRED(AS_NAME, 1), HUNDRED(AS_NAME, 2)};
  return weighted_ints(values, 200);
}

static double of_200_doubles(HUNDRED(AS_DOUBLE, 1), HUNDRED(AS_DOUBLE, 2)) {
  double values[] = {HUNDRED(AS_NAME, 1), HUNDRED(AS_NAME, 2)};
  return weighted(values, 200);
}

static fc_signature *double_of(const fc_type *const *params, size_t count) {
  fc_signature *signature = NULL;
  CHECK_STATUS(FC_OK, fc_signature_new(FC_ABI_DEFAULT, fc_type_scalar(FC_F64), params, count, count,
                                       &signature));
  return signature;
}

static void two_hundred_arguments(void) {
  int64_t ints[200];
  double doubles[200], of_ints, of_doubles;
  const fc_type *int_types[200], *double_types[200];
  void *int_args[200], *double_args[200];
  for (size_t i = 0; i < 200; i++) {
    ints[i] = (int64_t)(i * 7919 % 1009) - 500;
    doubles[i] = (double)ints[i] / 4;
    int_types[i] = fc_type_scalar(FC_I64);
    double_types[i] = fc_type_scalar(FC_F64);
    int_args[i] = &ints[i];
    double_args[i] = &doubles[i];
  }
  of_ints = weighted_ints(ints, 200);
  of_doubles = weighted(doubles, 200);
  fc_signature *signature = double_of(int_types, 200);
  CHECK_CALL_WITH(of_200_ints, signature, int_args, &of_ints);
  fc_signature_free(signature);
  signature = double_of(double_types, 200);
  CHECK_CALL_WITH(of_200_doubles, signature, double_args, &of_doubles);
  fc_signature_free(signature);
}

int main(void) {
  RUN(libm_scalars);
  RUN(libm_complex_numbers);
  RUN(libc_integers_and_pointers);
  RUN(libc_structs);
  RUN(a_function_pointer_as_argument);
  RUN(zlib);
  RUN(zlib_there_and_back);
  RUN(sqlite);
  RUN(two_hundred_arguments);
  return harness_end();
}
