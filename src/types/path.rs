//! Members by path: `pos.xy[1]`.

use super::table::{Data, Type};
use crate::error::{Error, Result};

/// The type and byte offset of what a path leads to. Members of anonymous structs and unions are
/// found as C finds them (C11, 6.7.2.1p13).
pub fn member(ty: &Type, path: &str) -> Result<(Type, u64)> {
    let mut at = ty.clone();
    let mut offset = 0;
    let mut rest = path;
    if rest.is_empty() {
        return Err(Error::argument("path: expected a member's name, got \"\""));
    }
    let mut first = true;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let Some((digits, after)) = inner.split_once(']') else {
                return Err(Error::argument(format!("{path}: expected ']'")));
            };
            (at, offset) = element(&at, offset, digits).map_err(|error| error.within(path))?;
            rest = after;
        } else {
            let name = match rest.strip_prefix('.') {
                Some(name) if !first => name,
                _ if first => rest,
                _ => {
                    return Err(Error::argument(format!(
                        "{path}: expected '.' or '[' before \"{rest}\""
                    )));
                }
            };
            let end = name.find(['.', '[']).unwrap_or(name.len());
            let (name, after) = name.split_at(end);
            if name.is_empty() {
                let place = match first {
                    true => "at its beginning",
                    false => "after '.'",
                };
                return Err(Error::argument(format!(
                    "{path}: expected a member's name {place}"
                )));
            }
            (at, offset) = named(&at, offset, name).map_err(|error| error.within(path))?;
            rest = after;
        }
        first = false;
    }
    Ok((at, offset))
}

fn element(ty: &Type, offset: u64, digits: &str) -> Result<(Type, u64)> {
    let view = ty.get();
    let (link, length) = match &view.node.data {
        Data::Array { element, length } => (element, length.unwrap_or(u64::MAX)),
        Data::Vector { element, lanes } => (element, *lanes),
        _ => {
            let message = format!("{} has no elements", view.describe());
            return Err(Error::argument(message));
        }
    };
    let Ok(index) = digits.trim().parse::<u64>() else {
        return Err(Error::argument(format!(
            "expected a number in [], got \"{digits}\""
        )));
    };
    if index >= length {
        return Err(Error::not_found(format!(
            "index {index} is past the end of {} ({length} elements)",
            view.name().to_string_lossy()
        )));
    }
    let element = ty.follow(link);
    let size = element.get().size();
    match index
        .checked_mul(size)
        .and_then(|bytes| bytes.checked_add(offset))
    {
        Some(offset) => Ok((element, offset)),
        None => Err(Error::argument(format!("index {index} is out of range"))),
    }
}

fn named(ty: &Type, offset: u64, name: &str) -> Result<(Type, u64)> {
    let view = ty.get();
    if !matches!(view.node.data, Data::Record(_)) {
        let what = view.describe();
        return Err(Error::argument(format!(
            "{what} is no struct or union, so has no member {name}"
        )));
    }
    if !view.is_complete() {
        return Err(Error::argument(format!(
            "{} is incomplete",
            view.describe()
        )));
    }
    match find(ty, offset, name) {
        Some(Found {
            bit_field: true, ..
        }) => Err(Error::argument(format!(
            "{name} is a bit-field, which has no byte offset; fc_type_field tells its bits"
        ))),
        Some(found) => Ok((found.ty, found.offset)),
        None => Err(Error::not_found(format!(
            "{} has no member {name}{}",
            view.name().to_string_lossy(),
            members(ty)
        ))),
    }
}

struct Found {
    ty: Type,
    offset: u64,
    bit_field: bool,
}

fn find(ty: &Type, offset: u64, name: &str) -> Option<Found> {
    let view = ty.get();
    let Data::Record(record) = &view.node.data else {
        return None;
    };
    for field in record.fields.iter().flatten() {
        match &field.name {
            Some(own) if own.to_bytes() == name.as_bytes() => {
                return Some(Found {
                    ty: ty.follow(&field.link),
                    offset: offset + field.offset,
                    bit_field: field.bits.is_some(),
                });
            }
            None if field.bits.is_none() => {
                let inner = ty.follow(&field.link);
                if let Some(found) = find(&inner, offset + field.offset, name) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

/// "; it has a, b, c", for a message.
fn members(ty: &Type) -> String {
    let Data::Record(record) = &ty.node().data else {
        return String::new();
    };
    let names: Vec<_> = record
        .fields
        .iter()
        .flatten()
        .filter_map(|field| field.name.as_ref())
        .map(|name| name.to_string_lossy())
        .take(9)
        .collect();
    match names.len() {
        0 => String::new(),
        9 => format!("; it has {}, ...", names[..8].join(", ")),
        _ => format!("; it has {}", names.join(", ")),
    }
}
