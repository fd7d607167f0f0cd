//! Microsoft's convention.

use super::{check, check_call_on};
use crate::types::target::WINDOWS_X86_64;

fn check_ms(prototype: &str, expected: &str) {
    check(&format!("__attribute__((ms_abi)) {prototype}"), expected);
}

const MEMORY: &str = "memory at rcx, rax | stack 32/16";

fn check_result(name: &str, expected: &str) {
    check_ms(&format!("{name} f(void)"), &format!(" -> {expected}"));
}

fn check_parameter(name: &str, expected: &str) {
    check_ms(
        &format!("void f({name} x)"),
        &format!("{expected} -> void | stack 32/16"),
    );
}

#[test]
fn registers_go_by_position() {
    check_ms(
        "int f(int, double, long, float, int, double)",
        "rcx; xmm1; r8; xmm3; [32]; [40] -> rax | stack 48/16",
    );
    check_ms("void f(void)", " -> void | stack 32/16");
    // The result's address takes the first.
    check_ms(
        "three_longs f(double, int, float, char)",
        "xmm1; r8; xmm3; [32] -> memory at rcx, rax | stack 40/16",
    );
}

/// What has 1, 2, 4 or 8 bytes travels as an integer; all else by the address of a copy.
#[test]
fn sizes_decide() {
    for size in [1, 2, 4, 8] {
        let name = format!("struct {{ char c[{size}]; }}");
        check_parameter(&name, "rcx");
        check_result(&name, "rax | stack 32/16");
    }
    for size in [3, 5, 6, 7, 9, 16, 17, 4096] {
        let name = format!("struct {{ char c[{size}]; }}");
        check_parameter(&name, "&16 rcx");
        check_result(&name, MEMORY);
    }
    for name in [
        "struct { float x; }",
        "struct { double x; }",
        "float _Complex",
    ] {
        check_parameter(name, "rcx");
        check_result(name, "rax | stack 32/16");
    }
    for name in ["double _Complex", "long double", "long double _Complex"] {
        check_parameter(name, "&16 rcx");
        check_result(name, MEMORY);
    }
    check_parameter("wide", "&32 rcx");
    check_ms(
        "int f(empty, int, empty)",
        "nothing; rdx; nothing -> rax | stack 32/16",
    );
    check_parameter("_Float16", "0-1 xmm0, 0-1 rcx");
    check_result("_Float16", "rax | stack 32/16");
    check_parameter("v1float", "&16 rcx");
    check_result("v1float", "rax | stack 32/16");
    check_parameter("v1double", "&16 rcx");
    check_parameter("v1long", "rcx");
}

#[test]
fn wide_values() {
    for name in ["__int128", "m128"] {
        check_parameter(name, "&16 rcx");
        check_result(name, "xmm0 | stack 32/16");
    }
    check_parameter("m256", "&32 rcx");
    check_result("m256", MEMORY);
    check_parameter("m64", "rcx");
    check_ms(
        "int f(int, int, int, int, three_longs, __int128)",
        "rcx; rdx; r8; r9; &16 [32]; &16 [40] -> rax | stack 48/16",
    );
}

/// What is only padding has a position among the first four arguments, and none behind them; by reference
/// it has one everywhere (gcc 12).
#[test]
fn only_padding() {
    check_ms(
        "int f(struct { int : 28; }, int, int, int, struct { int : 28; }, int, struct { long : 40; int : 3; char c; })",
        "rcx; rdx; r8; r9; nothing; [32]; &16 [40] -> rax | stack 48/16",
    );
    check_ms(
        "int f(int, int, int, int, struct { int : 5; int z[0]; }, struct { long : 64; long : 64; }, int)",
        "rcx; rdx; r8; r9; nothing; &16 [32]; [40] -> rax | stack 48/16",
    );
    check_ms("struct { long : 40; } f(int)", "rcx -> void | stack 32/16");
}

/// An unnamed floating number is in both kinds of register.
#[test]
fn variadic_calls() {
    let target = &WINDOWS_X86_64;
    check_call_on(
        target,
        "int printf(const char *, ...)",
        &["double", "int", "double", "double"],
        "rcx; 0-7 xmm1, 0-7 rdx; r8; 0-7 xmm3, 0-7 r9; [32] -> rax | stack 40/16",
    );
    check_call_on(
        target,
        "int f(double, ...)",
        &["long long", "three_longs"],
        "xmm0; rdx; &16 r8 -> rax | stack 32/16",
    );
    check_call_on(
        target,
        "int f(double __attribute__((vector_size(8))), ...)",
        &["double __attribute__((vector_size(8)))"],
        "&16 rcx; rdx -> rax | stack 32/16",
    );
}
