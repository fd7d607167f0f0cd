//! System V, x86-64. Section numbers are those of the x86-64 psABI. Where gcc and clang disagree
//! it is gcc that is followed, which is what the psABI says too.

use super::padding::is_only_padding;
use super::{Assignment, Builder, MAX_STACK, Piece, Place, ResultPassing, parameter_extension};
use crate::error::{Error, Result};
use crate::types::{Convention, Data, Kind, Signature, TypeRef};

const RAX: u8 = 0;
const RDX: u8 = 2;
const RDI: u8 = 7;
/// rdi, rsi, rdx, rcx, r8, r9 (3.2.3, "Passing").
const GENERAL: [u8; 6] = [RDI, 6, RDX, 1, 8, 9];
const VECTOR: usize = 8;

/// The classes of an eightbyte (3.2.3, "Classification").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// NO_CLASS: nothing but padding.
    Padding,
    Integer,
    Sse,
    SseUp,
    X87,
    X87Up,
    Memory,
}

/// The classes of a value of at most 64 bytes.
#[derive(Clone, Copy)]
struct Classes {
    class: [Class; 8],
    count: usize,
}

/// A value whose class is MEMORY, as a whole.
struct InMemory;

type Classified = std::result::Result<Classes, InMemory>;

impl Classes {
    /// The classes of `bytes` bytes of which none is known yet, that begin at `offset`.
    fn padding(offset: u64, bytes: u64) -> Classes {
        Classes {
            class: [Class::Padding; 8],
            count: (offset % 8 + bytes).div_ceil(8) as usize,
        }
    }

    /// The classes of a scalar: the first eightbyte's, then the others'.
    fn scalar(offset: u64, bytes: u64, first: Class, others: Class) -> Classes {
        let mut classes = Classes::padding(offset, bytes);
        let count = classes.count;
        classes.class[..count].fill(others);
        classes.class[0] = first;
        classes
    }

    fn eightbytes(&self) -> &[Class] {
        &self.class[..self.count]
    }

    /// Merges the classes of a part into those of its eightbytes (3.2.3, rule 4); the whole begins
    /// at `whole`, the part at `part`.
    fn merge(&mut self, whole: u64, part: u64, classes: &Classes) {
        let first = (part / 8 - whole / 8) as usize;
        for (own, class) in self.class[..self.count][first..]
            .iter_mut()
            .zip(classes.eightbytes())
        {
            *own = merge(*own, *class);
        }
    }
}

fn merge(a: Class, b: Class) -> Class {
    use Class::*;
    match (a, b) {
        (a, b) if a == b => a,
        (Padding, other) | (other, Padding) => other,
        (Memory, _) | (_, Memory) => Memory,
        (Integer, _) | (_, Integer) => Integer,
        (X87 | X87Up, _) | (_, X87 | X87Up) => Memory,
        _ => Sse,
    }
}

fn classify(ty: TypeRef<'_>) -> Classified {
    classify_at(ty, 0)
}

/// The classes of a value that begins at `offset` in the value that travels. Parts that are structs,
/// unions or arrays are classified by themselves, then merged (3.2.3, rule 4).
fn classify_at(ty: TypeRef<'_>, offset: u64) -> Classified {
    let size = ty.size();
    if size > 64 {
        return Err(InMemory);
    }
    let mut classes = Classes::padding(offset, size);
    match &ty.node.data {
        Data::Record(record) => {
            for field in record.fields.iter().flatten() {
                let at = offset + field.offset;
                match field.bits {
                    // One of no width counts in a union too, where gcc compiles C.
                    Some(bits) if record.is_union && size > 0 => {
                        classes.merge(offset, at, &classify_integer_bits(bits, at)?);
                    }
                    Some(0) => {}
                    // As gcc has it, which takes it for a plain member.
                    Some(bits) if field.is_whole_integer => {
                        classes.merge(offset, at, &classify_integer_bits(bits, at)?);
                    }
                    // In a struct other bit-fields need no alignment. Unnamed ones count too, where gcc
                    // compiles C; clang leaves them out.
                    Some(bits) => {
                        let bytes = u64::from(field.bit_offset + bits).div_ceil(8);
                        let part = Classes::scalar(at, bytes, Class::Integer, Class::Integer);
                        classes.merge(offset, at, &part);
                    }
                    None => {
                        let member = ty.follow(&field.link);
                        if member.size() > 0 {
                            classes.merge(offset, at, &classify_at(member, at)?);
                        }
                    }
                }
            }
        }
        Data::Array { element, .. } => {
            let element = ty.follow(element);
            if size > 0 {
                classify_elements(element, offset, &mut classes)?;
            }
        }
        Data::Vector { element, lanes } => {
            return classify_vector(ty, ty.follow(element).kind(), *lanes, offset);
        }
        _ => return classify_scalar(ty, offset),
    }
    post_merge(&mut classes)?;
    Ok(classes)
}

