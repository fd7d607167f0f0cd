//! How code is made in this process: what the environment asks for, and what the system allows.

use super::{dual, environment, memory};
use crate::error::{Error, Status};
use std::ffi::{CStr, CString};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// How code is made.
#[derive(Clone, Copy, Debug)]
pub enum Mode {
    /// In private pages, which are written and then sealed.
    Stubs,
    /// In a file in memory that is mapped twice, once to write and once to run.
    Dual,
    /// Not at all: only code that the library itself brings is run.
    Static(&'static Refusal),
}

/// Why no code is made. It lives as long as the process.
#[derive(Debug)]
pub struct Refusal {
    reason: CString,
    status: CString,
    os: i32,
}

impl Refusal {
    fn new(reason: &str, os: i32) -> Refusal {
        // No reason has a NUL in it.
        let text = |text: String| CString::new(text).unwrap_or_default();
        Refusal {
            reason: text(reason.to_owned()),
            status: text(format!("static: {reason}")),
            os,
        }
    }

    /// The reason alone: "asked for by FARCALL_CODE=none".
    pub fn reason(&self) -> &CStr {
        &self.reason
    }

    /// As a function's path and `status` have it: "static: " and the reason.
    pub fn status(&self) -> &CStr {
        &self.status
    }

    /// What is answered to who wants code all the same.
    pub fn error(&self) -> Error {
        Error {
            status: Status::Unsupported,
            message: self.reason.to_string_lossy().into_owned(),
            os: self.os,
        }
    }
}

/// Null until it is decided, then one that lives for ever. No lock: a child of fork must not find
/// one taken.
static MODE: AtomicPtr<Mode> = AtomicPtr::new(ptr::null_mut());

/// How code is made. It is decided when this is first asked.
pub fn mode() -> Mode {
    let known = MODE.load(Ordering::Acquire);
    if !known.is_null() {
        // SAFETY: what `MODE` points to lives for ever and does not change.
        return unsafe { *known };
    }
    let decided = Box::into_raw(Box::new(decide()));
    match MODE.compare_exchange(
        ptr::null_mut(),
        decided,
        Ordering::AcqRel,
        Ordering::Acquire,
    ) {
        // SAFETY: it lives for ever now.
        Ok(_) => unsafe { *decided },
        // Another thread was faster.
        Err(known) => {
            // SAFETY: it came from a box that nobody else has seen; `known` lives for ever.
            unsafe {
                drop(Box::from_raw(decided));
                *known
            }
        }
    }
}

/// Why no code is made; none where it is.
pub fn why_static() -> Option<&'static Refusal> {
    match mode() {
        Mode::Static(refusal) => Some(refusal),
        Mode::Stubs | Mode::Dual => None,
    }
}

/// "stubs", or "static: " and why.
pub fn status() -> &'static CStr {
    why_static().map_or(c"stubs", Refusal::status)
}

/// After a failure to make code: where the system refuses it for good, none is tried any more, and
/// the error says so.
pub(super) fn after(error: Error) -> Error {
    if !is_refusal(&error) {
        return error;
    }
    let refusal = refusal_of(&error);
    let decided = Box::into_raw(Box::new(Mode::Static(refusal)));
    // The old mode is kept: other threads may be reading it.
    MODE.store(decided, Ordering::Release);
    refusal.error()
}

/// The system will answer so again: a policy speaks, not a lack.
fn is_refusal(error: &Error) -> bool {
    matches!(error.os, libc::EACCES | libc::EPERM | libc::ENOSYS)
}

fn refusal_of(error: &Error) -> &'static Refusal {
    let reason = error.message.strip_prefix(memory::SUBJECT);
    let reason = reason.unwrap_or(&error.message);
    Box::leak(Box::new(Refusal::new(reason, error.os)))
}

/// The environment asks first; then the system is. Words that `FARCALL_CODE` does not know are as
/// if it was not set: a library has nobody to warn.
fn decide() -> Mode {
    let asked = environment::variable(c"FARCALL_CODE").map(CStr::to_bytes);
    let (mode, tried) = match asked {
        Some(b"none") => {
            let refusal = Refusal::new("asked for by FARCALL_CODE=none", 0);
            return Mode::Static(Box::leak(Box::new(refusal)));
        }
        Some(b"dual") => (Mode::Dual, dual::try_to_map(memory::page_size())),
        _ => (Mode::Stubs, memory::try_to_seal()),
    };
    match tried {
        // A lack of memory is met again when code is made, and said then.
        Err(error) if is_refusal(&error) => Mode::Static(refusal_of(&error)),
        _ => mode,
    }
}
