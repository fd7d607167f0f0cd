//! Signatures.

use super::declarations::fc_decls;
use super::status::{fc_status, guard, guarded};
use super::types::{borrowed, fc_type, into_raw, node_of, release, type_of};
use super::{Out, null, slice, text};
use crate::code;
use crate::decl::{self, Declarations};
use crate::error::{Error, Result};
use crate::invoke;
use crate::types::{Convention, Data, Function, Signature, Type, check_parameter_count};
use libc::size_t;
use std::ffi::c_char;
use std::ptr;

/// A calling convention. A signature may have any; fc_function_new refuses those of another processor
/// than the one that runs (FC_ERR_UNSUPPORTED).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum fc_abi {
    /// The platform's own: FC_ABI_SYSV64 on Linux on x86-64, FC_ABI_AAPCS64 on Linux on aarch64.
    FC_ABI_DEFAULT = 0,
    /// System V's of x86-64 (x86-64 psABI, section 3.2); in C text __attribute__((sysv_abi)).
    FC_ABI_SYSV64 = 1,
    /// Microsoft's of x86-64 ("x64 calling convention"); in C text __attribute__((ms_abi)). On Linux
    /// types are still Linux's: a long has 8 bytes, a long double 16. Values of 1, 2, 4 and 8 bytes
    /// travel in registers or slots of 8 bytes, all others by reference to a copy that the call makes
    /// and the callee may change. Where compilers
    /// disagree it is what gcc does: clang passes and returns long double, _Float16, _Float128, vectors of
    /// 4, 8 and 32 bytes and empty structs otherwise. As extra arguments of a variadic function structs of
    /// other sizes are of no use: gcc's va_arg does not look where its own calls put them.
    FC_ABI_WIN64 = 2,
    /// Arm's of aarch64 (AAPCS64, section 6).
    FC_ABI_AAPCS64 = 3,
    /// AAPCS64 with Apple's differences ("Writing ARM64 code for Apple platforms"): arguments on the
    /// stack stand at their own alignment, the extra ones of a variadic call always there.
    FC_ABI_APPLE64 = 4,
}

/// A convention as C hands it over: any number.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct AbiNumber(pub u32);

/// The types of a function's parameters and result, and how it is called. It never changes once it
/// is made, and may be shared between threads.
pub struct fc_signature {
    _private: [u8; 0],
}

/// The signature that C's pointer stands for.
///
/// # Safety
///
/// `pointer` is NULL or points to a signature that lives.
pub(super) unsafe fn signature_of(pointer: *const fc_signature, what: &str) -> Result<Signature> {
    // SAFETY: the caller's promise; a signature is its function type.
    let ty = unsafe { type_of(pointer.cast(), what)? };
    Signature::of_function(ty).ok_or_else(|| Error::argument(format!("{what} is no signature")))
}

/// The function type that C's pointer to a signature stands for, without a reference of its own.
///
/// # Safety
///
/// `pointer` is NULL or points to a signature that lives for as long as the reference.
#[inline]
pub(super) unsafe fn function_of_signature<'a>(
    pointer: *const fc_signature,
    caller: &str,
) -> Result<&'a Function> {
    // SAFETY: the caller's promise; a signature is its function type.
    match unsafe { node_of(pointer.cast()) }.map(|node| &node.data) {
        Some(Data::Function(function)) => Ok(function),
        Some(_) => Err(Error::argument(format!(
            "{caller}: signature is no signature"
        ))),
        None => Err(null(&format!("{caller}: signature"))),
    }
}

/// A signature as C's pointer to it, borrowed.
pub(super) fn borrowed_signature(signature: &Signature) -> *const fc_signature {
    borrowed(signature.ty()).cast()
}

fn signature_into_raw(signature: Signature) -> *mut fc_signature {
    into_raw(signature.into_type()).cast()
}

fn convention(abi: AbiNumber) -> Result<Convention> {
    use Convention::*;
    [Default, SysV64, Win64, Aapcs64, Apple64]
        .into_iter()
        .find(|&known| known as u32 == abi.0)
        .ok_or_else(|| {
            Error::argument(format!("fc_signature_new: abi: {} is no convention", abi.0))
        })
}

unsafe fn types_of(types: *const *const fc_type, count: usize, what: &str) -> Result<Vec<Type>> {
    // SAFETY: the caller's promise.
    unsafe {
        let list = slice(types, count, what)?;
        let typed = |(index, &ty)| type_of(ty, &format!("{what}[{index}]"));
        list.iter().enumerate().map(typed).collect()
    }
}

