//! C values as text that C would read, and this program reads back.

use crate::convert::{whole, word};
use crate::declarations;
use crate::memory::{self, Form, Output};
use crate::number::Whole;
use crate::{float, pointer, text};
use farcall::types::{Data, Kind, Type, TypeRef};

/// Prints values.
#[derive(Clone, Copy)]
pub(crate) struct Printer {
    /// Strings are shown, not their addresses.
    shows_strings: bool,
}

impl Printer {
    pub(crate) fn new() -> Printer {
        Printer {
            shows_strings: true,
        }
    }

    /// A value of a type, from its bytes; "" for void.
    ///
    /// A `char *` is taken to point to a string that ends in NUL, if it points anywhere.
    pub(crate) fn value(self, ty: TypeRef<'_>, bytes: &[u8]) -> String {
        let kind = ty.value_kind();
        match kind {
            Kind::Void => String::new(),
            kind if kind.is_integer() => self.integer(ty, whole(kind, bytes)),
            kind if kind.is_float() => float::print(kind, bytes),
            kind if kind.is_complex() => complex(kind, bytes),
            Kind::Pointer => self.pointer(ty, bytes),
            Kind::Struct | Kind::Union => self.record(ty, bytes),
            Kind::Array | Kind::Vector => self.elements(ty, bytes),
            _ => hexadecimal(bytes),
        }
    }

    /// What a pointer points to, where that has a size and can be read; not of strings, which are
    /// shown as they are.
    pub(crate) fn pointee(self, ty: TypeRef<'_>, bytes: &[u8]) -> Option<String> {
        let Data::Pointer {
            pointee: Some(link),
            ..
        } = &ty.node.data
        else {
            return None;
        };
        let pointee = ty.follow(link);
        if !pointee.is_complete() || pointer::is_char(pointee) {
            return None;
        }
        self.followed(pointee, bytes)
    }

    /// The value at an address, if it can be read.
    fn followed(self, pointee: TypeRef<'_>, address: &[u8]) -> Option<String> {
        let mut memory = vec![0; usize::try_from(pointee.size()).ok()?];
        memory::read(word(address) as u64, &mut memory).then(|| self.value(pointee, &memory))
    }

    /// An argument that a callback was called with: what pointers point to stands behind an `&`, as far as their
    /// types say what it is. `given` is what pointers point to whose types do not.
    pub(crate) fn argument(self, ty: TypeRef<'_>, bytes: &[u8], given: Option<&Type>) -> String {
        let is_pointer = ty.kind() == Kind::Pointer;
        let followed = match given.filter(|_| is_pointer && pointer::is_to_void(ty)) {
            Some(pointee) => self.followed(pointee.get(), bytes),
            None => self.pointee(ty, bytes),
        };
        match followed {
            Some(value) => format!("&{value}"),
            None => self.value(ty, bytes),
        }
    }

    /// What an `&` argument's memory holds after the call.
    pub(crate) fn output(self, output: &Output) -> String {
        match &output.form {
            Form::One(ty) => self.value(ty.get(), memory::kept(output.address, ty.get().size())),
            Form::List(ty, count) => {
                let size = ty.get().size();
                self.list(ty.get(), memory::kept(output.address, size * count))
            }
            Form::Text(size) => string(memory::kept(output.address, *size)),
            Form::Bytes(size) => {
                let bytes = memory::kept(output.address, *size);
                let end = bytes.iter().rposition(|&byte| byte != 0);
                text::quoted(&bytes[..end.map_or(0, |last| last + 1)])
            }
        }
    }

    fn integer(self, ty: TypeRef<'_>, value: Whole) -> String {
        if ty.value_kind() == Kind::Bool {
            return if value.magnitude == 0 {
                "false"
            } else {
                "true"
            }
            .to_owned();
        }
        if pointer::is_char(ty) {
            return text::quoted_character(value.bits() as u8);
        }
        let constant = i128::try_from(value.magnitude).ok().and_then(|magnitude| {
            let value = if value.is_negative {
                -magnitude
            } else {
                magnitude
            };
            declarations::constant(ty, value)
        });
        match constant {
            Some(name) => name.to_owned(),
            None => value.to_string(),
        }
    }

