//! Numbers and character constants.

use super::arithmetic::wrap;
use super::names::Value;
use crate::types::{Kind, Scalar, Target};

/// The value of an integer constant, of the first type that holds it (C11, 6.4.4.1p5).
pub(super) fn number(text: &str, target: &Target) -> Result<Value, String> {
    let lower = text.to_ascii_lowercase();
    let (base, digits) = if let Some(digits) = lower.strip_prefix("0x") {
        (16, digits)
    } else if let Some(digits) = lower.strip_prefix("0b") {
        (2, digits)
    } else if lower.starts_with('0') {
        (8, &lower[..])
    } else {
        (10, &lower[..])
    };
    let shown: String = text.chars().take(60).collect();
    let is_float = digits.contains('.')
        || base != 16 && digits.contains('e')
        || base == 16 && digits.contains('p');
    if is_float {
        return Err(format!(
            "expected an integer, found the floating constant {shown}"
        ));
    }
    let end = digits.find(|c: char| !c.is_digit(if base == 8 { 10 } else { base }));
    let (digits, suffix) = digits.split_at(end.unwrap_or(digits.len()));
    if digits.is_empty() {
        return Err(format!("the number {shown} has no digits"));
    }
    if base == 8 && digits.contains(['8', '9']) {
        return Err(format!("the octal number {shown} has a digit beyond 7"));
    }
    let (unsigned, longs) = match suffix {
        "" => (false, 0),
        "u" => (true, 0),
        "l" => (false, 1),
        "ul" | "lu" => (true, 1),
        "ll" => (false, 2),
        "ull" | "llu" => (true, 2),
        _ => return Err(format!("the number {shown} has an unknown suffix")),
    };
    let value = u64::from_str_radix(digits, base)
        .map_err(|_| format!("the number {shown} does not fit 64 bits"))?;
    let scalars = [
        [Scalar::Int, Scalar::UnsignedInt],
        [Scalar::Long, Scalar::UnsignedLong],
        [Scalar::LongLong, Scalar::UnsignedLongLong],
    ];
    let value = i128::from(value);
    for pair in &scalars[longs..] {
        for (index, scalar) in pair.iter().enumerate() {
            // Without a suffix a decimal number has a sign.
            let allowed = if index == 0 {
                !unsigned
            } else {
                unsigned || base != 10
            };
            let kind = scalar.kind(target);
            if allowed && wrap(value, kind).bits == value {
                return Ok(Value { bits: value, kind });
            }
        }
    }
    // As gcc, which then warns.
    Ok(Value {
        bits: value,
        kind: Kind::U64,
    })
}

/// The value of a character constant with its quotes and prefix.
pub(super) fn character(text: &str, target: &Target) -> Result<Value, String> {
    let open = text.find('\'').unwrap_or(0);
    let kind = match &text[..open] {
        "L" => Some(target.wchar),
        "u" => Some(Kind::U16),
        "U" => Some(Kind::U32),
        "u8" => Some(Kind::U8),
        _ => None,
    };
    let inner = text[open..].trim_start_matches('\'');
    let inner = inner.strip_suffix('\'').unwrap_or(inner);
    let mut rest = if text[open..].starts_with("'\\''") {
        "\\'"
    } else {
        inner
    };
    if rest.is_empty() {
        return Err("an empty character constant".to_owned());
    }
    let mut count = 0;
    let mut value = 0i128;
    while !rest.is_empty() {
        let (unit, length) = unit(rest, kind.is_some())?;
        rest = &rest[length..];
        count += 1;
        value = match kind {
            Some(_) => i128::from(unit),
            // As gcc does: the characters of 'ab' are the bytes of an int.
            None => (value << 8 | i128::from(unit & 0xff)) & 0xffff_ffff,
        };
    }
    match kind {
        Some(kind) if count == 1 => Ok(wrap(value, kind)),
        Some(_) => Err("more than one character in a wide character constant".to_owned()),
        None if count > 4 => Err("more than four characters in a character constant".to_owned()),
        None if count == 1 => {
            let char = wrap(value, Scalar::Char.kind(target));
            Ok(Value {
                bits: char.bits,
                kind: Kind::I32,
            })
        }
        None => Ok(wrap(value, Kind::I32)),
    }
}

/// The first character or escape sequence, and its length in bytes. Outside wide constants every
/// byte of a character beyond ASCII counts for itself.
fn unit(text: &str, wide: bool) -> Result<(u32, usize), String> {
    let bytes = text.as_bytes();
    if bytes[0] != b'\\' {
        // The text is not empty.
        let c = text.chars().next().unwrap_or_default();
        if !wide && !c.is_ascii() {
            return Err(
                "a character beyond ASCII in a character constant without prefix".to_owned(),
            );
        }
        return Ok((u32::from(c), c.len_utf8()));
    }
    let digits = |from: usize, radix: u32, most: usize| {
        let text = &text[from..];
        let end = text
            .bytes()
            .take(most)
            .take_while(|&b| (b as char).is_digit(radix))
            .count();
        u32::from_str_radix(&text[..end], radix)
            .map(|value| (value, from + end))
            .map_err(|_| "an escape sequence without digits, or too large".to_owned())
    };
    let simple = match bytes.get(1) {
        Some(b'n') => b'\n',
        Some(b't') => b'\t',
        Some(b'r') => b'\r',
        Some(b'a') => 7,
        Some(b'b') => 8,
        Some(b'f') => 12,
        Some(b'v') => 11,
        Some(b'e') => 27,
        Some(&c @ (b'\'' | b'"' | b'\\' | b'?')) => c,
        Some(b'x') => return digits(2, 16, usize::MAX),
        Some(b'u') => return digits(2, 16, 4),
        Some(b'U') => return digits(2, 16, 8),
        Some(b'0'..=b'7') => return digits(1, 8, 3),
        _ => return Err("an unknown escape sequence in a character constant".to_owned()),
    };
    Ok((u32::from(simple), 2))
}
