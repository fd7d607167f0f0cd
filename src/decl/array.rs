//! The brackets of arrays.

use super::keyword::Keyword;
use super::lexer::Kind;
use super::operations::{Length, Operation};
use super::parser::{Parsed, Parser};
use crate::types::Qualifiers;

impl Parser<'_, '_> {
    /// `[3]`, `[]`, `[*]`, and in parameters `[static const 3]`.
    pub(super) fn array(&mut self) -> Parsed<()> {
        let at = self.token.start;
        self.advance();
        let mut qualifiers = Qualifiers::default();
        loop {
            match self.token.kind {
                Kind::Keyword(Keyword::Storage) => self.advance(),
                Kind::Keyword(
                    Keyword::Const | Keyword::Volatile | Keyword::Restrict | Keyword::Atomic,
                ) => qualifiers = qualifiers.with(self.qualifiers()?),
                _ => break,
            }
        }
        let length = if self.is(b']') {
            Length::Missing
        } else {
            self.array_length()?
        };
        self.expect(b']', "after an array's length")?;
        self.push(Operation::Array {
            length,
            qualifiers,
            at,
        })
    }

    fn array_length(&mut self) -> Parsed<Length> {
        let start = self.checkpoint();
        if self.accept(b'*') {
            if self.is(b']') {
                return Ok(Length::Variable);
            }
            self.go_back(&start);
        }
        if self.scope.mark() > 0 {
            // Within a prototype the length may depend on parameters.
            let length = self.tentatively(|parser| parser.natural("an array's length"));
            if let Ok(length) = length
                && self.is(b']')
            {
                return Ok(Length::Known(length));
            }
            self.go_back(&start);
            if self.skip_parameter_length() {
                return Ok(Length::Variable);
            }
            if self.tentative {
                return Err(self.unexpected(""));
            }
            // Once more, to say what is wrong.
            self.go_back(&start);
        }
        self.natural("an array's length").map(Length::Known)
    }

    /// Passes over an array's length; false if no parameter's name is in it.
    fn skip_parameter_length(&mut self) -> bool {
        let mut open = 0;
        let mut found = false;
        loop {
            match self.token.kind {
                Kind::Mark(b'[' | b'(') => open += 1,
                Kind::Mark(b']') if open == 0 => return found,
                Kind::Mark(b']' | b')') if open > 0 => open -= 1,
                Kind::End | Kind::Mark(b';' | b'{') | Kind::Bad(_) => return false,
                Kind::Name => found |= self.scope.contains(self.text()),
                _ => {}
            }
            self.advance();
        }
    }
}
