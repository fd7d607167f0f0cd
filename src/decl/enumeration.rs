//! Enumerations.

use super::attribute::{Attributes, integer};
use super::lexer::Kind;
use super::message::quoted;
use super::names::{TagKind, Value};
use super::parser::{Parsed, Parser, Word};
use crate::types::{Enumerator, Kind as TypeKind, Link, Scalar, Target};

impl<'s> Parser<'s, '_> {
    /// An enumeration; the token is `enum`.
    pub(super) fn enumeration(&mut self) -> Parsed<Link> {
        self.advance();
        let mut attributes = Attributes::default();
        self.attributes(&mut attributes)?;
        let tag = (self.token.kind == Kind::Name).then(|| self.word());
        if tag.is_some() {
            self.advance();
        }
        let fixed = self.fixed_type()?;
        if self.is(b'{') {
            return self.enumeration_definition(tag, attributes, fixed);
        }
        let Some(tag) = tag else {
            return Err(self.unexpected("a tag or '{' after 'enum'"));
        };
        let link = self.refer_to_tag(TagKind::Enum, tag)?;
        // `enum e : short;` is complete.
        if let Some(scalar) = fixed
            && self.find_tag(tag.text).is_some_and(|tag| !tag.complete)
        {
            let definition = self.begin_tag(TagKind::Enum, Some(tag))?;
            self.types
                .define_enumeration(&definition.link, scalar, Vec::new());
            return self.end_tag(definition);
        }
        Ok(link)
    }

    /// `: type`, which C23 allows and clang has for long.
    fn fixed_type(&mut self) -> Parsed<Option<Scalar>> {
        // In a struct `enum e : 3` is a bit-field.
        let start = self.checkpoint();
        if !self.accept(b':') {
            return Ok(None);
        }
        if !self.starts_type() {
            self.go_back(&start);
            return Ok(None);
        }
        let at = self.token.start;
        let ty = self.specifiers(Attributes::default())?.base;
        let kind = self.view(&ty).value_kind();
        match Scalar::of_kind(kind, self.target()) {
            Some(scalar) if kind.is_integer() => Ok(Some(scalar)),
            _ => {
                let found = self.view(&ty).describe();
                Err(self.fail(
                    at,
                    &format!("expected an integer type for an enum, found {found}"),
                ))
            }
        }
    }

    fn enumeration_definition(
        &mut self,
        tag: Option<Word<'s>>,
        attributes: Attributes,
        fixed: Option<Scalar>,
    ) -> Parsed<Link> {
        self.enter_type()?;
        let at = tag.map_or(self.token.start, |tag| tag.at);
        let definition = self.begin_tag(TagKind::Enum, tag)?;
        self.advance();
        let (mut lowest, mut highest) = (0i128, 0i128);
        let mut next = 0i128;
        let mut list = Vec::new();
        loop {
            if self.token.kind != Kind::Name {
                return Err(self.unexpected("the name of a constant"));
            }
            let name = self.word();
            let origin = self.origin();
            self.advance();
            self.attributes(&mut Attributes::default())?;
            let value_at = if self.accept(b'=') {
                let value_at = self.token.start;
                next = self.constant()?.bits;
                value_at
            } else {
                name.at
            };
            if next < i128::from(i64::MIN) || next > i128::from(u64::MAX) {
                let what = format!("the constant {} does not fit 64 bits", quoted(name.text));
                return Err(self.fail(value_at, &what));
            }
            if let Some(scalar) = fixed
                && !fits(next, scalar.kind(self.target()), self.target())
            {
                let type_name = scalar.spelling().to_string_lossy();
                let what = format!(
                    "the constant {}, {next}, does not fit {type_name}",
                    quoted(name.text)
                );
                return Err(self.fail(value_at, &what));
            }
            lowest = lowest.min(next);
            highest = highest.max(next);
            self.declare_constant(name, enumerator(next), origin)?;
            list.push(Enumerator {
                name: name.text.into(),
                value: next,
            });
            next += 1;
            match self.token.kind {
                Kind::Mark(b',') => {
                    self.advance();
                    if self.accept(b'}') {
                        break;
                    }
                }
                Kind::Mark(b'}') => {
                    self.advance();
                    break;
                }
                _ => return Err(self.unexpected("',' or '}' after a constant")),
            }
        }
        let mut attributes = attributes;
        self.attributes(&mut attributes)?;
        let scalar = fixed.or_else(|| {
            let kind = pick(lowest, highest, attributes.packed)?;
            Scalar::of_kind(kind, self.target())
        });
        let Some(scalar) = scalar else {
            return Err(self.fail(at, "no integer type holds all constants of this enum"));
        };
        self.types
            .define_enumeration(&definition.link, scalar, list);
        let link = self.end_tag(definition)?;
        self.leave_type();
        Ok(link)
    }
}

/// The value is one of an integer type's.
fn fits(value: i128, kind: TypeKind, target: &Target) -> bool {
    let bits = kind.layout(target).map_or(32, |(size, _)| size as u32 * 8);
    match (kind, kind.is_signed()) {
        (TypeKind::Bool, _) => value == 0 || value == 1,
        (_, true) => value >= -(1 << (bits - 1)) && value < 1 << (bits - 1),
        (_, false) => value >= 0 && value < 1 << bits,
    }
}

/// An enumerator's value, with the first type that holds it.
fn enumerator(value: i128) -> Value {
    let kind = if i32::try_from(value).is_ok() {
        TypeKind::I32
    } else if u32::try_from(value).is_ok() {
        TypeKind::U32
    } else if i64::try_from(value).is_ok() {
        TypeKind::I64
    } else {
        TypeKind::U64
    };
    Value { bits: value, kind }
}

/// The integer type that gcc and clang pick for an enumeration: `unsigned int` if nothing is
/// negative, else `int`, or the 64-bit one; a packed one is as small as it can be.
fn pick(lowest: i128, highest: i128, packed: bool) -> Option<TypeKind> {
    let sizes: &[u64] = if packed { &[1, 2, 4, 8] } else { &[4, 8] };
    let signed = lowest < 0;
    sizes.iter().find_map(|&size| {
        let bits = size as u32 * 8;
        let (least, most) = match signed {
            true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            false => (0, (1i128 << bits) - 1),
        };
        (least <= lowest && highest <= most)
            .then(|| integer(size, signed))
            .flatten()
    })
}
