//! Every kind of value, in and out. What is printed can be an argument again.

use crate::run::{line, prints};

fn check(cases: &[(&str, &[&str], &str)]) {
    for (function, arguments, expected) in cases {
        let printed = prints(&line(function, arguments));
        assert_eq!(printed, format!("{expected}\n"), "{function} {arguments:?}");
    }
}

#[test]
fn integers() {
    check(&[
        ("wrap", &["0xfe"], "255"),
        ("wrap", &["0377"], "0"),
        ("wrap", &["'a'"], "98"),
        ("wrap", &[r"'\xff'"], "0"),
        ("wrap", &["(unsigned char)300"], "45"),
        ("wrap", &["(unsigned char)-1"], "0"),
        ("wrap", &["(int)7.9"], "8"),
        ("wrap", &["1 << 4"], "17"),
        ("wrap", &["GREEN | 8"], "14"),
        ("wrap", &["sizeof(struct point)"], "17"),
        ("narrow", &["-128"], "-128"),
        ("narrow", &[r"'\x80'"], "-128"),
        ("narrow", &[" 1'0 "], "10"),
        ("negated", &["true"], "false"),
        ("negated", &["0"], "true"),
        ("negated", &["(_Bool)5"], "false"),
        (
            "wide",
            &["-170141183460469231731687303715884105728", "0"],
            "-170141183460469231731687303715884105728",
        ),
        (
            "wide",
            &[
                "170141183460469231731687303715884105727",
                "0xffff'ffff'ffff'ffff'ffff'ffff'ffff'ffff",
            ],
            "-170141183460469231731687303715884105728",
        ),
    ]);
}

#[test]
fn characters() {
    check(&[
        ("last", &["abc"], "'c'"),
        ("last", &[r"abc\n"], r"'\n'"),
        ("last", &[""], r"'\0'"),
        ("last", &["é"], r"'\251'"),
        ("last", &["it's"], "'s'"),
        ("last", &["'"], r"'\''"),
    ]);
}

#[test]
fn floating_numbers() {
    check(&[
        ("length", &["{3, 4}"], "5"),
        ("length", &["{0x1p-3, 0}"], "0.125"),
        ("length", &["{'\\0', 0b11}"], "3"),
        ("length", &["{010, 0}"], "8"),
        ("length", &["{inf, 0}"], "inf"),
        ("length", &["{-NAN, 0}"], "nan"),
        ("length", &["{GREEN, 0.f}"], "5"),
        ("length", &["{(float)0.1, 0}"], "0.10000000149011612"),
        ("length", &["{1'000.2'5, 0}"], "1000.25"),
    ]);
}

#[test]
fn negative_zero_comes_back() {
    let prints_of_m = |prototype: &str, arguments: &[&str]| {
        let line = [&["call", "m", prototype][..], arguments].concat();
        prints(&line)
    };
    for (prototype, arguments, expected) in [
        ("double nearbyint(double)", &["-0.2"][..], "-0.0"),
        ("float nearbyintf(float)", &["-0.2"], "-0.0"),
        ("long double nearbyintl(long double)", &["-0.2"], "-0.0"),
        ("double nearbyint(double)", &["-0.0"], "-0.0"),
        ("double nearbyint(double)", &["-0"], "-0.0"),
        ("double nearbyint(double)", &["0"], "0"),
        ("double copysign(double, double)", &["1", "-0"], "-1"),
        ("float copysignf(float, float)", &["1", "-0x0"], "-1"),
        (
            "double _Complex conj(double _Complex)",
            &["-0+0i"],
            "-0.0-0.0i",
        ),
    ] {
        assert_eq!(
            prints_of_m(prototype, arguments),
            format!("{expected}\n"),
            "{prototype} {arguments:?}"
        );
    }
}

#[test]
fn halves_have_few_digits() {
    for (argument, expected) in [
        ("0.2", "0.2"),
        ("-0.1", "-0.1"),
        ("0.333333", "0.3333"),
        ("65504", "65500"),
        ("6e-8", "6e-8"),
        ("2049", "2048"),
        ("1.5", "1.5"),
        ("inf", "inf"),
        ("nan", "nan"),
        ("-0", "-0.0"),
    ] {
        let line = line("same_half", &[argument]);
        assert_eq!(prints(&line), format!("{expected}\n"), "{argument}");
    }
}

