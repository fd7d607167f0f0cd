//! Results, and what they leave to the parameters.

use super::{check, signature};
use crate::abi::{ResultPassing, assign};

#[test]
fn results_of_every_class() {
    for (prototype, expected) in [
        ("void f(void)", " -> void"),
        ("empty f(void)", " -> void"),
        ("int f(void)", " -> rax"),
        ("void *f(void)", " -> rax"),
        ("float f(void)", " -> xmm0"),
        ("long double f(void)", " -> 0-9 st0"),
        ("long double _Complex f(void)", " -> 0-9 st0, 16-25 st1"),
        ("double _Complex f(void)", " -> 0-7 xmm0, 8-15 xmm1"),
        ("two_longs f(void)", " -> 0-7 rax, 8-15 rdx"),
        ("two_doubles f(void)", " -> 0-7 xmm0, 8-15 xmm1"),
        ("mixed f(void)", " -> 0-7 rax, 8-15 xmm0"),
        ("m256 f(void)", " -> xmm0"),
        ("three_longs f(void)", " -> memory at rdi, rax"),
    ] {
        check(prototype, expected);
    }
}

#[test]
fn memory_takes_the_first_register() {
    check(
        "three_longs f(int, double)",
        "rsi; xmm0 -> memory at rdi, rax",
    );
    check(
        "struct { long double _Complex a; } f(int)",
        "rsi -> memory at rdi, rax",
    );
    // Registers and the x87 stack do not.
    check("two_longs f(int)", "rdi -> 0-7 rax, 8-15 rdx");
    check("long double f(int)", "rdi -> 0-9 st0");
}

/// The whole value is told apart from its pieces: ten bytes of sixteen come back on the x87 stack.
#[test]
fn sizes_of_results() {
    for (prototype, size, pieces) in [
        ("void f(void)", 0, 0),
        ("char f(void)", 1, 1),
        ("long double f(void)", 16, 1),
        ("long double _Complex f(void)", 32, 2),
        ("three_longs f(void)", 24, 0),
        ("struct { char a[300]; } f(void)", 300, 0),
    ] {
        let assignment = assign(&signature(prototype)).unwrap();
        assert_eq!(assignment.result_size, size, "{prototype}");
        assert_eq!(assignment.result_pieces().len(), pieces, "{prototype}");
        let in_memory = matches!(assignment.result, ResultPassing::Memory { .. });
        assert_eq!(in_memory, size > 16 && pieces == 0, "{prototype}");
    }
}
