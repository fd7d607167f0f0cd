//! What a receiver does, without saying how. A receiver is the stub behind a callback: its thunk
//! jumps to it with the callback's record in the context register, and it takes the arguments from
//! where the convention put them to where the handler looks for them. All callbacks whose plans are
//! equal share one.

use super::plan::Arguments;
use crate::abi::{
    Assignment, Extension, MAX_STACK, Parameter, Passing, Piece, Place, ResultPassing,
};
use crate::types::Convention;

/// Offsets in a callback's record: the code that the thunk jumps to.
pub const RECORD_ENTRY: u32 = 0;
/// The handler, a C function `(result, array, user)` of the machine's own convention.
pub const RECORD_HANDLER: u32 = 8;
/// What the handler gets as its third argument.
pub const RECORD_USER: u32 = 16;

/// The bytes of a thunk.
pub const THUNK_LENGTH: usize = 32;

/// Where bytes are while a receiver runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Location {
    /// In its frame, so far above the lowest byte.
    Frame(u32),
    /// In the caller's argument area.
    Incoming(u32),
    /// Where this general register points.
    Pointee(u8),
    /// Where the pointer points that is at this offset in the caller's argument area.
    IncomingPointee(u32),
}

/// What a save writes to the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Saved {
    /// A register's low bytes.
    Register(Place),
    /// So many low bytes of a register, extended to 8.
    Extended(Place, Extension, u32),
    /// So many bytes at a location, extended to 8.
    Value(Location, Extension, u32),
    /// The address of a location in the frame or in the caller's argument area.
    Address(Location),
    /// Zeros.
    Zero,
}

/// Some bytes of the frame that are filled before the handler is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Save {
    /// What is written.
    pub from: Saved,
    /// Where in the frame.
    pub to: u32,
    /// How many bytes.
    pub size: u32,
}

/// What is done after the handler has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Return {
    /// So many bytes of the frame go to a register. Integers are extended to all of it; what a
    /// general register has above other values has no meaning.
    Load {
        /// Where in the frame.
        from: u32,
        /// How many bytes.
        size: u32,
        /// How they fill the register.
        extension: Extension,
        /// The register. On the x87 stack values are pushed.
        to: Place,
    },
    /// So many bytes of the frame go where a pointer in the frame points.
    Copy {
        /// Where in the frame.
        from: u32,
        /// How many bytes.
        size: u32,
        /// Where the pointer is in the frame.
        pointer: u32,
    },
}

/// Where the handler's first argument, the result's address, comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResultAddress {
    /// It is an address in the frame.
    Frame(u32),
    /// The caller brought it in this general register.
    Caller(Place),
}

/// What a receiver does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Upcall {
    /// Bytes of the frame, below what is saved for unwinding; a multiple of 16.
    pub frame_size: u32,
    /// The alignment of its lowest byte, at least 16.
    pub frame_align: u32,
    /// What fills it. While this is done every register holds what the caller put there, scratch
    /// registers aside.
    pub saves: Vec<Save>,
    /// The handler's first argument. The second, the array, is the frame's lowest byte.
    pub result: ResultAddress,
    /// After the handler.
    pub returns: Vec<Return>,
    /// The handler returns here. One of pointers returns to the caller instead where there is neither an argument
    /// nor a result, and gets NULL for both; one of slots may always write one.
    pub has_frame: bool,
}

impl Upcall {
    /// For handlers that have to return to the receiver.
    pub fn with_frame(self) -> Upcall {
        Upcall {
            has_frame: true,
            ..self
        }
    }
}

/// The bytes of a slot, and of an element of the array.
const SLOT: u32 = 8;
/// Frames are a multiple of this, and aligned to it at least.
const STACK_ALIGN: u32 = 16;
/// No value is larger that travels in registers.
const LARGEST_ALIGN: u32 = 64;

/// Registers that functions of Microsoft's convention leave as they were and those of System V do
/// not: rsi, rdi and xmm6 to xmm15.
const WIN64_KEPT: [Place; 12] = [
    Place::General(6),
    Place::General(7),
    Place::Vector(6),
    Place::Vector(7),
    Place::Vector(8),
    Place::Vector(9),
    Place::Vector(10),
    Place::Vector(11),
    Place::Vector(12),
    Place::Vector(13),
    Place::Vector(14),
    Place::Vector(15),
];

