//! C values as text.

use crate::float;
use farcall::types::{Data, Kind, TypeRef};
use std::ffi::{CStr, c_char};

/// A value of a type, from its bytes; "" for void.
///
/// A `char *` is taken to point to a string that ends in NUL.
pub(crate) fn value(ty: TypeRef<'_>, bytes: &[u8]) -> String {
    let kind = ty.value_kind();
    match kind {
        Kind::Void => String::new(),
        Kind::Bool => if bytes[0] == 0 { "false" } else { "true" }.to_owned(),
        kind if kind.is_integer() => integer(kind, bytes),
        kind if kind.is_float() => float::print(kind, bytes),
        Kind::ComplexF32 | Kind::ComplexF64 | Kind::ComplexLongDouble => complex(kind, bytes),
        Kind::Pointer => pointer(ty, bytes),
        Kind::Struct | Kind::Union => record(ty, bytes),
        Kind::Array | Kind::Vector => elements(ty, bytes),
        _ => hexadecimal(bytes),
    }
}

fn word(bytes: &[u8]) -> u128 {
    let mut all = [0; 16];
    let length = bytes.len().min(16);
    all[..length].copy_from_slice(&bytes[..length]);
    u128::from_le_bytes(all)
}

fn integer(kind: Kind, bytes: &[u8]) -> String {
    let above = 128 - 8 * bytes.len() as u32;
    let value = word(bytes) << above;
    match kind.is_signed() {
        true => (value as i128 >> above).to_string(),
        false => (value >> above).to_string(),
    }
}

fn complex(kind: Kind, bytes: &[u8]) -> String {
    let part = kind.complex_part().unwrap_or(Kind::F64);
    let (real, imaginary) = bytes.split_at(bytes.len() / 2);
    let imaginary = float::print(part, imaginary);
    let sign = if imaginary.starts_with('-') { "" } else { "+" };
    format!("{}{sign}{imaginary}i", float::print(part, real))
}

fn pointer(ty: TypeRef<'_>, bytes: &[u8]) -> String {
    let address = word(bytes) as usize;
    if address == 0 {
        return "null".to_owned();
    }
    let to_char = match &ty.node.data {
        Data::Pointer {
            pointee: Some(link),
            ..
        } => ty.follow(link).name().to_bytes() == b"char",
        _ => false,
    };
    if !to_char {
        return format!("{address:#x}");
    }
    // SAFETY: the prototype says that it is a string, which is the user's word.
    let text = unsafe { CStr::from_ptr(address as *const c_char) };
    quoted(text.to_bytes())
}

/// A string as C writes it, with what is no UTF-8 as escapes.
fn quoted(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '"' => text.push_str("\\\""),
                '\\' => text.push_str("\\\\"),
                '\n' => text.push_str("\\n"),
                '\t' => text.push_str("\\t"),
                '\r' => text.push_str("\\r"),
                control if control.is_control() && (control as u32) < 256 => {
                    text.push_str(&format!("\\{:03o}", control as u32));
                }
                letter => text.push(letter),
            }
        }
        for byte in chunk.invalid() {
            text.push_str(&format!("\\{byte:03o}"));
        }
    }
    text + "\""
}

fn record(ty: TypeRef<'_>, bytes: &[u8]) -> String {
    let Data::Record(record) = &ty.node.data else {
        return hexadecimal(bytes);
    };
    let mut members = Vec::new();
    for field in record.fields.iter().flatten() {
        let member = ty.follow(&field.link);
        let at = field.offset as usize;
        let text = match field.bits {
            Some(_) if field.name.is_none() => continue,
            Some(bits) => bit_field(member, &bytes[at..], field.bit_offset, bits),
            None => value(member, &bytes[at..at + member.size() as usize]),
        };
        members.push(match &field.name {
            Some(name) => format!(".{} = {text}", name.to_string_lossy()),
            None => text,
        });
    }
    format!("{{{}}}", members.join(", "))
}

fn bit_field(ty: TypeRef<'_>, bytes: &[u8], bit_offset: u32, bits: u32) -> String {
    // At most 128 bits that begin inside a byte: in two words, so that none is lost.
    let low = word(bytes) >> bit_offset;
    let high = match bit_offset {
        0 => 0,
        _ => u128::from(bytes.get(16).copied().unwrap_or(0)) << (128 - bit_offset),
    };
    let above = 128 - bits;
    let value = (low | high) << above;
    match ty.value_kind().is_signed() {
        true => (value as i128 >> above).to_string(),
        false => (value >> above).to_string(),
    }
}

fn elements(ty: TypeRef<'_>, bytes: &[u8]) -> String {
    let element = match &ty.node.data {
        Data::Array { element, .. } | Data::Vector { element, .. } => ty.follow(element),
        _ => return hexadecimal(bytes),
    };
    let size = element.size().max(1) as usize;
    let texts: Vec<_> = bytes
        .chunks_exact(size)
        .map(|chunk| value(element, chunk))
        .collect();
    format!("{{{}}}", texts.join(", "))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
