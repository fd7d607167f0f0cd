//! Functions of libraries that every system has.

use crate::run::{fails, farcall, library, line, prints};

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
fn libraries_that_are_often_there() {
    let version = prints(&["call", "z", "const char *zlibVersion(void)"]);
    assert!(version.starts_with("\"1."), "{version}");
    assert_eq!(
        prints(&[
            "call",
            "z",
            "unsigned long crc32(unsigned long, const unsigned char *, unsigned)",
            "0",
            "123456789",
            "9",
        ]),
        "3421780262\n"
    );
}

#[test]
fn errno_is_shown_when_asked_for() {
    assert_eq!(
        prints(&[
            "call",
            "--errno",
            "libc.so.6",
            "int chdir(const char *)",
            "/none/there"
        ]),
        "-1\nerrno = 2 (ENOENT: No such file or directory)\n"
    );
    assert_eq!(
        prints(&[
            "call",
            "--errno",
            "libc.so.6",
            "int chdir(const char *)",
            "/"
        ]),
        "0\nerrno = 0\n"
    );
    let library = crate::run::library();
    assert_eq!(
        prints(&["call", "--errno", library, "int fails_with(int)", "12345"]),
        "-1\nerrno = 12345 (Unknown error 12345)\n"
    );
}

#[test]
fn a_crash_is_the_functions_own() {
    use std::os::unix::process::ExitStatusExt;
    let output = farcall(&["call", crate::run::library(), "void crash(void)"]);
    assert_eq!(output.status.signal(), Some(11));
}

#[test]
fn memory_lives_until_the_process_ends() {
    assert_eq!(
        prints(&[
            "call",
            crate::run::library(),
            "long kept(char **where, char *text)",
            "&",
            "kept"
        ]),
        "0\n*where = \"kept\"\n"
    );
}

#[test]
fn text_need_not_be_unicode() {
    use std::os::unix::ffi::OsStrExt;
    let words: [&[u8]; 5] = [
        b"call",
        b"libc.so.6",
        b"char *strchr(const char *, int)",
        b"a\xffb\xfe",
        b"0xff",
    ];
    let words = words.map(std::ffi::OsStr::from_bytes);
    assert_eq!(prints(&words), "\"\\377b\\376\"\n");
}

/// Nobody reads, and there is no room: no panic.
#[test]
fn output_that_cannot_be_written() {
    use std::process::{Command, Stdio};
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("/dev/full");
    let output = Command::new(env!("CARGO_BIN_EXE_farcall"))
        .args(["call", "libc.so.6", "int abs(int)", "-3"])
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "farcall: the result could not be written: No space left on device\n"
    );

    let mut child = Command::new(env!("CARGO_BIN_EXE_farcall"))
        .args(["symbols", "libc.so.6"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn variables_are_not_called() {
    for (prototype, expected) in [
        (
            "int a_variable(void)",
            "a_variable is a variable, not a function",
        ),
        (
            "int of_each_thread(void)",
            "of_each_thread is a variable of each thread, not a function",
        ),
        // Its library is one that this one needs.
        ("int signgam(void)", "signgam is a variable, not a function"),
    ] {
        let message = fails(1, &["call", library(), prototype]);
        assert_eq!(message, format!("farcall: {expected}\n"));
    }
    let message = fails(1, &line("apply", &["a_variable", "1"]));
    assert_eq!(
        message,
        "farcall: apply: parameter 1 (function): a_variable is a variable, not a function\n"
    );
    // The loader chooses this function when it is first asked for.
    let line = ["call", "libc.so.6", "size_t strlen(const char *)", "abc"];
    assert_eq!(prints(&line), "3\n");
}
