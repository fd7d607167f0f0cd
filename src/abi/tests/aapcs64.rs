//! AAPCS64, and what is different on Apple's systems.

use super::{call_on, check_call_on, check_on};
use crate::abi::assign;
use crate::types::target::{APPLE_AARCH64, LINUX_AARCH64};

fn check(prototype: &str, expected: &str) {
    check_on(&LINUX_AARCH64, prototype, expected);
}

fn check_apple(prototype: &str, expected: &str) {
    check_on(&APPLE_AARCH64, prototype, expected);
}

/// Where a value of this type goes as the first parameter, and as the result.
fn check_type(name: &str, expected: &str) {
    check(&format!("void f({name} x)"), &format!("{expected} -> void"));
    let result = match expected {
        "nothing" => "void",
        _ if expected.starts_with('&') => "memory at x8, nowhere",
        _ => expected,
    };
    check(&format!("{name} f(void)"), &format!(" -> {result}"));
}

#[test]
fn scalars() {
    for name in [
        "_Bool",
        "char",
        "short",
        "int",
        "long",
        "void *",
        "enum { A }",
    ] {
        check_type(name, "x0");
    }
    check_type("_Float16", "h0");
    check_type("float", "s0");
    check_type("double", "d0");
    check_type("long double", "q0");
    check_type("_Float128", "q0");
    check_type("__int128", "0-7 x0, 8-15 x1");
    check_type("float _Complex", "0-3 s0, 4-7 s1");
    check_type("double _Complex", "0-7 d0, 8-15 d1");
    check_type("long double _Complex", "0-15 q0, 16-31 q1");
    check_type("m64", "d0");
    check_type("m128", "q0");
    check_type("m256", "&16 x0");
    check_type("v4", "x0");
}

#[test]
fn homogeneous_aggregates() {
    check_type("struct { float x; }", "s0");
    check_type("struct { float x, y, z; }", "0-3 s0, 4-7 s1, 8-11 s2");
    check_type(
        "struct { double d[4]; }",
        "0-7 d0, 8-15 d1, 16-23 d2, 24-31 d3",
    );
    check_type("struct { _Float16 h[3]; }", "0-1 h0, 2-3 h1, 4-5 h2");
    check_type(
        "struct { long double l[4]; }",
        "0-15 q0, 16-31 q1, 32-47 q2, 48-63 q3",
    );
    check_type(
        "struct { long double l; _Float128 f; }",
        "0-15 q0, 16-31 q1",
    );
    check_type(
        "struct { m128 a; struct { int : 0; } e; m128 b; }",
        "0-15 q0, 16-31 q1",
    );
    check_type(
        "struct { struct { float a[2]; } b; float c; }",
        "0-3 s0, 4-7 s1, 8-11 s2",
    );
    check_type("union { float a; float b[3]; }", "0-3 s0, 4-7 s1, 8-11 s2");
    check_type(
        "struct { float _Complex c; float f; }",
        "0-3 s0, 4-7 s1, 8-11 s2",
    );
    check_type("struct { empty e; float f, g; }", "0-3 s0, 4-7 s1");
    check_type("struct { m64 a; v8 b; }", "0-7 d0, 8-15 d1");
}

#[test]
fn what_only_looks_homogeneous() {
    // Five; two formats; padding; a bit-field; an integer.
    check_type("struct { float f[5]; }", "&16 x0");
    check_type("struct { float f; double d; }", "0-7 x0, 8-15 x1");
    check_type("struct { m64 a; double b; }", "0-7 x0, 8-15 x1");
    check_type("struct { float f; } __attribute__((aligned(8)))", "x0");
    check_type("struct { float f; int b : 3; }", "x0");
    check_type("union { float f; int i; }", "x0");
    check_type("struct { v4 a; }", "x0");
}

#[test]
fn composites() {
    check_type("struct { char c[3]; }", "x0");
    check_type("two_longs", "0-7 x0, 8-15 x1");
    check_type("mixed", "0-7 x0, 8-15 x1");
    check_type("struct { char c[11]; }", "0-7 x0, 8-10 x1");
    check_type("three_longs", "&16 x0");
    check_type("wide", "&32 x0");
    check_type("empty", "nothing");
    check("empty f(empty, int)", "nothing; x0 -> void");
}

