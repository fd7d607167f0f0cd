//! The words that spell scalars: `long unsigned int`.

use super::keyword::Keyword;
use crate::types::target::{LongDouble, Model};
use crate::types::{Scalar, Target};

/// The words that spell a scalar, as bits: each may stand once, `long` twice.
pub(super) mod word {
    pub(in crate::decl) const VOID: u32 = 1;
    pub(in crate::decl) const CHAR: u32 = 1 << 1;
    pub(in crate::decl) const SHORT: u32 = 1 << 2;
    pub(in crate::decl) const INT: u32 = 1 << 3;
    pub(in crate::decl) const LONG: u32 = 1 << 4;
    pub(in crate::decl) const LONG_LONG: u32 = 1 << 5;
    pub(in crate::decl) const FLOAT: u32 = 1 << 6;
    pub(in crate::decl) const DOUBLE: u32 = 1 << 7;
    pub(in crate::decl) const SIGNED: u32 = 1 << 8;
    pub(in crate::decl) const UNSIGNED: u32 = 1 << 9;
    pub(in crate::decl) const BOOL: u32 = 1 << 10;
    pub(in crate::decl) const COMPLEX: u32 = 1 << 11;
    pub(in crate::decl) const INT128: u32 = 1 << 12;
    pub(in crate::decl) const FLOAT16: u32 = 1 << 13;
    pub(in crate::decl) const FLOAT32: u32 = 1 << 14;
    pub(in crate::decl) const FLOAT64: u32 = 1 << 15;
    pub(in crate::decl) const FLOAT128: u32 = 1 << 16;
    pub(in crate::decl) const FLOAT32X: u32 = 1 << 17;
    pub(in crate::decl) const FLOAT64X: u32 = 1 << 18;
    pub(in crate::decl) const FLOAT80: u32 = 1 << 19;
}

/// The bit of a scalar's word.
#[inline]
pub(super) fn bit(keyword: Keyword) -> Option<u32> {
    Some(match keyword {
        Keyword::Void => word::VOID,
        Keyword::Char => word::CHAR,
        Keyword::Short => word::SHORT,
        Keyword::Int => word::INT,
        Keyword::Long => word::LONG,
        Keyword::Float => word::FLOAT,
        Keyword::Double => word::DOUBLE,
        Keyword::Signed => word::SIGNED,
        Keyword::Unsigned => word::UNSIGNED,
        Keyword::Bool => word::BOOL,
        Keyword::Complex => word::COMPLEX,
        Keyword::Int128 => word::INT128,
        Keyword::Float16 => word::FLOAT16,
        Keyword::Float32 => word::FLOAT32,
        Keyword::Float64 => word::FLOAT64,
        Keyword::Float128 => word::FLOAT128,
        Keyword::Float32x => word::FLOAT32X,
        Keyword::Float64x => word::FLOAT64X,
        Keyword::Float80 => word::FLOAT80,
        Keyword::Int8 => word::CHAR,
        Keyword::Int16 => word::SHORT,
        Keyword::Int32 => word::INT,
        Keyword::Int64 => word::LONG | word::LONG_LONG,
        _ => return None,
    })
}

/// What a word spells if no other stands beside it.
#[inline]
pub(super) fn alone(keyword: Keyword) -> Option<Scalar> {
    match keyword {
        Keyword::Void => Some(Scalar::Void),
        Keyword::Char => Some(Scalar::Char),
        Keyword::Int => Some(Scalar::Int),
        Keyword::Float => Some(Scalar::Float),
        Keyword::Double => Some(Scalar::Double),
        _ => None,
    }
}

/// The scalar that words spell; those of `int` may be left out beside others.
pub(super) fn scalar(words: u32, target: &Target) -> Option<Scalar> {
    let sign = words & (word::SIGNED | word::UNSIGNED);
    let int = words & word::INT != 0;
    let rest = words & !(sign | word::INT);
    let pick = |signed, unsigned| match sign {
        0 | word::SIGNED => Some(signed),
        word::UNSIGNED => Some(unsigned),
        _ => None,
    };
    const LONG_LONG: u32 = word::LONG | word::LONG_LONG;
    match rest {
        0 => pick(Scalar::Int, Scalar::UnsignedInt),
        word::SHORT => pick(Scalar::Short, Scalar::UnsignedShort),
        word::LONG => pick(Scalar::Long, Scalar::UnsignedLong),
        LONG_LONG => pick(Scalar::LongLong, Scalar::UnsignedLongLong),
        _ if int => None,
        word::CHAR => match sign {
            0 => Some(Scalar::Char),
            _ => pick(Scalar::SignedChar, Scalar::UnsignedChar),
        },
        word::INT128 => pick(Scalar::Int128, Scalar::UnsignedInt128),
        _ if sign != 0 => None,
        word::VOID => Some(Scalar::Void),
        word::BOOL => Some(Scalar::Bool),
        _ if rest & word::COMPLEX == 0 => real(rest, target),
        // gcc takes `_Complex` alone for one of doubles.
        word::COMPLEX => Some(Scalar::ComplexDouble),
        _ => match real(rest & !word::COMPLEX, target)? {
            Scalar::Float => Some(Scalar::ComplexFloat),
            Scalar::Double => Some(Scalar::ComplexDouble),
            Scalar::LongDouble => Some(Scalar::ComplexLongDouble),
            Scalar::Float128 if target.long_double == LongDouble::Binary128 => {
                Some(Scalar::ComplexLongDouble)
            }
            _ => None,
        },
    }
}

/// The real floating type that words spell.
pub(super) fn real(words: u32, target: &Target) -> Option<Scalar> {
    const LONG_DOUBLE: u32 = word::LONG | word::DOUBLE;
    let x87 = matches!(target.model, Model::LinuxX86_64 | Model::WindowsX86_64);
    Some(match words {
        word::FLOAT | word::FLOAT32 => Scalar::Float,
        word::DOUBLE | word::FLOAT64 | word::FLOAT32X => Scalar::Double,
        LONG_DOUBLE => Scalar::LongDouble,
        word::FLOAT16 => Scalar::Float16,
        word::FLOAT128 => Scalar::Float128,
        // Wider than double: x87's where there is one, else binary128.
        word::FLOAT64X if x87 => Scalar::LongDouble,
        word::FLOAT64X => Scalar::Float128,
        word::FLOAT80 if x87 => Scalar::LongDouble,
        _ => return None,
    })
}
