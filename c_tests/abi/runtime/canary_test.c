/* Proves that canary.c notices each thing that it is there to notice. */
#include "canary.h"
#include <stdio.h>
#include <string.h>

#define BAD(name, body)                                                                            \
  void name(void);                                                                                 \
  __asm__(".text\n.type " #name ",@function\n" #name ":\n  " body "\n  ret\n");
BAD(good, "nop")
BAD(bad_rbx, "incq %rbx")
BAD(bad_rbp, "incq %rbp")
BAD(bad_r12, "xorl %r12d, %r12d")
BAD(bad_r13, "xorl %r13d, %r13d")
BAD(bad_r14, "xorl %r14d, %r14d")
BAD(bad_r15, "xorl %r15d, %r15d")
BAD(bad_direction, "std")
BAD(bad_mxcsr, "stmxcsr -8(%rsp); orl $0x8000, -8(%rsp); ldmxcsr -8(%rsp)")
BAD(bad_control, "fnstcw -8(%rsp); xorw $0x300, -8(%rsp); fldcw -8(%rsp)")
BAD(bad_x87, "fldz")
BAD(bad_rsp, "ret $16")

int main(void) {
  static const struct {
    void (*fn)(void);
    const char *text;
  } tests[] = {{bad_rbx, "rbx"},
               {bad_rbp, "rbp"},
               {bad_r12, "r12"},
               {bad_r13, "r13"},
               {bad_r14, "r14"},
               {bad_r15, "r15"},
               {bad_direction, "direction"},
               {bad_mxcsr, "MXCSR"},
               {bad_control, "control word"},
               {bad_x87, "x87 stack"},
               {bad_rsp, "rsp"}};
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
