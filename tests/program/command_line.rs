//! Commands, options, help and colours.

use crate::run::{fails, farcall, prints};

#[test]
fn the_command_line_is_checked() {
    for (arguments, topic, expected) in [
        (&[][..], "", "expected a command"),
        (&["sing"], "", "sing: no such command"),
        (&["cal"], "", "cal: no such command; did you mean call?"),
        (
            &["call"],
            "call ",
            "call: expected a library and a prototype",
        ),
        (&["--loud"], "", "there is no option --loud"),
        (
            &["call", "--decl", "x.h"],
            "call ",
            "call: there is no option --decl; did you mean --decls?",
        ),
        (
            &["explain"],
            "explain ",
            "explain: expected a prototype, in quotes",
        ),
        (
            &["explain", "--abi", "sysv", "int f(int)"],
            "explain ",
            "--abi: expected sysv64, win64, aapcs64 or apple64, got sysv; did you mean sysv64?",
        ),
        (
            &["disasm"],
            "disasm ",
            "disasm: expected a prototype, in quotes",
        ),
        (
            &["symbols"],
            "symbols ",
            "symbols: expected a library, and at most one pattern",
        ),
    ] {
        assert_eq!(
            fails(2, arguments),
            format!("farcall: {expected}\ntry 'farcall {topic}--help'\n")
        );
    }
}

#[test]
fn help_and_version() {
    for arguments in [&["--help"][..], &["-h"], &["help"]] {
        let text = prints(arguments);
        assert!(text.contains("usage:\n"), "{text}");
        assert!(text.contains("exit status:\n"), "{text}");
    }
    for command in ["call", "explain", "disasm", "symbols"] {
        let text = prints(&[command, "--help"]);
        assert!(text.starts_with(&format!("farcall {command}: ")), "{text}");
        assert!(text.contains("examples:\n"), "{text}");
        assert_eq!(text, prints(&["help", command]));
        assert!(
            text.lines().all(|line| line.chars().count() <= 100),
            "{text}"
        );
    }
    assert_eq!(
        prints(&["--version"]),
        format!("farcall {}\n", env!("CARGO_PKG_VERSION"))
    );
}

/// The examples of the help are as they say.
#[test]
fn the_examples_of_call() {
    let text = prints(&["call", "--help"]);
    let (_, examples) = text.split_once("examples:\n").expect("examples");
    let (examples, _) = examples.split_once("\n\n").expect("an end");
    let mut count = 0;
    let mut lines = examples.lines().map(str::trim_start).peekable();
    while let Some(line) = lines.next() {
        let command = line.strip_prefix("$ farcall ").expect(line);
        let mut expected = String::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
            expected.push_str(line);
            expected.push('\n');
        }
        if command.contains("zlib.h") && !std::fs::exists("/usr/include/zlib.h").unwrap() {
            continue;
        }
        assert_eq!(prints(&words(command)), expected, "{command}");
        count += 1;
    }
    assert!(count >= 5);
}

#[test]
fn the_other_examples() {
    for command in ["explain", "disasm", "symbols"] {
        let text = prints(&[command, "--help"]);
        let (_, examples) = text.split_once("examples:\n").expect("examples");
        let lines = examples
            .lines()
            .filter_map(|line| line.trim().strip_prefix("$ farcall "));
        for line in lines.filter(|line| !line.contains("point.h")) {
            assert!(line.starts_with(command), "{line}");
            assert_ne!(prints(&words(line)), "", "{line}");
        }
    }
}

/// Words as a shell parts them, as far as the examples need it.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('\'') {
            Some(quoted) => quoted.split_once('\'').expect("a closing quote"),
            None => rest.split_once(' ').unwrap_or((rest, "")),
        };
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    words
}

#[test]
fn arguments_may_begin_with_a_minus() {
    assert_eq!(prints(&["call", "libc.so.6", "int abs(int)", "-3"]), "3\n");
    assert_eq!(
        prints(&["call", "libc.so.6", "size_t strlen(const char *)", "--help"]),
        "6\n"
    );
    assert_eq!(
        prints(&["call", "libc.so.6", "size_t strlen(const char *)", "--"]),
        "2\n"
    );
}

#[test]
fn colours() {
    let frexp = ["call", "m", "double frexp(double, int *)", "8.5", "&"];
    assert!(!prints(&frexp).contains('\x1b'));
    let always = [&["--color", "always"][..], &frexp].concat();
    assert_eq!(prints(&always), "0.53125\n\x1b[36m*2\x1b[0m = 4\n");
    let always = [&["call", "--color=always"][..], &frexp[1..]].concat();
    assert!(prints(&always).contains('\x1b'));
    let never = [&["--color", "never"][..], &frexp].concat();
    assert!(!prints(&never).contains('\x1b'));
    let output = farcall(&["--color=always", "call", "libc.so.6", "int abs(int)", "x"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        message.starts_with("\x1b[1;31mfarcall:\x1b[0m abs: "),
        "{message}"
    );
    for arguments in [
        &["symbols", "--color=always", "m", "sin"][..],
        &["disasm", "--color=always", "int f(int)"],
    ] {
        assert!(prints(arguments).contains("\x1b[36m"), "{arguments:?}");
    }
    assert!(prints(&["--color=always", "--help"]).contains("\x1b[1musage:\x1b[0m\n"));
}

/// On a terminal there are colours, unless NO_COLOR is set.
#[test]
fn colours_on_a_terminal() {
    let program = env!("CARGO_BIN_EXE_farcall");
    let command = format!("{program} call m 'double frexp(double, int *)' 8.5 '&'");
    let run = |no_color: &str| {
        let output = std::process::Command::new("script")
            .args(["-qec", &command, "/dev/null"])
            .env("NO_COLOR", no_color)
            .env("TERM", "xterm")
            .output();
        output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    // Not every system has script(1), which gives a command a terminal.
    let Ok(text) = run("") else { return };
    assert!(text.contains("\x1b[36m*2\x1b[0m = 4"), "{text:?}");
    assert!(!run("1").unwrap().contains('\x1b'));
}

/// What cannot be written is no success.
#[test]
fn a_closed_output() {
    let program = env!("CARGO_BIN_EXE_farcall");
    for command in [
        "explain 'int f(int)'",
        "call c 'int abs(int)' -3",
        "--version",
    ] {
        let line = format!("exec {program} {command} >&-");
        let output = std::process::Command::new("sh")
            .args(["-c", &line])
            .output()
            .expect("a shell");
        assert_eq!(output.status.code(), Some(1), "{command}");
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            "farcall: the result could not be written: Bad file descriptor\n",
            "{command}"
        );
    }
}

#[test]
fn what_a_message_repeats_is_harmless() {
    let message = fails(1, &["call", "lib\x1b[31mred\u{9b}.so", "int f(void)"]);
    assert!(
        message.contains("lib\\x1b[31mred\\x9b.so") && !message.contains('\x1b'),
        "{message}"
    );
    let long = format!("lib{}.so", "x".repeat(5000));
    let message = fails(1, &["call", &long, "int f(void)"]);
    assert!(message.contains("xxx...xxx"), "{message}");
    assert!(
        message.split(' ').all(|word| word.len() <= 200),
        "{message}"
    );
}
