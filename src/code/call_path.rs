//! What a call reads of the function that it calls.

use std::ffi::c_void;

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
