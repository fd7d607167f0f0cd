//! Words of the command line as C values.

use crate::float;
use farcall::types::{Kind, TypeRef};
use std::ffi::{CString, c_void};

/// Values that live, where they are, until the call is over.
#[derive(Default)]
pub(crate) struct Arguments {
    values: Vec<Box<[u8]>>,
    strings: Vec<CString>,
}

impl Arguments {
    pub(crate) fn pointers(&self) -> Vec<*const c_void> {
        self.values
            .iter()
            .map(|value| value.as_ptr().cast())
            .collect()
    }

    fn push(&mut self, bytes: &[u8]) {
        self.values.push(bytes.into());
    }
}

/// Adds one argument, or says what is wrong with it.
pub(crate) fn argument(
    arguments: &mut Arguments,
    ty: TypeRef<'_>,
    text: &str,
) -> Result<(), String> {
    let kind = ty.value_kind();
    let bytes = match kind {
        Kind::Bool => vec![boolean(text)?],
        kind if kind.is_integer() => integer(kind, ty, text)?,
        Kind::Pointer => pointer(arguments, ty, text)?,
        kind if kind.is_float() => float::parse(kind, text).ok_or_else(|| expected(ty, text))?,
        kind if kind.is_complex() => complex(kind, text).ok_or_else(|| expected(ty, text))?,
        _ => {
            return Err(format!(
                "{} cannot be written on the command line in this version",
                ty.describe()
            ));
        }
    };
    arguments.push(&bytes);
    Ok(())
}

fn expected(ty: TypeRef<'_>, text: &str) -> String {
    format!("expected {}, got \"{text}\"", ty.describe())
}

fn boolean(text: &str) -> Result<u8, String> {
    match text {
        "true" | "1" => Ok(1),
        "false" | "0" => Ok(0),
        _ => Err(format!("expected true or false, got \"{text}\"")),
    }
}

/// A sign and a magnitude, decimal, hexadecimal, binary or a character in quotes.
fn magnitude(text: &str) -> Option<(bool, u128)> {
    if let Some(inner) = text
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''))
    {
        let mut letters = inner.chars();
        return match (letters.next(), letters.next()) {
            (Some(letter), None) => Some((false, u128::from(u32::from(letter)))),
            _ => None,
        };
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let with_radix = |prefixes: [&str; 2], radix| {
        let digits = prefixes
            .iter()
            .find_map(|prefix| digits.strip_prefix(prefix))?;
        Some((digits, radix))
    };
    let (digits, radix) = with_radix(["0x", "0X"], 16)
        .or_else(|| with_radix(["0b", "0B"], 2))
        .unwrap_or((digits, 10));
    // A sign behind the prefix is none of C's.
    if digits.starts_with(['+', '-']) {
        return None;
    }
    Some((negative, u128::from_str_radix(digits, radix).ok()?))
}

fn integer(kind: Kind, ty: TypeRef<'_>, text: &str) -> Result<Vec<u8>, String> {
    let (negative, magnitude) = magnitude(text).ok_or_else(|| expected(ty, text))?;
    let bits = ty.size() as u32 * 8;
    let (below, above) = match kind.is_signed() {
        true => (1u128 << (bits - 1), (1u128 << (bits - 1)) - 1),
        false => (0, u128::MAX >> (128 - bits)),
    };
    if magnitude > if negative { below } else { above } {
        let sign = if below > 0 { "-" } else { "" };
        return Err(format!(
            "{text} does not fit {}: {sign}{below} to {above}",
            ty.describe()
        ));
    }
    let value = if negative {
        magnitude.wrapping_neg()
    } else {
        magnitude
    };
    Ok(value.to_le_bytes()[..ty.size() as usize].to_vec())
}

/// The kinds that a string may be pointed to by.
fn points_to_text(ty: TypeRef<'_>) -> bool {
    match &ty.node.data {
        farcall::types::Data::Pointer { pointee, .. } => {
            let kind = pointee
                .as_ref()
                .map_or(Kind::Void, |link| ty.follow(link).kind());
            matches!(kind, Kind::Void | Kind::I8 | Kind::U8)
        }
        // Plain void *.
        _ => true,
    }
}

fn pointer(arguments: &mut Arguments, ty: TypeRef<'_>, text: &str) -> Result<Vec<u8>, String> {
    let is_void = ty.name().to_bytes().starts_with(b"void");
    let address = match text {
        "null" | "NULL" => Some(0),
        _ if is_void || !points_to_text(ty) => magnitude(text)
            .filter(|found| !found.0)
            .map(|found| found.1 as u64),
        _ => None,
    };
    if let Some(address) = address {
        return Ok(address.to_le_bytes().to_vec());
    }
    if !points_to_text(ty) {
        return Err(format!("expected null or an address, got \"{text}\""));
    }
    let string = CString::new(text).map_err(|_| "the text contains a NUL".to_owned())?;
    let address = string.as_ptr() as u64;
    arguments.strings.push(string);
    Ok(address.to_le_bytes().to_vec())
}

/// `1.5`, `2i` or `1.5-2i`.
fn complex(kind: Kind, text: &str) -> Option<Vec<u8>> {
    let part = kind.complex_part()?;
    let (real, imaginary) = match text.strip_suffix('i') {
        None => (text, "0"),
        Some(rest) => {
            // The sign that parts them is not the first letter, and not an exponent's.
            let split = rest
                .rmatch_indices(['+', '-'])
                .map(|(at, _)| at)
                .find(|&at| at > 0 && !rest[..at].ends_with(['e', 'E', 'p', 'P']));
            match split {
                Some(at) => (&rest[..at], &rest[at..]),
                None => ("0", rest),
            }
        }
    };
    let mut bytes = float::parse(part, real)?;
    bytes.extend(float::parse(part, imaginary)?);
    Some(bytes)
}
