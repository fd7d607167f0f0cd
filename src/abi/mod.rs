//! Where every byte of a call travels. A signature goes in; an `Assignment` comes out, which is
//! pure data: whoever needs to know where a value is asks it and never works it out again.

mod aapcs64;
mod explain;
mod members;
mod notes;
mod padding;
mod places;
mod registers;
mod sysv64;
mod table;
#[cfg(test)]
mod tests;
mod win64;

pub use explain::explain;
pub use places::{places, short};
pub use table::{open_table, table};

use crate::error::{Error, Result};
use crate::types::target::Model;
use crate::types::{Convention, Signature, Target, TypeRef};
use std::hash::{Hash, Hasher};

/// The stack bytes of one call's arguments, at most.
pub const MAX_STACK: u64 = 1 << 28;

/// Where a piece of a value is while it travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// A general register, by its number in the instruction set.
    General(u8),
    /// A vector register, by its number in the instruction set.
    Vector(u8),
    /// A position on the x87 register stack, 0 is the top.
    X87(u8),
    /// A byte offset in the argument area; at the call, it begins at the stack pointer.
    Stack(u32),
}

/// How an integer that is narrower than a register fills it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extension {
    /// It is no integer, or is as wide as a register: what is above it has no meaning.
    None,
    /// With zeros.
    Zero,
    /// With its sign.
    Sign,
}

/// Some bytes of a value, and where they travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The first of them in the value.
    pub offset: u32,
    /// How many.
    pub size: u32,
    /// Where they are during the call.
    pub place: Place,
}

/// Assignments are looked up by the million: what is hashed often is hashed as one number.
impl Hash for Piece {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let place = match self.place {
            Place::General(register) => u64::from(register),
            Place::Vector(register) => 1 << 32 | u64::from(register),
            Place::X87(register) => 2 << 32 | u64::from(register),
            Place::Stack(offset) => 3 << 32 | u64::from(offset),
        };
        state.write_u64(u64::from(self.offset) << 32 | u64::from(self.size));
        state.write_u64(place);
    }
}

/// What of a parameter travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Passing {
    /// Its bytes: the pieces are its own.
    Value,
    /// The address of a copy that the caller makes and the callee may change: the one piece, or
    /// each of them, is that address.
    Reference {
        /// The copy's alignment in bytes.
        align: u32,
    },
}

/// A parameter.
#[derive(Clone, Copy, Debug, Eq)]
pub struct Parameter {
    /// Bytes of the whole value.
    pub size: u32,
    /// How it fills a register.
    pub extension: Extension,
    /// How it fills 8 bytes where one that is called back wants so many. Nothing of a call depends
    /// on it: parameters that differ in this alone are equal.
    pub widening: Extension,
    /// The alignment of its type, for one that is called back and points to the value. Nothing of a
    /// call depends on it either.
    pub align: u32,
    /// What of it travels.
    pub passing: Passing,
    first: u32,
    count: u32,
}

impl PartialEq for Parameter {
    fn eq(&self, other: &Parameter) -> bool {
        let travels =
            |one: &Parameter| (one.size, one.extension, one.passing, one.first, one.count);
        travels(self) == travels(other)
    }
}

impl Hash for Parameter {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Where its pieces are in the list follows from their numbers.
        let extension = self.extension as u64;
        state.write_u64(u64::from(self.size) << 32 | u64::from(self.count) << 2 | extension);
        if let Passing::Reference { align } = self.passing {
            state.write_u32(align);
        }
    }
}

/// How the result comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResultPassing {
    /// There is none.
    Void,
    /// In registers, as the result's pieces say.
    Registers,
    /// The caller passes the address of memory for it.
    Memory {
        /// Where that address travels to the callee.
        address: Place,
        /// Where the callee gives it back, if it does.
        returned: Option<Place>,
    },
}

/// Where every byte of a call travels.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Assignment {
    /// The convention, never `Default`.
    pub convention: Convention,
    parameters: Vec<Parameter>,
    pieces: Vec<Piece>,
    /// How the result comes back.
    pub result: ResultPassing,
    /// Bytes of the result.
    pub result_size: u32,
    /// How a result is extended that is a narrow integer.
    pub result_extension: Extension,
    first_result_piece: u32,
    /// Bytes of the argument area.
    pub stack_size: u32,
    /// Its alignment in bytes.
    pub stack_align: u32,
    /// What the callee of a variadic call is told of the vector registers in use
    /// (x86-64 psABI, 3.5.7: in al).
    pub vector_count: Option<u8>,
}

impl Assignment {
    /// The parameters, in order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The pieces of a parameter, in order of their offsets. An empty struct has none.
    pub fn pieces(&self, parameter: &Parameter) -> &[Piece] {
        &self.pieces[parameter.first as usize..][..parameter.count as usize]
    }

    /// The pieces of a result that comes back in registers, in order of their offsets.
    pub fn result_pieces(&self) -> &[Piece] {
        &self.pieces[self.first_result_piece as usize..]
    }
}

/// Collects an assignment's parts while a convention walks through a signature.
struct Builder {
    assignment: Assignment,
    /// Bytes of the copies of parameters that are passed by reference.
    copies: u64,
}

impl Builder {
    fn new(convention: Convention, parameters: usize, stack_align: u32) -> Builder {
        Builder {
            assignment: Assignment {
                convention,
                parameters: Vec::with_capacity(parameters),
                pieces: Vec::with_capacity(parameters + 2),
                result: ResultPassing::Void,
                result_size: 0,
                result_extension: Extension::None,
                first_result_piece: 0,
                stack_size: 0,
                stack_align,
                vector_count: None,
            },
            copies: 0,
        }
    }

