//! What a thunk finds of its callback.

use super::Options;
use super::calls::Calls;
use super::receiver::Receiver;
use crate::code;
use crate::code::thunks::RECORD;
use crate::stub::{RECORD_ENTRY, RECORD_HANDLER, RECORD_USER};
use std::ffi::c_void;
use std::mem::offset_of;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A callback. Its memory is never given back: a thunk always finds one.
#[repr(C, align(64))]
pub struct Record {
    /// Where the thunk jumps to: the receiver's code.
    entry: AtomicPtr<c_void>,
    /// What the receiver calls.
    handler: AtomicPtr<c_void>,
    /// What it hands over.
    user: AtomicPtr<c_void>,
    /// What knows how the arguments travel.
    pub(super) receiver: AtomicPtr<Receiver>,
    /// What most callbacks do without.
    pub(super) extra: AtomicPtr<Extra>,
    /// The running calls, and whether it has been freed.
    pub(super) calls: Calls,
    /// The thunk.
    code: AtomicPtr<c_void>,
    /// The next one that waits to be used again; the pool's.
    pub(super) next: AtomicPtr<Record>,
}

const _: () = {
    assert!(size_of::<Record>() == RECORD);
    assert!(offset_of!(Record, entry) == RECORD_ENTRY as usize);
    assert!(offset_of!(Record, handler) == RECORD_HANDLER as usize);
    assert!(offset_of!(Record, user) == RECORD_USER as usize);
    assert!(offset_of!(Record, receiver) == code::RECORD_CONTEXT);
};

/// What a callback needs that has a release hook or a default result.
#[repr(C)]
pub(super) struct Extra {
    pub(super) handler: *const c_void,
    pub(super) user: *mut c_void,
    pub(super) release: Option<unsafe extern "C" fn(user: *mut c_void)>,
    /// What late callers get; zeros if it is empty.
    pub(super) default_result: Box<[u8]>,
}

impl Extra {
    /// # Safety
    ///
    /// The default result is NULL or has `result_size` bytes.
    pub(super) unsafe fn new(
        handler: *const c_void,
        user: *mut c_void,
        options: &Options,
        result_size: usize,
    ) -> Box<Extra> {
        let default_result = match options.default_result.is_null() {
            true => Box::default(),
            // SAFETY: the caller's promise.
            false => unsafe {
                std::slice::from_raw_parts(options.default_result.cast::<u8>(), result_size)
            }
            .into(),
        };
        Box::new(Extra {
            handler,
            user,
            release: options.release,
            default_result,
        })
    }
}

/// What a call runs.
#[derive(Clone, Copy)]
pub(super) struct Handler {
    pub(super) handler: *const c_void,
    pub(super) user: *mut c_void,
}

impl Record {
    /// Begins a life of the record, of which nobody knows yet. Gives back what the one before left behind.
    pub(super) fn begin(
        &self,
        receiver: &'static Receiver,
        handler: Handler,
        extra: Option<Box<Extra>>,
    ) -> Option<Box<Extra>> {
        let extra = extra.map_or(ptr::null_mut(), Box::into_raw);
        let old = self.extra.swap(extra, Ordering::Relaxed);
        let receiver_pointer = ptr::from_ref(receiver).cast_mut();
        self.receiver.store(receiver_pointer, Ordering::Relaxed);
        self.user.store(handler.user, Ordering::Relaxed);
        self.handler
            .store(handler.handler.cast_mut(), Ordering::Relaxed);
        // Whoever gets the code's address by whatever way finds the rest.
        self.entry
            .store(receiver.entry().cast_mut(), Ordering::Release);
        // SAFETY: it came from `Box::into_raw` here, in the life before, and is given up once.
        (!old.is_null()).then(|| unsafe { Box::from_raw(old) })
    }

    /// What calls run from now on.
    pub(super) fn set_handler(&self, handler: *const c_void) {
        self.handler.store(handler.cast_mut(), Ordering::Release);
    }

    pub(super) fn set_code(&self, code: usize) {
        self.code.store(code as *mut c_void, Ordering::Relaxed);
    }

    pub(super) fn code(&self) -> *const c_void {
        self.code.load(Ordering::Relaxed)
    }

    pub(super) fn receiver(&self) -> &'static Receiver {
        // SAFETY: receivers live for ever, and a record that anybody knows has one.
        unsafe { &*self.receiver.load(Ordering::Relaxed) }
    }

    /// What most callbacks do without. Valid while the callback lives or a call is counted in.
    pub(super) fn extra(&self) -> Option<&Extra> {
        // SAFETY: it is freed when the record gets a new life, for which there must be no call inside.
        unsafe { self.extra.load(Ordering::Acquire).as_ref() }
    }

    /// Its calls are counted, since somebody wants to know when there are none.
    pub(super) fn is_counted(&self) -> bool {
        self.extra().is_some_and(|extra| extra.release.is_some())
    }
}
