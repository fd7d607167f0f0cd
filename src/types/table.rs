//! Where types live. A table is built, then never changes; its types may refer to one another in
//! circles (`struct node { struct node *next; }`), and to types of older tables, which it keeps
//! alive. A `Type` is a counted reference to a table and the number of a type in it.

use super::memo::Memo;
use super::scalar::{Kind, Scalar};
use super::target::Target;
use std::ffi::{CStr, CString};
use std::sync::{Arc, LazyLock, OnceLock, Weak};

/// No type is larger than this, in bytes, so that positions in bits and sums of sizes fit.
pub const MAX_SIZE: u64 = 1 << 56;
/// The largest alignment, in bytes, that can be asked for.
pub const MAX_ALIGN: u32 = 1 << 28;
/// Structs, unions and arrays stand in one another at most this deep, so that whoever walks through
/// them may recurse.
pub const MAX_NESTING: u32 = 256;
/// A signature has at most this many parameters.
pub const MAX_PARAMS: usize = 1 << 16;

/// `const`, `volatile` and so on of what a pointer points to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Qualifiers {
    /// `const`
    pub is_const: bool,
    /// `volatile`
    pub is_volatile: bool,
}

/// From one type to another: in the same table, or in one that is kept alive.
#[derive(Clone, Debug)]
pub enum Link {
    /// The number of a type in the same table.
    Local(u32),
    /// A scalar, or a type of another table.
    Type(Type),
}

/// What a type is made of.
#[derive(Clone, Debug)]
pub enum Data {
    /// A scalar, `void *` included.
    Scalar(Scalar),
    /// A pointer that knows what it points to.
    Pointer {
        /// What it points to; `None` is `void`.
        pointee: Option<Link>,
        /// How that is qualified.
        qualifiers: Qualifiers,
    },
    /// An array; one without a length is incomplete.
    Array {
        /// The type of an element.
        element: Link,
        /// How many elements.
        length: Option<u64>,
    },
    /// A vector as of `__attribute__((vector_size))`.
    Vector {
        /// The type of a lane.
        element: Link,
        /// How many lanes.
        lanes: u64,
    },
    /// A struct or a union.
    Record(Record),
    /// An enumeration.
    Enum {
        /// The tag.
        tag: Option<CString>,
        /// The integer type that the compiler picks for it; `None` while it is incomplete.
        underlying: Option<Scalar>,
        /// Its constants, in order.
        constants: Vec<Enumerator>,
    },
    /// A function.
    Function(Function),
}

/// A struct or a union.
#[derive(Clone, Debug)]
pub struct Record {
    /// It is a union.
    pub is_union: bool,
    /// The tag.
    pub tag: Option<CString>,
    /// The members, `None` while the record is incomplete.
    pub fields: Option<Vec<Field>>,
    /// The largest alignment of a member, without the record's own attribute: what AAPCS64
    /// (section 5.9) calls the natural alignment of a composite type.
    pub natural_align: u32,
}

/// A member of a record.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name; anonymous members and unnamed bit-fields have none.
    pub name: Option<CString>,
    /// Its type.
    pub link: Link,
    /// Where it begins, in bytes; a bit-field's byte that holds its first bit.
    pub offset: u64,
    /// A bit-field's first bit in that byte.
    pub bit_offset: u32,
    /// A bit-field's width in bits.
    pub bits: Option<u32>,
    /// A bit-field that fills an integer of its width where that is aligned in the record: gcc then treats
    /// it as such a member.
    pub is_whole_integer: bool,
    /// The alignment that was asked for in bytes, 0 if none.
    pub align: u32,
}

/// A constant of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumerator {
    /// Its name.
    pub name: Box<str>,
    /// Its value.
    pub value: i128,
}

/// How the parameters of a function are named where it is declared: no part of its type. One text
/// holds all names, with commas between them, since most functions have few or none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParameterNames(Box<str>);

