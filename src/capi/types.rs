//! Types.

use super::status::{fc_status, guard, guarded};
use super::{Out, options, required, slice, text, write_optional};
use crate::code;
use crate::decl;
use crate::error::{Error, Result};
use crate::types::{
    Data, FieldSpec, Kind, Link, Node, Qualifiers, RecordOptions, Scalar, Type, TypeBuilder, member,
};
use libc::size_t;
use std::ffi::{CString, c_char};
use std::ptr;
use std::sync::Arc;

/// The kind of a type. The numbers never change; scalars are below 64.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum fc_kind {
    /// No value.
    FC_VOID = 0,
    /// _Bool, one byte.
    FC_BOOL = 1,
    /// A signed integer of 8 bits.
    FC_I8 = 2,
    /// An unsigned integer of 8 bits.
    FC_U8 = 3,
    /// A signed integer of 16 bits.
    FC_I16 = 4,
    /// An unsigned integer of 16 bits.
    FC_U16 = 5,
    /// A signed integer of 32 bits.
    FC_I32 = 6,
    /// An unsigned integer of 32 bits.
    FC_U32 = 7,
    /// A signed integer of 64 bits.
    FC_I64 = 8,
    /// An unsigned integer of 64 bits.
    FC_U64 = 9,
    /// __int128.
    FC_I128 = 10,
    /// unsigned __int128.
    FC_U128 = 11,
    /// _Float16.
    FC_F16 = 16,
    /// float.
    FC_F32 = 17,
    /// double.
    FC_F64 = 18,
    /// _Float128.
    FC_F128 = 19,
    /// long double, in the target's format.
    FC_LONG_DOUBLE = 20,
    /// float _Complex.
    FC_COMPLEX_F32 = 24,
    /// double _Complex.
    FC_COMPLEX_F64 = 25,
    /// long double _Complex.
    FC_COMPLEX_LONG_DOUBLE = 26,
    /// A pointer; as a scalar it is void *, fc_type_pointer makes typed ones.
    FC_POINTER = 32,
    /// A struct.
    FC_STRUCT = 64,
    /// A union.
    FC_UNION = 65,
    /// An array.
    FC_ARRAY = 66,
    /// A vector, as GNU C's vector_size attribute makes them.
    FC_VECTOR = 67,
    /// A function.
    FC_FUNCTION = 68,
    /// An enumeration.
    FC_ENUM = 69,
}

/// A kind as C hands it over: any number.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct KindNumber(pub u32);

/// A C type. It never changes once it is made, and may be shared between threads.
pub struct fc_type {
    _private: [u8; 0],
}

/// In fc_field.bits: a bit-field of no width (int : 0), which ends a run of bit-fields. The header has
/// it by hand, as the unsigned constant that cbindgen does not make.
/// cbindgen:ignore
pub const FC_BITS_ZERO: u32 = 0xffff_ffff;

/// A member of a struct or union.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct fc_field {
    /// Its name, a C identifier. NULL for an unnamed bit-field and for an anonymous struct or
    /// union, whose members are found as if they were the outer one's.
    pub name: *const c_char,
    /// Its type.
    pub r#type: *const fc_type,
    /// The width of a bit-field in bits; 0: it is none; FC_BITS_ZERO: one without width.
    pub bits: u32,
    /// Its alignment in bytes, as _Alignas gives it, a power of two; 0: its type's.
    pub align: u32,
}

/// How a struct or union is laid out. Zero it, then set `size`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct fc_record_options {
    /// sizeof(fc_record_options).
    pub size: size_t,
    /// No member is aligned to more than this many bytes, as by #pragma pack(n); a power of two;
    /// 0: members have their own alignment.
    pub pack: u32,
    /// The record is aligned to at least this many bytes, as by __attribute__((aligned(n))); a
    /// power of two; 0: to its members' alignment.
    pub align: u32,
}

/// A type as C's pointer to it, for which the caller has no reference to give back.
pub(super) fn borrowed(ty: &Type) -> *const fc_type {
    ptr::from_ref(ty.node()).cast()
}

/// A type as C's pointer to it, with a reference that C gives back.
pub(super) fn into_raw(ty: Type) -> *mut fc_type {
    let pointer = borrowed(&ty).cast_mut();
    // The count stays up until `release`.
    let _ = ty.into_table().map(Arc::into_raw);
    pointer
}

/// Gives back the reference of `into_raw`.
///
/// # Safety
///
/// `pointer` is NULL or came from `into_raw` and was not given back yet.
pub(super) unsafe fn release(pointer: *const Node) {
    // SAFETY: the caller's promise.
    let table = unsafe { pointer.as_ref() }.and_then(Node::table);
    if let Some(table) = table {
        // SAFETY: `into_raw` left one count up for this.
        unsafe { Arc::decrement_strong_count(Arc::as_ptr(&table)) };
    }
}

