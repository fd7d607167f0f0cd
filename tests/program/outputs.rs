//! What functions write where arguments point.

use crate::run::{line, prints};

fn check(cases: &[(&str, &[&str], &str)]) {
    for (function, arguments, expected) in cases {
        let printed = prints(&line(function, arguments));
        assert_eq!(printed, format!("{expected}\n"), "{function} {arguments:?}");
    }
}

#[test]
fn a_value_is_printed_after_the_call() {
    assert_eq!(
        prints(&["call", "m", "double frexp(double, int *)", "8.5", "&"]),
        "0.53125\n*2 = 4\n"
    );
    assert_eq!(
        prints(&["call", "m", "double frexp(double, int *exp)", "8.5", "&"]),
        "0.53125\n*exp = 4\n"
    );
    assert_eq!(
        prints(&[
            "call",
            "m",
            "void sincos(double, double *sin, double *cos)",
            "0",
            "&",
            "&",
        ]),
        "*sin = 0\n*cos = 1\n"
    );
    assert_eq!(
        prints(&[
            "call",
            "libc.so.6",
            "long strtol(const char *, char **end, int)",
            "12 apples",
            "&",
            "10",
        ]),
        "12\n*end = \" apples\"\n"
    );
}

#[test]
fn values_go_in_and_out() {
    check(&[
        (
            "move_by",
            &["&{1, 2}", "0.5", "1"],
            "*p = {.x = 1.5, .y = 3}",
        ),
        (
            "move_by",
            &["&(struct point){.x = 1}", "1", "1"],
            "*p = {.x = 2, .y = 1}",
        ),
        ("squares", &["&{1, 1, 1}", "3"], "3\nout = {1, 2, 5}"),
        ("squares", &["&[4]", "4"], "4\nout = {0, 1, 4, 9}"),
        ("squares", &["&[1 + 1]", "2"], "2\nout = {0, 1}"),
        ("squares", &["&[1, 2]", "2"], "2\nout = {1, 3}"),
        ("squares", &["&(int[]){5}", "1"], "1\nout = {5}"),
        ("squares", &["&7", "1"], "1\n*out = 7"),
        ("upper", &["&\"text\""], "text = \"TEXT\""),
        ("upper", &["&[4]"], "text = \"\""),
        ("fill", &["&[4]", "3", "'a'"], "3\nmemory = \"aaa\""),
        ("fill", &["&\"12345\"", "3", "'a'"], "3\nmemory = \"aaa45\""),
        ("fill", &["&(int)0", "2", "1"], "2\n*memory = 257"),
    ]);
}

#[test]
fn references_within_references() {
    let text = prints(&line("nodes", &["&{&{null, 1}, 2}"]));
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], "3");
    assert!(lines[1].starts_with("*first = {.next = 0x"), "{text}");
    assert_eq!(lines[2], "**first.next = {.next = null, .value = 1}");
}

#[test]
fn text_buffers() {
    assert_eq!(
        prints(&[
            "call",
            "libc.so.6",
            "int snprintf(char *out, size_t, const char *, ...)",
            "&[8]",
            "8",
            "%.3f and more",
            "2.5",
        ]),
        "14\nout = \"2.500 a\"\n"
    );
    assert_eq!(
        prints(&[
            "call",
            "libc.so.6",
            "char *strcpy(char *, const char *)",
            "&[8]",
            "abc"
        ]),
        "\"abc\"\n*1 = \"abc\"\n"
    );
}

#[test]
fn functions_are_passed_by_name() {
    assert_eq!(
        prints(&[
            "call",
            "libc.so.6",
            "void qsort(void *list, size_t, size_t, int (*)(const void *, const void *))",
            "&(char[]){'c', 'a', 'b', 0}",
            "3",
            "1",
            "strcmp",
        ]),
        "list = \"abc\"\n"
    );
}
