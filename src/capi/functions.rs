//! Functions, and calling them.

use super::declarations::fc_decls;
use super::libraries::{fc_library, library_of};
use super::signatures::{borrowed_signature, fc_signature, signature_of, with_declarations};
use super::status::{fc_status, guard, guarded};
use super::{Out, check_flags, null, options, required, text};
use crate::callback;
use crate::code::{self, CallPath};
use crate::decl;
use crate::error::{Error, Result};
use crate::invoke::{Function, Options};
use crate::stub::Arguments;
use crate::types::Kind;
use libc::size_t;
use std::ffi::{c_char, c_int, c_void};
use std::mem::offset_of;
use std::ptr;
use std::sync::Arc;

/// A function that can be called: a signature and an address.
pub struct fc_function {
    _private: [u8; 0],
}

/// How a function is bound.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum fc_function_flags {
    /// errno (GetLastError on Windows) is kept right after each call: fc_captured_errno.
    FC_CAPTURE_ERRNO = 1,
    /// Calls go through libffi even where a stub is possible.
    FC_FORCE_FALLBACK = 2,
    /// Binding fails with FC_ERR_UNSUPPORTED rather than choose any other path than a stub. Together
    /// with FC_FORCE_FALLBACK it is FC_ERR_ARGUMENT.
    FC_REQUIRE_STUB = 4,
    /// A crash inside the callee (SIGSEGV, SIGBUS, SIGFPE, SIGILL) becomes FC_ERR_FAULT, and the process
    /// goes on: in fc_invoke_checked, which says more, and nowhere else. fc_invoke, fc_invoke_slots and the
    /// entries call such a function unprotected.
    ///
    /// Binding the first one installs handlers for the four signals, for the whole process. Whatever is no
    /// fault inside a protected call goes on to the handlers that were there before, or has the default
    /// action as before; so does a signal that was sent (kill, sigqueue, raise). Each binding puts
    /// farcall's handlers in front again if others have been installed since: of a program that
    /// installs its own later, they must see the signals first. Older handlers are called with their sa_mask
    /// and SA_NODEFER, SA_RESETHAND and SA_SIGINFO respected, but on the thread's alternate signal stack if it
    /// has one, even those without SA_ONSTACK.
    ///
    /// It may be combined with all other flags. Calls of other functions cost nothing for it.
    FC_PROTECT = 8,
    /// The function is short, never blocks and never calls back: adapters keep the host's lock.
    FC_TRIVIAL = 16,
}

use fc_function_flags::*;

/// How a function is bound. Zero it, then set `size`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct fc_function_options {
    /// sizeof(fc_function_options).
    pub size: size_t,
    /// fc_function_flags.
    pub flags: u32,
}

/// A function's own code, called with pointers: see fc_invoke.
pub type fc_entry = Option<unsafe extern "C-unwind" fn(ret: *mut c_void, args: *const *mut c_void)>;

/// An argument or a result of at most 8 bytes, or a pointer to a larger one. The value stands in the
/// low bytes; what is above it is not read.
#[repr(C)]
#[derive(Clone, Copy)]
pub union fc_slot {
    /// A signed integer.
    pub i: i64,
    /// An unsigned integer.
    pub u: u64,
    /// A double.
    pub f64: f64,
    /// A float.
    pub f32: f32,
    /// A pointer, or where a value of more than 8 bytes is.
    pub p: *mut c_void,
    /// Any value of at most 8 bytes, a struct too.
    pub bytes: [u8; 8],
}

/// A function's own code, called with slots: see fc_invoke_slots.
pub type fc_slot_entry =
    Option<unsafe extern "C-unwind" fn(ret: *mut fc_slot, slots: *const fc_slot)>;

unsafe fn bind_options(pointer: *const fc_function_options, what: &str) -> Result<Options> {
    // SAFETY: the caller's promise.
    let given = unsafe { options(pointer, what)? };
    let known = FC_CAPTURE_ERRNO as u32
        | FC_FORCE_FALLBACK as u32
        | FC_REQUIRE_STUB as u32
        | FC_PROTECT as u32
        | FC_TRIVIAL as u32;
    check_flags(given.flags, known, what)?;
    Ok(Options {
        capture_errno: given.flags & FC_CAPTURE_ERRNO as u32 != 0,
        force_fallback: given.flags & FC_FORCE_FALLBACK as u32 != 0,
        require_stub: given.flags & FC_REQUIRE_STUB as u32 != 0,
        protect: given.flags & FC_PROTECT as u32 != 0,
    })
}

fn function_into_raw(function: Function) -> *mut fc_function {
    Arc::into_raw(Arc::new(function)).cast_mut().cast()
}