/// The type that C's pointer stands for.
///
/// # Safety
///
/// `pointer` is NULL or points to a type that lives.
pub(super) unsafe fn type_of(pointer: *const fc_type, what: &str) -> Result<Type> {
    // SAFETY: the caller's promise.
    let node = unsafe { required(pointer.cast::<Node>(), what)? };
    node.to_type()
        .ok_or_else(|| Error::argument(format!("{what} has been freed")))
}

/// The node that C's pointer stands for.
///
/// # Safety
///
/// `pointer` is NULL or points to a type that lives for as long as the reference.
unsafe fn node_of<'a>(pointer: *const fc_type) -> Option<&'a Node> {
    // SAFETY: the caller's promise.
    unsafe { pointer.cast::<Node>().as_ref() }
}

/// The static type of a scalar kind.
///
/// @param kind a kind below 64.
/// @return the type, which is static: it need not be freed, and freeing it does nothing. NULL for a
///         kind that is no scalar, and for a number that is no kind.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub extern "C" fn fc_type_scalar(kind: KindNumber) -> *const fc_type {
    let scalar = Kind::from_number(kind.0).and_then(|kind| Scalar::of_kind(kind, code::target()));
    match scalar {
        Some(scalar) => borrowed(&Type::scalar(scalar, code::target())),
        None => ptr::null(),
    }
}

/// Makes a struct of members in order, laid out as the platform's C compiler does (bit-fields too).
/// A struct without members has size 0, as in GNU C.
///
/// @param tag     its tag, a C identifier, copied; NULL: none.
/// @param fields  `count` members, copied; NULL only if `count` is 0. Their types are kept alive.
/// @param count   the number of members.
/// @param options alignment; NULL: the defaults.
/// @param out     the type, which the caller frees with fc_type_free.
///
/// Any thread may call this.
///
/// @return FC_OK; FC_ERR_ARGUMENT for a NULL that is not allowed, a name that is no identifier, or a keyword, or
///         is there twice, a member without a size, a bit-field that is wider than its type or of
///         a type that is no integer, or an alignment that is no power of two; FC_ERR_LIMIT for a
///         struct of more than 2^56 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_type_struct(
    tag: *const c_char,
    fields: *const fc_field,
    count: size_t,
    options: *const fc_record_options,
    out: *mut *mut fc_type,
) -> fc_status {
    guard(|| {
        // SAFETY: the pointers are as the documentation asks.
        unsafe { record("fc_type_struct", false, tag, fields, count, options, out) }
    })
}

/// Makes a union, as fc_type_struct makes a struct.
///
/// @param tag     its tag, a C identifier, copied; NULL: none.
/// @param fields  `count` members, copied; NULL only if `count` is 0. Their types are kept alive.
/// @param count   the number of members.
/// @param options alignment; NULL: the defaults.
/// @param out     the type, which the caller frees with fc_type_free.
///
/// Any thread may call this.
///
/// @return as fc_type_struct.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_type_union(
    tag: *const c_char,
    fields: *const fc_field,
    count: size_t,
    options: *const fc_record_options,
    out: *mut *mut fc_type,
) -> fc_status {
    guard(|| {
        // SAFETY: the pointers are as the documentation asks.
        unsafe { record("fc_type_union", true, tag, fields, count, options, out) }
    })
}

unsafe fn record(
    function: &str,
    is_union: bool,
    tag: *const c_char,
    fields: *const fc_field,
    count: usize,
    record_options: *const fc_record_options,
    out: *mut *mut fc_type,
) -> Result<()> {
    let out = Out::new(out, &format!("{function}: out"))?;
    // SAFETY: the caller's promise.
    unsafe {
        let tag = identifier(tag, &format!("{function}: tag"))?;
        let fields = slice(fields, count, &format!("{function}: fields"))?;
        let given = options(record_options, &format!("{function}: options"))?;
        let mut specs = Vec::with_capacity(count);
        for (index, field) in fields.iter().enumerate() {
            let place = format!("{function}: fields[{index}]");
            let name = identifier(field.name, &format!("{place}.name"))?;
            let ty = type_of(field.r#type, &format!("{place}.type"))?;
            specs.push(FieldSpec {
                name,
                link: Link::Type(ty),
                bits: match field.bits {
                    0 => None,
                    FC_BITS_ZERO => Some(0),
                    bits => Some(bits),
                },
                align: field.align,
                packed: false,
            });
        }
        let mut types = TypeBuilder::new(code::target());
        let link = types.declare_record(is_union, tag.clone());
        let record_options = RecordOptions {
            packed: false,
            pack: given.pack,
            align: given.align,
        };
        types
            .define_record(&link, specs, &record_options)
            .map_err(|error| match tag {
                Some(tag) => {
                    let keyword = if is_union { "union" } else { "struct" };
                    error.within(format!("{keyword} {}", tag.to_string_lossy()))
                }
                None => error,
            })?;
        out.write(into_raw(types.finish_with(link)));
    }
    Ok(())
}

/// A name from C, or none.
unsafe fn identifier(pointer: *const c_char, what: &str) -> Result<Option<CString>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    let name = unsafe { text(pointer, what)? };
    let fits = |(index, letter): (usize, char)| {
        letter == '_' || letter == '$' || letter.is_alphabetic() || index > 0 && letter.is_numeric()
    };
    if name.is_empty() || !name.chars().enumerate().all(fits) {
        return Err(Error::argument(format!(
            "{what}: expected a C identifier, got \"{name}\""
        )));
    }
    if decl::is_reserved(name) {
        return Err(Error::argument(format!(
            "{what}: \"{name}\" is a keyword of C; give it another name, as \"{name}_\""
        )));
    }
    Ok(CString::new(name).ok())
}

