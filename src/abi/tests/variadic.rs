//! Calls of variadic functions.

use super::{call, check, shown};
use crate::abi::assign;

fn check_call(prototype: &str, extra: &[&str], expected: &str) {
    let assignment = assign(&call(prototype, extra)).unwrap();
    assert_eq!(shown(&assignment), expected, "{prototype} with {extra:?}");
}

#[test]
fn al_counts_vector_registers() {
    let printf = "int printf(const char *, ...)";
    check_call(printf, &[], "rdi -> rax | al 0");
    check_call(printf, &["int", "long"], "rdi; rsi; rdx -> rax | al 0");
    check_call(
        printf,
        &["double", "int", "double"],
        "rdi; xmm0; rsi; xmm1 -> rax | al 2",
    );
    check_call("int f(double, ...)", &[], "xmm0 -> rax | al 1");
    check_call(
        "int f(int, ...)",
        &["double _Complex"],
        "rdi; 0-7 xmm0, 8-15 xmm1 -> rax | al 2",
    );
    check_call("int f(int, ...)", &["m128"], "rdi; xmm0 -> rax | al 1");
    check_call(
        "int f(int, ...)",
        &["double"; 10],
        "rdi; xmm0; xmm1; xmm2; xmm3; xmm4; xmm5; xmm6; xmm7; [0]; [8] -> rax | stack 16/16 | al 8",
    );
    // Only a variadic function is told.
    check("int f(double)", "xmm0 -> rax");
}

/// The named ones of 32 bytes travel as ever, as gcc has it; unnamed ones in memory, where va_arg
/// looks for them (3.5.7).
#[test]
fn wide_vectors() {
    check_call("int f(m256, ...)", &["m128"], "xmm0; xmm1 -> rax | al 2");
    check_call(
        "int f(m256, ...)",
        &["m256"],
        "xmm0; [0] -> rax | stack 32/32 | al 1",
    );
    check_call(
        "int f(int, ...)",
        &["double", "m256", "double"],
        "rdi; xmm0; [0]; xmm1 -> rax | stack 32/32 | al 2",
    );
    check_call(
        "int f(int, ...)",
        &["struct { m256 a; }"],
        "rdi; [0] -> rax | stack 32/32 | al 0",
    );
}

#[test]
fn other_values_travel_as_named_ones_do() {
    check_call(
        "int f(int, ...)",
        &[
            "two_longs",
            "mixed",
            "three_longs",
            "long double",
            "empty",
            "_Float16",
            "__int128",
        ],
        "rdi; 0-7 rsi, 8-15 rdx; 0-7 rcx, 8-15 xmm0; [0]; [32]; nothing; xmm1; 0-7 r8, 8-15 r9 \
         -> rax | stack 48/16 | al 2",
    );
    check_call(
        "three_longs f(int, ...)",
        &["int"],
        "rsi; rdx -> memory at rdi, rax | al 0",
    );
}
