//! The C API. It checks arguments, catches panics, turns errors into statuses, and holds no logic:
//! one file for each object, in the order of the header, which is made from these files' docs.

#![allow(non_camel_case_types, reason = "these are C's names")]
#![allow(
    clippy::missing_safety_doc,
    reason = "the documentation is the header's, which says once what holds for all pointers"
)]

mod status;
// The order of the header.
mod types;
mod reflection;
mod declarations;
mod signatures;
mod libraries;
mod policy;
mod functions;
mod callbacks;
mod memory;
mod statistics;

pub use callbacks::*;
pub use declarations::*;
pub use functions::*;
pub use libraries::*;
pub use memory::*;
pub use policy::*;
pub use reflection::*;
pub use signatures::*;
pub use statistics::*;
pub use status::*;
pub use types::*;

use crate::error::{Error, Result};
use std::ffi::{CStr, c_char};

/// What a NULL pointer is refused with; `what` is "function: argument".
fn null(what: &str) -> Error {
    Error::argument(format!("{what} is NULL"))
}

/// A pointer from C that must not be NULL.
///
/// # Safety
///
/// It is NULL, or points to a `T` that lives and does not change for as long as the reference.
unsafe fn required<'a, T>(pointer: *const T, what: &str) -> Result<&'a T> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(what))
}

/// Where a result goes. It is written on success only.
struct Out<T>(*mut T);

impl<T> Out<T> {
    fn new(pointer: *mut T, what: &str) -> Result<Out<T>> {
        if pointer.is_null() {
            Err(null(what))
        } else {
            Ok(Out(pointer))
        }
    }

    fn write(self, value: T) {
        // SAFETY: every function that takes an out pointer asks for one that can be written.
        unsafe { self.0.write(value) }
    }
}

/// Writes to an optional out pointer.
fn write_optional<T>(pointer: *mut T, value: T) {
    if !pointer.is_null() {
        // SAFETY: every function that takes an out pointer asks for one that can be written.
        unsafe { pointer.write(value) }
    }
}

/// A string from C. Text is UTF-8.
///
/// # Safety
///
/// It is NULL, or ends in NUL and does not change for as long as the reference.
unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Result<&'a str> {
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: the caller's promise.
    let string = unsafe { CStr::from_ptr(pointer) };
    string.to_str().map_err(|error| {
        let at = error.valid_up_to();
        Error::argument(format!("{what} is not UTF-8 (at byte {at})"))
    })
}

/// A slice from C; NULL will do where it is empty.
///
/// # Safety
///
/// It is NULL, or points to `count` elements that do not change for as long as the slice.
unsafe fn slice<'a, T>(pointer: *const T, count: usize, what: &str) -> Result<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(null(what));
    }
    if count > isize::MAX as usize / size_of::<T>().max(1) {
        return Err(Error::argument(format!(
            "{what}: {count} elements do not fit in memory"
        )));
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// An option struct, which begins with its size: what C's is shorter by has its default, and what
/// it is longer by must be zero.
///
/// # Safety
///
/// `T` is `repr(C)`, begins with a `usize`, and is valid with all bytes zero. The pointer is NULL or
/// points to as many bytes as it says.
unsafe fn options<T: Copy>(pointer: *const T, what: &str) -> Result<T> {
    let own = size_of::<T>();
    let mut value = std::mem::MaybeUninit::<T>::zeroed();
    if pointer.is_null() {
        // SAFETY: all bytes zero are valid.
        return Ok(unsafe { value.assume_init() });
    }
    // SAFETY: the struct begins with its size, and has as many bytes.
    unsafe {
        let size = pointer.cast::<usize>().read();
        if size < size_of::<usize>() {
            return Err(Error::argument(format!(
                "{what}.size is {size}: set it to the sizeof of the struct"
            )));
        }
        let bytes = pointer.cast::<u8>();
        let unknown = size.saturating_sub(own);
        if (0..unknown).any(|index| *bytes.add(own + index) != 0) {
            return Err(Error::argument(format!(
                "{what}.size is {size}, and what lies behind the {own} bytes that this version \
                 knows is not zero"
            )));
        }
        std::ptr::copy_nonoverlapping(bytes, value.as_mut_ptr().cast(), size.min(own));
        Ok(value.assume_init())
    }
}

/// Refuses bits of the flags of `what` that are not in `known`.
fn check_flags(flags: u32, known: u32, what: &str) -> Result<()> {
    match flags & !known {
        0 => Ok(()),
        unknown => Err(Error::argument(format!(
            "{what}.flags: unknown bits {unknown:#x}"
        ))),
    }
}
