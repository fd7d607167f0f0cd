//! The parameters of functions.

use super::attribute::Attributes;
use super::declarator::{Naming, Role};
use super::lexer::Kind;
use super::names::Qualified;
use super::operations::{Operation, Parameters};
use super::parser::{Parsed, Parser, Word};
use super::specifiers::Specifiers;
use crate::types::{Data, Link, MAX_PARAMS, ParameterNames, Qualifiers};

impl<'s> Parser<'s, '_> {
    /// A parameter list, its parenthesis passed over.
    pub(super) fn function(&mut self, attributes: Attributes, at: u32) -> Parsed<()> {
        let parameters = self.parameters(attributes)?;
        self.push(Operation::Function {
            parameters,
            convention: None,
            at,
        })
    }

    fn parameters(&mut self, attributes: Attributes) -> Parsed<Parameters> {
        let mut list = Parameters {
            links: Vec::new(),
            names: ParameterNames::default(),
            variadic: false,
            unspecified: false,
        };
        if self.accept(b')') {
            list.unspecified = true;
            return Ok(list);
        }
        self.enter_type()?;
        let scope = self.scope.mark();
        let mut attributes = attributes;
        let names = self.names_read.len();
        let mut commas = 0;
        loop {
            if self.token.kind == Kind::Ellipsis {
                list.variadic = true;
                self.advance();
                self.expect(b')', "after '...'")?;
                break;
            }
            let at = self.token.start;
            let (name, link) = self.parameter(std::mem::take(&mut attributes))?;
            if self.is_void(&link) {
                // `(void)` alone.
                if list.links.is_empty() && name.is_none() && self.accept(b')') {
                    break;
                }
                if self.token.kind == Kind::End {
                    return Err(self.unexpected("')' after 'void'"));
                }
                let what = "void cannot be the type of a parameter: write void * for a pointer, and (void) for no \
                            parameters";
                return Err(self.fail(at, what));
            }
            if list.links.len() == MAX_PARAMS {
                let what = format!("too many parameters: the limit is {MAX_PARAMS}");
                return Err(self.limit(at, &what));
            }
            if let Some(name) = name {
                self.scope.declare(name.text);
                let missing = commas..list.links.len();
                self.names_read.extend(missing.map(|_| ','));
                self.names_read.push_str(name.text);
                commas = list.links.len();
            }
            if list.links.is_empty() {
                list.links = Vec::with_capacity(4);
            }
            list.links.push(link);
            match self.token.kind {
                Kind::Mark(b',') => self.advance(),
                Kind::Mark(b')') => {
                    self.advance();
                    break;
                }
                _ => return Err(self.unexpected("')' or ',' after a parameter")),
            }
        }
        list.names = ParameterNames::new(&self.names_read[names..]);
        self.names_read.truncate(names);
        self.scope.leave(scope);
        self.leave_type();
        Ok(list)
    }

    #[inline]
    fn parameter(&mut self, attributes: Attributes) -> Parsed<(Option<Word<'s>>, Link)> {
        let specifiers = self.specifiers(attributes)?;
        // Many are no more than a type.
        if matches!(self.token.kind, Kind::Mark(b',' | b')')) && specifiers.attributes.is_plain() {
            return Ok((None, self.decay(specifiers.base).link));
        }
        // Nearly all others are a type and a name.
        if self.token.kind == Kind::Name
            && specifiers.attributes.is_plain()
            && matches!(self.lexer.peek_mark(), b',' | b')')
        {
            let name = self.word();
            self.refuse_complex_macro(name, &specifiers)?;
            self.advance();
            return Ok((Some(name), self.decay(specifiers.base).link));
        }
        let declared = self.declarator(&specifiers, Naming::Optional, Role::Parameter)?;
        if let Some(name) = declared.name {
            self.refuse_complex_macro(name, &specifiers)?;
        }
        Ok((declared.name, declared.ty.link))
    }

    /// `double complex` without <complex.h> is a double named complex: surely not what was meant.
    fn refuse_complex_macro(&self, name: Word<'_>, specifiers: &Specifiers) -> Parsed<()> {
        if name.text == "complex" && self.view(&specifiers.base).kind().is_float() {
            let what = "\"complex\" is a macro of <complex.h>; write '_Complex'";
            return Err(self.fail(name.at, what));
        }
        Ok(())
    }

    /// What a parameter of an array's or function's type is: a pointer (C11, 6.7.6.3p7 and p8).
    pub(super) fn decay(&mut self, ty: Qualified) -> Qualified {
        let view = self.view(&ty);
        match &view.node.data {
            Data::Array { element, .. } => {
                let element = match &ty.link {
                    Link::Local(_) => element.clone(),
                    Link::Type(array) => Link::Type(array.follow(element)),
                };
                let element = Qualified {
                    link: element,
                    qualifiers: ty.qualifiers,
                };
                self.pointer_to(element, Qualifiers::default())
            }
            Data::Function(_) => self.pointer_to(Qualified::plain(ty.link), Qualifiers::default()),
            _ => ty,
        }
    }
}