/// The plan of a receiver that is called by an assignment, which is not variadic, and calls a
/// handler of the machine's own convention.
pub fn upcall(assignment: &Assignment, arguments: Arguments, native: Convention) -> Upcall {
    let count = assignment.parameters().len() as u32;
    let mut frame = Frame {
        // The array, of which even an empty one has an address.
        size: count.max(1) * SLOT,
        align: STACK_ALIGN,
        area_align: assignment.stack_align,
        saves: Vec::with_capacity(2 * count as usize + 2),
        returns: Vec::with_capacity(2),
    };
    let mut nothing = Vec::new();
    for (index, parameter) in assignment.parameters().iter().enumerate() {
        let element = index as u32 * SLOT;
        let pieces = first_of_each(assignment.pieces(parameter));
        if arguments == Arguments::Slots && parameter.size <= SLOT {
            frame.slot(parameter, &pieces, element);
        } else if pieces.is_empty() {
            nothing.push((element, parameter.size));
        } else {
            frame.pointer(parameter, &pieces, element);
        }
    }
    let result = frame.result(assignment, arguments);
    if (assignment.convention, native) == (Convention::Win64, Convention::SysV64) {
        frame.keep(&WIN64_KEPT);
    }
    frame.point_to_nothing(&nothing);
    let is_empty = count == 0 && assignment.result_size == 0 && arguments == Arguments::Pointers;
    let has_frame = !is_empty || !frame.saves.is_empty() || !frame.returns.is_empty();
    // Values first: where stores of values and of addresses take turns a processor is slower by a third.
    frame
        .saves
        .sort_by_key(|save| matches!(save.from, Saved::Address(_)));
    Upcall {
        frame_size: frame.size.next_multiple_of(frame.align),
        frame_align: frame.align,
        saves: frame.saves,
        result,
        returns: frame.returns,
        has_frame,
    }
}

/// The pieces of a value, each byte once: of two that are the same bytes the later one, which is in
/// a general register. So gcc passes a `_Float16` by Microsoft's convention.
fn first_of_each(pieces: &[Piece]) -> Vec<Piece> {
    let mut list: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match list.last_mut() {
            Some(last) if last.offset == piece.offset => *last = *piece,
            _ => list.push(*piece),
        }
    }
    list
}

/// The alignment of a value in the frame: as far as its size lets its type be aligned.
fn natural_align(size: u32) -> u32 {
    let largest = 1 << size.trailing_zeros().min(LARGEST_ALIGN.trailing_zeros());
    SLOT.max(largest)
}

/// Where an address points that travels in this place: as an integer does, in a general register or
/// on the stack.
fn pointee(place: Place) -> Location {
    match place {
        Place::General(register) | Place::Vector(register) | Place::X87(register) => {
            Location::Pointee(register)
        }
        Place::Stack(at) => Location::IncomingPointee(at),
    }
}

struct Frame {
    size: u32,
    align: u32,
    /// Of the caller's argument area.
    area_align: u32,
    saves: Vec<Save>,
    returns: Vec<Return>,
}

impl Frame {
    /// Room for a value, in whole slots, so that registers can be stored at full width.
    fn take(&mut self, size: u32) -> u32 {
        self.take_aligned(size, natural_align(size))
    }

    fn take_aligned(&mut self, size: u32, align: u32) -> u32 {
        self.align = self.align.max(align);
        let at = self.size.next_multiple_of(align);
        self.size = at + size.next_multiple_of(SLOT);
        at
    }

    fn save(&mut self, from: Saved, to: u32, size: u32) {
        self.saves.push(Save { from, to, size });
    }

    /// An element that points to the value.
    fn pointer(&mut self, parameter: &Parameter, pieces: &[Piece], element: u32) {
        let first = pieces.first().map(|piece| piece.place);
        let from = match (parameter.passing, first) {
            (Passing::Reference { .. }, Some(Place::Stack(at))) => {
                Saved::Value(Location::Incoming(at), Extension::None, SLOT)
            }
            (Passing::Reference { .. }, Some(place)) => Saved::Register(place),
            // What is on the stack is there in one piece, and aligned as its type is if not for the
            // two conventions of AArch64, which look at the members of a struct alone.
            (Passing::Value, Some(Place::Stack(at)))
                if (at | self.area_align).is_multiple_of(parameter.align) =>
            {
                Saved::Address(Location::Incoming(at))
            }
            (Passing::Value, Some(Place::Stack(at))) => {
                let copy = self.take(parameter.size);
                for done in (0..parameter.size).step_by(SLOT as usize) {
                    let size = SLOT.min(parameter.size - done);
                    let from = Saved::Value(Location::Incoming(at + done), Extension::None, size);
                    self.save(from, copy + done, SLOT);
                }
                Saved::Address(Location::Frame(copy))
            }
            _ => {
                let at = self.take(parameter.size);
                for (index, piece) in pieces.iter().enumerate() {
                    let end = pieces.get(index + 1).map_or(u32::MAX, |next| next.offset);
                    self.piece(piece, at, end);
                }
                Saved::Address(Location::Frame(at))
            }
        };
        self.save(from, element, SLOT);
    }

    /// A register's part of a value that is put together in the frame. It is stored at full width
    /// where that overwrites nothing, so that loads of any width find it in one store.
    fn piece(&mut self, piece: &Piece, value: u32, end: u32) {
        let is_alone = piece.offset.is_multiple_of(SLOT) && end >= piece.offset + SLOT;
        let size = match is_alone {
            true => piece.size.max(SLOT),
            false => piece.size,
        };
        self.save(Saved::Register(piece.place), value + piece.offset, size);
    }

