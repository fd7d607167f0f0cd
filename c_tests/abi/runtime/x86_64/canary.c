#include "../canary.h"
#include <stdio.h>

struct canary {
  uint64_t saved[6]; /* rbx rbp r12 r13 r14 r15 after the call */
  uint64_t rsp_before, rsp_after, flags;
  uint32_t mxcsr_before, mxcsr_after;
  uint16_t control_before, control_after, tags, unused;
} canary_state;

/* rbx holds one pattern, each next register the pattern after it. */
#define PATTERN 0x5ca1ab1e0ddba110u

__asm__(
    ".text\n.globl canary_call\n.type canary_call,@function\ncanary_call:\n"
    "  pushq %rbx\n  pushq %rbp\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  subq $72, %rsp\n" /* the stack is aligned for the call again */
    "  leaq canary_state(%rip), %r11\n"
    "  movq %rsp, 48(%r11)\n  stmxcsr 72(%r11)\n  fnstcw 80(%r11)\n"
    "  movq %rdi, %rax\n  movq %rsi, %rdi\n  movq %rdx, %rsi\n  movq %rcx, %rdx\n"
    "  movabsq $0x5ca1ab1e0ddba110, %rbx\n"
    "  leaq 1(%rbx), %rbp\n  leaq 2(%rbx), %r12\n  leaq 3(%rbx), %r13\n"
    "  leaq 4(%rbx), %r14\n  leaq 5(%rbx), %r15\n"
    /* What a callee must not count on is junk. */
    "  movabsq $0xdeadbeefcafef00d, %rcx\n  movq %rcx, %r8\n  movq %rcx, %r9\n"
    "  movq %rcx, %r10\n  movq %rcx, %r11\n"
    "  movq %rcx, %xmm0\n  punpcklqdq %xmm0, %xmm0\n  movdqa %xmm0, %xmm1\n  movdqa %xmm0, %xmm2\n"
    "  movdqa %xmm0, %xmm3\n  movdqa %xmm0, %xmm4\n  movdqa %xmm0, %xmm5\n"
    "  movdqa %xmm0, %xmm6\n  movdqa %xmm0, %xmm7\n  movdqa %xmm0, %xmm8\n"
    "  movdqa %xmm0, %xmm15\n"
    "  call *%rax\n"
    "  leaq canary_state(%rip), %r11\n"
    "  movq %rbx, 0(%r11)\n  movq %rbp, 8(%r11)\n  movq %r12, 16(%r11)\n"
    "  movq %r13, 24(%r11)\n  movq %r14, 32(%r11)\n  movq %r15, 40(%r11)\n"
    "  movq %rsp, 56(%r11)\n  movq 48(%r11), %rsp\n"
    "  pushfq\n  popq 64(%r11)\n  cld\n"
    "  stmxcsr 76(%r11)\n  fnstcw 82(%r11)\n"
    "  fnstenv 32(%rsp)\n  movzwl 40(%rsp), %eax\n  movw %ax, 84(%r11)\n"
    "  fninit\n  fldcw 80(%r11)\n  ldmxcsr 72(%r11)\n"
    "  addq $72, %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbp\n  popq %rbx\n"
    "  ret\n.size canary_call, .-canary_call\n");

const char *canary_fault(void) {
  static const char *const names[] = {"rbx", "rbp", "r12", "r13", "r14", "r15"};
  static char text[80];
  const struct canary *s = &canary_state;
  for (unsigned i = 0; i < 6; i++)
    if (s->saved[i] != PATTERN + i) {
      snprintf(text, sizeof text, "%s was changed", names[i]);
      return text;
    }
  if (s->rsp_before != s->rsp_after)
    return "rsp was changed";
  if (s->flags & 0x400)
    return "the direction flag is set";
  if ((s->mxcsr_before ^ s->mxcsr_after) & 0xffc0)
    return "MXCSR's control bits were changed";
  if (s->control_before != s->control_after)
    return "the x87 control word was changed";
  if (s->tags != 0xffff)
    return "the x87 stack is not empty";
  return NULL;
}

/* ------------------------------------- between a compiled caller and what it calls */
struct between {
  uint64_t own[6], back, target, after[6]; /* 0, 48, 56, 64: rbx rbp r12 r13 r14 r15 */
  uint64_t rsp_before, rsp_after, flags;   /* 112, 120, 128 */
  uint32_t mxcsr_before, mxcsr_after;      /* 136, 140 */
  uint16_t control_before, control_after;  /* 144, 146 */
  uint32_t is_ms;
  uint64_t own_ms[2], after_ms[2];                           /* 152, 168: rdi rsi */
  uint64_t unused, own_vectors[10][2], after_vectors[10][2]; /* 192, 352: xmm6 to xmm15 */
} canary_state_between;

