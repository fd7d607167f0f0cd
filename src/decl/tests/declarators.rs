//! Declarators, from the name outwards and back.

use super::{declarations, signature, type_text};
use crate::decl::parse_signature;
use crate::types::target::LINUX_X86_64;
use crate::types::{Kind, TypeRef};

/// Declares something of a type, and says what C text the type makes of the name.
fn round(declaration: &str, name: &str) -> String {
    let text = format!("typedef {declaration};");
    let declarations = declarations(&text);
    declarations.find_type(name).unwrap().get().declare(name)
}

#[test]
fn from_the_inside_out() {
    for declaration in [
        "int x",
        "int *x",
        "int **x",
        "int x[3]",
        "int x[2][3]",
        "int x[]",
        "int *x[3]",
        "int (*x)[3]",
        "int x(void)",
        "int *x(void)",
        "int (*x)(void)",
        "int (*x[3])(void)",
        "int (*(*x)(void))[3]",
        "char (*(*x[3])(void))[5]",
        "void (*x(int, void (*)(int)))(int)",
        "int (*(*x)(int (*)(int), char *))(double)",
        "const char *x",
        "const char *const *x",
        "const volatile int *x",
        "char *const *x",
        "const void *x",
        "void *const *x",
        "int (*const *x)(const char *, ...)",
        "int x(const char *, ...)",
        "double (*(*x[2][3])(double, float _Complex))[4]",
        "unsigned long long (*x)(unsigned char, signed char, char)",
        "int (*(*(*x)(void))(void))(void)",
        "const int (*x)[3]",
    ] {
        assert_eq!(round(declaration, "x"), declaration);
    }
}

#[test]
fn stars_and_what_stands_among_them() {
    for (written, meant) in [
        ("int *x __attribute__((mode(DI)))", "long *x"),
        (
            "int **const *x __attribute__((mode(QI)))",
            "signed char **const *x",
        ),
        (
            "const int *****x __attribute__((mode(DI)))",
            "const long *****x",
        ),
        ("int *__attribute__((unused)) const *x", "int *const *x"),
        ("int **__attribute__((unused)) const *x", "int **const *x"),
        (
            "int *const __attribute__((unused)) volatile *x",
            "int *const volatile *x",
        ),
        (
            "const int *const *volatile *const **volatile *const *x",
            "const int *const *volatile *const **volatile *const *x",
        ),
        (
            "int (***x)(int *const *, int ****) __attribute__((ms_abi))",
            "int (__attribute__((ms_abi)) ***x)(int *const *, int ****)",
        ),
    ] {
        assert_eq!(round(written, "x"), meant, "{written}");
    }
}

#[test]
fn parentheses_and_spaces_that_say_nothing() {
    for (written, meant) in [
        ("int (x)", "int x"),
        ("int ((x))", "int x"),
        ("int (*(x))", "int *x"),
        ("int ((*x))(void)", "int (*x)(void)"),
        ("int\t*\n x /* a [ */ [ 3 ] // b\n", "int *x[3]"),
        ("int*x", "int *x"),
        ("int x <: 3 :>", "int x[3]"),
        ("int \\\n x", "int x"),
        ("int const * x", "const int *x"),
        ("int __const__ *__restrict x", "const int *x"),
        ("__extension__ long long x", "long long x"),
    ] {
        assert_eq!(round(written, "x"), meant);
    }
}