/// An alignment of 16 that comes from a member begins an even pair; the type's own does not count.
#[test]
fn even_pairs() {
    check("void f(int, __int128)", "x0; 0-7 x2, 8-15 x3 -> void");
    check(
        "void f(int, struct { __int128 a; }, int)",
        "x0; 0-7 x2, 8-15 x3; x4 -> void",
    );
    check(
        "void f(int, struct { _Alignas(16) long a; })",
        "x0; 0-7 x2, 8-15 x3 -> void",
    );
    check(
        "void f(int, struct { long a; } __attribute__((aligned(16))))",
        "x0; 0-7 x1, 8-15 x2 -> void",
    );
    check_apple("void f(int, __int128)", "x0; 0-7 x1, 8-15 x2 -> void");
}

/// What does not fit ends the registers of its kind.
#[test]
fn registers_run_out() {
    check(
        "void f(long, long, long, long, long, long, long, two_longs, long)",
        "x0; x1; x2; x3; x4; x5; x6; [0]; [16] -> void | stack 24/16",
    );
    check(
        "void f(long, long, long, long, long, long, long, __int128, char)",
        "x0; x1; x2; x3; x4; x5; x6; [0]; [16] -> void | stack 24/16",
    );
    check(
        "void f(double, double, double, double, double, double, struct { float a, b, c; }, float, \
         long double)",
        "d0; d1; d2; d3; d4; d5; [0]; [16]; [32] -> void | stack 48/16",
    );
    check(
        "void f(long, long, long, long, long, long, long, three_longs, three_longs, m128, int)",
        "x0; x1; x2; x3; x4; x5; x6; &16 x7; &16 [0]; q0; [8] -> void | stack 16/16",
    );
    check_apple(
        "void f(long, long, long, long, long, long, long, __int128, long)",
        "x0; x1; x2; x3; x4; x5; x6; [0]; [16] -> void | stack 24/16",
    );
}

#[test]
fn apples_stack_is_packed() {
    let eight = "long, long, long, long, long, long, long, long";
    let registers = "x0; x1; x2; x3; x4; x5; x6; x7";
    check_apple(
        &format!("void f({eight}, char, char, short, int, char)"),
        &format!("{registers}; [0]; [1]; [2]; [4]; [8] -> void | stack 16/16"),
    );
    check_apple(
        &format!("void f({eight}, struct {{ char c; }}, char)"),
        &format!("{registers}; [0]; [8] -> void | stack 16/16"),
    );
    let doubles = "double, double, double, double, double, double, double, double";
    check_apple(
        &format!("void f({doubles}, struct {{ float f; }}, float, double)"),
        "d0; d1; d2; d3; d4; d5; d6; d7; [0]; [4]; [8] -> void | stack 16/16",
    );
    check(
        &format!("void f({eight}, char, char, short)"),
        &format!("{registers}; [0]; [8]; [16] -> void | stack 24/16"),
    );
}

/// gcc counts one of no width in a union, and not in a struct. clang leaves it out everywhere.
#[test]
fn bit_fields_without_width() {
    check_type("struct { float a; int : 0; float b; }", "0-3 s0, 4-7 s1");
    check_type("union { float a; int : 0; }", "x0");
    check_type("struct { union { float a; int : 0; } u; float b; }", "x0");
    check_apple("void f(union { float a; int : 0; })", "s0 -> void");
    // Arrays of no elements, and of any number: no aggregate with one is homogeneous.
    for members in [
        "double a; double v[];",
        "double a; double v[0];",
        "double a; float v[0];",
        "struct { double a; } b; double v[0][2];",
    ] {
        check_type(&format!("struct {{ {members} }}"), "x0");
        check_apple(&format!("void f(struct {{ {members} }})"), "x0 -> void");
    }
    check_type("struct { float a[2]; float v[0]; }", "x0");
    check_type("struct { float _Complex a; float v[]; }", "x0");
    check_type("struct { m128 a; m128 v[]; }", "0-7 x0, 8-15 x1");
    check_type("union { float a; float v[0]; }", "x0");
    // In records without bytes they are clang's to pass over, which is Apple's compiler.
    for members in [
        "double a; struct { double v[0]; } b[2];",
        "struct { double v[0]; } b; double a;",
    ] {
        check_type(&format!("struct {{ {members} }}"), "x0");
        check_apple(&format!("void f(struct {{ {members} }})"), "d0 -> void");
    }
    check_type("struct { double a; struct { } b; }", "d0");
    check_apple("void f(struct { double a; struct { } b; })", "d0 -> void");
}

