//! How code is made in this process: what the environment asks for, and what the system allows.

use super::{dual, environment, heap, memory};
use crate::error::{Error, Result, Status};
use std::ffi::{CStr, CString};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

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
            message: format!("no code is made: {}", self.reason.to_string_lossy()),
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

/// "stubs", or "static: " and why: also what there is too little of just now.
pub fn status() -> &'static CStr {
    let mode = mode();
    if lack().is_some() {
        match try_to_make(mode) {
            Ok(()) => succeeded(),
            Err(error) => drop(after(error)),
        }
    }
    why_static().or_else(lack).map_or(c"stubs", Refusal::status)
}

/// What there was too little of when code was to be made for the last time. It lives for ever.
static LACK: AtomicPtr<Refusal> = AtomicPtr::new(ptr::null_mut());
/// The last attempt failed.
static IS_LACKING: AtomicBool = AtomicBool::new(false);

fn lack() -> Option<&'static Refusal> {
    let lack = LACK.load(Ordering::Acquire);
    // SAFETY: what it points to is never freed.
    unsafe { lack.as_ref() }.filter(|_| IS_LACKING.load(Ordering::Acquire))
}

fn remember_lack(error: &Error) {
    // Only the system's own errors are such.
    if error.os == 0 {
        return;
    }
    // SAFETY: as above.
    let known = unsafe { LACK.load(Ordering::Acquire).as_ref() };
    if known.is_none_or(|known| known.reason.to_bytes() != reason_of(error).as_bytes()) {
        let lack = ptr::from_ref(refusal_of(error)).cast_mut();
        LACK.store(lack, Ordering::Release);
    }
    IS_LACKING.store(true, Ordering::Release);
}

/// After code was made.
#[inline]
pub(super) fn succeeded() {
    if IS_LACKING.load(Ordering::Relaxed) {
        IS_LACKING.store(false, Ordering::Release);
    }
}

/// After a failure to make code: where the system refuses it for good, none is tried any more, and
/// the error says so.
pub(super) fn after(error: Error) -> Error {
    if !is_refusal(&error) {
        remember_lack(&error);
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

fn reason_of(error: &Error) -> &str {
    let reason = error.message.strip_prefix(memory::SUBJECT);
    reason.unwrap_or(&error.message)
}

fn refusal_of(error: &Error) -> &'static Refusal {
    Box::leak(Box::new(Refusal::new(reason_of(error), error.os)))
}

/// The environment asks first; then the system is. Words that `FARCALL_CODE` does not know are as
/// if it was not set: a library has nobody to warn.
fn decide() -> Mode {
    let asked = environment::variable(c"FARCALL_CODE").map(CStr::to_bytes);
    let mode = match asked {
        Some(b"none") => {
            let refusal = Refusal::new("asked for by FARCALL_CODE=none", 0);
            return Mode::Static(Box::leak(Box::new(refusal)));
        }
        Some(b"dual") => Mode::Dual,
        _ => Mode::Stubs,
    };
    match try_to_make(mode) {
        Err(error) if is_refusal(&error) => Mode::Static(refusal_of(&error)),
        // A lack may be gone when code is made.
        Err(error) => {
            remember_lack(&error);
            mode
        }
        Ok(()) => mode,
    }
}

/// Makes what there is to be for code, and gives it back.
fn try_to_make(mode: Mode) -> Result<()> {
    match mode {
        Mode::Stubs => memory::try_to_seal(),
        Mode::Dual => dual::try_to_map(heap::RESERVATION),
        Mode::Static(_) => Ok(()),
    }
}
