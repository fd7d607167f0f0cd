//! What `explain` says.

use super::{call, signature};
use crate::abi::{assign, explain};
use crate::types::Signature;

fn check(signature: &Signature, expected: &str) {
    let text = explain(signature, &assign(signature).unwrap(), "stub");
    assert_eq!(text, expected);
}

#[test]
fn plain_functions() {
    check(
        &signature("double pow(double, double)"),
        "double pow(double, double)
  parameter 1  double  xmm0
  parameter 2  double  xmm1
  result       double  xmm0
  stack        0 bytes, aligned to 16
  path         stub
",
    );
    check(
        &signature("void (void)"),
        "void (void)
  result  void  nothing
  stack   0 bytes, aligned to 16
  path    stub
",
    );
}

#[test]
fn every_kind_of_place() {
    check(
        &signature(
            "char f(char, unsigned short, int, mixed, struct { float a, b, c; }, empty, long double)",
        ),
        "char f(char, unsigned short, int, struct { long a; double b; }, struct { float a; float b; \
         float c; }, struct { }, long double)
  parameter 1  char                                              rdi, sign-extended to 32 bits
  parameter 2  unsigned short                                    rsi, zero-extended to 32 bits
  parameter 3  int                                               rdx
  parameter 4  struct { long a; double b; } (16 bytes)           bytes 0-7 in rcx, bytes 8-15 in xmm0
  parameter 5  struct { float a; float b; float c; } (12 bytes)  bytes 0-7 in xmm1, bytes 8-11 in xmm2
  parameter 6  struct { } (0 bytes)                              nothing
  parameter 7  long double                                       stack bytes 0-15
  result       char                                              rax
  stack        16 bytes, aligned to 16
  path         stub
",
    );
    check(
        &signature("long double _Complex f(_Bool, __int128, wide)"),
        "long double _Complex f(_Bool, __int128, struct { long a; })
  parameter 1  _Bool                          rdi, zero-extended to 32 bits
  parameter 2  __int128                       bytes 0-7 in rsi, bytes 8-15 in rdx
  parameter 3  struct { long a; } (32 bytes)  stack bytes 0-31
  result       long double _Complex           bytes 0-9 in st(0), bytes 16-25 in st(1)
  stack        32 bytes, aligned to 32
  path         stub
",
    );
    check(
        &signature("three_longs copy(three_longs, m256, two_longs *)"),
        "struct { long a; long b; long c; } copy(struct { long a; long b; long c; }, float \
         __attribute__((vector_size(32))), struct { long a; long b; } *)
  parameter 1  struct { long a; long b; long c; } (24 bytes)      stack bytes 0-23
  parameter 2  float __attribute__((vector_size(32))) (32 bytes)  ymm0
  parameter 3  struct { long a; long b; } *                       rsi
  result       struct { long a; long b; long c; } (24 bytes)      memory, its address in rdi, given \
         back in rax
  stack        24 bytes, aligned to 16
  path         stub
",
    );
    // Half of this result is padding.
    check(
        &signature("struct { double a; } __attribute__((aligned(16))) f(void)"),
        "struct { double a; } f(void)
  result  struct { double a; } (16 bytes)  bytes 0-7 in xmm0
  stack   0 bytes, aligned to 16
  path    stub
",
    );
}

#[test]
fn a_variadic_call() {
    check(
        &call(
            "int printf(const char *, ...)",
            &["double", "int", "long double"],
        ),
        "int printf(const char *, ...)
  parameter 1       const char *  rdi
  extra argument 2  double        xmm0
  extra argument 3  int           rsi
  extra argument 4  long double   stack bytes 0-15
  result            int           rax
  stack             16 bytes, aligned to 16
  variadic          al = 1 vector registers
  path              stub
",
    );
}
