/* Proves that canary.c notices each thing that it is there to notice. */
#include "bad.h"
#include "canary.h"
#include <stdio.h>
#include <string.h>

int main(void) {
  static const struct {
    void (*fn)(void);
    const char *text;
  } tests[] = {BAD_TESTS};
  int failed = 0;
  canary_call(good, 0, 0, 0);
  if (canary_fault()) {
    printf("a good function: %s\n", canary_fault());
    failed++;
  }
  for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++) {
    canary_call(tests[i].fn, 0, 0, 0);
    const char *fault = canary_fault();
    if (!fault || !strstr(fault, tests[i].text)) {
      printf("a function that spoils %s: %s\n", tests[i].text, fault ? fault : "not noticed");
      failed++;
    }
    canary_call(good, 0, 0, 0);
    if (canary_fault()) {
      printf("after %s: %s\n", tests[i].text, canary_fault());
      failed++;
    }
  }
  printf("canary: %u bad functions tried, %d not told\n", (unsigned)(sizeof tests / sizeof *tests),
         failed);
  return failed != 0;
}
