#include "../canary.h"
#include <stdio.h>

struct canary {
  uint64_t general[11];  /* x19 to x29 after the call */
  uint64_t vector[8][2]; /* v8 to v15, of which only the low halves are kept */
  uint64_t sp_before, sp_after, fpcr_before, fpcr_after;
} canary_state;

/* x19 holds one pattern, each next register the pattern after it; v8 the one after x29's. */
#define PATTERN 0x5ca1ab1e0ddba110u

__asm__(".text\n.globl canary_call\n.type canary_call,%function\ncanary_call:\n  hint #34\n"
        "  stp x29, x30, [sp, #-176]!\n  mov x29, sp\n"
        "  stp x19, x20, [sp, #16]\n  stp x21, x22, [sp, #32]\n  stp x23, x24, [sp, #48]\n"
        "  stp x25, x26, [sp, #64]\n  stp x27, x28, [sp, #80]\n"
        "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n  stp d12, d13, [sp, #128]\n"
        "  stp d14, d15, [sp, #144]\n"
        "  adrp x9, canary_state\n  add x9, x9, :lo12:canary_state\n"
        "  mov x10, sp\n  str x10, [x9, #216]\n  mrs x10, fpcr\n  str x10, [x9, #232]\n"
        "  mov x16, x0\n  mov x0, x1\n  mov x1, x2\n  mov x2, x3\n"
        "  movz x19, #0xa110\n  movk x19, #0x0ddb, lsl #16\n"
        "  movk x19, #0xab1e, lsl #32\n  movk x19, #0x5ca1, lsl #48\n"
        "  add x20, x19, #1\n"
        "  add x21, x19, #2\n"
        "  add x22, x19, #3\n"
        "  add x23, x19, #4\n"
        "  add x24, x19, #5\n"
        "  add x25, x19, #6\n"
        "  add x26, x19, #7\n"
        "  add x27, x19, #8\n"
        "  add x28, x19, #9\n"
        "  add x29, x19, #10\n"
        "  add x10, x19, #11\n  fmov d8, x10\n"
        "  add x10, x19, #12\n  fmov d9, x10\n"
        "  add x10, x19, #13\n  fmov d10, x10\n"
        "  add x10, x19, #14\n  fmov d11, x10\n"
        "  add x10, x19, #15\n  fmov d12, x10\n"
        "  add x10, x19, #16\n  fmov d13, x10\n"
        "  add x10, x19, #17\n  fmov d14, x10\n"
        "  add x10, x19, #18\n  fmov d15, x10\n"
        /* What a callee must not count on is junk. */
        "  movn x3, #0x0ff2\n"
        "  mov x4, x3\n"
        "  mov x5, x3\n"
        "  mov x6, x3\n"
        "  mov x7, x3\n"
        "  mov x8, x3\n"
        "  mov x9, x3\n"
        "  mov x10, x3\n"
        "  mov x11, x3\n"
        "  mov x12, x3\n"
        "  mov x13, x3\n"
        "  mov x14, x3\n"
        "  mov x15, x3\n"
        "  mov x17, x3\n"
        "  dup v0.2d, x3\n"
        "  dup v1.2d, x3\n"
        "  dup v2.2d, x3\n"
        "  dup v3.2d, x3\n"
        "  dup v4.2d, x3\n"
        "  dup v5.2d, x3\n"
        "  dup v6.2d, x3\n"
        "  dup v7.2d, x3\n"
        "  dup v16.2d, x3\n"
        "  dup v17.2d, x3\n"
        "  dup v18.2d, x3\n"
        "  dup v19.2d, x3\n"
        "  dup v20.2d, x3\n"
        "  dup v21.2d, x3\n"
        "  dup v22.2d, x3\n"
        "  dup v23.2d, x3\n"
        "  dup v24.2d, x3\n"
        "  dup v25.2d, x3\n"
        "  dup v26.2d, x3\n"
        "  dup v27.2d, x3\n"
        "  dup v28.2d, x3\n"
        "  dup v29.2d, x3\n"
        "  dup v30.2d, x3\n"
        "  dup v31.2d, x3\n"
        "  blr x16\n"
        "  adrp x9, canary_state\n  add x9, x9, :lo12:canary_state\n"
        "  stp x19, x20, [x9]\n  stp x21, x22, [x9, #16]\n  stp x23, x24, [x9, #32]\n"
        "  stp x25, x26, [x9, #48]\n  stp x27, x28, [x9, #64]\n  str x29, [x9, #80]\n"
        "  mov x10, sp\n  str x10, [x9, #224]\n  mrs x10, fpcr\n  str x10, [x9, #240]\n"
        "  ldr x10, [x9, #232]\n  msr fpcr, x10\n"
        "  ldr x10, [x9, #216]\n  mov sp, x10\n"
        "  add x9, x9, #88\n"
        "  str q8, [x9], #16\n"
        "  str q9, [x9], #16\n"
        "  str q10, [x9], #16\n"
        "  str q11, [x9], #16\n"
        "  str q12, [x9], #16\n"
        "  str q13, [x9], #16\n"
        "  str q14, [x9], #16\n"
        "  str q15, [x9], #16\n"
        "  ldp x19, x20, [sp, #16]\n  ldp x21, x22, [sp, #32]\n  ldp x23, x24, [sp, #48]\n"
        "  ldp x25, x26, [sp, #64]\n  ldp x27, x28, [sp, #80]\n"
        "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n  ldp d12, d13, [sp, #128]\n"
        "  ldp d14, d15, [sp, #144]\n  ldp x29, x30, [sp], #176\n  ret\n"
        ".size canary_call, .-canary_call\n");

