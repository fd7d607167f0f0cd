//! The handler of callbacks with a release hook: it counts the calls that are running. A call that an
//! exception or the end of its thread leaves is counted out by the unwinder; one that longjmp leaves
//! is not.

use super::calls::{Calls, FREED};
use super::late;
use super::receiver::Receiver;
use super::record::{Extra, Record};
use crate::code;
use std::ffi::{c_int, c_void};
use std::mem::offset_of;

code::counted_call!(
    farcall_counted_call,
    personality: personality,
    late: late::give_default,
    last: left,
    calls: offset_of!(Record, calls),
    freed_bit: FREED.trailing_zeros(),
    receiver: offset_of!(Record, receiver),
    program: code::RECEIVER_PROGRAM,
    code: Receiver::CODE,
    length: Receiver::LENGTH,
    extra: offset_of!(Record, extra),
    handler: offset_of!(Extra, handler),
    user: offset_of!(Extra, user),
);

/// The handler, for a record.
pub(super) fn handler() -> *const c_void {
    farcall_counted_call as *const c_void
}

/// After a call has left a callback that has been freed.
extern "C" fn left(callback: &'static Record, before: u64) {
    if Calls::was_last(before) && callback.calls.claim() {
        super::finish(callback);
    }
}

/// What an unwinder hands to a personality; opaque.
#[repr(C)]
struct UnwindContext {
    _private: [u8; 0],
}

unsafe extern "C" {
    fn _Unwind_GetGR(context: *mut UnwindContext, register: c_int) -> usize;
}

/// Counts out a call that is being unwound (Itanium C++ ABI: Exception Handling, 1.3 and 2.5).
extern "C" fn personality(
    _version: c_int,
    actions: c_int,
    _class: u64,
    _exception: *mut c_void,
    context: *mut UnwindContext,
) -> c_int {
    const CLEANUP_PHASE: c_int = 2;
    const CONTINUE_UNWIND: c_int = 8;
    if actions & CLEANUP_PHASE != 0 {
        // SAFETY: the unwinder asks for this frame, in which the register holds the record.
        let callback = unsafe {
            let record = _Unwind_GetGR(context, code::COUNTED_RECORD) as *const Record;
            &*record
        };
        if callback.calls.leave() {
            super::finish(callback);
        }
    }
    CONTINUE_UNWIND
}