/// The function that C's pointer stands for.
///
/// # Safety
///
/// `pointer` is NULL or points to a function that lives for as long as the reference.
unsafe fn function_of<'a>(pointer: *const fc_function, what: &str) -> Result<&'a Function> {
    // SAFETY: the caller's promise.
    unsafe { required(pointer.cast::<Function>(), what) }
}

/// Makes the function at an address callable.
///
/// @param signature its signature, which is kept alive.
/// @param address   where it is. The caller sees to it that it stays there for as long as it is called;
///                  fc_bind does that by itself.
/// @param options   flags; NULL: none.
/// @param out       the function, which the caller frees with fc_function_free.
///
/// Any thread may call this. Functions whose arguments travel alike share their code.
///
/// @return FC_OK; FC_ERR_ARGUMENT for NULL, unknown or contradicting flags, and a variadic prototype that
///         is not completed (fc_signature_variadic); FC_ERR_UNSUPPORTED for a convention or a flag that
///         this version does not know, and for a type that the path cannot pass: a stub passes no
///         vectors of 64 bytes, libffi none at all, nor _Float128 in registers, nor on the stack what is
///         aligned to more than 16 bytes;
///         FC_ERR_LIMIT if the arguments need more than 256 MiB of stack; FC_ERR_SYSTEM if the system
///         refuses signal handlers (FC_PROTECT). Where there is no
///         memory for code, or the system forbids it, calls go through libffi.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_function_new(
    signature: *const fc_signature,
    address: *mut c_void,
    options: *const fc_function_options,
    out: *mut *mut fc_function,
) -> fc_status {
    guard(|| {
        let out = Out::new(out, "fc_function_new: out")?;
        // SAFETY: the pointers are as the documentation asks.
        let (signature, how) = unsafe {
            (
                signature_of(signature, "fc_function_new: signature")?,
                bind_options(options, "fc_function_new: options")?,
            )
        };
        if address.is_null() {
            return Err(null("fc_function_new: address"));
        }
        out.write(function_into_raw(Function::new(
            signature, address, how, None,
        )?));
        Ok(())
    })
}

/// Makes a function of a library callable, in one step.
///
/// @param library   the library, which is kept open for as long as the function lives.
/// @param decls     (optional) where the types are declared.
/// @param prototype "double pow(double, double)", or the name of a function in `decls`. Its name is the
///                  symbol that is looked up, or its __asm__ label if the declaration has one.
/// @param options   flags; NULL: none.
/// @param out       the function, which the caller frees with fc_function_free.
///
/// Any thread may call this.
///
/// @return FC_OK; what fc_signature_parse, fc_library_symbol and fc_function_new return, for the same
///         reasons; FC_ERR_ARGUMENT for a prototype without a name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_bind(
    library: *const fc_library,
    decls: *const fc_decls,
    prototype: *const c_char,
    options: *const fc_function_options,
    out: *mut *mut fc_function,
) -> fc_status {
    guard(|| {
        let out = Out::new(out, "fc_bind: out")?;
        // SAFETY: the pointers are as the documentation asks.
        let (library, (signature, symbol), how) = unsafe {
            let library = library_of(library, "fc_bind: library")?;
            let prototype = text(prototype, "fc_bind: prototype")?;
            let how = bind_options(options, "fc_bind: options")?;
            let find = |known: Option<&_>| decl::function(known, code::target(), prototype);
            (library, with_declarations(decls, find)?, how)
        };
        let function = Function::bind(&library, signature, &symbol, how)?;
        out.write(function_into_raw(function));
        Ok(())
    })
}

/// The signature of a function.
///
/// @return the signature, borrowed: it lives as long as the function. NULL for NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_function_signature(
    function: *const fc_function,
) -> *const fc_signature {
    // SAFETY: the pointer is as the documentation asks.
    let function = guarded(|| unsafe { function_of(function, "fc_function_signature: function") });
    function.map_or(ptr::null(), |function| {
        borrowed_signature(function.signature())
    })
}

/// The address that a function calls; NULL for NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_function_address(function: *const fc_function) -> *mut c_void {
    // SAFETY: the pointer is as the documentation asks.
    let function = guarded(|| unsafe { function_of(function, "fc_function_address: function") });
    function.map_or(ptr::null_mut(), |function| function.target().cast_mut())
}

/// How calls of a function are made: "stub", or "libffi: " and why no stub is used.
///
/// @return text that lives as long as the function; NULL for NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_function_path(function: *const fc_function) -> *const c_char {
    // SAFETY: the pointer is as the documentation asks.
    let function = guarded(|| unsafe { function_of(function, "fc_function_path: function") });
    function.map_or(ptr::null(), |function| function.path().as_ptr())
}

