/* What the generated functions need of an AArch64 processor. */
#ifndef FCG_MACHINE_H
#define FCG_MACHINE_H

/* An address that is aligned as the stack was at the call. The frame pointer need not be. */
#define FCG_STACK()                                                                                \
  ({                                                                                               \
    const void *fcg_sp;                                                                            \
    __asm__ volatile("mov %0, sp" : "=r"(fcg_sp));                                                 \
    fcg_sp;                                                                                        \
  })

/* All registers that a callee may change get junk, so that what it returns stands alone. A plain
 * call does it: gcc 12 cannot compile functions of many arguments with so many clobbers. */
#define FCG_POISON() fcg_poison()

/* What the self-check has a call leave changed, and what canary.c says of it. */
#define FCG_SPOIL_STATE() __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)1 << 24))
/* It is not told of the register that it changes. */
#define FCG_SPOIL_KEPT() __asm__ volatile("mov x27, xzr")

#endif
