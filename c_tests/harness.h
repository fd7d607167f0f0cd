/* Checks that survive NDEBUG and say what was expected, what came, and where.
 *
 * A test program is a main() that RUNs named functions and returns harness_end(). Every CHECK
 * is also an expression that is true if it held, for what makes no sense after a failure:
 *
 *   if (!CHECK_STATUS(FC_OK, fc_library_open("m", NULL, &library)))
 *     return;
 *
 * C99 and C++11. */
#ifndef HARNESS_H
#define HARNESS_H

#include "farcall.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct harness_counts {
  int tests, failed_tests, checks, failures;
} harness_counts;

static harness_counts harness;

#ifdef __GNUC__
__attribute__((format(printf, 4, 5)))
#endif
static inline bool
harness_check(bool holds, const char *file, int line, const char *format, ...) {
  harness.checks++;
  if (holds)
    return true;
  harness.failures++;
  va_list arguments;
  va_start(arguments, format);
  printf("%s:%d: ", file, line);
  vprintf(format, arguments);
  printf("\n");
  va_end(arguments);
  return false;
}

static inline bool harness_int(long long expected, long long got, const char *text,
                               const char *file, int line) {
  return harness_check(expected == got, file, line, "%s: expected %lld, got %lld", text, expected,
                       got);
}

static inline bool harness_size(size_t expected, size_t got, const char *text, const char *file,
                                int line) {
  return harness_check(expected == got, file, line, "%s: expected %zu, got %zu", text, expected,
                       got);
}

static inline bool harness_pointer(const volatile void *expected, const volatile void *got,
                                   const char *text, const char *file, int line) {
  return harness_check(expected == got, file, line, "%s: expected %p, got %p", text,
                       (void *)(uintptr_t)expected, (void *)(uintptr_t)got);
}

static inline bool harness_double(double expected, double got, const char *text, const char *file,
                                  int line) {
  return harness_check(memcmp(&expected, &got, sizeof got) == 0, file, line,
                       "%s: expected %.17g, got %.17g", text, expected, got);
}

static inline bool harness_string(const char *expected, const char *got, const char *text,
                                  const char *file, int line) {
  return harness_check(got && strcmp(expected, got) == 0, file, line,
                       "%s: expected \"%s\", got \"%s\"", text, expected, got ? got : "(NULL)");
}

static inline bool harness_contains(const char *part, const char *got, const char *text,
                                    const char *file, int line) {
  return harness_check(got && strstr(got, part), file, line, "%s: expected \"%s\" in \"%s\"", text,
                       part, got ? got : "(NULL)");
}

static inline bool harness_status(fc_status expected, fc_status got, const char *text,
                                  const char *file, int line) {
  return harness_check(expected == got, file, line, "%s: expected %s, got %s (last message: %s)",
                       text, fc_status_name(expected), fc_status_name(got), fc_error_message());
}

/* For what must fail, where the contract leaves open with which status. */
static inline bool harness_fails(fc_status got, const char *text, const char *file, int line) {
  return harness_check(got != FC_OK && got != FC_ERR_INTERNAL && fc_error_message()[0], file, line,
                       "%s: expected an error and its message, got %s (last message: %s)", text,
                       fc_status_name(got), fc_error_message());
}

static inline void harness_print_bytes(const char *title, const void *bytes, size_t length) {
  const unsigned char *byte = (const unsigned char *)bytes;
  printf("  %s", title);
  for (size_t i = 0; i < length; i++)
    printf(" %02x", byte[i]);
  printf("\n");
}

static inline bool harness_bytes(const void *expected, const void *got, size_t length,
                                 const char *text, const char *file, int line) {
  if (harness_check(memcmp(expected, got, length) == 0, file, line, "%s: other bytes", text))
    return true;
  harness_print_bytes("expected", expected, length);
  harness_print_bytes("got     ", got, length);
  return false;
}

/* The path of functions for which nothing else was asked for: where no code is made, it is as the
 * status says. */
static inline const char *usual_path(void) {
  const char *status = fc_code_status();
  return strcmp(status, "stubs") == 0 ? "stub" : status;
}

static inline bool makes_stubs(void) { return strcmp(fc_code_status(), "stubs") == 0; }

/* Flags without FC_REQUIRE_STUB where there are no stubs. */
static inline uint32_t possible_flags(uint32_t flags) {
  return makes_stubs() ? flags : flags & ~(uint32_t)FC_REQUIRE_STUB;
}

static inline void harness_run(void (*test)(void), const char *name) {
  int failures_before = harness.failures;
  test();
  bool failed = harness.failures != failures_before;
  harness.tests++;
  harness.failed_tests += failed;
  printf("%s %s\n", failed ? "FAILED" : "ok    ", name);
  fflush(stdout);
}

static inline int harness_end(void) {
  printf("%d tests, %d failed; %d checks, %d failed\n", harness.tests, harness.failed_tests,
         harness.checks, harness.failures);
  return harness.failures != 0 || harness.checks == 0;
}

#define CHECK(expression)                                                                          \
  harness_check((expression) ? true : false, __FILE__, __LINE__, "not so: %s", #expression)
#define CHECK_INT(expected, got)                                                                   \
  harness_int((long long)(expected), (long long)(got), #got, __FILE__, __LINE__)
#define CHECK_SIZE(expected, got) harness_size(expected, got, #got, __FILE__, __LINE__)
#define CHECK_POINTER(expected, got) harness_pointer(expected, got, #got, __FILE__, __LINE__)
#define CHECK_DOUBLE(expected, got) harness_double(expected, got, #got, __FILE__, __LINE__)
#define CHECK_STRING(expected, got) harness_string(expected, got, #got, __FILE__, __LINE__)
#define CHECK_CONTAINS(part, got) harness_contains(part, got, #got, __FILE__, __LINE__)
#define CHECK_BYTES(expected, got, length)                                                         \
  harness_bytes(expected, got, length, #got, __FILE__, __LINE__)
#define CHECK_STATUS(expected, call) harness_status(expected, call, #call, __FILE__, __LINE__)
#define CHECK_FAILS(call) harness_fails(call, #call, __FILE__, __LINE__)
#define CHECK_MESSAGE(part) CHECK_CONTAINS(part, fc_error_message())
#define RUN(test) harness_run(test, #test)

/* ISO C has no such cast; every compiler that farcall supports does. */
#define ADDRESS_OF(function) (__extension__(void *)(function))
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
