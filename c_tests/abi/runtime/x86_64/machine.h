/* What the generated functions need of an x86-64 processor. */
#ifndef FCG_MACHINE_H
#define FCG_MACHINE_H

/* An address that is aligned as the stack was at the call. */
#define FCG_STACK() __builtin_frame_address(0)

/* All registers that a callee may change get junk, so that what it returns stands alone. */
#define FCG_POISON()                                                                               \
  __asm__ volatile("call fcg_poison" ::                                                            \
                       : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0",      \
                         "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",   \
                         "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc")

/* A variadic function is entered here, to see al before the compiler's prologue uses it. */
#define FCG_COUNTING_ENTRY(name, body)                                                             \
  __asm__(".pushsection .text\n.globl " #name "\n.type " #name ",@function\n" #name                \
          ":\n  movb %al, fcg_al(%rip)\n  jmp " #body "\n.popsection\n");

/* And here one of Microsoft's convention, to see both registers of each of the four positions. */
#define FCG_POSITIONS_ENTRY(name, body)                                                            \
  __asm__(".pushsection .text\n.globl " #name "\n.type " #name ",@function\n" #name                \
          ":\n  movq %rcx, fcg_positions(%rip)\n  movq %xmm0, 8+fcg_positions(%rip)\n"             \
          "  movq %rdx, 16+fcg_positions(%rip)\n  movq %xmm1, 24+fcg_positions(%rip)\n"            \
          "  movq %r8, 32+fcg_positions(%rip)\n  movq %xmm2, 40+fcg_positions(%rip)\n"             \
          "  movq %r9, 48+fcg_positions(%rip)\n  movq %xmm3, 56+fcg_positions(%rip)\n"             \
          "  jmp " #body "\n.popsection\n");

/* What the self-check has a call leave changed, and what canary.c says of it. */
#define FCG_SPOIL_STATE() __asm__ volatile("std")
/* It is not told of the register that it changes. */
#define FCG_SPOIL_KEPT() __asm__ volatile("xorl %r14d, %r14d")

#endif