/// Makes a signature of types.
///
/// @param abi    the calling convention.
/// @param result the type of the result; fc_type_scalar(FC_VOID) for none.
/// @param params the types of the parameters; NULL only if `count` is 0. All types are kept alive.
/// @param count  their number, at most 65,536.
/// @param fixed  `count` for a function that is not variadic. If less, it is one call of a variadic
///               function: the first `fixed` types are those of its named parameters, the rest those
///               of the call's extra arguments, after C's default argument promotions
///               (C11, 6.5.2.2p6).
/// @param out    the signature, which the caller frees with fc_signature_free.
///
/// Any thread may call this.
///
/// @return FC_OK; FC_ERR_ARGUMENT for NULL, an unknown convention, `fixed` above `count`, a type that
///         no parameter or result can have (void, arrays, functions, incomplete types), and an extra
///         argument that C promotes: the message names the promoted type; FC_ERR_LIMIT for too many
///         parameters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_signature_new(
    abi: AbiNumber,
    result: *const fc_type,
    params: *const *const fc_type,
    count: size_t,
    fixed: size_t,
    out: *mut *mut fc_signature,
) -> fc_status {
    guard(|| {
        let out = Out::new(out, "fc_signature_new: out")?;
        let convention = convention(abi)?;
        // Before any of them is looked at: who hands over too large a number has no such array.
        check_parameter_count(count)?;
        // SAFETY: the pointers are as the documentation asks.
        let (result, params) = unsafe {
            (
                type_of(result, "fc_signature_new: result")?,
                types_of(params, count, "fc_signature_new: params")?,
            )
        };
        let signature = Signature::new(code::target(), convention, &result, &params, fixed)?;
        signature.check_callable()?;
        out.write(signature_into_raw(signature));
        Ok(())
    })
}

/// Makes a signature of a C prototype: "double pow(double, double)".
///
/// @param decls     (optional) where its types are declared; those of <stdint.h> and <stddef.h> are
///                  known without.
/// @param prototype UTF-8 text; the function's name is optional, and so is a semicolon at the end. A
///                  prototype that ends in ", ..." must be completed with fc_signature_variadic before
///                  it is called. As in compilers, attributes that are not known are ignored, so that a
///                  misspelt convention is none: fc_signature_explain shows which one is meant.
/// @param out       the signature, which the caller frees with fc_signature_free. It outlives `decls`.
///
/// Any thread may call this.
///
/// @return FC_OK; FC_ERR_ARGUMENT for NULL, text that is no UTF-8, and a function of `decls` with a parameter
///         or result of an incomplete type; FC_ERR_SYNTAX for what does not parse or what C does not
///         allow; FC_ERR_NOT_FOUND where only a name was given and `decls` has no function of that name;
///         FC_ERR_LIMIT for too many parameters, and as fc_decls_add.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_signature_parse(
    decls: *const fc_decls,
    prototype: *const c_char,
    out: *mut *mut fc_signature,
) -> fc_status {
    guard(|| {
        let out = Out::new(out, "fc_signature_parse: out")?;
        // SAFETY: the pointers are as the documentation asks.
        let signature = unsafe {
            let prototype = text(prototype, "fc_signature_parse: prototype")?;
            with_declarations(decls, |known| {
                decl::signature(known, code::target(), prototype)
            })?
        };
        out.write(signature_into_raw(signature));
        Ok(())
    })
}

/// Lets `read` see what stands in `decls`, which may be NULL.
///
/// # Safety
///
/// `decls` is NULL or points to declarations that live.
pub(super) unsafe fn with_declarations<T>(
    decls: *const fc_decls,
    read: impl FnOnce(Option<&Declarations>) -> Result<T>,
) -> Result<T> {
    // SAFETY: the caller's promise.
    let declarations = unsafe { decls.as_ref() }.map(|decls| decls.declarations.read());
    read(declarations.as_deref())
}

/// Completes the signature of a variadic function with the types of one call's extra arguments.
///
/// @param prototype a signature that is variadic; if it is complete already, its extra arguments are
///                  replaced.
/// @param extra     the types of the extra arguments, after C's default argument promotions
///                  (C11, 6.5.2.2p6): double for float, int for what is narrower; NULL only if
///                  `count` is 0.
/// @param count     their number, which may be 0.
/// @param out       the signature, which the caller frees with fc_signature_free.
///
/// Any thread may call this.
///
/// @return FC_OK; FC_ERR_ARGUMENT for NULL, a signature that is not variadic, a type that no argument
///         can have, and one that C promotes: the message names the promoted type; FC_ERR_LIMIT for too
///         many parameters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_signature_variadic(
    prototype: *const fc_signature,
    extra: *const *const fc_type,
    count: size_t,
    out: *mut *mut fc_signature,
) -> fc_status {
    guard(|| {
        let out = Out::new(out, "fc_signature_variadic: out")?;
        // SAFETY: the pointers are as the documentation asks.
        let (prototype, extra) = unsafe {
            (
                signature_of(prototype, "fc_signature_variadic: prototype")?,
                types_of(extra, count, "fc_signature_variadic: extra")?,
            )
        };
        let signature = prototype.complete_variadic(&extra)?;
        signature.check_types()?;
        out.write(signature_into_raw(signature));
        Ok(())
    })
}

