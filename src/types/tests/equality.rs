//! When two types are the same.

use crate::decl::Declarations;
use crate::types::target::{LINUX_X86_64, WINDOWS_X86_64};
use crate::types::{Scalar, Type, TypeBuilder};

const TEXT: &str = "
    struct point { int x, y; }; struct other { int x, y; }; struct packed_point { char c; int i; }
        __attribute__((packed));
    struct node { struct node *next; int value; };
    struct even { struct odd *next; }; struct odd { struct even *next; };
    struct later; union u { int i; float f; }; enum e { A }; enum f { B }; enum g { C = -1 };
    typedef int big __attribute__((aligned(16)));";

/// Whether two types are the same that come from two texts that know nothing of one another.
fn same(a: &str, b: &str) -> bool {
    let find = |text: &str| {
        let mut declarations = Declarations::new(&LINUX_X86_64);
        declarations.add(TEXT).unwrap();
        declarations.find_type(text).unwrap()
    };
    let (a, b) = (find(a), find(b));
    let same = a.get().same_as(b.get());
    assert_eq!(b.get().same_as(a.get()), same, "{a:?} and {b:?}");
    same
}

#[test]
fn types_that_are_the_same() {
    for text in [
        "int",
        "void",
        "const char *",
        "int[3]",
        "int[]",
        "struct point",
        "struct later",
        "struct later *",
        "struct node",
        "struct even",
        "union u",
        "enum e",
        "struct { int a; int b : 3; }",
        "float __attribute__((vector_size(16)))",
        "int (*)(const char *, ...)",
        "big",
    ] {
        assert!(same(text, text), "{text}");
    }
    for (a, b) in [
        ("long", "long long"),
        ("char", "signed char"),
        ("int", "const int"),
        ("int *", "int *const"),
        ("long *", "long long *"),
        ("int (*)(int a)", "int (*)(int b)"),
        ("struct { int a; }", "struct { int a; }"),
    ] {
        assert!(same(a, b), "{a} and {b}");
    }
}

#[test]
fn types_that_differ() {
    for (a, b) in [
        ("int", "unsigned"),
        ("int", "float"),
        ("int", "enum e"),
        ("char *", "const char *"),
        ("volatile char *", "const char *"),
        ("char **", "char *const *"),
        ("char **", "const char **"),
        ("void *", "char *"),
        ("void *", "const void *"),
        ("int[3]", "int[4]"),
        ("int[3]", "int[]"),
        ("int[3]", "unsigned[3]"),
        ("int[2][3]", "int[3][2]"),
        ("struct point", "struct other"),
        ("struct point", "struct { int x, y; }"),
        ("struct point", "union u"),
        ("struct { int a; }", "struct { int b; }"),
        ("struct { int a; }", "union { int a; }"),
        ("struct { int a; }", "struct { unsigned a; }"),
        ("struct { int a : 3; }", "struct { int a : 4; }"),
        (
            "struct { int a : 3, b : 5; }",
            "struct { int a : 4, b : 4; }",
        ),
        (
            "struct { int a; }",
            "struct { int a; } __attribute__((aligned(8)))",
        ),
        (
            "struct { char c; int i; }",
            "struct { char c; int i; } __attribute__((packed))",
        ),
        ("struct even", "struct odd"),
        ("struct later", "struct node"),
        ("enum e", "enum f"),
        ("enum e", "enum g"),
        ("int", "big"),
        (
            "int __attribute__((vector_size(16)))",
            "int __attribute__((vector_size(8)))",
        ),
        (
            "int __attribute__((vector_size(16)))",
            "unsigned __attribute__((vector_size(16)))",
        ),
        ("int (int)", "int (long)"),
        ("int (int)", "int (int, int)"),
        ("int (int)", "void (int)"),
        ("int (int)", "int (int, ...)"),
        ("int (int)", "int (*)(int)"),
        ("int (int)", "int (int) __attribute__((ms_abi))"),
    ] {
        assert!(!same(a, b), "{a} and {b}");
    }
}

/// A struct that is complete in one text only is not what the other text knows.
#[test]
fn an_incomplete_record_is_another_type() {
    let find = |source: &str| {
        let mut declarations = Declarations::new(&LINUX_X86_64);
        declarations.add(source).unwrap();
        declarations.find_type("struct s *").unwrap()
    };
    let (declared, defined) = (find("struct s;"), find("struct s { int a; };"));
    assert!(!declared.get().same_as(defined.get()));
}

/// Two circles of different length that look alike from within: comparing them must end.
#[test]
fn recursive_types_are_compared_to_the_end() {
    let circle = |length: usize| {
        let mut types = TypeBuilder::new(&LINUX_X86_64);
        let records: Vec<_> = (0..length)
            .map(|_| types.declare_record(false, Some(c"node".into())))
            .collect();
        for index in 0..length {
            let next = records[(index + 1) % length].clone();
            let link = types.pointer(Some(next), Default::default());
            let spec = crate::types::FieldSpec {
                name: Some(c"next".into()),
                link,
                bits: None,
                align: 0,
                packed: false,
            };
            types
                .define_record(&records[index], vec![spec], &Default::default())
                .unwrap();
        }
        types.finish_with(records[0].clone())
    };
    assert!(circle(1).get().same_as(circle(1).get()));
    assert!(circle(2).get().same_as(circle(3).get()));
}

/// Forty levels, each of which mentions the one below twice: a trillion paths lead to the bottom.
#[test]
fn nested_functions_and_records_are_compared_once() {
    for (bottom, level) in [
        ("typedef int t0;", "typedef void (*tN)(tM, tM);"),
        ("typedef int t0;", "typedef struct { tM *a, *b; } tN;"),
    ] {
        let find = || {
            let mut declarations = Declarations::new(&LINUX_X86_64);
            declarations.add(bottom).unwrap();
            for index in 1..=40 {
                let text = level.replace('N', &index.to_string());
                let text = text.replace('M', &(index - 1).to_string());
                declarations.add(&text).unwrap();
            }
            declarations.find_type("t40").unwrap()
        };
        assert!(find().get().same_as(find().get()));
    }
}

#[test]
fn long_is_what_the_target_says() {
    let long = Type::scalar(Scalar::Long, &WINDOWS_X86_64);
    assert!(
        long.get()
            .same_as(Type::scalar(Scalar::Int, &WINDOWS_X86_64).get())
    );
    assert!(
        !long
            .get()
            .same_as(Type::scalar(Scalar::Long, &LINUX_X86_64).get())
    );
}
