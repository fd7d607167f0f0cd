//! Floating numbers of every C type as text and back. The formats that Rust does not know are read
//! and written by C's own functions, called as farcall calls any.

use farcall::code;
use farcall::decl;
use farcall::invoke::{Function, Options};
use farcall::library::{Library, OpenOptions};
use farcall::types::{Kind, Type};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::Arc;

/// The bytes of a number, or None where the text is none: decimal, hexadecimal with an exponent, or
/// an infinity or no number, as `special` spells it.
pub(crate) fn parse(kind: Kind, text: &str) -> Option<Vec<u8>> {
    let is_hexadecimal = text.trim_start_matches(['-', '+']).starts_with("0x");
    match kind {
        Kind::F32 if is_hexadecimal => parse_with_c("float strtof(const char *, char **)", text),
        Kind::F64 if is_hexadecimal => parse_with_c("double strtod(const char *, char **)", text),
        Kind::F32 => Some(text.parse::<f32>().ok()?.to_le_bytes().to_vec()),
        Kind::F64 => Some(text.parse::<f64>().ok()?.to_le_bytes().to_vec()),
        Kind::F16 => {
            let double = parse(Kind::F64, text)?.try_into().ok()?;
            let half = half_from(f64::from_le_bytes(double));
            Some(half.to_le_bytes().to_vec())
        }
        Kind::LongDouble => parse_with_c("long double strtold(const char *, char **)", text),
        Kind::F128 => parse_with_c("_Float128 strtof128(const char *, char **)", text),
        _ => None,
    }
}

/// An infinity or no number, in the spelling that `parse` takes.
pub(crate) fn special(word: &str) -> Option<String> {
    let (sign, name) = match word.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", word.strip_prefix('+').unwrap_or(word)),
    };
    let name = match name.to_ascii_lowercase().as_str() {
        "inf" | "infinity" => "inf",
        "nan" => "nan",
        _ => return None,
    };
    Some(format!("{sign}{name}"))
}

/// A number of one format as the nearest one of another.
pub(crate) fn converted(from: Kind, bytes: &[u8], to: Kind) -> Option<Vec<u8>> {
    if from == to {
        return Some(bytes.to_vec());
    }
    // Hexadecimal digits are exact.
    let exact = match from {
        Kind::F16 => exact(half_to(u16::from_le_bytes(bytes.try_into().ok()?))),
        Kind::F32 => exact(f64::from(f32::from_le_bytes(bytes.try_into().ok()?))),
        Kind::F64 => exact(f64::from_le_bytes(bytes.try_into().ok()?)),
        Kind::LongDouble => print_once(
            "int snprintf(char *, size_t, const char *, ...)",
            "%La",
            &Wide::of(bytes),
        )?,
        Kind::F128 => print_once(
            "int strfromf128(char *, size_t, const char *, _Float128)",
            "%a",
            &Wide::of(bytes),
        )?,
        _ => return None,
    };
    parse(to, &special(&exact).unwrap_or(exact))
}

/// A double in hexadecimal.
fn exact(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string().to_ascii_lowercase();
    }
    let bits = value.to_bits();
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let fraction = bits & ((1 << 52) - 1);
    match bits >> 52 & 0x7ff {
        0 => format!("{sign}0x{fraction:x}p-1074"),
        exponent => format!(
            "{sign}0x{:x}p{}",
            fraction | 1 << 52,
            exponent as i64 - 1075
        ),
    }
}

/// A number as its shortest text that reads back the same, in C too, where -0 is a whole number
/// that has lost its sign.
pub(crate) fn print(kind: Kind, bytes: &[u8]) -> String {
    match print_digits(kind, bytes) {
        zero if zero == "-0" => "-0.0".to_owned(),
        text => text,
    }
}

fn print_digits(kind: Kind, bytes: &[u8]) -> String {
    match kind {
        Kind::F32 => {
            let value = bytes.try_into().map_or(0.0, f32::from_le_bytes);
            shortest(f64::from(value), &format!("{value}"), &format!("{value:e}"))
        }
        Kind::F64 => {
            let value = bytes.try_into().map_or(0.0, f64::from_le_bytes);
            shortest(value, &format!("{value}"), &format!("{value:e}"))
        }
        Kind::F16 => {
            let bits = bytes.try_into().map_or(0, u16::from_le_bytes);
            let value = shortest_half(bits);
            shortest(value, &format!("{value}"), &format!("{value:e}"))
        }
        Kind::LongDouble => print_with_c(bytes, 17..=21, "strtold", &|precision| {
            (
                "int snprintf(char *, size_t, const char *, ...)",
                format!("%.{precision}Lg"),
            )
        }),
        _ => print_with_c(bytes, 33..=36, "strtof128", &|precision| {
            (
                "int strfromf128(char *, size_t, const char *, _Float128)",
                format!("%.{precision}g"),
            )
        }),
    }
}

