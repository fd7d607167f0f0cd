//! Callbacks.

use super::functions::fc_slot;
use super::signatures::{fc_signature, function_of_signature, signature_of};
use super::status::{fc_status, guard, guarded};
use super::{Out, null, options};
use crate::callback::{self, Options, Record, Threads};
use crate::error::{Error, Result};
use crate::stub::Arguments;
use libc::size_t;
use std::ffi::c_void;
use std::ptr;

/// A C function, made while the program runs, that calls a handler.
pub struct fc_callback {
    _private: [u8; 0],
}

/// A loop of tasks. This version has none yet.
pub struct fc_loop {
    _private: [u8; 0],
}

/// What a callback runs. It is called on the thread that calls the callback, perhaps on several at once.
///
/// @param ret  where the result goes: write exactly as many bytes as its type has, before returning. It is
///             aligned as the type wants, and what it holds before means nothing. NULL may be handed over
///             where the result is void.
/// @param args `args[i]` points to the i-th argument, aligned for its type, which the handler may change. The
///             array and the arguments are there until the handler returns. Where there is no
///             parameter it means nothing.
/// @param user what fc_callback_new was given.
///
/// The handler is called as a C function of the platform, whatever convention the callback has. It may
/// call anything, free the callback, and be left by a C++ exception or longjmp, which pass through the
/// callback to whoever called it. Exceptions need the unwinder to be in a shared library, as it is unless
/// the program was linked with -static-libgcc.
///
/// The arguments that Microsoft's convention passes by reference are where the caller has put them: gcc aligns
/// them to 16 bytes at most, so that a handler of such a callback must not rely on more, whatever their type says.
///
/// An exception that leaves a callback of Microsoft's convention (__attribute__((ms_abi))) does not
/// restore rdi, rsi and xmm6 to xmm15, which that convention keeps and C functions of the platform may change:
/// unwinders do not know how. The function that catches it still gives them back to its own caller. gcc
/// counts on no more; where clang compiled a function of that convention, its catch blocks and destructors
/// may find other values in variables, be there callbacks or not.
pub type fc_handler = Option<
    unsafe extern "C-unwind" fn(ret: *mut c_void, args: *const *mut c_void, user: *mut c_void),
>;

/// The same for a handler that takes slots.
///
/// @param ret   where the result goes: one of at most 8 bytes is written to the slot, in its low bytes (what is
///              above them is not read); a larger one to where `ret->p` points. There is a slot where the result
///              is void too.
/// @param slots the arguments: one of at most 8 bytes stands in its slot, an integer extended to 64 bits, above
///              others zeros; a larger one is pointed to by its slot. The handler may change them.
/// @param user  what fc_callback_new_slots was given.
pub type fc_slot_handler = Option<
    unsafe extern "C-unwind" fn(ret: *mut fc_slot, slots: *const fc_slot, user: *mut c_void),
>;

/// On which threads a callback's handler runs.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum fc_threads {
    /// On whichever thread calls, at once.
    FC_THREADS_ANY = 0,
    /// A foreign caller waits until `owner_loop` has run it. Not in this version: FC_ERR_UNSUPPORTED.
    FC_THREADS_OWNER = 1,
    /// A foreign caller goes on at once; the arguments are copied and the handler runs on `owner_loop`. The
    /// result must be void (else FC_ERR_ARGUMENT). Not in this version: FC_ERR_UNSUPPORTED.
    FC_THREADS_POST = 2,
}

/// A choice of threads as C hands it over: any number.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct ThreadsNumber(pub u32);

/// How a callback is made. Zero it, then set `size`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct fc_callback_options {
    /// sizeof(fc_callback_options).
    pub size: size_t,
    /// On which threads the handler runs.
    pub threads: ThreadsNumber,
    /// The loop whose thread the handler runs on; NULL for FC_THREADS_ANY.
    pub owner_loop: *mut fc_loop,
    /// What a caller gets that comes when the callback has been freed, and one that waited in vain: as many
    /// bytes as the result has, copied; NULL: zeros.
    pub default_result: *const c_void,
    /// (optional) Called with `user` exactly once, after fc_callback_free, when no call is inside the
    /// handler any more: by fc_callback_free, or by the last call as it leaves, on that one's thread. Without
    /// it a call costs less, since nobody has to count.
    ///
    /// A call that is left by a C++ exception or by the end of its thread has ended. One that is left by
    /// longjmp, or by a fault in a protected call (FC_PROTECT), counts as running: the hook of a callback that was
    /// left so is not called.
    pub release: Option<unsafe extern "C" fn(user: *mut c_void)>,
    /// How long a foreign caller waits for the owner, or for room in the queue, in nanoseconds; 0: for ever.
    pub owner_timeout_ns: i64,
    /// FC_THREADS_POST: so many calls wait at most; 0: 65,536.
    pub queue_limit: size_t,
}

