/* Proves that canary.c notices each thing that it is there to notice. */
#include "bad.h"
#include "canary.h"
#include <stdio.h>
#include <string.h>

struct test {
  void (*fn)(void);
  const char *text;
};
/* Functions that are bad in any convention, and those that are so in Microsoft's alone. */
static const struct test tests[] = {BAD_TESTS}, ms_tests[] = {BAD_MS_TESTS{0, 0}};
static int tried, failed;

/* Called by canary_call, or by it through what stands between a caller and its callee. */
static const char *fault_of(void (*fn)(void), bool is_between, bool is_ms) {
  canary_call(is_between ? canary_between(fn, is_ms) : fn, 0, 0, 0);
  const char *fault = is_between ? canary_between_fault() : NULL;
  return fault ? fault : canary_fault();
}

static void try(const struct test *test, bool is_between, bool is_ms) {
  const char *fault = fault_of(test->fn, is_between, is_ms);
  tried++;
  if (!fault || !strstr(fault, test->text)) {
    printf("a function that spoils %s: %s\n", test->text, fault ? fault : "not noticed");
    failed++;
  }
  fault = fault_of(good, is_between, is_ms);
  if (fault) {
    printf("after %s: %s\n", test->text, fault);
    failed++;
  }
}

int main(void) {
  for (int between = 0; between <= 2; between++) {
    const char *fault = fault_of(good, between > 0, between > 1);
    if (fault) {
      printf("a good function: %s\n", fault);
      failed++;
    }
    for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++)
      try(&tests[i], between > 0, between > 1);
  }
  for (const struct test *test = ms_tests; test->fn; test++)
    try(test, true, true);
  printf("canary: %d bad functions tried, %d not told\n", tried, failed);
  return failed != 0;
}
