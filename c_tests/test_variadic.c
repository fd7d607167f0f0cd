/* Variadic functions, each call with its own signature, on every path. */
#include "paths.h"

static fc_signature *variadic(const char *prototype, const fc_kind *extra, size_t count) {
  const fc_type *types[256];
  fc_signature *fixed = NULL, *signature = NULL;
  for (size_t i = 0; i < count; i++)
    types[i] = fc_type_scalar(extra[i]);
  CHECK_STATUS(FC_OK, fc_signature_parse(NULL, prototype, &fixed));
  CHECK_STATUS(FC_OK, fc_signature_variadic(fixed, types, count, &signature));
  fc_signature_free(fixed);
  return signature;
}

static void snprintf_of_mixed_arguments(void) {
  static const fc_kind extra[] = {FC_I32, FC_F64, FC_POINTER, FC_I64, FC_F64};
  char buffer[100], *at = buffer;
  size_t size = sizeof buffer;
  const char *format = "%d %.2f %s %lld %g", *word = "word";
  int number = -7, length = 0;
  double real = 2.5, small = 1e-9;
  long long large = 1ll << 50;
  char expected[100];
  length =
      snprintf(expected, sizeof expected, "%d %.2f %s %lld %g", number, real, word, large, small);
  fc_signature *signature =
      variadic("int snprintf(char *, size_t, const char *, ...)", extra, COUNT_OF(extra));
  void *args[] = {&at, &size, &format, &number, &real, &word, &large, &small};
  CHECK_CALL_WITH(snprintf, signature, args, &length);
  CHECK_STRING(expected, buffer);
  fc_signature_free(signature);
}

static void snprintf_of_long_doubles(void) {
  static const fc_kind extra[] = {FC_LONG_DOUBLE, FC_I32, FC_LONG_DOUBLE};
  char buffer[100], *at = buffer;
  size_t size = sizeof buffer;
  const char *format = "%.3Lf %d %.1Lf";
  long double first = 1.125L, second = -2.5L;
  int number = 42, length = 13;
  fc_signature *signature =
      variadic("int snprintf(char *, size_t, const char *, ...)", extra, COUNT_OF(extra));
  void *args[] = {&at, &size, &format, &first, &number, &second};
  CHECK_CALL_WITH(snprintf, signature, args, &length);
  CHECK_STRING("1.125 42 -2.5", buffer);
  fc_signature_free(signature);
}

static void no_extra_arguments(void) {
  char buffer[20], *at = buffer;
  size_t size = sizeof buffer;
  const char *format = "plain";
  int length = 5;
  fc_signature *signature = variadic("int snprintf(char *, size_t, const char *, ...)", NULL, 0);
  void *args[] = {&at, &size, &format};
  CHECK_CALL_WITH(snprintf, signature, args, &length);
  CHECK_STRING("plain", buffer);
  fc_signature_free(signature);
}

static void sscanf_writes_through_pointers(void) {
  static const fc_kind extra[] = {FC_POINTER, FC_POINTER};
  const char *text = "12 0.5", *format = "%d %lf";
  int number = 0, *number_at = &number, count = 2;
  double real = 0, *real_at = &real;
  fc_signature *signature = variadic("int sscanf(const char *, const char *, ...)", extra, 2);
  void *args[] = {&text, &format, &number_at, &real_at};
  CHECK_CALL_WITH(sscanf, signature, args, &count);
  CHECK_INT(12, number);
  CHECK_DOUBLE(0.5, real);
  fc_signature_free(signature);
}

/* Every second extra argument is a double. */
static double weighted(int count, ...) {
  va_list arguments;
  double sum = count;
  va_start(arguments, count);
  for (int i = 0; i < count; i++)
    sum += (i + 2) * (i % 2 ? va_arg(arguments, double) : (double)va_arg(arguments, int64_t));
  va_end(arguments);
  return sum;
}

static void every_count_up_to_200(void) {
  fc_kind kinds[200];
  int64_t ints[200];
  double doubles[200];
  void *args[201];
  for (size_t i = 0; i < 200; i++) {
    kinds[i] = i % 2 ? FC_F64 : FC_I64;
    ints[i] = (int64_t)(i * 613 % 97) - 40;
    doubles[i] = (double)ints[i] / 8;
    args[i + 1] = i % 2 ? (void *)&doubles[i] : (void *)&ints[i];
  }
  for (int count = 0; count <= 200; count++) {
    double expected = count;
    for (int i = 0; i < count; i++)
      expected += (i + 2) * (i % 2 ? doubles[i] : (double)ints[i]);
    fc_signature *signature = variadic("double weighted(int, ...)", kinds, (size_t)count);
    args[0] = &count;
    CHECK_CALL_WITH(weighted, signature, args, &expected);
    fc_signature_free(signature);
  }
}

int main(void) {
  RUN(snprintf_of_mixed_arguments);
  RUN(snprintf_of_long_doubles);
  RUN(no_extra_arguments);
  RUN(sscanf_writes_through_pointers);
  RUN(every_count_up_to_200);
  return harness_end();
}
