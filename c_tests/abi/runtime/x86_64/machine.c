/* The assembler parts behind machine.h, linked into every callee library. */
#include "library.h"

#ifdef FCG_AVX
#define WIDEN "  vinsertf128 $1, %xmm0, %ymm0, %ymm0\n"
#define COPY(n) "  vmovdqa %ymm0, %ymm" #n "\n"
#else
#define WIDEN
#define COPY(n) "  movdqa %xmm0, %xmm" #n "\n"
#endif
__asm__(".text\n.globl fcg_poison\n.hidden fcg_poison\n.type fcg_poison,@function\n"
        "fcg_poison:\n"
        "  movabsq $0xdeadbeefcafef00d, %rax\n  movq %rax, %rcx\n  notq %rcx\n"
        "  movq %rax, %rdx\n  movq %rcx, %rsi\n  movq %rax, %rdi\n  movq %rcx, %r8\n"
        "  movq %rax, %r9\n  movq %rcx, %r10\n  movq %rax, %r11\n"
        "  movq %rax, %xmm0\n  punpcklqdq %xmm0, %xmm0\n" WIDEN COPY(1) COPY(2) COPY(3) COPY(4)
            COPY(5) COPY(6) COPY(7) COPY(8) COPY(9) COPY(10) COPY(11) COPY(12) COPY(13) COPY(14)
                COPY(15) "  ret\n.size fcg_poison, .-fcg_poison\n"
                         ".section .note.GNU-stack,\"\",@progbits\n.text\n");
