//! Types of expressions that are never evaluated, as `sizeof` and `typeof` have them:
//! `((struct s *)0)->member`, `table[0]`, `*pointer`, `f(1)`.

use super::constant::outward;
use super::lexer::Kind;
use super::names::Qualified;
use super::parser::{Parsed, Parser};
use crate::types::{Data, Link, Scalar};

/// Expressions are tried no deeper within one another: what fails is read again, and within it
/// all that failed.
const MAX_TRIES: u32 = 3;

impl Parser<'_, '_> {
    /// The type of an expression, if it names something and what follows it `fits`; else nothing
    /// has been read.
    pub(super) fn try_expression_type(
        &mut self,
        fits: impl FnOnce(&Self) -> bool,
    ) -> Option<Qualified> {
        if self.trying == MAX_TRIES {
            return None;
        }
        let start = self.checkpoint();
        self.trying += 1;
        let tried = self.tentatively(Self::expression_type);
        self.trying -= 1;
        match tried {
            Ok(Some(ty)) if fits(self) => Some(ty),
            _ => {
                self.go_back(&start);
                None
            }
        }
    }

    /// The type of an expression that names something, and does not compute; `None` for any
    /// other, of which then an unknown part has been read.
    fn expression_type(&mut self) -> Parsed<Option<Qualified>> {
        match self.token.kind {
            Kind::Mark(b'*') => {
                self.enter()?;
                self.advance();
                let ty = self.expression_type()?;
                self.leave();
                Ok(ty.and_then(|ty| self.element(&ty)))
            }
            Kind::Mark(b'&') => {
                self.enter()?;
                self.advance();
                let ty = self.expression_type()?;
                self.leave();
                Ok(ty.map(|ty| self.pointer_to(ty, Default::default())))
            }
            _ => self.postfix_type(),
        }
    }

    fn postfix_type(&mut self) -> Parsed<Option<Qualified>> {
        let mut ty = match self.token.kind {
            Kind::Mark(b'(') => {
                self.enter()?;
                self.advance();
                let ty = if self.starts_type() {
                    // A cast.
                    let ty = self.type_name()?;
                    self.expect(b')', "after a type")?;
                    if matches!(self.token.kind, Kind::Number) {
                        self.advance();
                    } else if self.expression_type()?.is_none() {
                        return Ok(None);
                    }
                    self.leave();
                    return Ok(Some(ty));
                } else {
                    self.expression_type()?
                };
                if !self.accept(b')') {
                    return Ok(None);
                }
                self.leave();
                ty
            }
            Kind::Name => {
                let ty = if self.scope.contains(self.text()) {
                    None
                } else {
                    self.type_of_name()
                };
                // A pointer to nothing in particular.
                let ty = ty.or_else(|| {
                    (self.text() == "nullptr")
                        .then(|| Qualified::plain(self.types.scalar(Scalar::Pointer)))
                });
                self.advance();
                ty
            }
            _ => None,
        };
        while let Some(of) = ty {
            ty = match self.token.kind {
                Kind::Mark(b'[') => {
                    self.skip_balanced()?;
                    self.element(&of)
                }
                Kind::Mark(b'(') => {
                    self.skip_balanced()?;
                    self.result(&of)
                }
                Kind::Mark(b'.') => {
                    self.advance();
                    self.member_type(of)
                }
                Kind::Mark(b'-') if self.lexer.peek_mark() == b'>' => {
                    self.advance();
                    self.advance();
                    self.element(&of).and_then(|of| self.member_type(of))
                }
                _ => return Ok(Some(of)),
            };
        }
        Ok(None)
    }

    /// What a pointer leads to, or an array consists of.
    fn element(&self, ty: &Qualified) -> Option<Qualified> {
        match &self.view(ty).node.data {
            Data::Scalar(Scalar::Pointer) => {
                Some(Qualified::plain(self.types.scalar(Scalar::Void)))
            }
            Data::Pointer {
                pointee,
                qualifiers,
            } => {
                let void = || self.types.scalar(Scalar::Void);
                Some(Qualified {
                    link: pointee
                        .as_ref()
                        .map_or_else(void, |to| outward(&ty.link, to)),
                    qualifiers: *qualifiers,
                })
            }
            Data::Array { element, .. } | Data::Vector { element, .. } => Some(Qualified {
                link: outward(&ty.link, element),
                qualifiers: ty.qualifiers,
            }),
            Data::Function(_) => Some(ty.clone()),
            _ => None,
        }
    }

    fn result(&self, ty: &Qualified) -> Option<Qualified> {
        let function: Link = match &self.view(ty).node.data {
            Data::Pointer { .. } => self.element(ty)?.link,
            _ => ty.link.clone(),
        };
        match &self.types.get(&function).node.data {
            Data::Function(of) => Some(Qualified::plain(outward(&function, &of.result))),
            _ => None,
        }
    }

    /// The member that the token names.
    fn member_type(&mut self, of: Qualified) -> Option<Qualified> {
        if self.token.kind != Kind::Name {
            return None;
        }
        let (link, _) = self.find_member(&of.link, self.text())?;
        self.advance();
        Some(Qualified {
            link,
            qualifiers: of.qualifiers,
        })
    }
}