/// A bit-field of a union, and one that fills an integer, has the alignment of the smallest integer that
/// holds it.
fn classify_integer_bits(bits: u32, offset: u64) -> Classified {
    let size = u64::from(bits.div_ceil(8).next_power_of_two());
    match offset.is_multiple_of(size) {
        true => Ok(Classes::scalar(
            offset,
            size,
            Class::Integer,
            Class::Integer,
        )),
        false => Err(InMemory),
    }
}

/// An array's eightbytes have the classes of its first element's, over and over. So gcc has it: an
/// element whose scalars are aligned makes an array of them aligned.
fn classify_elements(
    element: TypeRef<'_>,
    offset: u64,
    classes: &mut Classes,
) -> std::result::Result<(), InMemory> {
    let one = classify_at(element, offset)?;
    if let pattern @ [_, ..] = one.eightbytes() {
        let count = classes.count;
        for (own, class) in classes.class[..count]
            .iter_mut()
            .zip(pattern.iter().cycle())
        {
            *own = *class;
        }
    }
    Ok(())
}

fn classify_scalar(ty: TypeRef<'_>, offset: u64) -> Classified {
    let kind = ty.value_kind();
    let (size, align) = kind
        .layout(ty.node.target)
        .unwrap_or((ty.size(), ty.align()));
    // "If it has unaligned fields, it has class MEMORY" (rule 1). What counts is the alignment
    // that the scalar has by nature, whatever a typedef says.
    if !offset.is_multiple_of(u64::from(align)) {
        return Err(InMemory);
    }
    let (first, others) = match kind {
        Kind::F16 | Kind::F32 | Kind::F64 | Kind::ComplexF32 | Kind::ComplexF64 => {
            (Class::Sse, Class::Sse)
        }
        Kind::F128 => (Class::Sse, Class::SseUp),
        Kind::LongDouble => (Class::X87, Class::X87Up),
        // On its own it is COMPLEX_X87, which never comes here; in a record it is memory.
        Kind::ComplexLongDouble => return Err(InMemory),
        _ => (Class::Integer, Class::Integer),
    };
    Ok(Classes::scalar(offset, size, first, others))
}

/// Vectors: gcc passes integer ones of less than an eightbyte as integers, and those of a single
/// float or double, which have no machine mode, in memory.
fn classify_vector(ty: TypeRef<'_>, lane: Kind, lanes: u64, offset: u64) -> Classified {
    let size = ty.size();
    if (lanes == 1 && lane.is_float()) || !offset.is_multiple_of(size) {
        return Err(InMemory);
    }
    let first = match size < 8 && lane.is_integer() {
        true => Class::Integer,
        false => Class::Sse,
    };
    Ok(Classes::scalar(offset, size, first, Class::SseUp))
}

/// 3.2.3, rule 5.
fn post_merge(classes: &mut Classes) -> std::result::Result<(), InMemory> {
    use Class::*;
    let class = &mut classes.class[..classes.count];
    let one_vector = class.first() == Some(&Sse) && class[1..].iter().all(|&up| up == SseUp);
    if class.contains(&Memory) || (class.len() > 2 && !one_vector) {
        return Err(InMemory);
    }
    for index in 0..class.len() {
        let before = index.checked_sub(1).map(|before| class[before]);
        match class[index] {
            X87Up if before != Some(X87) => return Err(InMemory),
            SseUp if !matches!(before, Some(Sse | SseUp)) => class[index] = Sse,
            _ => {}
        }
    }
    Ok(())
}

/// The pieces of a value in registers, taken from what is left of them; `None` if they don't do.
/// Nothing is taken then.
struct Registers<'a> {
    general: &'a [u8],
    vector: &'a [u8],
}

#[derive(Default)]
struct Pieces {
    piece: [Option<Piece>; 2],
    general: usize,
    vector: usize,
}

