//! Declaration specifiers: the words before the declarators, in any order.

use super::attribute::Attributes;
use super::keyword::Keyword;
use super::lexer::Kind;
use super::message::quoted;
use super::names::Qualified;
use super::parser::{Failure, Parsed, Parser, Purpose};
use super::spelling::{alone, bit, real, scalar, word};
use crate::types::{Data, Link, Qualifiers};
use std::ffi::CStr;

/// The tag, which no text can spell, of types that stand for unsupported numbers.
const UNSUPPORTED: &CStr = c"unsupported number";

/// What the specifiers amount to.
pub(super) struct Specifiers {
    pub(super) base: Qualified,
    pub(super) is_typedef: bool,
    pub(super) attributes: Attributes,
    /// They define a struct or union that has no tag.
    pub(super) anonymous_record: bool,
    /// They name a tag, or define something: a declaration that may do without declarators.
    pub(super) stands_alone: bool,
}

/// What is on the way to `Specifiers`.
#[derive(Default)]
struct Reading {
    /// The words of a scalar.
    words: u32,
    /// Any other type.
    ty: Option<Qualified>,
    qualifiers: Qualifiers,
    atomic: bool,
    is_typedef: bool,
    anonymous_record: bool,
    stands_alone: bool,
}

impl<'s> Parser<'s, '_> {
    /// The token can begin declaration specifiers.
    pub(super) fn starts_type(&self) -> bool {
        match self.token.kind {
            Kind::Keyword(keyword) => keyword.starts_specifiers(),
            Kind::Name => self.is_type_name(self.text()),
            _ => false,
        }
    }

    /// Declaration specifiers; `attributes` are those that were read before.
    #[inline]
    pub(super) fn specifiers(&mut self, attributes: Attributes) -> Parsed<Specifiers> {
        let at = self.token.start;
        let mut words = 0;
        // Most types are one word.
        if let Kind::Keyword(keyword) = self.token.kind
            && let Some(scalar) = alone(keyword)
        {
            self.advance();
            if !matches!(self.token.kind, Kind::Keyword(_)) {
                return Ok(Specifiers {
                    base: Qualified::plain(self.types.scalar(scalar)),
                    is_typedef: false,
                    attributes,
                    anonymous_record: false,
                    stands_alone: false,
                });
            }
            words = bit(keyword).unwrap_or(0);
        }
        self.specifiers_in_full(attributes, words, at)
    }

    /// The same, after some words of a scalar.
    fn specifiers_in_full(
        &mut self,
        attributes: Attributes,
        words: u32,
        at: u32,
    ) -> Parsed<Specifiers> {
        let mut attributes = attributes;
        let mut reading = Reading {
            words,
            ..Reading::default()
        };
        loop {
            match self.token.kind {
                Kind::Keyword(Keyword::Reserved) if self.text() == "_BitInt" => {
                    return Err(self.no_type());
                }
                Kind::Keyword(keyword) => {
                    if let Some(bit) = bit(keyword) {
                        // `typedef float _Float32;`
                        let real = reading.words & !word::COMPLEX != 0;
                        if reading.is_typedef && real && keyword.is_new_float() {
                            break;
                        }
                        self.scalar_word(&mut reading, bit)?;
                        self.advance();
                    } else if !self.other_word(&mut reading, keyword, &mut attributes)? {
                        break;
                    }
                }
                Kind::Mark(b'[') if self.at_double_bracket() => self.attributes(&mut attributes)?,
                Kind::Name if reading.words == 0 && reading.ty.is_none() => {
                    let word = self.word();
                    let Some(ty) = self.typedef_name(word)? else {
                        return Err(self.unknown_type(word));
                    };
                    reading.qualifiers = reading.qualifiers.with(ty.qualifiers);
                    reading.ty = Some(ty);
                    self.advance();
                }
                _ => break,
            }
        }
        self.finish_specifiers(reading, attributes, at)
    }

    /// A specifier that is no scalar's word; false if the keyword is none.
    fn other_word(
        &mut self,
        reading: &mut Reading,
        keyword: Keyword,
        attributes: &mut Attributes,
    ) -> Parsed<bool> {
        match keyword {
            Keyword::Const => reading.qualifiers.is_const = true,
            Keyword::Volatile => reading.qualifiers.is_volatile = true,
            Keyword::Restrict | Keyword::Ignored | Keyword::Extern | Keyword::Storage => {}
            Keyword::Typedef => reading.is_typedef = true,
            Keyword::Attribute | Keyword::Declspec => {
                self.attributes(attributes)?;
                return Ok(true);
            }
            Keyword::Alignas => {
                self.advance();
                attributes.align = attributes.align.max(self.alignas()?);
                return Ok(true);
            }
            Keyword::Struct
            | Keyword::Union
            | Keyword::Enum
            | Keyword::Typeof
            | Keyword::TypeofUnqualified => {
                self.only_type(reading)?;
                let ty = match keyword {
                    Keyword::Enum => Qualified::plain(self.enumeration()?),
                    Keyword::Typeof => self.typeof_operand()?,
                    Keyword::TypeofUnqualified => Qualified::plain(self.typeof_operand()?.link),
                    _ => {
                        let record = self.record(keyword == Keyword::Union)?;
                        reading.anonymous_record = record.anonymous;
                        Qualified::plain(record.link)
                    }
                };
                reading.stands_alone =
                    !matches!(keyword, Keyword::Typeof | Keyword::TypeofUnqualified);
                reading.qualifiers = reading.qualifiers.with(ty.qualifiers);
                reading.ty = Some(ty);
                return Ok(true);
            }
            Keyword::Atomic => {
                self.advance();
                reading.atomic = true;
                if self.is(b'(') {
                    self.only_type(reading)?;
                    self.advance();
                    let ty = self.type_name()?;
                    self.expect(b')', "after the type in '_Atomic('")?;
                    reading.ty = Some(ty);
                }
                return Ok(true);
            }
            _ => return Ok(false),
        }
        self.advance();
        Ok(true)
    }

    fn scalar_word(&self, reading: &mut Reading, bit: u32) -> Parsed<()> {
        if reading.ty.is_some() {
            return Err(self.second_type());
        }
        let bit = if bit == word::LONG && reading.words & word::LONG != 0 {
            word::LONG_LONG
        } else {
            bit
        };
        if reading.words & bit != 0 {
            let what = match bit {
                word::LONG_LONG => "there is no type with three 'long'".to_owned(),
                _ => format!("a second '{}' in one type", self.text()),
            };
            return Err(self.fail(self.token.start, &what));
        }
        reading.words |= bit;
        Ok(())
    }

    fn only_type(&self, reading: &Reading) -> Parsed<()> {
        if reading.words != 0 || reading.ty.is_some() {
            return Err(self.second_type());
        }
        Ok(())
    }

    #[cold]
    fn second_type(&self) -> Failure {
        let what = format!(
            "'{}' follows another type; is there a ';' or ',' missing?",
            self.text()
        );
        self.fail(self.token.start, &what)
    }

    fn finish_specifiers(
        &mut self,
        reading: Reading,
        attributes: Attributes,
        at: u32,
    ) -> Parsed<Specifiers> {
        let mut link = match reading.ty {
            Some(ty) => ty.link,
            None if reading.words != 0 => match scalar(reading.words, self.target()) {
                Some(scalar) => self.types.scalar(scalar),
                None => self.unsupported_scalar(reading.words, at)?,
            },
            None => return Err(self.no_type()),
        };
        if reading.atomic {
            link = self.atomic(link);
        }
        Ok(Specifiers {
            base: Qualified {
                link,
                qualifiers: reading.qualifiers,
            },
            is_typedef: reading.is_typedef,
            attributes,
            anonymous_record: reading.anonymous_record,
            stands_alone: reading.stands_alone,
        })
    }

    /// There is no type where one must stand.
    #[cold]
    fn no_type(&self) -> Failure {
        let what = match self.text() {
            "_BitInt" | "__auto_type" => "is not supported",
            "__vectorcall" => {
                "is not supported: a function that is called so cannot be called here"
            }
            _ => return self.unexpected("a type"),
        };
        self.fail(self.token.start, &format!("'{}' {what}", self.text()))
    }

    /// Words that spell no scalar.
    #[cold]
    fn unsupported_scalar(&mut self, words: u32, at: u32) -> Parsed<Link> {
        let is_complex =
            words & word::COMPLEX != 0 && real(words & !word::COMPLEX, self.target()).is_some();
        if is_complex {
            return self.unsupported(at);
        }
        let end = self.token.start as usize;
        let name = quoted(self.source[at as usize..end].trim_end());
        Err(self.fail(at, &format!("there is no type {name}")))
    }

    /// A number of a format that no convention here knows: in declarations a type without members
    /// stands for it, so that nothing can be called with one.
    #[cold]
    pub(super) fn unsupported(&mut self, at: u32) -> Parsed<Link> {
        if self.purpose == Purpose::Declare {
            return Ok(self
                .types
                .declare_record(false, Some(UNSUPPORTED.to_owned())));
        }
        Err(self.fail(at, "numbers of this format are not supported"))
    }

    /// It stands for a number of a format that is not known.
    pub(super) fn is_unsupported(&self, link: &Link) -> bool {
        matches!(&self.types.get(link).node.data, Data::Record(record) if record.tag() == Some(UNSUPPORTED))
    }

    /// An atomic type is aligned to its size where that lets the CPU do without locks.
    fn atomic(&mut self, link: Link) -> Link {
        let view = self.types.get(&link);
        let size = view.size();
        if matches!(size, 2 | 4 | 8 | 16) && u64::from(view.align()) < size {
            return self.types.realigned(&link, size as u32);
        }
        link
    }
}

impl Qualifiers {
    /// These and others.
    pub(super) fn with(self, other: Qualifiers) -> Qualifiers {
        Qualifiers {
            is_const: self.is_const || other.is_const,
            is_volatile: self.is_volatile || other.is_volatile,
        }
    }
}
