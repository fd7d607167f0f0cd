//! Extra arguments, whose types come from how they are written.

use crate::run::{fails, line, prints};
use std::os::unix::fs::PermissionsExt;

fn printf(arguments: &[&str]) -> String {
    let mut line = vec!["call", "libc.so.6", "int printf(const char *, ...)"];
    line.extend_from_slice(arguments);
    prints(&line)
}

#[test]
fn types_come_from_the_arguments() {
    for (arguments, expected) in [
        (&["%d %s\\n", "42", "hi"][..], "42 hi\n6\n"),
        (&["%d%%\\n", "-1"], "-1%\n4\n"),
        (&["%ld\\n", "2147483648"], "2147483648\n11\n"),
        (
            &["%d %d\\n", "-2147483648", "2147483647"],
            "-2147483648 2147483647\n23\n",
        ),
        (&["%u\\n", "0xffffffff"], "4294967295\n11\n"),
        (&["%lu\\n", "5ul"], "5\n2\n"),
        (&["%ld\\n", "5L"], "5\n2\n"),
        (&["%g %g %g\\n", "2.5", "1e3", "0.5f"], "2.5 1000 0.5\n13\n"),
        (&["%Lg\\n", "2.5L"], "2.5\n4\n"),
        (&["%c%c\\n", "'a'", "'\\x62'"], "ab\n3\n"),
        (&["%p\\n", "null"], "(nil)\n6\n"),
        (
            &["%s|%s|%s\\n", "\"42\"", "a b", "1.2.3"],
            "42|a b|1.2.3\n13\n",
        ),
        (&["%ls\\n", "L\"wide\""], "wide\n5\n"),
        (&["%ld %d\\n", "(long)5", "(short)-1"], "5 -1\n5\n"),
        (&["%g\\n", "(float)0.5"], "0.5\n4\n"),
        (&["%d\\n", "(char)200"], "-56\n4\n"),
        (&["%zu\\n", "(size_t)-1"], "18446744073709551615\n21\n"),
        (&["%s\\n", "(char *){}"], "{}\n3\n"),
        (&["%.3s\\n", "(char[]){'a', 'b', 'c'}"], "abc\n4\n"),
        (&["none\\n"], "none\n5\n"),
        (&["%d %d\\n", "1|2", "~(1 << 4)"], "3 -17\n6\n"),
        (&["%lu\\n", "sizeof(int) * 3"], "12\n3\n"),
        (&["%d %d\\n", "true", "false"], "1 0\n4\n"),
        (&["%g %g %g\\n", "inf", "-inf", "nan"], "inf -inf nan\n13\n"),
        (&["%g\\n", "-0.0"], "-0\n3\n"),
        (
            &["%s %s %s\\n", "\"1|2\"", "50 %", "a|b"],
            "1|2 50 % a|b\n13\n",
        ),
        (&["%s\\n", "1_0"], "1_0\n4\n"),
        (
            &["%s|%s|%s|%s\\n", "2026-11-30", "3/4", "555-0199", "3 < 4"],
            "2026-11-30|3/4|555-0199|3 < 4\n30\n",
        ),
    ] {
        assert_eq!(printf(arguments), expected, "{arguments:?}");
    }
}

#[test]
fn functions_write_to_extra_arguments() {
    assert_eq!(
        prints(&[
            "call",
            "libc.so.6",
            "int sscanf(const char *, const char *, ...)",
            "7 2.5 word",
            "%d %lf %s",
            "(int *)&",
            "(double *)&0",
            "(char *)&[16]",
        ]),
        "3\n*3 = 7\n*4 = 2.5\n*5 = \"word\"\n"
    );
}

#[test]
fn constants_are_numbers() {
    let mut line = line("int printf(const char *, ...)", &["%d\\n", "GREEN"]);
    line[3] = "libc.so.6";
    assert_eq!(prints(&line), "5\n2\n");
    line[6] = "BLUE | 8";
    assert_eq!(prints(&line), "14\n3\n");
    line[5] = "%s\\n";
    line[6] = "\"GREEN\"";
    assert_eq!(prints(&line), "GREEN\n6\n");
    line[6] = "GREEN|GREN";
    assert_eq!(
        fails(1, &line),
        "farcall: printf: parameter 2: \"GREEN|GREN\": unknown constant \"GREN\"; did you mean \
         \"GREEN\"?; in quotes of its own it is text\n"
    );
}

#[test]
fn expressions_of_a_header_are_numbers() {
    let path = format!("{}/made_by_open", env!("CARGO_TARGET_TMPDIR"));
    let _ = std::fs::remove_file(&path);
    let line = [
        "call",
        "--cpp",
        "--decls",
        "fcntl.h",
        "--decls",
        "sys/stat.h",
        "c",
        "open",
        &path,
        "O_CREAT|O_RDWR",
        "S_IRUSR|S_IWUSR",
    ];
    prints(&line);
    let mode = std::fs::metadata(&path).expect("the file").permissions();
    assert_eq!(mode.mode() & 0o777, 0o600);
    let line = [&line[..10], &["S_IRUSR|S_NOPE"]].concat();
    let message = fails(1, &line);
    assert!(
        message.contains("\"S_IRUSR|S_NOPE\": unknown constant \"S_NOPE\""),
        "{message}"
    );
    let floating = [
        "call",
        "--cpp",
        "--decls",
        "math.h",
        "c",
        "int printf(const char *, ...)",
        "%.2f\\n",
        "M_PI",
    ];
    assert_eq!(prints(&floating), "3.14\n5\n");
}

#[test]
fn what_has_no_type_needs_one() {
    for (argument, expected) in [
        (
            "&",
            "printf: parameter 2: \"&\" does not say what it points to; write (int *)& for the \
             address of an int, and \"&...\" for text that begins with &",
        ),
        (
            "{1, 2}",
            "printf: parameter 2: \"{1, 2}\" needs a type; write (struct name){...} for a struct, \
             (int[]){...} for a list, and \"{...\" for text that begins so",
        ),
        (
            "99999999999999999999",
            "printf: parameter 2: 99999999999999999999 does not fit in long; a cast says a type that \
             holds it: (__int128)99999999999999999999",
        ),
        (
            "18446744073709551615",
            "printf: parameter 2: 18446744073709551615 does not fit in long; u behind it makes it \
             unsigned: 18446744073709551615u",
        ),
        (
            "(struct nothing){1}",
            "printf: parameter 2: (struct nothing): unknown type \"struct nothing\"",
        ),
        (
            "(int)",
            "printf: parameter 2: expected a value after the cast to int",
        ),
        (
            "a\\0b",
            "printf: parameter 2: the text has a NUL in it, where a string ends; in quotes of its own, \
             as C writes it, it may: \"...\\0...\"",
        ),
        (
            "(void)1",
            "printf: parameter 2: void has no values; cast to another type",
        ),
    ] {
        let line = [
            "call",
            "libc.so.6",
            "int printf(const char *, ...)",
            "%d",
            argument,
        ];
        assert_eq!(
            fails(1, &line),
            format!("farcall: {expected}\n"),
            "{argument}"
        );
    }
}