fn pieces_in_registers(classes: &Classes, size: u64, registers: &Registers<'_>) -> Option<Pieces> {
    let mut pieces = Pieces::default();
    let mut count = 0;
    let eightbytes = classes.eightbytes();
    for (index, class) in eightbytes.iter().enumerate() {
        let offset = index as u64 * 8;
        let mut end = offset + 8;
        let place = match class {
            Class::Integer => {
                let register = *registers.general.get(pieces.general)?;
                pieces.general += 1;
                Place::General(register)
            }
            Class::Sse => {
                let register = *registers.vector.get(pieces.vector)?;
                pieces.vector += 1;
                let ups = eightbytes[index + 1..]
                    .iter()
                    .take_while(|&&up| up == Class::SseUp);
                end += 8 * ups.count() as u64;
                Place::Vector(register)
            }
            _ => continue,
        };
        pieces.piece[count] = Some(Piece {
            offset: offset as u32,
            size: (end.min(size) - offset) as u32,
            place,
        });
        count += 1;
    }
    Some(pieces)
}

impl Pieces {
    fn list(&self) -> impl Iterator<Item = Piece> {
        self.piece.into_iter().flatten()
    }
}

const ALL_VECTOR: [u8; VECTOR] = [0, 1, 2, 3, 4, 5, 6, 7];

struct State {
    builder: Builder,
    general: usize,
    vector: usize,
    stack: u64,
}

pub(super) fn assign(signature: &Signature) -> Result<Assignment> {
    let function = signature.function();
    let get = signature.get();
    let result = get.follow(&function.result);
    let mut state = State {
        builder: Builder::new(Convention::SysV64, function.params.len(), 16),
        general: 0,
        vector: 0,
        stack: 0,
    };
    let (passing, result_pieces) = assign_result(result)?;
    if matches!(passing, ResultPassing::Memory { .. }) {
        state.general = 1;
    }
    for (index, link) in function.params.iter().enumerate() {
        let extra = index >= function.fixed;
        state
            .parameter(get.follow(link).main_variant(), extra)
            .map_err(|error| error.within(format!("parameter {}", index + 1)))?;
    }
    let vectors = state.vector as u8;
    let mut builder = state.builder;
    builder.assignment.stack_size = state.stack as u32;
    builder.assignment.vector_count = function.variadic.then_some(vectors);
    Ok(builder.result(passing, result, &result_pieces))
}

/// The class of a parameter that is on the stack, and why it is there, for people.
pub(super) fn on_stack_because(ty: TypeRef<'_>, extra: bool) -> (&'static str, &'static str) {
    match classify(ty) {
        Err(InMemory) if ty.size() > 16 => ("MEMORY", "larger than two eightbytes"),
        Err(InMemory) if matches!(ty.node.data, Data::Vector { .. }) => {
            ("MEMORY", "a vector of one floating lane, as gcc passes it")
        }
        Err(InMemory) => (
            "MEMORY",
            "a member is not aligned, or shares its bytes with a long double",
        ),
        Ok(classes) if classes.eightbytes().first() == Some(&Class::X87) => {
            ("X87", "x87 values travel in memory")
        }
        Ok(classes) if extra && classes.count > 2 => ("SSE", "an unnamed vector of 32 bytes"),
        Ok(classes) => match classes.eightbytes() {
            [Class::Integer] => ("INTEGER", "no register is left for it"),
            [Class::Sse] => ("SSE", "no register is left for it"),
            _ => ("", "not enough registers are left for it"),
        },
    }
}

fn check_vector(ty: TypeRef<'_>, classes: &Classes) -> Result<()> {
    if classes.count > 4 && classes.class[0] == Class::Sse {
        return Err(Error::unsupported(format!(
            "{}: 512-bit vectors are not supported",
            ty.describe()
        )));
    }
    Ok(())
}

