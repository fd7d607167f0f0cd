//! Types.

use super::status::{fc_status, guard, guarded};
use super::{Out, options, required, slice, text};
use crate::code;
use crate::decl;
use crate::error::{Error, Result};
use crate::types::{
    FieldSpec, Kind, Link, Node, Qualifiers, RecordOptions, Scalar, Type, TypeBuilder,
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
pub(super) unsafe fn node_of<'a>(pointer: *const fc_type) -> Option<&'a Node> {
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