const char *canary_fault(void) {
  static char text[80];
  const struct canary *s = &canary_state;
  for (unsigned i = 0; i < 11; i++)
    if (s->general[i] != PATTERN + i) {
      snprintf(text, sizeof text, "x%u was changed", 19 + i);
      return text;
    }
  for (unsigned i = 0; i < 8; i++)
    if (s->vector[i][0] != PATTERN + 11 + i) {
      snprintf(text, sizeof text, "d%u was changed", 8 + i);
      return text;
    }
  if (s->sp_before != s->sp_after)
    return "sp was changed";
  if (s->fpcr_before != s->fpcr_after)
    return "FPCR was changed";
  return NULL;
}

/* ------------------------------------- between a compiled caller and what it calls */
struct between {
  uint64_t own[11], back, target, own_vectors[8];        /* 0: x19 to x29; 88, 96, 104: d8 to d15 */
  uint64_t after[11], after_vectors[8];                  /* 168, 256 */
  uint64_t sp_before, sp_after, fpcr_before, fpcr_after; /* 320 and on */
} canary_state_between;

void through(void);
__asm__(".text\n.globl through\n.type through,%function\nthrough:\n"
        "  hint #34\n"
        "  adrp x9, canary_state_between\n"
        "  add x9, x9, :lo12:canary_state_between\n"
        "  stp x19, x20, [x9, #0]\n"
        "  stp x21, x22, [x9, #16]\n"
        "  stp x23, x24, [x9, #32]\n"
        "  stp x25, x26, [x9, #48]\n"
        "  stp x27, x28, [x9, #64]\n"
        "  stp x29, x30, [x9, #80]\n"
        "  stp d8, d9, [x9, #104]\n"
        "  stp d10, d11, [x9, #120]\n"
        "  stp d12, d13, [x9, #136]\n"
        "  stp d14, d15, [x9, #152]\n"
        "  mov x10, sp\n"
        "  str x10, [x9, #320]\n"
        "  mrs x10, fpcr\n"
        "  str x10, [x9, #336]\n"
        "  ldr x16, [x9, #96]\n"
        "  movz x19, #0xa110\n"
        "  movk x19, #0x0ddb, lsl #16\n"
        "  movk x19, #0xab1e, lsl #32\n"
        "  movk x19, #0x5ca1, lsl #48\n"
        "  add x20, x19, #1\n"
        "  add x21, x19, #2\n"
        "  add x22, x19, #3\n"
        "  add x23, x19, #4\n"
        "  add x24, x19, #5\n"
        "  add x25, x19, #6\n"
        "  add x26, x19, #7\n"
        "  add x27, x19, #8\n"
        "  add x28, x19, #9\n"
        "  add x29, x19, #10\n"
        "  add x10, x19, #11\n"
        "  fmov d8, x10\n"
        "  add x10, x19, #12\n"
        "  fmov d9, x10\n"
        "  add x10, x19, #13\n"
        "  fmov d10, x10\n"
        "  add x10, x19, #14\n"
        "  fmov d11, x10\n"
        "  add x10, x19, #15\n"
        "  fmov d12, x10\n"
        "  add x10, x19, #16\n"
        "  fmov d13, x10\n"
        "  add x10, x19, #17\n"
        "  fmov d14, x10\n"
        "  add x10, x19, #18\n"
        "  fmov d15, x10\n"
        "  movn x9, #0x0ff2\n"
        "  mov x10, x9\n"
        "  mov x11, x9\n"
        "  mov x12, x9\n"
        "  mov x13, x9\n"
        "  mov x14, x9\n"
        "  mov x15, x9\n"
        "  mov x17, x9\n"
        "  dup v16.2d, x9\n"
        "  dup v17.2d, x9\n"
        "  dup v18.2d, x9\n"
        "  dup v19.2d, x9\n"
        "  dup v20.2d, x9\n"
        "  dup v21.2d, x9\n"
        "  dup v22.2d, x9\n"
        "  dup v23.2d, x9\n"
        "  dup v24.2d, x9\n"
        "  dup v25.2d, x9\n"
        "  dup v26.2d, x9\n"
        "  dup v27.2d, x9\n"
        "  dup v28.2d, x9\n"
        "  dup v29.2d, x9\n"
        "  dup v30.2d, x9\n"
        "  dup v31.2d, x9\n"
        "  blr x16\n"
        "  adrp x9, canary_state_between\n"
        "  add x9, x9, :lo12:canary_state_between\n"
        "  stp x19, x20, [x9, #168]\n"
        "  stp x21, x22, [x9, #184]\n"
        "  stp x23, x24, [x9, #200]\n"
        "  stp x25, x26, [x9, #216]\n"
        "  stp x27, x28, [x9, #232]\n"
        "  str x29, [x9, #248]\n"
        "  stp d8, d9, [x9, #256]\n"
        "  stp d10, d11, [x9, #272]\n"
        "  stp d12, d13, [x9, #288]\n"
        "  stp d14, d15, [x9, #304]\n"
        "  mov x10, sp\n"
        "  str x10, [x9, #328]\n"
        "  mrs x10, fpcr\n"
        "  str x10, [x9, #344]\n"
        "  ldr x10, [x9, #336]\n"
        "  msr fpcr, x10\n"
        "  ldr x10, [x9, #320]\n"
        "  mov sp, x10\n"
        "  ldp x19, x20, [x9, #0]\n"
        "  ldp x21, x22, [x9, #16]\n"
        "  ldp x23, x24, [x9, #32]\n"
        "  ldp x25, x26, [x9, #48]\n"
        "  ldp x27, x28, [x9, #64]\n"
        "  ldp x29, x30, [x9, #80]\n"
        "  ldp d8, d9, [x9, #104]\n"
        "  ldp d10, d11, [x9, #120]\n"
        "  ldp d12, d13, [x9, #136]\n"
        "  ldp d14, d15, [x9, #152]\n"
        "  ret\n"
        ".size through, .-through\n");

void (*canary_between(void (*fn)(void), bool is_ms))(void) {
  (void)is_ms;
  canary_state_between = (struct between){.target = (uintptr_t)fn};
  return through;
}

const char *canary_between_fault(void) {
  static char text[80];
  const struct between *s = &canary_state_between;
  if (!s->back)
    return "it was not called";
  for (unsigned i = 0; i < 11; i++)
    if (s->after[i] != PATTERN + i) {
      snprintf(text, sizeof text, "x%u was changed", 19 + i);
      return text;
    }
  for (unsigned i = 0; i < 8; i++)
    if (s->after_vectors[i] != PATTERN + 11 + i) {
      snprintf(text, sizeof text, "d%u was changed", 8 + i);
      return text;
    }
  if (s->sp_before != s->sp_after)
    return "sp was changed";
  if (s->fpcr_before != s->fpcr_after)
    return "FPCR was changed";
  return NULL;
}