#define ENTER                                                                                      \
  "  leaq canary_state_between(%rip), %r11\n"                                                      \
  "  movq %rbx, 0(%r11)\n  movq %rbp, 8(%r11)\n  movq %r12, 16(%r11)\n"                            \
  "  movq %r13, 24(%r11)\n  movq %r14, 32(%r11)\n  movq %r15, 40(%r11)\n"                          \
  "  popq 48(%r11)\n  movq %rsp, 112(%r11)\n  stmxcsr 136(%r11)\n  fnstcw 144(%r11)\n"             \
  "  movabsq $0x5ca1ab1e0ddba110, %rbx\n"                                                          \
  "  leaq 1(%rbx), %rbp\n  leaq 2(%rbx), %r12\n  leaq 3(%rbx), %r13\n"                             \
  "  leaq 4(%rbx), %r14\n  leaq 5(%rbx), %r15\n"
#define CALL                                                                                       \
  "  movabsq $0xdeadbeefcafef00d, %r10\n  movq 56(%r11), %rax\n  movq %r10, %r11\n"                \
  "  call *%rax\n"                                                                                 \
  "  leaq canary_state_between(%rip), %r11\n"                                                      \
  "  movq %rbx, 64(%r11)\n  movq %rbp, 72(%r11)\n  movq %r12, 80(%r11)\n"                          \
  "  movq %r13, 88(%r11)\n  movq %r14, 96(%r11)\n  movq %r15, 104(%r11)\n"                         \
  "  movq %rsp, 120(%r11)\n  movq 112(%r11), %rsp\n  pushfq\n  popq 128(%r11)\n  cld\n"            \
  "  stmxcsr 140(%r11)\n  fnstcw 146(%r11)\n  ldmxcsr 136(%r11)\n  fldcw 144(%r11)\n"
#define LEAVE                                                                                      \
  "  movq 0(%r11), %rbx\n  movq 8(%r11), %rbp\n  movq 16(%r11), %r12\n"                            \
  "  movq 24(%r11), %r13\n  movq 32(%r11), %r14\n  movq 40(%r11), %r15\n"                          \
  "  jmp *48(%r11)\n"
#define JUNK(n) "  movq %r10, %xmm" #n "\n  punpcklqdq %xmm" #n ", %xmm" #n "\n"
/* xmm6 holds the pattern after rsi's, each next register the one after it, in both halves. */
#define KEEP(n)                                                                                    \
  "  movdqu %xmm" #n ", 192+16*(" #n "-6)(%r11)\n  leaq 2+" #n "(%rbx), %r10\n" JUNK(n)
#define GIVE_BACK(n)                                                                               \
  "  movdqu %xmm" #n ", 352+16*(" #n "-6)(%r11)\n  movdqu 192+16*(" #n "-6)(%r11), %xmm" #n "\n"
#define ALL(each)                                                                                  \
  each(6) each(7) each(8) each(9) each(10) each(11) each(12) each(13) each(14) each(15)
#define FUNCTION(name, body)                                                                       \
  __asm__(".text\n.globl " #name "\n.type " #name ",@function\n" #name ":\n  endbr64\n" body       \
          ".size " #name ", .-" #name "\n");                                                       \
  void name(void);

FUNCTION(through, ENTER "  movabsq $0xdeadbeefcafef00d, %r10\n" JUNK(8) JUNK(9) JUNK(10) JUNK(11)
                      JUNK(12) JUNK(13) JUNK(14) JUNK(15) CALL LEAVE)
FUNCTION(through_ms, ENTER "  movq %rdi, 152(%r11)\n  movq %rsi, 160(%r11)\n"
                           "  leaq 6(%rbx), %rdi\n  leaq 7(%rbx), %rsi\n" ALL(KEEP) CALL
         "  movq %rdi, 168(%r11)\n  movq %rsi, 176(%r11)\n"
         "  movq 152(%r11), %rdi\n  movq 160(%r11), %rsi\n" ALL(GIVE_BACK) LEAVE)

void (*canary_between(void (*fn)(void), bool is_ms))(void) {
  canary_state_between = (struct between){.target = (uintptr_t)fn, .is_ms = is_ms};
  return is_ms ? through_ms : through;
}

const char *canary_between_fault(void) {
  static const char *const names[] = {"rbx", "rbp", "r12", "r13", "r14", "r15", "rdi", "rsi"};
  static char text[80];
  const struct between *s = &canary_state_between;
  if (!s->back)
    return "it was not called";
  for (unsigned i = 0; i < (s->is_ms ? 8 : 6); i++)
    if ((i < 6 ? s->after[i] : s->after_ms[i - 6]) != PATTERN + i) {
      snprintf(text, sizeof text, "%s was changed", names[i]);
      return text;
    }
  for (unsigned i = 0; s->is_ms && i < 10; i++)
    if (s->after_vectors[i][0] != PATTERN + 8 + i || s->after_vectors[i][1] != PATTERN + 8 + i) {
      snprintf(text, sizeof text, "xmm%u was changed", 6 + i);
      return text;
    }
  if (s->rsp_before != s->rsp_after)
    return "rsp was changed";
  if (s->flags & 0x400)
    return "the direction flag is set";
  if ((s->mxcsr_before ^ s->mxcsr_after) & 0xffc0)
    return "MXCSR's control bits were changed";
  if (s->control_before != s->control_after)
    return "the x87 control word was changed";
  return NULL;
}
