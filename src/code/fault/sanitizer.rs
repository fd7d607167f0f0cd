//! AddressSanitizer, if the program is built with it: frames that are left without returning have marked
//! their part of the stack as not to be touched, and must be forgotten, as longjmp does.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

static FORGET_FRAMES: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// Looks for it, which a signal handler could not.
pub(super) fn find() {
    // SAFETY: it only looks the name up.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__asan_handle_no_return".as_ptr()) };
    FORGET_FRAMES.store(found, Ordering::Relaxed);
}

/// Tells it that the thread's frames are left.
pub(super) fn forget_frames() {
    let function = FORGET_FRAMES.load(Ordering::Relaxed);
    if !function.is_null() {
        // SAFETY: the sanitizer's function is one without arguments.
        unsafe { std::mem::transmute::<*mut c_void, extern "C" fn()>(function)() }
    }
}