    fn pointer(self, ty: TypeRef<'_>, bytes: &[u8]) -> String {
        let address = word(bytes) as u64;
        if address == 0 {
            return "null".to_owned();
        }
        let to_char = match &ty.node.data {
            Data::Pointer {
                pointee: Some(link),
                ..
            } => pointer::is_char(ty.follow(link)),
            _ => false,
        };
        let string = (to_char && self.shows_strings)
            .then(|| memory::string(address))
            .flatten();
        match string {
            Some(bytes) => text::quoted(&bytes),
            None => format!("{address:#x}"),
        }
    }

    fn record(self, ty: TypeRef<'_>, bytes: &[u8]) -> String {
        let Data::Record(record) = &ty.node.data else {
            return hexadecimal(bytes);
        };
        // Which of a union's members holds something, nothing says.
        let printer = Printer {
            shows_strings: self.shows_strings && !record.is_union,
        };
        let mut members = Vec::new();
        for field in record.fields.iter().flatten() {
            let member = ty.follow(&field.link);
            let at = field.offset as usize;
            let text = match field.bits {
                Some(_) if field.name.is_none() => continue,
                Some(bits) => {
                    let value = bit_field(member, &bytes[at..], field.bit_offset, bits);
                    printer.integer(member, value)
                }
                // A flexible array member has no length that anything tells.
                None if !member.is_complete() => continue,
                None => printer.value(member, &bytes[at..at + member.size() as usize]),
            };
            members.push(match &field.name {
                Some(name) => format!(".{} = {text}", name.to_string_lossy()),
                None => text,
            });
        }
        format!("{{{}}}", members.join(", "))
    }

    fn elements(self, ty: TypeRef<'_>, bytes: &[u8]) -> String {
        match &ty.node.data {
            Data::Array { element, .. } | Data::Vector { element, .. } => {
                let element = ty.follow(element);
                match pointer::is_char(element) {
                    true => string(bytes),
                    false => self.list(element, bytes),
                }
            }
            _ => hexadecimal(bytes),
        }
    }

    fn list(self, element: TypeRef<'_>, bytes: &[u8]) -> String {
        let size = element.size().max(1) as usize;
        let texts: Vec<_> = bytes
            .chunks_exact(size)
            .map(|chunk| self.value(element, chunk))
            .collect();
        format!("{{{}}}", texts.join(", "))
    }
}

/// An array of `char`, up to its NUL.
fn string(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0);
    text::quoted(&bytes[..end.unwrap_or(bytes.len())])
}

fn complex(kind: Kind, bytes: &[u8]) -> String {
    let part = kind.complex_part().unwrap_or(Kind::F64);
    let (real, imaginary) = bytes.split_at(bytes.len() / 2);
    let imaginary = float::print(part, imaginary);
    let sign = if imaginary.starts_with('-') { "" } else { "+" };
    format!("{}{sign}{imaginary}i", float::print(part, real))
}

/// The number that a bit-field holds.
pub(crate) fn bit_field(ty: TypeRef<'_>, bytes: &[u8], bit_offset: u32, bits: u32) -> Whole {
    // At most 128 bits that begin inside a byte: in two words, so that none is lost.
    let low = word(bytes) >> bit_offset;
    let high = match bit_offset {
        0 => 0,
        _ => u128::from(bytes.get(16).copied().unwrap_or(0)) << (128 - bit_offset),
    };
    let above = 128 - bits;
    let value = (low | high) << above;
    match ty.value_kind().is_signed() {
        true => Whole::of(value.cast_signed() >> above),
        false => Whole {
            is_negative: false,
            magnitude: value >> above,
        },
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
