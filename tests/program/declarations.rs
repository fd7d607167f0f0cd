//! `--decls` and `--cpp`.

use crate::run::{fails, header, library, line, prints};
use std::io::Write;
use std::process::{Command, Stdio};

fn file(name: &str, text: &str) -> String {
    let path = format!("{}/{name}", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&path, text).expect("a file");
    path
}

#[test]
fn a_name_is_enough() {
    assert_eq!(prints(&line("length", &["{3, 4}"])), "5\n");
    // Its symbol is another.
    assert_eq!(fails_with_symbol(), "actual_name");
}

fn fails_with_symbol() -> &'static str {
    // The fixture is compiled with the label, so that the plain name is not exported.
    assert_eq!(prints(&line("renamed", &["1"])), "2\n");
    let message = fails(1, &["call", library(), "int renamed(int)", "1"]);
    assert!(message.contains("renamed: not found"), "{message}");
    "actual_name"
}

#[test]
fn types_for_a_prototype() {
    let line = [
        "call",
        "--decls",
        header(),
        library(),
        "double length(struct point)",
        "{.x = 1}",
    ];
    assert_eq!(prints(&line), "1\n");
}

#[test]
fn a_prototype_brings_its_own_types() {
    let line = [
        "call",
        library(),
        "enum color { NONE, SOME = 5 } next_color(enum color)",
        "NONE",
    ];
    assert_eq!(prints(&line), "SOME\n");
}

#[test]
fn several_files() {
    let first = file("first.h", "struct point { double x, y; };\n");
    let second = file("second.h", "double length(struct point);\n");
    let line = [
        "call",
        "--decls",
        &first,
        "--decls",
        &second,
        library(),
        "length",
        "{3, 4}",
    ];
    assert_eq!(prints(&line), "5\n");
}

#[test]
fn the_standard_input() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_farcall"))
        .args(["call", "--decls", "-", "libc.so.6", "abs", "-3"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(b"int abs(int);").expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "3\n");
}

#[test]
fn the_standard_input_preprocessed() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_farcall"))
        .args(["call", "--cpp", "--decls", "-", "libc.so.6", "abs", "-3"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    input
        .write_all(b"#define A 1\nint abs(;\n")
        .expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        message.starts_with("farcall: standard input:2:9: expected"),
        "{message}"
    );
}

#[test]
fn the_preprocessor() {
    let path = file(
        "unprocessed.h",
        "#include <stddef.h>\n#define TYPE int\nTYPE abs(TYPE);\n",
    );
    let line = ["call", "--cpp", "--decls", &path, "libc.so.6", "abs", "-3"];
    assert_eq!(prints(&line), "3\n");
    let line = ["call", "--decls", &path, "libc.so.6", "abs", "-3"];
    let message = fails(1, &line);
    assert!(
        message.starts_with(&format!("farcall: {path}:")) && message.contains("(cc -E"),
        "{message}"
    );
    assert!(
        message.contains(&format!(
            "--cpp runs the preprocessor over it, and so does: cc -E -P {path} | farcall"
        )),
        "{message}"
    );
    let output = Command::new(env!("CARGO_BIN_EXE_farcall"))
        .args(["call", "--cpp", "--decls", &path, "libc.so.6", "abs", "-3"])
        .env("CC", "no-such-compiler")
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "farcall: the C preprocessor no-such-compiler could not be run: No such file or directory; \
         CC names another\n"
    );
    let broken = file("broken_directive.h", "#include \"no_such_file.h\"\n");
    let line = [
        "call",
        "--cpp",
        "--decls",
        &broken,
        "libc.so.6",
        "abs",
        "-3",
    ];
    let output = crate::run::farcall(&line);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("no_such_file.h"), "{message}");
    assert!(
        message.contains("cc -E failed (exit status: 1)"),
        "{message}"
    );
}

