//! Structs and unions: the classes of their eightbytes. What is expected is what gcc does.

use super::{check, check_type, shown, signature};
use crate::abi::assign;

const MEMORY: &str = "memory at rdi, rax";

#[test]
fn long_double_in_records() {
    check_type(
        "union { long double a; long b[2]; }",
        "0-7 rdi, 8-15 rsi",
        "0-7 rax, 8-15 rdx",
    );
    check_type("union { long double a; int b; }", "[0]", MEMORY);
    check_type("union { long double a; double b; }", "[0]", MEMORY);
    check_type("union { long double a; float b[4]; }", "[0]", MEMORY);
    check_type("union { long double a; }", "[0]", "0-9 st0");
    check_type("struct { long double a; }", "[0]", "0-9 st0");
    check_type("struct { long double a[1]; }", "[0]", "0-9 st0");
    check_type("struct { struct { long double a; } b; }", "[0]", "0-9 st0");
    check_type("struct { long double a, b; }", "[0]", MEMORY);
    check_type("struct { long double a; char b; }", "[0]", MEMORY);
    check_type("struct { long double _Complex a; }", "[0]", MEMORY);
    check_type("union { long double _Complex a; }", "[0]", MEMORY);
}

#[test]
fn eightbytes_are_classified_one_by_one() {
    check_type(
        "struct { float a, b, c; }",
        "0-7 xmm0, 8-11 xmm1",
        "0-7 xmm0, 8-11 xmm1",
    );
    check_type(
        "struct { int a; float b; double c; }",
        "0-7 rdi, 8-15 xmm0",
        "0-7 rax, 8-15 xmm0",
    );
    check_type(
        "struct { double a; char b; }",
        "0-7 xmm0, 8-15 rdi",
        "0-7 xmm0, 8-15 rax",
    );
    check_type(
        "struct { char a[5]; double b; }",
        "0-7 rdi, 8-15 xmm0",
        "0-7 rax, 8-15 xmm0",
    );
    check_type(
        "struct { float a, b; int c; }",
        "0-7 xmm0, 8-11 rdi",
        "0-7 xmm0, 8-11 rax",
    );
    check_type("struct { char a[3]; }", "rdi", "rax");
    check_type(
        "struct { char a[16]; }",
        "0-7 rdi, 8-15 rsi",
        "0-7 rax, 8-15 rdx",
    );
    check_type(
        "struct { char a[9]; }",
        "0-7 rdi, 8-8 rsi",
        "0-7 rax, 8-8 rdx",
    );
    check_type("struct { char a[17]; }", "[0]", MEMORY);
    check_type("struct { double a, b, c; }", "[0]", MEMORY);
    check_type("struct { _Float16 a, b, c; }", "xmm0", "xmm0");
    check_type("struct { float _Complex a; }", "xmm0", "xmm0");
    check_type(
        "struct { float a; float _Complex b; }",
        "0-7 xmm0, 8-11 xmm1",
        "0-7 xmm0, 8-11 xmm1",
    );
    check_type(
        "struct { __int128 a; }",
        "0-7 rdi, 8-15 rsi",
        "0-7 rax, 8-15 rdx",
    );
    check_type("struct { void *a; }", "rdi", "rax");
}

#[test]
fn unions_merge_their_members() {
    check_type("union { float a; int b; }", "rdi", "rax");
    check_type(
        "union { double a; float b[4]; }",
        "0-7 xmm0, 8-15 xmm1",
        "0-7 xmm0, 8-15 xmm1",
    );
    check_type(
        "union { double a[2]; char b; }",
        "0-7 rdi, 8-15 xmm0",
        "0-7 rax, 8-15 xmm0",
    );
    check_type(
        "union { double a[2]; char b[9]; }",
        "0-7 rdi, 8-15 rsi",
        "0-7 rax, 8-15 rdx",
    );
    // The second eightbyte of a quarter-precision pair and of a vector: SSEUP after INTEGER.
    check_type(
        "union { _Float128 a; long b; }",
        "0-7 rdi, 8-15 xmm0",
        "0-7 rax, 8-15 xmm0",
    );
    check_type(
        "union { m128 a; double b[2]; }",
        "0-7 xmm0, 8-15 xmm1",
        "0-7 xmm0, 8-15 xmm1",
    );
    check_type("union { m128 a; float b; }", "xmm0", "xmm0");
    check_type(
        "union { struct { float a; double b; } s; float c[4]; }",
        "0-7 xmm0, 8-15 xmm1",
        "0-7 xmm0, 8-15 xmm1",
    );
}

/// What an alignment adds at the end has no class and travels nowhere.
#[test]
fn padding_travels_nowhere() {
    check_type(
        "struct { double a; } __attribute__((aligned(16)))",
        "0-7 xmm0",
        "0-7 xmm0",
    );
    check_type(
        "struct { int a; } __attribute__((aligned(16)))",
        "0-7 rdi",
        "0-7 rax",
    );
    check_type("struct { } __attribute__((aligned(16)))", "nothing", "void");
    check_type("struct { empty e; double a; }", "xmm0", "xmm0");
    check_type(
        "struct { long a; } __attribute__((aligned(32)))",
        "[0]",
        MEMORY,
    );
}

