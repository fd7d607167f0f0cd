//! What libffi is told of a call: a list of arguments, each with its type and where its value comes
//! from, and the type of the result.

use crate::abi::{Assignment, Extension, Parameter, Passing, Piece, Place, ResultPassing};
use crate::types::Convention;
use libffi::raw::{
    ffi_type, ffi_type_complex_longdouble, ffi_type_double, ffi_type_longdouble, ffi_type_pointer,
    ffi_type_uint64, ffi_type_void,
};
use std::ptr::{addr_of_mut, null_mut};

const FFI_TYPE_STRUCT: u16 = 13;
/// x0 to x7 and v0 to v7.
const AARCH64_REGISTERS: usize = 8;
const MOST_ELEMENTS: usize = 4;

/// One of libffi's arguments.
pub(super) struct Argument {
    pub(super) ty: *mut ffi_type,
    pub(super) source: Source,
}

/// Where the value of an argument comes from.
#[derive(Clone, Copy)]
pub(super) enum Source {
    /// Nowhere: the argument is there for its place only.
    Nothing,
    /// It is the address of memory for the result.
    ResultAddress,
    /// It is the address of a copy of this parameter.
    Copy { parameter: usize, align: u32 },
    /// So many bytes of this parameter, at most 8, extended to 8.
    Word {
        parameter: usize,
        offset: u32,
        size: u32,
        extension: Extension,
    },
    /// The memory of this parameter, from this offset on.
    Memory { parameter: usize, offset: u32 },
}

/// A type for libffi, with its list of elements.
pub(super) struct Block {
    ty: ffi_type,
    elements: [*mut ffi_type; MOST_ELEMENTS + 1],
}

impl Block {
    fn new(size: usize, alignment: u16, elements: &[*mut ffi_type]) -> Box<Block> {
        let mut list = [null_mut(); MOST_ELEMENTS + 1];
        list[..elements.len()].copy_from_slice(elements);
        let mut block = Box::new(Block {
            ty: ffi_type {
                size,
                alignment,
                type_: FFI_TYPE_STRUCT,
                elements: null_mut(),
            },
            elements: list,
        });
        // The box stays where it is for as long as the description lives.
        block.ty.elements = block.elements.as_mut_ptr();
        block
    }
}

/// What libffi is told.
pub(super) struct Description {
    pub(super) arguments: Vec<Argument>,
    pub(super) result: *mut ffi_type,
    /// libffi gets the address of memory for the result as such, not as an argument.
    pub(super) result_in_place: bool,
    /// The structs among the types. libffi has their addresses.
    #[allow(clippy::vec_box, reason = "a block must not move")]
    blocks: Vec<Box<Block>>,
}

impl Description {
    pub(super) fn of(assignment: &Assignment) -> Description {
        let mut description = Description {
            arguments: Vec::with_capacity(assignment.parameters().len()),
            result: addr_of_mut!(ffi_type_void),
            result_in_place: false,
            blocks: Vec::new(),
        };
        match assignment.convention {
            Convention::Aapcs64 => description.by_place(assignment),
            _ => description.in_order(assignment),
        }
        description.result(assignment);
        description
    }

    fn add(&mut self, ty: *mut ffi_type, source: Source) {
        self.arguments.push(Argument { ty, source });
    }

    fn block(&mut self, block: Box<Block>) -> *mut ffi_type {
        self.blocks.push(block);
        self.blocks
            .last_mut()
            .map_or(null_mut(), |block| &raw mut block.ty)
    }

    /// Argument by argument, so that libffi comes to the same registers.
    fn in_order(&mut self, assignment: &Assignment) {
        let is_win64 = assignment.convention == Convention::Win64;
        if matches!(assignment.result, ResultPassing::Memory { .. }) {
            self.add(addr_of_mut!(ffi_type_pointer), Source::ResultAddress);
        }
        for (index, parameter) in assignment.parameters().iter().enumerate() {
            // An empty struct has a position by Microsoft's convention.
            if is_win64 && parameter.size == 0 {
                self.add(addr_of_mut!(ffi_type_uint64), Source::Nothing);
            }
            for piece in told_pieces(assignment, parameter) {
                let is_value = parameter.passing == Passing::Value;
                let is_extended = parameter.extension != Extension::None;
                match piece.place {
                    // Microsoft's convention has slots of 8 bytes only.
                    Place::Stack(at) if is_value && !is_win64 => {
                        let size = if is_extended { 8 } else { piece.size };
                        let source = match is_extended {
                            true => source(index, parameter, piece),
                            false => Source::Memory {
                                parameter: index,
                                offset: piece.offset,
                            },
                        };
                        let ty = self.memory(size as usize, alignment_at(at));
                        self.add(ty, source);
                    }
                    Place::Vector(_) if is_value => {
                        let ty = addr_of_mut!(ffi_type_double);
                        self.add(ty, source(index, parameter, piece));
                    }
                    _ => {
                        let ty = addr_of_mut!(ffi_type_uint64);
                        self.add(ty, source(index, parameter, piece));
                    }
                }
            }
        }
    }

    /// Memory of a size and alignment. libffi passes a struct of more than 16 bytes in memory, and
    /// a smaller one if it is made of a long double.
    fn memory(&mut self, size: usize, align: u16) -> *mut ffi_type {
        self.block(Block::new(
            size,
            align,
            &[addr_of_mut!(ffi_type_longdouble)],
        ))
    }

