//! What a type is: its size, its members, what it is made of.

use super::status::{fc_status, guard, guarded};
use super::types::{FC_BITS_ZERO, KindNumber, borrowed, fc_field, fc_type, node_of, type_of};
use super::{Out, text, write_optional};
use crate::error::Error;
use crate::types::{Data, Kind, Type, member};
use libc::size_t;
use std::ffi::c_char;
use std::ptr;

/// The kind of a type; FC_VOID for NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_type_kind(r#type: *const fc_type) -> KindNumber {
    // SAFETY: the pointer is as the documentation asks.
    let kind = guarded(|| unsafe { type_of(r#type, "fc_type_kind: type") });
    KindNumber(kind.map_or(Kind::Void, |ty| ty.kind()) as u32)
}

/// The size of a type in bytes: what C's sizeof says. 0 for void, functions, incomplete types and
/// NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_type_size(r#type: *const fc_type) -> size_t {
    // SAFETY: the pointer is as the documentation asks.
    unsafe { node_of(r#type) }.map_or(0, |node| node.size as usize)
}

/// The alignment of a type in bytes: what C's _Alignof says. 1 for void, functions and incomplete
/// types, 0 for NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_type_align(r#type: *const fc_type) -> size_t {
    // SAFETY: the pointer is as the documentation asks.
    unsafe { node_of(r#type) }.map_or(0, |node| node.align as usize)
}

/// What a type is made from: a pointer's pointee, an array's element, a vector's lane, an
/// enumeration's integer type.
///
/// @return the type, borrowed: it lives as long as `type`. NULL for a pointer to void or to what is
///         not known, for other kinds, and for NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_type_element(r#type: *const fc_type) -> *const fc_type {
    let element = guarded(|| {
        // SAFETY: the pointer is as the documentation asks.
        let ty = unsafe { type_of(r#type, "fc_type_element: type")? };
        Ok(match &ty.node().data {
            Data::Pointer { pointee, .. } => pointee.as_ref().map(|link| ty.follow(link)),
            Data::Array { element, .. } | Data::Vector { element, .. } => Some(ty.follow(element)),
            Data::Enum { underlying, .. } => {
                underlying.map(|scalar| Type::scalar(scalar, ty.node().target))
            }
            _ => None,
        })
    });
    // What `type` links to lives as long as it does.
    element
        .ok()
        .flatten()
        .map_or(ptr::null(), |ty| borrowed(&ty))
}

/// The number of elements of an array, or of lanes of a vector; 0 for other types, for an array
/// whose length is not known, and for NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_type_length(r#type: *const fc_type) -> size_t {
    // SAFETY: the pointer is as the documentation asks.
    match unsafe { node_of(r#type) }.map(|node| &node.data) {
        Some(Data::Array { length, .. }) => length.unwrap_or(0) as usize,
        Some(Data::Vector { lanes, .. }) => *lanes as usize,
        _ => 0,
    }
}

/// A type as C text: "struct point", "const char *", "int (*)(double)". Very long ones are cut with "...".
///
/// @return UTF-8 text that lives as long as the type; NULL for NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_type_name(r#type: *const fc_type) -> *const c_char {
    let name = guarded(|| {
        // SAFETY: the pointer is as the documentation asks.
        let ty = unsafe { type_of(r#type, "fc_type_name: type")? };
        Ok(ty.get().name().as_ptr())
    });
    name.unwrap_or(ptr::null())
}

/// Whether two types are the same: structure and tags, with the qualifiers of what pointers point
/// to. Scalars are the same if their kinds are: long and long long are, where both have 64 bits.
///
/// @return false if one of them is NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_type_equal(a: *const fc_type, b: *const fc_type) -> bool {
    let equal = guarded(|| {
        // SAFETY: the pointers are as the documentation asks.
        let (a, b) = unsafe {
            (
                type_of(a, "fc_type_equal: a")?,
                type_of(b, "fc_type_equal: b")?,
            )
        };
        Ok(a.get().same_as(b.get()))
    });
    equal.unwrap_or(false)
}

/// The number of members of a struct or union, unnamed bit-fields included; 0 for other types and
/// NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_type_field_count(r#type: *const fc_type) -> size_t {
    // SAFETY: the pointer is as the documentation asks.
    match unsafe { node_of(r#type) }.map(|node| &node.data) {
        Some(Data::Record(record)) => record.fields.as_ref().map_or(0, Vec::len),
        _ => 0,
    }
}

/// A member of a struct or union by its number.
///
/// @param type       a struct or union.
/// @param index      the member's number, from 0.
/// @param out        the member. Name and type are borrowed: they live as long as `type`.
/// @param offset     (optional) where it begins in the record, in bytes.
/// @param bit_offset (optional) a bit-field's first bit, counted from the lowest bit of the byte at
///                   `*offset`: its position in the record is *offset * 8 + *bit_offset bits. 0 for
///                   other members.
///
/// Any thread may call this.
///
/// @return FC_OK; FC_ERR_ARGUMENT for NULL, a type that has no members, or a number past the last
///         one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_type_field(
    r#type: *const fc_type,
    index: size_t,
    out: *mut fc_field,
    offset: *mut size_t,
    bit_offset: *mut u32,
) -> fc_status {
    guard(|| {
        let out = Out::new(out, "fc_type_field: out")?;
        // SAFETY: the pointer is as the documentation asks.
        let ty = unsafe { type_of(r#type, "fc_type_field: type")? };
        let describe = || ty.get().describe();
        let Data::Record(record) = &ty.node().data else {
            return Err(Error::argument(format!("{} has no members", describe())));
        };
        let fields = record.fields.as_deref().unwrap_or_default();
        let Some(field) = fields.get(index) else {
            return Err(Error::argument(format!(
                "{} has {} members, and none with number {index}",
                describe(),
                fields.len()
            )));
        };
        out.write(fc_field {
            name: field
                .name
                .as_ref()
                .map_or(ptr::null(), |name| name.as_ptr()),
            r#type: borrowed(&ty.follow(&field.link)),
            bits: match field.bits {
                None => 0,
                Some(0) => FC_BITS_ZERO,
                Some(bits) => bits,
            },
            align: field.align,
        });
        write_optional(offset, field.offset as usize);
        write_optional(bit_offset, field.bit_offset);
        Ok(())
    })
}

/// What a path leads to in a struct, union, array or vector: "pos.xy[1]". Members of anonymous
/// structs and unions are found as if they were the outer one's (C11, 6.7.2.1p13).
///
/// @param type   where the path begins.
/// @param path   names with dots between them, and indexes in brackets.
/// @param out    the type of what it leads to, borrowed: it lives as long as `type`.
/// @param offset where that begins in `type`, in bytes.
///
/// Any thread may call this.
///
/// @return FC_OK; FC_ERR_ARGUMENT for NULL, a path that is malformed or leads into what has no
///         members, or a bit-field; FC_ERR_NOT_FOUND for a name that is not there or an index past
///         the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_type_field_named(
    r#type: *const fc_type,
    path: *const c_char,
    out: *mut *const fc_type,
    offset: *mut size_t,
) -> fc_status {
    guard(|| {
        let out = Out::new(out, "fc_type_field_named: out")?;
        let offset = Out::new(offset, "fc_type_field_named: offset")?;
        // SAFETY: the pointers are as the documentation asks.
        let (ty, path) = unsafe {
            (
                type_of(r#type, "fc_type_field_named: type")?,
                text(path, "fc_type_field_named: path")?,
            )
        };
        let (found, at) = member(&ty, path)?;
        out.write(borrowed(&found));
        offset.write(at as usize);
        Ok(())
    })
}