#[test]
fn arrays_of_arrays() {
    check(&[
        ("rows", &["{{1, 2, 3}, {4, 5, 6}}", "2"], "123456"),
        ("rows", &["[{1, 2, 3}, {4, 5, 6}]", "2"], "123456"),
        ("rows", &["{1, 2, 3, 4, 5, 6}", "2"], "123456"),
        ("rows", &["{{1}, {[2] = 6}}", "2"], "100006"),
        ("rows", &["{1, 2, 3}", "1"], "123"),
        ("letters", &["{\"one\", \"three\"}", "2"], "35"),
    ]);
    assert_eq!(
        prints(&line("rows", &["&{{1, 2, 3}, {4, 5, 6}}", "2"])),
        "123456\nm = {{1, 2, 3}, {4, 5, 6}}\n"
    );
}

#[test]
fn enumerations_have_names() {
    check(&[
        ("next_color", &["RED"], "GREEN"),
        ("next_color", &["GREEN"], "BLUE"),
        ("next_color", &["6"], "7"),
        ("next_color", &["(enum color)5"], "BLUE"),
        ("other_size", &["SMALL"], "LARGE"),
        ("other_size", &["1"], "SMALL"),
    ]);
}

#[test]
fn structs() {
    check(&[
        ("twice", &["{1.5, 2}"], "{.x = 3, .y = 4}"),
        ("twice", &["{.y = 1}"], "{.x = 0, .y = 2}"),
        ("twice", &["{.y = 1, .x = 2,}"], "{.x = 4, .y = 2}"),
        ("twice", &["{}"], "{.x = 0, .y = 0}"),
        ("twice", &["(struct point){1, 2}"], "{.x = 2, .y = 4}"),
        (
            "reversed",
            &["{{1, 2}, {3, 4}, \"name\"}"],
            "{.from = {.x = 3, .y = 4}, .to = {.x = 1, .y = 2}, .name = \"name\"}",
        ),
        // Without inner braces, as in C.
        (
            "reversed",
            &["{1, 2, 3, 4, 'a', 'b'}"],
            "{.from = {.x = 3, .y = 4}, .to = {.x = 1, .y = 2}, .name = \"ab\"}",
        ),
        (
            "reversed",
            &["{.to.x = 1, 2, \"12345678\", .from = {5}}"],
            "{.from = {.x = 1, .y = 2}, .to = {.x = 5, .y = 0}, .name = \"12345678\"}",
        ),
        (
            "reversed",
            &["{(struct point){1, 2}, .name[1] = 'x', .name = {[0] = 'a', 'b'}}"],
            "{.from = {.x = 0, .y = 0}, .to = {.x = 1, .y = 2}, .name = \"ab\"}",
        ),
        (
            "same_tagged",
            &["{1, {.real = 0.5}, {{1, 2}, {3, 4}}}"],
            "{.kind = 1, {.whole = 4602678819172646912, .real = 0.5}, .pair = {{.a = 1, .b = 2}, \
             {.a = 3, .b = 4}}}",
        ),
        (
            "same_tagged",
            &["{.pair[1].b = 7, .whole = 3, .kind = 2}"],
            "{.kind = 2, {.whole = 3, .real = 1.5e-323}, .pair = {{.a = 0, .b = 0}, {.a = 0, .b = \
             7}}}",
        ),
        (
            "measured",
            &["{\"one, two}\", 0}"],
            "{.words = \"one, two}\", .length = 9}",
        ),
        ("measured", &["{null}"], "{.words = null, .length = -1}"),
    ]);
}

#[test]
fn what_is_printed_is_read() {
    for (function, value) in [
        (
            "same_flags",
            "{.mode = 5, .level = -16, .on = true, .color = BLUE}",
        ),
        (
            "same_tagged",
            "{.kind = 1, {.whole = 4602678819172646912, .real = 0.5}, .pair = {{.a = 1, .b = 2}, {.a \
             = 3, .b = 4}}}",
        ),
        (
            "same_number",
            "{.i = 1077936128, .f = 3, .bytes = {0, 0, 64, 64}}",
        ),
        (
            "measured",
            "{.words = \"a\\\"\\\\\\n\\001\\377é\", .length = 8}",
        ),
    ] {
        assert_eq!(prints(&line(function, &[value])), format!("{value}\n"));
    }
    let text = prints(&line("odd_text", &[]));
    assert_eq!(text, "\"a\\\"\\\\\\n\\001\\377é\"\n");
    let length = prints(&[
        "call",
        "libc.so.6",
        "size_t strlen(const char *)",
        text.trim_end(),
    ]);
    assert_eq!(length, "8\n");
}

