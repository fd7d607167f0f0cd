//! C declarations.

use super::status::{fc_status, guard, guarded};
use super::types::{fc_type, into_raw};
use super::{Out, required, text};
use crate::code;
use crate::decl::{DeclarationKind, Declarations};
use crate::error::Error;
use libc::size_t;
use parking_lot::RwLock;
use std::ffi::c_char;

/// C declarations: typedefs, tags, prototypes, variables, enumerators. They may be read by several
/// threads while one adds to them.
pub struct fc_decls {
    pub(super) declarations: RwLock<Declarations>,
}

/// What a declaration declares.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum fc_decl_kind {
    /// A type: a typedef's name, or a tag, as "struct point".
    FC_DECL_TYPE = 1,
    /// A function.
    FC_DECL_FUNCTION = 2,
    /// A variable.
    FC_DECL_VARIABLE = 3,
    /// An enumerator, or a macro that is an integer constant.
    FC_DECL_CONSTANT = 4,
}

/// Makes an empty collection of declarations. The names of <stdint.h> and <stddef.h>, and ssize_t,
/// are known in it from the start.
///
/// @param out the collection, which the caller frees with fc_decls_free.
///
/// Any thread may call this.
///
/// @return FC_OK; FC_ERR_ARGUMENT for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_decls_new(out: *mut *mut fc_decls) -> fc_status {
    guard(|| {
        let out = Out::new(out, "fc_decls_new: out")?;
        let decls = fc_decls {
            declarations: RwLock::new(Declarations::new(code::target())),
        };
        out.write(Box::into_raw(Box::new(decls)));
        Ok(())
    })
}

/// Adds declarations in C: all of them, or on failure none.
///
/// @param decls    the collection.
/// @param c_source UTF-8 text of C11 with GNU's additions, of at most 16 MiB; it is not kept. Types
///                 that it names must be declared in it or before it. Bodies of functions and values
///                 of variables are passed over. A type that was declared before its members were
///                 known, and gets them here, has them for later uses; pointers to it that were
///                 declared earlier go on pointing to an unknown type.
///
/// The text should be what the preprocessor writes (gcc -E FILE.h). In text that it has not been over,
/// this much is understood: #define of an integer constant expression, which declares a constant, so
/// that gcc -E -dD gives the constants of a whole library; #define of nothing, which is passed over
/// where it is used; all other macros as long as none is used; #undef; #pragma; #include of <stddef.h>,
/// <stdint.h>, <stdbool.h> and <stdarg.h>, whose types are known; the guard of a header, which is an
/// #ifndef right before its #define; #ifdef __cplusplus and #ifndef __cplusplus, in C. Any other
/// directive is an error. An #undef is for what is in the same text.
///
/// An empty list of parameters, as in int f(), stands for none.
///
/// Any thread may call this; others that use the collection meanwhile wait.
///
/// @return FC_OK; FC_ERR_ARGUMENT for NULL and text that is no UTF-8; FC_ERR_SYNTAX for what does not parse
///         or what C does not allow: the message gives line and column in the text, and behind
///         them the file and line that a line marker names ("812:5 (zlib.h:33): ..."), says what was
///         expected, and shows the line; FC_ERR_LIMIT for a text of more than 16 MiB, for nesting of
///         more than 256 levels, of which a type within another takes four, and an expression in
///         parentheses two, and for what fc_type_struct and fc_signature_new limit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_decls_add(decls: *mut fc_decls, c_source: *const c_char) -> fc_status {
    guard(|| {
        // SAFETY: the pointers are as the documentation asks.
        let (decls, source) = unsafe {
            (
                required(decls, "fc_decls_add: decls")?,
                text(c_source, "fc_decls_add: c_source")?,
            )
        };
        decls.declarations.write().add(source)
    })
}

