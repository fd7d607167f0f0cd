//! Callbacks that the program has, passed to functions that take pointers to functions.

use crate::run::{fails, farcall, header, library, line, prints};

const QSORT: &str = "void qsort(void *base, size_t n, size_t size, \
                     int (*compare)(const void *, const void *))";

fn sorted(list: &str, count: &str, size: &str, callback: &str) -> String {
    prints(&["call", "c", QSORT, list, count, size, callback])
}

#[test]
fn what_is_sorted_is_printed() {
    for (list, count, size, callback, expected) in [
        ("&{3,1,2}", "3", "4", "@compare", "{1, 2, 3}"),
        ("&{3, -1, -2, 0}", "4", "4", "@compare", "{-2, -1, 0, 3}"),
        (
            "&{3, -1, -2, 0}",
            "4",
            "4",
            "@compare:unsigned",
            "{0, 3, -2, -1}",
        ),
        (
            "&{2.5, -0.5, 1e300}",
            "3",
            "8",
            "@compare:double",
            "{-0.5, 2.5, 1e300}",
        ),
        (
            "&(float[]){2, -1.5, -3}",
            "3",
            "4",
            "@compare:float",
            "{-3, -1.5, 2}",
        ),
        (
            "&(long double[]){2, -1.5, 1.25}",
            "3",
            "16",
            "@compare : long double",
            "{-1.5, 1.25, 2}",
        ),
        (
            "&(const char *[]){\"two\", null, \"one\", \"three\"}",
            "4",
            "8",
            "@compare:char *",
            "{null, \"one\", \"three\", \"two\"}",
        ),
        (
            "&(long[]){5000000000, -1, 4}",
            "3",
            "8",
            "@compare:long",
            "{-1, 4, 5000000000}",
        ),
        (
            "&(char[]){'c', 'a', 'b', 0}",
            "3",
            "1",
            "@compare:signed char",
            "\"abc\"",
        ),
    ] {
        let printed = sorted(list, count, size, callback);
        assert_eq!(printed, format!("base = {expected}\n"), "{list} {callback}");
    }
}

#[test]
fn structs_are_compared_member_by_member() {
    assert_eq!(
        prints(&line(
            "sort_points",
            &["&[{2, 1}, {1, 5}, {1, -5}]", "3", "@compare",]
        )),
        "points = {{.x = 1, .y = -5}, {.x = 1, .y = 5}, {.x = 2, .y = 1}}\n"
    );
    // A type may be written that the declaration knows, and no other.
    assert_eq!(
        prints(&line(
            "sort_points",
            &["&[{2, 1}, {1, 5}]", "2", "@compare:struct point"]
        )),
        "points = {{.x = 1, .y = 5}, {.x = 2, .y = 1}}\n"
    );
    let printed = fails(
        1,
        &line(
            "sort_points",
            &["&[{2, 1}, {1, 5}]", "2", "@compare:double"],
        ),
    );
    assert!(
        printed.ends_with(
            "@compare: the declaration says that struct point (16 bytes) is compared, not double; write @compare \
             alone\n"
        ),
        "{printed}"
    );
    // Bit-fields and arrays too.
    assert_eq!(
        prints(&[
            "call",
            "c",
            QSORT,
            "&(struct { int a : 3, b : 5; char t[2]; }[]){{1, -2, \"b\"}, {1, -3, \"z\"}, {1, -2, \"a\"}}",
            "3",
            "4",
            "@compare:struct { int a : 3, b : 5; char t[2]; }",
        ]),
        "base = {{.a = 1, .b = -3, .t = \"z\"}, {.a = 1, .b = -2, .t = \"a\"}, {.a = 1, .b = -2, \
         .t = \"b\"}}\n"
    );
}