/// Makes a callback: a C function of a signature, which calls a handler. qsort with one, errors left out:
///
///     static void compare(void *ret, void *const *args, void *user) {
///       const int *a = *(const int *const *)args[0], *b = *(const int *const *)args[1];
///       *(int *)ret = (*a > *b) - (*a < *b);
///       ++*(int *)user;
///     }
///
///     int list[] = {3, 1, 2}, calls = 0;
///     fc_signature *signature;
///     fc_callback *callback;
///     fc_signature_parse(NULL, "int compare(const void *, const void *)", &signature);
///     fc_callback_new(signature, compare, &calls, NULL, &callback);
///     fc_signature_free(signature);
///     qsort(list, 3, sizeof list[0],
///           FC_AS_FUNCTION(int (*)(const void *, const void *), fc_callback_code(callback)));
///     fc_callback_free(callback);
///
/// @param signature its signature, of which nothing is needed later: it may be freed at once.
/// @param handler   what calls of it run.
/// @param user      handed to the handler as it is; (optional).
/// @param options   threads, default result, release hook; NULL: the defaults.
/// @param out       the callback, which the caller frees with fc_callback_free. fc_callback_code is the
///                  function.
///
/// Any thread may call this, and any thread may call the callback, one that was not made by this program
/// too. All types may be parameters and results that functions may have, and conventions: a callback of
/// __attribute__((ms_abi)) is called as such. Callbacks whose arguments travel alike share their code,
/// which is kept for ever; what is particular to one takes 96 bytes.
///
/// Where no code may be made (fc_code_status), the library has room for 4,096 callbacks (and for the entries of
/// 1,024 functions), and maps its own text again for more. For that it needs its file and /proc/self/maps when
/// the first callback is made, or the first entry where no code may be made, and nothing later: a program
/// that goes behind a chroot, gives up its descriptors, begins to refuse code, or may have the library replaced
/// while it runs should make a callback before. If the file could not be
/// had then, or under valgrind and emulators, it is looked for again for each few thousand. It is compared with
/// what was loaded before it is used.
///
/// @return FC_OK; FC_ERR_ARGUMENT for NULL, a number that is no fc_threads, a negative timeout,
///         FC_THREADS_ANY with an `owner_loop`, and FC_THREADS_POST with a result; FC_ERR_UNSUPPORTED for a variadic signature, a convention of another
///         processor, a type that functions cannot pass, FC_THREADS_OWNER and FC_THREADS_POST; FC_ERR_LIMIT if the
///         arguments need more than 256 MiB of stack; FC_ERR_MEMORY and FC_ERR_SYSTEM if there is no
///         memory for the code, or, where no code may be made, the library's file cannot be mapped again: the
///         message says why not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_callback_new(
    signature: *const fc_signature,
    handler: fc_handler,
    user: *mut c_void,
    options: *const fc_callback_options,
    out: *mut *mut fc_callback,
) -> fc_status {
    let handler = handler.map_or(ptr::null(), |handler| handler as *const c_void);
    guard(|| {
        let out = Out::new(out, "fc_callback_new: out")?;
        // SAFETY: the pointers are as the documentation asks.
        unsafe {
            make(
                "fc_callback_new",
                signature,
                Arguments::Pointers,
                handler,
                user,
                options,
                out,
            )
        }
    })
}

/// The same for a handler that takes slots, as interpreters like it.
///
/// @param signature as for fc_callback_new.
/// @param handler   what calls of it run.
/// @param user      as for fc_callback_new.
/// @param options   as for fc_callback_new.
/// @param out       as for fc_callback_new.
///
/// Any thread may call this.
///
/// @return as fc_callback_new.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_callback_new_slots(
    signature: *const fc_signature,
    handler: fc_slot_handler,
    user: *mut c_void,
    options: *const fc_callback_options,
    out: *mut *mut fc_callback,
) -> fc_status {
    let handler = handler.map_or(ptr::null(), |handler| handler as *const c_void);
    guard(|| {
        let out = Out::new(out, "fc_callback_new_slots: out")?;
        // SAFETY: the pointers are as the documentation asks.
        unsafe {
            make(
                "fc_callback_new_slots",
                signature,
                Arguments::Slots,
                handler,
                user,
                options,
                out,
            )
        }
    })
}

