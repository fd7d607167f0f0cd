//! Where the members of a struct or union stand, bit-fields included, as gcc and clang place them
//! for the System V and AAPCS64 ABIs (x86-64 psABI 3.1.2, AAPCS64 5.9 and 10.1.8), and gcc for Windows.

use super::builder::TypeBuilder;
use super::scalar::Kind;
use super::table::{Data, Field, Link, MAX_ALIGN, MAX_SIZE};
use super::target::BitFields;
use crate::error::{Error, Result};
use hashbrown::HashSet;
use std::ffi::CString;

/// A member as it is declared.
#[derive(Clone, Debug)]
pub struct FieldSpec {
    /// Its name; anonymous members and unnamed bit-fields have none.
    pub name: Option<CString>,
    /// Its type.
    pub link: Link,
    /// The width of a bit-field in bits; 0 is `: 0`.
    pub bits: Option<u32>,
    /// `_Alignas` or `__attribute__((aligned))` in bytes; 0: none.
    pub align: u32,
    /// `__attribute__((packed))` on the member.
    pub packed: bool,
}

/// How a whole record is declared.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordOptions {
    /// `__attribute__((packed))` on the record.
    pub packed: bool,
    /// `#pragma pack(n)` in bytes; 0: none.
    pub pack: u32,
    /// `__attribute__((aligned))` on the record in bytes; 0: none.
    pub align: u32,
}

/// A record whose members have their places.
pub(super) struct Placed {
    pub(super) fields: Vec<Field>,
    pub(super) size: u64,
    pub(super) align: u32,
    pub(super) natural_align: u32,
}

/// Where a member stands, in bits of its record.
struct Spot {
    /// Its first bit.
    bit: u64,
    /// The alignment in bytes that it gives the record.
    align: u32,
    /// The first bit behind what it takes.
    end: u64,
}

fn check_align(align: u32, place: &str) -> Result<()> {
    if align != 0 && (!align.is_power_of_two() || align > MAX_ALIGN) {
        return Err(Error::argument(format!(
            "{place}: alignment {align}: expected a power of two, at most {MAX_ALIGN}"
        )));
    }
    Ok(())
}

fn check_names(specs: &[FieldSpec]) -> Result<()> {
    let mut names = HashSet::with_capacity(specs.len());
    for name in specs.iter().filter_map(|spec| spec.name.as_deref()) {
        if !names.insert(name) {
            let name = name.to_string_lossy();
            return Err(Error::argument(format!("member {name} is declared twice")));
        }
    }
    Ok(())
}

/// The name of a member for a message.
fn describe(spec: &FieldSpec, index: usize) -> String {
    match &spec.name {
        Some(name) => format!("member {}", name.to_string_lossy()),
        None => format!("member {}", index + 1),
    }
}

fn round_up(value: u64, unit: u64) -> u64 {
    value.div_ceil(unit) * unit
}

pub(super) fn place(
    types: &TypeBuilder,
    is_union: bool,
    specs: Vec<FieldSpec>,
    options: &RecordOptions,
) -> Result<Placed> {
    check_align(options.align, "record")?;
    check_align(options.pack, "pack")?;
    check_names(&specs)?;
    let mut placed = Placed {
        fields: Vec::with_capacity(specs.len()),
        size: 0,
        align: 1,
        natural_align: 1,
    };
    // Bits that are taken so far; in a union every member starts at 0 again.
    let mut end: u64 = 0;
    let mut largest: u64 = 0;
    let mut unit = None;
    let count = specs.len();
    for (index, spec) in specs.into_iter().enumerate() {
        let place = describe(&spec, index);
        check_align(spec.align, &place)?;
        check_member(types, is_union, &spec, index + 1 == count)
            .map_err(|error| error.within(&place))?;
        let start = if is_union { 0 } else { end };
        let spot = match (spec.bits, types.target().bit_fields) {
            (Some(width), BitFields::Dense) => {
                place_bit_field(types, &spec, width, start, is_union, options)
            }
            (Some(width), BitFields::Microsoft) if is_union => {
                // gcc makes no room for a whole unit, unless the union's alignment does.
                let spot = place_in_unit(types, &spec, width, 0, &mut None, options);
                let end = u64::from(width);
                Spot { end, ..spot }
            }
            (Some(width), BitFields::Microsoft) => {
                place_in_unit(types, &spec, width, start, &mut unit, options)
            }
            (None, _) => {
                unit = None;
                let align = member_align(types, &spec, options);
                let bit = round_up(start, u64::from(align) * 8);
                let end = bit + types.get(&spec.link).size() * 8;
                Spot { bit, align, end }
            }
        };
        let Spot { bit, align, .. } = spot;
        end = spot.end;
        largest = largest.max(end);
        if largest > MAX_SIZE * 8 {
            return Err(Error::limit(format!(
                "{place}: the record is larger than 2^56 bytes"
            )));
        }
        placed.align = placed.align.max(align);
        let is_packed = spec.packed || options.packed;
        let whole = |width| whole_integer(width, bit, is_union, is_packed) > 0;
        placed.fields.push(Field {
            name: spec.name,
            link: spec.link,
            offset: bit / 8,
            bit_offset: (bit % 8) as u32,
            bits: spec.bits,
            is_whole_integer: spec.bits.is_some_and(whole),
            align: spec.align,
        });
    }
    placed.natural_align = placed.align;
    placed.align = placed.align.max(options.align);
    placed.size = round_up(largest.div_ceil(8), u64::from(placed.align));
    Ok(placed)
}