/// Gives a function back. Its entries are no longer to be called once nobody holds it.
///
/// @param function what fc_function_new or fc_bind gave; NULL does nothing.
///
/// Any thread may call this, but not while the last reference's function is running.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_function_free(function: *mut fc_function) {
    if !function.is_null() {
        // SAFETY: it came from `Arc::into_raw`, and this reference is given back once.
        drop(unsafe { Arc::from_raw(function.cast_const().cast::<Function>()) });
    }
}

/// Calls a function. NOTHING IS CHECKED: not the function, not the pointers, nor that the thread's stack has
/// room for the arguments.
///
/// @param function the function.
/// @param ret      memory for the result: exactly as many bytes as its type has are written. It is
///                 aligned as the type wants, and is no part of what the callee can see by other
///                 pointers. It may be NULL where the result is void.
/// @param args     `args[i]` points to the i-th argument, of which exactly as many bytes as its type has
///                 are read; it need not be aligned. It may be NULL where there is no parameter.
///
/// Any thread may call this. It takes no lock and no memory. A C++ exception of the callee reaches the
/// caller of this, a longjmp and the end of the thread (pthread_exit, pthread_cancel) leave it as they
/// leave any C function. Exceptions need the unwinder to be in a shared library, as it is unless the
/// program was linked with -static-libgcc.
#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.farcall_calls")]
#[unsafe(naked)]
pub unsafe extern "C-unwind" fn fc_invoke(
    function: *const fc_function,
    ret: *mut c_void,
    args: *const *mut c_void,
) {
    code::enter_at!(offset_of!(CallPath, code), offset_of!(CallPath, context))
}

/// The function's own code, which saves fc_invoke's look at the function. It is made when it is first
/// asked for and lives as long as the function. It is called as fc_invoke is, and checks as little.
///
/// @return NULL for NULL, and with a message where there is no memory for it: fc_invoke works there all
///         the same. Where no code may be made fc_callback_new says what entries need.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_function_entry(function: *const fc_function) -> fc_entry {
    // SAFETY: the pointer is as the documentation asks.
    let entry = unsafe { entry(function, Arguments::Pointers, "fc_function_entry: function") };
    // SAFETY: an entry of this kind is such a function, and NULL is None.
    unsafe { std::mem::transmute::<*const c_void, fc_entry>(entry) }
}

unsafe fn entry(function: *const fc_function, arguments: Arguments, what: &str) -> *const c_void {
    // SAFETY: the caller's promise.
    let entry = guarded(|| unsafe { function_of(function, what)?.entry(arguments) });
    entry.unwrap_or(ptr::null())
}

/// Calls a function with its arguments in 8-byte slots, as interpreters have them. NOTHING IS CHECKED.
///
/// @param function the function.
/// @param ret      a slot for the result. One of at most 8 bytes is written to it: an integer extended
///                 to 64 bits, anything else with zeros above it. A larger one is written to where
///                 ret->p points, which is aligned as its type wants. It may be one of `slots`, and may
///                 be NULL where the result is void.
/// @param slots    one slot for each argument: a value of at most 8 bytes, structs too, stands in its low
///                 bytes, and what is above it is not read; a larger one is pointed to. It may be NULL
///                 where there is no parameter.
///
/// Any thread may call this. It takes no lock and no memory. Exceptions, longjmp and the end of a thread
/// are as with fc_invoke.
#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.farcall_calls")]
#[unsafe(naked)]
pub unsafe extern "C-unwind" fn fc_invoke_slots(
    function: *const fc_function,
    ret: *mut fc_slot,
    slots: *const fc_slot,
) {
    code::enter_at!(
        offset_of!(CallPath, slot_code),
        offset_of!(CallPath, context)
    )
}

/// The function's own code for slots, as fc_function_entry. It is called as fc_invoke_slots is, and checks
/// as little.
///
/// @return NULL for NULL, and with a message where there is no memory for it: fc_invoke works there all
///         the same. Where no code may be made fc_callback_new says what entries need.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_function_slot_entry(function: *const fc_function) -> fc_slot_entry {
    // SAFETY: the pointer is as the documentation asks.
    let entry = unsafe {
        entry(
            function,
            Arguments::Slots,
            "fc_function_slot_entry: function",
        )
    };
    // SAFETY: an entry of this kind is such a function, and NULL is None.
    unsafe { std::mem::transmute::<*const c_void, fc_slot_entry>(entry) }
}