/// The type that a C type name stands for: "struct point", "uint32_t", "const char *[3]", and for a
/// variable that is declared, "typeof(variable)".
///
/// @param decls     the collection.
/// @param type_name the type, as C would write it in a cast.
/// @param out       the type, which the caller frees with fc_type_free. It outlives the collection.
///
/// Any thread may call this.
///
/// @return FC_OK; FC_ERR_ARGUMENT for NULL or text that is no UTF-8; FC_ERR_NOT_FOUND for a name that
///         is not declared; FC_ERR_SYNTAX for what is no type name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_decls_type(
    decls: *const fc_decls,
    type_name: *const c_char,
    out: *mut *mut fc_type,
) -> fc_status {
    guard(|| {
        let out = Out::new(out, "fc_decls_type: out")?;
        // SAFETY: the pointers are as the documentation asks.
        let (decls, name) = unsafe {
            (
                required(decls, "fc_decls_type: decls")?,
                text(type_name, "fc_decls_type: type_name")?,
            )
        };
        let ty = decls.declarations.read().find_type(name)?;
        out.write(into_raw(ty));
        Ok(())
    })
}

/// The value of an enumerator, or of a macro that is an integer constant.
///
/// @param decls the collection.
/// @param name  the constant's name.
/// @param out   its value; one above INT64_MAX wraps around.
///
/// Any thread may call this.
///
/// @return FC_OK; FC_ERR_ARGUMENT for NULL or text that is no UTF-8; FC_ERR_NOT_FOUND for a name that
///         is no constant.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_decls_constant(
    decls: *const fc_decls,
    name: *const c_char,
    out: *mut i64,
) -> fc_status {
    guard(|| {
        let out = Out::new(out, "fc_decls_constant: out")?;
        // SAFETY: the pointers are as the documentation asks.
        let (decls, name) = unsafe {
            (
                required(decls, "fc_decls_constant: decls")?,
                text(name, "fc_decls_constant: name")?,
            )
        };
        out.write(decls.declarations.read().constant(name)?);
        Ok(())
    })
}

/// The number of names that the texts declared; those that are known from the start do not count.
/// 0 for NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_decls_count(decls: *const fc_decls) -> size_t {
    // SAFETY: the pointer is as the documentation asks.
    let count = guarded(|| unsafe {
        Ok(required(decls, "fc_decls_count: decls")?
            .declarations
            .read()
            .len())
    });
    count.unwrap_or(0)
}

/// A declared name, in the order of the text.
///
/// @param decls the collection.
/// @param index the name's number, from 0.
/// @param kind  what it names.
/// @param name  the name; a tag comes with its keyword, as "struct point". It belongs to
///              the collection and lives as long.
///
/// Any thread may call this.
///
/// @return FC_OK; FC_ERR_ARGUMENT for NULL or a number past the last name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_decls_at(
    decls: *const fc_decls,
    index: size_t,
    kind: *mut fc_decl_kind,
    name: *mut *const c_char,
) -> fc_status {
    guard(|| {
        let kind = Out::new(kind, "fc_decls_at: kind")?;
        let name = Out::new(name, "fc_decls_at: name")?;
        // SAFETY: the pointer is as the documentation asks.
        let decls = unsafe { required(decls, "fc_decls_at: decls")? };
        let declarations = decls.declarations.read();
        let Some((found, text)) = declarations.at(index) else {
            return Err(Error::argument(format!(
                "there are {} declarations, and none with number {index}",
                declarations.len()
            )));
        };
        kind.write(match found {
            DeclarationKind::Type => fc_decl_kind::FC_DECL_TYPE,
            DeclarationKind::Function => fc_decl_kind::FC_DECL_FUNCTION,
            DeclarationKind::Variable => fc_decl_kind::FC_DECL_VARIABLE,
            DeclarationKind::Constant => fc_decl_kind::FC_DECL_CONSTANT,
        });
        // Names are never moved or freed before the collection is.
        name.write(text.as_ptr());
        Ok(())
    })
}

/// Frees a collection. Types and signatures that came from it live on, and with them the other types of
/// the text that declared them.
///
/// @param decls the collection; NULL does nothing.
///
/// Any thread may call this, when no other uses the collection any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_decls_free(decls: *mut fc_decls) {
    if !decls.is_null() {
        // SAFETY: it came from `fc_decls_new`, and this is its last use.
        drop(unsafe { Box::from_raw(decls) });
    }
}