fn check_member(types: &TypeBuilder, is_union: bool, spec: &FieldSpec, last: bool) -> Result<()> {
    let view = types.get(&spec.link);
    if let Some(width) = spec.bits {
        let kind = view.value_kind();
        if !kind.is_integer() || !view.is_complete() {
            return Err(Error::argument(format!(
                "a bit-field's type is an integer, got {}",
                view.describe()
            )));
        }
        // A _Bool has one value bit in its byte (C11, 6.7.2.1p4).
        let most = if kind == Kind::Bool {
            1
        } else {
            view.size() * 8
        };
        if u64::from(width) > most {
            return Err(Error::argument(format!(
                "a bit-field of {} has at most {most} bits, got {width}",
                view.describe()
            )));
        }
        if width == 0 && spec.name.is_some() {
            return Err(Error::argument("a bit-field without bits has no name"));
        }
        return Ok(());
    }
    if spec.name.is_none() && !matches!(view.node.data, Data::Record(_)) {
        return Err(Error::argument(format!(
            "{}: only bit-fields, structs and unions can be members without a name",
            view.describe()
        )));
    }
    let is_flexible = matches!(view.node.data, Data::Array { length: None, .. });
    if is_flexible {
        // An array without a length may only end a struct (C11, 6.7.2.1p18).
        if last && !is_union {
            return Ok(());
        }
        return Err(Error::argument(format!(
            "{}: an array without a length can only be a struct's last member",
            view.describe()
        )));
    }
    if !view.is_complete() {
        let why = match view.kind() {
            Kind::Function => "a function cannot be a member; use a pointer to it",
            Kind::Void => "void has no size",
            _ => "its type is incomplete here, or contains itself; use a pointer to it",
        };
        return Err(Error::argument(format!("{}: {why}", view.describe())));
    }
    Ok(())
}

impl TypeBuilder {
    /// Whether a record can have this member; `last`: no other follows it. `define_record` asks
    /// this for each, and says only which one failed.
    pub fn check_member(&self, is_union: bool, spec: &FieldSpec, last: bool) -> Result<()> {
        check_member(self, is_union, spec, last)
    }
}

/// The alignment of a member that is no bit-field.
fn member_align(types: &TypeBuilder, spec: &FieldSpec, options: &RecordOptions) -> u32 {
    let packed = spec.packed || options.packed;
    let natural = if packed {
        1
    } else {
        types.get(&spec.link).align()
    };
    let align = natural.max(spec.align);
    match options.pack {
        0 => align,
        pack => align.min(pack),
    }
}

/// Bits of the largest alignment that a scalar has for gcc, without AVX.
const GCC_UNIT: u64 = 128;

/// The alignment in bits that a bit-field has because it fills an integer of its width exactly, as gcc
/// has it: 16 bits where 16 bits are aligned are no bit-field any more. 0 where that is not so.
fn whole_integer(width: u32, start: u64, is_union: bool, packed: bool) -> u64 {
    let bits = u64::from(width);
    let is_whole = matches!(width, 8 | 16 | 32 | 64 | 128);
    let fits = is_union || start.is_multiple_of(bits.max(1));
    if is_whole && fits && !(packed && width > 8) {
        bits
    } else {
        0
    }
}

