//! Integer constant expressions, which give enumerators, lengths, widths and alignments.

use super::arithmetic::{self, common, convert, promoted};
use super::keyword::Keyword;
use super::lexer::Kind;
use super::literal;
use super::message::{nearest, quoted};
use super::names::{Meaning, Qualified, Value};
use super::parser::{Failure, Parsed, Parser, Word};
use crate::types::{Data, Kind as TypeKind, Link, Type};

/// An operator between two operands, as far as it is not one character.
fn precedence(kind: Kind) -> Option<u8> {
    Some(match kind {
        Kind::Or => 1,
        Kind::And => 2,
        Kind::Mark(b'|') => 3,
        Kind::Mark(b'^') => 4,
        Kind::Mark(b'&') => 5,
        Kind::Equal | Kind::NotEqual => 6,
        Kind::Mark(b'<' | b'>') | Kind::AtMost | Kind::AtLeast => 7,
        Kind::ShiftLeft | Kind::ShiftRight => 8,
        Kind::Mark(b'+' | b'-') => 9,
        Kind::Mark(b'*' | b'/' | b'%') => 10,
        _ => return None,
    })
}

impl<'s> Parser<'s, '_> {
    /// A constant expression that is not negative: an array's length, a bit-field's width.
    pub(super) fn natural(&mut self, what: &str) -> Parsed<u64> {
        let at = self.token.start;
        let value = self.constant()?;
        let bits = value.bits;
        let bits = if value.kind == TypeKind::U128 {
            bits as u128
        } else {
            u128::try_from(bits)
                .map_err(|_| self.fail(at, &format!("{what} is {bits}: expected at least 0")))?
        };
        u64::try_from(bits).map_err(|_| self.fail(at, &format!("{what} is {bits}: too large")))
    }

    /// A constant expression.
    pub(super) fn constant(&mut self) -> Parsed<Value> {
        self.enter()?;
        let at = self.token.start;
        let condition = self.operators(1)?;
        if !self.accept(b'?') {
            self.leave();
            return Ok(condition);
        }
        let holds = condition.bits != 0;
        // GNU C: what is left out is the condition.
        if self.accept(b':') {
            self.unevaluated += u32::from(holds);
            let right = self.constant()?;
            self.unevaluated -= u32::from(holds);
            self.leave();
            let kind = common(condition.kind, right.kind);
            return Ok(convert(if holds { condition } else { right }, kind));
        }
        self.unevaluated += u32::from(!holds);
        let left = self.constant()?;
        self.unevaluated -= u32::from(!holds);
        if !self.accept(b':') {
            let what = format!("':' for this '?', found {}", self.found());
            return Err(self.fail(at, &format!("expected {what}")));
        }
        self.unevaluated += u32::from(holds);
        let right = self.constant()?;
        self.unevaluated -= u32::from(holds);
        self.leave();
        let kind = common(left.kind, right.kind);
        Ok(convert(if holds { left } else { right }, kind))
    }

    /// Operands with the operators between them that bind at least as `least`.
    fn operators(&mut self, least: u8) -> Parsed<Value> {
        let mut left = self.operand()?;
        while let Some(level) = precedence(self.token.kind).filter(|&level| level >= least) {
            let operator = self.token.kind;
            let at = self.token.start;
            self.advance();
            // The right operand of && and || may have no value that is needed.
            let decided = match operator {
                Kind::And => left.bits == 0,
                Kind::Or => left.bits != 0,
                _ => false,
            };
            self.unevaluated += u32::from(decided);
            self.enter()?;
            let right = self.operators(level + 1)?;
            self.leave();
            self.unevaluated -= u32::from(decided);
            left = match arithmetic::apply(operator, left, right) {
                Ok(value) => value,
                Err(_) if self.unevaluated > 0 => left,
                Err(what) => return Err(self.fail(at, &what)),
            };
        }
        Ok(left)
    }

    /// An operand with the unary operators and casts before it.
    fn operand(&mut self) -> Parsed<Value> {
        let Kind::Mark(mark) = self.token.kind else {
            return self.primary();
        };
        match mark {
            b'+' | b'-' | b'~' | b'!' => {
                self.enter()?;
                self.advance();
                let value = self.operand()?;
                self.leave();
                let kind = promoted(value.kind);
                Ok(match mark {
                    b'+' => convert(value, kind),
                    b'-' => arithmetic::wrap(value.bits.wrapping_neg(), kind),
                    b'~' => arithmetic::wrap(!value.bits, kind),
                    _ => arithmetic::truth(value.bits == 0),
                })
            }
            b'(' => {
                self.enter()?;
                self.advance();
                let value = if self.starts_type() || self.at_attribute() {
                    self.cast()?
                } else {
                    let value = self.constant()?;
                    self.expect(b')', "after an expression")?;
                    value
                };
                self.leave();
                Ok(value)
            }
            _ => self.primary(),
        }
    }

    fn at_attribute(&self) -> bool {
        matches!(
            self.token.kind,
            Kind::Keyword(Keyword::Attribute | Keyword::Ignored)
        )
    }

    /// `(type) operand`, the parenthesis passed over.
    fn cast(&mut self) -> Parsed<Value> {
        let at = self.token.start;
        let ty = self.type_name()?;
        let kind = self.view(&ty).value_kind();
        self.expect(b')', "after a type")?;
        if !kind.is_integer() {
            let found = self.view(&ty).describe();
            let what = format!("a constant cannot be cast to {found} here; only to integers");
            return Err(self.fail(at, &what));
        }
        let value = self.operand()?;
        Ok(convert(value, kind))
    }

    fn primary(&mut self) -> Parsed<Value> {
        let at = self.token.start;
        match self.token.kind {
            Kind::Number => {
                let value = literal::number(self.text(), self.target());
                let value = value.map_err(|what| self.fail(at, &what))?;
                self.advance();
                Ok(value)
            }
            Kind::Character => {
                let value = literal::character(self.text(), self.target());
                let value = value.map_err(|what| self.fail(at, &what))?;
                self.advance();
                Ok(value)
            }
            Kind::Name => {
                let word = self.word();
                if word.text == "offsetof" && self.find(word.text).is_none() {
                    return self.offset_of();
                }
                let value = self.named_constant(word)?;
                self.advance();
                Ok(value)
            }
            Kind::Keyword(Keyword::Sizeof) => self.measure(false),
            Kind::Keyword(Keyword::Alignof) => self.measure(true),
            Kind::Keyword(Keyword::Offsetof) => self.offset_of(),
            Kind::Keyword(Keyword::Reserved) if self.text() == "_Generic" => {
                Err(self.fail(at, "'_Generic' is not understood in a constant"))
            }
            Kind::Text => Err(self.fail(at, "a string is no integer constant")),
            _ => Err(self.unexpected("a constant")),
        }
    }

    fn named_constant(&mut self, word: Word<'s>) -> Parsed<Value> {
        if self.scope.contains(word.text) {
            let what = format!("{} is a parameter, not a constant", quoted(word.text));
            return Err(self.fail(word.at, &what));
        }
        // The latest macro of that name counts, before it is listed.
        if self.lexer.find_macro(word.text).is_some()
            && let Some(value) = self.macro_constant(word.text)
        {
            return Ok(value);
        }
        match self.find(word.text).map(|named| &named.meaning) {
            Some(Meaning::Constant(value)) => Ok(*value),
            Some(other) => {
                let (name, kind) = (quoted(word.text), other.describe());
                Err(self.fail(word.at, &format!("{name} is {kind}, not a constant")))
            }
            None if self.lexer.find_macro(word.text).is_some() => {
                let name = quoted(word.text);
                let what = format!("the macro {name} is not an integer constant expression");
                Err(self.fail(word.at, &what))
            }
            // The words of <stdbool.h>.
            None if word.text == "true" => Ok(arithmetic::truth(true)),
            None if word.text == "false" => Ok(arithmetic::truth(false)),
            None => Err(self.unknown_constant(word)),
        }
    }

    #[cold]
    fn unknown_constant(&self, word: Word<'_>) -> Failure {
        if self.tentative {
            return self.fail(word.at, "");
        }
        let earlier = self.earlier.map(|earlier| earlier.names());
        let constants = [self.new.as_deref(), earlier]
            .into_iter()
            .flatten()
            .flat_map(|names| &names.others)
            .filter(|(_, named)| matches!(named.meaning, Meaning::Constant(_)))
            .map(|(name, _)| &**name);
        let name = quoted(word.text);
        let what = match nearest(word.text, constants) {
            Some(near) => format!("unknown constant {name}; did you mean \"{near}\"?"),
            None => format!("unknown constant {name}"),
        };
        self.fail(word.at, &what)
    }

    /// `sizeof` or `_Alignof`, which is the token, and its operand.
    fn measure(&mut self, alignment: bool) -> Parsed<Value> {
        self.advance();
        let at = self.token.start;
        let ty = self.measured_type()?;
        let bits = match ty {
            Some(ty) if alignment => self.align_of(&ty, at)?,
            Some(ty) => self.size_of(&ty, at)?,
            None => {
                self.enter()?;
                self.unevaluated += 1;
                let value = self.operand()?;
                self.unevaluated -= 1;
                self.leave();
                let (size, align) = value.kind.layout(self.target()).unwrap_or((4, 4));
                if alignment {
                    i128::from(align)
                } else {
                    i128::from(size)
                }
            }
        };
        Ok(Value {
            bits,
            kind: TypeKind::U64,
        })
    }

    /// A type in parentheses, or that of an expression which names something; `None` where any
    /// other expression begins.
    fn measured_type(&mut self) -> Parsed<Option<Qualified>> {
        let start = self.checkpoint();
        let parenthesized = self.accept(b'(');
        if parenthesized && (self.starts_type() || self.at_attribute()) {
            let ty = self.type_name()?;
            self.expect(b')', "after a type")?;
            return Ok(Some(ty));
        }
        self.go_back(&start);
        Ok(self.try_expression_type(|_| true))
    }

    pub(super) fn size_of(&self, ty: &Qualified, at: u32) -> Parsed<i128> {
        let view = self.view(ty);
        match view.kind() {
            // As gcc has it.
            TypeKind::Void | TypeKind::Function => Ok(1),
            _ if view.is_complete() => Ok(i128::from(view.size())),
            _ => Err(self.no_size(ty, at)),
        }
    }

    pub(super) fn align_of(&self, ty: &Qualified, at: u32) -> Parsed<i128> {
        let view = self.view(ty);
        match view.kind() {
            TypeKind::Void | TypeKind::Function => Ok(1),
            // An array's alignment is that of its elements, which it has.
            TypeKind::Array => Ok(i128::from(view.align())),
            _ if view.is_complete() => Ok(i128::from(view.align())),
            _ => Err(self.no_size(ty, at)),
        }
    }

    #[cold]
    fn no_size(&self, ty: &Qualified, at: u32) -> Failure {
        let name = self.view(ty).describe();
        self.fail(
            at,
            &format!("{name} is incomplete here: its size is not known"),
        )
    }

    /// `offsetof(type, member[1].member)`; the token is the word.
    fn offset_of(&mut self) -> Parsed<Value> {
        self.advance();
        self.expect(b'(', "after 'offsetof'")?;
        let mut link = self.type_name()?.link;
        self.expect(b',', "after the type of 'offsetof'")?;
        let mut offset = 0i128;
        let mut first = true;
        loop {
            if first || self.accept(b'.') {
                let word = self.word();
                if self.token.kind != Kind::Name {
                    return Err(self.unexpected("a member's name"));
                }
                let Some((member, at)) = self.find_member(&link, word.text) else {
                    let record = self.types.get(&link).describe();
                    let what = format!("{record} has no member {}", quoted(word.text));
                    return Err(self.fail(word.at, &what));
                };
                self.advance();
                offset = offset.wrapping_add(i128::from(at));
                link = member;
            } else if self.accept(b'[') {
                let at = self.token.start;
                let index = self.natural("an index")?;
                self.expect(b']', "after an index")?;
                let Data::Array { element, .. } = &self.types.get(&link).node.data else {
                    return Err(self.fail(at, "an index into what is no array"));
                };
                let element = outward(&link, element);
                let size = self.types.get(&element).size();
                offset = offset.wrapping_add(i128::from(index).wrapping_mul(i128::from(size)));
                link = element;
            } else {
                self.expect(b')', "after a member")?;
                return Ok(arithmetic::wrap(offset, TypeKind::U64));
            }
            first = false;
        }
    }

    /// A member of a record, perhaps of an anonymous one in it, and its offset.
    pub(super) fn find_member(&self, link: &Link, name: &str) -> Option<(Link, u64)> {
        let mut records = vec![(link.clone(), 0u64)];
        while let Some((link, base)) = records.pop() {
            let Data::Record(record) = &self.types.get(&link).node.data else {
                continue;
            };
            for field in record.fields.iter().flatten() {
                let offset = base + field.offset;
                match &field.name {
                    Some(found) if found.to_bytes() == name.as_bytes() => {
                        return Some((outward(&link, &field.link), offset));
                    }
                    None if field.bits.is_none() => {
                        records.push((outward(&link, &field.link), offset));
                    }
                    _ => {}
                }
            }
        }
        None
    }
}

/// A link of the type that `from` leads to, as one that can be followed from anywhere.
pub(super) fn outward(from: &Link, link: &Link) -> Link {
    match from {
        Link::Local(_) => link.clone(),
        Link::Type(ty) => Link::Type(Type::follow(ty, link)),
    }
}
