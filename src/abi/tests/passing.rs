//! Parameters: which registers, in which order, and what happens when they run out.

use super::{check, check_type, signature};
use crate::abi::{Extension, assign};

const MEMORY: &str = "memory at rdi, rax";

/// The example of the psABI, section 3.2.3 (figures 3.5 and 3.6), without its 512-bit vector.
#[test]
fn the_example_of_the_psabi() {
    check(
        "void func(int e, int f, structparm s, int g, int h, long double ld, double m, m256 y,
                   double n, int i, int j, int k)",
        "rdi; rsi; 0-7 rdx, 8-15 xmm0; rcx; r8; [0]; xmm1; xmm2; xmm3; r9; [16]; [24] -> void \
         | stack 32/16",
    );
}

#[test]
fn scalars() {
    for name in [
        "_Bool",
        "char",
        "short",
        "int",
        "unsigned",
        "long",
        "long long",
        "void *",
        "enum { A }",
    ] {
        check_type(name, "rdi", "rax");
    }
    for name in ["_Float16", "float", "double", "_Float128", "float _Complex"] {
        check_type(name, "xmm0", "xmm0");
    }
    for name in ["__int128", "unsigned __int128"] {
        check_type(name, "0-7 rdi, 8-15 rsi", "0-7 rax, 8-15 rdx");
    }
    check_type(
        "double _Complex",
        "0-7 xmm0, 8-15 xmm1",
        "0-7 xmm0, 8-15 xmm1",
    );
    check_type("long double", "[0]", "0-9 st0");
    check_type("long double _Complex", "[0]", "0-9 st0, 16-25 st1");
}

/// Small vectors of integers travel as integers do; those of one floating lane, which gcc has no
/// machine mode for, in memory.
#[test]
fn vectors() {
    check_type("v2", "rdi", "rax");
    check_type("v4", "rdi", "rax");
    check_type("v8", "xmm0", "xmm0");
    check_type("v1long", "xmm0", "xmm0");
    check_type("m64", "xmm0", "xmm0");
    check_type("m128", "xmm0", "xmm0");
    check_type("m256", "xmm0", "xmm0");
    check_type("v1float", "[0]", MEMORY);
    check_type("v1double", "[0]", MEMORY);
}

#[test]
fn the_last_register_of_each_kind() {
    check(
        "void f(long, long, long, long, long, long, long, int, char)",
        "rdi; rsi; rdx; rcx; r8; r9; [0]; [8]; [16] -> void | stack 24/16",
    );
    check(
        "void f(float, double, float, double, float, double, float, double, float, double)",
        "xmm0; xmm1; xmm2; xmm3; xmm4; xmm5; xmm6; xmm7; [0]; [8] -> void | stack 16/16",
    );
    // A result in memory takes the first.
    check(
        "three_longs f(long, long, long, long, long, long)",
        "rsi; rdx; rcx; r8; r9; [0] -> memory at rdi, rax | stack 8/16",
    );
}

/// A value never travels half in registers, and the registers that were not enough for it are left
/// to later ones.
#[test]
fn registers_are_given_back() {
    check(
        "void f(long, long, long, long, long, two_longs, long, long)",
        "rdi; rsi; rdx; rcx; r8; [0]; r9; [16] -> void | stack 24/16",
    );
    check(
        "void f(double, double, double, double, double, double, double, two_doubles, double)",
        "xmm0; xmm1; xmm2; xmm3; xmm4; xmm5; xmm6; [0]; xmm7 -> void | stack 16/16",
    );
    // No general register is left, so the vector register that it would have is free as well.
    check(
        "void f(long, long, long, long, long, long, mixed, double, mixed)",
        "rdi; rsi; rdx; rcx; r8; r9; [0]; xmm0; [16] -> void | stack 32/16",
    );
    check(
        "void f(long, long, long, long, long, __int128, int)",
        "rdi; rsi; rdx; rcx; r8; [0]; r9 -> void | stack 16/16",
    );
    check(
        "void f(double, double, double, double, double, double, double, double _Complex, float)",
        "xmm0; xmm1; xmm2; xmm3; xmm4; xmm5; xmm6; [0]; xmm7 -> void | stack 16/16",
    );
}

/// Unlike other 16-byte values, an __int128 needs no even register; on the stack it is aligned.
#[test]
fn int128_alignment() {
    check(
        "void f(long, __int128, __int128, long, __int128)",
        "rdi; 0-7 rsi, 8-15 rdx; 0-7 rcx, 8-15 r8; r9; [0] -> void | stack 16/16",
    );
    check(
        "void f(long, long, long, long, long, long, long, __int128, long)",
        "rdi; rsi; rdx; rcx; r8; r9; [0]; [16]; [32] -> void | stack 40/16",
    );
}

