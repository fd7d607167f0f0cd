//! Where types live. A table is built, then never changes; its types may refer to one another in
//! circles (`struct node { struct node *next; }`), and to types of older tables, which it keeps
//! alive. A `Type` is a counted reference to a table and the number of a type in it.

use super::layout::{self, FieldSpec, RecordOptions};
use super::scalar::{Kind, Scalar};
use super::target::Target;
use crate::error::{Error, Result};
use std::ffi::{CStr, CString};
use std::sync::{Arc, LazyLock, OnceLock, Weak};

/// No type is larger than this, in bytes, so that positions in bits and sums of sizes fit.
pub const MAX_SIZE: u64 = 1 << 56;
/// The largest alignment, in bytes, that can be asked for.
pub const MAX_ALIGN: u32 = 1 << 28;
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
    /// The alignment that was asked for in bytes, 0 if none.
    pub align: u32,
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
    /// The function's name, empty if it has none.
    pub name: CString,
    /// How it is called.
    pub convention: Convention,
    /// The type of its result.
    pub result: Link,
    /// The types of its parameters, extra arguments of a variadic call included.
    pub params: Vec<Link>,
    /// How many of them are named; the rest are extra arguments.
    pub fixed: usize,
    /// It is variadic (its prototype ends in `...`).
    pub variadic: bool,
    /// Its variadic part is not known yet: it can't be called before `complete_variadic`.
    pub open: bool,
}

/// A type in a table.
#[derive(Debug)]
pub struct Node {
    table: Weak<TypeTable>,
    index: u32,
    /// The data model that it was made for.
    pub target: &'static Target,
    /// What it is made of.
    pub data: Data,
    /// Bytes; 0 for what is incomplete and for functions.
    pub size: u64,
    /// Bytes.
    pub align: u32,
    /// The same type without an alignment that a typedef gave it: the one that travels in calls.
    pub main_variant: Option<Link>,
    pub(super) text: OnceLock<CString>,
}

/// Types that are built together, live together and never change.
#[derive(Debug)]
pub struct TypeTable {
    nodes: Box<[Node]>,
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
    nodes: &'a [Node],
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

/// Builds the types of a table.
pub struct TypeBuilder {
    target: &'static Target,
    nodes: Vec<Node>,
}

impl TypeBuilder {
    /// An empty table for a target.
    pub fn new(target: &'static Target) -> TypeBuilder {
        TypeBuilder {
            target,
            nodes: Vec::new(),
        }
    }

    /// The target that types are laid out for.
    pub fn target(&self) -> &'static Target {
        self.target
    }

    /// Borrows a type that is being built, or any other.
    pub fn get<'a>(&'a self, link: &'a Link) -> TypeRef<'a> {
        match link {
            Link::Type(ty) => ty.get(),
            Link::Local(index) => TypeRef {
                nodes: &self.nodes,
                node: &self.nodes[*index as usize],
            },
        }
    }

    fn push(&mut self, data: Data, size: u64, align: u32) -> Link {
        // Node numbers fit: every one takes text or a call to make.
        let index = self.nodes.len() as u32;
        if index == 0 {
            // Many tables hold one type: a function's. Then nothing has to be moved to finish.
            self.nodes = Vec::with_capacity(1);
        }
        self.nodes.push(Node {
            table: Weak::new(),
            index,
            target: self.target,
            data,
            size,
            align,
            main_variant: None,
            text: OnceLock::new(),
        });
        Link::Local(index)
    }

    /// A scalar.
    pub fn scalar(&self, scalar: Scalar) -> Link {
        Link::Type(Type::scalar(scalar, self.target))
    }

    /// A pointer; without a pointee one to `void`.
    pub fn pointer(&mut self, pointee: Option<Link>, qualifiers: Qualifiers) -> Link {
        if pointee.is_none() && qualifiers == Qualifiers::default() {
            return self.scalar(Scalar::Pointer);
        }
        self.push(
            Data::Pointer {
                pointee,
                qualifiers,
            },
            8,
            8,
        )
    }

