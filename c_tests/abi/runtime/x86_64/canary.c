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
