/* Functions that do not give back what they must, for canary_test.c. */
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

#define BAD_TESTS                                                                                  \
  {bad_rbx, "rbx"}, {bad_rbp, "rbp"}, {bad_r12, "r12"}, {bad_r13, "r13"}, {bad_r14, "r14"},        \
      {bad_r15, "r15"}, {bad_direction, "direction"}, {bad_mxcsr, "MXCSR"},                        \
      {bad_control, "control word"}, {bad_x87, "x87 stack"}, {bad_rsp, "rsp"}
