//! Receivers as AArch64 code.
//!
//! ```text
//!             +------------------------------+
//!   x29 + 16  | caller's argument area       |
//!   x29 + 8   | return address               |
//!   x29       | caller's x29                 |
//!             +------------------------------+
//!             | frame, frame_size            |
//!   sp        | array                        |
//!             +------------------------------+
//! ```
//!
//! The shape is that of all framed stubs. x9 to x15 are scratch, x17 holds the record until the handler
//! has it.

#![allow(
    clippy::useless_conversion,
    clippy::identity_op,
    reason = "the assembler's macro converts register numbers and adds up what is constant"
)]

use super::load::{copy, load_general};
use super::operand::{
    Assembler, CONTEXT, FAR, SP, ZERO, add_offset, is_paired, is_scaled, memory, pair, reach,
    reach_pair,
};
use super::{ENTRY, finish, frame, landing_pad};
use crate::abi::{Extension, Place};
use crate::stub::chunks::chunks;
use crate::stub::upcall::{
    Location, RECORD_HANDLER, RECORD_USER, ResultAddress, Return, Save, Saved, Upcall,
};
use dynasmrt::{DynasmApi, dynasm};

/// The register of a handler's third argument.
const USER: u8 = 2;
const FRAME: u8 = 29;
/// What a stub pushes first.
const INCOMING: i32 = 16;
/// Two values on their way to the frame; loading one takes x10 and x11.
const VALUES: [u8; 2] = [9, 14];
/// Where such a value is.
const POINTER: u8 = 13;

/// The code of a receiver.
pub fn emit_upcall(upcall: &Upcall) -> Vec<u8> {
    let mut code = Assembler::new_with_capacity(0, 64 + 12 * upcall.saves.len(), 0, 0, 0, 0, 0);
    landing_pad(&mut code);
    if !upcall.has_frame {
        dynasm!(code
            ; .arch aarch64
            ; mov X(ENTRY.result), xzr
            ; mov X(ENTRY.arguments), xzr
            ; ldp X(FAR), X(USER), [XSP(CONTEXT), RECORD_HANDLER as i32]
            ; br X(FAR)
        );
        return finish(code);
    }
    dynasm!(code
        ; .arch aarch64
        ; stp x29, x30, [sp, -16]!
        ; mov x29, sp
    );
    frame::allocate(&mut code, upcall.frame_size, upcall.frame_align);
    save_all(&mut code, &upcall.saves);
    match upcall.result {
        ResultAddress::Frame(at) => add_offset(&mut code, ENTRY.result, SP, at as i32),
        ResultAddress::Caller(Place::General(register)) => {
            dynasm!(code ; .arch aarch64 ; mov X(ENTRY.result), X(register));
        }
        // An address travels in a general register.
        ResultAddress::Caller(_) => {}
    }
    const { assert!(RECORD_USER == RECORD_HANDLER + 8) };
    dynasm!(code
        ; .arch aarch64
        ; mov XSP(ENTRY.arguments), sp
        ; ldp X(FAR), X(USER), [XSP(CONTEXT), RECORD_HANDLER as i32]
        ; blr X(FAR)
    );
    give_back_all(&mut code, &upcall.returns);
    dynasm!(code
        ; .arch aarch64
        ; mov sp, x29
        ; ldp x29, x30, [sp], 16
        ; ret
    );
    finish(code)
}

/// All saves. They write different bytes and change no register that another reads: sorted by where
/// they go, more of them are neighbours, which one instruction stores.
fn save_all(code: &mut Assembler, saves: &[Save]) {
    let mut sorted: Vec<&Save> = saves.iter().collect();
    sorted.sort_unstable_by_key(|one| one.to);
    let mut rest = sorted.as_slice();
    while let [one, later @ ..] = rest {
        rest = later;
        if let (Saved::Zero, 1..=7) = (one.from, one.size) {
            store_zero(code, one.to as i32, one.size);
            continue;
        }
        let first = bring(code, one, VALUES[0]);
        match later {
            [next, later @ ..] if are_neighbours(one, next) => {
                let second = bring(code, next, VALUES[1]);
                store_two(code, first, second, one.to as i32, one.size);
                rest = later;
            }
            _ => store(code, first, one.to as i32, one.size),
        }
    }
}