/// As C's %g chooses: plain digits, or an exponent where they would be many.
fn shortest(value: f64, plain: &str, exponent: &str) -> String {
    let size = value.abs();
    if value.is_nan() {
        "nan".to_owned()
    } else if value.is_infinite() || size == 0.0 || (1e-5..1e17).contains(&size) {
        plain.to_owned()
    } else {
        exponent.to_owned()
    }
}

/// The number with the fewest digits that is nearest to a half.
fn shortest_half(bits: u16) -> f64 {
    let value = half_to(bits);
    // Five digits tell all halves apart.
    let candidates = (0..5).filter_map(|digits| format!("{value:.digits$e}").parse::<f64>().ok());
    let mut same = candidates.filter(|&candidate| half_from(candidate) == bits);
    same.next().unwrap_or(value)
}

fn half_to(bits: u16) -> f64 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    }
}

/// The nearest half, ties to even.
fn half_from(value: f64) -> u16 {
    let sign = u16::from(value.is_sign_negative()) << 15;
    let size = value.abs();
    if size.is_nan() {
        return sign | 0x7e00;
    }
    // Halves are multiples of a unit that depends on the size; 2^-24 is the smallest.
    let exponent = if size < 2f64.powi(-14) {
        -14
    } else {
        size.log2().floor() as i32
    };
    let units = (size / 2f64.powi(exponent - 10)).round_ties_even();
    if exponent > 15 || units * 2f64.powi(exponent - 10) >= 65536.0 {
        return sign | 0x7c00;
    }
    // A unit count of 2048 carries into the exponent by itself.
    let biased = (exponent + 14) as u16;
    sign | ((biased << 10) + units as u16)
}

fn c_function(prototype: &str, extra: &[Kind]) -> Option<Function> {
    let library = Arc::new(Library::open(None, &OpenOptions::default()).ok()?);
    let (mut signature, symbol) = decl::function(None, code::target(), prototype).ok()?;
    if signature.function().open {
        let types: Option<Vec<Type>> = extra
            .iter()
            .map(|&kind| {
                let scalar = farcall::types::Scalar::of_kind(kind, code::target())?;
                Some(Type::scalar(scalar, code::target()))
            })
            .collect();
        signature = signature.complete_variadic(&types?).ok()?;
    }
    Function::bind(&library, signature, &symbol, Options::default()).ok()
}

/// 16 bytes for a `long double` or `_Float128`.
#[repr(align(16))]
#[derive(Clone, Copy, PartialEq)]
struct Wide([u8; 16]);

impl Wide {
    fn of(bytes: &[u8]) -> Wide {
        let mut value = Wide([0; 16]);
        let length = bytes.len().min(16);
        value.0[..length].copy_from_slice(&bytes[..length]);
        value
    }
}

fn parse_with_c(prototype: &str, text: &str) -> Option<Vec<u8>> {
    let function = c_function(prototype, &[])?;
    let text = CString::new(text).ok()?;
    let mut end: *const c_char = std::ptr::null();
    let (start, end_address) = (text.as_ptr(), &raw mut end);
    let arguments = [
        (&raw const start).cast(),
        (&raw const end_address).cast::<c_void>(),
    ];
    let mut result = Wide([0; 16]);
    // SAFETY: the prototype is the function's own, and so are the arguments.
    unsafe { function.invoke((&raw mut result).cast(), arguments.as_ptr()) };
    let read_all = end as usize == start as usize + text.as_bytes().len();
    let size = function.signature().result().get().size() as usize;
    (read_all && !text.is_empty()).then(|| result.0[..size].to_vec())
}