/// Calls a function as fc_invoke does, after looking at the pointers, and survives a crash of a function that
/// was bound with FC_PROTECT.
///
/// @param function the function, with or without FC_PROTECT.
/// @param ret      memory for the result, as for fc_invoke.
/// @param args     pointers to the arguments, as for fc_invoke.
///
/// With FC_PROTECT, SIGSEGV, SIGBUS, SIGFPE and SIGILL that this thread's code causes before the callee has
/// returned end the call with FC_ERR_FAULT. A stack overflow does too: each thread gets an alternate
/// signal stack at its first such call, unless it has one that is large enough, and loses it when it
/// ends. An `args` that cannot be read is caught as well (the function is not called then), and so are pointers
/// in it that cannot be read and a `ret` that cannot be written. The
/// message names the function, the signal and what it means, the address, whether it was read from,
/// written to or executed where the machine tells, and where the code was: "poke: SIGSEGV (no memory is
/// mapped there) on writing to 0x10, in poke+0x4 of ./libpoke.so".
///
/// After a fault the caller's registers, floating-point modes and flags are as they were before the call, and
/// the signal mask is as it was where the fault happened. `ret` has not been written to, but a struct that the
/// callee builds in place may be there in part. fc_captured_errno is as it was.
///
/// WHAT THE CALLEE HAD BEGUN STAYS BEGUN: locks that it held stay held (those of malloc and of stdio too),
/// memory that it allocated is leaked, files stay open, data may be half changed, destructors of its frames
/// do not run, and a signal mask that it set stays set. That holds for all frames that are left: if the
/// callee had called back into the program, for those of the program too, so a callback that
/// must clean up should make a protected call of its own. A protected call inside another ends at the inner one.
/// A program that goes on should do no more than it must with what the callee has touched.
///
/// Not caught: abort, debug traps (SIGTRAP), faults of other threads, faults while the thread blocks the
/// signal, and a stack overflow on a thread that has taken its alternate signal stack away since its first
/// protected call.
///
/// The callee may leave a protected call by longjmp of glibc; other ways to jump out of it (another C library,
/// __builtin_longjmp, a switch of stacks) may leave the protection behind for as long as the caller's stack
/// has not been used anew.
///
/// Any thread may call this; several may fault at once.
///
/// @return FC_OK: it was called; FC_ERR_ARGUMENT if the function is NULL, `ret` is although there is a
///         result, `args` or one of its pointers is although there is such a parameter: it was not
///         called then; FC_ERR_MEMORY and FC_ERR_SYSTEM if there is no memory for the alternate
///         signal stack, or the system refuses it: it was not called either; FC_ERR_FAULT: it was called
///         and crashed, or `args` itself cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn fc_invoke_checked(
    function: *const fc_function,
    ret: *mut c_void,
    args: *const *mut c_void,
) -> fc_status {
    // SAFETY: the pointers are as the documentation asks.
    let checked = guarded(|| unsafe { check_call(function, ret, args) });
    let function = match checked {
        Ok(function) => function,
        Err(status) => return status,
    };
    // SAFETY: the pointers are there; that they are right is the caller's promise.
    match unsafe { function.invoke_checked(ret, args) } {
        None => fc_status::FC_OK,
        Some(fault) => guard(|| Err(function.fault_error(&fault, callback::has_code))),
    }
}

unsafe fn check_call<'a>(
    function: *const fc_function,
    ret: *mut c_void,
    args: *const *mut c_void,
) -> Result<&'a Function> {
    // SAFETY: the caller's promise.
    let function = unsafe { function_of(function, "fc_invoke_checked: function")? };
    let signature = function.signature();
    let name = || signature.describe();
    if ret.is_null() && signature.result().kind() != Kind::Void {
        let result = signature.result();
        let result = result.get().describe();
        return Err(Error::argument(format!(
            "{}: ret is NULL, expected memory for {result}",
            name()
        )));
    }
    let count = signature.function().params.len();
    if args.is_null() && count > 0 {
        return Err(Error::argument(format!(
            "{}: args is NULL, expected {count} pointers",
            name()
        )));
    }
    function.prepare_thread()?;
    // SAFETY: the caller's promise, and the thread is prepared.
    if let Some(index) = unsafe { function.first_null(args)? } {
        let ty = signature.param(index);
        let ty = ty.get().describe();
        return Err(Error::argument(format!(
            "{}: parameter {}: expected a pointer to {ty}, got NULL",
            name(),
            index + 1
        )));
    }
    Ok(function)
}

/// errno (GetLastError on Windows) right after this thread's last call of a function that was bound with
/// FC_CAPTURE_ERRNO; 0 before the first.
///
/// Any thread may call this; each has its own.
#[unsafe(no_mangle)]
pub extern "C" fn fc_captured_errno() -> c_int {
    code::captured_errno()
}