#[test]
fn packed_records() {
    check_type(
        "struct __attribute__((packed)) { char a; int b; }",
        "[0]",
        MEMORY,
    );
    check_type(
        "struct __attribute__((packed)) { char a; double b; }",
        "[0]",
        MEMORY,
    );
    // Its members are where they would be without.
    check_type(
        "struct __attribute__((packed)) { int a; char b; }",
        "rdi",
        "rax",
    );
    check_type(
        "struct __attribute__((packed)) { double a; int b; }",
        "0-7 xmm0, 8-11 rdi",
        "0-7 xmm0, 8-11 rax",
    );
    check_type(
        "struct { struct __attribute__((packed)) { char a; short b; } c; }",
        "[0]",
        MEMORY,
    );
    check_type(
        "union __attribute__((packed)) { char a[3]; int b; }",
        "rdi",
        "rax",
    );
}

/// A bit-field that fills an integer of its width is a plain member where it is aligned in its own record (gcc
/// 12), so that where that record is not aligned in another one the whole is MEMORY. Others need no alignment.
#[test]
fn bit_fields_that_fill_an_integer() {
    for (before, record, in_memory) in [
        ("char c;", "struct { int b : 16; }", true),
        ("char c;", "struct { int b : 15; }", false),
        ("short s;", "struct { int b : 16; }", false),
        ("short s;", "struct { int b : 32; }", true),
        ("char c;", "struct { int b : 8; }", false),
        ("char c;", "struct { int a : 16; int b : 16; }", true),
        ("char c;", "struct { int a : 8; int b : 16; }", false),
        ("char c;", "struct { int : 16; }", true),
        ("long l; char c;", "struct { long b : 32; }", true),
        (
            "char c;",
            "struct __attribute__((packed)) { int b : 16; }",
            false,
        ),
        (
            "char c;",
            "struct { int b : 16 __attribute__((packed)); }",
            false,
        ),
        (
            "unsigned long long a; int b : 2;",
            "struct { int b : 16; }",
            true,
        ),
    ] {
        let ty = format!("struct __attribute__((packed)) {{ {before} {record} m; }}");
        let assignment = assign(&signature(&format!("void f({ty} x)"))).unwrap();
        assert_eq!(shown(&assignment).starts_with("[0]"), in_memory, "{ty}");
    }
}

/// What is only padding has its place in registers; where none is left, nothing is passed (gcc 12 and 14; clang 19
/// agrees where it is at most 16 bytes).
#[test]
fn only_padding_on_the_stack() {
    for (ty, passed) in [
        ("struct { int : 28; }", false),
        ("struct { struct { } e; int : 28; }", false),
        ("struct { struct { int : 28; } b[2]; }", false),
        ("struct { int : 5; int z[0]; }", false),
        ("struct { struct { } e; int : 5; struct { } f[]; }", false),
        (
            "struct { long : 40; long : 40; long : 40; long : 40; }",
            false,
        ),
        ("union { int : 5; struct { int : 3; } x; }", false),
        ("union { int : 5; char a; }", true),
        ("struct { int : 5; int b : 1; }", true),
        ("struct { struct { } e; int : 5; int f[]; }", true),
    ] {
        let all = format!("long f(long, long, long, long, long, long, long, {ty}, long)");
        let expected = match passed {
            true => "rdi; rsi; rdx; rcx; r8; r9; [0]; [8]; [16] -> rax | stack 24/16",
            false => "rdi; rsi; rdx; rcx; r8; r9; [0]; nothing; [8] -> rax | stack 16/16",
        };
        check(&all, expected);
    }
    check(
        "struct { long : 40; long : 40; long : 40; } f(long)",
        "rdi -> void",
    );
    check(
        "long f(long, long, long, long, long, struct { int : 28; }, long)",
        "rdi; rsi; rdx; rcx; r8; r9; [0] -> rax | stack 8/16",
    );
}

/// Bit-fields are INTEGER wherever their bits are and need no alignment. gcc counts unnamed ones,
/// those of no width not.
#[test]
fn bit_fields() {
    check_type("struct { int a : 3; }", "rdi", "rax");
    check_type(
        "struct { long a : 40; long b : 40; }",
        "0-7 rdi, 8-15 rsi",
        "0-7 rax, 8-15 rdx",
    );
    check_type(
        "struct { int a : 3; float b; double c; }",
        "0-7 rdi, 8-15 xmm0",
        "0-7 rax, 8-15 xmm0",
    );
    check_type("struct { float a; int : 5; }", "rdi", "rax");
    check_type("struct { float a; int : 0; }", "xmm0", "xmm0");
    check_type("struct { double a; int : 5; double b; }", "[0]", MEMORY);
    check_type(
        "struct { float a, b; int : 5; float c; }",
        "0-7 xmm0, 8-15 rdi",
        "0-7 xmm0, 8-15 rax",
    );
    check_type(
        "struct __attribute__((packed)) { char a; int b : 30; }",
        "rdi",
        "rax",
    );
    check_type(
        "struct __attribute__((packed)) { float a; long b : 40; }",
        "0-7 rdi, 8-8 rsi",
        "0-7 rax, 8-8 rdx",
    );
}

