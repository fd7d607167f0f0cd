//! Text that the preprocessor has not been over: macros of integers, guards, what is only for C++.

use super::{declarations, refusal};
use crate::decl::{DeclarationKind, Declarations};
use crate::error::Status;
use crate::types::target::LINUX_X86_64;

fn constant(declarations: &Declarations, name: &str) -> i64 {
    declarations
        .constant(name)
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A header as people write them.
const HEADER: &str = "\
/* A small header. */
#ifndef SMALL_H
#define SMALL_H

#include <stddef.h>
# include <stdint.h>  /* uint8_t */
#pragma once
#ifdef __cplusplus
extern \"C\" {
#if FOR_CPP
#endif
#endif

#define SMALL_API
#define SMALL_VERSION \"1.2\"
#define SMALL_MAX 16 /* bytes */
#define SMALL_ALL (SMALL_READ | \\
                   SMALL_WRITE) // both
#define SMALL_READ 1
#define SMALL_WRITE (1u << 1)
#define SMALL_MIN(a, b) ((a) < (b) ? (a) : (b))
#define SMALL_NONE ((size_t)-1)
#define SMALL_HALF 0.5

typedef struct small { uint8_t bytes[SMALL_MAX]; } small;
SMALL_API int small_open(const char *name, int flags) /* = SMALL_ALL */;
#ifndef __cplusplus
int for_c;
#else
int for_cpp
#endif

#ifdef __cplusplus
}
#endif
#endif /* SMALL_H */
";

#[test]
fn a_header_as_it_is() {
    let declarations = declarations(&format!("{HEADER}{HEADER}"));
    assert_eq!(constant(&declarations, "SMALL_MAX"), 16);
    assert_eq!(constant(&declarations, "SMALL_ALL"), 3);
    assert_eq!(constant(&declarations, "SMALL_WRITE"), 2);
    assert_eq!(constant(&declarations, "SMALL_NONE"), -1);
    for name in [
        "SMALL_VERSION",
        "SMALL_HALF",
        "SMALL_MIN",
        "SMALL_API",
        "SMALL_H",
    ] {
        assert!(declarations.constant(name).is_err(), "{name}");
    }
    assert_eq!(declarations.find_type("small").unwrap().get().size(), 16);
    assert!(declarations.function("small_open").is_some());
    assert!(declarations.find_type("__typeof__(for_c)").is_ok());
    assert!(declarations.find_type("__typeof__(for_cpp)").is_err());
    let listed: Vec<_> = (0..declarations.len())
        .map(|index| declarations.at(index).unwrap())
        .map(|(kind, name)| (kind, name.to_str().unwrap()))
        .collect();
    use DeclarationKind::{Constant, Function, Type, Variable};
    assert_eq!(
        listed,
        [
            (Constant, "SMALL_MAX"),
            (Constant, "SMALL_READ"),
            (Constant, "SMALL_WRITE"),
            (Constant, "SMALL_ALL"),
            (Constant, "SMALL_NONE"),
            (Type, "struct small"),
            (Type, "small"),
            (Function, "small_open"),
            (Variable, "for_c"),
        ]
    );
}

#[test]
fn the_same_again() {
    let mut twice = declarations(HEADER);
    let count = twice.len();
    twice.add(HEADER).unwrap();
    assert_eq!(twice.len(), count);
    // Constants of earlier texts are there for later ones, and a later definition counts.
    twice
        .add("int x[SMALL_MAX];\n#define SMALL_MAX 17")
        .unwrap();
    assert_eq!(constant(&twice, "SMALL_MAX"), 17);
    assert_eq!(twice.len(), count + 1);
}

#[test]
fn what_macros_are_worth() {
    let declarations = declarations(
        "#define A B\n#define B C + 1\n#define C sizeof(struct s)\nstruct s { int a[3]; };\n\
         #define SELF SELF\n#define OTHER SELF2\n#define SELF2 OTHER\n#define EMPTY\n\
         enum { E = 5,\n#define E E\n#define INNER 6\nF = INNER EMPTY };\n\
         #define E2 E\n#define BIG 0xffffffffffffffff\n#define HUGE (BIG * (__int128)BIG)\n\
         #define CHAR 'a'\n#define TWO 1 2\n#define UNDEFINED UNKNOWN\n#define HASH # x\n\
         #define NEGATIVE -1\n#define AGAIN 1\n#undef AGAIN\n#define AGAIN 2\n#define $ 1\n\
         int last[AGAIN];\n#define LAST 7",
    );
    for (name, value) in [
        ("B", 13),
        ("A", 13),
        ("C", 12),
        ("E", 5),
        ("E2", 5),
        ("F", 6),
        ("INNER", 6),
        ("BIG", -1),
        ("CHAR", 97),
        ("NEGATIVE", -1),
        ("AGAIN", 2),
        ("LAST", 7),
        ("$", 1),
    ] {
        assert_eq!(constant(&declarations, name), value, "{name}");
    }
    // What is undefined in the end is no constant; but enumerators are no macros.
    let undefined = super::declarations(
        "#define A 1\nint a[A];\n#undef A\n#define B 2\n#undef B\nint b;\n#define B 3\n\
         enum { E };\n#define E E\nint e[E + 1];\n#undef E\n",
    );
    assert!(undefined.constant("A").is_err());
    assert_eq!(constant(&undefined, "B"), 3);
    assert_eq!(constant(&undefined, "E"), 0);
    assert_eq!(undefined.len(), 5);
    // Nor is what is defined again as something else, which would depend on what was read before.
    let text =
        "#define A (B)\n#define C 1\nint a;\n#define A\n#define B 1\n#define C x\n#define B 2\n";
    let mut again = super::declarations(text);
    for _ in 0..2 {
        assert!(again.constant("A").is_err() && again.constant("C").is_err());
        assert_eq!(constant(&again, "B"), 2);
        assert_eq!(again.len(), 2);
        again.add(text).expect("the same again");
    }
    for name in [
        "SELF",
        "OTHER",
        "SELF2",
        "EMPTY",
        "HUGE",
        "TWO",
        "UNDEFINED",
        "HASH",
    ] {
        assert!(declarations.constant(name).is_err(), "{name}");
    }
}

