//! Declaration specifiers: the words before the declarators, in any order.

use super::attribute::Attributes;
use super::keyword::Keyword;
use super::known::{self, Known};
use super::lexer::Kind;
use super::message::{nearest, quoted};
use super::names::{Meaning, Qualified};
use super::parser::{Failure, Parsed, Parser, Purpose, Word};
use crate::error::{Error, Status};
use crate::types::target::{LongDouble, Model};
use crate::types::{Data, FieldSpec, Link, Qualifiers, Record, RecordOptions, Scalar, Target};

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

/// The words that spell a scalar, as bits: each may stand once, `long` twice.
mod word {
    pub(super) const VOID: u32 = 1;
    pub(super) const CHAR: u32 = 1 << 1;
    pub(super) const SHORT: u32 = 1 << 2;
    pub(super) const INT: u32 = 1 << 3;
    pub(super) const LONG: u32 = 1 << 4;
    pub(super) const LONG_LONG: u32 = 1 << 5;
    pub(super) const FLOAT: u32 = 1 << 6;
    pub(super) const DOUBLE: u32 = 1 << 7;
    pub(super) const SIGNED: u32 = 1 << 8;
    pub(super) const UNSIGNED: u32 = 1 << 9;
    pub(super) const BOOL: u32 = 1 << 10;
    pub(super) const COMPLEX: u32 = 1 << 11;
    pub(super) const INT128: u32 = 1 << 12;
    pub(super) const FLOAT16: u32 = 1 << 13;
    pub(super) const FLOAT32: u32 = 1 << 14;
    pub(super) const FLOAT64: u32 = 1 << 15;
    pub(super) const FLOAT128: u32 = 1 << 16;
    pub(super) const FLOAT32X: u32 = 1 << 17;
    pub(super) const FLOAT64X: u32 = 1 << 18;
    pub(super) const FLOAT80: u32 = 1 << 19;
}

/// The bit of a scalar's word.
#[inline]
fn bit(keyword: Keyword) -> Option<u32> {
    Some(match keyword {
        Keyword::Void => word::VOID,
        Keyword::Char => word::CHAR,
        Keyword::Short => word::SHORT,
        Keyword::Int => word::INT,
        Keyword::Long => word::LONG,
        Keyword::Float => word::FLOAT,
        Keyword::Double => word::DOUBLE,
        Keyword::Signed => word::SIGNED,
        Keyword::Unsigned => word::UNSIGNED,
        Keyword::Bool => word::BOOL,
        Keyword::Complex => word::COMPLEX,
        Keyword::Int128 => word::INT128,
        Keyword::Float16 => word::FLOAT16,
        Keyword::Float32 => word::FLOAT32,
        Keyword::Float64 => word::FLOAT64,
        Keyword::Float128 => word::FLOAT128,
        Keyword::Float32x => word::FLOAT32X,
        Keyword::Float64x => word::FLOAT64X,
        Keyword::Float80 => word::FLOAT80,
        _ => return None,
    })
}

