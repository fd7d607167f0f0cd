//! The program `farcall`, as a user runs it.

use std::process::{Command, Output};

fn farcall(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_farcall"))
        .args(arguments)
        .output()
        .expect("the program starts")
}

/// What it prints, when it succeeds.
fn prints(arguments: &[&str]) -> String {
    let output = farcall(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {error}");
    assert_eq!(error, "", "{arguments:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// What it complains of, when it ends with a status.
fn fails(status: i32, arguments: &[&str]) -> String {
    let output = farcall(arguments);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}");
    assert_eq!(output.stdout, b"", "{arguments:?}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[test]
fn numbers_go_in_and_come_out() {
    for (library, prototype, arguments, expected) in [
        (
            "libm.so.6",
            "double pow(double, double)",
            &["2", "10"][..],
            "1024\n",
        ),
        (
            "m",
            "float powf(float, float)",
            &["2", "0.5"],
            "1.4142135\n",
        ),
        (
            "m",
            "long double sqrtl(long double)",
            &["2"],
            "1.4142135623730950488\n",
        ),
        (
            "m",
            "double _Complex csqrt(double _Complex)",
            &["-1"],
            "0+1i\n",
        ),
        (
            "m",
            "float _Complex conjf(float _Complex)",
            &["1.5-2i"],
            "1.5+2i\n",
        ),
        ("m", "_Float128 sqrtf128(_Float128)", &["4"], "2\n"),
        (
            "m",
            "double ldexp(double, int)",
            &["1", "-1074"],
            "5e-324\n",
        ),
        (
            "m",
            "double fmin(double, double)",
            &["nan", "-inf"],
            "-inf\n",
        ),
        ("libc.so.6", "int abs(int)", &["-3"], "3\n"),
        ("libc.so.6", "int abs(int)", &["-0x10"], "16\n"),
        (
            "libc.so.6",
            "long labs(long)",
            &["-9223372036854775807"],
            "9223372036854775807\n",
        ),
        ("libc.so.6", "int toupper(int)", &["'a'"], "65\n"),
        (
            "libc.so.6",
            "unsigned short htons(unsigned short)",
            &["0b1"],
            "256\n",
        ),
        ("libc.so.6", "_Bool isatty(int)", &["-1"], "false\n"),
        ("libc.so.6", "void free(void *)", &["null"], ""),
        (
            "libc.so.6",
            "struct {int quot, rem;} div(int, int)",
            &["17", "5"],
            "{.quot = 3, .rem = 2}\n",
        ),
    ] {
        let mut line = vec!["call", library, prototype];
        line.extend_from_slice(arguments);
        assert_eq!(prints(&line), expected, "{prototype} {arguments:?}");
    }
}

#[test]
fn strings_go_in_and_come_out() {
    for (prototype, arguments, expected) in [
        ("size_t strlen(const char *)", &["hello"][..], "5\n"),
        (
            "char *strchr(const char *, int)",
            &["a \"b\"\n", "' '"],
            "\" \\\"b\\\"\\n\"\n",
        ),
        ("char *strchr(const char *, int)", &["abc", "'x'"], "null\n"),
        (
            "int puts(const char *)",
            &["to the standard output"],
            "to the standard output\n23\n",
        ),
        (
            "const char *strerror(int)",
            &["2"],
            "\"No such file or directory\"\n",
        ),
    ] {
        let mut line = vec!["call", "libc.so.6", prototype];
        line.extend_from_slice(arguments);
        assert_eq!(prints(&line), expected, "{prototype} {arguments:?}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    for (arguments, expected) in [
        (
            &["libm.so.6", "double pow(double, double)", "2", "ten"][..],
            "pow: argument 2: expected double, got \"ten\"",
        ),
        (
            &["libc.so.6", "unsigned char toupper(unsigned char)", "300"],
            "toupper: argument 1: 300 does not fit unsigned char: 0 to 255",
        ),
        (
            &["libc.so.6", "int abs(signed char)", "-129"],
            "abs: argument 1: -129 does not fit signed char: -128 to 127",
        ),
        (
            &["libc.so.6", "int no_such_function(int)", "1"],
            "symbol no_such_function: not found in",
        ),
        (
            &["libno_such_library.so", "int f(void)"],
            "library libno_such_library.so: not found; tried libno_such_library.so",
        ),
        (&["libm.so.6", "double pow(double"], "1:18: expected"),
        (
            &["libc.so.6", "int printf(const char *, ...)", "x"],
            "printf: the function is variadic",
        ),
        (
            &["libc.so.6", "long atol(int *)", "text"],
            "atol: argument 1: expected null or an address, got \"text\"",
        ),
    ] {
        let mut line = vec!["call"];
        line.extend_from_slice(arguments);
        let message = fails(1, &line);
        assert!(message.starts_with("farcall: "), "{message}");
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn the_command_line_is_checked() {
    for (arguments, expected) in [
        (&[][..], "expected a command"),
        (&["sing"], "sing: no such command"),
        (&["call"], "call: expected a library and a prototype"),
        (&["--loud"], "--loud"),
        (&["explain"], "explain: expected one prototype"),
        (
            &["call", "m", "double pow(double, double)", "2"],
            "pow: expected 2 arguments, got 1",
        ),
    ] {
        let message = fails(2, arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
        assert!(message.contains("usage:"), "{message}");
    }
}

#[test]
fn help_and_version() {
    assert!(prints(&["--help"]).contains("usage:"));
    assert!(prints(&["call", "--help"]).contains("usage:"));
    assert_eq!(
        prints(&["--version"]),
        format!("farcall {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn explain_shows_where_bytes_travel() {
    let text = prints(&["explain", "double f(struct { float x, y, z; }, int)"]);
    for part in [
        "8-11   xmm1       SSE      .z",
        "long double 16 bytes (x87",
        "rdi",
        "0 bytes",
        "path",
        "stub",
    ] {
        assert!(text.contains(part), "{text}");
    }
}