impl ParameterNames {
    /// The names in order, those that parameters do not have too, with commas between them.
    pub fn new(text: &str) -> ParameterNames {
        ParameterNames(text.into())
    }

    /// The name of a parameter, if it has one.
    pub fn get(&self, index: usize) -> Option<&str> {
        self.0.split(',').nth(index).filter(|name| !name.is_empty())
    }
}

/// The calling convention that a declaration asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Convention {
    /// The target's own.
    #[default]
    Default = 0,
    /// System V, x86-64.
    SysV64 = 1,
    /// Microsoft, x86-64.
    Win64 = 2,
    /// AAPCS64.
    Aapcs64 = 3,
    /// AAPCS64 with Apple's differences.
    Apple64 = 4,
}

/// A function type, with the name of the function if it was declared with one.
#[derive(Clone, Debug)]
pub struct Function {
    /// The function's name, if it has one.
    pub name: Option<Arc<CStr>>,
    /// How it is called.
    pub convention: Convention,
    /// The type of its result.
    pub result: Link,
    /// The types of its parameters, extra arguments of a variadic call included.
    pub params: Vec<Link>,
    /// The names of its parameters.
    pub names: ParameterNames,
    /// How many of them are named; the rest are extra arguments.
    pub fixed: usize,
    /// It is variadic (its prototype ends in `...`).
    pub variadic: bool,
    /// Its variadic part is not known yet: it can't be called before `complete_variadic`.
    pub open: bool,
    /// What a later module found out about it.
    pub memo: Memo,
}

/// A type in a table.
#[derive(Debug)]
pub struct Node {
    pub(super) table: Weak<TypeTable>,
    pub(super) index: u32,
    /// The data model that it was made for.
    pub target: &'static Target,
    /// What it is made of.
    pub data: Data,
    /// Bytes; 0 for what is incomplete and for functions.
    pub size: u64,
    /// Bytes.
    pub align: u32,
    /// How deep types stand in it by value: 0 for a scalar, 1 for an array of scalars.
    pub(super) depth: u32,
    /// The same type without an alignment that a typedef gave it: the one that travels in calls.
    pub main_variant: Option<Link>,
    pub(super) text: OnceLock<CString>,
}

/// Types that are built together, live together and never change.
#[derive(Debug)]
pub struct TypeTable {
    pub(super) nodes: Vec<Node>,
}

/// Tables hold one another in chains of any length: they are let go one after the other, not each
/// from inside the one before.
impl Drop for TypeTable {
    fn drop(&mut self) {
        let mut tables = Vec::new();
        self.take_links(&mut tables);
        while let Some(table) = tables.pop() {
            if let Some(mut table) = Arc::into_inner(table) {
                table.take_links(&mut tables);
            }
        }
    }
}

impl TypeTable {
    fn take_links(&mut self, tables: &mut Vec<Arc<TypeTable>>) {
        for node in &mut self.nodes {
            node.data.take_links(tables);
            if let Some(link) = &mut node.main_variant {
                link.take(tables);
            }
        }
    }
}

impl Link {
    /// Both lead to the same type, seen from the same table.
    pub(super) fn is(&self, other: &Link) -> bool {
        match (self, other) {
            (Link::Local(a), Link::Local(b)) => a == b,
            (Link::Type(a), Link::Type(b)) => std::ptr::eq(a.node(), b.node()),
            _ => false,
        }
    }

    fn take(&mut self, tables: &mut Vec<Arc<TypeTable>>) {
        if let Link::Type(Type(Repr::Table(..))) = self
            && let Link::Type(Type(Repr::Table(table, _))) = std::mem::replace(self, Link::Local(0))
        {
            tables.push(table);
        }
    }
}