/// Where a bit-field stands among dense ones.
///
/// A bit-field may not touch more units of its type's alignment than a value of the type does; where
/// it would, it starts at the next one. An alignment that a typedef gave counts for that too.
/// Packing lifts that rule, and of the two ways to pack, `#pragma pack` goes before the attribute: it
/// alone says how the record is aligned.
fn place_bit_field(
    types: &TypeBuilder,
    spec: &FieldSpec,
    width: u32,
    start: u64,
    is_union: bool,
    options: &RecordOptions,
) -> Spot {
    let view = types.get(&spec.link);
    let type_bits = view.size() * 8;
    let is_packed = spec.packed || options.packed;
    let packed = is_packed && options.pack == 0 && width != 0;
    let natural = if packed { 1 } else { view.align() };
    let whole = whole_integer(width, start, is_union, is_packed);
    // The pragma is no limit for a bit-field of no width.
    let asked = match options.pack {
        pack if pack != 0 && width != 0 => spec.align.min(pack),
        _ => spec.align,
    };
    // Where it was asked to start, then, if it would cross a boundary there, at that boundary.
    let start = match asked {
        0 => start,
        _ => round_up(start, u64::from(asked) * 8),
    };
    let unit = u64::from(natural) * 8;
    let touched = (start % unit + u64::from(width)).div_ceil(unit);
    let crosses = !packed && options.pack == 0 && whole == 0 && touched > type_bits / unit;
    let bit = match width {
        0 => round_up(start, unit),
        _ if crosses => {
            // gcc counts from the last multiple of its largest alignment.
            let from = start / GCC_UNIT * GCC_UNIT;
            from + round_up(start - from, unit)
        }
        _ => start,
    };
    let natural = natural.max((whole / 8) as u32);
    let align = match options.pack {
        0 => natural.max(spec.align),
        _ if width == 0 => natural.max(spec.align),
        pack => natural.max(spec.align).min(pack),
    };
    let counts = spec.name.is_some() || types.target().unnamed_bit_fields_align;
    Spot {
        bit,
        align: if counts { align } else { 1 },
        end: bit + u64::from(width),
    }
}

/// The unit of Microsoft's rules that bit-fields are filling.
struct Unit {
    /// The size of the types whose bit-fields it takes, in bits.
    size: u64,
    /// How many of its bits, the last ones, are free.
    free: u64,
}

/// Where a bit-field stands by Microsoft's rules, as gcc has them. `start` is behind the unit, if one
/// is being filled.
///
/// A bit-field whose type has another size than those before it begins a unit where a member of its
/// type would stand; one that does not fit begins the next unit right behind the last, and an
/// alignment that it asks for counts only there. One of no width closes the unit that it stands
/// behind, and gives the record an alignment only then. A packed one gives none, if it has a width.
fn place_in_unit(
    types: &TypeBuilder,
    spec: &FieldSpec,
    width: u32,
    start: u64,
    unit: &mut Option<Unit>,
    options: &RecordOptions,
) -> Spot {
    let view = types.get(&spec.link);
    let capped = |align: u32| match options.pack {
        0 => align,
        pack => align.min(pack),
    };
    let natural = capped(view.align().max(spec.align));
    let asked = round_up(start, u64::from(capped(spec.align.max(1))) * 8);
    let aligned = round_up(start, u64::from(member_align(types, spec, options)) * 8);
    let size = view.size() * 8;
    let before = unit.take();
    if width == 0 {
        let (bit, align) = match before {
            Some(unit) if unit.size != size => (aligned, natural),
            Some(_) => (asked, natural),
            None => (asked, 1),
        };
        let end = bit;
        return Spot { bit, align, end };
    }
    let width = u64::from(width);
    let (bit, free) = match before.filter(|unit| unit.size == size) {
        Some(unit) if unit.free >= width => (start - unit.free, unit.free),
        Some(_) => (asked, size),
        None => (aligned, size),
    };
    *unit = Some(Unit {
        size,
        free: free - width,
    });
    let is_packed = spec.packed || options.packed;
    let align = if is_packed { 1 } else { natural };
    let end = bit + free;
    Spot { bit, align, end }
}