#[test]
fn parameters_decay() {
    for (written, meant) in [
        ("int x(int a[])", "int x(int *)"),
        ("int x(int a[3])", "int x(int *)"),
        ("int x(int [static 3])", "int x(int *)"),
        ("int x(int a[static const 3])", "int x(int *)"),
        ("int x(int a[const static restrict 3])", "int x(int *)"),
        ("int x(int a[restrict])", "int x(int *)"),
        ("int x(int a[2][3])", "int x(int (*)[3])"),
        ("int x(const char *argv[])", "int x(const char **)"),
        ("int x(const int a[3])", "int x(const int *)"),
        ("int x(int n, int a[n])", "int x(int, int *)"),
        ("int x(int n, int a[n][n + 1])", "int x(int, int (*)[])"),
        ("int x(int n, int a[][n][2])", "int x(int, int (*)[][2])"),
        ("int x(int n, int a[*])", "int x(int, int *)"),
        ("int x(int n, int (*a)[*])", "int x(int, int (*)[])"),
        (
            "int x(int n, int a[(2 + 1) * 2], int b[sizeof (int[n])])",
            "int x(int, int *, int *)",
        ),
        ("int x(int f(int))", "int x(int (*)(int))"),
        ("int x(int (int))", "int x(int (*)(int))"),
        ("int x(int (f)(int))", "int x(int (*)(int))"),
        ("int x(int (*)(int a[3]))", "int x(int (*)(int *))"),
        (
            "int x(const int a, int *const p, register int r)",
            "int x(int, int *, int)",
        ),
        ("int x()", "int x(void)"),
        ("int x(void)", "int x(void)"),
        ("int x(...)", "int x(...)"),
        ("const int x(void)", "int x(void)"),
    ] {
        assert_eq!(round(written, "x"), meant);
    }
}

#[test]
fn typedefs_of_arrays_and_functions() {
    let declarations = declarations(
        "typedef int row[4]; typedef int compare(const void *, const void *);
         typedef const row constant_row; typedef row *row_pointer; typedef char *string;
         int a(row, constant_row, compare, compare *, row_pointer, const string, const string *);
         compare by_length; row table[2];",
    );
    let a = declarations.function("a").unwrap();
    assert_eq!(
        a.prototype(),
        "int a(int *, const int *, int (*)(const void *, const void *), \
         int (*)(const void *, const void *), int (*)[4], char *, char *const *)"
    );
    let by_length = declarations.function("by_length").unwrap();
    assert_eq!(
        by_length.prototype(),
        "int by_length(const void *, const void *)"
    );
    assert_eq!(
        type_text(&declarations, "compare"),
        "int (const void *, const void *)"
    );
    assert_eq!(type_text(&declarations, "const row *"), "const int (*)[4]");
    assert_eq!(type_text(&declarations, "row[2]"), "int[2][4]");
}

#[test]
fn type_names() {
    let declarations = declarations("struct point { int x, y; }; typedef struct point point_t;");
    for (name, text) in [
        ("int", "int"),
        ("const char *[3]", "const char *[3]"),
        ("int (*)(double)", "int (*)(double)"),
        ("int (double)", "int (double)"),
        ("int *()", "int *(void)"),
        ("int (*[])(point_t)", "int (*[])(struct point)"),
        ("struct point", "struct point"),
        ("point_t *", "struct point *"),
        ("const struct point", "struct point"),
        ("struct { int a; }", "struct { int a; }"),
        ("int ()", "int (void)"),
        ("int (point_t)", "int (struct point)"),
        (
            "char *(*(*)[2])(int (*)(void))",
            "char *(*(*)[2])(int (*)(void))",
        ),
        ("__typeof__(int *)", "int *"),
    ] {
        assert_eq!(type_text(&declarations, name).replace(" ;", ";"), text);
    }
}

#[test]
fn prototypes() {
    for (written, meant) in [
        ("double pow(double, double)", "double pow(double, double)"),
        (
            "double pow(double x, double y);",
            "double pow(double, double)",
        ),
        (
            "extern double pow(double, double) ;",
            "double pow(double, double)",
        ),
        ("static inline int f(int a)", "int f(int)"),
        ("_Noreturn void f(int)", "void f(int)"),
        (
            "int printf(const char *format, ...)",
            "int printf(const char *, ...)",
        ),
        (
            "void (*signal(int sig, void (*func)(int)))(int)",
            "void (*signal(int, void (*)(int)))(int)",
        ),
        (
            "void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *))",
            "void *bsearch(const void *, const void *, unsigned long, unsigned long, int (*)(const void *, const void *))",
        ),
        (
            "struct opaque *open(struct opaque *, union u *, enum e *)",
            "struct opaque *open(struct opaque *, union u *, enum e *)",
        ),
        (
            "float f(struct { float x, y; })",
            "float f(struct { float x; float y; })",
        ),
        (
            "void f(struct s { int a; } x, struct s *y)",
            "void f(struct s, struct s *)",
        ),
    ] {
        let signature = signature(written);
        assert_eq!(signature.prototype(), meant);
        assert!(!signature.name().is_empty());
    }
}

