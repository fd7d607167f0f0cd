//! Results from registers to the caller's memory, whose address is in x9.

#![allow(
    clippy::useless_conversion,
    clippy::identity_op,
    reason = "the assembler's macro converts register numbers and adds up what is constant"
)]

use super::operand::{
    Assembler, DATA, RESULT, ZERO, is_paired, is_scaled, memory, pair, reach, reach_pair,
};
use crate::abi::{Extension, Place};
use crate::stub::chunks::chunks;
use crate::stub::plan::{Store, StoreSource};
use dynasmrt::{DynasmApi, dynasm};

/// All stores, in order.
pub(super) fn store_all(code: &mut Assembler, mut stores: &[Store]) {
    while let [one, rest @ ..] = stores {
        stores = match rest {
            [next, rest @ ..] if store_two(code, one, next) => rest,
            _ => {
                store(code, one);
                rest
            }
        };
    }
}

/// Stores two registers of a kind to neighbours in memory by one instruction, if they are such.
fn store_two(code: &mut Assembler, one: &Store, next: &Store) -> bool {
    let (StoreSource::Register(a), StoreSource::Register(b)) = (one.from, next.from) else {
        return false;
    };
    let (at, size) = (one.offset as i32, one.size);
    if next.size != size || next.offset != one.offset + size || !is_paired(at, size) {
        return false;
    }
    match (a, b, size) {
        (Place::General(a), Place::General(b), 8) => {
            pair!(code, RESULT, at, 8, [stp X(a), X(b)]);
        }
        (Place::Vector(a), Place::Vector(b), 4) => pair!(code, RESULT, at, 4, [stp S(a), S(b)]),
        (Place::Vector(a), Place::Vector(b), 8) => pair!(code, RESULT, at, 8, [stp D(a), D(b)]),
        (Place::Vector(a), Place::Vector(b), 16) => pair!(code, RESULT, at, 16, [stp Q(a), Q(b)]),
        _ => return false,
    }
    true
}

/// One store; general registers that it takes apart are used up.
fn store(code: &mut Assembler, one: &Store) {
    let at = one.offset as i32;
    match one.from {
        StoreSource::Register(Place::General(register)) => {
            store_general(code, register, at, one.size);
        }
        StoreSource::Register(Place::Vector(register)) => {
            store_vector(code, register, at, one.size);
        }
        StoreSource::Extended(Place::General(register), extension, size) => {
            extend(code, register, extension, size);
            memory!(code, RESULT, at, 8, [str stur X(register)]);
        }
        StoreSource::Extended(Place::Vector(register), _, 8) => {
            memory!(code, RESULT, at, 8, [str stur D(register)]);
        }
        StoreSource::Extended(Place::Vector(register), _, size) => {
            dynasm!(code ; .arch aarch64 ; fmov X(DATA), D(register));
            extend(code, DATA, Extension::Zero, size);
            memory!(code, RESULT, at, 8, [str stur X(DATA)]);
        }
        StoreSource::Zero => store_zero(code, at, one.size),
        // A result is in registers here, and this processor has no others.
        StoreSource::Register(Place::Stack(_) | Place::X87(_)) | StoreSource::Extended(..) => {}
    }
}

/// The low `size` bytes of a general register, which is used up.
fn store_general(code: &mut Assembler, register: u8, at: i32, size: u32) {
    for (done, chunk) in chunks(0, size) {
        let to = at + done as i32;
        match chunk {
            8 => memory!(code, RESULT, to, 8, [str stur X(register)]),
            4 => memory!(code, RESULT, to, 4, [str stur W(register)]),
            2 => memory!(code, RESULT, to, 2, [strh sturh W(register)]),
            _ => memory!(code, RESULT, to, 1, [strb sturb W(register)]),
        }
        if done + chunk < size {
            dynasm!(code ; .arch aarch64 ; lsr X(register), X(register), chunk * 8);
        }
    }
}

fn store_vector(code: &mut Assembler, register: u8, at: i32, size: u32) {
    match size {
        1 => memory!(code, RESULT, at, 1, [str stur B(register)]),
        2 => memory!(code, RESULT, at, 2, [str stur H(register)]),
        4 => memory!(code, RESULT, at, 4, [str stur S(register)]),
        8 => memory!(code, RESULT, at, 8, [str stur D(register)]),
        16 => memory!(code, RESULT, at, 16, [str stur Q(register)]),
        _ => {
            dynasm!(code ; .arch aarch64 ; fmov X(DATA), D(register));
            store_general(code, DATA, at, size);
        }
    }
}

/// The low `size` bytes of a general register, extended to all of it.
fn extend(code: &mut Assembler, register: u8, extension: Extension, size: u32) {
    match (size, extension) {
        (1, Extension::Sign) => dynasm!(code ; .arch aarch64 ; sxtb X(register), W(register)),
        (2, Extension::Sign) => dynasm!(code ; .arch aarch64 ; sxth X(register), W(register)),
        (4, Extension::Sign) => dynasm!(code ; .arch aarch64 ; sxtw X(register), W(register)),
        (4, _) => dynasm!(code ; .arch aarch64 ; mov W(register), W(register)),
        (1..=7, _) => {
            dynasm!(code ; .arch aarch64 ; ubfx X(register), X(register), 0, size * 8);
        }
        _ => {}
    }
}

fn store_zero(code: &mut Assembler, at: i32, size: u32) {
    for (done, chunk) in chunks(0, size) {
        let to = at + done as i32;
        match chunk {
            8 => memory!(code, RESULT, to, 8, [str stur X(ZERO)]),
            4 => memory!(code, RESULT, to, 4, [str stur W(ZERO)]),
            2 => memory!(code, RESULT, to, 2, [strh sturh W(ZERO)]),
            _ => memory!(code, RESULT, to, 1, [strb sturb W(ZERO)]),
        }
    }
}
