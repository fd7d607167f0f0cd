//! The collection: names, their order, declaring again, and texts that follow one another.

use super::{declarations, refusal, type_text};
use crate::decl::{DeclarationKind, Declarations, parse_signature};
use crate::error::Status;
use crate::types::target::LINUX_X86_64;
use crate::types::{Data, Kind};
use std::sync::Arc;

fn list(declarations: &Declarations) -> Vec<String> {
    (0..declarations.len())
        .map(|index| {
            let (kind, name) = declarations.at(index).unwrap();
            format!("{} {}", kind as u32, name.to_str().unwrap())
        })
        .collect()
}

#[test]
fn names_in_the_order_of_the_text() {
    let declarations = declarations(
        "typedef struct point { int x; } point_t;
         enum color { RED, GREEN } paint(struct point *, union u *);
         extern int count, *table[3]; typedef enum { ONE = 1 } number; struct later;
         double pow(double, double), sqrt(double); static const int three = 3, list[] = { 1, 2 };",
    );
    assert_eq!(
        list(&declarations),
        [
            "1 struct point",
            "1 point_t",
            "1 enum color",
            "4 RED",
            "4 GREEN",
            "1 union u",
            "2 paint",
            "3 count",
            "3 table",
            "4 ONE",
            "1 number",
            "1 struct later",
            "2 pow",
            "2 sqrt",
            "3 three",
            "3 list",
        ]
    );
    assert_eq!(declarations.len(), 16);
    assert!(!declarations.is_empty());
    assert!(declarations.at(16).is_none());
    assert_eq!(DeclarationKind::Constant as u32, 4);
}

#[test]
fn functions() {
    let declarations = declarations("int puts(const char *); extern int count; enum { A };");
    let puts = declarations.function("puts").unwrap();
    assert_eq!(puts.prototype(), "int puts(const char *)");
    assert_eq!(puts.name(), c"puts");
    assert!(declarations.function("count").is_none());
    assert!(declarations.function("A").is_none());
    assert!(declarations.function("gets").is_none());
}

#[test]
fn all_or_nothing() {
    let mut declarations = declarations("struct half; typedef int T; int f(int);");
    let before = list(&declarations);
    for text in [
        "struct half { int a; }; int f(long);",
        "typedef long U; typedef long T;",
        "enum { A, B }; int x[A - B];",
        "int g(void) { ",
    ] {
        assert_eq!(declarations.add(text).unwrap_err().status, Status::Syntax);
        assert_eq!(list(&declarations), before);
        assert!(
            !declarations
                .find_type("struct half")
                .unwrap()
                .get()
                .is_complete()
        );
        assert!(declarations.constant("A").is_err());
        assert!(declarations.find_type("U").is_err());
        assert!(declarations.function("g").is_none());
    }
}

#[test]
fn declared_again_the_same() {
    let text = "
        struct node { struct node *next; struct { int a, b : 3; }; }; union u { int a; float b; };
        typedef struct node node_t; enum color { RED, GREEN = 4 }; typedef enum { ONE } one;
        int f(node_t *, enum color, const char *); extern int v[3]; typedef int row[3];
        typedef int (*callback)(struct node *, ...); typedef struct { int q; } anonymous;
        typedef float v4 __attribute__((vector_size(16))); int g(); extern const char *names[];";
    let mut twice = declarations(
        &text
            .repeat(2)
            .replace("typedef struct { int q; } anonymous;", ""),
    );
    let once = list(&twice);
    twice
        .add(&text.replace("typedef struct { int q; } anonymous;", ""))
        .unwrap();
    assert_eq!(list(&twice), once);
    let mut anonymous = declarations(text);
    anonymous.add(text).unwrap();
    // Two that agree although neither is the other.
    declarations(
        "extern int a[]; extern int a[3]; extern int a[]; int f(); int f(int, char); int f();
         enum e { E }; enum e g(void); unsigned g(void); enum late; enum late h(void);
         enum late { L }; enum late h(void); int k(int a[3]); int k(int *);",
    );
}

#[test]
fn what_is_known_better_replaces_what_was_known() {
    let declarations = declarations(
        "int f(); int f(int); int f(); extern int a[]; int a[3]; enum { N = sizeof a };",
    );
    assert_eq!(
        declarations.function("f").unwrap().prototype(),
        "int f(int)"
    );
    assert_eq!(declarations.constant("N").unwrap(), 12);
}

