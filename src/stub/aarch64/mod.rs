//! Plans as AArch64 code.
//!
//! A stub with a frame, while its callee runs:
//!
//! ```text
//!             +------------------------------+
//!   x29 + 8   | return address of the stub   |
//!   x29       | caller's x29                 |
//!             +------------------------------+
//!   x29 - 8   | (alignment)                  |  where something is stored after the call
//!   x29 - 16  | address of the result        |
//!             +------------------------------+
//!             | stack area, stack_size       |
//!   sp        |                              |
//!             +------------------------------+
//! ```
//!
//! Every framed stub saves x29 and x30 first and lets x29 point to them, so that one unwind rule (the
//! frame's address is x29 + 16, x29 is saved at x29 and the return address above it) holds at each of
//! their calls. A stub that has nothing to do after the call has no frame: it jumps.
//!
//! Registers: x17 holds the target. Before the call x9 to x15 and v16 and v17 are scratch, afterwards
//! x9 holds the result's address and x10 and x12 are scratch. x18 belongs to some systems, x19 to x28
//! and the low halves of v8 to v15 to the caller: none of them is touched. Stubs and entries begin
//! with `bti c`, which jumps may reach that go through x16 or x17, and so go all of theirs.

#![allow(
    clippy::useless_conversion,
    reason = "the assembler's macro converts register numbers"
)]

mod entry;
mod frame;
mod load;
mod operand;
mod store;
mod upcall;

pub use entry::{emit_entry, emit_jump, emit_thunk, entry_length};
pub use upcall::emit_upcall;

use super::plan::{Address, Entry, ErrnoCapture, Move, Plan};
use crate::abi::{Extension, Place};
use dynasmrt::{DynasmApi, dynasm};
use load::{copy, load_general, load_vector};
use operand::{
    Assembler, CONTEXT, DATA, POINTERS, RESULT, SP, add_offset, is_paired, is_scaled, memory, pair,
    reach, reach_pair,
};
use store::store_all;

/// The bytes of `bti c`, with which every stub begins.
pub const LANDING_PAD: usize = 4;

/// A stub gets what it is called with in x0 and x1, the registers of the native convention's first two
/// parameters.
pub const ENTRY: Entry = Entry {
    result: 0,
    arguments: 1,
};

/// The code of a plan.
pub fn emit(plan: &Plan) -> Vec<u8> {
    let mut code =
        Assembler::new_with_capacity(0, 64 + 12 * plan.register_moves.len(), 0, 0, 0, 0, 0);
    landing_pad(&mut code);
    let result = plan.entry.result;
    if plan.result_is_indirect {
        dynasm!(code ; .arch aarch64 ; ldr X(result), [XSP(result)]);
    }
    if plan.has_frame {
        frame::enter(&mut code, plan);
    }
    let mut emitter = Emitter {
        code,
        array: plan.entry.arguments,
        pointers: [None; 2],
    };
    for (index, stack_move) in plan.stack_moves.iter().enumerate() {
        emitter.stack_move(stack_move, &plan.stack_moves[index + 1..]);
    }
    match plan.result_address {
        Some(Place::General(register)) if register != result => {
            dynasm!(emitter.code ; .arch aarch64 ; mov X(register), X(result));
        }
        _ => {}
    }
    let mut moves = plan.register_moves.as_slice();
    while let [one, rest @ ..] = moves {
        moves = match rest {
            [next, rest @ ..] if emitter.move_two(one, next, rest) => rest,
            _ => {
                emitter.register_move(one, rest);
                rest
            }
        };
    }
    let mut code = emitter.code;
    if !plan.has_frame {
        dynasm!(code ; .arch aarch64 ; br X(CONTEXT));
        return finish(code);
    }
    dynasm!(code ; .arch aarch64 ; blr X(CONTEXT));
    if let Some(errno) = plan.errno {
        keep_errno(&mut code, errno);
    }
    frame::find_result(&mut code, plan);
    store_all(&mut code, &plan.stores);
    frame::leave(&mut code, plan);
    finish(code)
}

fn keep_errno(code: &mut Assembler, errno: ErrnoCapture) {
    /// The number of `tpidr_el0` among the system registers: op0 3, op1 3, CRn 13, CRm 0, op2 2,
    /// without op0's upper bit.
    const THREAD_POINTER: u32 = 1 << 14 | 3 << 11 | 13 << 7 | 2;
    dynasm!(code ; .arch aarch64 ; mrs X(RESULT), THREAD_POINTER);
    memory!(code, RESULT, errno.from, 4, [ldr ldur W(DATA)]);
    memory!(code, RESULT, errno.to, 4, [str stur W(DATA)]);
}

/// `bti c`: stubs are reached by indirect jumps.
fn landing_pad(code: &mut Assembler) {
    dynasm!(code ; .arch aarch64 ; hint 34);
}

fn finish(code: Assembler) -> Vec<u8> {
    // Nothing here refers to a label that is not set a few instructions away.
    code.finalize().unwrap_or_default()
}

