//! Macros of integers become constants, as far as their bodies are constant expressions. All other
//! macros are remembered, to say what is wrong where one is used.

use super::lexer::Kind;
use super::message::quoted;
use super::names::{DeclarationKind, Meaning, Origin, Value};
use super::parser::{Failure, Parsed, Parser, Purpose, Word};
use hashbrown::HashSet;

impl<'s> Parser<'s, '_> {
    /// Declares the constants that macros have defined since the last time.
    pub(super) fn define_constants(&mut self) {
        let Some(directives) = &mut self.lexer.directives else {
            return;
        };
        if directives.fresh.is_empty() {
            return;
        }
        for name in std::mem::take(&mut directives.fresh) {
            if self.macro_constant(name).is_none()
                && let Some(directives) = &mut self.lexer.directives
            {
                directives.unsettled.push(name);
            }
        }
    }

    /// The same at the end of the text, for all: what they speak of may have come after them.
    pub(super) fn define_last_constants(&mut self) {
        self.define_constants();
        if let Some(directives) = &mut self.lexer.directives {
            for name in std::mem::take(&mut directives.unsettled) {
                self.macro_constant(name);
            }
        }
        self.forget_changed();
    }

    /// At the end of the text: what is no macro of an integer any more is no constant either.
    fn forget_changed(&mut self) {
        let Some(directives) = &mut self.lexer.directives else {
            return;
        };
        let gone: HashSet<&str> = std::mem::take(&mut directives.changed)
            .into_iter()
            .filter(|name| directives.declared.contains(name))
            .filter(|name| {
                let last = directives.macros.get(name);
                last.is_none_or(|of| of.value.is_none())
            })
            .collect();
        if gone.is_empty() {
            return;
        }
        let names = self.new_names();
        names.others.retain(|name, _| !gone.contains(&**name));
        names
            .list
            .retain(|(_, name)| !name.to_str().is_ok_and(|name| gone.contains(name)));
    }

    /// The value of a macro, if it is an integer; it is thereby declared.
    pub(super) fn macro_constant(&mut self, name: &'s str) -> Option<Value> {
        let mut of = self.lexer.find_macro(name)?;
        if of.value.is_some() {
            return of.value;
        }
        if of.takes_arguments || of.body.is_empty() {
            return None;
        }
        // While its body is read the macro means nothing: it could speak of itself.
        self.lexer.directives.as_mut()?.macros.remove(name);
        let start = self.checkpoint();
        let unevaluated = std::mem::take(&mut self.unevaluated);
        // A macro declares no tags.
        let purpose = std::mem::replace(&mut self.purpose, Purpose::Find);
        let bytes = self.lexer.confine(of);
        let value = self.tentatively(|parser| {
            parser.advance();
            parser.constant()
        });
        let whole = self.token.kind == Kind::End;
        self.lexer.bytes = bytes;
        self.unevaluated = unevaluated;
        self.purpose = purpose;
        self.go_back(&start);
        of.value = value.ok().filter(|value| {
            let fits = value.bits >= i128::from(i64::MIN) && value.bits <= i128::from(u64::MAX);
            whole && fits && self.declare_macro(name, *value)
        });
        self.lexer.directives.as_mut()?.macros.insert(name, of);
        of.value
    }

    /// A macro's constant: a later one takes the place of an earlier one, but never that of
    /// something else.
    fn declare_macro(&mut self, name: &'s str, value: Value) -> bool {
        match self.find(name).map(|named| &named.meaning) {
            Some(Meaning::Constant(old)) if *old == value => return true,
            Some(Meaning::Constant(_)) | None => {}
            Some(_) => return false,
        }
        if self.find(name).is_none()
            && let Some(directives) = &mut self.lexer.directives
        {
            directives.declared.insert(name);
        }
        let origin: Origin = self.origin();
        let word = Word { text: name, at: 0 };
        self.add_name(
            word,
            DeclarationKind::Constant,
            Meaning::Constant(value),
            origin,
        );
        true
    }

    /// The preprocessor would have put something else for a name that is declared.
    pub(super) fn refuse_macro(&self, word: Word<'_>) -> Parsed<()> {
        match self.lexer.find_macro(word.text) {
            Some(of) if of.takes_arguments => match self.is_called(word) {
                // A macro that speaks of itself stands for the function beside it.
                true if !of.body.contains(word.text) => Err(self.is_macro(word)),
                _ => Ok(()),
            },
            Some(of) if of.body != word.text => Err(self.is_macro(word)),
            _ => Ok(()),
        }
    }

    /// A parenthesis follows the word.
    fn is_called(&self, word: Word<'_>) -> bool {
        let end = word.at as usize + word.text.len();
        let rest = self.lexer.bytes.get(end..).unwrap_or_default();
        rest.trim_ascii_start().first() == Some(&b'(')
    }

    #[cold]
    pub(super) fn is_macro(&self, word: Word<'_>) -> Failure {
        let what = format!(
            "{} is a macro, and macros in declarations are not replaced; give the preprocessed \
             text (cc -E FILE.h)",
            quoted(word.text)
        );
        self.fail(word.at, &what)
    }
}
