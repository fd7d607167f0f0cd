//! Callbacks: C functions, made while the program runs, that call a handler.
//!
//! ```text
//!  C code ──▶ thunk ──▶ receiver ──▶ handler
//!             one for    one for      (result, array of arguments, user)
//!             each       each way in
//!             callback   which arguments
//!               │        travel
//!               ▼
//!             record: receiver, handler, user, …
//! ```
//!
//! A callback is its record. What a call does is changed by a single word of it, the handler: where there is a
//! release hook that is a function which counts running calls (`counted`), and once the callback is freed
//! one that gives the default result (`late`).

mod calls;
mod chain;
mod counted;
mod fork;
mod late;
mod magazine;
mod pool;
mod receiver;
mod record;
/// The atomics of `calls`.
mod sync {
    pub(super) use std::sync::atomic::{AtomicU64, Ordering};
}

pub use late::late_calls;
pub use receiver::has_code;
pub use record::Record;

use crate::error::{Error, Result};
use crate::invoke;
use crate::stub::Arguments;
use crate::types::{Function, Kind, Signature};
use calls::Freed;
use receiver::Manner;
use record::{Extra, Handler};
use std::ffi::c_void;
use std::ptr;

/// On which threads a handler runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// On whichever calls.
    Any,
    /// On the owner's; others wait.
    Owner,
    /// On the owner's; others go on.
    Post,
}

/// How a callback is made.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// On which threads the handler runs.
    pub threads: Threads,
    /// What late callers get: as many bytes as the result has, or NULL for zeros.
    pub default_result: *const c_void,
    /// Called once, when no call can reach `user` any more.
    pub release: Option<unsafe extern "C" fn(user: *mut c_void)>,
}

impl Default for Options {
    #[inline]
    fn default() -> Options {
        Options {
            threads: Threads::Any,
            default_result: ptr::null(),
            release: None,
        }
    }
}

/// Makes a callback of a signature, whose function type is `function`; `signature` gives it with a
/// reference, which is asked for the first time only.
///
/// # Safety
///
/// `handler` is a function as `arguments` says, which may be called from now on until the callback is
/// freed; the default result has as many bytes as the signature's result.
#[inline]
pub unsafe fn new(
    function: &Function,
    signature: impl Fn() -> Result<Signature>,
    arguments: Arguments,
    handler: *const c_void,
    user: *mut c_void,
    options: &Options,
) -> Result<*const Record> {
    if options.threads != Threads::Any {
        return Err(refuse_threads(&signature()?, options.threads));
    }
    let manner = Manner {
        arguments,
        is_counted: options.release.is_some(),
    };
    let receiver = receiver::receiver(function, &signature, manner)?;
    let (handler, extra) = if options.release.is_none() && options.default_result.is_null() {
        (handler, None)
    } else {
        // SAFETY: the caller's promise.
        let extra = unsafe { Extra::new(handler, user, options, receiver.result_size()) };
        let first = match options.release {
            Some(_) => counted::handler(),
            None => handler,
        };
        (first, Some(extra))
    };
    let record =
        magazine::take(extra.is_none()).map_err(|error| error.within("code for a callback"))?;
    drop(record.begin(receiver, Handler { handler, user }, extra));
    Ok(record)
}

/// Why a callback cannot be bound to a loop's thread.
fn refuse_threads(signature: &Signature, threads: Threads) -> Error {
    let name = signature.describe();
    let (constant, result) = match threads {
        Threads::Post => ("FC_THREADS_POST", signature.result()),
        _ => ("FC_THREADS_OWNER", signature.result()),
    };
    if threads == Threads::Post && result.kind() != Kind::Void {
        let result = result.get().describe();
        return Error::argument(format!(
            "{name}: threads: {constant} needs a result of void, since callers do not wait for one; got {result}"
        ));
    }
    Error::unsupported(format!("{name}: threads: this version has no {constant}"))
}

/// The C function that a callback is.
pub fn code(callback: &Record) -> *const c_void {
    callback.code()
}

/// Frees a callback. Its code gives the default result until its memory is given to another one.
#[inline]
pub fn free(callback: &'static Record) {
    let Some(extra) = callback.extra() else {
        // Nobody wants to know of its last call, and there is nothing that calls could still need.
        if !callback.is_late() {
            callback.set_handler(late::handler());
            magazine::give(callback);
        }
        return;
    };
    let is_counted = extra.release.is_some();
    callback.set_handler(late::handler());
    if callback.calls.free(is_counted) == Freed::Now {
        finish(callback);
    }
}

/// After the last call: the release hook, then the record may be used again.
fn finish(callback: &'static Record) {
    if let Some(extra) = callback.extra()
        && let Some(release) = extra.release
    {
        // SAFETY: the user's hook is called once, with what it was made for.
        unsafe { release(extra.user) };
    }
    magazine::give(callback);
}

/// What executable memory holds, of functions and of callbacks.
#[derive(Clone, Copy, Debug)]
pub struct Statistics {
    /// Of functions.
    pub functions: invoke::Statistics,
    /// Receivers, one for each way in which the arguments of callbacks travel.
    pub receivers: usize,
    /// Bytes of them, alignment included.
    pub receiver_bytes: usize,
    /// Callbacks that live, and a few that threads have at hand.
    pub callbacks: usize,
}

/// What executable memory holds now.
pub fn statistics() -> Statistics {
    let (receivers, receiver_bytes) = receiver::statistics();
    let (callbacks, thunk_bytes) = pool::statistics();
    let mut functions = invoke::statistics();
    // Whatever is neither a stub nor a receiver is an entry.
    functions.entries = functions.entries.saturating_sub(receivers);
    functions.entry_bytes = functions.entry_bytes.saturating_sub(receiver_bytes);
    functions.mapped_bytes += thunk_bytes;
    Statistics {
        functions,
        receivers,
        receiver_bytes,
        callbacks,
    }
}