#[test]
fn the_declaration_says_what_is_compared() {
    for (prototype, list, size, expected) in [
        (
            "void qsort(double *list, size_t, size_t, int (*)(const double *, const double *))",
            "&{2.5, -1, 0.5}",
            "8",
            "{-1, 0.5, 2.5}",
        ),
        (
            "void qsort(const char **list, size_t, size_t, int (*)(const char **, const char **))",
            "&{\"b\", \"c\", \"a\"}",
            "8",
            "{\"a\", \"b\", \"c\"}",
        ),
        (
            "void qsort(_Bool *list, size_t, size_t, int (*)(_Bool *, _Bool *))",
            "&{1, 0, 1}",
            "1",
            "{false, true, true}",
        ),
        (
            "void qsort(unsigned char *list, size_t, size_t, long (*)(unsigned char *, unsigned char *))",
            "&{200, 100, 0}",
            "1",
            "{0, 100, 200}",
        ),
    ] {
        let printed = prints(&["call", "c", prototype, list, "3", size, "@compare"]);
        assert_eq!(printed, format!("list = {expected}\n"), "{prototype}");
    }
    // A char * is a string: the strings themselves are compared.
    assert_eq!(
        prints(&line("compared", &["@compare", "abc", "abd"])),
        "-1\n"
    );
    assert_eq!(prints(&line("compared", &["@compare", "b", "abd"])), "1\n");
    assert_eq!(prints(&line("compared", &["@compare", "b", "b"])), "0\n");
}

#[test]
fn what_is_found_is_printed() {
    let prototype = "int *bsearch(const void *key, const void *base, size_t, size_t, \
                     int (*)(const void *, const void *))";
    assert_eq!(
        prints(&[
            "call",
            "--follow",
            "c",
            prototype,
            "&5",
            "{1, 3, 5, 7}",
            "4",
            "4",
            "@compare"
        ])
        .lines()
        .skip(1)
        .collect::<Vec<_>>(),
        ["*result = 5", "*key = 5"]
    );
    assert_eq!(
        prints(&[
            "call",
            "c",
            prototype,
            "&6",
            "{1, 3, 5, 7}",
            "4",
            "4",
            "@compare"
        ]),
        "null\n*key = 6\n"
    );
}

#[test]
fn arguments_are_printed() {
    assert_eq!(
        prints(&line("apply", &["@print", "42"])),
        "function(42)\n0\n"
    );
    assert_eq!(
        prints(&line("visit", &["@print"])),
        "visitor(1, \"one\", 1.5, &{.x = 1, .y = 2})\n\
        visitor(2, null, -inf, null)\n"
    );
    // Without a name.
    assert_eq!(
        prints(&[
            "call",
            library(),
            "int apply(int (*)(unsigned char), int)",
            "@print",
            "300"
        ]),
        "@print(44)\n0\n"
    );
    // What the function writes itself stands in order.
    assert_eq!(
        prints(&line("talk", &["@print"])),
        "before\nlistener(\"within\")\nafter\n"
    );
    let prototype =
        "void qsort(void *, size_t, size_t, int (*compare)(const void *, const void *))";
    assert_eq!(
        prints(&["call", "c", prototype, "{7, 8}", "2", "4", "@print:int"]),
        "compare(&7, &8)\n"
    );
    let text = prints(&["call", "c", prototype, "{7, 8}", "2", "4", "@print"]);
    assert!(text.starts_with("compare(0x"), "{text}");
    assert_eq!(
        prints(&[
            "call",
            "c",
            prototype,
            "(const char *[]){\"a\", \"b\"}",
            "2",
            "8",
            "@print:const char *"
        ]),
        "compare(&\"a\", &\"b\")\n"
    );
}

#[test]
fn calls_are_counted() {
    assert_eq!(
        prints(&line("visit", &["@count"])),
        "calls of visitor = 2\n"
    );
    assert_eq!(
        prints(&[
            "call",
            library(),
            "int apply(int (*)(int), int)",
            "@count",
            "1"
        ]),
        "0\ncalls of 1 = 1\n"
    );
}

