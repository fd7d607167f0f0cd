//! A whole text: declarations one after the other, and what may stand between them.

use super::attribute::Attributes;
use super::declarator::{Naming, Role};
use super::keyword::Keyword;
use super::lexer::Kind;
use super::message::quoted;
use super::parser::{Parsed, Parser};
use crate::types::Kind as TypeKind;

impl Parser<'_, '_> {
    /// Everything up to the end of the text.
    pub(super) fn unit(&mut self) -> Parsed<()> {
        // Where the blocks of `extern "C" {` that are open begin.
        let mut blocks = Vec::new();
        loop {
            self.define_constants();
            match self.token.kind {
                Kind::End => {
                    self.define_last_constants();
                    if let Some(at) = self.lexer.open_condition() {
                        return Err(self.fail(at as u32, "this condition has no '#endif'"));
                    }
                    return match blocks.last() {
                        Some(&at) => Err(self.fail(at, "this '{' is never closed")),
                        None => Ok(()),
                    };
                }
                Kind::Mark(b';') => self.advance(),
                Kind::Mark(b'}') if blocks.pop().is_some() => self.advance(),
                Kind::Keyword(Keyword::StaticAssert) => self.static_assertion()?,
                Kind::Keyword(Keyword::Asm) => self.assembly()?,
                Kind::Keyword(Keyword::Extern) => {
                    self.advance();
                    if self.token.kind == Kind::Text {
                        self.advance();
                        if self.is(b'{') {
                            blocks.push(self.token.start);
                            self.advance();
                            continue;
                        }
                    }
                    self.declaration()?;
                }
                _ => self.declaration()?,
            }
        }
    }

    /// Assembly outside functions.
    fn assembly(&mut self) -> Parsed<()> {
        self.advance();
        while let Kind::Keyword(_) = self.token.kind {
            self.advance();
        }
        if !self.is(b'(') {
            return Err(self.unexpected("'(' after '__asm__'"));
        }
        self.skip_balanced()
    }

    fn declaration(&mut self) -> Parsed<()> {
        let at = self.token.start;
        let specifiers = self.specifiers(Attributes::default())?;
        if self.accept(b';') {
            if specifiers.stands_alone {
                return Ok(());
            }
            return Err(self.fail(at, "this declares nothing: a name is missing"));
        }
        let ends = matches!(self.token.kind, Kind::End | Kind::Mark(b'}' | b',' | b'='));
        if specifiers.stands_alone && ends {
            return Err(self.unexpected("a name or ';'"));
        }
        let role = if specifiers.is_typedef {
            Role::Other
        } else {
            Role::Declaration
        };
        loop {
            let origin = self.origin();
            let declared = self.declarator(&specifiers, Naming::Required, role)?;
            let Some(name) = declared.name else {
                return Err(self.unexpected("a name"));
            };
            self.refuse_macro(name)?;
            let is_function = self.view(&declared.ty).kind() == TypeKind::Function;
            if specifiers.is_typedef {
                let mut ty = declared.ty;
                if declared.attributes.align != 0 {
                    ty = self.realign(ty, declared.attributes.align, name.at)?;
                }
                self.declare_type(name, ty, origin)?;
            } else if is_function {
                let link = declared.ty.link;
                self.declare_function(name, link, declared.unspecified, declared.label, origin)?;
                if self.is(b'{') {
                    return self.skip_balanced();
                }
            } else {
                if self.is_void(&declared.ty.link) {
                    let what = format!("the variable {} cannot be void", quoted(name.text));
                    return Err(self.fail(name.at, &what));
                }
                self.declare_variable(name, declared.ty, origin)?;
                if self.is(b'=') {
                    self.skip_initializer()?;
                }
            }
            match self.token.kind {
                Kind::Mark(b',') => self.advance(),
                Kind::Mark(b';') => {
                    self.advance();
                    return Ok(());
                }
                // `double complex f(void)`
                Kind::Name if name.text == "complex" => {
                    let what = "\"complex\" is a macro of <complex.h>; write '_Complex'";
                    return Err(self.fail(name.at, what));
                }
                _ => return Err(self.unexpected("';' or ',' after a declaration")),
            }
        }
    }

    /// Passes over a variable's value.
    fn skip_initializer(&mut self) -> Parsed<()> {
        loop {
            match self.token.kind {
                Kind::Mark(b',' | b';') => return Ok(()),
                Kind::Mark(b'(' | b'[' | b'{') => self.skip_balanced()?,
                Kind::End | Kind::Bad(_) | Kind::Mark(b')' | b']' | b'}') => {
                    return Err(self.unexpected("';' after a value"));
                }
                _ => self.advance(),
            }
        }
    }

    /// `_Static_assert`, which is the token. What is not understood is passed over: the compiler
    /// of the library has proven it.
    pub(super) fn static_assertion(&mut self) -> Parsed<()> {
        let at = self.token.start;
        self.advance();
        let start = self.checkpoint();
        self.expect(b'(', "after '_Static_assert'")?;
        let condition = self.tentatively(Self::constant);
        match condition {
            Ok(value) if matches!(self.token.kind, Kind::Mark(b',' | b')')) => {
                let mut message = String::new();
                if self.accept(b',') {
                    message = format!(": {}", self.found());
                }
                if value.bits == 0 {
                    return Err(self.fail(at, &format!("this assertion does not hold{message}")));
                }
            }
            _ => {}
        }
        self.go_back(&start);
        self.skip_balanced()?;
        self.expect(b';', "after '_Static_assert'")
    }
}