#[test]
fn bit_fields() {
    check(&[
        (
            "same_flags",
            &["{7, -1, 1, RED}"],
            "{.mode = 7, .level = -1, .on = true, .color = RED}",
        ),
        (
            "same_flags",
            &["{.level = 15, .color = GREEN}"],
            "{.mode = 0, .level = 15, .on = false, .color = GREEN}",
        ),
    ]);
}

#[test]
fn unions() {
    check(&[
        (
            "same_number",
            &["{1}"],
            "{.i = 1, .f = 1e-45, .bytes = {1, 0, 0, 0}}",
        ),
        (
            "same_number",
            &["{.bytes = {[3] = 0x40}}"],
            "{.i = 1073741824, .f = 2, .bytes = {0, 0, 0, 64}}",
        ),
    ]);
}

#[test]
fn vectors() {
    check(&[
        ("doubled", &["{1, 2.5, -3}"], "{2, 5, -6, 0}"),
        ("doubled", &["{[2] = 1}"], "{0, 0, 2, 0}"),
    ]);
}

#[test]
fn complex_numbers() {
    for (argument, expected) in [
        ("1.5-2i", "1.5+2i\n"),
        ("2i", "0-2i\n"),
        ("{1, 2}", "1-2i\n"),
        ("1 + 2*I", "1-2i\n"),
        ("3", "3-0.0i\n"),
        ("-i", "0+1i\n"),
        ("(float)0.5", "0.5-0.0i\n"),
    ] {
        let line = [
            "call",
            "m",
            "double _Complex conj(double _Complex)",
            argument,
        ];
        assert_eq!(prints(&line), expected, "{argument}");
    }
}

#[test]
fn pointers() {
    check(&[
        ("sum", &["{1, 2, 3}", "3"], "6"),
        ("sum", &["[1, 2, 3]", "3"], "6"),
        ("sum", &["{[2] = 5}", "3"], "5"),
        ("sum", &["(int[]){1, 2}", "2"], "3"),
        ("sum", &["(int[4]){1, 2}", "4"], "3"),
        ("total", &["[{1, 2}, {3, 4}]", "2"], "46"),
        ("total", &["{1, 2}", "1"], "12"),
        ("total", &["(struct point[]){{1}, {.y = 1}}", "2"], "11"),
        ("reach", &["{{0, 0}, {3, 4}}"], "5"),
        ("words", &["{\"one\", \"two, three\", null}"], "2"),
        ("nodes", &["{{{null, 1}, 2}, 3}"], "6"),
        ("nodes", &["null"], "0"),
        ("nodes", &["0"], "0"),
        ("open_it", &["0x1000"], "1"),
        ("open_it", &["(struct opaque *)5"], "1"),
        ("apply", &["toupper", "'a'"], "65"),
        (
            "is_aligned",
            &["(struct { _Alignas(4096) char c; }[1]){'a'}", "4096"],
            "1",
        ),
        ("handler", &["0"], "null"),
        // Nothing is there.
        ("no_text", &[], "0x10"),
    ]);
    let address = prints(&line("handler", &["1"]));
    assert!(address.starts_with("0x"), "{address}");
}

#[test]
fn text_for_pointers() {
    let length = |prototype: &str, text: &str| prints(&["call", "libc.so.6", prototype, text]);
    for (text, expected) in [
        ("hello", "5\n"),
        ("", "0\n"),
        (" a ", "3\n"),
        (r"a\tb\\", "4\n"),
        (r"\u00e9", "2\n"),
        ("\"quoted\"", "6\n"),
        ("\"one\" \"two\"", "6\n"),
        (r#""a\0b""#, "1\n"),
        ("0", "1\n"),
        ("0x1234", "6\n"),
        ("-3", "2\n"),
        ("{\"json\": [1]}", "13\n"),
        ("(text)", "6\n"),
        ("(int)5", "6\n"),
        ("(char *)text", "4\n"),
        ("nul", "3\n"),
    ] {
        assert_eq!(
            length("size_t strlen(const char *)", text),
            expected,
            "{text}"
        );
    }
    assert_eq!(
        length("size_t strlen(const unsigned char *)", "text"),
        "4\n"
    );
    assert_eq!(
        length("size_t strlen(const unsigned char *)", "{65, 66, 0}"),
        "2\n"
    );
    assert_eq!(length("size_t strlen(const void *)", "\"text\""), "4\n");
    assert_eq!(
        length("size_t wcslen(const wchar_t *)", "L\"h\\u00e9é😀\""),
        "4\n"
    );
    assert_eq!(length("size_t wcslen(const char32_t *)", "U\"abc\""), "3\n");
}
