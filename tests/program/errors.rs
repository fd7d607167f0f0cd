//! What the program says of mistakes in libraries, prototypes and arguments.

use crate::run::{fails, line};

/// Mistakes in arguments of the fixture's functions.
fn check(cases: &[(&str, &[&str], &str)]) {
    for (function, arguments, expected) in cases {
        let message = fails(1, &line(function, arguments));
        assert_eq!(
            message,
            format!("farcall: {expected}\n"),
            "{function} {arguments:?}"
        );
    }
}

#[test]
fn libraries_symbols_and_prototypes() {
    for (arguments, expected) in [
        (
            &["libc.so.6", "int no_such_function(int)", "1"][..],
            "symbol no_such_function: not found in",
        ),
        (
            &["libno_such_library.so", "int f(void)"],
            "library libno_such_library.so: not found",
        ),
        (
            &["libm.so.6", "double pow(double"],
            "farcall: prototype:1:18: expected",
        ),
        (
            &["libm.so.6", "double pow(double"],
            "\n    double pow(double\n                     ^\n",
        ),
        (
            &["libm.so.6", "pow", "2", "10"],
            "farcall: pow: a name alone says nothing of its types; give its prototype, as 'int \
             pow(int)', or a header that declares it: --decls FILE.h\n",
        ),
        (
            &[
                "libc.so.6",
                "FILE *fopen(const char *, const char *)",
                "a",
                "r",
            ],
            "prototype:1:1: unknown type name \"FILE\"\n    FILE *fopen(const char *, const char *)\n    \
             ^\nthe types of a header come with --cpp --decls FILE.h\n",
        ),
        (
            &["libm.so.6", "pow(double, double)", "2", "10"],
            "prototype:1:1: unknown type name \"pow\"\n    pow(double, double)\n    ^\nthe type of the \
             result comes before the function's name, as in C\n",
        ),
        (
            &["libc.so.6", "int stdin(void)"],
            "farcall: stdin is a variable, not a function\n",
        ),
        (
            &["libm.so.6", "double (double)", "1"],
            "the prototype has no name",
        ),
        (
            &["libm.so.6", "double pow(struct p)", "1"],
            "struct p, is incomplete",
        ),
    ] {
        let mut line = vec!["call"];
        line.extend_from_slice(arguments);
        let message = fails(1, &line);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn how_many_arguments() {
    for (arguments, expected) in [
        (
            &["m", "double pow(double, double)", "2"][..],
            "pow: expected 2 arguments, got 1: double pow(double, double)",
        ),
        (
            &["c", "int abs(int)"],
            "abs: expected 1 argument, got 0: int abs(int)",
        ),
        (
            &["libc.so.6", "int getpid(void)", "1"],
            "getpid: expected 0 arguments, got 1: int getpid(void)",
        ),
        (
            &["libc.so.6", "int printf(const char *, ...)"],
            "printf: expected at least 1 argument, got 0: int printf(const char *, ...)",
        ),
    ] {
        let mut line = vec!["call"];
        line.extend_from_slice(arguments);
        if line[1] == "c" {
            line[1] = "libc.so.6";
        }
        assert_eq!(
            fails(2, &line),
            format!("farcall: {expected}\ntry 'farcall call --help'\n")
        );
    }
}

#[test]
fn numbers() {
    check(&[
        (
            "wrap",
            &["300"],
            "wrap: parameter 1 (c): 300 does not fit in unsigned char (0 to 255)",
        ),
        (
            "wrap",
            &["-1"],
            "wrap: parameter 1 (c): -1 does not fit in unsigned char (0 to 255); (unsigned char)-1 \
             wraps it as C does",
        ),
        (
            "wrap",
            &["(long)300"],
            "wrap: parameter 1 (c): 300 does not fit in unsigned char (0 to 255)",
        ),
        (
            "narrow",
            &["-129"],
            "narrow: parameter 1 (c): -129 does not fit in signed char (-128 to 127)",
        ),
        (
            "narrow",
            &["ten"],
            "narrow: parameter 1 (c): expected signed char, got \"ten\", which is no known constant; \
             write a whole number (42, 0x2a) or a character ('a')",
        ),
        (
            "narrow",
            &[""],
            "narrow: parameter 1 (c): expected signed char, got \"\"; write a whole number (42, 0x2a) \
             or a character ('a')",
        ),
        (
            "narrow",
            &["GREN"],
            "narrow: parameter 1 (c): expected signed char, got \"GREN\"; did you mean \"GREEN\"?",
        ),
        (
            "narrow",
            &["O_RDONLY"],
            "narrow: parameter 1 (c): expected signed char, got \"O_RDONLY\", which is no known \
             constant; those of a header come with --cpp --decls FILE.h",
        ),
        (
            "narrow",
            &["GREEN | GREN"],
            "narrow: parameter 1 (c): expected signed char, got \"GREEN | GREN\": unknown constant \
             \"GREN\"; did you mean \"GREEN\"?",
        ),
        (
            "narrow",
            &["length"],
            "narrow: parameter 1 (c): expected signed char, got \"length\": \"length\" is a function, \
             not a constant",
        ),
        (
            "narrow",
            &["1/0"],
            "narrow: parameter 1 (c): expected signed char, got \"1/0\": a division by zero",
        ),
        (
            "narrow",
            &["sizeof(struct xyzzy)"],
            "narrow: parameter 1 (c): expected signed char, got \"sizeof(struct xyzzy)\": unknown type \
             \"struct xyzzy\"",
        ),
        (
            "narrow",
            &["(nope)5"],
            "narrow: parameter 1 (c): (nope): unknown type name \"nope\"",
        ),
        (
            "narrow",
            &["(5"],
            "narrow: parameter 1 (c): expected signed char, got \"(5\": expected ')' after an \
             expression, found the end of the text",
        ),
        (
            "narrow",
            &["1_0"],
            "narrow: parameter 1 (c): \"1_0\" is no number: \"_0\" cannot stand behind 1",
        ),
        (
            "narrow",
            &["2000000000 * 2"],
            "narrow: parameter 1 (c): expected signed char, got \"2000000000 * 2\": it is 4000000000, \
             which overflows int; L behind a number makes it long",
        ),
        (
            "length",
            &["{2000000000 * 2}"],
            "length: parameter 1 (p): .x: expected double, got \"2000000000 * 2\": it is 4000000000, \
             which overflows int; L behind a number makes it long",
        ),
        (
            "narrow",
            &["1.5"],
            "narrow: parameter 1 (c): expected signed char, got 1.5, which is no whole number; \
             (signed char)1.5 cuts it off",
        ),
        (
            "narrow",
            &["08"],
            "narrow: parameter 1 (c): \"08\": 8 is no octal digit, and a number that begins with 0 is \
             octal; write 8",
        ),
        (
            "narrow",
            &["'ab'"],
            "narrow: parameter 1 (c): 'ab' is not one character; a string has \"quotes\"",
        ),
        (
            "narrow",
            &["(double)1"],
            "narrow: parameter 1 (c): expected signed char, got double",
        ),
        (
            "narrow",
            &["(void *)1"],
            "narrow: parameter 1 (c): expected signed char, got void *",
        ),
        (
            "negated",
            &["2"],
            "negated: parameter 1 (b): expected true or false, got 2",
        ),
        (
            "negated",
            &["yes"],
            "negated: parameter 1 (b): expected _Bool, got \"yes\"; write true or false",
        ),
        (
            "next_color",
            &["PINK"],
            "next_color: parameter 1 (c): expected enum color, got \"PINK\"; write RED, GREEN, BLUE \
             or a number",
        ),
        (
            "length",
            &["{one, 2}"],
            "length: parameter 1 (p): .x: expected double, got \"one\"; write a number (2.5, 1e9, \
             0x1p-3, inf)",
        ),
        (
            "length",
            &["{1e400}"],
            "length: parameter 1 (p): .x: 1e400 is too large for double; inf is infinity",
        ),
        (
            "length",
            &["{1.2.3}"],
            "length: parameter 1 (p): .x: \"1.2.3\" is no number: expected digits with at most one \
             point",
        ),
        (
            "wide",
            &["0", "340282366920938463463374607431768211456"],
            "wide: parameter 2 (b): 340282366920938463463374607431768211456 does not fit in 128 bits",
        ),
    ]);
    let complex = ["call", "m", "double _Complex conj(double _Complex)", "one"];
    assert_eq!(
        fails(1, &complex),
        "farcall: conj: parameter 1: expected double _Complex, got \"one\"; write 1.5-2i or {1.5, \
         -2}\n"
    );
}

#[test]
fn structs_and_lists() {
    check(&[
        (
            "length",
            &["1.5"],
            "length: parameter 1 (p): expected struct point (16 bytes), got \"1.5\"; write {.x = ..., \
             .y = ...}",
        ),
        (
            "length",
            &["{1, 2, 3}"],
            "length: parameter 1 (p): \"3\" is one value too many for struct point; it has .x, .y",
        ),
        (
            "length",
            &["{.z = 3}"],
            "length: parameter 1 (p): struct point has no member z; it has .x, .y",
        ),
        (
            "length",
            &["{[0] = 3}"],
            "length: parameter 1 (p): [0]: the members of struct point have names; it has .x, .y",
        ),
        (
            "length",
            &["{.x.y = 3}"],
            "length: parameter 1 (p): .x is double, which has no parts",
        ),
        (
            "length",
            &["{1, 2"],
            "length: parameter 1 (p): '{' is never closed in \"{1, 2\"",
        ),
        (
            "length",
            &["{1, 2} 3"],
            "length: parameter 1 (p): \"3\" follows what was closed",
        ),
        (
            "length",
            &["{1,, 2}"],
            "length: parameter 1 (p): expected a value before ','",
        ),
        (
            "length",
            &["(struct line){1}"],
            "length: parameter 1 (p): expected struct point (16 bytes), got struct line (40 bytes)",
        ),
        (
            "length",
            &["(struct pint){1}"],
            "length: parameter 1 (p): (struct pint): unknown type \"struct pint\"; did you mean \
             \"struct point\"?",
        ),
        (
            "reversed",
            &["{.from = {.x = \"a\"}}"],
            "reversed: parameter 1 (l): .from.x: expected double, got \"a\"; write a number (2.5, \
             1e9, 0x1p-3, inf)",
        ),
        (
            "reversed",
            &["{.name = \"123456789\"}"],
            "reversed: parameter 1 (l): .name: the string \"123456789\" has 9 elements, and does not \
             fit in char[8] (8 bytes)",
        ),
        (
            "reversed",
            &["{.name[8] = 'a'}"],
            "reversed: parameter 1 (l): [8] is past the end: there are 8 elements of char",
        ),
        (
            "reversed",
            &["{.name.x = 'a'}"],
            "reversed: parameter 1 (l): .x: elements of char have numbers; write [0] = ...",
        ),
        (
            "reversed",
            &["{.name = {300}}"],
            "reversed: parameter 1 (l): .name[0]: 300 does not fit in char (-128 to 127)",
        ),
        (
            "reversed",
            &["{1, 2, 3, 4, L\"wide\"}"],
            "reversed: parameter 1 (l): .name: expected elements of char, got the string \
             \"L\"wide\"\" with elements of 4 bytes; write it without the prefix",
        ),
        (
            "same_flags",
            &["{8}"],
            "same_flags: parameter 1 (f): .mode: 8 does not fit in 3 bits of unsigned int (0 to 7)",
        ),
        (
            "same_flags",
            &["{.level = -17}"],
            "same_flags: parameter 1 (f): .level: -17 does not fit in 5 bits of int (-16 to 15)",
        ),
        (
            "same_number",
            &["{1, 2}"],
            "same_number: parameter 1 (n): \"2\" is one value too many: union number has one member \
             at a time",
        ),
        (
            "doubled",
            &["{1, 2, 3, 4, 5}"],
            "doubled: parameter 1 (v): \"5\" is one value too many: there are 4 elements of float",
        ),
        (
            "doubled",
            &["1"],
            "doubled: parameter 1 (v): expected float __attribute__((vector_size(16))) (16 bytes), \
             got \"1\"; write {1, 2, ...}",
        ),
    ]);
    let deep = "&".repeat(200);
    let type_name = format!("int f(int {})", "*".repeat(200));
    let line = [
        "call",
        "libc.so.6",
        &type_name.replace(" f(", " abs("),
        &deep,
    ];
    assert_eq!(
        fails(1, &line),
        "farcall: abs: parameter 1: values are written in one another more than 100 deep\n"
    );
}

#[test]
fn pointers() {
    check(&[
        (
            "sum",
            &["5", "1"],
            "sum: parameter 1 (values): expected const int *, got 5; &5 passes the address of a 5, \
             and an address itself is hexadecimal",
        ),
        (
            "sum",
            &["five", "1"],
            "sum: parameter 1 (values): expected const int *, got \"five\"; write {1, 2, ...}, null, \
             an address (0x...), or & for one that is printed afterwards",
        ),
        (
            "sum",
            &["\"five\"", "1"],
            "sum: parameter 1 (values): expected elements of int, got the string \"five\" with \
             elements of 1 byte; L\"...\" and U\"...\" have such",
        ),
        (
            "sum",
            &["(int)5", "1"],
            "sum: parameter 1 (values): expected const int *, got int; &(int)... passes its address",
        ),
        (
            "sum",
            &["{1, x}", "1"],
            "sum: parameter 1 (values): [1]: expected int, got \"x\"; write \"'x'\" for the \
             character, as the shell takes the outer quotes away",
        ),
        (
            "sum",
            &["0x1ffffffffffffffff", "1"],
            "sum: parameter 1 (values): 0x1ffffffffffffffff is no address: it does not fit in 64 bits",
        ),
        (
            "sum",
            &["&[-1]", "1"],
            "sum: parameter 1 (values): room for elements: -1 is out of range",
        ),
        (
            "sum",
            &["&[many]", "1"],
            "sum: parameter 1 (values): room for elements: expected a whole number in [], got \"many\"",
        ),
        (
            "sum",
            &["&[0x1000000000000]", "1"],
            "sum: parameter 1 (values): there is no memory for 1125899906842624 bytes",
        ),
        (
            "sum",
            &["&[0x7fffffffffffffff]", "1"],
            "sum: parameter 1 (values): there is no memory for 9223372036854775807 elements",
        ),
        (
            "sum",
            &["{[0x7ffffffff] = 1}", "1"],
            "sum: parameter 1 (values): [34359738367]: there are at most 1073741824 bytes in a value",
        ),
        (
            "total",
            &["point", "1"],
            "total: parameter 1 (points): expected const struct point *, got \"point\"; write {...}, \
             null, an address (0x...), or & for one that is printed afterwards",
        ),
        (
            "fill",
            &["text", "1", "1"],
            "fill: parameter 1 (memory): expected void *, got \"text\"; write null, an address \
             (0x...), '\"text\"' in quotes of its own, or &[16] for 16 bytes that are printed afterwards",
        ),
        (
            "fill",
            &["&", "1", "1"],
            "fill: parameter 1 (memory): void * does not say what it points to; write &(int) 0 for \
             the address of an int, or &[16] for 16 bytes",
        ),
        (
            "fill",
            &["{1u, 2}", "1", "1"],
            "fill: parameter 1 (memory): void * does not say what it points to, so that a list needs \
             a type: (int[]){1u, 2}; text is written in \"quotes\"",
        ),
        (
            "open_it",
            &["&"],
            "open_it: parameter 1 (it): struct opaque is incomplete: its members are not known, so \
             there is no memory for it; write null or an address, or bring its members with --decls",
        ),
        (
            "open_it",
            &["{1}"],
            "open_it: parameter 1 (it): struct opaque is incomplete: its members are not known; write \
             null or an address, or bring its members with --decls",
        ),
        (
            "upper",
            &["&text"],
            "upper: parameter 1 (text): expected what char * points to after '&', got \"text\"; write \
             &\"...\" for text that is printed afterwards, &[64] for room for 64 bytes, and \"&...\" \
             for text that begins with &",
        ),
        (
            "upper",
            &["C:\\dir"],
            "upper: parameter 1 (text): unknown escape sequence \\d; \\\\ is a backslash",
        ),
        (
            "upper",
            &["a\\0b"],
            "upper: parameter 1 (text): the text has a NUL in it, where a string ends; in quotes of \
             its own, as C writes it, it may: \"...\\0...\"",
        ),
        (
            "upper",
            &["\"a"],
            "upper: parameter 1 (text): \"a has no closing quote",
        ),
        (
            "upper",
            &["L\"a\""],
            "upper: parameter 1 (text): expected elements of char, got the string \"L\"a\"\" with \
             elements of 4 bytes; write it without the prefix",
        ),
        (
            "apply",
            &["&", "1"],
            "apply: parameter 1 (function): int (int) has no values to point to; write the function's \
             name or null",
        ),
        (
            "words",
            &["{one}"],
            "words: parameter 1 (list): [0]: expected const char *, got \"one\"; write '\"text\"' in \
             quotes of its own, null, an address (0x...), or &[16] for 16 bytes that are printed afterwards",
        ),
    ]);
    let message = fails(1, &line("apply", &["no_such_function", "1"]));
    assert!(
        message.contains("apply: parameter 1 (function): symbol no_such_function: not found in"),
        "{message}"
    );
}
