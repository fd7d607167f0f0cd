//! A signature from what a caller has: a whole prototype, or the name of a declared function.

use super::{Declarations, parse_signature};
use crate::error::{Error, Result};
use crate::types::{Signature, Target};

/// The signature of a prototype, or of the function of that name in `declarations`.
pub fn signature(
    declarations: Option<&Declarations>,
    target: &'static Target,
    text: &str,
) -> Result<Signature> {
    let name = text.trim();
    let is_name = name.starts_with(|first: char| first == '_' || first.is_alphabetic())
        && name
            .chars()
            .all(|letter| letter == '_' || letter.is_alphanumeric());
    if !is_name {
        return parse_signature(declarations, target, text);
    }
    match declarations {
        Some(declarations) => match declarations.function(name) {
            // Unlike a prototype's, its types may have been incomplete when it was declared.
            Some(signature) => signature.check_types().map(|()| signature),
            // It may name a function type.
            None => parse_signature(Some(declarations), target, text).map_err(|_| {
                Error::not_found(format!("{name}: no function of that name is declared"))
            }),
        },
        None => Err(Error::not_found(format!(
            "{name}: a name alone needs declarations; give a prototype, as \"int {name}(int)\""
        ))),
    }
}
