//! Every spelling of every scalar, in every order.

use super::{declarations, signature};
use crate::decl::{Declarations, parse_signature};
use crate::types::target::{APPLE_AARCH64, LINUX_AARCH64, LINUX_X86_64, WINDOWS_X86_64};
use crate::types::{Data, Kind, Scalar, Target};

/// All orders of some words.
fn orders(words: &[&str]) -> Vec<String> {
    if words.len() < 2 {
        return vec![words.join(" ")];
    }
    let mut all = Vec::new();
    for (index, first) in words.iter().enumerate() {
        let mut rest = words.to_vec();
        rest.remove(index);
        all.extend(
            orders(&rest)
                .into_iter()
                .map(|order| format!("{first} {order}")),
        );
    }
    all
}

fn scalar_of(name: &str, target: &'static Target) -> Option<Scalar> {
    let ty = Declarations::new(target).find_type(name).ok()?;
    match &ty.node().data {
        Data::Scalar(scalar) => Some(*scalar),
        _ => None,
    }
}

#[test]
fn words_in_any_order() {
    let spellings: [(&[&str], Scalar); 52] = [
        (&["void"], Scalar::Void),
        (&["_Bool"], Scalar::Bool),
        (&["bool"], Scalar::Bool),
        (&["char"], Scalar::Char),
        (&["signed", "char"], Scalar::SignedChar),
        (&["__signed__", "char"], Scalar::SignedChar),
        (&["unsigned", "char"], Scalar::UnsignedChar),
        (&["short"], Scalar::Short),
        (&["short", "int"], Scalar::Short),
        (&["signed", "short"], Scalar::Short),
        (&["signed", "short", "int"], Scalar::Short),
        (&["unsigned", "short"], Scalar::UnsignedShort),
        (&["unsigned", "short", "int"], Scalar::UnsignedShort),
        (&["int"], Scalar::Int),
        (&["signed"], Scalar::Int),
        (&["signed", "int"], Scalar::Int),
        (&["unsigned"], Scalar::UnsignedInt),
        (&["unsigned", "int"], Scalar::UnsignedInt),
        (&["long"], Scalar::Long),
        (&["long", "int"], Scalar::Long),
        (&["signed", "long"], Scalar::Long),
        (&["signed", "long", "int"], Scalar::Long),
        (&["unsigned", "long"], Scalar::UnsignedLong),
        (&["unsigned", "long", "int"], Scalar::UnsignedLong),
        (&["long", "long"], Scalar::LongLong),
        (&["long", "long", "int"], Scalar::LongLong),
        (&["signed", "long", "long", "int"], Scalar::LongLong),
        (&["unsigned", "long", "long"], Scalar::UnsignedLongLong),
        (
            &["unsigned", "long", "long", "int"],
            Scalar::UnsignedLongLong,
        ),
        (&["__int128"], Scalar::Int128),
        (&["signed", "__int128"], Scalar::Int128),
        (&["unsigned", "__int128"], Scalar::UnsignedInt128),
        (&["__int128_t"], Scalar::Int128),
        (&["__uint128_t"], Scalar::UnsignedInt128),
        (&["_Float16"], Scalar::Float16),
        (&["float"], Scalar::Float),
        (&["_Float32"], Scalar::Float),
        (&["double"], Scalar::Double),
        (&["_Float64"], Scalar::Double),
        (&["_Float32x"], Scalar::Double),
        (&["long", "double"], Scalar::LongDouble),
        (&["_Float64x"], Scalar::LongDouble),
        (&["__float80"], Scalar::LongDouble),
        (&["_Float128"], Scalar::Float128),
        (&["__float128"], Scalar::Float128),
        (&["float", "_Complex"], Scalar::ComplexFloat),
        (&["__complex__", "float"], Scalar::ComplexFloat),
        (&["double", "_Complex"], Scalar::ComplexDouble),
        (&["_Complex", "_Float64"], Scalar::ComplexDouble),
        (&["_Complex"], Scalar::ComplexDouble),
        (&["long", "double", "_Complex"], Scalar::ComplexLongDouble),
        (
            &["const", "unsigned", "volatile", "char"],
            Scalar::UnsignedChar,
        ),
    ];
    for (words, scalar) in spellings {
        for order in orders(words) {
            assert_eq!(scalar_of(&order, &LINUX_X86_64), Some(scalar), "{order}");
            let result = signature(&format!("{order} f(void)"));
            assert_eq!(
                result.result().kind(),
                scalar.kind(&LINUX_X86_64),
                "{order}"
            );
        }
    }
}

