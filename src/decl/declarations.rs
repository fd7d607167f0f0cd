//! The collection: what any number of C texts declare.

use super::message::{nearest, quoted};
use super::names::{DeclarationKind, Meaning, Names};
use super::parser::{Parser, Purpose, check_size};
use crate::error::{Error, Result};
use crate::types::{Signature, Target, Type};
use std::ffi::CStr;

/// What C text has declared: types, functions, variables and constants.
///
/// Every text that is added makes one table of types that never changes. What a later text says
/// about a type of an earlier one therefore holds from there on only: a struct that was merely
/// declared, and is defined by a later text, is complete for who asks for it then, while pointers
/// to it in types of the earlier text still lead to the incomplete one.
///
/// A tag that is first mentioned within parentheses, as in `int f(struct point *);`, is declared
/// for the whole text, not only for that prototype: what C makes of it would be of no use here.
#[derive(Debug)]
pub struct Declarations {
    target: &'static Target,
    names: Names,
    texts: u32,
}

impl Declarations {
    /// Nothing yet, for a target.
    pub fn new(target: &'static Target) -> Declarations {
        Declarations {
            target,
            names: Names::default(),
            texts: 0,
        }
    }

    /// The target that its types are laid out for.
    pub fn target(&self) -> &'static Target {
        self.target
    }

    /// Adds what a text declares: all of it, or nothing if there is a mistake in it.
    ///
    /// The text is C as it comes from the preprocessor, of at most `MAX_SOURCE` bytes; without it
    /// only the directives that `directive` knows are understood. Bodies of functions and values of
    /// variables are passed over.
    pub fn add(&mut self, source: &str) -> Result<()> {
        let (types, new) = {
            check_size(source)?;
            let mut parser = Parser::new(source, self.target, Some(&*self), Purpose::Declare);
            parser.read_whole();
            parser.unit().map_err(|error| *error)?;
            (parser.types, parser.new)
        };
        self.texts = self.texts.saturating_add(1);
        if let Some(new) = new {
            self.names.merge(*new, &types.finish());
        }
        Ok(())
    }

    /// The type that a C type name means: `struct point`, `const char *[3]`, `int (*)(double)`.
    pub fn find_type(&self, type_name: &str) -> Result<Type> {
        check_size(type_name)?;
        let mut parser = Parser::new(type_name, self.target, Some(self), Purpose::Find);
        let ty = parser.type_name().map_err(|error| *error)?;
        parser.expect_end("a type").map_err(|error| *error)?;
        Ok(parser.types.finish_with(ty.link))
    }

    /// The value of an integer constant expression: `1 << 4`, `RED | BLUE`, `sizeof(struct point)`.
    pub fn evaluate(&self, expression: &str) -> Result<i128> {
        check_size(expression)?;
        let mut parser = Parser::new(expression, self.target, Some(self), Purpose::Find);
        let value = parser.constant().map_err(|error| *error)?;
        parser.expect_end("a constant").map_err(|error| *error)?;
        Ok(value.bits)
    }

    /// The value of an enumerator. One above `INT64_MAX` comes out as the negative number with the
    /// same bits.
    pub fn constant(&self, name: &str) -> Result<i64> {
        match self.names.others.get(name).map(|named| &named.meaning) {
            Some(Meaning::Constant(value)) => Ok(value.bits as i64),
            Some(other) => {
                let name = quoted(name);
                Err(Error::not_found(format!(
                    "{name} is {}, not a constant",
                    other.describe()
                )))
            }
            None => {
                let constants = self
                    .names
                    .others
                    .iter()
                    .filter(|(_, named)| matches!(named.meaning, Meaning::Constant(_)))
                    .map(|(name, _)| &**name);
                let hint = match nearest(name, constants) {
                    Some(near) => format!("; did you mean \"{near}\"?"),
                    None => String::new(),
                };
                Err(Error::not_found(format!(
                    "there is no constant {}{hint}",
                    quoted(name)
                )))
            }
        }
    }

    /// The prototype of a function.
    pub fn function(&self, name: &str) -> Option<Signature> {
        match &self.names.others.get(name)?.meaning {
            Meaning::Function {
                link: crate::types::Link::Type(ty),
                ..
            } => Signature::of(ty),
            _ => None,
        }
    }

    /// Why there is no function of a name.
    pub(super) fn why_no_function(&self, name: &str) -> String {
        if let Some(named) = self.names.others.get(name) {
            return format!(
                "it is declared as {}, not a function",
                named.meaning.describe()
            );
        }
        let functions = self
            .names
            .others
            .iter()
            .filter(|(_, named)| matches!(named.meaning, Meaning::Function { .. }))
            .map(|(name, _)| &**name);
        match nearest(name, functions) {
            Some(near) => {
                format!("no function of that name is declared; did you mean \"{near}\"?")
            }
            None => "no function of that name is declared".to_owned(),
        }
    }

    /// The symbol that a function has in its library, if an `__asm__` label gives it one other
    /// than its name.
    pub fn label(&self, name: &str) -> Option<&CStr> {
        match &self.names.others.get(name)?.meaning {
            Meaning::Function { label, .. } => label.as_deref(),
            _ => None,
        }
    }

    /// How many names have been declared.
    pub fn len(&self) -> usize {
        self.names.list.len()
    }

    /// Nothing has been declared.
    pub fn is_empty(&self) -> bool {
        self.names.list.is_empty()
    }

    /// A name by its place in the order of the text: tags as `struct point` and `enum color`,
    /// typedef names, functions, variables and enumerators.
    pub fn at(&self, index: usize) -> Option<(DeclarationKind, &CStr)> {
        self.names
            .list
            .get(index)
            .map(|(kind, name)| (*kind, &**name))
    }

    pub(super) fn names(&self) -> &Names {
        &self.names
    }

    /// How many texts have been added.
    pub(super) fn texts(&self) -> u32 {
        self.texts
    }
}
