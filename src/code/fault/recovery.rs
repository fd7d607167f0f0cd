//! The point at which a protected call goes on after a fault, and the chain of them.
//!
//! A callee may leave by an exception or by longjmp, past the frame whose point it is. Exceptions (and
//! the end of a thread, which unwinds as well) find the frame's personality routine, and longjmp of
//! glibc runs the cleanup routines of the frames that it leaves: both take the point out of the
//! chain. What is left, longjmp of another make, is looked for before a point is used: it must be
//! as it was made, and lie above the code that faulted.

use super::{Fault, machine, thread};
use crate::code::CallPath;
use std::ffi::{c_int, c_void};
use std::mem::offset_of;
use std::ptr;

/// Where a protected call goes on. It lies on the stack, in the frame that called the machine's.
#[repr(C)]
pub(super) struct Recovery {
    /// The stack pointer of the machine's frame; 0 before there is one.
    pub(super) stack: usize,
    /// The instruction to go on with.
    pub(super) resume: usize,
    /// Tells a point from what else may be on the stack.
    seal: usize,
    /// The next one outwards.
    pub(super) previous: *mut Recovery,
    pub(super) fault: Fault,
    cleanup: cleanup::Buffer,
}

pub(super) const RECOVERY_STACK: usize = offset_of!(Recovery, stack);
pub(super) const RECOVERY_RESUME: usize = offset_of!(Recovery, resume);

fn seal(recovery: *const Recovery) -> usize {
    recovery as usize ^ 0x5ea1_fa11_u32 as usize
}

impl Recovery {
    const fn new() -> Recovery {
        Recovery {
            stack: 0,
            resume: 0,
            seal: 0,
            previous: ptr::null_mut(),
            fault: Fault::NONE,
            cleanup: cleanup::Buffer::NEW,
        }
    }

    /// Whether code with this stack pointer runs inside the call.
    ///
    /// # Safety
    ///
    /// `recovery` can be read.
    pub(super) unsafe fn is_around(
        recovery: *const Recovery,
        thread: *const thread::Thread,
        stack_pointer: usize,
    ) -> bool {
        // SAFETY: the caller's promise, and a thread's state is its own.
        unsafe {
            if (*recovery).seal != seal(recovery) || (*recovery).stack == 0 {
                return false;
            }
            // What runs on another stack, a coroutine's or a signal's, says nothing by its address.
            let own = &(*thread).stack;
            let is_comparable = own.has(stack_pointer) && own.has((*recovery).stack);
            !is_comparable || stack_pointer <= (*recovery).stack
        }
    }
}

/// Enters the code of a call path, and says whether the callee faulted. Nothing that must be dropped
/// is alive meanwhile: the callee may leave otherwise than by returning.
///
/// # Safety
///
/// As for `enter`; `install` and, on this thread, `prepare_thread` have been called.
pub unsafe fn protected_enter(
    call: &CallPath,
    result: *mut c_void,
    array: *const c_void,
) -> Option<Fault> {
    let mut recovery = Recovery::new();
    let recovery = &raw mut recovery;
    // SAFETY: the point stays where it is until it is left. The caller answers for the call.
    unsafe {
        enter(recovery);
        let has_faulted = machine::call(call, result, array, recovery.cast());
        leave(recovery);
        cleanup::forget(recovery);
        (has_faulted != 0).then_some((*recovery).fault)
    }
}

unsafe fn enter(recovery: *mut Recovery) {
    let thread = thread::current();
    // SAFETY: the caller's point, and this thread's state.
    unsafe {
        (*recovery).seal = seal(recovery);
        (*recovery).previous = (*thread).innermost;
        cleanup::register(recovery);
        (*thread).innermost = recovery;
    }
}

unsafe fn leave(recovery: *mut Recovery) {
    // SAFETY: the point is still there, and its thread is this one.
    unsafe {
        (*recovery).seal = 0;
        (*thread::current()).innermost = (*recovery).previous;
    }
}

unsafe extern "C" {
    fn _Unwind_GetCFA(context: *mut c_void) -> usize;
}

/// The personality routine of the machine's frame: an exception that leaves it takes the point out
/// of the chain.
pub(super) unsafe extern "C" fn personality(
    _version: c_int,
    actions: c_int,
    _class: u64,
    _exception: *mut c_void,
    context: *mut c_void,
) -> c_int {
    const CLEANUP_PHASE: c_int = 2;
    const CONTINUE_UNWIND: c_int = 8;
    if actions & CLEANUP_PHASE != 0 {
        // SAFETY: it is the stack pointer of the machine's frame at its call, where the point's
        // address is.
        unsafe {
            let stack = _Unwind_GetCFA(context);
            let recovery = *((stack + machine::RECOVERY_AT) as *const *mut Recovery);
            leave(recovery);
            cleanup::forget(recovery);
        }
    }
    CONTINUE_UNWIND
}

/// glibc's cleanup handlers of before C had unwinding, which its longjmp still runs when it leaves
/// their frames.
#[cfg(target_env = "gnu")]
mod cleanup {
    use super::{Recovery, leave};
    use std::ffi::{c_int, c_void};
    use std::ptr;

    type Routine = unsafe extern "C" fn(*mut c_void);

    /// struct _pthread_cleanup_buffer of pthread.h.
    #[repr(C)]
    pub(super) struct Buffer {
        routine: Option<Routine>,
        argument: *mut c_void,
        cancel_type: c_int,
        previous: *mut Buffer,
    }

    impl Buffer {
        pub(super) const NEW: Buffer = Buffer {
            routine: None,
            argument: ptr::null_mut(),
            cancel_type: 0,
            previous: ptr::null_mut(),
        };
    }

    unsafe extern "C" {
        fn _pthread_cleanup_push(buffer: *mut Buffer, routine: Routine, argument: *mut c_void);
        fn _pthread_cleanup_pop(buffer: *mut Buffer, execute: c_int);
    }

    unsafe extern "C" fn left(recovery: *mut c_void) {
        // SAFETY: longjmp still stands on a deeper frame than the one that it leaves.
        unsafe { leave(recovery.cast()) }
    }

    pub(super) unsafe fn register(recovery: *mut Recovery) {
        // SAFETY: the buffer is part of the point, and taken back when that is left.
        unsafe { _pthread_cleanup_push(&raw mut (*recovery).cleanup, left, recovery.cast()) }
    }

    /// Takes the buffer back, and those that were registered since.
    pub(super) unsafe fn forget(recovery: *mut Recovery) {
        // SAFETY: it was registered.
        unsafe { _pthread_cleanup_pop(&raw mut (*recovery).cleanup, 0) }
    }
}

#[cfg(not(target_env = "gnu"))]
mod cleanup {
    use super::Recovery;

    pub(super) struct Buffer;

    impl Buffer {
        pub(super) const NEW: Buffer = Buffer;
    }

    pub(super) unsafe fn register(_recovery: *mut Recovery) {}

    pub(super) unsafe fn forget(_recovery: *mut Recovery) {}
}
