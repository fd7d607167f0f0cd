//! C text to types: a parser for the declarations of C11 with GNU's additions, as they stand in
//! headers that the preprocessor has been over.
//!
//! `lexer` makes tokens, `directive` and `macros` do the little that can be done without the
//! preprocessor, and `parser` holds what the parts of the grammar share. Those are `unit`
//! (a whole text), `signature` (one prototype), `specifiers` with `spelling`, `typedef`, `record` and
//! `enumeration`, `declarator` with `parameters` and `array`, `attribute`, and `constant` with
//! `arithmetic`, `literal` and `expression`. `declare` gives names their meanings in `names`, which
//! `declarations` keeps; `scope` has those of parameters. `message` puts failures in words.
#![forbid(unsafe_code)]

mod arithmetic;
mod array;
mod attribute;
mod constant;
mod declarations;
mod declarator;
mod declare;
mod directive;
mod enumeration;
mod expression;
mod keyword;
mod known;
mod lexer;
mod literal;
mod macros;
mod message;
mod names;
mod operations;
mod pack;
mod parameters;
mod parser;
mod prototype;
mod record;
mod scope;
mod signature;
mod specifiers;
mod spelling;
#[cfg(test)]
mod tests;
mod typedef;
mod unit;

pub use declarations::Declarations;
pub use names::DeclarationKind;
pub use prototype::{function, signature};
pub use signature::parse_signature;

/// C reserves the word: no member, tag or function can have it as its name.
pub fn is_reserved(word: &str) -> bool {
    keyword::Keyword::is_of_c(word)
}

/// A text has at most this many bytes.
pub const MAX_SOURCE: usize = 16 << 20;

/// Parentheses and operators are nested at most this deep. What has types within it (a record, a
/// parameter list, a type's name in an expression) counts four times. It takes some 100 KiB of
/// stack to go this deep.
pub const MAX_DEPTH: u32 = 256;

/// How many levels a type within another counts.
const TYPE_DEPTH: u32 = 4;

/// A declaration has at most this many pointers, arrays and functions between its name and its
/// type, together with those around it.
pub const MAX_DERIVED: usize = 256;
