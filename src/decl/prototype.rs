//! A signature from what a caller has: a whole prototype, or the name of a declared function.

use super::signature::labelled;
use super::{Declarations, parse_signature};
use crate::error::{Error, Result};
use crate::types::{Signature, Target};
use std::ffi::CString;

/// The signature of a prototype, or of the function of that name in `declarations`.
pub fn signature(
    declarations: Option<&Declarations>,
    target: &'static Target,
    text: &str,
) -> Result<Signature> {
    match bare_name(text) {
        Some(name) => named(declarations, target, name),
        None => parse_signature(declarations, target, text),
    }
}

/// The same for a function that is to be looked up in a library: with its symbol, which is its
/// `__asm__` label if it has one, and its name if not.
pub fn function(
    declarations: Option<&Declarations>,
    target: &'static Target,
    text: &str,
) -> Result<(Signature, CString)> {
    let (signature, label) = match bare_name(text) {
        Some(name) => {
            let label = declarations.and_then(|declarations| declarations.label(name));
            (
                named(declarations, target, name)?,
                label.map(ToOwned::to_owned),
            )
        }
        None => {
            let prototype = labelled(declarations, target, text)?;
            if let Some(name) = prototype.variable {
                let declared = prototype.signature.get().declare(name);
                return Err(Error::argument(format!(
                    "{name} is a variable here, which holds a pointer to a function; to call a \
                     function of that name write \"{declared}\", and to call what the variable \
                     points to, read the pointer first"
                )));
            }
            (prototype.signature, prototype.label)
        }
    };
    let symbol = label.unwrap_or_else(|| signature.name().to_owned());
    if symbol.is_empty() {
        return Err(Error::argument(format!(
            "{}: the prototype has no name to look for in the library",
            signature.describe()
        )));
    }
    Ok((signature, symbol))
}

fn bare_name(text: &str) -> Option<&str> {
    let name = text.trim();
    let is_name = name.starts_with(|first: char| first == '_' || first.is_alphabetic())
        && name
            .chars()
            .all(|letter| letter == '_' || letter.is_alphanumeric());
    is_name.then_some(name)
}

fn named(
    declarations: Option<&Declarations>,
    target: &'static Target,
    name: &str,
) -> Result<Signature> {
    let Some(declarations) = declarations else {
        return Err(Error::not_found(format!(
            "{name}: a name alone needs declarations; give a prototype, as \"int {name}(int)\""
        )));
    };
    match declarations.function(name) {
        // Unlike a prototype's, its types may have been incomplete when it was declared.
        Some(signature) => signature.check_types().map(|()| signature),
        // It may name a function type.
        None => parse_signature(Some(declarations), target, name).map_err(|_| {
            Error::not_found(format!("{name}: {}", declarations.why_no_function(name)))
        }),
    }
}
