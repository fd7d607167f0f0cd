//! What a stub does, without saying how: moves before the call, the call, stores after it.

use crate::abi::{Assignment, Extension, Parameter, Passing, Piece, Place, ResultPassing};

/// What the caller of a stub hands over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arguments {
    /// An array of pointers to the values, and a pointer to memory for the result.
    Pointers,
    /// An array of 8-byte slots that hold the values, or pointers to larger ones, and a slot for
    /// the result, or for a pointer to a larger one's memory.
    Slots,
}

/// The registers in which a stub gets what it is called with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The general register with the result's address.
    pub result: u8,
    /// The general register with the array's address.
    pub arguments: u8,
}

/// Offsets from the thread pointer: where `errno` is, and where its value goes after the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ErrnoCapture {
    /// Of `errno`.
    pub from: i32,
    /// Of the cell that `fc_captured_errno` reads.
    pub to: i32,
}

/// Where a value is before the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// In the array itself, at this element.
    Element(u32),
    /// Where the array's element points.
    Pointee(u32),
    /// Nowhere: the value is the address of this offset in the stack area, where a copy is.
    Area(u32),
}

/// Some bytes of an argument on their way to the callee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The value that they are part of.
    pub from: Address,
    /// The first byte in it.
    pub offset: u32,
    /// How many bytes.
    pub size: u32,
    /// How they fill a register.
    pub extension: Extension,
    /// Where they go.
    pub to: Place,
}

/// What is stored after the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreSource {
    /// These registers' low bytes.
    Register(Place),
    /// A register, extended to the 8 bytes of a slot.
    Extended(Place, Extension, u32),
    /// Zeros: padding of the result that no register brings.
    Zero,
}

/// Some bytes of the result on their way to the caller's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Store {
    /// What is stored.
    pub from: StoreSource,
    /// The first byte in the result's memory.
    pub offset: u32,
    /// How many bytes.
    pub size: u32,
}

/// What a stub does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Where it gets its own arguments.
    pub entry: Entry,
    /// The result's address is not what the stub is handed, but stands where that points.
    pub result_is_indirect: bool,
    /// It needs a frame; without one it ends in a jump to the target.
    pub has_frame: bool,
    /// Bytes of the stack area: the argument area, and above it copies of arguments that are passed
    /// by reference.
    pub stack_size: u32,
    /// Its alignment in bytes, at least 16.
    pub stack_align: u32,
    /// Moves to the stack area: while they run, no register holds an argument yet.
    pub stack_moves: Vec<Move>,
    /// The register that the result's address goes to, for results in memory.
    pub result_address: Option<Place>,
    /// Moves to registers. The last ones overwrite the array's address.
    pub register_moves: Vec<Move>,
    /// What a variadic callee is told of vector registers.
    pub vector_count: Option<u8>,
    /// Stores after the call.
    pub stores: Vec<Store>,
    /// `errno` is kept right after the call.
    pub errno: Option<ErrnoCapture>,
}

/// The plan of a stub that calls by an assignment.
pub fn plan(
    assignment: &Assignment,
    arguments: Arguments,
    entry: Entry,
    errno: Option<ErrnoCapture>,
) -> Plan {
    let moves = Moves::of(assignment, arguments, entry);
    let stores = stores(assignment, arguments);
    let result_address = match assignment.result {
        ResultPassing::Memory { address, .. } => Some(address),
        ResultPassing::Void | ResultPassing::Registers => None,
    };
    Plan {
        entry,
        result_is_indirect: arguments == Arguments::Slots && assignment.result_size > SLOT,
        has_frame: moves.stack_size > 0 || !stores.is_empty() || errno.is_some(),
        stack_size: moves.stack_size,
        stack_align: moves.stack_align,
        stack_moves: moves.stack,
        result_address,
        register_moves: moves.registers,
        vector_count: assignment.vector_count,
        stores,
        errno,
    }
}

/// The bytes of a slot.
const SLOT: u32 = 8;

