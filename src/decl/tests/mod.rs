//! Tests of the parser.

mod attributes;
mod collection;
mod constants;
mod declarators;
mod directives;
mod dialects;
mod layouts;
mod limits;
mod messages;
mod mutations;
mod scalars;
mod speed;

use super::{Declarations, parse_signature};
use crate::error::Error;
use crate::types::Signature;
use crate::types::target::LINUX_X86_64;

/// Declarations for Linux on x86-64.
fn declarations(text: &str) -> Declarations {
    let mut declarations = Declarations::new(&LINUX_X86_64);
    declarations
        .add(text)
        .unwrap_or_else(|error| panic!("{text}\n{error}"));
    declarations
}

/// Why a text is refused.
fn refusal(text: &str) -> Error {
    let mut declarations = Declarations::new(&LINUX_X86_64);
    let Err(error) = declarations.add(text) else {
        panic!("not refused: {text}");
    };
    assert!(declarations.is_empty());
    error
}

/// A prototype by itself.
fn signature(prototype: &str) -> Signature {
    parse_signature(None, &LINUX_X86_64, prototype)
        .unwrap_or_else(|error| panic!("{prototype}\n{error}"))
}

/// The C text of a type that is given as C text.
fn type_text(declarations: &Declarations, name: &str) -> String {
    let ty = declarations
        .find_type(name)
        .unwrap_or_else(|error| panic!("{name}\n{error}"));
    ty.get().name().to_string_lossy().into_owned()
}
