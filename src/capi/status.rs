//! Statuses, and this thread's last failure.

use crate::code::AtThreadEnd;
use crate::error::{Error, Result, Status};
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a call came to. Only FC_OK and FC_DONE are no failures.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum fc_status {
    /// It has done what it is for.
    FC_OK = 0,
    /// An argument is NULL, out of range or contradicts another.
    FC_ERR_ARGUMENT = 1,
    /// A declaration does not parse; the message has line and column, and shows the place.
    FC_ERR_SYNTAX = 2,
    /// There is no such library, symbol, type or name.
    FC_ERR_NOT_FOUND = 3,
    /// The file is there and the system's loader refuses it; the message says why.
    FC_ERR_LOAD = 4,
    /// This target, calling convention or build cannot do it.
    FC_ERR_UNSUPPORTED = 5,
    /// The policy forbids it.
    FC_ERR_DENIED = 6,
    /// The object is not in a state in which this can be done, or belongs to another thread.
    FC_ERR_STATE = 7,
    /// The time is over.
    FC_ERR_TIMEOUT = 8,
    /// It was cancelled.
    FC_ERR_CANCELLED = 9,
    /// Out of memory, stacks or executable memory.
    FC_ERR_MEMORY = 10,
    /// A system call failed; fc_error_os has its error number.
    FC_ERR_SYSTEM = 11,
    /// An address that cannot be read or written.
    FC_ERR_FAULT = 12,
    /// A bug in farcall, caught before it could reach the caller. Please report it.
    FC_ERR_INTERNAL = 13,
    /// A documented limit is reached: a queue, a count, a depth, a size.
    FC_ERR_LIMIT = 14,
    /// Not a failure: nothing more will come.
    FC_DONE = 100,
}

use fc_status::*;

/// A status as C hands it over: any number.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct StatusNumber(pub u32);

/// The one list of statuses and their names.
const NAMES: [(fc_status, &CStr); 16] = [
    (FC_OK, c"FC_OK"),
    (FC_ERR_ARGUMENT, c"FC_ERR_ARGUMENT"),
    (FC_ERR_SYNTAX, c"FC_ERR_SYNTAX"),
    (FC_ERR_NOT_FOUND, c"FC_ERR_NOT_FOUND"),
    (FC_ERR_LOAD, c"FC_ERR_LOAD"),
    (FC_ERR_UNSUPPORTED, c"FC_ERR_UNSUPPORTED"),
    (FC_ERR_DENIED, c"FC_ERR_DENIED"),
    (FC_ERR_STATE, c"FC_ERR_STATE"),
    (FC_ERR_TIMEOUT, c"FC_ERR_TIMEOUT"),
    (FC_ERR_CANCELLED, c"FC_ERR_CANCELLED"),
    (FC_ERR_MEMORY, c"FC_ERR_MEMORY"),
    (FC_ERR_SYSTEM, c"FC_ERR_SYSTEM"),
    (FC_ERR_FAULT, c"FC_ERR_FAULT"),
    (FC_ERR_INTERNAL, c"FC_ERR_INTERNAL"),
    (FC_ERR_LIMIT, c"FC_ERR_LIMIT"),
    (FC_DONE, c"FC_DONE"),
];

#[derive(Default)]
struct Failure {
    /// Without memory where there is nothing to say.
    message: Option<CString>,
    os: i32,
}

impl Failure {
    fn message(&self) -> &CStr {
        self.message.as_deref().unwrap_or_default()
    }
}

/// So many failures of a thread are kept, for pointers to the message of one that is not the last.
const KEPT: usize = 8;

#[derive(Default)]
struct Failures {
    kept: [Failure; KEPT],
    newest: usize,
    /// They are given back at the thread's end.
    is_remembered: bool,
}

impl Failures {
    fn newest(&self) -> &Failure {
        &self.kept[self.newest]
    }

    fn add(&mut self, failure: Failure) {
        if !self.is_remembered {
            self.is_remembered = true;
            give_back_at_end();
        }
        self.newest = (self.newest + 1) % KEPT;
        self.kept[self.newest] = failure;
    }
}

thread_local! {
    static LAST: RefCell<Failures> = RefCell::default();
}

/// Has this thread's failures given back when it ends.
fn give_back_at_end() {
    static AT_END: AtThreadEnd = AtThreadEnd::new(forget);
    unsafe extern "C" fn forget(_: *mut c_void) {
        // What was dropped before has nothing any more.
        let _ = LAST.try_with(|last| {
            if let Ok(mut last) = last.try_borrow_mut() {
                *last = Failures::default();
            }
        });
    }
    AT_END.remember();
}

fn number(status: Status) -> fc_status {
    match status {
        Status::Argument => FC_ERR_ARGUMENT,
        Status::Syntax => FC_ERR_SYNTAX,
        Status::NotFound => FC_ERR_NOT_FOUND,
        Status::Load => FC_ERR_LOAD,
        Status::Unsupported => FC_ERR_UNSUPPORTED,
        Status::Denied => FC_ERR_DENIED,
        Status::Memory => FC_ERR_MEMORY,
        Status::System => FC_ERR_SYSTEM,
        Status::Fault => FC_ERR_FAULT,
        Status::Internal => FC_ERR_INTERNAL,
        Status::Limit => FC_ERR_LIMIT,
    }
}

