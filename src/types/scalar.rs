//! Scalar types: C's spellings, and the kinds that they stand for.

use super::target::{LongDouble, Target};
use std::ffi::CStr;

/// The kind of a type. The numbers are those of the C API's `fc_kind` and never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
#[allow(missing_docs)]
pub enum Kind {
    Void = 0,
    Bool = 1,
    I8 = 2,
    U8 = 3,
    I16 = 4,
    U16 = 5,
    I32 = 6,
    U32 = 7,
    I64 = 8,
    U64 = 9,
    I128 = 10,
    U128 = 11,
    F16 = 16,
    F32 = 17,
    F64 = 18,
    F128 = 19,
    LongDouble = 20,
    ComplexF32 = 24,
    ComplexF64 = 25,
    ComplexLongDouble = 26,
    Pointer = 32,
    Struct = 64,
    Union = 65,
    Array = 66,
    Vector = 67,
    Function = 68,
    Enum = 69,
}

impl Kind {
    /// The kind that has this number.
    pub fn from_number(number: u32) -> Option<Kind> {
        use Kind::*;
        const ALL: [Kind; 27] = [
            Void,
            Bool,
            I8,
            U8,
            I16,
            U16,
            I32,
            U32,
            I64,
            U64,
            I128,
            U128,
            F16,
            F32,
            F64,
            F128,
            LongDouble,
            ComplexF32,
            ComplexF64,
            ComplexLongDouble,
            Pointer,
            Struct,
            Union,
            Array,
            Vector,
            Function,
            Enum,
        ];
        ALL.into_iter().find(|&kind| kind as u32 == number)
    }

    /// Integer kinds, `_Bool` included.
    pub fn is_integer(self) -> bool {
        (Kind::Bool as u32..=Kind::U128 as u32).contains(&(self as u32))
    }

    /// Integer kinds with a sign.
    pub fn is_signed(self) -> bool {
        matches!(
            self,
            Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64 | Kind::I128
        )
    }

    /// Real floating kinds.
    pub fn is_float(self) -> bool {
        (Kind::F16 as u32..=Kind::LongDouble as u32).contains(&(self as u32))
    }

    /// Complex kinds.
    pub fn is_complex(self) -> bool {
        (Kind::ComplexF32 as u32..=Kind::ComplexLongDouble as u32).contains(&(self as u32))
    }

    /// Kinds below 64: those that `fc_type_scalar` knows.
    pub fn is_scalar(self) -> bool {
        (self as u32) < 64
    }

    /// The real kind of a complex kind's two parts.
    pub fn complex_part(self) -> Option<Kind> {
        match self {
            Kind::ComplexF32 => Some(Kind::F32),
            Kind::ComplexF64 => Some(Kind::F64),
            Kind::ComplexLongDouble => Some(Kind::LongDouble),
            _ => None,
        }
    }

    /// Size and alignment in bytes of a scalar kind; `(0, 1)` for `void`.
    pub fn layout(self, target: &Target) -> Option<(u64, u32)> {
        let long_double = match target.long_double {
            LongDouble::X87 | LongDouble::Binary128 => (16, 16),
            LongDouble::Double => (8, 8),
        };
        Some(match self {
            Kind::Void => (0, 1),
            Kind::Bool | Kind::I8 | Kind::U8 => (1, 1),
            Kind::I16 | Kind::U16 | Kind::F16 => (2, 2),
            Kind::I32 | Kind::U32 | Kind::F32 => (4, 4),
            Kind::I64 | Kind::U64 | Kind::F64 | Kind::Pointer => (8, 8),
            Kind::I128 | Kind::U128 | Kind::F128 => (16, 16),
            Kind::ComplexF32 => (8, 4),
            Kind::ComplexF64 => (16, 8),
            Kind::LongDouble => long_double,
            Kind::ComplexLongDouble => (long_double.0 * 2, long_double.1),
            _ => return None,
        })
    }
}

/// A scalar type as C spells it. Different spellings may have the same kind: `long` and
/// `long long` are both 64-bit integers on LP64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Scalar {
    Void,
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int128,
    UnsignedInt128,
    Float16,
    Float,
    Double,
    Float128,
    LongDouble,
    ComplexFloat,
    ComplexDouble,
    ComplexLongDouble,
    /// `void *`.
    Pointer,
}

impl Scalar {
    /// Every scalar, in the order of its discriminant.
    pub const ALL: [Scalar; 24] = {
        use Scalar::*;
        [
            Void,
            Bool,
            Char,
            SignedChar,
            UnsignedChar,
            Short,
            UnsignedShort,
            Int,
            UnsignedInt,
            Long,
            UnsignedLong,
            LongLong,
            UnsignedLongLong,
            Int128,
            UnsignedInt128,
            Float16,
            Float,
            Double,
            Float128,
            LongDouble,
            ComplexFloat,
            ComplexDouble,
            ComplexLongDouble,
            Pointer,
        ]
    };