/// What is stored after a call by an assignment.
pub fn stores(assignment: &Assignment, arguments: Arguments) -> Vec<Store> {
    let in_slot = arguments == Arguments::Slots && assignment.result_size <= SLOT;
    match assignment.result {
        // Of a struct that is only padding nothing comes back, and yet it has a slot.
        ResultPassing::Void if in_slot && assignment.result_size > 0 => {
            vec![slot_store(assignment)]
        }
        ResultPassing::Void => Vec::new(),
        // The callee writes the value; in a slot that leaves what is above it.
        ResultPassing::Memory { .. } if in_slot && assignment.result_size < SLOT => {
            clear_above(assignment.result_size)
        }
        ResultPassing::Memory { .. } => Vec::new(),
        ResultPassing::Registers if !in_slot => exact_stores(assignment, assignment.result_size),
        ResultPassing::Registers if assignment.result_pieces().len() > 1 => {
            exact_stores(assignment, SLOT)
        }
        ResultPassing::Registers => vec![slot_store(assignment)],
    }
}

/// Moves before the call, and the stack area that they fill.
struct Moves {
    stack: Vec<Move>,
    registers: Vec<Move>,
    stack_size: u32,
    stack_align: u32,
}

impl Moves {
    fn of(assignment: &Assignment, arguments: Arguments, entry: Entry) -> Moves {
        let mut moves = Moves {
            stack: Vec::new(),
            registers: Vec::with_capacity(assignment.parameters().len()),
            stack_size: assignment.stack_size,
            stack_align: assignment.stack_align,
        };
        let mut last = Vec::new();
        for (index, parameter) in assignment.parameters().iter().enumerate() {
            let index = index as u32;
            let in_slot = arguments == Arguments::Slots && parameter.size <= SLOT;
            let value = match in_slot {
                true => Address::Element(index),
                false => Address::Pointee(index),
            };
            let from = match parameter.passing {
                Passing::Value => value,
                Passing::Reference { align } => moves.copy(value, parameter, align),
            };
            let pieces = assignment.pieces(parameter);
            let overwrites = |piece: &Piece| piece.place == Place::General(entry.arguments);
            let overwrites_array = pieces.iter().any(overwrites);
            for piece in pieces {
                let piece_move = Move {
                    from,
                    offset: piece.offset,
                    size: piece.size,
                    extension: parameter.extension,
                    to: piece.place,
                };
                match piece.place {
                    Place::Stack(_) => moves.stack.push(piece_move),
                    _ if overwrites_array => last.push(piece_move),
                    _ => moves.registers.push(piece_move),
                }
            }
        }
        moves.registers.append(&mut last);
        moves
    }

    /// A copy in the stack area, for an argument that is passed by reference.
    fn copy(&mut self, value: Address, parameter: &Parameter, align: u32) -> Address {
        let at = self.stack_size.next_multiple_of(align);
        self.stack_size = (at + parameter.size).next_multiple_of(8);
        self.stack_align = self.stack_align.max(align);
        self.stack.push(Move {
            from: value,
            offset: 0,
            size: parameter.size,
            extension: Extension::None,
            to: Place::Stack(at),
        });
        Address::Area(at)
    }
}

/// A result of at most 8 bytes in one register, extended to the whole slot.
fn slot_store(assignment: &Assignment) -> Store {
    let from = match assignment.result_pieces() {
        [piece, ..] => StoreSource::Extended(piece.place, assignment.result_extension, piece.size),
        [] => StoreSource::Zero,
    };
    Store {
        from,
        offset: 0,
        size: SLOT,
    }
}

fn clear_above(size: u32) -> Vec<Store> {
    vec![Store {
        from: StoreSource::Zero,
        offset: size,
        size: SLOT - size,
    }]
}

/// Exactly so many bytes: the result's pieces, and zeros where there are none.
fn exact_stores(assignment: &Assignment, size: u32) -> Vec<Store> {
    let mut stores = Vec::with_capacity(2);
    let mut end = 0;
    let zero_up_to = |stores: &mut Vec<Store>, from: u32, to: u32| {
        if to > from {
            stores.push(Store {
                from: StoreSource::Zero,
                offset: from,
                size: to - from,
            });
        }
    };
    for piece in assignment.result_pieces() {
        zero_up_to(&mut stores, end, piece.offset);
        stores.push(Store {
            from: StoreSource::Register(piece.place),
            offset: piece.offset,
            size: piece.size,
        });
        end = piece.offset + piece.size;
    }
    zero_up_to(&mut stores, end, size);
    stores
}
