//! Types as C text. A parser reads each text, so that the test sees what people will.

use crate::decl::{Declarations, parse_signature};
use crate::types::target::LINUX_X86_64;
use crate::types::{Scalar, TypeBuilder};

fn declarations() -> Declarations {
    let mut declarations = Declarations::new(&LINUX_X86_64);
    declarations
        .add("struct point { int x, y; }; union u { int i; }; enum e { A }; struct later;")
        .unwrap();
    declarations
}

fn name(text: &str) -> String {
    let ty = declarations().find_type(text).unwrap();
    ty.get().name().to_string_lossy().into_owned()
}

#[test]
fn names_that_read_as_they_were_written() {
    for text in [
        "void",
        "unsigned long long",
        "double _Complex",
        "void *",
        "const void *",
        "volatile int *",
        "const volatile char *",
        "int **",
        "const char *const *",
        "void *const *",
        "int *volatile *",
        "int[3]",
        "int[]",
        "int[2][3]",
        "int *[3]",
        "const char *[4]",
        "int (*)[3]",
        "int (*[2])[3]",
        "const int (*)[3]",
        "struct point",
        "struct point *",
        "const union u *",
        "enum e",
        "const enum e *",
        "struct later *",
        "int (void)",
        "int (*)(void)",
        "int (*)(const char *, ...)",
        "void (*(*)(int))(double)",
        "int (*(*)[3])(void)",
        "int (*const *)(int)",
        "int (int) __attribute__((ms_abi))",
        "int (__attribute__((ms_abi)) *)(int)",
        "int (__attribute__((ms_abi)) *const *)(int)",
        "void (*(__attribute__((ms_abi)) *)(void))(int (__attribute__((ms_abi)) *)(int))",
        "void (int (__attribute__((ms_abi)) *)(int)) __attribute__((ms_abi))",
        "void (int (*)(int), struct point[2])",
        "float __attribute__((vector_size(16)))",
        "struct { int a; char b[3]; int c : 4; int : 0; }",
        "union { float f; struct { short s; }; }",
    ] {
        // A parameter's array decays.
        assert_eq!(
            name(text),
            text.replace("struct point[2]", "struct point *")
        );
    }
}

#[test]
fn names_in_their_usual_spelling() {
    for (text, expected) in [
        ("long unsigned int", "unsigned long"),
        ("char const *", "const char *"),
        ("int (*)()", "int (*)(void)"),
        ("void (*)(int a, double b[])", "void (*)(int, double *)"),
        ("_Complex float", "float _Complex"),
        ("int (((*)))", "int *"),
        (
            "struct { struct point p, *q; }",
            "struct { struct point p; struct point *q; }",
        ),
    ] {
        assert_eq!(name(text), expected);
    }
}

#[test]
fn a_declarator_goes_where_it_belongs() {
    for (text, expected) in [
        ("int", "int x"),
        ("int *", "int *x"),
        ("const char *const *", "const char *const *x"),
        ("int[2][3]", "int x[2][3]"),
        ("int (*)[3]", "int (*x)[3]"),
        ("void (*(*)(int))(double)", "void (*(*x)(int))(double)"),
        ("struct point", "struct point x"),
    ] {
        assert_eq!(
            declarations().find_type(text).unwrap().get().declare("x"),
            expected
        );
    }
    for prototype in [
        "int printf(const char *, ...)",
        "void (*signal(int, void (*)(int)))(int)",
    ] {
        let signature = parse_signature(None, &LINUX_X86_64, prototype).unwrap();
        assert_eq!(signature.prototype(), prototype);
    }
}

#[test]
fn incomplete_types_without_a_tag() {
    let mut types = TypeBuilder::new(&LINUX_X86_64);
    let record = types.declare_record(false, None);
    let union = types.declare_record(true, None);
    let enumeration = types.enumeration(None, None);
    for (link, expected) in [(record, "struct"), (union, "union"), (enumeration, "enum")] {
        assert_eq!(types.get(&link).declare(""), expected);
    }
}

#[test]
fn an_enumeration_without_a_tag_has_the_name_of_its_type() {
    assert_eq!(name("enum { B }"), "unsigned int");
    assert_eq!(name("enum { B = -1 }"), "int");
}

/// A text without an end would be of no use, and following it would need a stack without end.
#[test]
fn a_deep_type_is_cut() {
    let mut types = TypeBuilder::new(&LINUX_X86_64);
    let mut link = types.scalar(Scalar::Int);
    for _ in 0..10_000 {
        link = types.pointer(Some(link), Default::default());
    }
    assert_eq!(
        types.get(&link).declare(""),
        format!("... {}", "*".repeat(33))
    );
}

/// A record without a tag that points to itself: C cannot declare it, but the C API can.
#[test]
fn a_nameless_recursive_record_is_cut() {
    let mut types = TypeBuilder::new(&LINUX_X86_64);
    let record = types.declare_record(false, None);
    let next = types.pointer(Some(record.clone()), Default::default());
    let spec = crate::types::FieldSpec {
        name: Some(c"next".into()),
        link: next,
        bits: None,
        align: 0,
        packed: false,
    };
    types
        .define_record(&record, vec![spec], &Default::default())
        .unwrap();
    let text = types.get(&record).declare("");
    assert!(text.starts_with("struct { struct { "), "{text}");
    assert!(text.contains("... next; "), "{text}");
    assert!(text.len() < 1000, "{text}");
}

#[test]
fn descriptions_tell_the_sizes_that_matter() {
    for (text, expected) in [
        ("int", "int"),
        ("int *", "int *"),
        ("struct point", "struct point (8 bytes)"),
        ("union u", "union u (4 bytes)"),
        ("int[3]", "int[3] (12 bytes)"),
        ("int[]", "int[]"),
        (
            "float __attribute__((vector_size(16)))",
            "float __attribute__((vector_size(16))) (16 bytes)",
        ),
        ("struct later", "struct later"),
        ("enum e", "enum e"),
        ("int (void)", "int (void)"),
    ] {
        assert_eq!(
            declarations().find_type(text).unwrap().get().describe(),
            expected
        );
    }
}

#[test]
fn pointers_to_one_type_are_one_type_in_a_table() {
    use crate::types::{Data, Link, Qualifiers};
    let constant = Qualifiers {
        is_const: true,
        is_volatile: false,
    };
    let mut types = TypeBuilder::new(&LINUX_X86_64);
    // A table of a few types is not searched.
    for number in 0..20 {
        types.declare_record(
            false,
            Some(std::ffi::CString::new(format!("s{number}")).unwrap()),
        );
    }
    let index = |link: Link| match link {
        Link::Local(index) => index,
        Link::Type(_) => u32::MAX,
    };
    let int = types.scalar(Scalar::Int);
    let mut kinds = Vec::new();
    for pointee in [Some(int), Some(Link::Local(0)), Some(Link::Local(1)), None] {
        for qualifiers in [Qualifiers::default(), constant] {
            let first = types.pointer(pointee.clone(), qualifiers);
            let again = types.pointer(pointee.clone(), qualifiers);
            let Data::Pointer {
                qualifiers: made, ..
            } = &types.get(&first).node.data
            else {
                assert!(pointee.is_none());
                continue;
            };
            assert_eq!(*made, qualifiers);
            assert_eq!(index(first.clone()), index(again));
            kinds.push(index(first));
        }
    }
    kinds.dedup();
    assert_eq!(kinds.len(), 7);
}