#[test]
fn the_stack_is_aligned_as_its_values_are() {
    check("void f(long double, int)", "[0]; rdi -> void | stack 16/16");
    check(
        "void f(three_longs, long double, three_longs, wide)",
        "[0]; [32]; [48]; [96] -> void | stack 128/32",
    );
    check("void f(wide)", "[0] -> void | stack 32/32");
    // What a typedef says of its alignment does not travel.
    check(
        "void f(long, long, long, long, long, long, long, int __attribute__((aligned(32))))",
        "rdi; rsi; rdx; rcx; r8; r9; [0]; [8] -> void | stack 16/16",
    );
    // A member's alignment does.
    check(
        "void f(int, struct { char c __attribute__((aligned(64))); })",
        "rdi; [0] -> void | stack 64/64",
    );
}

/// Vectors of 32 bytes take one register, and lie on the stack at multiples of 32.
#[test]
fn many_wide_vectors() {
    check(
        "void f(m256, m256, m256, m256, m256, m256, m256, m256, double, m256, int)",
        "xmm0; xmm1; xmm2; xmm3; xmm4; xmm5; xmm6; xmm7; [0]; [32]; rdi -> void | stack 64/32",
    );
    check(
        "void f(m128, m128, m128, m128, m128, m128, m128, m128, double, m128)",
        "xmm0; xmm1; xmm2; xmm3; xmm4; xmm5; xmm6; xmm7; [0]; [16] -> void | stack 32/16",
    );
}

#[test]
fn empty_structs_consume_nothing() {
    check("empty f(int, empty, int)", "rdi; nothing; rsi -> void");
    check(
        "void f(struct { int none[0]; }, long)",
        "nothing; rdi -> void",
    );
    check(
        "void f(struct { empty e[3]; }, long)",
        "nothing; rdi -> void",
    );
}

/// clang relies on its callers to extend narrow integers to 32 bits. Further up a parameter has no
/// meaning; a result is extended to a whole slot.
#[test]
fn narrow_integers_are_extended() {
    use Extension::{None, Sign, Zero};
    for (name, parameter, result) in [
        ("_Bool", Zero, Zero),
        ("char", Sign, Sign),
        ("signed char", Sign, Sign),
        ("unsigned char", Zero, Zero),
        ("short", Sign, Sign),
        ("unsigned short", Zero, Zero),
        ("int", None, Sign),
        ("unsigned", None, Zero),
        ("long", None, None),
        ("unsigned long", None, None),
        ("__int128", None, None),
        ("void *", None, None),
        ("float", None, None),
        ("_Float16", None, None),
        ("enum { A }", None, Zero),
        ("enum { A = -1 }", None, Sign),
        ("enum __attribute__((packed)) { A = -1 }", Sign, Sign),
        ("struct { char c; }", None, None),
        ("v2", None, None),
    ] {
        let assignment = assign(&signature(&format!("{name} f({name})"))).unwrap();
        assert_eq!(assignment.parameters()[0].extension, parameter, "{name}");
        assert_eq!(assignment.result_extension, result, "{name}");
    }
}

#[test]
fn two_hundred_parameters() {
    let list = ["long"; 200].join(", ");
    let assignment = assign(&signature(&format!("void f({list})"))).unwrap();
    assert_eq!(
        (assignment.parameters().len(), assignment.stack_size),
        (200, 194 * 8)
    );
    let last = assignment.parameters().last().unwrap();
    assert_eq!(
        super::pieces(assignment.convention, assignment.pieces(last), 8),
        "[1544]"
    );

    let list = ["double, char"; 100].join(", ");
    let assignment = assign(&signature(&format!("void f({list})"))).unwrap();
    assert_eq!(assignment.stack_size, (92 + 94) * 8);
    let places: Vec<_> = assignment
        .parameters()
        .iter()
        .flat_map(|parameter| assignment.pieces(parameter))
        .map(|piece| piece.place)
        .collect();
    let distinct: std::collections::HashSet<_> = places.iter().collect();
    assert_eq!((places.len(), distinct.len()), (200, 200));
}

/// Equal assignments share their stubs, so what does not matter to a call must not be in them.
#[test]
fn assignments_that_are_equal() {
    let assigned = |prototype| assign(&signature(prototype)).unwrap();
    assert_eq!(
        assigned("int f(int a, void *b)"),
        assigned("int g(int x, char **y)")
    );
    assert_eq!(
        assigned("long f(two_longs)"),
        assigned("long f(struct { void *p[2]; })")
    );
    assert_ne!(assigned("int f(int)"), assigned("unsigned f(int)"));
    assert_ne!(assigned("int f(char)"), assigned("int f(unsigned char)"));
}
