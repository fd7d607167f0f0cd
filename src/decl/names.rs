//! What the names in C text stand for: C keeps tags apart from all other names.

use crate::types::{Kind, Link, Qualifiers, Type, TypeTable};
use hashbrown::HashMap;
use std::ffi::{CStr, CString};
use std::sync::Arc;

/// What kind of declaration a name comes from. The numbers are those of the C API's
/// `fc_decl_kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum DeclarationKind {
    /// A tag (`struct point`) or a typedef name.
    Type = 1,
    /// A function.
    Function = 2,
    /// A variable.
    Variable = 3,
    /// An enumerator, or a macro that is an integer constant.
    Constant = 4,
}

/// A type with the qualifiers that stand outermost, which only matter once something points to it.
#[derive(Clone, Debug)]
pub(super) struct Qualified {
    pub(super) link: Link,
    pub(super) qualifiers: Qualifiers,
}

impl Qualified {
    /// A type without qualifiers.
    pub(super) fn plain(link: Link) -> Qualified {
        Qualified {
            link,
            qualifiers: Qualifiers::default(),
        }
    }
}

/// Where something was declared, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    /// Which of the texts, from 0.
    pub(super) text: u32,
    /// The line in it, from 1.
    pub(super) line: u32,
}

/// The three kinds of tags, which share one set of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TagKind {
    Struct,
    Union,
    Enum,
}

impl TagKind {
    /// The keyword.
    pub(super) fn keyword(self) -> &'static str {
        match self {
            TagKind::Struct => "struct",
            TagKind::Union => "union",
            TagKind::Enum => "enum",
        }
    }
}

/// What a tag stands for.
#[derive(Clone, Debug)]
pub(super) struct Tag {
    pub(super) kind: TagKind,
    pub(super) link: Link,
    pub(super) complete: bool,
    pub(super) origin: Origin,
}

/// An integer constant: its value, wrapped to its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) bits: i128,
    /// An integer kind.
    pub(super) kind: Kind,
}

/// What a name that is no tag stands for.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// A typedef name.
    Type(Qualified),
    /// A function. Of one declared as `f()` the parameters are not known.
    Function {
        link: Link,
        unspecified: bool,
        label: Option<CString>,
    },
    /// A variable.
    Variable(Link),
    /// An enumerator.
    Constant(Value),
}

impl Meaning {
    /// What it is, in a message.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Meaning::Type(_) => "a type",
            Meaning::Function { .. } => "a function",
            Meaning::Variable(_) => "a variable",
            Meaning::Constant(_) => "a constant",
        }
    }
}

/// A name that is no tag, and where it was declared.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) meaning: Meaning,
    pub(super) origin: Origin,
}

/// Names and what they stand for.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) tags: HashMap<Box<str>, Tag>,
    pub(super) others: HashMap<Box<str>, Named>,
    /// Everything in the order of the text.
    pub(super) list: Vec<(DeclarationKind, Arc<CStr>)>,
}

impl Names {
    /// Takes over the names of a text whose types are in `table`.
    pub(super) fn merge(&mut self, mut new: Names, table: &Arc<TypeTable>) {
        let settle = |link: &mut Link| {
            if let Link::Local(index) = *link {
                *link = Link::Type(Type::in_table(Arc::clone(table), index));
            }
        };
        for tag in new.tags.values_mut() {
            settle(&mut tag.link);
        }
        for named in new.others.values_mut() {
            match &mut named.meaning {
                Meaning::Type(Qualified { link, .. })
                | Meaning::Function { link, .. }
                | Meaning::Variable(link) => settle(link),
                Meaning::Constant(_) => {}
            }
        }
        // The first text is mostly the only one.
        if self.list.is_empty() {
            *self = new;
            return;
        }
        self.tags.extend(new.tags);
        self.others.extend(new.others);
        self.list.extend(new.list);
    }
}
