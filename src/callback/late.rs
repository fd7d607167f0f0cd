//! Calls of callbacks that have been freed.

use super::record::Record;
use crate::code;
use crate::stub::Arguments;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};

static CALLS: AtomicU64 = AtomicU64::new(0);

/// How many there were.
pub fn late_calls() -> u64 {
    CALLS.load(Ordering::Relaxed)
}

/// The handler of a callback that has been freed.
pub(super) fn handler() -> *const c_void {
    late as *const c_void
}

/// # Safety
///
/// As for a handler, with the record in the context register.
#[unsafe(naked)]
unsafe extern "C-unwind" fn late() {
    code::context_call!(counted_default)
}

/// While the default result is read the record is not given to another callback.
extern "C" fn counted_default(
    result: *mut c_void,
    arguments: *const c_void,
    callback: &'static Record,
) {
    callback.calls.enter();
    give_default(result, arguments, callback);
    if callback.calls.leave() {
        super::finish(callback);
    }
}

/// Gives the default result to a caller that has been counted in.
pub(super) extern "C" fn give_default(
    result: *mut c_void,
    _arguments: *const c_void,
    callback: &Record,
) {
    CALLS.fetch_add(1, Ordering::Relaxed);
    let receiver = callback.receiver();
    if !callback.calls.is_freed() || !callback.is_late() {
        // On its way here the record was given to another callback, whose result has another size.
        return;
    }
    let size = receiver.result_size();
    let default = callback
        .extra()
        .map_or(&[][..], |extra| &extra.default_result);
    // SAFETY: the receiver gives memory for the result, or a slot that points to it.
    unsafe {
        let to: *mut u8 = match receiver.arguments() {
            Arguments::Slots if size > 8 => result.cast::<*mut u8>().read(),
            _ => result.cast(),
        };
        match default.is_empty() {
            true => to.write_bytes(0, size),
            false => to.copy_from_nonoverlapping(default.as_ptr(), size),
        }
    }
}