    /// An element that is the value, extended to 8 bytes.
    fn slot(&mut self, parameter: &Parameter, pieces: &[Piece], element: u32) {
        let (extension, size) = (parameter.widening, parameter.size);
        let from = match (parameter.passing, pieces) {
            (_, []) => Saved::Zero,
            (Passing::Reference { .. }, [piece, ..]) => {
                Saved::Value(pointee(piece.place), Extension::None, size)
            }
            (Passing::Value, [piece]) => match piece.place {
                Place::Stack(at) => Saved::Value(Location::Incoming(at), extension, size),
                place if size == SLOT => Saved::Register(place),
                place => Saved::Extended(place, extension, size),
            },
            (Passing::Value, _) => {
                for piece in pieces {
                    let to = element + piece.offset;
                    self.save(Saved::Register(piece.place), to, piece.size);
                }
                if size < SLOT {
                    self.save(Saved::Zero, element + size, SLOT - size);
                }
                return;
            }
        };
        self.save(from, element, SLOT);
    }

    /// Parameters of which nothing travels: the same bytes for all, of which no one means anything.
    fn point_to_nothing(&mut self, elements: &[(u32, u32)]) {
        let largest = elements.iter().map(|one| one.1).max().unwrap_or(0);
        let at = match largest.min(MAX_STACK as u32) {
            // What has no bytes is anywhere.
            0 => 0,
            size => self.take(size),
        };
        for (element, _) in elements {
            self.save(Saved::Address(Location::Frame(at)), *element, SLOT);
        }
    }

    /// Registers that the handler may change and the caller's convention keeps.
    fn keep(&mut self, registers: &[Place]) {
        for place in registers {
            let size = match place {
                Place::Vector(_) => 16,
                _ => SLOT,
            };
            let at = self.take(size);
            self.save(Saved::Register(*place), at, size);
            self.load(at, size, Extension::None, *place);
        }
    }

    fn load(&mut self, from: u32, size: u32, extension: Extension, to: Place) {
        self.returns.push(Return::Load {
            from,
            size,
            extension,
            to,
        });
    }

    fn result(&mut self, assignment: &Assignment, arguments: Arguments) -> ResultAddress {
        let size = assignment.result_size;
        let in_slots = arguments == Arguments::Slots;
        match assignment.result {
            // Some memory, for handlers that write always, and for what is written of a struct of which
            // nothing travels.
            ResultPassing::Void => {
                let at = self.take(size.max(SLOT));
                self.result_in_frame(at, size, arguments)
            }
            ResultPassing::Registers => {
                let extension = assignment.result_extension;
                let pieces = assignment.result_pieces();
                let is_x87 = matches!(pieces, [first, ..] if matches!(first.place, Place::X87(_)));
                let at = match is_x87 {
                    true => self.take_aligned(size, STACK_ALIGN),
                    false => self.take(size.max(SLOT)),
                };
                let mut load = |piece: &Piece| {
                    self.load(at + piece.offset, piece.size, extension, piece.place);
                };
                match is_x87 {
                    // What is pushed last is on top.
                    true => pieces.iter().rev().for_each(&mut load),
                    false => pieces.iter().for_each(&mut load),
                }
                self.result_in_frame(at, size, arguments)
            }
            ResultPassing::Memory { address, returned } => {
                let is_copied = in_slots && size <= SLOT;
                // For after the handler, which may change the slot that it is told of.
                let pointer = match is_copied || returned.is_some() {
                    true => self.take(SLOT),
                    false => 0,
                };
                if pointer > 0 {
                    self.save(Saved::Register(address), pointer, SLOT);
                }
                let result = match in_slots {
                    false => ResultAddress::Caller(address),
                    true if is_copied => {
                        let from = self.take(SLOT);
                        self.returns.push(Return::Copy {
                            from,
                            size,
                            pointer,
                        });
                        ResultAddress::Frame(from)
                    }
                    true => self.indirect(Saved::Register(address)),
                };
                if let Some(returned) = returned {
                    self.load(pointer, SLOT, Extension::None, returned);
                }
                result
            }
        }
    }

    /// What a handler is told of a result in the frame.
    fn result_in_frame(&mut self, at: u32, size: u32, arguments: Arguments) -> ResultAddress {
        match arguments == Arguments::Slots && size > SLOT {
            true => self.indirect(Saved::Address(Location::Frame(at))),
            false => ResultAddress::Frame(at),
        }
    }

    /// A slot that holds the result's address.
    fn indirect(&mut self, address: Saved) -> ResultAddress {
        let at = self.take(SLOT);
        self.save(address, at, SLOT);
        ResultAddress::Frame(at)
    }
}