#[test]
fn words_that_make_no_type() {
    for words in [
        "long char",
        "short double",
        "unsigned float",
        "signed void",
        "long long double",
        "short long",
        "int double",
        "long double int",
        "signed unsigned",
        "unsigned _Bool",
        "_Complex int",
        "_Complex char",
        "float _Float16",
        "int char",
        "short short",
        "long long long",
        "unsigned unsigned",
        "int __int128",
    ] {
        for order in orders(&words.split(' ').collect::<Vec<_>>()) {
            assert_eq!(scalar_of(&order, &LINUX_X86_64), None, "{order}");
        }
    }
}

#[test]
fn names_of_the_standard_headers() {
    let kinds: [(&str, [Kind; 4]); 20] = {
        use Kind::*;
        [
            ("size_t", [U64; 4]),
            ("ssize_t", [I64; 4]),
            ("ptrdiff_t", [I64; 4]),
            ("intptr_t", [I64; 4]),
            ("uintptr_t", [U64; 4]),
            ("wchar_t", [I32, U32, I32, U16]),
            ("wint_t", [U32, U32, I32, U16]),
            ("char16_t", [U16; 4]),
            ("char32_t", [U32; 4]),
            ("off_t", [I64, I64, I64, I32]),
            ("bool", [Bool; 4]),
            ("int8_t", [I8; 4]),
            ("uint16_t", [U16; 4]),
            ("int32_t", [I32; 4]),
            ("uint64_t", [U64; 4]),
            ("intmax_t", [I64; 4]),
            ("int_least16_t", [I16; 4]),
            ("uint_fast8_t", [U8; 4]),
            ("int_fast16_t", [I64, I64, I16, I16]),
            ("uint_fast32_t", [U64, U64, U32, U32]),
        ]
    };
    let targets: [&'static Target; 4] = [
        &LINUX_X86_64,
        &LINUX_AARCH64,
        &APPLE_AARCH64,
        &WINDOWS_X86_64,
    ];
    for (name, expected) in kinds {
        for (target, kind) in targets.into_iter().zip(expected) {
            let ty = Declarations::new(target).find_type(name).unwrap();
            assert_eq!(ty.kind(), kind, "{name} on {}", target.name);
        }
    }
}

#[test]
fn scalars_of_other_targets() {
    assert_eq!(
        scalar_of("char", &LINUX_AARCH64)
            .unwrap()
            .kind(&LINUX_AARCH64),
        Kind::U8
    );
    assert_eq!(
        scalar_of("_Float64x", &LINUX_AARCH64),
        Some(Scalar::Float128)
    );
    assert_eq!(scalar_of("__float80", &LINUX_AARCH64), None);
    assert_eq!(
        scalar_of("_Complex _Float128", &LINUX_AARCH64),
        Some(Scalar::ComplexLongDouble)
    );
    assert_eq!(scalar_of("_Complex _Float128", &LINUX_X86_64), None);
    let long = parse_signature(None, &WINDOWS_X86_64, "long f(unsigned long long)").unwrap();
    assert_eq!(long.result().kind(), Kind::I32);
    assert_eq!(long.param(0).kind(), Kind::U64);
}

#[test]
fn argument_lists() {
    let shape = |target: &'static Target| {
        let declarations = Declarations::new(target);
        let list = declarations.find_type("va_list").unwrap();
        let vprintf = parse_signature(None, target, "int vprintf(const char *, va_list)").unwrap();
        (list.get().size(), list.kind(), vprintf.param(1).kind())
    };
    assert_eq!(shape(&LINUX_X86_64), (24, Kind::Array, Kind::Pointer));
    assert_eq!(shape(&LINUX_AARCH64), (32, Kind::Struct, Kind::Struct));
    assert_eq!(shape(&APPLE_AARCH64), (8, Kind::Pointer, Kind::Pointer));
    assert_eq!(shape(&WINDOWS_X86_64), (8, Kind::Pointer, Kind::Pointer));
}

#[test]
fn known_names_may_be_declared_again() {
    let text = "
        typedef unsigned long size_t; typedef long int ptrdiff_t; typedef int wchar_t;
        typedef __builtin_va_list __gnuc_va_list; typedef __gnuc_va_list va_list;
        typedef unsigned char bool; typedef signed char int8_t; typedef float _Float32;
        typedef long off_t; int f(bool, va_list);";
    let declarations = declarations(text);
    assert_eq!(
        declarations.function("f").unwrap().param(0).kind(),
        Kind::U8
    );
    assert_eq!(declarations.len(), 10);
}
