//! Type names that are known before any text is read: those of <stddef.h>, <stdint.h> and their
//! kin, as the target's headers define them.

use crate::types::target::Model;
use crate::types::{Kind, Scalar, Target};

/// How binding the meaning of a known name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// The C standard leaves no choice: a typedef in the text must agree.
    Fixed(Scalar),
    /// Customary: a typedef in the text may give it another meaning.
    Usual(Scalar),
    /// The argument list of a variadic function.
    VaList,
}

/// All of them, to find the one that somebody meant.
pub(super) const NAMES: [&str; 46] = [
    "size_t",
    "ssize_t",
    "ptrdiff_t",
    "intptr_t",
    "uintptr_t",
    "wchar_t",
    "wint_t",
    "char16_t",
    "char32_t",
    "char8_t",
    "off_t",
    "bool",
    "va_list",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "intmax_t",
    "uintmax_t",
    "int_least8_t",
    "int_least16_t",
    "int_least32_t",
    "int_least64_t",
    "uint_least8_t",
    "uint_least16_t",
    "uint_least32_t",
    "uint_least64_t",
    "int_fast8_t",
    "int_fast16_t",
    "int_fast32_t",
    "int_fast64_t",
    "uint_fast8_t",
    "uint_fast16_t",
    "uint_fast32_t",
    "uint_fast64_t",
    "unsigned",
    "signed",
    "double",
    "float",
    "short",
    "char",
    "void",
];

/// Types of some compilers that no convention here knows.
pub(super) const UNSUPPORTED: [&str; 4] = ["__bf16", "_Decimal32", "_Decimal64", "_Decimal128"];

/// What a name means, if it is one of these.
pub(super) fn find(name: &[u8], target: &Target) -> Option<Known> {
    use Known::*;
    let x86_64 = matches!(target.model, Model::LinuxX86_64 | Model::WindowsX86_64);
    // Most names end in _t.
    if !name.ends_with(b"_t") {
        return match name {
            b"bool" => Some(Usual(Scalar::Bool)),
            b"va_list" | b"__builtin_va_list" | b"__gnuc_va_list" => Some(VaList),
            // The argument list of a variadic function of Microsoft's convention, on any system.
            b"__builtin_ms_va_list" if x86_64 => Some(Usual(Scalar::Pointer)),
            _ => None,
        };
    }
    let of = |kind| Scalar::of_kind(kind, target);
    let linux = matches!(target.model, Model::LinuxX86_64 | Model::LinuxAarch64);
    Some(match name {
        b"size_t" | b"uintptr_t" => Fixed(of(Kind::U64)?),
        b"ptrdiff_t" | b"intptr_t" => Fixed(of(Kind::I64)?),
        b"ssize_t" => Usual(of(Kind::I64)?),
        // 64 bits with what today's programs ask for; Windows has none but its long.
        b"off_t" => Usual(Scalar::Long),
        b"wchar_t" => Fixed(wide(target.wchar, target)?),
        b"wint_t" => Usual(match target.model {
            Model::WindowsX86_64 => Scalar::UnsignedShort,
            Model::AppleAarch64 => Scalar::Int,
            _ => Scalar::UnsignedInt,
        }),
        b"char8_t" => Usual(Scalar::UnsignedChar),
        b"char16_t" => Usual(Scalar::UnsignedShort),
        b"char32_t" => Usual(Scalar::UnsignedInt),
        b"int8_t" => Fixed(Scalar::SignedChar),
        b"uint8_t" => Fixed(Scalar::UnsignedChar),
        b"int16_t" => Fixed(Scalar::Short),
        b"uint16_t" => Fixed(Scalar::UnsignedShort),
        b"int32_t" => Fixed(Scalar::Int),
        b"uint32_t" => Fixed(Scalar::UnsignedInt),
        b"int64_t" | b"intmax_t" => Fixed(of(Kind::I64)?),
        b"uint64_t" | b"uintmax_t" => Fixed(of(Kind::U64)?),
        b"__int128_t" => Fixed(Scalar::Int128),
        b"__uint128_t" => Fixed(Scalar::UnsignedInt128),
        b"int_least8_t" | b"int_fast8_t" => Usual(Scalar::SignedChar),
        b"uint_least8_t" | b"uint_fast8_t" => Usual(Scalar::UnsignedChar),
        b"int_least16_t" => Usual(Scalar::Short),
        b"uint_least16_t" => Usual(Scalar::UnsignedShort),
        b"int_least32_t" => Usual(Scalar::Int),
        b"uint_least32_t" => Usual(Scalar::UnsignedInt),
        b"int_least64_t" | b"int_fast64_t" => Usual(of(Kind::I64)?),
        b"uint_least64_t" | b"uint_fast64_t" => Usual(of(Kind::U64)?),
        // glibc takes a whole register for these, the others the least that holds them.
        b"int_fast16_t" | b"int_fast32_t" if linux => Usual(Scalar::Long),
        b"uint_fast16_t" | b"uint_fast32_t" if linux => Usual(Scalar::UnsignedLong),
        b"int_fast16_t" => Usual(Scalar::Short),
        b"uint_fast16_t" => Usual(Scalar::UnsignedShort),
        b"int_fast32_t" => Usual(Scalar::Int),
        b"uint_fast32_t" => Usual(Scalar::UnsignedInt),
        _ => return None,
    })
}

/// The scalar that `wchar_t` is: its 32 bits are an `int`, whatever else has as many.
fn wide(kind: Kind, target: &Target) -> Option<Scalar> {
    match kind {
        Kind::I32 => Some(Scalar::Int),
        Kind::U32 => Some(Scalar::UnsignedInt),
        _ => Scalar::of_kind(kind, target),
    }
}