#[test]
fn macros_without_end() {
    let many = 3000;
    // Each speaks of the one before twice; of the one after; of all.
    let doubling: String = (1..many)
        .map(|i| format!("#define M{i} (M{} + M{0} * 0)\n", i - 1))
        .collect();
    let doubled = declarations(&format!("#define M0 1\n{doubling}"));
    assert_eq!(constant(&doubled, &format!("M{}", many - 1)), 1);
    declarations(&doubling);
    let backwards: String = (1..many)
        .rev()
        .map(|i| format!("#define M{i} (M{} + 1)\n", i - 1))
        .collect();
    declarations(&format!("{backwards}#define M0 1\n"));
}

#[test]
fn directives_are_no_part_of_prototypes() {
    let known = declarations("#define N 3");
    assert!(known.find_type("int [N]").is_ok());
    let error = known.find_type("#define M 3\nint").unwrap_err();
    assert_eq!(error.status, Status::Syntax);
}

/// What is read twice is obeyed once.
#[test]
fn pragmas_that_are_read_again() {
    let text = "struct a { char c; int (*f)(int n, int a[n +\n#pragma pack(push, 1)\n1]); };
        _Static_assert(sizeof(int\n#pragma pack(push, 2)\n) == 4, \"\");
        struct b { char c; int i; };\n#pragma pack(pop)\nstruct c { char c; int i; };
        #pragma pack(pop)\nstruct d { char c; int i; };";
    let declarations = declarations(text);
    let size = |name| declarations.find_type(name).unwrap().get().size();
    assert_eq!(
        (size("struct b"), size("struct c"), size("struct d")),
        (6, 5, 8)
    );
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    declarations("\u{feff}#define N 3\nint f(void);");
    declarations("\u{feff}#pragma pack(1)\nint f(void);");
    let message = refusal("\u{feff}int f(size_tt);").message;
    assert!(message.starts_with("1:7: "), "{message}");
    assert!(
        message.ends_with("\n    int f(size_tt);\n          ^"),
        "{message}"
    );
    refusal("int \u{feff};x");
}

#[test]
fn line_markers_of_all_kinds() {
    let place = |text: &str| {
        let message = refusal(text).message;
        message.split_once(": ").unwrap().0.to_owned()
    };
    assert_eq!(place("# 3 \"a.h\" 1 3 4\nint x"), "2:6 (a.h:3)");
    assert_eq!(place("#line 30 \"a b.h\"\n\n\nint x"), "4:6 (a b.h:32)");
    assert_eq!(place("# 3 \"a.h\"\n# 9 \"b.h\"\nint x"), "3:6 (b.h:9)");
    assert_eq!(place("  #  3  \"a.h\"\r\nint x"), "2:6 (a.h:3)");
    assert_eq!(place("# 3 \"<stdin>\"\nint x"), "2:6");
    assert_eq!(place("# 3\nint x"), "2:6");
    assert_eq!(place("# 99999999999 \"a.h\"\nint x"), "2:6");
    assert_eq!(
        place("# 4294967295 \"a.h\"\n\n\nint x"),
        "4:6 (a.h:4294967295)"
    );
    let mut declarations = Declarations::new(&LINUX_X86_64);
    declarations.add("# 7 \"a.h\"\nint x;").unwrap();
    let error = declarations.add("# 9 \"b.h\"\nlong x;").unwrap_err();
    assert_eq!(
        error.message.lines().next(),
        Some(
            "2:6 (b.h:9): \"x\" is declared differently on line 2 of an earlier text, as \"int x\""
        )
    );
}

/// What the preprocessor would have replaced is not declared under its own name.
#[test]
fn macros_with_arguments_that_are_used() {
    for text in [
        "#define F(x) g_##x\nint F(int);\n",
        "#define f(x)\nint\nf (int);\n",
    ] {
        let error = Declarations::new(&LINUX_X86_64).add(text).unwrap_err();
        assert!(
            error
                .message
                .contains("is a macro, and macros in declarations"),
            "{error}"
        );
    }
    for text in [
        // Parentheses keep a macro from being one, and so does its own name in it.
        "#define f(x) g(x)\nint (f)(int);\n",
        "#define f(x) (f)(x)\nint f(int);\n",
        "int f(int);\n#define f(x) g(x)\n",
        "#define f(x) g(x)\nint f;\n",
    ] {
        Declarations::new(&LINUX_X86_64).add(text).unwrap();
    }
}