    /// First what fills the general registers, then the vector registers, then the stack word by word:
    /// to a callee it is the same, and libffi cannot come to other places. Registers that are skipped
    /// get something too, all general ones if there is anything on the stack.
    fn by_place(&mut self, assignment: &Assignment) {
        let mut general = [None; AARCH64_REGISTERS];
        let mut vector = [None; AARCH64_REGISTERS];
        let mut stack = vec![None; assignment.stack_size.div_ceil(8) as usize];
        for (index, parameter) in assignment.parameters().iter().enumerate() {
            for piece in assignment.pieces(parameter) {
                match piece.place {
                    Place::General(register) => {
                        general[register as usize] = Some(source(index, parameter, piece));
                    }
                    Place::Vector(register) => {
                        vector[register as usize] =
                            Some((piece.size, source(index, parameter, piece)));
                    }
                    Place::Stack(at) => {
                        for done in (0..piece.size).step_by(8) {
                            let word = Piece {
                                offset: piece.offset + done,
                                size: (piece.size - done).min(8),
                                place: piece.place,
                            };
                            stack[((at + done) / 8) as usize] =
                                Some(source(index, parameter, &word));
                        }
                    }
                    // No processor with this convention has any.
                    Place::X87(_) => {}
                }
            }
        }
        let last = general.iter().rposition(Option::is_some);
        let count = match stack.is_empty() {
            true => last.map_or(0, |last| last + 1),
            false => AARCH64_REGISTERS,
        };
        for word in &general[..count] {
            self.add(
                addr_of_mut!(ffi_type_uint64),
                word.unwrap_or(Source::Nothing),
            );
        }
        // The vector registers have no holes.
        for (size, source) in vector.into_iter().flatten() {
            self.add(vector_type(size), source);
        }
        for word in stack {
            self.add(
                addr_of_mut!(ffi_type_uint64),
                word.unwrap_or(Source::Nothing),
            );
        }
    }

    fn result(&mut self, assignment: &Assignment) {
        let pieces = assignment.result_pieces();
        self.result = match (assignment.result, pieces) {
            (ResultPassing::Void, _) | (ResultPassing::Registers, []) => {
                addr_of_mut!(ffi_type_void)
            }
            (ResultPassing::Memory { returned: None, .. }, _) => {
                self.result_in_place = true;
                // Any struct that is too large for registers.
                let word = addr_of_mut!(ffi_type_uint64);
                self.block(Block::new(128, 8, &[word]))
            }
            // The callee gives the address back.
            (ResultPassing::Memory { .. }, _) => addr_of_mut!(ffi_type_pointer),
            (_, [piece]) if matches!(piece.place, Place::X87(_)) => {
                addr_of_mut!(ffi_type_longdouble)
            }
            (_, [piece, ..]) if matches!(piece.place, Place::X87(_)) => {
                addr_of_mut!(ffi_type_complex_longdouble)
            }
            (_, [piece]) => register_type(piece),
            (_, pieces) => {
                let elements: Vec<_> = pieces.iter().map(register_type).collect();
                let each = returned_size(&pieces[0]);
                self.block(Block::new(pieces.len() * each, each as u16, &elements))
            }
        };
    }
}

/// The pieces that libffi is told of: by Microsoft's convention it puts a floating number in both kinds
/// of register by itself.
fn told_pieces<'a>(assignment: &'a Assignment, parameter: &Parameter) -> &'a [Piece] {
    match (assignment.convention, assignment.pieces(parameter)) {
        (Convention::Win64, [first, _, ..]) => std::slice::from_ref(first),
        (_, pieces) => pieces,
    }
}

fn source(index: usize, parameter: &Parameter, piece: &Piece) -> Source {
    match parameter.passing {
        Passing::Reference { align } => Source::Copy {
            parameter: index,
            align,
        },
        Passing::Value if piece.size > 8 => Source::Memory {
            parameter: index,
            offset: piece.offset,
        },
        Passing::Value => Source::Word {
            parameter: index,
            offset: piece.offset,
            size: piece.size,
            extension: parameter.extension,
        },
    }
}

/// libffi puts one stack argument behind another at the next multiple of its alignment. What the
/// assignment chose says which alignment leads there: a multiple of 16 is reached by 16 whatever
/// the type's own is, and another multiple of 8 only by 8.
fn alignment_at(offset: u32) -> u16 {
    if offset.is_multiple_of(16) { 16 } else { 8 }
}

fn register_type(piece: &Piece) -> *mut ffi_type {
    match piece.place {
        Place::Vector(_) => vector_type(piece.size),
        _ => addr_of_mut!(ffi_type_uint64),
    }
}

/// Where libffi passes more than 8 bytes in a vector register, long double is binary128.
fn vector_type(size: u32) -> *mut ffi_type {
    match size > 8 {
        true => addr_of_mut!(ffi_type_longdouble),
        false => addr_of_mut!(ffi_type_double),
    }
}

/// Bytes that a register's value takes in what libffi returns.
pub(super) fn returned_size(piece: &Piece) -> usize {
    match piece.place {
        Place::X87(_) => 16,
        _ if piece.size > 8 => 16,
        _ => 8,
    }
}