    fn parameter(&mut self, ty: TypeRef<'_>, extension: Extension, pieces: &[Piece]) {
        let first = self.assignment.pieces.len() as u32;
        self.assignment.pieces.extend_from_slice(pieces);
        self.assignment.parameters.push(Parameter {
            size: ty.size() as u32,
            extension,
            widening: self::extension(ty),
            align: ty.align(),
            passing: Passing::Value,
            first,
            count: pieces.len() as u32,
        });
    }

    /// A parameter of which a copy's address travels, in each of these places.
    fn reference(&mut self, ty: TypeRef<'_>, least_align: u32, address: Place) -> Result<()> {
        let align = ty.align().max(least_align);
        let copies = self.copies.next_multiple_of(u64::from(align)) + ty.size();
        if copies > MAX_STACK {
            return Err(Error::limit(format!(
                "{}: the arguments that are passed by reference need more than {MAX_STACK} bytes \
                 of stack",
                ty.describe()
            )));
        }
        self.copies = copies;
        let first = self.assignment.pieces.len() as u32;
        self.assignment.pieces.push(Piece {
            offset: 0,
            size: 8,
            place: address,
        });
        self.assignment.parameters.push(Parameter {
            size: ty.size() as u32,
            extension: Extension::None,
            widening: Extension::None,
            align: ty.align(),
            passing: Passing::Reference { align },
            first,
            count: 1,
        });
        Ok(())
    }

    /// After the last parameter.
    fn result(mut self, passing: ResultPassing, ty: TypeRef<'_>, pieces: &[Piece]) -> Assignment {
        self.assignment.result = passing;
        self.assignment.result_size = ty.size() as u32;
        self.assignment.result_extension = extension(ty);
        self.assignment.first_result_piece = self.assignment.pieces.len() as u32;
        self.assignment.pieces.extend_from_slice(pieces);
        self.assignment
    }
}

/// How a scalar fills a register as a parameter: the upper half of a register has no meaning for one
/// of 32 bits, in any convention.
fn parameter_extension(ty: TypeRef<'_>) -> Extension {
    match ty.size() < 4 {
        true => extension(ty),
        false => Extension::None,
    }
}

/// How a scalar fills a register.
fn extension(ty: TypeRef<'_>) -> Extension {
    let kind = ty.value_kind();
    match (kind.is_integer() && ty.size() < 8, kind.is_signed()) {
        (false, _) => Extension::None,
        (true, true) => Extension::Sign,
        (true, false) => Extension::Zero,
    }
}

/// The convention that a signature stands for: what it names, or its target's own.
pub fn convention(signature: &Signature) -> Convention {
    match (
        signature.function().convention,
        signature.get().node.target.model,
    ) {
        (Convention::Default, Model::LinuxX86_64) => Convention::SysV64,
        (Convention::Default, Model::WindowsX86_64) => Convention::Win64,
        (Convention::Default, Model::LinuxAarch64) => Convention::Aapcs64,
        (Convention::Default, Model::AppleAarch64) => Convention::Apple64,
        (named, _) => named,
    }
}

impl Convention {
    /// Its name, as the program and messages have it.
    pub fn name(self) -> &'static str {
        match self {
            Convention::Default => "default",
            Convention::SysV64 => "sysv64",
            Convention::Win64 => "win64",
            Convention::Aapcs64 => "aapcs64",
            Convention::Apple64 => "apple64",
        }
    }
}

/// A processor for which there are conventions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processor {
    /// x86-64.
    X86_64,
    /// AArch64.
    Aarch64,
}

impl Processor {
    /// Its name, as the program and messages have it.
    pub fn name(self) -> &'static str {
        match self {
            Processor::X86_64 => "x86_64",
            Processor::Aarch64 => "aarch64",
        }
    }

    /// The processor of a target.
    pub fn of(target: &Target) -> Processor {
        match target.model {
            Model::LinuxX86_64 | Model::WindowsX86_64 => Processor::X86_64,
            Model::LinuxAarch64 | Model::AppleAarch64 => Processor::Aarch64,
        }
    }
}

/// The processor that a convention is for.
pub fn processor(convention: Convention) -> Processor {
    match convention {
        Convention::Aapcs64 | Convention::Apple64 => Processor::Aarch64,
        Convention::Default | Convention::SysV64 | Convention::Win64 => Processor::X86_64,
    }
}

fn check_processor(convention: Convention, target: &Target) -> Result<()> {
    let needed = processor(convention);
    if needed == Processor::of(target) {
        return Ok(());
    }
    Err(Error::unsupported(format!(
        "{} is a calling convention of {}; the target is {}",
        convention.name(),
        needed.name(),
        target.name
    )))
}

/// Assigns a place to every byte of a call of this signature.
pub fn assign(signature: &Signature) -> Result<Assignment> {
    let convention = convention(signature);
    let assigned = signature
        .check_callable()
        .and_then(|()| check_processor(convention, signature.get().node.target))
        .and_then(|()| match convention {
            Convention::SysV64 => sysv64::assign(signature),
            Convention::Win64 => win64::assign(signature),
            Convention::Aapcs64 => aapcs64::assign(signature),
            Convention::Apple64 => aapcs64::assign_apple(signature),
            Convention::Default => Err(Error::new(
                crate::error::Status::Internal,
                "a convention that stands for itself",
            )),
        });
    match signature.name().is_empty() {
        true => assigned,
        false => assigned.map_err(|error| error.within(signature.name().to_string_lossy())),
    }
}