/// Attributes of Apple's composites count on the stack, but not those of homogeneous ones, which lie as
/// their elements do. The slots of Linux have it the other way round.
/// What is only padding is a value for gcc, and for clang on Apple's systems nothing at all.
#[test]
fn only_padding() {
    for ty in [
        "struct { int : 20; }",
        "union { int : 20; }",
        "struct { struct { int : 20; } e[3]; }",
        "struct { int : 20; int a[0]; }",
        "struct { long : 40; long : 40; long : 40; }",
        "struct { int : 20; } __attribute__((aligned(16)))",
    ] {
        check_apple(
            &format!("void f({ty}, int, {ty})"),
            "nothing; x0; nothing -> void",
        );
        check_apple(&format!("{ty} f(int)"), "x0 -> void");
    }
    let target = &LINUX_AARCH64;
    check_on(
        target,
        "void f(struct { int : 20; }, int)",
        "x0; x1 -> void",
    );
    for member in [
        "union { long : 4; } e;",
        "struct { int : 4; } e[2];",
        "struct { int : 4; int a[0]; } e;",
    ] {
        let ty = format!("union {{ float f; {member} }}");
        check_apple(&format!("void f({ty}, float)"), "s0; s1 -> void");
        check_on(target, &format!("void f({ty}, float)"), "x0; s0 -> void");
    }
    check_apple(
        "void f(union { float f; int : 20; }, struct { float f; struct { int : 20; } e; })",
        "x0; x1 -> void",
    );
    check_apple(
        "void f(union { float f; struct { int : 4; } e[0]; })",
        "x0 -> void",
    );
}

#[test]
fn attributes_on_apples_stack() {
    let eight = "long, long, long, long, long, long, long, long";
    let registers = "x0; x1; x2; x3; x4; x5; x6; x7";
    let aligned = "struct __attribute__((aligned(16))) { short s; }";
    check_apple(
        &format!("void f({eight}, char, {aligned}, char)"),
        &format!("{registers}; [0]; [16]; [32] -> void | stack 40/16"),
    );
    check(
        &format!("void f({eight}, char, {aligned}, char)"),
        &format!("{registers}; [0]; [8]; [24] -> void | stack 32/16"),
    );
    let doubles = "double, double, double, double, double, double, double, double";
    let registers = "d0; d1; d2; d3; d4; d5; d6; d7";
    for attribute in ["packed", "aligned(16)"] {
        check_apple(
            &format!(
                "void f({doubles}, _Float16, struct __attribute__(({attribute})) {{ float a[4]; }}, float)"
            ),
            &format!("{registers}; [0]; [4]; [20] -> void | stack 24/16"),
        );
    }
}

#[test]
fn variadic_calls() {
    let printf = "int printf(const char *, ...)";
    check_call_on(
        &LINUX_AARCH64,
        printf,
        &["int", "double", "long double", "two_longs"],
        "x0; x1; d0; q1; 0-7 x2, 8-15 x3 -> x0",
    );
    check_call_on(
        &APPLE_AARCH64,
        printf,
        &["int", "double", "__int128", "two_doubles", "three_longs"],
        "x0; [0]; [8]; [16]; [32]; &16 [48] -> x0 | stack 56/16",
    );
}

/// What Apple's va_arg looks for: whole alignments, and a double for a `_Float16`.
#[test]
fn apples_va_arg() {
    let f = "void f(int, ...)";
    let aligned = "struct __attribute__((aligned(32))) { double a[4]; }";
    check_call_on(
        &APPLE_AARCH64,
        f,
        &["int", aligned, "int"],
        "x0; [0]; [32]; [64] -> void | stack 72/32",
    );
    let error = assign(&call_on(&APPLE_AARCH64, f, &["int", "_Float16"])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "f: parameter 3: _Float16 among the variadic arguments travels as a double on Apple's systems: pass a double"
    );
    check_call_on(&LINUX_AARCH64, f, &["_Float16"], "x0; h0 -> void");
}