    /// An array; without a length it is incomplete.
    pub fn array(&mut self, element: Link, length: Option<u64>) -> Result<Link> {
        let view = self.get(&element);
        if !view.is_complete() {
            let why = match view.kind() {
                Kind::Function => "a function has no size; use a pointer to it",
                Kind::Void => "void has no size",
                _ => "its type is incomplete",
            };
            return Err(Error::argument(format!(
                "array element {}: {why}",
                view.describe()
            )));
        }
        let align = view.align();
        let size = view
            .size()
            .checked_mul(length.unwrap_or(0))
            .filter(|&size| size <= MAX_SIZE)
            .ok_or_else(|| {
                Error::limit(format!(
                    "array of {}: larger than 2^56 bytes",
                    view.describe()
                ))
            })?;
        Ok(self.push(Data::Array { element, length }, size, align))
    }

    /// A vector of integers or floats; the number of lanes is a power of two.
    pub fn vector(&mut self, element: Link, lanes: u64) -> Result<Link> {
        let view = self.get(&element);
        let kind = view.kind();
        let lane_fits = (kind.is_integer() && kind != Kind::Bool || kind.is_float())
            && !matches!(kind, Kind::LongDouble);
        if !lane_fits {
            return Err(Error::argument(format!(
                "vector lane: expected an integer or a float, got {}",
                view.describe()
            )));
        }
        let size = view
            .size()
            .checked_mul(lanes)
            .filter(|&size| size <= 1 << 16);
        match size {
            Some(size) if lanes.is_power_of_two() => {
                Ok(self.push(Data::Vector { element, lanes }, size, size as u32))
            }
            _ => Err(Error::argument(format!(
                "vector of {} lanes of {}: expected a power of two, and at most 65536 bytes",
                lanes,
                view.describe()
            ))),
        }
    }

    /// A struct or union whose members are not known yet.
    pub fn declare_record(&mut self, is_union: bool, tag: Option<CString>) -> Link {
        let record = Record {
            is_union,
            tag,
            fields: None,
            natural_align: 1,
        };
        self.push(Data::Record(record), 0, 1)
    }

    /// Gives a record of this table its members.
    pub fn define_record(
        &mut self,
        link: &Link,
        specs: Vec<FieldSpec>,
        options: &RecordOptions,
    ) -> Result<()> {
        let Link::Local(index) = *link else {
            return Err(Error::argument(
                "a record of another table cannot be changed",
            ));
        };
        let Data::Record(record) = &self.nodes[index as usize].data else {
            return Err(Error::argument("not a struct or union"));
        };
        let placed = layout::place(self, record.is_union, specs, options)?;
        let node = &mut self.nodes[index as usize];
        if let Data::Record(record) = &mut node.data {
            record.fields = Some(placed.fields);
            record.natural_align = placed.natural_align;
        }
        node.size = placed.size;
        node.align = placed.align;
        Ok(())
    }

    /// An enumeration; without an integer type it is incomplete.
    pub fn enumeration(&mut self, tag: Option<CString>, underlying: Option<Scalar>) -> Link {
        let link = self.push(
            Data::Enum {
                tag,
                underlying: None,
            },
            0,
            1,
        );
        if let Some(scalar) = underlying {
            self.define_enumeration(&link, scalar);
        }
        link
    }

    /// Gives an enumeration of this table its integer type.
    pub fn define_enumeration(&mut self, link: &Link, scalar: Scalar) {
        let (size, align) = scalar
            .kind(self.target)
            .layout(self.target)
            .unwrap_or((4, 4));
        if let Link::Local(index) = *link {
            let node = &mut self.nodes[index as usize];
            if let Data::Enum { underlying, .. } = &mut node.data {
                *underlying = Some(scalar);
                node.size = size;
                node.align = align;
            }
        }
    }