#[test]
fn macros_are_constants() {
    let path = file(
        "macros.h",
        "#define BASE 1\n#define LIMIT (BASE << 4)\n#define HALF (0.5)\n#define WORDS \"w\"\n#define TWICE(x) ((x) * 2)\nenum { LAST = LIMIT };\n\
         int abs(int);\ndouble fabs(double);\nint printf(const char *, ...);\n",
    );
    let run = |function: &str, arguments: &[&str]| {
        let mut line = vec!["call", "--cpp", "--decls", &path, "libc.so.6", function];
        line.extend_from_slice(arguments);
        prints(&line)
    };
    assert_eq!(run("abs", &["LIMIT"]), "16\n");
    assert_eq!(run("abs", &["-(LIMIT | BASE)"]), "17\n");
    assert_eq!(run("abs", &["LAST + sizeof(int)"]), "20\n");
    assert_eq!(
        run("printf", &["%d %d %s\\n", "LIMIT", "LAST", "LIMITS"]),
        "16 16 LIMITS\n13\n"
    );
    assert_eq!(
        fails(
            1,
            &[
                "call",
                "--cpp",
                "--decls",
                &path,
                "libc.so.6",
                "printf",
                "%s",
                "WORDS"
            ]
        ),
        "farcall: printf: parameter 2: WORDS is a macro that stands for no number; \"WORDS\" in \
         quotes of its own is text\n"
    );
    assert_eq!(run("printf", &["%s\\n", "linux"]), "linux\n6\n");
    let half = ["call", "--cpp", "--decls", &path, "m", "fabs", "-0.25"];
    assert_eq!(prints(&half), "0.25\n");
    let half = ["call", "--cpp", "--decls", &path, "m", "fabs", "HALF"];
    assert_eq!(prints(&half), "0.5\n");
    let flags = prints(&[
        "call",
        "--cpp",
        "--decls",
        "fcntl.h",
        "libc.so.6",
        "open",
        "/dev/null",
        "O_RDONLY | O_CLOEXEC",
    ]);
    assert!(
        flags.trim().parse::<i32>().is_ok_and(|number| number > 2),
        "{flags}"
    );
}

#[test]
fn a_result_is_followed_when_asked_for() {
    let line = [
        "call",
        "--cpp",
        "--decls",
        "time.h",
        "libc.so.6",
        "gmtime",
        "&0",
    ];
    let text = prints(&line);
    assert!(text.starts_with("0x"), "{text}");
    let line = [&["call", "--follow"][..], &line[1..]].concat();
    let text = prints(&line);
    assert!(text.contains("\n*result = {.tm_sec = 0, "), "{text}");
    // Nothing is there, or nothing is known of it.
    for prototype in [
        "int *no_text(void)",
        "void *no_text(void)",
        "struct unknown *no_text(void)",
    ] {
        assert_eq!(
            prints(&["call", "--follow", library(), prototype]),
            "0x10\n"
        );
    }
}

#[test]
fn headers_of_the_system() {
    let time = prints(&[
        "call",
        "--cpp",
        "--decls",
        "time.h",
        "libc.so.6",
        "gmtime_r",
        "&0",
        "&",
    ]);
    assert!(
        time.contains(".tm_mday = 1, .tm_mon = 0, .tm_year = 70, .tm_wday = 4"),
        "{time}"
    );
    let clock = prints(&[
        "call",
        "--cpp",
        "--decls",
        "time.h",
        "libc.so.6",
        "clock_gettime",
        "1",
        "&",
    ]);
    assert!(clock.contains("{.tv_sec = "), "{clock}");
}

#[test]
fn what_is_wrong() {
    let broken = file("broken.h", "int f(int);\nint g(;\n");
    let message = fails(1, &["call", "--decls", &broken, "libc.so.6", "f", "1"]);
    assert!(
        message.starts_with(&format!("farcall: {broken}:2:7: expected")),
        "{message}"
    );
    let including = file("including.h", "int f(int);\n#include \"broken.h\"\n");
    let message = fails(
        1,
        &[
            "call",
            "--cpp",
            "--decls",
            &including,
            "libc.so.6",
            "f",
            "1",
        ],
    );
    assert!(
        message.starts_with(&format!("farcall: {broken}:2:7: expected"))
            && message.ends_with("\n    int g(;\n          ^\n"),
        "{message}"
    );
    // What the preprocessor has been over needs no other.
    let preprocessed = file("broken.i", "# 1 \"broken.h\"\n#define ONE 1\nint g(;\n");
    let message = fails(
        1,
        &["call", "--decls", &preprocessed, "libc.so.6", "f", "1"],
    );
    assert!(
        message.contains("3:7 (broken.h:2): expected") && !message.contains("--cpp"),
        "{message}"
    );
    let message = fails(
        1,
        &["call", "--decls", "/none/there.h", "libc.so.6", "f", "1"],
    );
    assert_eq!(
        message,
        "farcall: declarations /none/there.h: No such file or directory\n"
    );
    let message = fails(1, &line("no_such_function", &[]));
    assert!(
        message.starts_with("farcall: no_such_function: no function of that name is declared"),
        "{message}"
    );
}

#[test]
fn the_hint_of_a_result_is_for_prototypes_without_one() {
    let message = fails(1, &["call", "m", "double (*sin)(double)", "1"]);
    assert!(!message.contains("comes before"), "{message}");
}