#[test]
fn declared_again_differently() {
    for text in [
        "struct s { int a; }; struct s { int b; };",
        "struct s { int a; }; struct s { int a, b; };",
        "struct s { int a; }; struct s { unsigned a; };",
        "struct s { int a : 3; }; struct s { int a : 4; };",
        "struct s { int a; }; struct s { int a; } __attribute__((aligned(16)));",
        "struct s; union s *f(void);",
        "struct s; enum s { A };",
        "enum e { A }; enum f { A = 1 };",
        "enum e { A }; enum e { B = -1 };",
        "typedef int T; typedef unsigned T;",
        "typedef int T; typedef const int T;",
        "typedef char *T; typedef const char *T;",
        "typedef int T[3]; typedef int T[4];",
        "typedef int T(int); typedef int T(int, ...);",
        "typedef int T(int); typedef int T(int) __attribute__((ms_abi));",
        "int f(int); int f(void);",
        "int f(int); char f(int);",
        "int f(int); extern int f;",
        "extern int v; extern long v;",
        "extern int v[3]; extern int v[4];",
        "typedef int x; enum { x };",
        "enum { x }; int x(void);",
        "typedef struct { int a; } T; typedef struct { int b; } T;",
        "typedef unsigned int size_t;",
        "typedef int int8_t;",
        "typedef long wchar_t;",
    ] {
        assert_eq!(refusal(text).status, Status::Syntax, "{text}");
    }
}

#[test]
fn later_texts_see_earlier_ones() {
    let mut declarations =
        declarations("typedef struct point { double x, y; } point_t; enum { N = 3 };");
    declarations
        .add("struct line { point_t from, to; struct point *more[N]; };")
        .unwrap();
    declarations
        .add("double length(struct line, const point_t *);")
        .unwrap();
    assert_eq!(
        declarations.find_type("struct line").unwrap().get().size(),
        56
    );
    let length = declarations.function("length").unwrap();
    assert_eq!(
        length.prototype(),
        "double length(struct line, const struct point *)"
    );
    assert!(
        length
            .param(0)
            .get()
            .same_as(declarations.find_type("struct line").unwrap().get())
    );
    let other = parse_signature(
        Some(&declarations),
        &LINUX_X86_64,
        "point_t (struct line *)",
    )
    .unwrap();
    assert_eq!(other.result().get().size(), 16);
    drop(declarations);
    assert_eq!(length.param(0).get().size(), 56);
}

#[test]
fn types_that_are_completed_later() {
    let mut declarations = declarations(
        "struct s; typedef struct s s_t; typedef struct s *pointer; enum e; struct s *make(enum e *);
         s_t pass(s_t);",
    );
    assert!(
        !declarations
            .find_type("struct s")
            .unwrap()
            .get()
            .is_complete()
    );
    declarations
        .add("struct s { int a; }; enum e { A = -1 }; s_t array[3];")
        .unwrap();
    for name in ["struct s", "s_t"] {
        assert_eq!(
            declarations.find_type(name).unwrap().get().size(),
            4,
            "{name}"
        );
    }
    assert_eq!(declarations.find_type("s_t[3]").unwrap().get().size(), 12);
    assert_eq!(
        declarations.find_type("enum e").unwrap().get().value_kind(),
        Kind::I32
    );
    // What was said before stands; saying it again brings it up to date.
    let fields = |declarations: &Declarations| {
        let result = declarations.function("pass").unwrap().result();
        result.get().is_complete()
    };
    assert!(!fields(&declarations));
    declarations
        .add("struct s *make(enum e *); s_t pass(s_t);")
        .unwrap();
    assert!(fields(&declarations));
    assert_eq!(
        list(&declarations)
            .iter()
            .filter(|name| name.contains("struct s"))
            .count(),
        1
    );
}