/// 3.2.3, "Returning of Values".
fn assign_result(ty: TypeRef<'_>) -> Result<(ResultPassing, Vec<Piece>)> {
    let ty = ty.main_variant();
    let x87 = |offset, register| Piece {
        offset,
        size: 10,
        place: Place::X87(register),
    };
    if ty.size() == 0 {
        return Ok((ResultPassing::Void, Vec::new()));
    }
    // It travels in memory, whose size must fit where sizes are kept.
    if ty.size() > u64::from(u32::MAX) {
        return Err(Error::limit(format!(
            "result: {}: larger than {} bytes",
            ty.describe(),
            u32::MAX
        )));
    }
    if ty.kind() == Kind::ComplexLongDouble {
        return Ok((ResultPassing::Registers, vec![x87(0, 0), x87(16, 1)]));
    }
    let Ok(classes) = classify(ty) else {
        if is_only_padding(ty) {
            return Ok((ResultPassing::Void, Vec::new()));
        }
        let passing = ResultPassing::Memory {
            address: Place::General(RDI),
            returned: Some(Place::General(RAX)),
        };
        return Ok((passing, Vec::new()));
    };
    check_vector(ty, &classes).map_err(|error| error.within("result"))?;
    if classes.eightbytes().first() == Some(&Class::X87) {
        return Ok((ResultPassing::Registers, vec![x87(0, 0)]));
    }
    let registers = Registers {
        general: &[RAX, RDX],
        vector: &ALL_VECTOR[..2],
    };
    // Two eightbytes never need more than two registers of a kind.
    let pieces = pieces_in_registers(&classes, ty.size(), &registers).unwrap_or_default();
    Ok((ResultPassing::Registers, pieces.list().collect()))
}

impl State {
    /// The register of a scalar of one eightbyte, which is classified at a glance, if there is one
    /// left.
    fn scalar_register(&mut self, ty: TypeRef<'_>) -> Option<Place> {
        let kind = ty.value_kind();
        if kind == Kind::Pointer || kind.is_integer() && ty.size() <= 8 {
            let register = *GENERAL.get(self.general)?;
            self.general += 1;
            return Some(Place::General(register));
        }
        if matches!(kind, Kind::F16 | Kind::F32 | Kind::F64) {
            let register = *ALL_VECTOR.get(self.vector)?;
            self.vector += 1;
            return Some(Place::Vector(register));
        }
        None
    }

    /// 3.2.3, "Passing". A value goes wholly to registers or wholly to the stack, and registers
    /// that it could not use are left to later ones.
    fn parameter(&mut self, ty: TypeRef<'_>, extra: bool) -> Result<()> {
        let size = ty.size();
        if size == 0 {
            self.builder.parameter(ty, parameter_extension(ty), &[]);
            return Ok(());
        }
        if let Some(register) = self.scalar_register(ty) {
            let piece = Piece {
                offset: 0,
                size: size as u32,
                place: register,
            };
            self.builder
                .parameter(ty, parameter_extension(ty), &[piece]);
            return Ok(());
        }
        let in_registers = classify(ty).ok().filter(|classes| {
            let x87 = matches!(classes.eightbytes().first(), Some(Class::X87));
            // Vectors of 32 bytes and more travel on the stack where they are unnamed (3.5.7).
            let unnamed_vector = extra && classes.count > 2;
            !x87 && !unnamed_vector
        });
        if let Some(classes) = in_registers {
            check_vector(ty, &classes)?;
            let registers = Registers {
                general: &GENERAL[self.general..],
                vector: &ALL_VECTOR[self.vector..],
            };
            if let Some(pieces) = pieces_in_registers(&classes, size, &registers) {
                self.general += pieces.general;
                self.vector += pieces.vector;
                let mut list = [Piece {
                    offset: 0,
                    size: 0,
                    place: Place::Stack(0),
                }; 2];
                let mut count = 0;
                for piece in pieces.list() {
                    list[count] = piece;
                    count += 1;
                }
                self.builder
                    .parameter(ty, parameter_extension(ty), &list[..count]);
                return Ok(());
            }
        }
        if is_only_padding(ty) {
            self.builder.parameter(ty, parameter_extension(ty), &[]);
            return Ok(());
        }
        self.on_stack(ty)
    }

    fn on_stack(&mut self, ty: TypeRef<'_>) -> Result<()> {
        let size = ty.size();
        let align = ty.align().max(8);
        let place = self.stack.next_multiple_of(u64::from(align));
        let end = (place + size).next_multiple_of(8);
        if end > MAX_STACK {
            return Err(Error::limit(format!(
                "{}: the arguments need more than {MAX_STACK} bytes of stack",
                ty.describe()
            )));
        }
        self.stack = end;
        let stack_align = &mut self.builder.assignment.stack_align;
        *stack_align = (*stack_align).max(align);
        let piece = Piece {
            offset: 0,
            size: size as u32,
            place: Place::Stack(place as u32),
        };
        self.builder
            .parameter(ty, parameter_extension(ty), &[piece]);
        Ok(())
    }
}