    /// What the spelling means on a target.
    pub fn kind(self, target: &Target) -> Kind {
        match self {
            Scalar::Void => Kind::Void,
            Scalar::Bool => Kind::Bool,
            Scalar::Char if target.char_is_signed => Kind::I8,
            Scalar::Char => Kind::U8,
            Scalar::SignedChar => Kind::I8,
            Scalar::UnsignedChar => Kind::U8,
            Scalar::Short => Kind::I16,
            Scalar::UnsignedShort => Kind::U16,
            Scalar::Int => Kind::I32,
            Scalar::UnsignedInt => Kind::U32,
            Scalar::Long if target.long_is_64 => Kind::I64,
            Scalar::Long => Kind::I32,
            Scalar::UnsignedLong if target.long_is_64 => Kind::U64,
            Scalar::UnsignedLong => Kind::U32,
            Scalar::LongLong => Kind::I64,
            Scalar::UnsignedLongLong => Kind::U64,
            Scalar::Int128 => Kind::I128,
            Scalar::UnsignedInt128 => Kind::U128,
            Scalar::Float16 => Kind::F16,
            Scalar::Float => Kind::F32,
            Scalar::Double => Kind::F64,
            Scalar::Float128 => Kind::F128,
            Scalar::LongDouble => Kind::LongDouble,
            Scalar::ComplexFloat => Kind::ComplexF32,
            Scalar::ComplexDouble => Kind::ComplexF64,
            Scalar::ComplexLongDouble => Kind::ComplexLongDouble,
            Scalar::Pointer => Kind::Pointer,
        }
    }

    /// The usual spelling of a scalar kind on a target.
    pub fn of_kind(kind: Kind, target: &Target) -> Option<Scalar> {
        Some(match kind {
            Kind::Void => Scalar::Void,
            Kind::Bool => Scalar::Bool,
            Kind::I8 => Scalar::SignedChar,
            Kind::U8 => Scalar::UnsignedChar,
            Kind::I16 => Scalar::Short,
            Kind::U16 => Scalar::UnsignedShort,
            Kind::I32 => Scalar::Int,
            Kind::U32 => Scalar::UnsignedInt,
            Kind::I64 if target.long_is_64 => Scalar::Long,
            Kind::I64 => Scalar::LongLong,
            Kind::U64 if target.long_is_64 => Scalar::UnsignedLong,
            Kind::U64 => Scalar::UnsignedLongLong,
            Kind::I128 => Scalar::Int128,
            Kind::U128 => Scalar::UnsignedInt128,
            Kind::F16 => Scalar::Float16,
            Kind::F32 => Scalar::Float,
            Kind::F64 => Scalar::Double,
            Kind::F128 => Scalar::Float128,
            Kind::LongDouble => Scalar::LongDouble,
            Kind::ComplexF32 => Scalar::ComplexFloat,
            Kind::ComplexF64 => Scalar::ComplexDouble,
            Kind::ComplexLongDouble => Scalar::ComplexLongDouble,
            Kind::Pointer => Scalar::Pointer,
            _ => return None,
        })
    }

    /// The spelling.
    pub fn spelling(self) -> &'static CStr {
        match self {
            Scalar::Void => c"void",
            Scalar::Bool => c"_Bool",
            Scalar::Char => c"char",
            Scalar::SignedChar => c"signed char",
            Scalar::UnsignedChar => c"unsigned char",
            Scalar::Short => c"short",
            Scalar::UnsignedShort => c"unsigned short",
            Scalar::Int => c"int",
            Scalar::UnsignedInt => c"unsigned int",
            Scalar::Long => c"long",
            Scalar::UnsignedLong => c"unsigned long",
            Scalar::LongLong => c"long long",
            Scalar::UnsignedLongLong => c"unsigned long long",
            Scalar::Int128 => c"__int128",
            Scalar::UnsignedInt128 => c"unsigned __int128",
            Scalar::Float16 => c"_Float16",
            Scalar::Float => c"float",
            Scalar::Double => c"double",
            Scalar::Float128 => c"_Float128",
            Scalar::LongDouble => c"long double",
            Scalar::ComplexFloat => c"float _Complex",
            Scalar::ComplexDouble => c"double _Complex",
            Scalar::ComplexLongDouble => c"long double _Complex",
            Scalar::Pointer => c"void *",
        }
    }
}
