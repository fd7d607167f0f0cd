/* Functions that do not give back what they must, for canary_test.c. */
#define BAD(name, body)                                                                            \
  void name(void);                                                                                 \
  __asm__(".text\n.globl " #name "\n.type " #name ",@function\n" #name ":\n  " body "\n  ret\n");
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
BAD(bad_rdi, "incq %rdi")
BAD(bad_rsi, "incq %rsi")
BAD(bad_xmm6, "pxor %xmm6, %xmm6")
BAD(bad_xmm7, "punpckhqdq %xmm0, %xmm7")
BAD(bad_xmm8, "movq %xmm8, %xmm8")
BAD(bad_xmm9, "pxor %xmm9, %xmm9")
BAD(bad_xmm10, "pxor %xmm10, %xmm10")
BAD(bad_xmm11, "pxor %xmm11, %xmm11")
BAD(bad_xmm12, "pxor %xmm12, %xmm12")
BAD(bad_xmm13, "pxor %xmm13, %xmm13")
BAD(bad_xmm14, "pxor %xmm14, %xmm14")
BAD(bad_xmm15, "pxor %xmm15, %xmm15")

#define BAD_MS_TESTS                                                                               \
  {bad_rdi, "rdi"}, {bad_rsi, "rsi"}, {bad_xmm6, "xmm6"}, {bad_xmm7, "xmm7"}, {bad_xmm8, "xmm8"},  \
      {bad_xmm9, "xmm9"}, {bad_xmm10, "xmm10"}, {bad_xmm11, "xmm11"}, {bad_xmm12, "xmm12"},        \
      {bad_xmm13, "xmm13"}, {bad_xmm14, "xmm14"}, {bad_xmm15, "xmm15"},
#define BAD_TESTS                                                                                  \
  {bad_rbx, "rbx"}, {bad_rbp, "rbp"}, {bad_r12, "r12"}, {bad_r13, "r13"}, {bad_r14, "r14"},        \
      {bad_r15, "r15"}, {bad_direction, "direction"}, {bad_mxcsr, "MXCSR"},                        \
      {bad_control, "control word"}, {bad_x87, "x87 stack"}, {bad_rsp, "rsp"}
