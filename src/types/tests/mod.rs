//! Tests of types.

mod bit_fields;
mod equality;
mod lifetimes;
mod members;
mod messages;
mod names;
mod records;
mod scalars;
mod signatures;

use super::target::{APPLE_AARCH64, LINUX_AARCH64, LINUX_X86_64};
use super::{Data, FieldSpec, Link, RecordOptions, Scalar, Target, Type, TypeBuilder, TypeRef};
use std::ffi::CString;

/// A type in a few words, for any target.
enum Of {
    Scalar(Scalar),
    Array(Box<Of>, Option<u64>),
    Vector(Box<Of>, u64),
    Enum(Scalar),
    Realigned(Box<Of>, u32),
    Record(Record),
}

struct Record {
    is_union: bool,
    members: Vec<Member>,
    options: RecordOptions,
}

/// A member; its name comes from its place: a, b, c and so on.
struct Member {
    of: Of,
    bits: Option<u32>,
    unnamed: bool,
    align: u32,
    packed: bool,
}

impl From<Scalar> for Of {
    fn from(scalar: Scalar) -> Of {
        Of::Scalar(scalar)
    }
}

impl From<Record> for Of {
    fn from(record: Record) -> Of {
        Of::Record(record)
    }
}

fn array(of: impl Into<Of>, length: u64) -> Of {
    Of::Array(Box::new(of.into()), Some(length))
}

fn flexible(of: impl Into<Of>) -> Of {
    Of::Array(Box::new(of.into()), None)
}

fn vector(of: impl Into<Of>, lanes: u64) -> Of {
    Of::Vector(Box::new(of.into()), lanes)
}

fn enumeration(underlying: Scalar) -> Of {
    Of::Enum(underlying)
}

fn realigned(of: impl Into<Of>, align: u32) -> Of {
    Of::Realigned(Box::new(of.into()), align)
}

fn record(members: Vec<Member>) -> Record {
    Record {
        is_union: false,
        members,
        options: RecordOptions::default(),
    }
}

fn union(members: Vec<Member>) -> Record {
    Record {
        is_union: true,
        ..record(members)
    }
}

fn packed(mut record: Record) -> Record {
    record.options.packed = true;
    record
}

fn aligned(mut record: Record, align: u32) -> Record {
    record.options.align = align;
    record
}

fn pack(mut record: Record, pack: u32) -> Record {
    record.options.pack = pack;
    record
}

fn m(of: impl Into<Of>) -> Member {
    Member {
        of: of.into(),
        bits: None,
        unnamed: false,
        align: 0,
        packed: false,
    }
}

impl Member {
    fn bits(mut self, bits: u32) -> Member {
        self.bits = Some(bits);
        self
    }

    fn unnamed(mut self) -> Member {
        self.unnamed = true;
        self
    }

    fn aligned(mut self, align: u32) -> Member {
        self.align = align;
        self
    }

    fn packed(mut self) -> Member {
        self.packed = true;
        self
    }
}

fn build(types: &mut TypeBuilder, of: &Of) -> Link {
    match of {
        Of::Scalar(scalar) => types.scalar(*scalar),
        Of::Array(element, length) => {
            let element = build(types, element);
            types.array(element, *length).unwrap()
        }
        Of::Vector(element, lanes) => {
            let element = build(types, element);
            types.vector(element, *lanes).unwrap()
        }
        Of::Enum(underlying) => types.enumeration(None, Some(*underlying)),
        Of::Realigned(of, align) => {
            let link = build(types, of);
            types.realigned(&link, *align)
        }
        Of::Record(record) => {
            let link = types.declare_record(record.is_union, None);
            let specs = specs(types, &record.members);
            types.define_record(&link, specs, &record.options).unwrap();
            link
        }
    }
}

fn specs(types: &mut TypeBuilder, members: &[Member]) -> Vec<FieldSpec> {
    let spec = |(member, name): (&Member, char)| FieldSpec {
        name: (!member.unnamed).then(|| CString::new(name.to_string()).unwrap()),
        link: build(types, &member.of),
        bits: member.bits,
        align: member.align,
        packed: member.packed,
    };
    members.iter().zip('a'..).map(spec).collect()
}

fn make(target: &'static Target, of: impl Into<Of>) -> Type {
    let mut types = TypeBuilder::new(target);
    let link = build(&mut types, &of.into());
    types.finish_with(link)
}

/// The first bits of a record's named members.
fn positions(ty: TypeRef<'_>) -> Vec<u64> {
    let Data::Record(record) = &ty.node.data else {
        panic!("no record");
    };
    let named = record
        .fields
        .iter()
        .flatten()
        .filter(|field| field.name.is_some());
    named
        .map(|field| field.offset * 8 + u64::from(field.bit_offset))
        .collect()
}

/// Size, alignment, and the named members' first bits.
type Layout = (u64, u32, &'static [u64]);

/// Checks the layout on each target. That of macOS is x86-64's, but for `long double`.
fn case(text: &str, of: Record, x86_64: Layout, aarch64: Layout) {
    let of = Of::Record(of);
    let mut targets = vec![(&LINUX_X86_64, x86_64), (&LINUX_AARCH64, aarch64)];
    if !text.contains("long double") {
        targets.push((&APPLE_AARCH64, x86_64));
    }
    for (target, expected) in targets {
        let mut types = TypeBuilder::new(target);
        let link = build(&mut types, &of);
        let view = types.get(&link);
        let found = (view.size(), view.align(), &positions(view)[..]);
        assert_eq!(found, expected, "{}: {text}", target.name);
    }
}