fn print_with_c(
    bytes: &[u8],
    precisions: std::ops::RangeInclusive<u32>,
    parser: &str,
    format: &dyn Fn(u32) -> (&'static str, String),
) -> String {
    let value = Wide::of(bytes);
    let ty = if parser == "strtold" {
        "long double"
    } else {
        "_Float128"
    };
    let mut text = String::new();
    for precision in precisions {
        let (prototype, format) = format(precision);
        let Some(printed) = print_once(prototype, &format, &value) else {
            break;
        };
        text = printed;
        let prototype = format!("{ty} {parser}(const char *, char **)");
        let significant = if ty == "long double" { 10 } else { 16 };
        let back = parse_with_c(&prototype, &text);
        if back.is_some_and(|back| back[..significant] == value.0[..significant]) {
            break;
        }
    }
    text
}

fn print_once(prototype: &str, format: &str, value: &Wide) -> Option<String> {
    let function = c_function(prototype, &[Kind::LongDouble])?;
    let format = CString::new(format).ok()?;
    let mut buffer = [0u8; 128];
    let (start, length, format) = (buffer.as_mut_ptr(), buffer.len(), format.as_ptr());
    let arguments: [*const c_void; 4] = [
        (&raw const start).cast(),
        (&raw const length).cast(),
        (&raw const format).cast(),
        std::ptr::from_ref(value).cast(),
    ];
    let mut written: c_int = 0;
    // SAFETY: the prototype is the function's own, and so are the arguments.
    unsafe { function.invoke((&raw mut written).cast(), arguments.as_ptr()) };
    let text = CStr::from_bytes_until_nul(&buffer).ok()?;
    Some(text.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_round_to_the_nearest() {
        let cases = [
            (0.0, 0x0000),
            (-0.0, 0x8000),
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            (65519.9, 0x7bff),
            (65520.0, 0x7c00),
            (2f64.powi(-24), 0x0001),
            (2f64.powi(-25), 0x0000),
            (2f64.powi(-14), 0x0400),
            (0.333251953125, 0x3555),
            (2047.5, 0x6800),
        ];
        for (value, bits) in cases {
            assert_eq!(half_from(value), bits, "{value}");
        }
        for bits in (0..=0x7c00).chain(0x8000..=0xfc00) {
            assert_eq!(half_from(half_to(bits)), bits);
        }
    }

    #[test]
    fn every_format_prints_what_it_reads() {
        for kind in [
            Kind::F16,
            Kind::F32,
            Kind::F64,
            Kind::LongDouble,
            Kind::F128,
        ] {
            for text in ["0.5", "1024", "-3", "1e-7", "inf", "-0"] {
                let bytes = parse(kind, text).expect(text);
                let printed = print(kind, &bytes);
                let again = parse(kind, &printed).expect(&printed);
                assert_eq!(bytes, again, "{kind:?} {text} {printed}");
            }
            for text in ["0x1p-3", "-0x1.8p1"] {
                let decimal = if text.starts_with('-') { "-3" } else { "0.125" };
                assert_eq!(parse(kind, text), parse(kind, decimal), "{kind:?} {text}");
            }
            assert_eq!(parse(kind, "1x"), None);
            assert_eq!(parse(kind, ""), None);
        }
    }
    #[test]
    fn conversions_are_exact() {
        let tenth = 0.1f32;
        for (from, bytes, to, expected) in [
            (
                Kind::F32,
                tenth.to_le_bytes().to_vec(),
                Kind::F64,
                f64::from(tenth).to_le_bytes().to_vec(),
            ),
            (
                Kind::F64,
                5e-324f64.to_le_bytes().to_vec(),
                Kind::F32,
                0f32.to_le_bytes().to_vec(),
            ),
            (
                Kind::F64,
                f64::NEG_INFINITY.to_le_bytes().to_vec(),
                Kind::F16,
                0xfc00u16.to_le_bytes().to_vec(),
            ),
        ] {
            assert_eq!(
                converted(from, &bytes, to),
                Some(expected),
                "{from:?} {to:?}"
            );
        }
        for value in [0.1, -5e-324, 1.5, f64::MAX, f64::INFINITY, -0.0] {
            let bytes = value.to_le_bytes();
            for wide in [Kind::LongDouble, Kind::F128] {
                let there = converted(Kind::F64, &bytes, wide).unwrap();
                let back = converted(wide, &there, Kind::F64).unwrap();
                assert_eq!(back, bytes, "{wide:?} {value}");
            }
        }
    }
}
