//! `farcall explain`. What the text says is tested where it is made; here, that it is the right one.

use crate::run::{fails, farcall_reading, header, prints};

#[test]
fn a_prototype() {
    let text = prints(&["explain", "double f(struct { float x, y, z; }, int)"]);
    for part in ["xmm0", "xmm1", "rdi", "stub"] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_declared_function() {
    let by_name = prints(&["explain", "--decls", header(), "length"]);
    let by_type = prints(&[
        "explain",
        "--decls",
        header(),
        "double length(struct point)",
    ]);
    assert_eq!(by_name, by_type);
    assert!(by_name.contains("xmm1"), "{by_name}");
}

#[test]
fn a_variadic_function() {
    let text = prints(&["explain", "int printf(const char *, ...)"]);
    assert!(text.contains("al"), "{text}");
}

#[test]
fn the_convention_is_this_machines_own() {
    let prototype = "long f(long, double)";
    assert_eq!(
        prints(&["explain", prototype]),
        prints(&["explain", "--abi", "sysv64", prototype])
    );
}

/// Each convention is that of its own system, whose data model it has.
#[test]
fn conventions() {
    for (abi, parts) in [
        ("sysv64", ["x86_64-linux", "long 8 bytes", "xmm0", "stub"]),
        (
            "win64",
            ["x86_64-windows-gnu", "long 4 bytes", "xmm1", "stub"],
        ),
        (
            "aapcs64",
            ["aarch64-linux", "char is unsigned", "d0", "stub"],
        ),
        (
            "apple64",
            ["arm64-apple", "long double 8 bytes", "d0", "none here"],
        ),
    ] {
        let text = prints(&["explain", "--abi", abi, "long f(long, double)"]);
        assert!(text.contains(&format!("\n{abi}: ")), "{text}");
        for part in parts {
            assert!(text.contains(part), "{abi}: {part} is not in {text}");
        }
    }
}

/// An architecture alone means Linux; one that fits a convention says nothing new.
#[test]
fn architectures() {
    let explained =
        |words: &[&str]| prints(&[&["explain"], words, &["long double f(char, wchar_t)"]].concat());
    for (arch, own, other) in [
        ("x86_64", "sysv64", "win64"),
        ("aarch64", "aapcs64", "apple64"),
    ] {
        let text = explained(&["--arch", arch]);
        assert_eq!(text, explained(&["--abi", own]));
        assert_eq!(text, explained(&["--abi", own, "--arch", arch]));
        assert_eq!(
            explained(&["--arch", arch, "--abi", other]),
            explained(&["--abi", other])
        );
    }
}

#[test]
fn extra_arguments() {
    let text = prints(&[
        "explain",
        "--abi=win64",
        "int printf(const char *, ...)",
        "double",
    ]);
    assert!(text.contains("extra argument 2  0-7    xmm1"), "{text}");
    assert!(text.contains("                  0-7    rdx"), "{text}");
    // Without types, examples are shown.
    let text = prints(&["explain", "--abi=apple64", "int printf(const char *, ...)"]);
    assert!(
        text.contains("..., a double    0-7    stack bytes 8-15"),
        "{text}"
    );
    let declared = prints(&[
        "explain",
        "--decls",
        header(),
        "void f(int, ...)",
        "struct point",
    ]);
    assert!(
        declared.contains("extra argument 2  struct point"),
        "{declared}"
    );
    let message = fails(1, &["explain", "int abs(int)", "int"]);
    assert!(message.contains("abs is not variadic"), "{message}");
    let message = fails(1, &["explain", "int f(int, ...)", "integer"]);
    assert!(message.contains("unknown type name"), "{message}");
    let message = fails(1, &["explain", "int f(int, ...)", "float"]);
    assert!(message.contains("double"), "{message}");
}

/// Every kind of field, as `--help` has them.
#[test]
fn places() {
    let places = |abi, prototype| prints(&["explain", "--places", "--abi", abi, prototype]);
    assert_eq!(
        places(
            "sysv64",
            "long double f(struct { float x, y, z; }, char, unsigned short, __int128, long double, \
             ...)"
        ),
        "sysv64; stack 16 16; al 2; value 12 none xmm0=0-7 xmm1=8-11; value 1 sign rdi=0-0; value 2 \
         zero rsi=0-1; value 16 none rdx=0-7 rcx=8-15; value 16 none stack+0=0-15; result 16 none \
         st0=0-9\n"
    );
    assert_eq!(
        places(
            "win64",
            "struct { char c[3]; } f(struct { long long a, b; }, float)"
        ),
        "win64; stack 32 16; copy 16 16 rdx; value 4 none xmm2=0-3; result 3 memory rcx rax\n"
    );
    // Bit-fields of types of two sizes share no unit on Windows.
    let bit_fields =
        "void f(struct { char a : 3; int b : 5; }, struct { int a : 3; long long b : 5; })";
    assert_eq!(
        places("win64", bit_fields),
        "win64; stack 32 16; value 8 none rcx=0-7; copy 16 16 rdx; result 0 void\n"
    );
    assert_eq!(
        places("sysv64", bit_fields),
        "sysv64; stack 0 16; value 4 none rdi=0-3; value 8 none rsi=0-7; result 0 void\n"
    );
    assert_eq!(
        places(
            "aapcs64",
            "struct { long a[3]; } f(struct { double a, b; }, long double)"
        ),
        "aapcs64; stack 0 16; value 16 none v0=0-7 v1=8-15; value 16 none v2=0-15; result 24 memory \
         x8\n"
    );
    assert_eq!(
        places("apple64", "void f(signed char, struct { } e)"),
        "apple64; stack 0 16; value 1 sign x0=0-0; value 0 none; result 0 void\n"
    );
}

#[test]
fn places_of_many() {
    let input = "int f(int)\nint f(int, ...)\tdouble\tint\nint f(itn)\n\nlength\n";
    let words = [
        "explain",
        "--places",
        "--abi=apple64",
        "--decls",
        header(),
        "-",
    ];
    let output = farcall_reading(input, &words);
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 5, "{text}");
    assert_eq!(
        lines[1],
        "apple64; stack 16 16; value 4 none x0=0-3; value 8 none stack+0=0-7; value 4 none \
         stack+8=0-3; result 4 sign x0=0-3"
    );
    assert!(
        lines[2].starts_with("error: prototype:1:7: unknown type name"),
        "{text}"
    );
    assert!(lines[3].starts_with("error: "), "{text}");
    assert!(lines[4].contains("v0=0-7 v1=8-15"), "{text}");
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "farcall: 2 of 5 prototypes are wrong\n"
    );
    assert_eq!(output.status.code(), Some(1));

    let output = farcall_reading("int f(int)\n", &["explain", "--places", "-"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stdout.split(|&byte| byte == b'\n').count(), 2);
}

#[test]
fn prototypes_from_the_standard_input() {
    for (words, expected) in [
        (
            &["explain", "-"][..],
            "prototypes from the standard input are for --bytes and --places",
        ),
        (
            &["explain", "--places", "--decls", "-", "-"],
            "the standard input has either declarations or prototypes",
        ),
        (
            &["explain", "--places", "-", "int"],
            "the types of extra arguments stand behind their prototype in the standard input, after \
             tabs",
        ),
    ] {
        let message = fails(2, words);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn mistakes() {
    let message = fails(1, &["explain", "double f(doubel)"]);
    assert!(message.contains("1:10: unknown type name"), "{message}");
    assert!(
        message.contains("\n    double f(doubel)\n             ^"),
        "{message}"
    );
    let message = fails(1, &["explain", "f"]);
    assert!(message.contains("a name alone"), "{message}");
}