/// Whether a save takes its bytes from a vector register, as they are.
fn is_vector(one: &Save) -> bool {
    matches!(one.from, Saved::Register(Place::Vector(_)))
}

fn are_neighbours(one: &Save, next: &Save) -> bool {
    let has_instruction = match is_vector(one) {
        true => matches!(one.size, 4 | 8 | 16),
        false => one.size == 8,
    };
    has_instruction
        && is_vector(one) == is_vector(next)
        && one.size == next.size
        && one.to + one.size == next.to
        && is_paired(one.to as i32, one.size)
}

/// The register that holds what is saved: its own, or the one that is given.
fn bring(code: &mut Assembler, one: &Save, register: u8) -> Place {
    match one.from {
        Saved::Register(place) => return place,
        Saved::Zero => return Place::General(ZERO),
        Saved::Extended(Place::General(from), extension, size) => {
            extend(code, register, from, extension, size);
        }
        Saved::Extended(Place::Vector(from), _, 4) => {
            dynasm!(code ; .arch aarch64 ; fmov W(register), S(from));
        }
        Saved::Extended(Place::Vector(from), _, size) => {
            dynasm!(code ; .arch aarch64 ; fmov X(register), D(from));
            extend(code, register, register, Extension::Zero, size);
        }
        // What is on the stack is a value, and this processor has no other registers.
        Saved::Extended(..) => {}
        Saved::Value(location, extension, size) => {
            let (base, at) = locate(code, location);
            load_extended(code, register, base, at, size, extension);
        }
        Saved::Address(location) => {
            let (base, at) = locate(code, location);
            add_offset(code, register, base, at);
        }
    }
    Place::General(register)
}

/// The register and displacement of a location.
fn locate(code: &mut Assembler, location: Location) -> (u8, i32) {
    match location {
        Location::Frame(at) => (SP, at as i32),
        Location::Incoming(at) => (FRAME, INCOMING + at as i32),
        Location::Pointee(register) => (register, 0),
        Location::IncomingPointee(at) => {
            memory!(code, FRAME, INCOMING + at as i32, 8, [ldr ldur X(POINTER)]);
            (POINTER, 0)
        }
    }
}

fn store(code: &mut Assembler, place: Place, to: i32, size: u32) {
    match (place, size) {
        (Place::General(register), _) => memory!(code, SP, to, 8, [str stur X(register)]),
        (Place::Vector(register), 1) => memory!(code, SP, to, 1, [str stur B(register)]),
        (Place::Vector(register), 2) => memory!(code, SP, to, 2, [str stur H(register)]),
        (Place::Vector(register), 4) => memory!(code, SP, to, 4, [str stur S(register)]),
        (Place::Vector(register), 16) => memory!(code, SP, to, 16, [str stur Q(register)]),
        (Place::Vector(register), _) => memory!(code, SP, to, 8, [str stur D(register)]),
        // This processor has no others.
        (Place::X87(_) | Place::Stack(_), _) => {}
    }
}

fn store_two(code: &mut Assembler, one: Place, next: Place, to: i32, size: u32) {
    match (one, next, size) {
        (Place::General(a), Place::General(b), _) => pair!(code, SP, to, 8, [stp X(a), X(b)]),
        (Place::Vector(a), Place::Vector(b), 4) => pair!(code, SP, to, 4, [stp S(a), S(b)]),
        (Place::Vector(a), Place::Vector(b), 8) => pair!(code, SP, to, 8, [stp D(a), D(b)]),
        (Place::Vector(a), Place::Vector(b), _) => pair!(code, SP, to, 16, [stp Q(a), Q(b)]),
        // Neighbours are of one kind.
        _ => {}
    }
}

fn store_zero(code: &mut Assembler, at: i32, size: u32) {
    for (done, chunk) in chunks(0, size) {
        let to = at + done as i32;
        match chunk {
            4 => memory!(code, SP, to, 4, [str stur W(ZERO)]),
            2 => memory!(code, SP, to, 2, [strh sturh W(ZERO)]),
            _ => memory!(code, SP, to, 1, [strb sturb W(ZERO)]),
        }
    }
}

