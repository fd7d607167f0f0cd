//! What follows an `&`: memory that the function may write to, and that is printed afterwards.

use crate::items;
use crate::memory::{self, Form, Output};
use crate::pointer::{Pointee, is_char};
use crate::read::{Place, Reader};
use crate::text;
use farcall::types::{Kind, TypeRef};

impl Reader<'_> {
    /// What follows an `&`: memory that is printed after the call.
    pub(crate) fn reference(
        &mut self,
        ty: TypeRef<'_>,
        pointee: Pointee<'_>,
        source: &[u8],
    ) -> Result<u64, String> {
        let source = source.trim_ascii();
        let at = self.outputs.len();
        if let Some((cast, rest)) = self.cast(source)? {
            if cast.kind() == Kind::Array {
                return self.compound(cast.get(), rest, true);
            }
            return self.referenced(cast.get(), rest, Place::Cast);
        }
        let name = ty.name().to_string_lossy();
        let element = match pointee.0 {
            _ if pointee.is_void() => {
                if let Some(length) = self.buffer_length(source)? {
                    let address = memory::keep(&[], length, 16)?;
                    self.output(at, address, Form::Bytes(length), true);
                    return Ok(address);
                }
                if let Some((_, b'"', _)) = text::opening(source) {
                    let (address, length) = self.string(ty, pointee, source)?;
                    self.output(at, address, Form::Bytes(length), true);
                    return Ok(address);
                }
                if let Some(element) = self.type_of_numbers(source) {
                    return match source.first() {
                        Some(b'{') => self.output_list(at, element.get(), source),
                        _ => self.referenced(element.get(), source, Place::Inside),
                    };
                }
                return Err(format!(
                    "{name} does not say what it points to; write &(int) 0 for the address of an \
                     int, or &[16] for 16 bytes"
                ));
            }
            Some(element) if pointee.is_function() => {
                return Err(format!(
                    "{} has no values to point to; write the function's name or null",
                    element.describe()
                ));
            }
            Some(element) if !element.is_complete() => {
                return Err(format!(
                    "{} is incomplete: its members are not known, so there is no memory for it; \
                     write null or an address, or bring its members with --decls",
                    element.describe()
                ));
            }
            Some(element) => element,
            None => return Err(format!("{name} points to nothing")),
        };
        if source.is_empty() {
            let zeros = vec![0; element.size() as usize];
            return self.output_one(at, element, &zeros);
        }
        if let Some(length) = self.buffer_length(source)? {
            let size = element.size().checked_mul(length);
            let size = size.ok_or_else(|| format!("there is no memory for {length} elements"))?;
            let address = memory::keep(&[], size, element.align())?;
            self.output(at, address, self.list_form(element, length), true);
            return Ok(address);
        }
        match source {
            [b'[', ..] => self.output_list(at, element, source),
            [b'{', ..] if !pointee.is_aggregate() || element.kind() == Kind::Array => {
                self.output_list(at, element, source)
            }
            _ if matches!(text::opening(source), Some((_, b'"', _)))
                && element.value_kind().is_integer() =>
            {
                let (address, length) = self.string(ty, pointee, source)?;
                self.output(at, address, self.text_form(element, length), true);
                Ok(address)
            }
            _ if pointee.is_char() && text::character(source).is_none() => Err(format!(
                "expected what {name} points to after '&', got {}; write &\"...\" for text that is \
                 printed afterwards, &[64] for room for 64 bytes, and \"&...\" for text that begins \
                 with &",
                text::shown(source)
            )),
            _ => self.referenced(element, source, Place::Inside),
        }
    }

    /// One value that is printed after the call.
    fn referenced(
        &mut self,
        element: TypeRef<'_>,
        source: &[u8],
        place: Place,
    ) -> Result<u64, String> {
        let at = self.outputs.len();
        self.references += 1;
        let bytes = self.value(element, source, place)?;
        self.references -= 1;
        self.output_one(at, element, &bytes)
    }

    fn output_one(&mut self, at: usize, element: TypeRef<'_>, bytes: &[u8]) -> Result<u64, String> {
        let address = memory::keep(bytes, element.size(), element.align())?;
        let Some(ty) = element.node.to_type() else {
            return Ok(address);
        };
        self.output(at, address, Form::One(ty), false);
        Ok(address)
    }

    fn output_list(
        &mut self,
        at: usize,
        element: TypeRef<'_>,
        source: &[u8],
    ) -> Result<u64, String> {
        let (address, count) = self.list(element, source)?;
        self.output(at, address, self.list_form(element, count), true);
        Ok(address)
    }

    /// Notes what is printed after the call, before what was noted while it was read.
    pub(crate) fn output(&mut self, at: usize, address: u64, form: Form, is_list: bool) {
        let is_number = self
            .parameter
            .starts_with(|first: char| first.is_ascii_digit());
        // A list's own name stands for its elements, as an array's does.
        let stars = match is_list && !is_number && self.references == 0 {
            true => 0,
            false => self.references + 1,
        };
        let label = format!(
            "{}{}{}",
            "*".repeat(stars),
            self.parameter,
            self.path.concat()
        );
        self.outputs.insert(
            at,
            Output {
                label,
                address,
                form,
            },
        );
    }

    pub(crate) fn list_form(&self, element: TypeRef<'_>, count: u64) -> Form {
        match (is_char(element), element.node.to_type()) {
            (true, _) => Form::Text(count),
            (false, Some(ty)) => Form::List(ty, count),
            (false, None) => Form::Bytes(element.size() * count),
        }
    }

    fn text_form(&self, element: TypeRef<'_>, count: u64) -> Form {
        match element.size() {
            1 => Form::Text(count),
            _ => self.list_form(element, count),
        }
    }

    /// `[16]`: how many elements there is to be room for. A list has commas, or braces in it.
    fn buffer_length(&mut self, source: &[u8]) -> Result<Option<u64>, String> {
        if source.first() != Some(&b'[') || items::bracketed(source) != Ok(source.len()) {
            return Ok(None);
        }
        let inner = source[1..source.len() - 1].trim_ascii();
        let is_one = matches!(items::items(inner)?.as_slice(), [one] if one.designators.is_empty());
        if !is_one || matches!(inner.first(), Some(b'{' | b'&' | b'"')) || inner.ends_with(b",") {
            return Ok(None);
        }
        self.natural(inner, "room for elements").map(Some)
    }
}