#[test]
fn results_of_all_kinds_are_zero() {
    assert_eq!(
        prints(&line("point_of", &["@print"])),
        "make(7)\n{.x = 0, .y = 0}\n"
    );
    assert_eq!(
        prints(&line("point_of", &["@count"])),
        "{.x = 0, .y = 0}\ncalls of make = 1\n"
    );
}

#[test]
fn callbacks_stand_in_data() {
    let operations = "&{.name = \"add\", .run = @print, .list = {@print, @count, null}}";
    let text = prints(&line("dispatch", &[operations, "3"]));
    assert!(
        text.starts_with(
            "operations.run(3)\noperations.list[0](3)\n0\n*operations = {.name = \"add\", .run = 0x"
        ),
        "{text}"
    );
    assert!(
        text.ends_with(", null}}\ncalls of operations.list[1] = 1\n"),
        "{text}"
    );
}

#[test]
fn functions_that_take_functions() {
    // At the end of the process.
    assert_eq!(
        prints(&[
            "call",
            "c",
            "int on_exit(void (*bye)(int, void *), void *)",
            "@print",
            "null",
        ]),
        "0\nbye(0, null)\n"
    );
    assert_eq!(
        prints(&[
            "call",
            "c",
            "void (*signal(int, void (*handler)(int)))(int)",
            "10",
            "@print"
        ]),
        "null\n"
    );
    assert_eq!(
        prints(&line("raised", &["10", "@print"])),
        "handler(10)\n0\n"
    );
    assert_eq!(
        prints(&line("on_a_thread", &["@print", "5"])),
        "start(&5)\n0\n"
    );
    let text = prints(&[
        "call",
        "c",
        "int ftw(const char *, int (*visit)(const char *path, const void *, int kind), int)",
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program"),
        "@print",
        "4",
    ]);
    let found = format!(
        "visit(\"{}/tests/program/fixture.h\", 0x",
        env!("CARGO_MANIFEST_DIR")
    );
    assert!(text.contains(&found), "{text}");
    assert!(text.ends_with("\n0\n"), "{text}");
    let counted = prints(&[
        "call",
        "--cpp",
        "--decls",
        "ftw.h",
        "c",
        "ftw",
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program"),
        "@count",
        "4",
    ]);
    let calls = text.lines().count() - 1;
    assert!(counted.starts_with("0\ncalls of "), "{counted}");
    assert!(
        counted.ends_with(&format!(" = {calls}\n")),
        "{counted} {calls}"
    );
}

#[test]
fn errno_is_the_functions_own() {
    assert_eq!(
        prints(&[
            "call",
            "--errno",
            "--decls",
            header(),
            library(),
            "called_and_failed",
            "@print"
        ]),
        "f(1)\n-1\nerrno = 33 (EDOM: Numerical argument out of domain)\n"
    );
}

/// A parameter of each way in which C writes one.
#[test]
fn all_declarations_of_function_pointers() {
    for parameter in [
        "int (*f)(int)",
        "int f(int)",
        "function *f",
        "function f",
        "pointer f",
        "const pointer f",
        "pointer *f",
        "pointer f[2]",
        "int (*f[2])(int)",
        "__typeof__(pointer) f",
    ] {
        let is_list = parameter.contains('[') || parameter.contains("pointer *");
        let (function, callback) = match is_list {
            true => ("apply_both", "{@print, @count}"),
            false => ("apply", "@print"),
        };
        let prototype = format!("int {function}({parameter}, int)");
        let text = prints(&[
            "call",
            "--decls",
            header(),
            library(),
            &prototype,
            callback,
            "9",
        ]);
        let expected = match is_list {
            true => "f[0](9)\n0\ncalls of f[1] = 1\n",
            false => "f(9)\n0\n",
        };
        assert_eq!(text, expected, "{parameter}");
    }
}

