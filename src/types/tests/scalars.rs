//! Kinds, sizes and alignments of the scalars on every target.

use crate::types::target::{APPLE_AARCH64, LINUX_AARCH64, LINUX_X86_64, WINDOWS_X86_64};
use crate::types::{Kind, Scalar, Target, Type};

const TARGETS: [&Target; 4] = [
    &LINUX_X86_64,
    &LINUX_AARCH64,
    &APPLE_AARCH64,
    &WINDOWS_X86_64,
];

fn check(scalar: Scalar, kinds: [Kind; 4], layouts: [(u64, u32); 4]) {
    for ((target, kind), layout) in TARGETS.into_iter().zip(kinds).zip(layouts) {
        let ty = Type::scalar(scalar, target);
        let view = ty.get();
        let found = (view.kind(), (view.size(), view.align()));
        assert_eq!(found, (kind, layout), "{scalar:?} on {}", target.name);
        assert_eq!(kind.layout(target), Some(layout));
        assert_eq!(view.name(), scalar.spelling());
        assert!(ty.table().is_none(), "{scalar:?} costs nothing to copy");
    }
}

#[test]
fn scalars_that_are_alike_everywhere() {
    use Scalar::*;
    for (scalar, kind, size, align) in [
        (Void, Kind::Void, 0, 1),
        (Bool, Kind::Bool, 1, 1),
        (SignedChar, Kind::I8, 1, 1),
        (UnsignedChar, Kind::U8, 1, 1),
        (Short, Kind::I16, 2, 2),
        (UnsignedShort, Kind::U16, 2, 2),
        (Int, Kind::I32, 4, 4),
        (UnsignedInt, Kind::U32, 4, 4),
        (LongLong, Kind::I64, 8, 8),
        (UnsignedLongLong, Kind::U64, 8, 8),
        (Int128, Kind::I128, 16, 16),
        (UnsignedInt128, Kind::U128, 16, 16),
        (Float16, Kind::F16, 2, 2),
        (Float, Kind::F32, 4, 4),
        (Double, Kind::F64, 8, 8),
        (Float128, Kind::F128, 16, 16),
        (ComplexFloat, Kind::ComplexF32, 8, 4),
        (ComplexDouble, Kind::ComplexF64, 16, 8),
        (Pointer, Kind::Pointer, 8, 8),
    ] {
        check(scalar, [kind; 4], [(size, align); 4]);
    }
}

#[test]
fn scalars_that_differ() {
    use Kind::{ComplexLongDouble, I8, I32, I64, LongDouble, U8, U32, U64};
    check(Scalar::Char, [I8, U8, I8, I8], [(1, 1); 4]);
    let longs = [(8, 8), (8, 8), (8, 8), (4, 4)];
    check(Scalar::Long, [I64, I64, I64, I32], longs);
    check(Scalar::UnsignedLong, [U64, U64, U64, U32], longs);
    let floats = [(16, 16), (16, 16), (8, 8), (16, 16)];
    check(Scalar::LongDouble, [LongDouble; 4], floats);
    let complex = [(32, 16), (32, 16), (16, 8), (32, 16)];
    check(Scalar::ComplexLongDouble, [ComplexLongDouble; 4], complex);
}

#[test]
fn wide_characters() {
    let kinds = TARGETS.map(|target| target.wchar);
    assert_eq!(kinds, [Kind::I32, Kind::U32, Kind::I32, Kind::U16]);
}

#[test]
fn every_scalar_stands_at_its_own_number() {
    for (index, scalar) in Scalar::ALL.into_iter().enumerate() {
        assert_eq!(scalar as usize, index);
    }
}

#[test]
fn a_kind_has_one_usual_scalar() {
    for target in TARGETS {
        for scalar in Scalar::ALL {
            let kind = scalar.kind(target);
            let usual = Scalar::of_kind(kind, target).unwrap();
            assert_eq!(usual.kind(target), kind, "{scalar:?} on {}", target.name);
        }
        for kind in [
            Kind::Struct,
            Kind::Union,
            Kind::Array,
            Kind::Vector,
            Kind::Function,
        ] {
            assert_eq!(Scalar::of_kind(kind, target), None);
            assert_eq!(kind.layout(target), None);
        }
    }
}

/// The C API hands these numbers out.
#[test]
fn kinds_are_found_by_their_numbers() {
    let known: Vec<u32> = (0..100)
        .filter(|&number| Kind::from_number(number).is_some())
        .collect();
    let expected: Vec<u32> = (0..=11)
        .chain(16..=20)
        .chain(24..=26)
        .chain([32])
        .chain(64..=69)
        .collect();
    assert_eq!(known, expected);
    for number in known {
        let kind = Kind::from_number(number).unwrap();
        assert_eq!(kind as u32, number);
        assert_eq!(kind.is_integer(), (1..=11).contains(&number));
        assert_eq!(kind.is_signed(), [2, 4, 6, 8, 10].contains(&number));
        assert_eq!(kind.is_float(), (16..=20).contains(&number));
        assert_eq!(kind.is_complex(), (24..=26).contains(&number));
        assert_eq!(kind.is_complex(), kind.complex_part().is_some());
        assert_eq!(kind.is_scalar(), number < 64);
    }
}
