//! Results from registers to the caller's memory, whose address is in rcx.

#![allow(
    clippy::useless_conversion,
    reason = "the assembler's macro converts register numbers"
)]

use super::operand::{Assembler, R10, RCX, memory};
use crate::abi::{Extension, Place};
use crate::stub::chunks::chunks;
use crate::stub::plan::{Store, StoreSource};
use dynasmrt::{DynasmApi, dynasm};

/// One store; registers that it takes apart are used up.
pub(super) fn store(code: &mut Assembler, one: &Store) {
    let at = one.offset as i32;
    match one.from {
        StoreSource::Register(Place::General(register)) => {
            store_general(code, register, at, one.size);
        }
        StoreSource::Register(Place::Vector(register)) => {
            store_vector(code, register, at, one.size);
        }
        // Popping them in order brings st(1) to the top for the second store.
        StoreSource::Register(Place::X87(_)) => {
            memory!(code, RCX, at, [fstp TWORD] []);
        }
        StoreSource::Extended(Place::General(register), extension, size) => {
            extend(code, register, extension, size);
            memory!(code, RCX, at, [mov] [, Rq(register)]);
        }
        StoreSource::Extended(Place::Vector(register), _, size) => {
            dynasm!(code ; .arch x64 ; movq r10, Rx(register));
            extend(code, R10, Extension::Zero, size);
            memory!(code, RCX, at, [mov] [, r10]);
        }
        StoreSource::Zero => store_zero(code, at, one.size),
        // A result is in registers here, and those on the x87 stack are larger than a slot.
        StoreSource::Register(Place::Stack(_)) | StoreSource::Extended(..) => {}
    }
}

/// The low `size` bytes of a general register, which is used up.
fn store_general(code: &mut Assembler, register: u8, at: i32, size: u32) {
    for (done, chunk) in chunks(0, size) {
        let at = at + done as i32;
        match chunk {
            8 => memory!(code, RCX, at, [mov] [, Rq(register)]),
            4 => memory!(code, RCX, at, [mov] [, Rd(register)]),
            2 => memory!(code, RCX, at, [mov] [, Rw(register)]),
            _ => memory!(code, RCX, at, [mov] [, Rb(register)]),
        }
        if done + chunk < size {
            dynasm!(code ; .arch x64 ; shr Rq(register), (chunk * 8) as i8);
        }
    }
}

fn store_vector(code: &mut Assembler, register: u8, at: i32, size: u32) {
    match size {
        4 => memory!(code, RCX, at, [movss] [, Rx(register)]),
        8 => memory!(code, RCX, at, [movsd] [, Rx(register)]),
        16 => memory!(code, RCX, at, [movups] [, Rx(register)]),
        32 => memory!(code, RCX, at, [vmovups] [, Ry(register)]),
        _ => {
            dynasm!(code ; .arch x64 ; movq r10, Rx(register));
            store_general(code, R10, at, size);
        }
    }
}

/// The low `size` bytes of a general register, extended to all of it.
fn extend(code: &mut Assembler, register: u8, extension: Extension, size: u32) {
    match (size, extension) {
        (1, Extension::Sign) => dynasm!(code ; .arch x64 ; movsx Rq(register), Rb(register)),
        (2, Extension::Sign) => dynasm!(code ; .arch x64 ; movsx Rq(register), Rw(register)),
        (4, Extension::Sign) => dynasm!(code ; .arch x64 ; movsxd Rq(register), Rd(register)),
        (1, _) => dynasm!(code ; .arch x64 ; movzx Rd(register), Rb(register)),
        (2, _) => dynasm!(code ; .arch x64 ; movzx Rd(register), Rw(register)),
        (4, _) => dynasm!(code ; .arch x64 ; mov Rd(register), Rd(register)),
        (3 | 5 | 6 | 7, _) => {
            let above = (64 - size * 8) as i8;
            dynasm!(code ; .arch x64 ; shl Rq(register), above ; shr Rq(register), above);
        }
        _ => {}
    }
}

fn store_zero(code: &mut Assembler, at: i32, size: u32) {
    for (done, chunk) in chunks(0, size) {
        let at = at + done as i32;
        match chunk {
            8 => memory!(code, RCX, at, [mov QWORD] [, 0]),
            4 => memory!(code, RCX, at, [mov DWORD] [, 0]),
            2 => memory!(code, RCX, at, [mov WORD] [, 0]),
            _ => memory!(code, RCX, at, [mov BYTE] [, 0]),
        }
    }
}
