//! The Procedure Call Standard for the Arm 64-bit Architecture (AAPCS64), and Apple's version of it.
//! Rules are cited by their names in section 6.8.2, "Parameter passing rules"; Apple's by its
//! "Writing ARM64 code for Apple platforms". gcc and clang agree but where it is said.

use super::padding::is_only_padding;
use super::{
    Assignment, Builder, Extension, MAX_STACK, Piece, Place, ResultPassing, parameter_extension,
};
use crate::error::{Error, Result};
use crate::types::{Convention, Data, Kind, Signature, TypeRef};

/// x0 to x7 and v0 to v7.
const REGISTERS: u32 = 8;
/// The indirect result location register.
const X8: u8 = 8;
/// A homogeneous aggregate has at most this many members.
const MOST_MEMBERS: u64 = 4;
const COPY_ALIGN: u32 = 16;

/// Where Apple's version differs.
struct Variant {
    convention: Convention,
    /// An argument on the stack takes its own size and alignment, not slots of 8 bytes.
    stack_is_packed: bool,
    /// Extra arguments of a variadic call travel on the stack, in slots of 8 bytes.
    extra_on_stack: bool,
    /// An argument that is aligned to 16 bytes begins at an even register (C.10).
    pairs_are_even: bool,
    /// A composite type's own alignment attribute does not count, that of its members does (5.9).
    forgets_attributes: bool,
    /// A bit-field of no width makes a union one that is not homogeneous, as other bit-fields do. So
    /// gcc has it, and clang not.
    counts_no_width: bool,
    /// Records of which no byte belongs to a member are not passed, and as members do not count. So clang has it; for
    /// gcc they are values, and an array of no elements in one makes the whole not homogeneous.
    skips_empty_records: bool,
}

impl Variant {
    fn of(convention: Convention) -> &'static Variant {
        match convention {
            Convention::Apple64 => &APPLE,
            _ => &LINUX,
        }
    }

    /// The alignment of an argument that is not homogeneous.
    fn align_of(&self, ty: TypeRef<'_>) -> u32 {
        match &ty.node.data {
            Data::Record(record) if self.forgets_attributes => record.natural_align,
            _ => ty.align(),
        }
    }

    /// The alignment of a homogeneous argument on the stack, where Apple's is packed as its
    /// elements are, whatever its type says.
    fn homogeneous_align(&self, ty: TypeRef<'_>, element: Element, is_packed: bool) -> u32 {
        match is_packed {
            true => element.size() as u32,
            false => self.align_of(ty),
        }
    }
}

static LINUX: Variant = Variant {
    convention: Convention::Aapcs64,
    stack_is_packed: false,
    extra_on_stack: false,
    pairs_are_even: true,
    forgets_attributes: true,
    counts_no_width: true,
    skips_empty_records: false,
};

static APPLE: Variant = Variant {
    convention: Convention::Apple64,
    stack_is_packed: true,
    extra_on_stack: true,
    pairs_are_even: false,
    forgets_attributes: false,
    counts_no_width: false,
    skips_empty_records: true,
};

/// What a homogeneous aggregate is made of: floating numbers of one format, or short vectors of one
/// size (section 5.9.5).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Element {
    Float(u64),
    Vector(u64),
}

impl Element {
    fn size(self) -> u64 {
        match self {
            Element::Float(size) | Element::Vector(size) => size,
        }
    }
}

/// The elements of a floating number, a short vector or a homogeneous aggregate, which travels in as
/// many vector registers.
fn homogeneous(ty: TypeRef<'_>, variant: &Variant) -> Option<(Element, u64)> {
    let (element, count) = elements(ty, variant)?;
    let element = element?;
    (1..=MOST_MEMBERS)
        .contains(&count)
        .then_some((element, count))
}

/// How many elements there are, all alike and without padding; empty members have none. `None` if
/// there is something else.
fn elements(ty: TypeRef<'_>, variant: &Variant) -> Option<(Option<Element>, u64)> {
    let (element, count) = match &ty.node.data {
        Data::Record(record) => {
            let mut found = (None, 0u64);
            for field in record.fields.iter().flatten() {
                match field.bits {
                    Some(0) if !(record.is_union && variant.counts_no_width) => continue,
                    Some(_) => return None,
                    None => {}
                }
                let member = ty.follow(&field.link);
                if variant.skips_empty_records && is_empty_record(member) {
                    continue;
                }
                let (element, count) = elements(member, variant)?;
                match (found.0, element) {
                    (Some(a), Some(b)) if a != b => return None,
                    (None, Some(_)) => found.0 = element,
                    _ => {}
                }
                found.1 = match record.is_union {
                    true => found.1.max(count),
                    false => found.1.checked_add(count)?,
                };
            }
            found
        }
        &Data::Array {
            ref element,
            length,
        } => {
            // No aggregate with an array of no elements, or of any number, is homogeneous.
            let length = length.filter(|&length| length > 0)?;
            let (element, count) = elements(ty.follow(element), variant)?;
            (element, count.checked_mul(length)?)
        }
        Data::Vector { .. } => match ty.size() {
            size @ (8 | 16) => (Some(Element::Vector(size)), 1),
            _ => return None,
        },
        _ => match ty.value_kind() {
            Kind::F16 | Kind::F32 | Kind::F64 | Kind::F128 | Kind::LongDouble => {
                (Some(Element::Float(ty.size())), 1)
            }
            kind if kind.is_complex() => (Some(Element::Float(ty.size() / 2)), 2),
            _ => return None,
        },
    };
    let size = element.map_or(0, Element::size);
    (size.checked_mul(count)? == ty.size()).then_some((element, count))
}