    /// A function. Parameters of array and function type have decayed to pointers before.
    pub fn function(&mut self, function: Function) -> Result<Link> {
        if function.params.len() > MAX_PARAMS {
            return Err(Error::limit(format!(
                "{} parameters: the limit is {MAX_PARAMS}",
                function.params.len()
            )));
        }
        for (index, param) in function.params.iter().enumerate() {
            let view = self.get(param);
            let why = match view.kind() {
                Kind::Void => "void is not a parameter's type",
                Kind::Array => "an array cannot be passed by value; use a pointer to its element",
                Kind::Function => "a function cannot be passed by value; use a pointer to it",
                _ => continue,
            };
            let place = format!("parameter {}", index + 1);
            return Err(Error::argument(format!("{}: {why}", view.describe())).within(place));
        }
        let result = self.get(&function.result);
        if matches!(result.kind(), Kind::Array | Kind::Function) {
            return Err(Error::argument(format!(
                "result: a function cannot return {}",
                result.describe()
            )));
        }
        Ok(self.push(Data::Function(function), 0, 1))
    }

    /// The same type with the alignment that a typedef gives it, in bytes, larger or smaller.
    pub fn realigned(&mut self, link: &Link, align: u32) -> Link {
        let view = self.get(link);
        let size = view.size();
        let main_variant = match &view.node.main_variant {
            Some(main) => main.clone(),
            None => link.clone(),
        };
        // Links of a type of another table would not lead anywhere in this one.
        let data = match (link, &view.node.data) {
            (Link::Local(_), data) => data.clone(),
            (Link::Type(ty), data) => relinked(ty, data),
        };
        let new = self.push(data, size, align);
        if let Link::Local(index) = new {
            self.nodes[index as usize].main_variant = Some(main_variant);
        }
        new
    }

    /// A function type that differs from another by what `change` does to it; `None` if that is
    /// no function type.
    pub fn function_like(
        &mut self,
        link: &Link,
        change: impl FnOnce(&mut Function),
    ) -> Option<Link> {
        let data = match (link, &self.get(link).node.data) {
            (Link::Type(ty), data @ Data::Function(_)) => relinked(ty, data),
            (_, data) => data.clone(),
        };
        let Data::Function(mut function) = data else {
            return None;
        };
        change(&mut function);
        Some(self.push(Data::Function(function), 0, 1))
    }

    /// The finished table.
    pub fn finish(self) -> Arc<TypeTable> {
        let mut nodes = self.nodes;
        Arc::new_cyclic(|table| {
            for node in &mut nodes {
                node.table = Weak::clone(table);
            }
            TypeTable {
                nodes: nodes.into_boxed_slice(),
            }
        })
    }

    /// The finished table's type that a link led to.
    pub fn finish_with(self, link: Link) -> Type {
        match link {
            Link::Type(ty) => ty,
            Link::Local(index) => Type::in_table(self.finish(), index),
        }
    }
}

/// The data of another table's type, with links that lead there from anywhere.
fn relinked(ty: &Type, data: &Data) -> Data {
    let outward = |link: &Link| Link::Type(ty.follow(link));
    match data {
        Data::Scalar(_) | Data::Enum { .. } => data.clone(),
        Data::Pointer {
            pointee,
            qualifiers,
        } => Data::Pointer {
            pointee: pointee.as_ref().map(outward),
            qualifiers: *qualifiers,
        },
        Data::Array { element, length } => Data::Array {
            element: outward(element),
            length: *length,
        },
        Data::Vector { element, lanes } => Data::Vector {
            element: outward(element),
            lanes: *lanes,
        },
        Data::Record(record) => {
            let mut record = record.clone();
            for field in record.fields.iter_mut().flatten() {
                field.link = outward(&field.link);
            }
            Data::Record(record)
        }
        Data::Function(function) => {
            let mut function = function.clone();
            function.result = outward(&function.result);
            for param in &mut function.params {
                *param = outward(param);
            }
            Data::Function(function)
        }
    }
}

impl Record {
    /// The tag, if it has one.
    pub fn tag(&self) -> Option<&CStr> {
        self.tag.as_deref()
    }
}