/// What a word spells if no other stands beside it.
#[inline]
fn alone(keyword: Keyword) -> Option<Scalar> {
    match keyword {
        Keyword::Void => Some(Scalar::Void),
        Keyword::Char => Some(Scalar::Char),
        Keyword::Int => Some(Scalar::Int),
        Keyword::Float => Some(Scalar::Float),
        Keyword::Double => Some(Scalar::Double),
        _ => None,
    }
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
        let mut attributes = attributes;
        let mut reading = Reading {
            words,
            ..Reading::default()
        };
        loop {
            match self.token.kind {
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
            Keyword::Struct | Keyword::Union | Keyword::Enum | Keyword::Typeof => {
                self.only_type(reading)?;
                let ty = match keyword {
                    Keyword::Enum => Qualified::plain(self.enumeration()?),
                    Keyword::Typeof => self.typeof_operand()?,
                    _ => {
                        let record = self.record(keyword == Keyword::Union)?;
                        reading.anonymous_record = record.anonymous;
                        Qualified::plain(record.link)
                    }
                };
                reading.stands_alone = keyword != Keyword::Typeof;
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
            None => return Err(self.unexpected("a type")),
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

    /// Words that spell no scalar.
    #[cold]
    fn unsupported_scalar(&mut self, words: u32, at: u32) -> Parsed<Link> {
        let is_complex =
            words & word::COMPLEX != 0 && real(words & !word::COMPLEX, self.target()).is_some();
        if is_complex {
            return self.unsupported_complex(at);
        }
        let end = self.token.start as usize;
        let name = quoted(self.source[at as usize..end].trim_end());
        Err(self.fail(at, &format!("there is no type {name}")))
    }

    /// A complex number of floats that no convention here knows: in declarations a type without
    /// members stands for it, so that nothing can be called with one.
    #[cold]
    pub(super) fn unsupported_complex(&mut self, at: u32) -> Parsed<Link> {
        if self.purpose == Purpose::Declare {
            return Ok(self
                .types
                .declare_record(false, Some(c"unsupported _Complex".to_owned())));
        }
        Err(self.fail(at, "complex numbers of this format are not supported"))
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

    /// What a name stands for as a type; the token is the name.
    fn typedef_name(&mut self, word: Word<'s>) -> Parsed<Option<Qualified>> {
        if self.scope.contains(word.text) {
            return Ok(None);
        }
        if let Some(named) = self.find(word.text) {
            return Ok(match &named.meaning {
                Meaning::Type(ty) => Some(self.up_to_date(ty)),
                _ => None,
            });
        }
        Ok(match known::find(word.text.as_bytes(), self.target()) {
            Some(Known::Fixed(scalar) | Known::Usual(scalar)) => {
                Some(Qualified::plain(self.types.scalar(scalar)))
            }
            Some(Known::VaList) => Some(Qualified::plain(self.va_list(word.at)?)),
            None => None,
        })
    }

    /// A typedef's type; if an earlier text only declared its tag, and it has been defined since,
    /// the type that the tag stands for now.
    fn up_to_date(&self, ty: &Qualified) -> Qualified {
        let mut ty = ty.clone();
        let tag = match (&ty.link, &self.view(&ty).node.data) {
            (Link::Type(_), Data::Record(Record { tag: Some(tag), fields: None, .. })) => tag,
            (Link::Type(_), Data::Enum { tag: Some(tag), underlying: None }) => tag,
            _ => return ty,
        };
        let now = tag.to_str().ok().and_then(|tag| self.find_tag(tag));
        if let Some(link) = now.filter(|tag| tag.complete).map(|tag| tag.link.clone()) {
            ty.link = link;
        }
        ty
    }

    /// The target's argument list (x86-64 psABI, section 3.5.7; AAPCS64, section 10.1.5).
    fn va_list(&mut self, at: u32) -> Parsed<Link> {
        if let Some(link) = &self.va_list {
            return Ok(link.clone());
        }
        let (tag, fields, is_array): (_, &[_], _) = match self.target().model {
            Model::LinuxX86_64 => (
                c"__va_list_tag",
                &[
                    (c"gp_offset", Scalar::UnsignedInt),
                    (c"fp_offset", Scalar::UnsignedInt),
                    (c"overflow_arg_area", Scalar::Pointer),
                    (c"reg_save_area", Scalar::Pointer),
                ],
                true,
            ),
            Model::LinuxAarch64 => (
                c"__va_list",
                &[
                    (c"__stack", Scalar::Pointer),
                    (c"__gr_top", Scalar::Pointer),
                    (c"__vr_top", Scalar::Pointer),
                    (c"__gr_offs", Scalar::Int),
                    (c"__vr_offs", Scalar::Int),
                ],
                false,
            ),
            Model::AppleAarch64 | Model::WindowsX86_64 => {
                let char = self.types.scalar(Scalar::Char);
                return Ok(self.types.pointer(Some(char), Qualifiers::default()));
            }
        };
        let record = self.types.declare_record(false, Some(tag.to_owned()));
        let specs = fields.iter().map(|&(name, scalar)| FieldSpec {
            name: Some(name.to_owned()),
            link: self.types.scalar(scalar),
            bits: None,
            align: 0,
            packed: false,
        });
        let specs = specs.collect();
        let link = self
            .types
            .define_record(&record, specs, &RecordOptions::default())
            .and_then(|()| {
                if is_array {
                    self.types.array(record, Some(1))
                } else {
                    Ok(record)
                }
            })
            .map_err(|error| self.fail_types(at, error))?;
        self.va_list = Some(link.clone());
        Ok(link)
    }

    /// `(type)` or `(expression)` behind `typeof`, which is the token.
    fn typeof_operand(&mut self) -> Parsed<Qualified> {
        self.advance();
        self.expect(b'(', "after 'typeof'")?;
        let ty = if self.starts_type() {
            self.type_name()?
        } else if self.token.kind == Kind::Name
            && let Some(ty) = self.type_of_name()
        {
            self.advance();
            ty
        } else {
            let value = self.constant()?;
            let scalar = Scalar::of_kind(value.kind, self.target()).unwrap_or(Scalar::Int);
            Qualified::plain(self.types.scalar(scalar))
        };
        self.expect(b')', "after the operand of 'typeof'")?;
        Ok(ty)
    }

    /// The type of the function or variable whose name the token is.
    pub(super) fn type_of_name(&self) -> Option<Qualified> {
        match &self.find(self.text())?.meaning {
            Meaning::Function { link, .. } | Meaning::Variable(link) => {
                Some(Qualified::plain(link.clone()))
            }
            _ => None,
        }
    }

    /// A name stands where a type should, and is none.
    #[cold]
    pub(super) fn unknown_type(&self, word: Word<'_>) -> Failure {
        let name = quoted(word.text);
        let what = if self.scope.contains(word.text) {
            format!("expected a type, found {name}, which is a parameter here")
        } else if let Some(named) = self.find(word.text) {
            format!(
                "expected a type, found {name}, which is {}",
                named.meaning.describe()
            )
        } else if let Some(tag) = self.find_tag(word.text) {
            format!(
                "unknown type name {name}; did you mean \"{} {}\"?",
                tag.kind.keyword(),
                word.text
            )
        } else {
            match self.nearest_type(word.text) {
                Some(near) => format!("unknown type name {name}; did you mean \"{near}\"?"),
                None => format!("unknown type name {name}"),
            }
        };
        if self.purpose == Purpose::Find {
            return Box::new(Error::new(Status::NotFound, what));
        }
        self.fail(word.at, &what)
    }

    fn nearest_type(&self, name: &str) -> Option<&str> {
        let earlier = self.earlier.map(|earlier| earlier.names());
        let texts = [self.new.as_deref(), earlier].into_iter().flatten();
        let typedefs = texts
            .flat_map(|names| &names.others)
            .filter(|(_, named)| matches!(named.meaning, Meaning::Type(_)))
            .map(|(name, _)| &**name);
        nearest(name, typedefs.chain(known::NAMES))
    }
}

/// The scalar that words spell; those of `int` may be left out beside others.
fn scalar(words: u32, target: &Target) -> Option<Scalar> {
    let sign = words & (word::SIGNED | word::UNSIGNED);
    let int = words & word::INT != 0;
    let rest = words & !(sign | word::INT);
    let pick = |signed, unsigned| match sign {
        0 | word::SIGNED => Some(signed),
        word::UNSIGNED => Some(unsigned),
        _ => None,
    };
    const LONG_LONG: u32 = word::LONG | word::LONG_LONG;
    match rest {
        0 => pick(Scalar::Int, Scalar::UnsignedInt),
        word::SHORT => pick(Scalar::Short, Scalar::UnsignedShort),
        word::LONG => pick(Scalar::Long, Scalar::UnsignedLong),
        LONG_LONG => pick(Scalar::LongLong, Scalar::UnsignedLongLong),
        _ if int => None,
        word::CHAR => match sign {
            0 => Some(Scalar::Char),
            _ => pick(Scalar::SignedChar, Scalar::UnsignedChar),
        },
        word::INT128 => pick(Scalar::Int128, Scalar::UnsignedInt128),
        _ if sign != 0 => None,
        word::VOID => Some(Scalar::Void),
        word::BOOL => Some(Scalar::Bool),
        _ if rest & word::COMPLEX == 0 => real(rest, target),
        // gcc takes `_Complex` alone for one of doubles.
        word::COMPLEX => Some(Scalar::ComplexDouble),
        _ => match real(rest & !word::COMPLEX, target)? {
            Scalar::Float => Some(Scalar::ComplexFloat),
            Scalar::Double => Some(Scalar::ComplexDouble),
            Scalar::LongDouble => Some(Scalar::ComplexLongDouble),
            Scalar::Float128 if target.long_double == LongDouble::Binary128 => {
                Some(Scalar::ComplexLongDouble)
            }
            _ => None,
        },
    }
}

/// The real floating type that words spell.
fn real(words: u32, target: &Target) -> Option<Scalar> {
    const LONG_DOUBLE: u32 = word::LONG | word::DOUBLE;
    let x87 = matches!(target.model, Model::LinuxX86_64 | Model::WindowsX86_64);
    Some(match words {
        word::FLOAT | word::FLOAT32 => Scalar::Float,
        word::DOUBLE | word::FLOAT64 | word::FLOAT32X => Scalar::Double,
        LONG_DOUBLE => Scalar::LongDouble,
        word::FLOAT16 => Scalar::Float16,
        word::FLOAT128 => Scalar::Float128,
        // Wider than double: x87's where there is one, else binary128.
        word::FLOAT64X if x87 => Scalar::LongDouble,
        word::FLOAT64X => Scalar::Float128,
        word::FLOAT80 if x87 => Scalar::LongDouble,
        _ => return None,
    })
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
