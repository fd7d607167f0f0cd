/* Functions that do not give back what they must, for canary_test.c. */
#define BAD(name, body)                                                                            \
  void name(void);                                                                                 \
  __asm__(".text\n.globl " #name "\n.type " #name ",%function\n" #name ":\n  " body "\n  ret\n");
BAD(good, "nop")
BAD(bad_x19, "add x19, x19, #1")
BAD(bad_x20, "add x20, x20, #1")
BAD(bad_x21, "add x21, x21, #1")
BAD(bad_x22, "add x22, x22, #1")
BAD(bad_x23, "add x23, x23, #1")
BAD(bad_x24, "add x24, x24, #1")
BAD(bad_x25, "add x25, x25, #1")
BAD(bad_x26, "add x26, x26, #1")
BAD(bad_x27, "add x27, x27, #1")
BAD(bad_x28, "add x28, x28, #1")
BAD(bad_x29, "add x29, x29, #1")
BAD(bad_d8, "fmov d8, xzr")
BAD(bad_d9, "fmov d9, xzr")
BAD(bad_d10, "fmov d10, xzr")
BAD(bad_d11, "fmov d11, xzr")
BAD(bad_d12, "fmov d12, xzr")
BAD(bad_d13, "fmov d13, xzr")
BAD(bad_d14, "fmov d14, xzr")
BAD(bad_d15, "fmov d15, xzr")
BAD(bad_sp, "sub sp, sp, #16")
BAD(bad_fpcr, "mov x9, #0x1000000; msr fpcr, x9")

#define BAD_MS_TESTS
#define BAD_TESTS                                                                                  \
  {bad_x19, "x19"}, {bad_x20, "x20"}, {bad_x21, "x21"}, {bad_x22, "x22"}, {bad_x23, "x23"},        \
      {bad_x24, "x24"}, {bad_x25, "x25"}, {bad_x26, "x26"}, {bad_x27, "x27"}, {bad_x28, "x28"},    \
      {bad_x29, "x29"}, {bad_d8, "d8"}, {bad_d9, "d9"}, {bad_d10, "d10"}, {bad_d11, "d11"},        \
      {bad_d12, "d12"}, {bad_d13, "d13"}, {bad_d14, "d14"}, {bad_d15, "d15"}, {bad_sp, "sp"},      \
      {bad_fpcr, "FPCR"}