#[test]
fn prototypes_without_a_name() {
    for (written, meant) in [
        ("double (double, double)", "double (double, double)"),
        ("int (void)", "int (void)"),
        ("int ()", "int (void)"),
        ("void (const char *, ...)", "void (const char *, ...)"),
        ("int (*)(int);", "int (int)"),
        ("char *(*)(size_t)", "char *(unsigned long)"),
    ] {
        let signature = signature(written);
        assert!(signature.name().is_empty());
        assert_eq!(signature.get().name().to_string_lossy(), meant);
    }
    let declarations = declarations("typedef int compare(int, int); typedef compare *pointer;");
    for name in ["compare", "pointer", "compare *"] {
        let signature = parse_signature(Some(&declarations), &LINUX_X86_64, name).unwrap();
        assert_eq!(signature.get().name().to_string_lossy(), "int (int, int)");
    }
}

#[test]
fn variadic_prototypes_are_open() {
    let printf = signature("int printf(const char *, int, ...)");
    let function = printf.function();
    assert!(function.variadic && function.open);
    assert_eq!((function.fixed, function.params.len()), (2, 2));
    let puts = signature("int puts(const char *)");
    let function = puts.function();
    assert!(!function.variadic && !function.open);
    assert_eq!(function.fixed, 1);
}

/// What a parameter points to.
fn pointee(ty: TypeRef<'_>) -> Option<TypeRef<'_>> {
    match &ty.node.data {
        crate::types::Data::Pointer {
            pointee: Some(link),
            ..
        } => Some(ty.follow(link)),
        _ => None,
    }
}

#[test]
fn names_that_hide_typedefs() {
    let declarations = declarations(
        "typedef long T; typedef struct { T T; int size_t; } S; typedef int I;
         int hidden(int T, int (*f)(int), int a[sizeof T]);
         int taken(int (T)); int after(T x); T (variable); struct T { T a; }; struct T tagged(T);
         unsigned T_like; int inner(int (*f)(char T), T x);
         enum { COUNT = 3 }; int shadow(int COUNT, int a[][COUNT]);",
    );
    let prototype = |name: &str| declarations.function(name).unwrap().prototype();
    assert_eq!(prototype("hidden"), "int hidden(int, int (*)(int), int *)");
    assert_eq!(prototype("taken"), "int taken(int (*)(long))");
    assert_eq!(prototype("after"), "int after(long)");
    assert_eq!(prototype("tagged"), "struct T tagged(long)");
    assert_eq!(prototype("inner"), "int inner(int (*)(char), long)");
    assert_eq!(prototype("shadow"), "int shadow(int, int (*)[])");
}

#[test]
fn types_with_themselves_in_them() {
    let declarations = declarations(
        "struct node { struct node *next; struct { struct node **all; } in; void (*f)(struct node *); };
         typedef struct list list; struct list { list *next; };
         struct a { struct b *b; }; struct b { struct a a; };",
    );
    let node = declarations.find_type("struct node").unwrap();
    let first = &node.get();
    let crate::types::Data::Record(record) = &first.node.data else {
        panic!()
    };
    let fields = record.fields.as_ref().unwrap();
    let next = pointee(first.follow(&fields[0].link)).unwrap();
    assert!(std::ptr::eq(next.node, first.node));
    assert_eq!(declarations.find_type("list").unwrap().get().size(), 8);
    assert_eq!(declarations.find_type("struct b").unwrap().get().size(), 8);
    assert_eq!(
        declarations.find_type("struct list").unwrap().kind(),
        Kind::Struct
    );
}
