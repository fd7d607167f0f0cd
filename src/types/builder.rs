//! Building the types of a table.

use super::layout::{self, FieldSpec, RecordOptions};
use super::scalar::{Kind, Scalar};
use super::table::{
    Data, Enumerator, Function, Link, MAX_NESTING, MAX_PARAMS, MAX_SIZE, Node, Qualifiers, Record,
    Type, TypeRef, TypeTable,
};
use super::target::Target;
use crate::error::{Error, Result};
use std::ffi::CString;
use std::sync::{Arc, OnceLock, Weak};

/// Builds the types of a table.
pub struct TypeBuilder {
    target: &'static Target,
    nodes: Vec<Node>,
    pointers: Pointers,
}

impl TypeBuilder {
    /// An empty table for a target.
    pub fn new(target: &'static Target) -> TypeBuilder {
        TypeBuilder {
            target,
            nodes: Vec::new(),
            pointers: Pointers::default(),
        }
    }

    /// Makes room for this many types.
    pub fn reserve(&mut self, types: usize) {
        self.nodes.reserve(types);
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

    /// How deep types stand in what is made of these.
    fn nesting<'a>(&self, parts: impl Iterator<Item = &'a Link>) -> Result<u32> {
        let deepest = parts
            .map(|link| self.get(link).node.depth)
            .max()
            .unwrap_or(0);
        match deepest < MAX_NESTING {
            true => Ok(deepest + 1),
            false => Err(Error::limit(format!(
                "structs, unions and arrays are nested more than {MAX_NESTING} deep"
            ))),
        }
    }

    /// Sets how deep types stand in a type that has just been made.
    fn set_depth(&mut self, link: &Link, depth: u32) {
        if let Link::Local(index) = *link {
            self.nodes[index as usize].depth = depth;
        }
    }

    fn push(&mut self, data: Data, size: u64, align: u32) -> Link {
        // Node numbers fit: every one takes text or a call to make.
        let index = self.nodes.len() as u32;
        if self.nodes.capacity() == 0 {
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
            depth: 0,
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
        let slot = match self.nodes.len() {
            0..FEW => None,
            _ => Some(Pointers::slot(pointee.as_ref(), qualifiers)),
        };
        if let Some(slot) = slot
            && let Some(index) = self.pointers.get(slot)
            && let Data::Pointer {
                pointee: known,
                qualifiers: of_known,
            } = &self.nodes[index as usize].data
            && *of_known == qualifiers
            && match (known, &pointee) {
                (Some(a), Some(b)) => a.is(b),
                (a, b) => a.is_none() && b.is_none(),
            }
        {
            return Link::Local(index);
        }
        let data = Data::Pointer {
            pointee,
            qualifiers,
        };
        let link = self.push(data, 8, 8);
        if let (Some(slot), Link::Local(index)) = (slot, &link) {
            self.pointers.set(slot, *index);
        }
        link
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
        let depth = self.nesting([&element].into_iter())?;
        let link = self.push(Data::Array { element, length }, size, align);
        self.set_depth(&link, depth);
        Ok(link)
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
                let align = (size as u32).min(self.target.max_vector_align);
                Ok(self.push(Data::Vector { element, lanes }, size, align))
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
        let depth = self.nesting(specs.iter().map(|spec| &spec.link))?;
        let placed = layout::place(self, record.is_union, specs, options)?;
        let node = &mut self.nodes[index as usize];
        if let Data::Record(record) = &mut node.data {
            record.fields = Some(placed.fields);
            record.natural_align = placed.natural_align;
        }
        node.size = placed.size;
        node.align = placed.align;
        node.depth = depth;
        Ok(())
    }

    /// An enumeration; without an integer type it is incomplete.
    pub fn enumeration(&mut self, tag: Option<CString>, underlying: Option<Scalar>) -> Link {
        let link = self.push(
            Data::Enum {
                tag,
                underlying: None,
                constants: Vec::new(),
            },
            0,
            1,
        );
        if let Some(scalar) = underlying {
            self.define_enumeration(&link, scalar, Vec::new());
        }
        link
    }

    /// Gives an enumeration of this table its integer type and its constants.
    pub fn define_enumeration(&mut self, link: &Link, scalar: Scalar, list: Vec<Enumerator>) {
        let (size, align) = scalar
            .kind(self.target)
            .layout(self.target)
            .unwrap_or((4, 4));
        if let Link::Local(index) = *link {
            let node = &mut self.nodes[index as usize];
            if let Data::Enum {
                underlying,
                constants,
                ..
            } = &mut node.data
            {
                *underlying = Some(scalar);
                *constants = list;
                node.size = size;
                node.align = align;
            }
        }
    }

    /// A function. Parameters of array and function type have decayed to pointers before.
    pub fn function(&mut self, function: Function) -> Result<Link> {
        check_parameter_count(function.params.len())?;
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
                "result: a function cannot return {}; use a pointer to it",
                result.describe()
            )));
        }
        Ok(self.push(Data::Function(function), 0, 1))
    }

    /// The same type with the alignment that a typedef gives it, in bytes, larger or smaller.
    pub fn realigned(&mut self, link: &Link, align: u32) -> Link {
        let view = self.get(link);
        let (size, depth) = (view.size(), view.node.depth);
        let main_variant = match (&view.node.main_variant, link) {
            (None, _) => link.clone(),
            (Some(main), Link::Local(_)) => main.clone(),
            (Some(main), Link::Type(ty)) => Link::Type(ty.follow(main)),
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
        self.set_depth(&new, depth);
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
        // To move them costs more than the little room that is mostly left.
        if nodes.len() < nodes.capacity() / 2 {
            nodes.shrink_to_fit();
        }
        Arc::new_cyclic(|table| {
            for node in &mut nodes {
                node.table = Weak::clone(table);
            }
            TypeTable { nodes }
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

/// Tables of fewer types than this are not searched for a pointer that is there already.
const FEW: usize = 16;

/// How many pointers are remembered, a power of two.
const REMEMBERED: usize = 256;

/// The pointers that were made last. A header has thousands of parameters that are pointers to a
/// few dozen types, and one node does for all that point to the same type.
#[derive(Default)]
struct Pointers(Vec<u32>);

impl Pointers {
    /// Where a pointer is remembered, if it is.
    fn slot(pointee: Option<&Link>, qualifiers: Qualifiers) -> usize {
        let place = match pointee {
            None => 0,
            Some(Link::Local(index)) => *index as usize,
            Some(Link::Type(ty)) => std::ptr::from_ref(ty.node()).addr() / size_of::<Node>(),
        };
        let qualified = usize::from(qualifiers.is_const) + 2 * usize::from(qualifiers.is_volatile);
        (place * 4 + qualified) % REMEMBERED
    }

    fn get(&self, slot: usize) -> Option<u32> {
        self.0.get(slot).copied().filter(|&index| index != u32::MAX)
    }

    fn set(&mut self, slot: usize, index: u32) {
        if self.0.is_empty() {
            self.0 = vec![u32::MAX; REMEMBERED];
        }
        self.0[slot] = index;
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

/// Whether a function can have so many parameters.
pub fn check_parameter_count(count: usize) -> Result<()> {
    match count <= MAX_PARAMS {
        true => Ok(()),
        false => Err(Error::limit(format!(
            "{count} parameters: the limit is {MAX_PARAMS}"
        ))),
    }
}