/// What it does with another PATH or CC than that of the tests; none if they are empty.
fn with_compilers(path: &str, cc: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_farcall"));
    command.args(arguments).env_remove("CC");
    if !path.is_empty() {
        command.env("PATH", path);
    }
    if !cc.is_empty() {
        command.env("CC", cc);
    }
    let output = command.output().expect("the program starts");
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8(text).expect("UTF-8"),
    )
}

/// `struct stat` has 144 bytes on x86-64 and 128 on AArch64.
#[test]
fn headers_are_those_of_the_target() {
    let places = |words: &[&str]| {
        let rest = ["--cpp", "--decls", "sys/stat.h", "void f(struct stat)"];
        with_compilers("", "", &[&["explain", "--places"], words, &rest].concat())
    };
    let own = "sysv64; stack 144 16; value 144 none stack+0=0-143; result 0 void\n";
    assert_eq!(places(&[]), (Some(0), own.to_owned()));
    assert_eq!(places(&["--arch", "x86_64"]), (Some(0), own.to_owned()));
    let other = "aapcs64; stack 0 16; copy 128 16 x0; result 0 void\n";
    assert_eq!(places(&["--arch", "aarch64"]), (Some(0), other.to_owned()));
    let (status, code) = with_compilers(
        "",
        "",
        &[
            "disasm",
            "--bytes",
            "--arch=aarch64",
            "--cpp",
            "--decls=sys/stat.h",
            "void f(struct stat)",
        ],
    );
    assert_eq!(status, Some(0), "{code}");
    let same = prints(&[
        "disasm",
        "--bytes",
        "--arch=aarch64",
        "void f(struct { char bytes[128]; })",
    ]);
    assert_eq!(code, same);
}

#[test]
fn without_headers_of_the_target() {
    let words = |abi| {
        [
            "explain",
            "--abi",
            abi,
            "--cpp",
            "--decls",
            "stdio.h",
            "int f(int)",
        ]
    };
    for (abi, message) in [
        (
            "aapcs64",
            "aarch64-linux, and there is no aarch64-linux-gnu-gcc in PATH; name a compiler that has \
             them in CC: CC='clang --target=aarch64-linux-gnu --sysroot=DIR'",
        ),
        (
            "win64",
            "x86_64-windows-gnu, and there is no x86_64-w64-mingw32-gcc in PATH; name a compiler \
             that has them in CC: CC='clang --target=x86_64-w64-windows-gnu --sysroot=DIR'",
        ),
        (
            "apple64",
            "arm64-apple; name a compiler that has them in CC: CC='clang \
             --target=arm64-apple-macos -isysroot DIR'",
        ),
    ] {
        let message =
            format!("farcall: --cpp: this machine's headers are not those of {message}\n");
        assert_eq!(with_compilers("/none", "", &words(abi)), (Some(1), message));
    }
    // This machine's own.
    let (status, message) = with_compilers("/none", "", &words("sysv64"));
    assert_eq!(status, Some(1));
    assert_eq!(
        message,
        "farcall: the C preprocessor cc could not be run: No such file or directory; CC names \
         another\n"
    );
    // What CC names is not there.
    let (status, message) = with_compilers("", "no-such-compiler", &words("apple64"));
    assert_eq!(status, Some(1));
    assert!(
        message.starts_with("farcall: the C preprocessor no-such-compiler could not be run: "),
        "{message}"
    );
}

#[test]
fn compilers_for_other_targets() {
    let header = file(
        "length.h",
        "#ifndef LENGTH\n#define LENGTH 4\n#endif\nvoid f(struct { char c[LENGTH]; });\n",
    );
    let places = |abi| {
        [
            "explain", "--places", "--abi", abi, "--cpp", "--decls", &header, "f",
        ]
    };
    // CC is taken for every target.
    for abi in ["sysv64", "win64", "aapcs64", "apple64"] {
        let (status, text) = with_compilers("", "cc -DLENGTH=2", &places(abi));
        assert_eq!(status, Some(0), "{text}");
        assert!(text.contains("value 2 none"), "{text}");
    }
    // mingw-w64's is found by its name.
    let folder = format!("{}/compilers", env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(&folder).expect("a folder");
    let all = std::env::var_os("PATH").expect("a PATH");
    let mut programs = std::env::split_paths(&all).map(|folder| folder.join("cc"));
    let own = programs
        .find(|program| program.exists())
        .expect("a C compiler");
    // It may be there from an earlier time.
    let _ = std::os::unix::fs::symlink(own, format!("{folder}/x86_64-w64-mingw32-gcc"));
    let path = format!("{folder}:{}", std::env::var("PATH").expect("a PATH"));
    let text = "win64; stack 32 16; value 4 none rcx=0-3; result 0 void\n";
    assert_eq!(
        with_compilers(&path, "", &places("win64")),
        (Some(0), text.to_owned())
    );
}