impl Data {
    fn take_links(&mut self, tables: &mut Vec<Arc<TypeTable>>) {
        match self {
            Data::Scalar(_) | Data::Enum { .. } => {}
            Data::Pointer { pointee, .. } => {
                if let Some(link) = pointee {
                    link.take(tables);
                }
            }
            Data::Array { element, .. } | Data::Vector { element, .. } => element.take(tables),
            Data::Record(record) => {
                for field in record.fields.iter_mut().flatten() {
                    field.link.take(tables);
                }
            }
            Data::Function(function) => {
                function.result.take(tables);
                for param in &mut function.params {
                    param.take(tables);
                }
            }
        }
    }
}

/// A counted reference to a type.
#[derive(Clone)]
pub struct Type(Repr);

#[derive(Clone)]
enum Repr {
    Static(&'static Node),
    Table(Arc<TypeTable>, u32),
}

/// A borrowed type, with what is needed to follow its links.
#[derive(Clone, Copy)]
pub struct TypeRef<'a> {
    pub(super) nodes: &'a [Node],
    /// The type itself.
    pub node: &'a Node,
}

type ScalarNodes = LazyLock<Vec<Node>>;

fn scalar_nodes(target: &'static Target) -> Vec<Node> {
    let node = |&scalar: &Scalar| {
        let (size, align) = scalar.kind(target).layout(target).unwrap_or((0, 1));
        let text = OnceLock::new();
        // Filling a new cell cannot fail.
        let _ = text.set(scalar.spelling().to_owned());
        Node {
            table: Weak::new(),
            index: 0,
            target,
            data: Data::Scalar(scalar),
            size,
            align,
            depth: 0,
            main_variant: None,
            text,
        }
    };
    Scalar::ALL.iter().map(node).collect()
}

static LINUX_X86_64: ScalarNodes = LazyLock::new(|| scalar_nodes(&super::target::LINUX_X86_64));
static LINUX_AARCH64: ScalarNodes = LazyLock::new(|| scalar_nodes(&super::target::LINUX_AARCH64));
static APPLE_AARCH64: ScalarNodes = LazyLock::new(|| scalar_nodes(&super::target::APPLE_AARCH64));
static WINDOWS_X86_64: ScalarNodes = LazyLock::new(|| scalar_nodes(&super::target::WINDOWS_X86_64));

impl Type {
    /// A scalar type. These are static: they cost nothing to copy.
    pub fn scalar(scalar: Scalar, target: &'static Target) -> Type {
        use super::target::Model;
        let nodes = match target.model {
            Model::LinuxX86_64 => &LINUX_X86_64,
            Model::LinuxAarch64 => &LINUX_AARCH64,
            Model::AppleAarch64 => &APPLE_AARCH64,
            Model::WindowsX86_64 => &WINDOWS_X86_64,
        };
        Type(Repr::Static(&nodes[scalar as usize]))
    }

    /// The type with this number in a table.
    pub fn in_table(table: Arc<TypeTable>, index: u32) -> Type {
        Type(Repr::Table(table, index))
    }

    /// The table that holds it; `None` for a static scalar.
    pub fn table(&self) -> Option<&Arc<TypeTable>> {
        match &self.0 {
            Repr::Static(_) => None,
            Repr::Table(table, _) => Some(table),
        }
    }

    /// The reference to the table that holds it, given up by the type.
    pub fn into_table(self) -> Option<Arc<TypeTable>> {
        match self.0 {
            Repr::Static(_) => None,
            Repr::Table(table, _) => Some(table),
        }
    }

    /// Borrows it.
    pub fn get(&self) -> TypeRef<'_> {
        match &self.0 {
            Repr::Static(node) => TypeRef { nodes: &[], node },
            Repr::Table(table, index) => TypeRef {
                nodes: &table.nodes,
                node: &table.nodes[*index as usize],
            },
        }
    }

    /// Its node, at an address that stays for as long as the type lives.
    pub fn node(&self) -> &Node {
        self.get().node
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        self.get().kind()
    }

    /// The type that a link of this type's node leads to.
    pub fn follow(&self, link: &Link) -> Type {
        match (link, &self.0) {
            (Link::Type(ty), _) => ty.clone(),
            (Link::Local(index), Repr::Table(table, _)) => {
                Type(Repr::Table(Arc::clone(table), *index))
            }
            // A static scalar has no links.
            (Link::Local(_), Repr::Static(_)) => self.clone(),
        }
    }
}

