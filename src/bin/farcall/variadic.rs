//! Extra arguments of a variadic call, whose types come from how they are written.

use crate::convert;
use crate::expression;
use crate::number::{Floating, Integer, Number, Precision, Whole};
use crate::read::{Place, Reader};
use crate::text::{self, Single};
use crate::{float, number};
use farcall::types::{Kind, Scalar, Type};

/// Numbers alone between signs that stand in dates, paths and ranges too are text: `2026-11-30`,
/// `3/4`. With a name of a constant among them they are an expression.
fn is_date_or_path(word: &str) -> bool {
    let begins_name = |part: &str| part.starts_with(|c: char| c == '_' || c.is_alphabetic());
    let mut parts = word.split(|c: char| c != '_' && !c.is_alphanumeric());
    let has_sign = word
        .trim_start_matches(['-', '+'])
        .contains(['-', '/', '%', '<', '>', '=', '?', '!'])
        && !word.contains("<<")
        && !word.contains(">>");
    has_sign && !parts.any(begins_name)
}

impl Reader<'_> {
    /// The type and the bytes of an extra argument.
    pub(crate) fn extra(
        &mut self,
        source: &[u8],
        parameter: &str,
    ) -> Result<(Type, Vec<u8>), String> {
        self.begin(parameter);
        self.untyped(source).map_err(|message| self.placed(message))
    }

    fn scalar(&self, scalar: Scalar) -> Type {
        Type::scalar(scalar, self.context.declarations.target())
    }

    fn untyped(&mut self, source: &[u8]) -> Result<(Type, Vec<u8>), String> {
        let pointer = self.scalar(Scalar::Pointer);
        let trimmed = source.trim_ascii();
        if let Some((cast, rest)) = self.cast(trimmed)? {
            return self.promoted(&cast, trimmed, rest);
        }
        match trimmed {
            b"null" | b"NULL" | b"nullptr" => return Ok((pointer, vec![0; 8])),
            [b'&', ..] => {
                return Err(format!(
                    "{} does not say what it points to; write (int *)& for the address of an int, and \
                     \"&...\" for text that begins with &",
                    text::shown(trimmed)
                ));
            }
            [b'{' | b'[', ..] => {
                return Err(format!(
                    "{} needs a type; write (struct name){{...}} for a struct, (int[]){{...}} for a \
                     list, and \"{{...\" for text that begins so",
                    text::shown(trimmed)
                ));
            }
            _ => {}
        }
        if let Some((_, b'"', _)) = text::opening(trimmed) {
            let bytes = self.value(pointer.get(), &self.cast_of_string(trimmed), Place::Inside)?;
            return Ok((pointer, bytes));
        }
        if let Some(single) = text::character(trimmed) {
            let value = match single? {
                Single::Character(character) => u32::from(character),
                Single::Wide(value) => value,
                Single::Element(value) => u8::try_from(value).map_or(value, |byte| {
                    match self.context.declarations.target().char_is_signed {
                        true => i32::from(byte.cast_signed()).cast_unsigned(),
                        false => value,
                    }
                }),
            };
            return Ok((self.scalar(Scalar::Int), value.to_le_bytes().to_vec()));
        }
        if let Ok(word) = std::str::from_utf8(trimmed)
            && let Some(read) = self.number(word, trimmed)?
        {
            return Ok(read);
        }
        let text = self.scalar(Scalar::Char);
        let bytes = text::unquoted(source)?;
        let size = bytes.len() as u64 + 1;
        let address = crate::memory::keep(&bytes, size, text.get().align())?;
        Ok((pointer, address.to_le_bytes().to_vec()))
    }

    /// A number, a constant or an expression of those; `None` for text.
    fn number(&self, word: &str, source: &[u8]) -> Result<Option<(Type, Vec<u8>)>, String> {
        match number::number(word) {
            Some(Ok(Number::Integer(integer))) => return self.integer(integer).map(Some),
            Some(Ok(Number::Floating(floating))) => {
                return self.floating(&floating, source).map(Some);
            }
            // Text may begin with a digit too.
            Some(Err(_)) | None => {}
        }
        let of_int = |value: i32| (self.scalar(Scalar::Int), value.to_le_bytes().to_vec());
        match word.strip_prefix(['-', '+']).unwrap_or(word) {
            "inf" | "nan" => {
                let ty = self.scalar(Scalar::Double);
                let bytes = float::special(word).and_then(|text| float::parse(ty.kind(), &text));
                return Ok(bytes.map(|bytes| (ty, bytes)));
            }
            _ => {}
        }
        match word {
            "true" => return Ok(Some(of_int(1))),
            "false" => return Ok(Some(of_int(0))),
            _ => {}
        }
        // M_PI is a floating number.
        let expanded = self.context.expanded(word).unwrap_or_default();
        let stands_for = expanded.trim_matches(['(', ')', ' ']);
        if let Some(Ok(Number::Floating(floating))) = number::number(stands_for) {
            return self.floating(&floating, source).map(Some);
        }
        if is_date_or_path(word) {
            return Ok(None);
        }
        let Some(constant) = self.context.untyped(word) else {
            return Ok(None);
        };
        let constant = constant.map_err(|message| match expression::is_name(word) {
            true => format!(
                "{word} is a macro that stands for no number; \"{word}\" in quotes of its own is text"
            ),
            false => message,
        })?;
        let ty = self.scalar(constant.scalar);
        let size = ty.get().size() as usize;
        Ok(Some((ty, constant.value.to_le_bytes()[..size].to_vec())))
    }

    fn floating(&self, floating: &Floating, source: &[u8]) -> Result<(Type, Vec<u8>), String> {
        let scalar = match floating.precision {
            Precision::Half => Scalar::Float16,
            Precision::Float | Precision::Double => Scalar::Double,
            Precision::LongDouble => Scalar::LongDouble,
            Precision::Quad => Scalar::Float128,
        };
        let ty = self.scalar(scalar);
        let bytes = match floating.precision {
            // The float, as a double.
            Precision::Float => float::parse(Kind::F32, &floating.text)
                .and_then(|bytes| float::converted(Kind::F32, &bytes, Kind::F64)),
            _ => float::parse(ty.kind(), &floating.text),
        };
        let bytes = bytes.ok_or_else(|| self.expected(ty.get(), source))?;
        Ok((ty, bytes))
    }

    /// A string literal as C's compound literal, which has elements of the string's own type.
    fn cast_of_string(&self, source: &[u8]) -> Vec<u8> {
        let element: &[u8] = match text::opening(source) {
            Some((text::Prefix::Utf16, ..)) => b"(char16_t[])",
            Some((text::Prefix::Utf32, ..)) => b"(char32_t[])",
            Some((text::Prefix::Wide, ..)) => b"(wchar_t[])",
            _ => b"(char[])",
        };
        [element, source].concat()
    }

    /// A literal's type is the first that holds it (C11, 6.4.4.1p5).
    fn integer(&self, integer: Integer) -> Result<(Type, Vec<u8>), String> {
        let candidates = [
            (Scalar::Int, false, 0),
            (Scalar::UnsignedInt, true, 0),
            (Scalar::Long, false, 1),
            (Scalar::UnsignedLong, true, 1),
            (Scalar::LongLong, false, 2),
            (Scalar::UnsignedLongLong, true, 2),
        ];
        for (scalar, is_unsigned, longs) in candidates {
            let is_allowed = match is_unsigned {
                true => integer.is_unsigned || !integer.is_decimal,
                false => !integer.is_unsigned,
            };
            let ty = self.scalar(scalar);
            let range = Whole::range(ty.get().size() as u32 * 8, !is_unsigned);
            // `-1u` is a large number.
            let wraps = integer.is_unsigned && integer.value.is_negative;
            if is_allowed && longs >= integer.longs && (integer.value.is_within(range) || wraps) {
                let size = ty.get().size() as usize;
                return Ok((ty, integer.value.bits().to_le_bytes()[..size].to_vec()));
            }
        }
        let is_unsigned = integer.value.is_within(Whole::range(64, false));
        Err(match is_unsigned && integer.longs < 2 {
            true => format!(
                "{0} does not fit in long; u behind it makes it unsigned: {0}u",
                integer.value
            ),
            false => format!(
                "{0} does not fit in long; a cast says a type that holds it: (__int128){0}",
                integer.value
            ),
        })
    }

    /// A cast value, with C's promotions (C11, 6.5.2.2p6).
    fn promoted(
        &mut self,
        cast: &Type,
        source: &[u8],
        rest: &[u8],
    ) -> Result<(Type, Vec<u8>), String> {
        if cast.kind() == Kind::Array {
            let pointer = self.scalar(Scalar::Pointer);
            let bytes = self.value(pointer.get(), source, Place::Inside)?;
            return Ok((pointer, bytes));
        }
        if matches!(cast.kind(), Kind::Void | Kind::Function) {
            return Err(format!(
                "{} has no values; cast to another type",
                cast.get().describe()
            ));
        }
        if !cast.get().is_complete() {
            return Err(format!(
                "{} is incomplete: it has no size",
                cast.get().describe()
            ));
        }
        let bytes = self.value(cast.get(), rest, Place::Cast)?;
        let promoted = match cast.get().value_kind() {
            Kind::F32 => self.scalar(Scalar::Double),
            Kind::Bool | Kind::I8 | Kind::U8 | Kind::I16 | Kind::U16 => self.scalar(Scalar::Int),
            _ => return Ok((cast.clone(), bytes)),
        };
        let bytes = convert::converted(cast.get(), &bytes, promoted.get())?;
        Ok((promoted, bytes))
    }
}