fn read<T>(
    signature: *const fc_signature,
    what: &str,
    or: T,
    get: impl FnOnce(&Signature) -> T,
) -> T {
    // SAFETY: the pointer is as each function's documentation asks.
    guarded(|| Ok(get(&unsafe { signature_of(signature, what)? }))).unwrap_or(or)
}

/// The number of parameters, extra arguments of a variadic call included; 0 for NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_signature_param_count(signature: *const fc_signature) -> size_t {
    read(
        signature,
        "fc_signature_param_count: signature",
        0,
        |signature| signature.function().params.len(),
    )
}

/// The type of a parameter.
///
/// @param signature the signature.
/// @param index     the parameter's number, from 0; extra arguments follow the named ones.
/// @return the type, borrowed: it lives as long as the signature. NULL for a number past the last
///         parameter, and for NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_signature_param(
    signature: *const fc_signature,
    index: size_t,
) -> *const fc_type {
    read(
        signature,
        "fc_signature_param: signature",
        ptr::null(),
        |signature| match index < signature.function().params.len() {
            true => borrowed(&signature.param(index)),
            false => ptr::null(),
        },
    )
}

/// The type of the result.
///
/// @return the type, borrowed: it lives as long as the signature. NULL for NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_signature_result(signature: *const fc_signature) -> *const fc_type {
    read(
        signature,
        "fc_signature_result: signature",
        ptr::null(),
        |signature| borrowed(&signature.result()),
    )
}

/// The name of the function that a prototype declares.
///
/// @return UTF-8 text that lives as long as the signature; "" if it has no name, NULL for NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_signature_name(signature: *const fc_signature) -> *const c_char {
    read(
        signature,
        "fc_signature_name: signature",
        ptr::null(),
        |signature| signature.name().as_ptr(),
    )
}

/// The calling convention; where none was asked for, the platform's own by its name.
///
/// @return never FC_ABI_DEFAULT, but for NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_signature_abi(signature: *const fc_signature) -> AbiNumber {
    read(
        signature,
        "fc_signature_abi: signature",
        AbiNumber(0),
        |signature| AbiNumber(crate::abi::convention(signature) as u32),
    )
}

/// Whether the function is variadic: its prototype ends in ", ...", or it was made with extra
/// arguments. false for NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_signature_is_variadic(signature: *const fc_signature) -> bool {
    read(
        signature,
        "fc_signature_is_variadic: signature",
        false,
        |signature| signature.function().variadic,
    )
}

/// The signature of a function type, or of a pointer to a function.
///
/// @return the signature, borrowed: it lives as long as the type. NULL for other types and for NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_type_signature(r#type: *const fc_type) -> *const fc_signature {
    let signature = guarded(|| {
        // SAFETY: the pointer is as the documentation asks.
        let ty = unsafe { type_of(r#type, "fc_type_signature: type")? };
        Ok(Signature::of(&ty).map_or(ptr::null(), |signature| borrowed_signature(&signature)))
    });
    signature.unwrap_or(ptr::null())
}

/// Where every byte of a call travels, as text for people: the prototype, then one line for each
/// parameter, then the result, the stack bytes and the path that calls take.
///
/// @param signature the signature.
/// @param buffer    where the text goes, ending in NUL and cut if need be; NULL only if `length` is 0.
/// @param length    the bytes that may be written there.
/// @return the length of the whole text in bytes without the NUL, as snprintf returns it. Where the
///         signature cannot be called, the text says why. 0 for NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_signature_explain(
    signature: *const fc_signature,
    buffer: *mut c_char,
    length: size_t,
) -> size_t {
    let written = guarded(|| {
        if buffer.is_null() && length > 0 {
            return Err(null("fc_signature_explain: buffer"));
        }
        // SAFETY: the pointer is as the documentation asks.
        let signature = unsafe { signature_of(signature, "fc_signature_explain: signature")? };
        let text = match invoke::explain(&signature) {
            Ok(text) => text,
            Err(error) => format!("{}\n  cannot be called: {error}\n", signature.prototype()),
        };
        if length > 0 {
            let shown = text.floor_char_boundary(text.len().min(length - 1));
            // SAFETY: the buffer has `length` bytes, and `shown` is less.
            unsafe {
                ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast(), shown);
                buffer.add(shown).write(0);
            }
        }
        Ok(text.len())
    });
    written.unwrap_or(0)
}

/// Gives a signature back. Functions that were made with it keep it alive.
///
/// @param signature what fc_signature_new, fc_signature_parse or fc_signature_variadic gave; NULL
///                  does nothing. Not a borrowed signature.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_signature_free(signature: *mut fc_signature) {
    // SAFETY: the pointer is as the documentation asks.
    unsafe { release(signature.cast()) }
}
