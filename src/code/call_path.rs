//! What a call reads of the function that it calls, and how it enters its code.

use super::machine::enter_at;
use std::ffi::c_void;
use std::mem::offset_of;

/// What the call path reads of a function: it comes first, at offsets that entering code knows.
#[repr(C)]
pub struct CallPath {
    /// Called with an array of pointers.
    pub code: *const c_void,
    /// Called with an array of slots.
    pub slot_code: *const c_void,
    /// What both get in the context register.
    pub context: *const c_void,
}

/// Enters the code of a call path from Rust.
///
/// # Safety
///
/// The call path's code expects this context, and the result and arguments are as it wants them.
pub unsafe fn enter(call: &CallPath, result: *mut c_void, array: *const c_void) {
    // SAFETY: the caller's promise.
    unsafe { enter_naked(call, result, array) }
}

/// The same as machine code calls it.
///
/// # Safety
///
/// As for `enter`.
#[unsafe(naked)]
pub(super) unsafe extern "C-unwind" fn enter_naked(
    _call: *const CallPath,
    _result: *mut c_void,
    _array: *const c_void,
) {
    enter_at!(offset_of!(CallPath, code), offset_of!(CallPath, context))
}