struct Emitter {
    code: Assembler,
    /// The register with the array's address.
    array: u8,
    /// Which elements of the array the two registers for pointers hold.
    pointers: [Option<u32>; 2],
}

impl Emitter {
    /// The register and offset at which a move's bytes are. `rest` are the moves after it.
    fn source(&mut self, from: Address, offset: u32, rest: &[Move]) -> (u8, i32) {
        match from {
            // Elements are numbered below 2^16 and offsets are below 2^28.
            Address::Element(index) => (self.array, index as i32 * 8 + offset as i32),
            Address::Pointee(index) => (self.pointer(index, rest), offset as i32),
            // The address itself is what is moved: the moves ask for it before they come here.
            Address::Area(at) => (SP, at as i32),
        }
    }

    /// The register that holds a pointer of the array. It is loaded together with the next one, if
    /// that is needed next.
    fn pointer(&mut self, index: u32, rest: &[Move]) -> u8 {
        if let Some(held) = self.pointers.iter().position(|held| *held == Some(index)) {
            return POINTERS[held];
        }
        let at = index as i32 * 8;
        let next = Address::Pointee(index + 1);
        let later = rest.iter().find(|one| one.from != Address::Pointee(index));
        if is_paired(at, 8) && later.is_some_and(|one| one.from == next) {
            pair!(&mut self.code, self.array, at, 8, [ldp X(POINTERS[0]), X(POINTERS[1])]);
            self.pointers = [Some(index), Some(index + 1)];
        } else {
            memory!(&mut self.code, self.array, at, 8, [ldr ldur X(POINTERS[0])]);
            self.pointers[0] = Some(index);
        }
        POINTERS[0]
    }

    fn register_move(&mut self, one: &Move, rest: &[Move]) {
        if let (Address::Area(at), Place::General(register)) = (one.from, one.to) {
            add_offset(&mut self.code, register, SP, at as i32);
            return;
        }
        let (base, at) = self.source(one.from, one.offset, rest);
        // A slot has 8 bytes, whatever its value has.
        let size = match one.from {
            Address::Element(_) if !one.size.is_power_of_two() && one.offset == 0 => 8,
            _ => one.size,
        };
        match one.to {
            Place::General(register) => {
                load_general(&mut self.code, register, base, at, size, one.extension);
            }
            Place::Vector(register) => load_vector(&mut self.code, register, base, at, size),
            // This processor has no others, and stack moves are elsewhere.
            Place::X87(_) | Place::Stack(_) => {}
        }
    }

    /// Moves two neighbours in memory to two registers of a kind by one instruction, if they are such.
    fn move_two(&mut self, one: &Move, next: &Move, rest: &[Move]) -> bool {
        let start = |one: &Move| match one.from {
            Address::Element(index) => Some((None, index * 8 + one.offset)),
            Address::Pointee(index) => Some((Some(index), one.offset)),
            Address::Area(_) => None,
        };
        let (Some((of, first)), Some(second)) = (start(one), start(next)) else {
            return false;
        };
        let size = one.size;
        let are_neighbours = second == (of, first + size) && next.size == size;
        let are_extended = one.extension != Extension::None || next.extension != Extension::None;
        if !are_neighbours || are_extended || !is_paired(first as i32, size) {
            return false;
        }
        let (a, b) = match (one.to, next.to) {
            (Place::General(a), Place::General(b)) if matches!(size, 4 | 8) => (a, b),
            (Place::Vector(a), Place::Vector(b)) if matches!(size, 4 | 8 | 16) => (a, b),
            _ => return false,
        };
        let (base, at) = self.source(one.from, one.offset, rest);
        let code = &mut self.code;
        match (one.to, size) {
            (Place::General(_), 4) => pair!(code, base, at, 4, [ldp W(a), W(b)]),
            (Place::General(_), _) => pair!(code, base, at, 8, [ldp X(a), X(b)]),
            (_, 4) => pair!(code, base, at, 4, [ldp S(a), S(b)]),
            (_, 8) => pair!(code, base, at, 8, [ldp D(a), D(b)]),
            (_, _) => pair!(code, base, at, 16, [ldp Q(a), Q(b)]),
        }
        true
    }

    fn stack_move(&mut self, one: &Move, rest: &[Move]) {
        let Place::Stack(to) = one.to else { return };
        let to = to as i32;
        if let Address::Area(at) = one.from {
            let code = &mut self.code;
            add_offset(code, DATA, SP, at as i32);
            memory!(code, SP, to, 8, [str stur X(DATA)]);
            return;
        }
        let (base, at) = self.source(one.from, one.offset, rest);
        let code = &mut self.code;
        if one.extension == Extension::None {
            copy(code, (base, at), (SP, to), one.size);
        } else {
            load_general(code, DATA, base, at, one.size, one.extension);
            memory!(code, SP, to, 8, [str stur X(DATA)]);
        }
    }
}