unsafe fn derived(
    function: &str,
    base: *const fc_type,
    out: *mut *mut fc_type,
    make: impl FnOnce(&mut TypeBuilder, Link) -> Result<Link>,
    argument: &str,
) -> Result<()> {
    let out = Out::new(out, &format!("{function}: out"))?;
    // SAFETY: the caller's promise.
    let base = unsafe { type_of(base, &format!("{function}: {argument}"))? };
    let mut types = TypeBuilder::new(code::target());
    let link = make(&mut types, Link::Type(base))?;
    out.write(into_raw(types.finish_with(link)));
    Ok(())
}

/// Makes an array. It can be a member, and what a pointer points to; as C has it, it is no parameter
/// and no result.
///
/// @param element the type of an element, which is kept alive.
/// @param length  the number of elements; 0 will do, as in GNU C.
/// @param out     the type, which the caller frees with fc_type_free.
///
/// Any thread may call this.
///
/// @return FC_OK; FC_ERR_ARGUMENT for NULL or an element without a size; FC_ERR_LIMIT for an array of
///         more than 2^56 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_type_array(
    element: *const fc_type,
    length: size_t,
    out: *mut *mut fc_type,
) -> fc_status {
    let make = |types: &mut TypeBuilder, link| types.array(link, Some(length as u64));
    // SAFETY: the pointers are as the documentation asks.
    guard(|| unsafe { derived("fc_type_array", element, out, make, "element") })
}

/// Makes a vector, as __attribute__((vector_size(lanes * sizeof(element)))) does: __m128 has four
/// lanes of FC_F32.
///
/// @param element the type of a lane: an integer or floating kind, but not _Bool or long double.
/// @param lanes   the number of lanes, a power of two.
/// @param out     the type, which the caller frees with fc_type_free.
///
/// Any thread may call this.
///
/// @return FC_OK; FC_ERR_ARGUMENT for NULL, another element, or another number of lanes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_type_vector(
    element: *const fc_type,
    lanes: size_t,
    out: *mut *mut fc_type,
) -> fc_status {
    let make = |types: &mut TypeBuilder, link| types.vector(link, lanes as u64);
    // SAFETY: the pointers are as the documentation asks.
    guard(|| unsafe { derived("fc_type_vector", element, out, make, "element") })
}

/// Makes a pointer that knows what it points to.
///
/// @param pointee any type, functions and void too; it is kept alive.
/// @param out     the type, which the caller frees with fc_type_free.
///
/// Any thread may call this.
///
/// @return FC_OK; FC_ERR_ARGUMENT for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_type_pointer(
    pointee: *const fc_type,
    out: *mut *mut fc_type,
) -> fc_status {
    let make = |types: &mut TypeBuilder, link: Link| {
        let is_void = types.get(&link).kind() == Kind::Void;
        Ok(types.pointer((!is_void).then_some(link), Qualifiers::default()))
    };
    // SAFETY: the pointers are as the documentation asks.
    guard(|| unsafe { derived("fc_type_pointer", pointee, out, make, "pointee") })
}

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

/// One more reference to a type, so that what is borrowed can be kept.
///
/// @return the same type, to be freed once more with fc_type_free; NULL for NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_type_retain(r#type: *const fc_type) -> *mut fc_type {
    // SAFETY: the pointer is as the documentation asks.
    let ty = guarded(|| unsafe { type_of(r#type, "fc_type_retain: type") });
    ty.map_or(ptr::null_mut(), into_raw)
}

/// Gives a reference to a type back. Whatever was made from the type keeps it alive.
///
/// @param type what fc_type_struct and its like, fc_decls_type or fc_type_retain gave; NULL and
///             static types do nothing. Not a borrowed type.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_type_free(r#type: *mut fc_type) {
    // SAFETY: the pointer is as the documentation asks.
    unsafe { release(r#type.cast()) }
}