/// In a union gcc gives a bit-field the smallest integer type that holds it, and that type's
/// alignment.
#[test]
fn bit_fields_in_unions() {
    check_type("union { int a : 3; float b; }", "rdi", "rax");
    check_type(
        "union { int a : 17; char b[9]; }",
        "0-7 rdi, 8-11 rsi",
        "0-7 rax, 8-11 rdx",
    );
    check_type(
        "struct __attribute__((packed)) { char a; union { int b : 7; } c; }",
        "rdi",
        "rax",
    );
    check_type(
        "struct __attribute__((packed)) { char a; union { int b : 9; } c; }",
        "[0]",
        MEMORY,
    );
    check_type(
        "struct __attribute__((packed)) { short a; union { int b : 9; } c; }",
        "rdi",
        "rax",
    );
}

/// gcc counts one of no width in a union, as if it were a char, and not in a struct. clang leaves it
/// out everywhere.
#[test]
fn bit_fields_without_width() {
    check_type("union { float a; int : 0; }", "rdi", "rax");
    check_type(
        "union { double a[2]; long : 0; }",
        "0-7 rdi, 8-15 xmm0",
        "0-7 rax, 8-15 xmm0",
    );
    check_type(
        "struct { int a; union { float b; long : 0; } c; }",
        "rdi",
        "rax",
    );
    check_type("struct { float a; int : 0; }", "xmm0", "xmm0");
    check_type("union { struct { float a; int : 0; } b; }", "xmm0", "xmm0");
    check_type("union { int : 0; }", "nothing", "void");
}

/// gcc looks at an array's first element only, so that later ones may be unaligned in registers. clang
/// looks at each, and passes this in memory.
#[test]
fn arrays_repeat_their_first_element() {
    check_type(
        "struct { struct { float f; char c; } __attribute__((packed)) p[2]; }",
        "0-7 rdi, 8-9 rsi",
        "0-7 rax, 8-9 rdx",
    );
}

/// A part that is memory by itself stays so, whatever else the whole has at its place: members are
/// not thrown together first.
#[test]
fn parts_are_classified_by_themselves() {
    let x87_and_float = "union { long double a; float b; }";
    check_type(
        &format!("union {{ unsigned a; {x87_and_float} b; }}"),
        "[0]",
        MEMORY,
    );
    let x87_and_bits = "union { long double a; long long b : 48; int c; }";
    check_type(
        &format!("union {{ {x87_and_bits} a; unsigned __int128 b; }}"),
        "[0]",
        MEMORY,
    );
    // Without the part between them they merge to integers.
    check_type(
        "union { unsigned __int128 a; long double b; }",
        "0-7 rdi, 8-15 rsi",
        "0-7 rax, 8-15 rdx",
    );
    // The same, where the unaligned part is a union of bit-fields.
    check_type(
        "struct __attribute__((packed)) { long a; unsigned char b : 3; \
         union { unsigned short c : 11; unsigned d : 3; } e; }",
        "[0]",
        MEMORY,
    );
}

#[test]
fn vectors_in_records() {
    check_type("struct { m64 a; }", "xmm0", "xmm0");
    check_type(
        "struct { m64 a, b; }",
        "0-7 xmm0, 8-15 xmm1",
        "0-7 xmm0, 8-15 xmm1",
    );
    check_type("struct { m128 a; }", "xmm0", "xmm0");
    check_type("struct { m256 a; }", "xmm0", "xmm0");
    check_type("struct { m128 a, b; }", "[0]", MEMORY);
    check_type("struct { m128 a; int b; }", "[0]", MEMORY);
    check_type("struct { _Float128 a; }", "xmm0", "xmm0");
    check_type("union { m256 a; m128 b; }", "xmm0", "xmm0");
    check_type("struct { v4 a; float b; }", "rdi", "rax");
    check_type("struct { v1float a; }", "[0]", MEMORY);
}

/// However many elements there are, only 64 bytes are looked at, and elements without bytes are no
/// work at all.
#[test]
fn huge_arrays_cost_nothing() {
    let huge = "struct { int none[1][0]; struct { } no[1000000000][1000000000]; int a; }";
    check_type(huge, "rdi", "rax");
    let assignment =
        super::assign(&super::signature("void f(struct { char a[1000000]; })")).unwrap();
    assert_eq!(assignment.stack_size, 1_000_000);
}
