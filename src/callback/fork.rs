//! A child must not find the tables locked by a thread that it does not have: they are locked while the
//! process forks, before those of stubs and code, as they always are.

use super::{pool, receiver};
use crate::{code, invoke};
use std::sync::Once;

extern "C" fn before() {
    std::mem::forget(receiver::lock().lock());
    std::mem::forget(pool::lock().lock());
}

extern "C" fn in_parent() {
    // SAFETY: `before` has locked both on this thread.
    unsafe {
        pool::lock().force_unlock();
        receiver::lock().force_unlock();
    }
}

extern "C" fn in_child() {
    // SAFETY: a child has one thread.
    unsafe {
        code::renew(pool::lock());
        code::renew(receiver::lock());
    }
}

/// Before code is made for the first time.
pub(super) fn prepare() {
    static PREPARED: Once = Once::new();
    PREPARED.call_once(|| {
        // What is registered later is called earlier, before a fork.
        invoke::prepare_for_fork();
        // SAFETY: the handlers only lock and unlock. Without memory for them forks are as they would be
        // without.
        unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
    });
}
