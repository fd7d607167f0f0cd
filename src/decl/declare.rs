//! What happens when a name is declared: the first time, and again. Declaring something twice is
//! fine if both agree.

use super::known::{self, Known};
use super::message::{nearest, quoted};
use super::names::{DeclarationKind, Meaning, Named, Origin, Qualified, Tag, TagKind, Value};
use super::parser::{Failure, Parsed, Parser, Purpose, Word};
use crate::error::{Error, Status};
use crate::types::{Data, Link, Scalar};
use std::ffi::{CStr, CString};
use std::sync::Arc;

/// A tag's definition that has begun.
pub(super) struct Definition<'s> {
    pub(super) link: Link,
    tag: Option<Word<'s>>,
    /// The complete type that the tag stood for before: the definition must agree with it.
    previous: Option<(Link, Origin)>,
}

impl<'s> Parser<'s, '_> {
    // -------------------------------------------------------------------------------- tags

    fn new_tagged(&mut self, kind: TagKind, tag: Option<&str>) -> Link {
        // Words of the text hold no NUL.
        let tag = tag.map(|tag| CString::new(tag).unwrap_or_default());
        match kind {
            TagKind::Struct => self.types.declare_record(false, tag),
            TagKind::Union => self.types.declare_record(true, tag),
            TagKind::Enum => self.types.enumeration(tag, None),
        }
    }

    fn check_tag_kind(&self, kind: TagKind, word: Word<'_>, tag: &Tag) -> Parsed<()> {
        if tag.kind == kind {
            return Ok(());
        }
        let what = format!(
            "{} is not a {} but a {}: it was declared {}",
            quoted(word.text),
            kind.keyword(),
            tag.kind.keyword(),
            self.describe_origin(tag.origin)
        );
        Err(self.fail(word.at, &what))
    }

    /// The type that a tag stands for, which may be incomplete.
    pub(super) fn refer_to_tag(&mut self, kind: TagKind, word: Word<'s>) -> Parsed<Link> {
        if let Some(tag) = self.find_tag(word.text) {
            self.check_tag_kind(kind, word, tag)?;
            return Ok(tag.link.clone());
        }
        if self.purpose == Purpose::Find {
            return Err(self.unknown_tag(kind, word));
        }
        let link = self.new_tagged(kind, Some(word.text));
        self.add_tag(kind, word, link.clone());
        Ok(link)
    }

    fn add_tag(&mut self, kind: TagKind, word: Word<'s>, link: Link) {
        let is_new = self.find_tag(word.text).is_none();
        let origin = self.origin();
        let tag = Tag {
            kind,
            link,
            complete: false,
            origin,
        };
        self.new_names().tags.insert(word.text.into(), tag);
        if is_new {
            let name = self.spell(&[kind.keyword(), " ", word.text]);
            self.new_names().list.push((DeclarationKind::Type, name));
        }
    }

    #[cold]
    fn unknown_tag(&self, kind: TagKind, word: Word<'_>) -> Failure {
        if self.tentative {
            return self.fail(word.at, "");
        }
        let earlier = self.earlier.map(|earlier| earlier.names());
        let tags = [self.new.as_deref(), earlier]
            .into_iter()
            .flatten()
            .flat_map(|names| &names.tags)
            .filter(|(_, tag)| tag.kind == kind)
            .map(|(name, _)| &**name);
        let keyword = kind.keyword();
        let name = quoted(&format!("{keyword} {}", word.text));
        let what = match nearest(word.text, tags) {
            Some(near) => format!("unknown type {name}; did you mean \"{keyword} {near}\"?"),
            None => format!("unknown type {name}"),
        };
        Box::new(Error::new(Status::NotFound, what))
    }

    /// The type whose definition begins here.
    pub(super) fn begin_tag(
        &mut self,
        kind: TagKind,
        tag: Option<Word<'s>>,
    ) -> Parsed<Definition<'s>> {
        let Some(word) = tag else {
            let link = self.new_tagged(kind, None);
            return Ok(Definition {
                link,
                tag: None,
                previous: None,
            });
        };
        let mut known = None;
        if let Some(tag) = self.find_tag(word.text) {
            self.check_tag_kind(kind, word, tag)?;
            if self.open_tags.contains(&word.text) {
                let name = quoted(&format!("{} {}", kind.keyword(), word.text));
                return Err(self.fail(word.at, &format!("{name} is defined within itself")));
            }
            if tag.complete {
                let previous = Some((tag.link.clone(), tag.origin));
                let link = self.new_tagged(kind, Some(word.text));
                return Ok(Definition {
                    link,
                    tag: Some(word),
                    previous,
                });
            }
            // Types of earlier texts do not change: their incomplete ones get a successor.
            known = matches!(tag.link, Link::Local(_)).then(|| tag.link.clone());
        }
        let link = match known {
            Some(link) => link,
            None => self.new_tagged(kind, Some(word.text)),
        };
        self.add_tag(kind, word, link.clone());
        self.open_tags.push(word.text);
        Ok(Definition {
            link,
            tag: Some(word),
            previous: None,
        })
    }

    /// The type that a definition amounts to, now that it is complete.
    pub(super) fn end_tag(&mut self, definition: Definition<'s>) -> Parsed<Link> {
        let Some(word) = definition.tag else {
            return Ok(definition.link);
        };
        if let Some((previous, origin)) = definition.previous {
            if self
                .types
                .get(&previous)
                .compatible_with(self.types.get(&definition.link))
            {
                return Ok(previous);
            }
            let view = self.types.get(&previous);
            let what = format!(
                "{} is defined differently {}",
                quoted(&view.name().to_string_lossy()),
                self.describe_origin(origin)
            );
            return Err(self.fail(word.at, &what));
        }
        self.open_tags.pop();
        if let Some(tag) = self.new_names().tags.get_mut(word.text) {
            tag.complete = true;
        }
        Ok(definition.link)
    }

    // ------------------------------------------------------------------------- other names

    #[cold]
    fn differs(&self, word: Word<'_>, before: &str, origin: Origin) -> Failure {
        let what = format!(
            "{} is declared differently {}, as {before}",
            quoted(word.text),
            self.describe_origin(origin)
        );
        self.fail(word.at, &what)
    }

    #[cold]
    fn other_kind(&self, word: Word<'_>, new: &str, old: &Named) -> Failure {
        let what = format!(
            "{} cannot be {new}: it is {}, declared {}",
            quoted(word.text),
            old.meaning.describe(),
            self.describe_origin(old.origin)
        );
        self.fail(word.at, &what)
    }

    pub(super) fn add_name(
        &mut self,
        word: Word<'s>,
        kind: DeclarationKind,
        meaning: Meaning,
        origin: Origin,
    ) {
        if self.find(word.text).is_none() {
            let name = match &meaning {
                Meaning::Function { link, .. } => self.name_of_function(link),
                _ => None,
            };
            let name = name.unwrap_or_else(|| self.spell(&[word.text]));
            self.new_names().list.push((kind, name));
        }
        self.new_names()
            .others
            .insert(word.text.into(), Named { meaning, origin });
    }

    /// The name that a function's type has, to be shared.
    fn name_of_function(&self, link: &Link) -> Option<Arc<CStr>> {
        match &self.types.get(link).node.data {
            Data::Function(function) => function.name.clone(),
            _ => None,
        }
    }

    pub(super) fn declare_type(
        &mut self,
        word: Word<'s>,
        ty: Qualified,
        origin: Origin,
    ) -> Parsed<()> {
        let mut origin = origin;
        match self.find(word.text) {
            Some(Named {
                meaning: Meaning::Type(old),
                origin: first,
            }) => {
                let agree = old.qualifiers == ty.qualifiers
                    && self.view(old).compatible_with(self.view(&ty));
                if !agree {
                    return Err(self.differs(word, &self.view(old).describe(), *first));
                }
                origin = *first;
            }
            Some(other) => return Err(self.other_kind(word, "a type", other)),
            None => self.check_known(word, &ty)?,
        }
        self.add_name(word, DeclarationKind::Type, Meaning::Type(ty), origin);
        Ok(())
    }

    /// A name that the C standard gives a meaning is not given another.
    fn check_known(&self, word: Word<'_>, ty: &Qualified) -> Parsed<()> {
        let Some(Known::Fixed(scalar)) = known::find(word.text.as_bytes(), self.target()) else {
            return Ok(());
        };
        if self.view(ty).value_kind() == scalar.kind(self.target()) {
            return Ok(());
        }
        let what = format!(
            "{} is {} on {}, not {}",
            quoted(word.text),
            scalar.spelling().to_string_lossy(),
            self.target().name,
            self.view(ty).describe()
        );
        Err(self.fail(word.at, &what))
    }

    pub(super) fn declare_function(
        &mut self,
        word: Word<'s>,
        link: Link,
        unspecified: bool,
        label: Option<CString>,
        origin: Origin,
    ) -> Parsed<()> {
        let mut new = Meaning::Function {
            link,
            unspecified,
            label,
        };
        let mut origin = origin;
        match self.find(word.text) {
            Some(Named {
                meaning: old @ Meaning::Function { .. },
                origin: first,
            }) => {
                origin = *first;
                match self.merge_functions(old, &new) {
                    Some(merged) => new = merged,
                    None => {
                        let Meaning::Function { link, .. } = old else {
                            return Ok(());
                        };
                        let before = self.types.get(link).declare(word.text);
                        return Err(self.differs(word, &quoted(&before), origin));
                    }
                }
            }
            Some(other) => return Err(self.other_kind(word, "a function", other)),
            None => {}
        }
        self.add_name(word, DeclarationKind::Function, new, origin);
        Ok(())
    }

    /// What two declarations of a function say together, if they agree.
    fn merge_functions(&self, old: &Meaning, new: &Meaning) -> Option<Meaning> {
        let (
            Meaning::Function {
                link: of_old,
                unspecified: old_bare,
                label: old_label,
            },
            Meaning::Function {
                link: of_new,
                unspecified: new_bare,
                label: new_label,
            },
        ) = (old, new)
        else {
            return None;
        };
        let (a, b) = (self.types.get(of_old), self.types.get(of_new));
        let agree = if *old_bare || *new_bare {
            match (&a.node.data, &b.node.data) {
                (Data::Function(x), Data::Function(y)) => {
                    a.follow(&x.result).compatible_with(b.follow(&y.result))
                }
                _ => false,
            }
        } else {
            a.compatible_with(b)
        };
        // A prototype says more than an empty list.
        let keep_old = *new_bare && !*old_bare;
        agree.then(|| Meaning::Function {
            link: if keep_old {
                of_old.clone()
            } else {
                of_new.clone()
            },
            unspecified: *old_bare && *new_bare,
            label: new_label.clone().or_else(|| old_label.clone()),
        })
    }

    pub(super) fn declare_variable(
        &mut self,
        word: Word<'s>,
        ty: Qualified,
        origin: Origin,
    ) -> Parsed<()> {
        let mut link = ty.link;
        let mut origin = origin;
        match self.find(word.text) {
            Some(Named {
                meaning: Meaning::Variable(old),
                origin: first,
            }) => {
                let (a, b) = (self.types.get(old), self.types.get(&link));
                if !a.compatible_with(b) {
                    return Err(self.differs(word, &quoted(&a.declare(word.text)), *first));
                }
                // `extern int table[];` may follow `int table[3];`.
                if a.is_complete() && !b.is_complete() {
                    link = old.clone();
                }
                origin = *first;
            }
            Some(other) => return Err(self.other_kind(word, "a variable", other)),
            None => {}
        }
        self.add_name(
            word,
            DeclarationKind::Variable,
            Meaning::Variable(link),
            origin,
        );
        Ok(())
    }

    pub(super) fn declare_constant(
        &mut self,
        word: Word<'s>,
        value: Value,
        origin: Origin,
    ) -> Parsed<()> {
        match self.find(word.text) {
            Some(Named {
                meaning: Meaning::Constant(old),
                ..
            }) if old.bits == value.bits => Ok(()),
            Some(Named {
                meaning: Meaning::Constant(old),
                origin: first,
            }) => Err(self.differs(word, &old.bits.to_string(), *first)),
            Some(other) => Err(self.other_kind(word, "a constant", other)),
            None => {
                self.add_name(
                    word,
                    DeclarationKind::Constant,
                    Meaning::Constant(value),
                    origin,
                );
                Ok(())
            }
        }
    }

    /// A typedef's type with the alignment that it asks for.
    pub(super) fn realign(&mut self, ty: Qualified, align: u32, at: u32) -> Parsed<Qualified> {
        let view = self.view(&ty);
        if matches!(
            view.node.data,
            Data::Function(_) | Data::Scalar(Scalar::Void)
        ) {
            return Ok(ty);
        }
        if self.is_unsupported(&ty.link) {
            return Ok(ty);
        }
        if !view.is_complete() {
            let what = format!(
                "{} is incomplete here, and gets no alignment",
                view.describe()
            );
            return Err(self.fail(at, &what));
        }
        // Every such typedef copies the record's list of members.
        let members = self.member_count(&ty.link);
        let Some(left) = self.copies_left.checked_sub(members) else {
            return Err(self.limit(at, "too many members in typedefs with an alignment"));
        };
        self.copies_left = left;
        let link = self.types.realigned(&ty.link, align);
        Ok(Qualified {
            link,
            qualifiers: ty.qualifiers,
        })
    }
}