#[test]
fn a_cast_says_what_is_called() {
    let prototype = "int apply(void *function, int)";
    assert_eq!(
        prints(&["call", library(), prototype, "(int (*)(int))@print", "4"]),
        "function(4)\n0\n"
    );
    assert_eq!(
        fails(1, &["call", library(), prototype, "@print", "4"]),
        "farcall: apply: parameter 1 (function): void * does not say that it points to a function; a \
         cast says so, and which: (int (*)(int))@print\n"
    );
}

#[test]
fn what_is_wrong_with_a_callback() {
    for (prototype, callback, expected) in [
        (
            "int apply(int (*f)(int), int)",
            "@compare",
            "@compare compares what two pointers point to and gives an int; int (int) is no such function",
        ),
        (
            "int apply(int (*f)(int *, int), int)",
            "@compare",
            "@compare compares what two pointers point to and gives an int; int (int *, int) is no such \
             function",
        ),
        (
            "int apply(double (*f)(int *, int *), int)",
            "@compare",
            "@compare compares what two pointers point to and gives an int; double (int *, int *) is no \
             such function",
        ),
        (
            "int apply(int (*f)(struct unknown *, struct unknown *), int)",
            "@compare",
            "@compare: struct unknown is incomplete: its members are not known; @compare:TYPE says what \
             is compared",
        ),
        (
            "int apply(int (*f)(void *, void *), int)",
            "@compare:union { int a; float b; }",
            "@compare: values of union { int a; float b; } (4 bytes) are in no order; @compare:TYPE says what is compared",
        ),
        (
            "int apply(int (*f)(int **, int **), int)",
            "@compare",
            "@compare: values of int * are in no order; @compare:TYPE says what is compared",
        ),
        (
            "int apply(int (*f)(int), int)",
            "@compare:nothing",
            "@compare:nothing: ",
        ),
        (
            "int apply(int (*f)(int *), int)",
            "@print:double",
            "@print: int (int *) says what all its arguments are, and none is a void *, of which double could \
             be said; write @print alone",
        ),
        (
            "int apply(int (*f)(int), int)",
            "@print:void",
            "@print:void: void has no size, so that no pointer to it can be followed",
        ),
        ("int apply(int (*f)(int), int)", "@print:", "@print:: "),
        (
            "int apply(int (*f)(int), int)",
            "@count:int",
            "@count looks at no values, and takes no type",
        ),
        (
            "int apply(int (*f)(int), int)",
            "",
            "expected int (*)(int), got \"\"; write the name of a function of the library, @print or \
             another of farcall's callbacks, null or an address (0x...)\n",
        ),
        (
            "int apply(int (*f)(int), int)",
            "@prnt",
            "there is no callback @prnt; did you mean @print? (@print, @compare, @count)",
        ),
        (
            "int apply(int (*f)(int), int)",
            "@",
            "there is no callback @; those that there are: @print, @compare, @count",
        ),
        (
            "int apply(int (*f)(const char *, ...), int)",
            "@print",
            "@print: int (const char *, ...): a callback cannot be variadic",
        ),
        (
            "int apply(struct unknown (*f)(int), int)",
            "@print",
            "@print: ",
        ),
    ] {
        let message = fails(1, &["call", library(), prototype, callback, "1"]);
        let expected = format!("farcall: apply: parameter 1 (f): {expected}");
        assert!(message.starts_with(&expected), "{message}\n{expected}");
    }
}

#[test]
fn a_crash_in_what_calls_back_is_the_functions_own() {
    use std::os::unix::process::ExitStatusExt;
    let output = farcall(&[
        "call",
        library(),
        "int apply(int (*f)(int), int)",
        "0x1",
        "1",
    ]);
    assert_eq!(output.status.signal(), Some(11));
}

#[test]
fn text_may_begin_with_an_at_sign() {
    assert_eq!(
        prints(&["call", "c", "size_t strlen(const char *)", "@print"]),
        "6\n"
    );
}
