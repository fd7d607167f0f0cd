//! Structs, unions, arrays and vectors, written as C initializes them (C11, 6.7.9): in order or by
//! designators, inner braces where one likes, and zeros for what is left out.

use crate::items::{self, Designator, Item};
use crate::number::Whole;
use crate::read::{Place, Reader};
use crate::text;
use farcall::types::{Data, Field, Kind, Record, TypeRef};

/// A list without a length of its own has at most so many bytes.
const MOST: u64 = 1 << 30;

/// What a list of values fills.
#[derive(Clone, Copy)]
enum Shape<'t> {
    Record(TypeRef<'t>, &'t Record),
    /// Without a number it is as long as its values make it.
    Elements(TypeRef<'t>, Option<u64>),
}

/// Something that is being filled.
struct Level<'t> {
    shape: Shape<'t>,
    offset: u64,
    /// The part that the next value without a designator is for.
    next: u64,
    name: String,
}

/// A place for one value.
struct Part<'t> {
    ty: TypeRef<'t>,
    offset: u64,
    /// A bit-field's first bit and its width.
    bits: Option<(u32, u32)>,
    name: String,
}

fn shape(ty: TypeRef<'_>) -> Option<Shape<'_>> {
    match &ty.node.data {
        Data::Record(record) => Some(Shape::Record(ty, record)),
        Data::Array { element, length } => Some(Shape::Elements(
            ty.follow(element),
            Some(length.unwrap_or(0)),
        )),
        Data::Vector { element, lanes } => Some(Shape::Elements(ty.follow(element), Some(*lanes))),
        _ => None,
    }
}

impl<'t> Level<'t> {
    fn field(&self, ty: TypeRef<'t>, field: &'t Field) -> Part<'t> {
        let name = match &field.name {
            Some(name) => format!(".{}", name.to_string_lossy()),
            None => String::new(),
        };
        Part {
            ty: ty.follow(&field.link),
            offset: self.offset + field.offset,
            bits: field.bits.map(|bits| (field.bit_offset, bits)),
            name,
        }
    }

    /// The part with this number.
    fn part(&self, index: u64) -> Option<Part<'t>> {
        match self.shape {
            Shape::Record(ty, record) => {
                let field = record.fields.as_ref()?.get(index as usize)?;
                Some(self.field(ty, field))
            }
            Shape::Elements(ty, count) => {
                let within = count.is_none_or(|count| index < count);
                let offset = index.checked_mul(ty.size())?.checked_add(self.offset)?;
                within.then(|| Part {
                    ty,
                    offset,
                    bits: None,
                    name: format!("[{index}]"),
                })
            }
        }
    }

    /// The part that is next in order.
    fn advance(&mut self) -> Option<Part<'t>> {
        loop {
            let part = self.part(self.next)?;
            self.next += 1;
            if let Shape::Record(_, record) = self.shape {
                let is_padding = part.bits.is_some() && part.name.is_empty();
                // A flexible array member has no room.
                if is_padding || !part.ty.is_complete() {
                    continue;
                }
                if record.is_union {
                    self.next = u64::MAX;
                }
            }
            return Some(part);
        }
    }
}

/// The way to a member, through anonymous structs and unions.
fn find(ty: TypeRef<'_>, name: &str) -> Option<Vec<u64>> {
    let Data::Record(record) = &ty.node.data else {
        return None;
    };
    for (index, field) in record.fields.iter().flatten().enumerate() {
        match &field.name {
            Some(own) if own.to_bytes() == name.as_bytes() => return Some(vec![index as u64]),
            None if field.bits.is_none() => {
                if let Some(mut way) = find(ty.follow(&field.link), name) {
                    way.insert(0, index as u64);
                    return Some(way);
                }
            }
            _ => {}
        }
    }
    None
}

/// "; it has x, y", for a message.
fn members(record: &Record) -> String {
    let names = record.fields.iter().flatten();
    let names: Vec<_> = names
        .filter_map(|field| field.name.as_ref())
        .map(|name| format!(".{}", name.to_string_lossy()))
        .collect();
    match names.len() {
        0 => String::new(),
        1..=8 => format!("; it has {}", names.join(", ")),
        _ => format!("; it has {}, ...", names[..8].join(", ")),
    }
}

fn is_string(source: &[u8]) -> bool {
    matches!(text::opening(source), Some((_, b'"', _)))
}