/// The low `size` bytes of a general register, extended to all of another.
fn extend(code: &mut Assembler, to: u8, from: u8, extension: Extension, size: u32) {
    match (size, extension) {
        (1, Extension::Sign) => dynasm!(code ; .arch aarch64 ; sxtb X(to), W(from)),
        (2, Extension::Sign) => dynasm!(code ; .arch aarch64 ; sxth X(to), W(from)),
        (4, Extension::Sign) => dynasm!(code ; .arch aarch64 ; sxtw X(to), W(from)),
        (4, _) => dynasm!(code ; .arch aarch64 ; mov W(to), W(from)),
        _ => dynasm!(code ; .arch aarch64 ; ubfx X(to), X(from), 0, size * 8),
    }
}

/// Exactly `size` bytes, extended to 8.
fn load_extended(
    code: &mut Assembler,
    register: u8,
    base: u8,
    at: i32,
    size: u32,
    extension: Extension,
) {
    match (size, extension) {
        (1, Extension::Sign) => memory!(code, base, at, 1, [ldrsb ldursb X(register)]),
        (2, Extension::Sign) => memory!(code, base, at, 2, [ldrsh ldursh X(register)]),
        (4, Extension::Sign) => memory!(code, base, at, 4, [ldrsw ldursw X(register)]),
        _ => load_general(code, register, base, at, size, Extension::Zero),
    }
}

/// All that is done after the handler, in order; neighbours by one instruction.
fn give_back_all(code: &mut Assembler, mut returns: &[Return]) {
    while let [one, rest @ ..] = returns {
        returns = match rest {
            [next, rest @ ..] if load_two(code, one, next) => rest,
            _ => {
                give_back(code, one);
                rest
            }
        };
    }
}

/// How many bytes of the frame are loaded: exactly as many as were written, where one instruction
/// does it, so that the load finds them in one store.
fn loaded(size: u32) -> u32 {
    match size {
        3 | 5..=7 => 8,
        size => size,
    }
}

/// Loads two neighbours to registers of a kind by one instruction, if they are such.
fn load_two(code: &mut Assembler, one: &Return, next: &Return) -> bool {
    let (
        &Return::Load { from, size, to, .. },
        &Return::Load {
            from: next_from,
            size: next_size,
            to: next_to,
            ..
        },
    ) = (one, next)
    else {
        return false;
    };
    let size = loaded(size);
    let at = from as i32;
    if loaded(next_size) != size || next_from != from + size || !is_paired(at, size) {
        return false;
    }
    match (to, next_to, size) {
        (Place::General(a), Place::General(b), 8) => pair!(code, SP, at, 8, [ldp X(a), X(b)]),
        (Place::Vector(a), Place::Vector(b), 4) => pair!(code, SP, at, 4, [ldp S(a), S(b)]),
        (Place::Vector(a), Place::Vector(b), 8) => pair!(code, SP, at, 8, [ldp D(a), D(b)]),
        (Place::Vector(a), Place::Vector(b), 16) => pair!(code, SP, at, 16, [ldp Q(a), Q(b)]),
        _ => return false,
    }
    true
}

fn give_back(code: &mut Assembler, one: &Return) {
    match *one {
        Return::Load {
            from,
            size,
            extension,
            to,
        } => {
            let (at, size) = (from as i32, loaded(size));
            match (to, size) {
                (Place::General(register), _) => {
                    load_extended(code, register, SP, at, size, extension);
                }
                (Place::Vector(register), 1) => memory!(code, SP, at, 1, [ldr ldur B(register)]),
                (Place::Vector(register), 2) => memory!(code, SP, at, 2, [ldr ldur H(register)]),
                (Place::Vector(register), 4) => memory!(code, SP, at, 4, [ldr ldur S(register)]),
                (Place::Vector(register), 16) => memory!(code, SP, at, 16, [ldr ldur Q(register)]),
                (Place::Vector(register), _) => memory!(code, SP, at, 8, [ldr ldur D(register)]),
                // This processor has no others.
                (Place::X87(_) | Place::Stack(_), _) => {}
            }
        }
        Return::Copy {
            from,
            size,
            pointer,
        } => {
            memory!(code, SP, pointer as i32, 8, [ldr ldur X(POINTER)]);
            copy(code, (SP, from as i32), (POINTER, 0), size);
        }
    }
}
