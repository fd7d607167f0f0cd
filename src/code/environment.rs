//! Environment variables.

use std::ffi::{CStr, c_char};

/// A variable's value. A program that runs with more rights than who started it has none.
pub(super) fn variable(name: &CStr) -> Option<&'static CStr> {
    unsafe extern "C" {
        fn secure_getenv(name: *const c_char) -> *const c_char;
    }
    // SAFETY: the name ends in NUL; the value does, and stays unless the program changes its
    // environment at the same time, which nothing in C can guard against.
    unsafe {
        let value = secure_getenv(name.as_ptr());
        (!value.is_null()).then(|| CStr::from_ptr(value))
    }
}
