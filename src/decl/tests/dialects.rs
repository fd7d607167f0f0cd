//! Words of C23, clang, Apple and Microsoft.

use super::{declarations, type_text};
use crate::types::Kind;

#[test]
fn c23() {
    let declarations = declarations(
        "enum e : unsigned char { A, B = 255 }; enum later : long long; struct s { enum e a : 3; };
         constexpr int three = 3; thread_local int t; static_assert(true);
         typedef typeof_unqual(const volatile short) u; typedef typeof(const short) q;
         typedef typeof(nullptr) nil; bool f(char8_t, nil); alignas(16) char buffer[alignof(long)];
         struct [[gnu::packed]] p { char a; int b; };
         struct a { char a; [[gnu::aligned(16)]] int b; char c [[gnu::aligned(32), other::packed]]; };
         [[gnu::vector_size(16), deprecated(\"x\")]] float v(void);
         [[gnu::ms_abi]] int w(int) [[maybe_unused]]; int h();",
    );
    let view = |name: &str| {
        let ty = declarations.find_type(name).unwrap();
        (ty.get().size(), ty.get().align())
    };
    assert_eq!(view("enum e"), (1, 1));
    assert_eq!(view("enum later"), (8, 8));
    assert_eq!(view("struct p"), (5, 1));
    assert_eq!(view("struct a"), (64, 32));
    assert_eq!(type_text(&declarations, "u"), "short");
    assert_eq!(type_text(&declarations, "nil"), "void *");
    assert_eq!(type_text(&declarations, "q *"), "const short *");
    assert_eq!(type_text(&declarations, "typeof(buffer)"), "char[8]");
    let function = |name: &str| declarations.function(name).unwrap();
    assert_eq!(function("v").result().kind(), Kind::Vector);
    assert!(
        function("w")
            .prototype()
            .ends_with("__attribute__((ms_abi))")
    );
    assert_eq!(function("f").prototype(), "_Bool f(unsigned char, void *)");
}

#[test]
fn words_of_other_compilers() {
    let declarations = declarations(
        "__declspec(dllimport) unsigned __int64 __stdcall a(__int32, signed __int8, __int16);
         int (__cdecl *b)(int); __declspec(align(16)) int c; void __fastcall d(int *__ptr64);
         int *_Nonnull e(int *_Nullable, void *_Null_unspecified, int *_Nonnull *_Nullable);
         int f(void) __attribute__((__availability__(macos, introduced=10.4, message=\"a, (b\")));
         __signed__ char __volatile__ g; __inline int h(int x) { return x; } int i(int *__restrict);
         _Noreturn void j(void); register int k; int l(register int m);",
    );
    let text = |name: &str| declarations.function(name).unwrap().prototype();
    assert_eq!(text("a"), "unsigned long long a(int, signed char, short)");
    assert_eq!(text("e"), "int *e(int *, void *, int **)");
    assert_eq!(text("l"), "int l(int)");
    assert_eq!(type_text(&declarations, "typeof(b)"), "int (*)(int)");
}

/// Numbers that have no convention here are no reason to refuse a header.
#[test]
fn unsupported_numbers() {
    let declarations = declarations(
        "typedef __bf16 v8 __attribute__((vector_size(16), aligned(1))); __bf16 f(v8, v8 *);
         typedef _Decimal64 d; d g(_Decimal32); int h(v8 *);",
    );
    assert!(declarations.function("f").unwrap().check_types().is_err());
    assert!(declarations.function("h").unwrap().check_types().is_ok());
}

#[test]
fn types_of_expressions() {
    let declarations = declarations(
        "struct s { char a[12]; struct { short b; } *c; int d[2][3]; } v, *p, f(int, ...);
         typedef struct s (*callback)(void); extern callback table[4]; extern const char *text;
         enum { A = sizeof(((struct s *)0)->a), B = sizeof v.c->b, C = sizeof v.a / sizeof v.a[0],
                D = sizeof(*v.c), E = sizeof &v, F = sizeof(f(1, (2))), G = sizeof(p->d[0]),
                H = sizeof table[0]().d, I = sizeof(*p), J = sizeof(((struct s *)p)[1].a),
                K = sizeof(v) + 1, L = sizeof(3 + 4), M = sizeof(*text), N = _Alignof(v.d),
                O = sizeof(&*p), Q = sizeof (**table)() };
         typedef typeof(v.c) pointer; typedef typeof(&v.d) address; typedef typeof(*text) letter;
         typedef typeof(f(1)) result; typedef typeof(*table[0]) function; typedef typeof(1 + 1l) sum;",
    );
    for (name, value) in [
        ("A", 12),
        ("B", 2),
        ("C", 12),
        ("D", 2),
        ("E", 8),
        ("F", 48),
        ("G", 12),
        ("H", 24),
        ("I", 48),
        ("J", 12),
        ("K", 49),
        ("L", 4),
        ("M", 1),
        ("N", 4),
        ("O", 8),
        ("Q", 48),
    ] {
        assert_eq!(declarations.constant(name).unwrap(), value, "{name}");
    }
    for (name, text) in [
        ("pointer", "struct { short b; } *"),
        ("address", "int (*)[2][3]"),
        ("letter *", "const char *"),
        ("result", "struct s"),
        ("function", "struct s (void)"),
        ("sum", "long"),
    ] {
        assert_eq!(type_text(&declarations, name), text);
    }
}