impl std::fmt::Debug for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.get().name().to_string_lossy())
    }
}

impl Node {
    /// The table that it is in; `None` for a static scalar.
    pub fn table(&self) -> Option<Arc<TypeTable>> {
        self.table.upgrade()
    }

    /// A counted reference to this node's type.
    pub fn to_type(&self) -> Option<Type> {
        match (self.table.upgrade(), &self.data) {
            (Some(table), _) => Some(Type(Repr::Table(table, self.index))),
            (None, Data::Scalar(scalar)) => Some(Type::scalar(*scalar, self.target)),
            (None, _) => None,
        }
    }
}

impl<'a> TypeRef<'a> {
    /// The type that a link of this type's node leads to.
    pub fn follow(self, link: &'a Link) -> TypeRef<'a> {
        match link {
            Link::Type(ty) => ty.get(),
            Link::Local(index) => TypeRef {
                nodes: self.nodes,
                node: &self.nodes[*index as usize],
            },
        }
    }

    /// Its kind.
    pub fn kind(self) -> Kind {
        match &self.node.data {
            Data::Scalar(scalar) => scalar.kind(self.node.target),
            Data::Pointer { .. } => Kind::Pointer,
            Data::Array { .. } => Kind::Array,
            Data::Vector { .. } => Kind::Vector,
            Data::Record(record) if record.is_union => Kind::Union,
            Data::Record(_) => Kind::Struct,
            Data::Enum { .. } => Kind::Enum,
            Data::Function(_) => Kind::Function,
        }
    }

    /// The kind of the value as it travels: an enumeration's integer kind, else the kind.
    pub fn value_kind(self) -> Kind {
        match &self.node.data {
            Data::Enum { underlying, .. } => {
                underlying.map_or(Kind::I32, |scalar| scalar.kind(self.node.target))
            }
            _ => self.kind(),
        }
    }

    /// Bytes.
    pub fn size(self) -> u64 {
        self.node.size
    }

    /// Bytes.
    pub fn align(self) -> u32 {
        self.node.align
    }

    /// It has a size: not `void`, a function, or a type whose declaration is unfinished.
    pub fn is_complete(self) -> bool {
        match &self.node.data {
            Data::Scalar(Scalar::Void) | Data::Function(_) => false,
            Data::Array { element, length } => {
                length.is_some() && self.follow(element).is_complete()
            }
            Data::Record(record) => record.fields.is_some(),
            Data::Enum { underlying, .. } => underlying.is_some(),
            _ => true,
        }
    }

    /// The type without an alignment given by a typedef.
    pub fn main_variant(self) -> TypeRef<'a> {
        match &self.node.main_variant {
            Some(link) => self.follow(link),
            None => self,
        }
    }

    /// The function type, of a function or a pointer to one.
    pub fn function(self) -> Option<(TypeRef<'a>, &'a Function)> {
        match &self.node.data {
            Data::Function(function) => Some((self, function)),
            Data::Pointer {
                pointee: Some(link),
                ..
            } => {
                let pointee = self.follow(link);
                match &pointee.node.data {
                    Data::Function(function) => Some((pointee, function)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// What to call it in a message: its name, and its size where that says something.
    pub fn describe(self) -> String {
        let name = self.name().to_string_lossy();
        match self.kind() {
            Kind::Struct | Kind::Union | Kind::Array | Kind::Vector if self.is_complete() => {
                format!("{name} ({} bytes)", self.size())
            }
            _ => name.into_owned(),
        }
    }
}

impl Record {
    /// The tag, if it has one.
    pub fn tag(&self) -> Option<&CStr> {
        self.tag.as_deref()
    }
}