#[test]
fn what_headers_have_between_declarations() {
    let declarations = declarations(
        "# 1 \"stdio.h\" 1 3 4\n#line 3 \"x.h\"\n#pragma once\n#pragma GCC visibility push(default)\n
         #ident \"x\"\n  # 7\n;; _Pragma(\"GCC diagnostic pop\")
         extern \"C\" { int a(void); extern \"C\" { int b(void); } }
         extern \"C\" int c(void); extern \"C++\" int d(void), e(void);
         __asm__(\".globl x\"); __asm__ volatile (\"a\" \"b\"); asm(\"x\");
         static inline int f(int x) { if (x) { return '}' + \"}\"[0]; /* } */ } return (x); }
         int g(void) { }
         __extension__ typedef long long h; __extension__ extern int i(void);
         static int j[] = { [0] = 1, (2, 3) }, k = sizeof(int), *l = &j[0];
         inline __attribute__((always_inline)) _Noreturn void m(void) {}
         _Thread_local extern int n; __thread int o; register_ int p;
         int q(int) __asm__(\"\" \"q64\") __attribute__((nothrow));
         int r(int) __attribute__((nothrow)) __asm__(\"r64\"), s(void) __asm__(\"s64\");
         \r\n int t(void);\r\n /* é */ int u(void); // end \\\n still a comment\n int v(void);"
            .replace("register_", "register")
            .as_str(),
    );
    let names: Vec<String> = list(&declarations);
    assert_eq!(
        names.join(" "),
        "2 a 2 b 2 c 2 d 2 e 2 f 2 g 1 h 2 i 3 j 3 k 3 l 2 m 3 n 3 o 3 p 2 q 2 r 2 s 2 t 2 u 2 v"
    );
    assert_eq!(declarations.label("q"), Some(c"q64"));
    assert_eq!(declarations.label("r"), Some(c"r64"));
    assert_eq!(declarations.label("s"), Some(c"s64"));
}

#[test]
fn packing_ends_with_its_text() {
    let mut declarations = declarations("#pragma pack(1)\nstruct a { char x; int y; };");
    declarations.add("struct b { char x; int y; };").unwrap();
    assert_eq!(declarations.find_type("struct a").unwrap().get().size(), 5);
    assert_eq!(declarations.find_type("struct b").unwrap().get().size(), 8);
    declarations
        .add(
            "#pragma pack(push)\n#pragma pack(2)\nstruct c { char x; int y; };
             #pragma pack(push, name, 1)\nstruct d { char x; int y; };\n#pragma pack(push, 4)
             #pragma pack(pop, name)\nstruct e { char x; int y; };\n#pragma pack(pop)
             struct f { char x; int y; };\n#pragma pack(pop)\n#pragma packed\n#pragma pack(0)\n",
        )
        .unwrap();
    for (name, size) in [
        ("struct c", 6),
        ("struct d", 5),
        ("struct e", 6),
        ("struct f", 8),
    ] {
        assert_eq!(
            declarations.find_type(name).unwrap().get().size(),
            size,
            "{name}"
        );
    }
}

#[test]
fn tags_within_parentheses_are_for_the_whole_text() {
    let declarations = declarations("int f(struct s *); struct s { int a; }; int g(struct s *);");
    let of = |name: &str| declarations.function(name).unwrap().param(0);
    assert!(of("f").get().same_as(of("g").get()));
}

#[test]
fn finding_changes_nothing() {
    let declarations = declarations("struct s { int a; };");
    let found = declarations
        .find_type("struct t { struct s b; int c; }")
        .unwrap();
    assert_eq!(found.get().size(), 8);
    assert!(declarations.find_type("struct t").is_err());
    assert_eq!(list(&declarations), ["1 struct s"]);
    // A type that is there is not made again.
    let table = |name: &str| {
        declarations
            .find_type(name)
            .unwrap()
            .table()
            .map(Arc::as_ptr)
    };
    assert_eq!(table("struct s"), table("struct s"));
    assert_eq!(type_text(&declarations, "int"), "int");
}

#[test]
fn unsupported_complex_numbers_are_not_called() {
    let declarations = declarations("_Complex _Float16 f(void); int g(_Float128 _Complex *);");
    assert!(
        !declarations
            .function("f")
            .unwrap()
            .result()
            .get()
            .is_complete()
    );
    assert!(parse_signature(None, &LINUX_X86_64, "_Complex _Float16 f(void)").is_err());
}

#[test]
fn declarations_are_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Declarations>();
}

/// How parameters are named is kept beside their types, which it is no part of.
#[test]
fn names_of_parameters() {
    for (source, expected) in [
        ("double f(double, int *exp);", &["-", "exp"][..]),
        ("int f(void);", &[]),
        ("int f();", &[]),
        (
            "int f(unsigned long n, const unsigned long m, int, int last);",
            &["n", "m", "-", "last"],
        ),
        (
            "struct point { int x; }; int f(struct point p, struct point, struct point *e);",
            &["p", "-", "e"],
        ),
        (
            "int f(struct { int a, b; } p, int (*compare)(const void *x, int), int (*)(int y));",
            &["p", "compare", "-"],
        ),
        ("int (*f(int a))(char b);", &["a"]),
        ("int (f)(char buffer[10], int [], ...);", &["buffer", "-"]),
        (
            "int f(__attribute__((unused)) int a, char *__restrict b, int const c);",
            &["a", "b", "c"],
        ),
        ("struct f { int x; }; struct f f(int x);", &["x"]),
        ("int f(__typeof__(int) a, _Atomic(int) b);", &["a", "b"]),
    ] {
        let mut declarations = Declarations::new(&LINUX_X86_64);
        declarations.add(source).unwrap();
        let signature = declarations.function("f").unwrap();
        let function = signature.function();
        let names: Vec<_> = (0..function.params.len())
            .map(|index| function.names.get(index).unwrap_or("-"))
            .collect();
        assert_eq!(names, expected, "{source}");
        assert_eq!(function.names.get(function.params.len()), None);
    }
}

#[test]
fn constants_of_enumerations() {
    let mut declarations = Declarations::new(&LINUX_X86_64);
    declarations
        .add(
            "typedef enum { A, B = 5, C } color; enum size : short { S = 'x', L, }; enum later; \
             typedef enum __attribute__((packed)) t { Y = -1, Z } tt;",
        )
        .unwrap();
    for (name, expected) in [
        ("color", &[("A", 0), ("B", 5), ("C", 6)][..]),
        ("enum size", &[("S", 120), ("L", 121)]),
        ("tt", &[("Y", -1), ("Z", 0)]),
        ("enum later", &[]),
    ] {
        let ty = declarations.find_type(name).unwrap();
        let Data::Enum { constants, .. } = &ty.node().data else {
            panic!("{name} is no enumeration");
        };
        let found: Vec<_> = constants
            .iter()
            .map(|one| (&*one.name, one.value))
            .collect();
        assert_eq!(found, expected, "{name}");
    }
}