/// A record without bytes but padding, or an array of those.
fn is_empty_record(ty: TypeRef<'_>) -> bool {
    match &ty.node.data {
        Data::Record(_) => is_only_padding(ty),
        Data::Array {
            element,
            length: Some(1..),
        } => is_empty_record(ty.follow(element)),
        _ => false,
    }
}

fn is_composite(ty: TypeRef<'_>) -> bool {
    matches!(ty.node.data, Data::Record(_) | Data::Array { .. })
}

/// It travels by the address of a copy (B.4, and vectors that are not short).
fn is_by_reference(ty: TypeRef<'_>) -> bool {
    ty.size() > 16 && (is_composite(ty) || matches!(ty.node.data, Data::Vector { .. }))
}

/// What the standard calls a value, or how it travels.
pub(super) fn class(convention: Convention, ty: TypeRef<'_>) -> &'static str {
    let is_aggregate = is_composite(ty) || ty.value_kind().is_complex();
    match homogeneous(ty, Variant::of(convention)) {
        Some((Element::Float(_), _)) if is_aggregate => "HFA",
        Some((Element::Vector(_), _)) if is_aggregate => "HVA",
        Some((Element::Float(_), _)) => "floating-point",
        Some((Element::Vector(_), _)) => "short vector",
        None if is_by_reference(ty) => "by reference",
        None if is_composite(ty) => "composite",
        None => "integral",
    }
}

/// A register is enough for it.
pub(super) fn needs_one_register(convention: Convention, ty: TypeRef<'_>) -> bool {
    match homogeneous(ty, Variant::of(convention)) {
        Some((_, count)) => count == 1,
        None => is_by_reference(ty) || ty.size() <= 8,
    }
}

pub(super) fn assign(signature: &Signature) -> Result<Assignment> {
    assign_by(signature, &LINUX)
}

pub(super) fn assign_apple(signature: &Signature) -> Result<Assignment> {
    assign_by(signature, &APPLE)
}

fn assign_by(signature: &Signature, variant: &'static Variant) -> Result<Assignment> {
    let function = signature.function();
    let get = signature.get();
    let result = get.follow(&function.result).main_variant();
    let (passing, result_pieces) = assign_result(result, variant)?;
    let mut state = State {
        variant,
        builder: Builder::new(variant.convention, function.params.len(), 16),
        general: 0,
        vector: 0,
        stack: 0,
    };
    for (index, link) in function.params.iter().enumerate() {
        let extra = index >= function.fixed;
        state
            .parameter(get.follow(link).main_variant(), extra)
            .map_err(|error| error.within(format!("parameter {}", index + 1)))?;
    }
    let mut builder = state.builder;
    builder.assignment.stack_size = state.stack.next_multiple_of(8) as u32;
    Ok(builder.result(passing, result, &result_pieces))
}

/// The pieces of a value of several words or elements that lie in neighbouring registers.
fn pieces(size: u64, each: u64, place: impl Fn(u8) -> Place) -> Vec<Piece> {
    (0..size)
        .step_by(each as usize)
        .zip(0u8..)
        .map(|(offset, index)| Piece {
            offset: offset as u32,
            size: each.min(size - offset) as u32,
            place: place(index),
        })
        .collect()
}

/// 6.9, "Result return": as if it were the first argument, or in memory whose address is in x8.
fn assign_result(ty: TypeRef<'_>, variant: &Variant) -> Result<(ResultPassing, Vec<Piece>)> {
    let size = ty.size();
    if size == 0 || (variant.skips_empty_records && is_empty_record(ty)) {
        return Ok((ResultPassing::Void, Vec::new()));
    }
    if size > u64::from(u32::MAX) {
        return Err(Error::limit(format!(
            "result: {}: larger than {} bytes",
            ty.describe(),
            u32::MAX
        )));
    }
    let pieces = if let Some((element, _)) = homogeneous(ty, variant) {
        pieces(size, element.size(), Place::Vector)
    } else if is_by_reference(ty) {
        let passing = ResultPassing::Memory {
            address: Place::General(X8),
            returned: None,
        };
        return Ok((passing, Vec::new()));
    } else {
        pieces(size, 8, Place::General)
    };
    Ok((ResultPassing::Registers, pieces))
}

struct State {
    variant: &'static Variant,
    builder: Builder,
    /// NGRN, the next general-purpose register number.
    general: u32,
    /// NSRN, the next SIMD and floating-point register number.
    vector: u32,
    /// NSAA, the next stacked argument address.
    stack: u64,
}

impl State {
    fn parameter(&mut self, ty: TypeRef<'_>, extra: bool) -> Result<()> {
        let size = ty.size();
        if size == 0 || (self.variant.skips_empty_records && is_empty_record(ty)) {
            self.builder.parameter(ty, Extension::None, &[]);
            return Ok(());
        }
        if extra && self.variant.extra_on_stack && ty.value_kind() == Kind::F16 {
            return Err(Error::unsupported(format!(
                "{} among the variadic arguments travels as a double on Apple's systems: pass a double",
                ty.describe()
            )));
        }
        if let Some((element, count)) = homogeneous(ty, self.variant) {
            return self.homogeneous(ty, element, count as u32, extra);
        }
        if is_by_reference(ty) {
            let place = self.address(extra)?;
            return self.builder.reference(ty, COPY_ALIGN, place);
        }
        let words = size.div_ceil(8) as u32;
        let align = self.variant.align_of(ty);
        // C.10 and C.9, C.12.
        if align >= 16 && self.variant.pairs_are_even {
            self.general = self.general.next_multiple_of(2);
        }
        let on_stack = extra && self.variant.extra_on_stack;
        if !on_stack && self.general + words <= REGISTERS {
            let first = self.general as u8;
            self.general += words;
            let pieces = pieces(size, 8, |index| Place::General(first + index));
            self.builder.parameter(ty, parameter_extension(ty), &pieces);
            return Ok(());
        }
        // C.13: later arguments find no register either.
        if !on_stack {
            self.general = REGISTERS;
        }
        let is_packed = self.variant.stack_is_packed && !extra && !is_composite(ty);
        self.on_stack(ty, align.min(16), is_packed)
    }

    /// C.1 to C.6.
    fn homogeneous(
        &mut self,
        ty: TypeRef<'_>,
        element: Element,
        count: u32,
        extra: bool,
    ) -> Result<()> {
        let on_stack = extra && self.variant.extra_on_stack;
        if !on_stack && self.vector + count <= REGISTERS {
            let first = self.vector as u8;
            self.vector += count;
            let pieces = pieces(ty.size(), element.size(), |index| {
                Place::Vector(first + index)
            });
            self.builder.parameter(ty, Extension::None, &pieces);
            return Ok(());
        }
        if !on_stack {
            self.vector = REGISTERS;
        }
        let is_packed = self.variant.stack_is_packed && !extra;
        let align = self.variant.homogeneous_align(ty, element, is_packed);
        // va_arg on Apple's systems looks at the next address of the type's whole alignment.
        let most = if on_stack { align } else { 16 };
        self.on_stack(ty, align.min(most), is_packed)
    }

    /// The place of an address, which travels as an integer.
    fn address(&mut self, extra: bool) -> Result<Place> {
        let on_stack = extra && self.variant.extra_on_stack;
        if !on_stack && self.general < REGISTERS {
            self.general += 1;
            return Ok(Place::General(self.general as u8 - 1));
        }
        self.take(8, 8).map(Place::Stack)
    }

    /// So many bytes of the argument area.
    fn take(&mut self, size: u64, align: u64) -> Result<u32> {
        let place = self.stack.next_multiple_of(align);
        let end = place + size;
        if end > MAX_STACK {
            return Err(Error::limit(format!(
                "the arguments need more than {MAX_STACK} bytes of stack"
            )));
        }
        self.stack = end;
        Ok(place as u32)
    }

    /// C.14 to C.17: 8-byte slots, aligned to 16 where the type is. A packed one takes its own size
    /// and alignment, so that no more than its bytes are written.
    fn on_stack(&mut self, ty: TypeRef<'_>, align: u32, is_packed: bool) -> Result<()> {
        let size = ty.size();
        let (place, extension) = match is_packed {
            true => (self.take(size, u64::from(align))?, Extension::None),
            false => {
                let align = align.max(8);
                let stack_align = &mut self.builder.assignment.stack_align;
                *stack_align = align.max(*stack_align);
                let place = self.take(size.next_multiple_of(8), u64::from(align))?;
                (place, parameter_extension(ty))
            }
        };
        let piece = Piece {
            offset: 0,
            size: size as u32,
            place: Place::Stack(place),
        };
        self.builder.parameter(ty, extension, &[piece]);
        Ok(())
    }
}
