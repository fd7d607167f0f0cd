/* The assembler parts behind machine.h, linked into every callee library. */
#include "library.h"

#ifdef FCG_AVX
#define DIRTY_UPPER(n) "vpcmpeqd %ymm" #n ", %ymm" #n ", %ymm" #n "\n"
#define AVX_ONLY(text) text
#else
#define DIRTY_UPPER(n) "pcmpeqd %xmm" #n ", %xmm" #n "\n"
#define AVX_ONLY(text)
#endif
__asm__(".text\n.globl fcg_poison\n.hidden fcg_poison\n.type fcg_poison,@function\n"
        "fcg_poison:\n"
        "  movabsq $0xdeadbeefcafef00d, %rax\n  movq %rax, %rcx\n  notq %rcx\n"
        "  movq %rax, %rdx\n  movq %rcx, %rsi\n  movq %rax, %rdi\n  movq %rcx, %r8\n"
        "  movq %rax, %r9\n  movq %rcx, %r10\n  movq %rax, %r11\n" DIRTY_UPPER(0) DIRTY_UPPER(1)
            DIRTY_UPPER(2) DIRTY_UPPER(3) DIRTY_UPPER(4) DIRTY_UPPER(5) DIRTY_UPPER(6)
                DIRTY_UPPER(7) DIRTY_UPPER(8) DIRTY_UPPER(9) DIRTY_UPPER(10) DIRTY_UPPER(11)
                    DIRTY_UPPER(12) DIRTY_UPPER(13) DIRTY_UPPER(14)
                        DIRTY_UPPER(15) "  ret\n.size fcg_poison, .-fcg_poison\n"
                                        ".section .note.GNU-stack,\"\",@progbits\n.text\n");
