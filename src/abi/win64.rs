//! Microsoft's convention for x86-64, as gcc and clang have it for `ms_abi` functions and mingw-w64 for
//! all. Sections are those of Microsoft's "x64 calling convention". The first four arguments have a
//! register by their position, the result's address included; others stand in the argument area behind
//! 32 bytes that belong to the callee ("Calling convention defaults").

use super::padding::is_only_padding;
use super::{
    Assignment, Builder, Extension, MAX_STACK, Piece, Place, ResultPassing, parameter_extension,
};
use crate::error::{Error, Result};
use crate::types::{Convention, Data, Kind, Signature, TypeRef};

const RAX: u8 = 0;
const RCX: u8 = 1;
/// rcx, rdx, r8, r9.
const GENERAL: [u8; 4] = [RCX, 2, 8, 9];
const SLOT: u64 = 8;
/// Copies that are passed by reference are aligned at least so ("Parameter passing").
const COPY_ALIGN: u32 = 16;

/// How a value travels as an argument.
enum Class {
    /// In the general register of its position.
    General,
    /// In the vector register of its position.
    Vector,
    /// By the address of a copy.
    Reference,
}

fn fits_a_register(size: u64) -> bool {
    matches!(size, 1 | 2 | 4 | 8)
}

/// "Parameter passing": a struct, union or other value whose size is 1, 2, 4 or 8 bytes travels as an
/// integer of that size, whatever is in it. gcc has no machine mode for a vector of one floating
/// lane, and passes its address; `_Float16` it takes for an integer, and clang for a floating number.
fn classify(ty: TypeRef<'_>) -> Class {
    if let Data::Vector { element, lanes: 1 } = &ty.node.data
        && ty.follow(element).kind().is_float()
    {
        return Class::Reference;
    }
    match ty.value_kind() {
        Kind::F16 | Kind::F32 | Kind::F64 => Class::Vector,
        _ if fits_a_register(ty.size()) => Class::General,
        _ => Class::Reference,
    }
}

/// How a value travels, in a word.
pub(super) fn class(ty: TypeRef<'_>) -> &'static str {
    match classify(ty) {
        Class::General => "integer",
        Class::Vector => "floating-point",
        Class::Reference => "by reference",
    }
}

/// "Return values".
fn classify_result(ty: TypeRef<'_>) -> (ResultPassing, Option<Piece>) {
    let piece = |place| Piece {
        offset: 0,
        size: ty.size() as u32,
        place,
    };
    let in_vector = match &ty.node.data {
        // A value of 16 bytes that is no aggregate comes back in xmm0.
        Data::Vector { .. } => ty.size() == 16,
        _ => matches!(
            ty.value_kind(),
            Kind::F32 | Kind::F64 | Kind::I128 | Kind::U128
        ),
    };
    if in_vector {
        (ResultPassing::Registers, Some(piece(Place::Vector(0))))
    } else if fits_a_register(ty.size()) {
        (ResultPassing::Registers, Some(piece(Place::General(RAX))))
    } else if is_only_padding(ty) {
        (ResultPassing::Void, None)
    } else {
        let passing = ResultPassing::Memory {
            address: Place::General(RCX),
            returned: Some(Place::General(RAX)),
        };
        (passing, None)
    }
}

struct State {
    builder: Builder,
    /// The position of the next argument.
    position: u64,
}

pub(super) fn assign(signature: &Signature) -> Result<Assignment> {
    let function = signature.function();
    let get = signature.get();
    let result = get.follow(&function.result).main_variant();
    let mut state = State {
        builder: Builder::new(Convention::Win64, function.params.len(), 16),
        position: 0,
    };
    let (passing, result_piece) = match result.size() {
        0 => (ResultPassing::Void, None),
        size if size > u64::from(u32::MAX) => {
            return Err(Error::limit(format!(
                "result: {}: larger than {} bytes",
                result.describe(),
                u32::MAX
            )));
        }
        _ => classify_result(result),
    };
    if matches!(passing, ResultPassing::Memory { .. }) {
        state.position = 1;
    }
    for (index, link) in function.params.iter().enumerate() {
        let extra = index >= function.fixed;
        state
            .parameter(get.follow(link).main_variant(), extra)
            .map_err(|error| error.within(format!("parameter {}", index + 1)))?;
    }
    let stack = state.position.max(GENERAL.len() as u64) * SLOT;
    if stack > MAX_STACK {
        return Err(Error::limit(format!(
            "the arguments need more than {MAX_STACK} bytes of stack"
        )));
    }
    let mut builder = state.builder;
    builder.assignment.stack_size = stack as u32;
    Ok(builder.result(passing, result, result_piece.as_slice()))
}

impl State {
    fn parameter(&mut self, ty: TypeRef<'_>, extra: bool) -> Result<()> {
        // Larger values go by reference, where their size is checked.
        let size = ty.size() as u32;
        let position = self.position;
        self.position += 1;
        // An empty struct has a position, in which nobody looks.
        if ty.size() == 0 {
            self.builder.parameter(ty, Extension::None, &[]);
            return Ok(());
        }
        let piece = |size, place| Piece {
            offset: 0,
            size,
            place,
        };
        // va_arg finds a vector of 8 bytes in its slot, even if gcc's callers put an address there.
        let class = match classify(ty) {
            Class::Reference if extra && fits_a_register(ty.size()) => Class::General,
            class => class,
        };
        let Some(&general) = GENERAL.get(position as usize) else {
            if fits_a_register(ty.size()) && is_only_padding(ty) {
                self.position = position;
                self.builder.parameter(ty, Extension::None, &[]);
                return Ok(());
            }
            let place = Place::Stack((position * SLOT) as u32);
            if matches!(class, Class::Reference) {
                return self.builder.reference(ty, COPY_ALIGN, place);
            }
            let extension = parameter_extension(ty);
            self.builder.parameter(ty, extension, &[piece(size, place)]);
            return Ok(());
        };
        let general = Place::General(general);
        match class {
            Class::General => {
                let extension = parameter_extension(ty);
                self.builder
                    .parameter(ty, extension, &[piece(size, general)]);
            }
            Class::Vector => {
                // "Varargs": the callee reads an unnamed one from the general register, and gcc's
                // callee any `_Float16`.
                let both = [
                    piece(size, Place::Vector(position as u8)),
                    piece(size, general),
                ];
                let in_both = extra || ty.value_kind() == Kind::F16;
                let count = if in_both { 2 } else { 1 };
                self.builder
                    .parameter(ty, parameter_extension(ty), &both[..count]);
            }
            Class::Reference => self.builder.reference(ty, COPY_ALIGN, general)?,
        }
        Ok(())
    }
}
