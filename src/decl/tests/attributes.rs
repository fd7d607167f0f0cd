//! Attributes in all the places where they may stand.

use super::{declarations, refusal, signature, type_text};
use crate::types::{Convention, Data, Kind};

#[test]
fn conventions() {
    use Convention::*;
    for (prototype, convention) in [
        ("int f(int)", Default),
        ("__attribute__((ms_abi)) int f(int)", Win64),
        ("int __attribute__((ms_abi)) f(int)", Win64),
        ("int f(int) __attribute__((ms_abi))", Win64),
        (
            "int f(int) __attribute__((__ms_abi__)) __attribute__((noreturn));",
            Win64,
        ),
        ("void *__attribute__((ms_abi)) f(int)", Win64),
        ("__attribute__((ms_abi)) void *f(int)", Win64),
        ("void *(__attribute__((ms_abi)) f)(int)", Win64),
        ("__attribute__((sysv_abi)) int f(int)", SysV64),
        ("__attribute__((ms_abi)) int (int)", Win64),
        ("int (__attribute__((ms_abi)) *)(int)", Win64),
        ("int (*)(int) __attribute__((ms_abi))", Win64),
        ("int __stdcall f(int)", Default),
        ("int (__cdecl *f)(int)", Default),
        ("int f(int (__attribute__((ms_abi)) *)(int))", Default),
        ("__attribute__((ms_abi)) int (*f(int))(double)", Win64),
    ] {
        assert_eq!(
            signature(prototype).function().convention,
            convention,
            "{prototype}"
        );
    }
}

#[test]
fn conventions_of_callbacks() {
    let of_parameter = |prototype: &str| {
        let signature = signature(prototype);
        let ty = signature.param(0);
        ty.get().function().unwrap().1.convention
    };
    for prototype in [
        "void f(int (__attribute__((ms_abi)) *callback)(int))",
        "void f(int (*callback)(int) __attribute__((ms_abi)))",
        "void f(__attribute__((ms_abi)) int (*callback)(int))",
        "void f(int (__attribute__((ms_abi)) *)(int), int)",
    ] {
        assert_eq!(of_parameter(prototype), Convention::Win64, "{prototype}");
    }
    let declarations = declarations(
        "typedef int (__attribute__((ms_abi)) *win)(int); typedef int plain(int);
         typedef __attribute__((ms_abi)) plain win_too; plain __attribute__((ms_abi)) f;
         struct s { win w; int (*p)(int) __attribute__((ms_abi)); };",
    );
    for name in ["win", "win_too"] {
        let ty = declarations.find_type(name).unwrap();
        assert_eq!(ty.get().function().unwrap().1.convention, Convention::Win64);
    }
    let f = declarations.function("f").unwrap();
    assert_eq!(f.function().convention, Convention::Win64);
    assert_eq!(f.name(), c"f");
    let plain = declarations.find_type("plain").unwrap();
    assert_eq!(
        plain.get().function().unwrap().1.convention,
        Convention::Default
    );
}

#[test]
fn what_changes_nothing_is_passed_over() {
    let declarations = declarations(
        "__attribute__((visibility(\"default\"), nonnull(1, 2))) int f(char *, char *);
         int g(int) __attribute__((format(printf, 1, (2)), , pure)) __asm__(\"g_v2\");
         __declspec(dllimport) noreturn_ int h(void);
         int k(int a __attribute__((unused)), __attribute__((unused)) int b);
         int l(__attribute__((unused)) int), m(int) __attribute__((const));
         enum e { A __attribute__((deprecated)), B __attribute__((deprecated(\"x\"))) = 3 };
         struct __attribute__((may_alias)) s { int a __attribute__((deprecated)); };
         typedef struct s t __attribute__((deprecated, aligned(8)));
         [[nodiscard]] int n(int a [[maybe_unused]], [[x::y(1, [2])]] int b) [[gnu::pure]];
         struct [[deprecated]] u { [[x]] int a [[y]] [2]; }; enum [[z]] { C [[deprecated]] };
         extern int v __attribute__((weak, alias(\"w\")));"
            .replace("noreturn_", "")
            .as_str(),
    );
    assert_eq!(declarations.label("g"), Some(c"g_v2"));
    assert_eq!(declarations.label("f"), None);
    assert_eq!(
        declarations.function("k").unwrap().prototype(),
        "int k(int, int)"
    );
    assert_eq!(
        declarations.function("n").unwrap().prototype(),
        "int n(int, int)"
    );
    assert_eq!(declarations.find_type("struct u").unwrap().get().size(), 8);
    assert_eq!(declarations.constant("B").unwrap(), 3);
    assert_eq!(declarations.find_type("t").unwrap().get().align(), 8);
    assert_eq!(declarations.find_type("struct s").unwrap().get().align(), 4);
}

#[test]
fn vectors() {
    let declarations = declarations(
        "typedef float v4 __attribute__((vector_size(16)));
         typedef __attribute__((vector_size(8))) short s4;
         typedef long long l2 __attribute__((__vector_size__(16), __may_alias__, aligned(1)));
         typedef int i4 __attribute__((ext_vector_type(4)));
         __attribute__((vector_size(16))) int *f(v4, s4 *, l2);
         int __attribute__((vector_size(4 * sizeof(int)))) g(int x __attribute__((vector_size(8))));",
    );
    let shape = |name: &str| {
        let ty = declarations.find_type(name).unwrap();
        let view = ty.get();
        let Data::Vector { lanes, .. } = view.node.data else {
            panic!("{name}")
        };
        (lanes, view.size(), view.align())
    };
    assert_eq!(shape("v4"), (4, 16, 16));
    assert_eq!(shape("s4"), (4, 8, 8));
    assert_eq!(shape("l2"), (2, 16, 1));
    assert_eq!(shape("i4"), (4, 16, 16));
    let f = declarations.function("f").unwrap();
    assert_eq!(f.result().kind(), Kind::Pointer);
    assert_eq!(f.param(0).kind(), Kind::Vector);
    let g = declarations.function("g").unwrap();
    assert_eq!(
        (g.result().kind(), g.param(0).kind()),
        (Kind::Vector, Kind::Vector)
    );
}

#[test]
fn modes() {
    let declarations = declarations(
        "typedef int a __attribute__((mode(QI))); typedef unsigned b __attribute__((__mode__(__DI__)));
         typedef int c __attribute__((mode(word))), d __attribute__((mode(TI)));
         typedef float e __attribute__((mode(DF))); typedef _Complex float g __attribute__((mode(DC)));",
    );
    for (name, text) in [
        ("a", "signed char"),
        ("b", "unsigned long"),
        ("c", "long"),
        ("d", "__int128"),
        ("e", "double"),
        ("g", "double _Complex"),
    ] {
        assert_eq!(type_text(&declarations, name), text);
    }
}

#[test]
fn what_would_change_calls_is_refused() {
    for text in [
        "struct __attribute__((ms_struct)) s { int a; };",
        "struct __attribute__((scalar_storage_order(\"big-endian\"))) s { int a; };",
        "int f(int) __attribute__((vectorcall));",
        "int f(int) __attribute__((preserve_most));",
    ] {
        assert!(refusal(text).message.contains("is not supported"), "{text}");
    }
}
