//! Structs and unions.

use super::attribute::Attributes;
use super::declarator::{Naming, Role};
use super::keyword::Keyword;
use super::lexer::Kind;
use super::message::quoted;
use super::names::{Qualified, TagKind};
use super::parser::{Parsed, Parser, Word};
use super::specifiers::Specifiers;
use crate::types::{Data, FieldSpec, Link, RecordOptions};
use hashbrown::HashMap;
use std::ffi::CString;

/// A struct or union in declaration specifiers.
pub(super) struct RecordSpecifier {
    pub(super) link: Link,
    /// It has members and no tag.
    pub(super) anonymous: bool,
}

/// The members of a record that is being read.
#[derive(Default)]
struct Members<'s> {
    is_union: bool,
    specs: Vec<FieldSpec>,
    /// Where the last one stands: it is checked when it is known whether it is the last.
    last_at: u32,
    names: HashMap<&'s str, u32>,
}

impl<'s> Parser<'s, '_> {
    /// A struct or union; the token is the keyword.
    pub(super) fn record(&mut self, is_union: bool) -> Parsed<RecordSpecifier> {
        let kind = if is_union {
            TagKind::Union
        } else {
            TagKind::Struct
        };
        self.advance();
        let mut attributes = Attributes::default();
        self.attributes(&mut attributes)?;
        let tag = (self.token.kind == Kind::Name).then(|| self.word());
        if tag.is_some() {
            self.advance();
        }
        if self.is(b'{') {
            let link = self.record_definition(kind, tag, attributes)?;
            return Ok(RecordSpecifier {
                link,
                anonymous: tag.is_none(),
            });
        }
        match tag {
            Some(tag) => {
                let link = self.refer_to_tag(kind, tag)?;
                Ok(RecordSpecifier {
                    link,
                    anonymous: false,
                })
            }
            None => {
                let what = format!("a tag or '{{' after '{}'", kind.keyword());
                Err(self.unexpected(&what))
            }
        }
    }

    fn record_definition(
        &mut self,
        kind: TagKind,
        tag: Option<Word<'s>>,
        attributes: Attributes,
    ) -> Parsed<Link> {
        self.enter_type()?;
        let at = tag.map_or(self.token.start, |tag| tag.at);
        let pack = self.lexer.pack.now;
        let definition = self.begin_tag(kind, tag)?;
        self.advance();
        let mut members = Members {
            is_union: kind == TagKind::Union,
            ..Members::default()
        };
        while !self.accept(b'}') {
            self.member_declaration(&mut members)?;
        }
        self.check_last_member(&members, true)?;
        let mut attributes = attributes;
        self.attributes(&mut attributes)?;
        let options = RecordOptions {
            packed: attributes.packed,
            pack,
            align: attributes.align,
        };
        self.types
            .define_record(&definition.link, members.specs, &options)
            .map_err(|error| self.fail_types(at, error))?;
        let link = self.end_tag(definition)?;
        self.leave_type();
        Ok(link)
    }

    fn member_declaration(&mut self, members: &mut Members<'s>) -> Parsed<()> {
        match self.token.kind {
            Kind::Mark(b';') => {
                self.advance();
                return Ok(());
            }
            Kind::Keyword(Keyword::StaticAssert) => return self.static_assertion(),
            Kind::End => return Err(self.unexpected("a member or '}'")),
            _ => {}
        }
        let at = self.token.start;
        let specifiers = self.specifiers(Attributes::default())?;
        if self.accept(b';') {
            // An unnamed struct or union gives its members to the record around it; a tag alone
            // declares no member.
            if specifiers.anonymous_record {
                self.add_member(
                    members,
                    None,
                    &specifiers,
                    specifiers.base.clone(),
                    None,
                    at,
                )?;
            }
            return Ok(());
        }
        loop {
            self.member_declarator(members, &specifiers)?;
            match self.token.kind {
                Kind::Mark(b',') => self.advance(),
                Kind::Mark(b';') => {
                    self.advance();
                    return Ok(());
                }
                // The last semicolon may be missing, as gcc allows.
                Kind::Mark(b'}') => return Ok(()),
                _ => return Err(self.unexpected("';' or ',' after a member")),
            }
        }
    }

    fn member_declarator(
        &mut self,
        members: &mut Members<'s>,
        specifiers: &Specifiers,
    ) -> Parsed<()> {
        let at = self.token.start;
        let (name, ty, mut attributes) = if self.is(b':') {
            (None, specifiers.base.clone(), specifiers.attributes)
        } else {
            let declared = self.declarator(specifiers, Naming::Required, Role::Other)?;
            (declared.name, declared.ty, declared.attributes)
        };
        let at = name.map_or(at, |name| name.at);
        let mut bits = None;
        if self.accept(b':') {
            let width = self.natural("a bit-field's width")?;
            bits = Some(u32::try_from(width).unwrap_or(u32::MAX));
            self.attributes(&mut attributes)?;
        }
        if let Some(name) = name {
            self.check_name(members, name)?;
        }
        let specifiers = Specifiers {
            attributes,
            base: ty.clone(),
            ..*specifiers
        };
        self.add_member(members, name, &specifiers, ty, bits, at)
    }

    fn check_name(&self, members: &mut Members<'s>, name: Word<'s>) -> Parsed<()> {
        if members.names.insert(name.text, name.at).is_some() {
            let what = format!("a second member {}", quoted(name.text));
            return Err(self.fail(name.at, &what));
        }
        Ok(())
    }

    fn add_member(
        &mut self,
        members: &mut Members<'s>,
        name: Option<Word<'s>>,
        specifiers: &Specifiers,
        ty: Qualified,
        bits: Option<u32>,
        at: u32,
    ) -> Parsed<()> {
        self.check_last_member(members, false)?;
        members.last_at = at;
        members.specs.push(FieldSpec {
            // Words of the text hold no NUL.
            name: name.map(|name| CString::new(name.text).unwrap_or_default()),
            link: ty.link,
            bits,
            align: specifiers.attributes.align,
            packed: specifiers.attributes.packed,
        });
        Ok(())
    }

    /// Checks the member that came last, now that it is known whether another one follows.
    fn check_last_member(&self, members: &Members<'s>, last: bool) -> Parsed<()> {
        let Some(spec) = members.specs.last() else {
            return Ok(());
        };
        let checked = self.types.check_member(members.is_union, spec, last);
        checked.map_err(|error| {
            let error = match &spec.name {
                Some(name) => {
                    error.within(format_args!("member {}", quoted(&name.to_string_lossy())))
                }
                None => error,
            };
            self.fail_types(members.last_at, error)
        })
    }

    /// How many members a record has; 0 for any other type.
    pub(super) fn member_count(&self, link: &Link) -> usize {
        match &self.types.get(link).node.data {
            Data::Record(record) => record.fields.as_ref().map_or(0, Vec::len),
            _ => 0,
        }
    }
}