/// Remembers a failure for this thread.
fn remember(error: Error) -> fc_status {
    let mut message = error.message.into_bytes();
    message.retain(|&byte| byte != 0);
    let failure = Failure {
        message: CString::new(message).ok(),
        os: error.os,
    };
    // A thread that is ending has no place for it any more, nor has a signal handler that has interrupted this.
    let _ = LAST.try_with(|last| {
        if let Ok(mut last) = last.try_borrow_mut() {
            last.add(failure);
        }
    });
    number(error.status)
}

/// Runs what an exported function does. Nothing but a value leaves it: a panic becomes an error.
pub(super) fn guarded<T>(run: impl FnOnce() -> Result<T>) -> std::result::Result<T, fc_status> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => result.map_err(remember),
        Err(panic) => {
            let text = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
                (Some(text), _) => text,
                (None, Some(text)) => text.as_str(),
                (None, None) => "a panic",
            };
            Err(remember(Error::new(
                Status::Internal,
                format!("a bug in farcall: {text}"),
            )))
        }
    }
}

/// The same for functions that return a status.
pub(super) fn guard(run: impl FnOnce() -> Result<()>) -> fc_status {
    match guarded(run) {
        Ok(()) => FC_OK,
        Err(status) => status,
    }
}

/// Why this thread's last call that failed did so, for a person to read: what was wrong, which
/// argument, what was expected and what was got.
///
/// @return UTF-8 text; "" if no call of this thread has failed. Never NULL. It belongs to the
///         library and stays as it is until eight more calls of farcall have failed on this thread,
///         or the thread ends. A call that succeeds changes nothing.
///
/// Call it after the call that failed, in a statement of its own: the arguments of one call are
/// evaluated in any order, so that printf("%s: %s", fc_status_name(fc_decls_new(NULL)),
/// fc_error_message()) may print the message of an earlier failure.
///
/// Any thread may call this; each has its own message.
#[unsafe(no_mangle)]
pub extern "C" fn fc_error_message() -> *const c_char {
    /// What a signal handler reads that has interrupted the keeping of a message.
    const INTERRUPTED: &CStr =
        c"the message was not kept: a signal handler has interrupted another call that failed";
    let message = LAST.try_with(|last| match last.try_borrow() {
        Ok(last) => last.newest().message().as_ptr(),
        Err(_) => INTERRUPTED.as_ptr(),
    });
    message.unwrap_or(c"".as_ptr())
}

/// The system's error number (errno, or GetLastError) of the failure that fc_error_message tells
/// of; 0 if no system call was to blame.
///
/// Any thread may call this; each has its own number.
#[unsafe(no_mangle)]
pub extern "C" fn fc_error_os() -> c_int {
    let os = LAST.try_with(|last| last.try_borrow().map_or(0, |last| last.newest().os));
    os.unwrap_or(0)
}

/// The name of a status: "FC_ERR_SYNTAX".
///
/// @param status any number.
/// @return a static string; "unknown status" for a number that is none. Never NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub extern "C" fn fc_status_name(status: StatusNumber) -> *const c_char {
    let known = NAMES.iter().find(|(known, _)| *known as u32 == status.0);
    known.map_or(c"unknown status", |(_, name)| name).as_ptr()
}

/// The version of the library that is running: "0.1.0".
///
/// @return a static string. Never NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub extern "C" fn fc_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The version of the binary interface. It grows only when a program that was compiled against an
/// older header must be compiled anew.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub extern "C" fn fc_abi_version() -> u32 {
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_a_message() {
        let status = guard(|| panic!("on purpose"));
        assert_eq!(status, FC_ERR_INTERNAL);
        // SAFETY: the message ends in NUL.
        let message = unsafe { CStr::from_ptr(fc_error_message()) };
        assert_eq!(message, c"a bug in farcall: on purpose");
    }

    #[test]
    fn an_error_in_a_signal_handler_may_interrupt_one() {
        let status = guard(|| Err(Error::argument("first")));
        assert_eq!(status, FC_ERR_ARGUMENT);
        // As if the handler came while the thread's messages were being changed.
        LAST.with(|last| {
            let _changing = last.borrow_mut();
            assert_eq!(guard(|| Err(Error::limit("second"))), FC_ERR_LIMIT);
            // SAFETY: the message ends in NUL.
            let message = unsafe { CStr::from_ptr(fc_error_message()) };
            assert!(
                message.to_bytes().starts_with(b"the message was not kept"),
                "{message:?}"
            );
            assert_eq!(fc_error_os(), 0);
        });
        // SAFETY: as above.
        assert_eq!(unsafe { CStr::from_ptr(fc_error_message()) }, c"first");
    }

    #[test]
    fn every_status_has_a_name_that_is_its_own() {
        for (status, name) in NAMES {
            assert_eq!(name.to_str().unwrap(), format!("{status:?}"));
            // SAFETY: the name ends in NUL.
            let found = unsafe { CStr::from_ptr(fc_status_name(StatusNumber(status as u32))) };
            assert_eq!(found, name);
        }
        // SAFETY: the name ends in NUL.
        let unknown = unsafe { CStr::from_ptr(fc_status_name(StatusNumber(77))) };
        assert_eq!(unknown, c"unknown status");
    }
}