unsafe fn make(
    caller: &str,
    signature: *const fc_signature,
    arguments: Arguments,
    handler: *const c_void,
    user: *mut c_void,
    options: *const fc_callback_options,
    out: Out<*mut fc_callback>,
) -> Result<()> {
    // SAFETY: the caller's promise.
    let (function, options) = unsafe {
        (
            function_of_signature(signature, caller)?,
            callback_options(options, caller)?,
        )
    };
    if handler.is_null() {
        return Err(null(&format!("{caller}: handler")));
    }
    // SAFETY: as above.
    let whole = || unsafe { signature_of(signature, caller) };
    // SAFETY: as above.
    let record = unsafe { callback::new(function, whole, arguments, handler, user, &options)? };
    out.write(record.cast_mut().cast());
    Ok(())
}

unsafe fn callback_options(pointer: *const fc_callback_options, caller: &str) -> Result<Options> {
    if pointer.is_null() {
        return Ok(Options::default());
    }
    // SAFETY: the caller's promise.
    unsafe { given_options(pointer, caller) }
}

#[inline(never)]
unsafe fn given_options(pointer: *const fc_callback_options, caller: &str) -> Result<Options> {
    // SAFETY: the caller's promise.
    let given = unsafe { options(pointer, "options").map_err(|error| error.within(caller))? };
    let threads = match given.threads.0 {
        0 => Threads::Any,
        1 => Threads::Owner,
        2 => Threads::Post,
        number => {
            return Err(Error::argument(format!(
                "{caller}: options.threads: {number} is no fc_threads"
            )));
        }
    };
    if threads == Threads::Any && !given.owner_loop.is_null() {
        return Err(Error::argument(format!(
            "{caller}: options.owner_loop: expected NULL with FC_THREADS_ANY, whose handlers run on whichever thread \
             calls"
        )));
    }
    if given.owner_timeout_ns < 0 {
        return Err(Error::argument(format!(
            "{caller}: options.owner_timeout_ns: expected nanoseconds, or 0 for ever, got {}",
            given.owner_timeout_ns
        )));
    }
    Ok(Options {
        threads,
        default_result: given.default_result,
        release: given.release,
    })
}

/// The C function that a callback is, to be handed to whoever takes a function pointer, or written to a struct's
/// member, an array or a variable: FC_AS_FUNCTION casts it.
///
/// @return the function, which can be called until the callback is freed. It stays in place afterwards: what
///         then calls it gets the default result, for as long as its memory has not been given to
///         another callback. NULL for NULL.
///
/// Any thread may call this, and the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_callback_code(callback: *const fc_callback) -> *mut c_void {
    // SAFETY: the pointer is as the documentation asks.
    match unsafe { callback.cast::<Record>().as_ref() } {
        Some(callback) => callback::code(callback).cast_mut(),
        None => {
            let _ = guarded(|| Err::<(), _>(null("fc_callback_code: callback")));
            ptr::null_mut()
        }
    }
}

/// How often freed callbacks have been called since the start, as far as their memory had not been given to
/// other callbacks. A number that grows tells of a library that still calls what it was to forget.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub extern "C" fn fc_callback_late_calls() -> u64 {
    callback::late_calls()
}

/// Keeps the callback's `owner_loop` alive, counted. It does nothing for FC_THREADS_ANY.
///
/// @param callback the callback; NULL does nothing.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_callback_ref(callback: *mut fc_callback) {
    let _ = callback;
}

/// Lets the callback's `owner_loop` end, as at the beginning. It does nothing for FC_THREADS_ANY.
///
/// @param callback the callback; NULL does nothing.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_callback_unref(callback: *mut fc_callback) {
    let _ = callback;
}

/// Frees a callback. Whoever calls it later gets the default result, and is counted
/// (fc_callback_late_calls), until its memory is given to another callback, which happens as late as
/// possible: what is freed last is used last, and never less than 512 callbacks later as long as there
/// is memory.
///
/// @param callback what fc_callback_new gave; NULL does nothing.
///
/// Any thread may call this, from inside the handler too, and while other threads are inside: their calls end
/// as if nothing had happened. It does not wait for them: options.release tells when they are gone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_callback_free(callback: *mut fc_callback) {
    if !callback.is_null() {
        // SAFETY: it is a callback that has not been freed; a record is there for ever.
        callback::free(unsafe { &*callback.cast_const().cast::<Record>() });
    }
}
