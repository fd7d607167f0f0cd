//! What a thunk finds of its callback.

use super::Options;
use super::calls::Calls;
use super::late;
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
    /// The running calls, and whether it has been freed; of one that has no `extra` late calls alone, and that
    /// it has been freed as long as it lives too.
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
    ///
    /// A late call that reads the new receiver finds that the handler is a new one too, and does nothing.
    #[inline]
    pub(super) fn begin(
        &self,
        receiver: &'static Receiver,
        handler: Handler,
        extra: Option<Box<Extra>>,
    ) -> Option<Box<Extra>> {
        let extra = extra.map_or(ptr::null_mut(), Box::into_raw);
        // Nobody else writes it meanwhile.
        let old = self.extra.load(Ordering::Relaxed);
        self.extra.store(extra, Ordering::Relaxed);
        self.user.store(handler.user, Ordering::Relaxed);
        self.set_handler(handler.handler);
        let receiver_pointer = ptr::from_ref(receiver).cast_mut();
        self.receiver.store(receiver_pointer, Ordering::Release);
        // Whoever gets the code's address by whatever way finds the rest.
        self.entry
            .store(receiver.entry().cast_mut(), Ordering::Release);
        if !extra.is_null() || !old.is_null() {
            self.calls.begin(extra.is_null());
        }
        // SAFETY: it came from `Box::into_raw` here, in the life before, and is given up once.
        (!old.is_null()).then(|| unsafe { Box::from_raw(old) })
    }

    /// Whether it can begin a new life, which has nothing more than a handler if it `is_plain`: no if a late
    /// call is inside that may need what the life before had.
    #[inline]
    pub(super) fn renew(&self, is_plain: bool) -> bool {
        let was_plain = self.extra.load(Ordering::Relaxed).is_null();
        is_plain && was_plain || self.calls.renew()
    }

    /// It has been freed, and calls get the default result.
    #[inline]
    pub(super) fn is_late(&self) -> bool {
        self.handler.load(Ordering::Acquire).cast_const() == late::handler()
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
        unsafe { &*self.receiver.load(Ordering::Acquire) }
    }

    /// What most callbacks do without. Valid while the callback lives or a call is counted in.
    pub(super) fn extra(&self) -> Option<&Extra> {
        // SAFETY: it is freed when the record gets a new life, for which there must be no call inside.
        unsafe { self.extra.load(Ordering::Acquire).as_ref() }
    }
}