impl Reader<'_> {
    /// A struct, union, array or vector.
    pub(crate) fn aggregate(&mut self, ty: TypeRef<'_>, source: &[u8]) -> Result<Vec<u8>, String> {
        let Some(shape) = shape(ty) else {
            return Err(self.expected(ty, source));
        };
        if let Shape::Elements(element, Some(count)) = shape
            && is_string(source)
            && element.value_kind().is_integer()
        {
            return self.string_array(ty, element, count, source);
        }
        if source.first() != Some(&b'{') {
            return Err(self.expected(ty, source));
        }
        self.filled(shape, ty.size(), source)
    }

    /// Elements in braces or brackets; without a number as many as there are.
    pub(crate) fn elements(
        &mut self,
        element: TypeRef<'_>,
        count: Option<u64>,
        source: &[u8],
    ) -> Result<Vec<u8>, String> {
        let size = count.unwrap_or(0) * element.size();
        self.filled(Shape::Elements(element, count), size, source)
    }

    /// `char name[8]` from "text": the NUL is left out where it has no room (C11, 6.7.9p14).
    fn string_array(
        &mut self,
        ty: TypeRef<'_>,
        element: TypeRef<'_>,
        count: u64,
        source: &[u8],
    ) -> Result<Vec<u8>, String> {
        let mut bytes = self.encoded(element, source)?;
        let length = bytes.len() as u64 / element.size() - 1;
        if length > count {
            return Err(format!(
                "the string {} has {length} elements, and does not fit in {}",
                text::shown(source),
                ty.describe()
            ));
        }
        bytes.resize(ty.size() as usize, 0);
        Ok(bytes)
    }

    fn filled(&mut self, shape: Shape<'_>, size: u64, source: &[u8]) -> Result<Vec<u8>, String> {
        if !matches!(source.first(), Some(b'{' | b'[')) {
            return Err(format!(
                "expected a list in braces, got {}",
                text::shown(source)
            ));
        }
        let length = items::bracketed(source)?;
        if length != source.len() {
            return Err(format!(
                "{} follows what was closed",
                text::shown(source[length..].trim_ascii())
            ));
        }
        let list = items::items(&source[1..length - 1])?;
        let size = usize::try_from(size)
            .ok()
            .filter(|&size| size as u64 <= MOST);
        let size = size.ok_or_else(|| format!("there are at most {MOST} bytes in a value"))?;
        let mut bytes = vec![0; size];
        let mut levels = vec![Level {
            shape,
            offset: 0,
            next: 0,
            name: String::new(),
        }];
        for item in &list {
            let part = self.target(&mut levels, item)?;
            let depth = self.path.len();
            self.path
                .extend(levels.iter().map(|level| level.name.clone()));
            self.path.push(part.name.clone());
            self.fill(&mut bytes, &part, item.value)?;
            self.path.truncate(depth);
        }
        Ok(bytes)
    }

    /// Where an item goes.
    fn target<'t>(
        &mut self,
        levels: &mut Vec<Level<'t>>,
        item: &Item<'_>,
    ) -> Result<Part<'t>, String> {
        let mut part = match item.designators.is_empty() {
            false => self.designated(levels, &item.designators)?,
            true => loop {
                let Some(level) = levels.last_mut() else {
                    return Err(format!("{} is one value too many", text::shown(item.value)));
                };
                match level.advance() {
                    Some(part) => break part,
                    None if levels.len() == 1 => {
                        return Err(too_many(&levels[0].shape, item.value));
                    }
                    None => levels.pop(),
                };
            },
        };
        // Without braces of its own, an inner aggregate takes as many values as it has room for.
        while let Some(inner) = self.elided(&part, item.value)? {
            levels.push(Level {
                shape: inner,
                offset: part.offset,
                next: 0,
                name: part.name.clone(),
            });
            let first = levels.last_mut().and_then(Level::advance);
            match first {
                Some(first) => part = first,
                None => {
                    return Err(format!(
                        "{} has no members; write {{}} for it",
                        part.ty.describe()
                    ));
                }
            }
        }
        Ok(part)
    }

    /// The shape of a part whose braces are left out.
    fn elided<'t>(&self, part: &Part<'t>, value: &[u8]) -> Result<Option<Shape<'t>>, String> {
        if part.ty.kind() == Kind::Vector || value.first() == Some(&b'{') {
            return Ok(None);
        }
        let Some(inner) = shape(part.ty) else {
            return Ok(None);
        };
        if let Shape::Elements(element, _) = inner
            && is_string(value)
            && element.value_kind().is_integer()
        {
            return Ok(None);
        }
        // `(struct point){1, 2}` is all of it.
        let is_whole = self
            .cast(value)?
            .is_some_and(|(ty, _)| ty.get().compatible_with(part.ty));
        Ok((!is_whole).then_some(inner))
    }

    fn designated<'t>(
        &mut self,
        levels: &mut Vec<Level<'t>>,
        designators: &[Designator<'_>],
    ) -> Result<Part<'t>, String> {
        levels.truncate(1);
        let mut way = Vec::new();
        let mut part: Option<Part<'t>> = None;
        for designator in designators {
            if let Some(outer) = part.take() {
                let Some(inner) = shape(outer.ty) else {
                    return Err(format!(
                        "{} is {}, which has no parts",
                        outer.name,
                        outer.ty.describe()
                    ));
                };
                levels.push(Level {
                    shape: inner,
                    offset: outer.offset,
                    next: 0,
                    name: outer.name,
                });
            }
            let Some(level) = levels.last() else {
                break;
            };
            match (designator, level.shape) {
                (Designator::Member(name), Shape::Record(ty, record)) => {
                    way = find(ty, name).ok_or_else(|| {
                        format!(
                            "{} has no member {name}{}",
                            ty.name().to_string_lossy(),
                            members(record)
                        )
                    })?;
                }
                (Designator::Element(index), Shape::Elements(ty, count)) => {
                    let index = self.natural(index, "an element")?;
                    if count.is_some_and(|count| index >= count) {
                        return Err(format!(
                            "[{index}] is past the end: there are {} elements of {}",
                            count.unwrap_or(0),
                            ty.describe()
                        ));
                    }
                    way.clear();
                    way.push(index);
                }
                (Designator::Member(name), Shape::Elements(ty, _)) => {
                    return Err(format!(
                        ".{name}: elements of {} have numbers; write [0] = ...",
                        ty.describe()
                    ));
                }
                (Designator::Element(index), Shape::Record(ty, record)) => {
                    return Err(format!(
                        "[{}]: the members of {} have names{}",
                        String::from_utf8_lossy(index),
                        ty.name().to_string_lossy(),
                        members(record)
                    ));
                }
            }
            for (step, &index) in way.iter().enumerate() {
                if step > 0
                    && let Some(outer) = part.take()
                    && let Some(inner) = shape(outer.ty)
                {
                    levels.push(Level {
                        shape: inner,
                        offset: outer.offset,
                        next: 0,
                        name: outer.name,
                    });
                }
                let Some(level) = levels.last_mut() else {
                    break;
                };
                part = level.part(index);
                let is_union = matches!(level.shape, Shape::Record(_, record) if record.is_union);
                level.next = if is_union { u64::MAX } else { index + 1 };
            }
        }
        let part = part.ok_or_else(|| "this place is out of range".to_owned())?;
        match part.ty.is_complete() {
            true => Ok(part),
            false => Err(format!(
                "{} has no length of its own, and so no room in a value",
                part.name
            )),
        }
    }

    /// Puts a value where it belongs.
    fn fill(&mut self, bytes: &mut Vec<u8>, part: &Part<'_>, value: &[u8]) -> Result<(), String> {
        let end = part.offset.checked_add(part.ty.size());
        let Some(end) = end.filter(|&end| end <= MOST) else {
            return Err(format!("there are at most {MOST} bytes in a value"));
        };
        let (start, end) = (part.offset as usize, end as usize);
        if let Some((first, width)) = part.bits {
            let read = self.bit_field(part.ty, width, value)?;
            return put_bits(bytes, start, first, width, read);
        }
        let read = self.value(part.ty, value, Place::Inside)?;
        if bytes.len() < end {
            bytes.resize(end, 0);
        }
        bytes[start..end].copy_from_slice(&read);
        Ok(())
    }

    fn bit_field(&mut self, ty: TypeRef<'_>, width: u32, value: &[u8]) -> Result<u128, String> {
        let whole = match self.cast(value)? {
            Some(_) => {
                let bytes = self.value(ty, value, Place::Inside)?;
                crate::convert::whole(ty.value_kind(), &bytes)
            }
            None => self.whole(ty, value, Place::Inside)?,
        };
        let bits = if width == 1 { "bit" } else { "bits" };
        let name = format!("{width} {bits} of {}", ty.name().to_string_lossy());
        self.fitting(ty, whole, width, Some(&name), Place::Inside)?;
        Ok(Whole::bits(whole))
    }
}

fn too_many(shape: &Shape<'_>, value: &[u8]) -> String {
    let value = text::shown(value);
    match shape {
        Shape::Record(ty, record) if record.is_union => format!(
            "{value} is one value too many: {} has one member at a time",
            ty.name().to_string_lossy()
        ),
        Shape::Record(ty, record) => format!(
            "{value} is one value too many for {}{}",
            ty.name().to_string_lossy(),
            members(record)
        ),
        Shape::Elements(ty, count) => format!(
            "{value} is one value too many: there are {} elements of {}",
            count.unwrap_or(0),
            ty.describe()
        ),
    }
}

/// Writes the low bits of a value from a bit of a byte on.
fn put_bits(
    bytes: &mut [u8],
    start: usize,
    first: u32,
    width: u32,
    value: u128,
) -> Result<(), String> {
    for bit in 0..width {
        let at = first + bit;
        let Some(byte) = bytes.get_mut(start + at as usize / 8) else {
            return Err("a bit-field is past the end of its struct".to_owned());
        };
        let mask = 1u8 << (at % 8);
        match value >> bit & 1 {
            0 => *byte &= !mask,
            _ => *byte |= mask,
        }
    }
    Ok(())
}
