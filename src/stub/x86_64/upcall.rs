//! Receivers as x86-64 code.
//!
//! ```text
//!             +------------------------------+
//!   rbp + 16  | caller's argument area       |
//!   rbp + 8   | return address               |
//!   rbp       | caller's rbp                 |
//!             +------------------------------+
//!             | frame, frame_size            |
//!   rsp       | array                        |
//!             +------------------------------+
//! ```
//!
//! The shape is that of all framed stubs. rax and r10 are scratch until the handler is called, then
//! rcx too; r11 holds the record until the handler has it.

#![allow(
    clippy::useless_conversion,
    reason = "the assembler's macro converts register numbers"
)]

use super::operand::{Assembler, R10, RAX, RBP, RCX, RDX, RSP, memory};
use super::{ENTRY, add_to_rsp, allocate, finish, landing_pad};
use crate::abi::{Extension, Place};
use crate::stub::chunks::chunks;
use crate::stub::upcall::{
    Location, RECORD_HANDLER, RECORD_USER, ResultAddress, Return, Save, Saved, Upcall,
};
use dynasmrt::{DynasmApi, dynasm};

/// The register of a handler's third argument.
const USER: u8 = RDX;
/// What a stub pushes first: the return address is above it.
const INCOMING: i32 = 16;

/// The code of a receiver.
pub fn emit_upcall(upcall: &Upcall) -> Vec<u8> {
    let mut code = Assembler::new_with_capacity(0, 64 + 12 * upcall.saves.len(), 0, 0, 0, 0, 0);
    landing_pad(&mut code);
    if !upcall.has_frame {
        dynasm!(code
            ; .arch x64
            ; xor Rd(ENTRY.result), Rd(ENTRY.result)
            ; xor Rd(ENTRY.arguments), Rd(ENTRY.arguments)
            ; mov Rq(USER), [BYTE r11 + RECORD_USER as i8]
            ; jmp QWORD [BYTE r11 + RECORD_HANDLER as i8]
        );
        return finish(code);
    }
    dynasm!(code ; .arch x64 ; push rbp ; mov rbp, rsp);
    allocate(&mut code, upcall.frame_size, upcall.frame_align);
    let frame = Frame::of(upcall);
    for one in &upcall.saves {
        frame.save(&mut code, one);
    }
    // Full vector registers left in use would slow down a handler that knows only halves of them.
    let is_wide = |one: &Save| matches!(one.from, Saved::Register(_)) && one.size > 16;
    if upcall.saves.iter().any(is_wide) {
        dynasm!(code ; .arch x64 ; vzeroupper);
    }
    match upcall.result {
        ResultAddress::Frame(at) => frame.address(&mut code, ENTRY.result, at),
        ResultAddress::Caller(Place::General(register)) if register != ENTRY.result => {
            dynasm!(code ; .arch x64 ; mov Rq(ENTRY.result), Rq(register));
        }
        ResultAddress::Caller(_) => {}
    }
    dynasm!(code
        ; .arch x64
        ; mov Rq(ENTRY.arguments), rsp
        ; mov Rq(USER), [BYTE r11 + RECORD_USER as i8]
        ; call QWORD [BYTE r11 + RECORD_HANDLER as i8]
    );
    for one in &upcall.returns {
        frame.give_back(&mut code, one);
    }
    match frame.is_aligned {
        true => dynasm!(code ; .arch x64 ; leave ; ret),
        // Adding and popping are faster than `leave`: the processor follows the stack pointer by
        // itself.
        false => {
            add_to_rsp(&mut code, upcall.frame_size);
            dynasm!(code ; .arch x64 ; pop rbp ; ret);
        }
    }
    finish(code)
}

struct Frame {
    size: u32,
    /// It is aligned further than the stack is, so that only rsp knows where it is.
    is_aligned: bool,
}

impl Frame {
    fn of(upcall: &Upcall) -> Frame {
        Frame {
            size: upcall.frame_size,
            is_aligned: upcall.frame_align > 16,
        }
    }

    /// The register and displacement of a place in the frame. From rbp an instruction is a byte
    /// shorter.
    fn at(&self, offset: u32) -> (u8, i32) {
        match self.is_aligned {
            true => (RSP, offset as i32),
            false => (RBP, offset as i32 - self.size as i32),
        }
    }

    fn address(&self, code: &mut Assembler, register: u8, at: u32) {
        let (base, at) = self.at(at);
        memory!(code, base, at, [lea Rq(register),] []);
    }

    fn save(&self, code: &mut Assembler, one: &Save) {
        let (base, to) = self.at(one.to);
        match one.from {
            Saved::Register(Place::General(register)) => {
                memory!(code, base, to, [mov] [, Rq(register)]);
            }
            Saved::Register(Place::Vector(register)) => {
                store_vector(code, register, base, to, one.size);
            }
            Saved::Extended(Place::General(register), extension, size) => {
                extend(code, register, extension, size);
                memory!(code, base, to, [mov] [, rax]);
            }
            Saved::Extended(Place::Vector(register), _, size) => {
                match size {
                    5.. => dynasm!(code ; .arch x64 ; movq rax, Rx(register)),
                    _ => dynasm!(code ; .arch x64 ; movd eax, Rx(register)),
                }
                if size != 4 {
                    extend(code, RAX, Extension::Zero, size);
                }
                memory!(code, base, to, [mov] [, rax]);
            }
            Saved::Value(location, extension, size) => {
                let (from, at) = self.locate(code, location);
                load_extended(code, from, at, size, extension);
                memory!(code, base, to, [mov] [, rax]);
            }
            Saved::Address(Location::Frame(0)) => memory!(code, base, to, [mov] [, rsp]),
            Saved::Address(location) => {
                let (from, at) = self.locate(code, location);
                memory!(code, from, at, [lea rax,] []);
                memory!(code, base, to, [mov] [, rax]);
            }
            Saved::Zero => {
                for (done, chunk) in chunks(0, one.size) {
                    let to = to + done as i32;
                    match chunk {
                        8 => memory!(code, base, to, [mov QWORD] [, 0]),
                        4 => memory!(code, base, to, [mov DWORD] [, 0]),
                        2 => memory!(code, base, to, [mov WORD] [, 0]),
                        _ => memory!(code, base, to, [mov BYTE] [, 0]),
                    }
                }
            }
            // Arguments never travel on the x87 stack, and those on the other one are values.
            Saved::Register(_) | Saved::Extended(..) => {}
        }
    }

    /// The register and displacement of a location.
    fn locate(&self, code: &mut Assembler, location: Location) -> (u8, i32) {
        match location {
            Location::Frame(at) => self.at(at),
            Location::Incoming(at) => (RBP, INCOMING + at as i32),
            Location::Pointee(register) => (register, 0),
            Location::IncomingPointee(at) => {
                memory!(code, RBP, INCOMING + at as i32, [mov r10,] []);
                (R10, 0)
            }
        }
    }

    fn give_back(&self, code: &mut Assembler, one: &Return) {
        match *one {
            Return::Load {
                from,
                size,
                extension,
                to,
            } => {
                let (base, at) = self.at(from);
                match to {
                    Place::General(register) => {
                        load_result(code, register, base, at, size, extension);
                    }
                    Place::Vector(register) => load_vector(code, register, base, at, size),
                    Place::X87(_) => memory!(code, base, at, [fld TWORD] []),
                    // No result is on the stack.
                    Place::Stack(_) => {}
                }
            }
            Return::Copy {
                from,
                size,
                pointer,
            } => {
                let (base, at) = self.at(pointer);
                memory!(code, base, at, [mov rcx,] []);
                let (base, at) = self.at(from);
                for (done, chunk) in chunks(0, size) {
                    let done = done as i32;
                    match chunk {
                        8 => {
                            memory!(code, base, at + done, [mov rax,] []);
                            memory!(code, RCX, done, [mov] [, rax]);
                        }
                        4 => {
                            memory!(code, base, at + done, [mov eax,] []);
                            memory!(code, RCX, done, [mov] [, eax]);
                        }
                        2 => {
                            memory!(code, base, at + done, [movzx eax, WORD] []);
                            memory!(code, RCX, done, [mov] [, ax]);
                        }
                        _ => {
                            memory!(code, base, at + done, [movzx eax, BYTE] []);
                            memory!(code, RCX, done, [mov] [, al]);
                        }
                    }
                }
            }
        }
    }
}

/// The low bytes of a vector register; there is room for 8 where they are fewer and not 4.
fn store_vector(code: &mut Assembler, register: u8, base: u8, at: i32, size: u32) {
    match size {
        4 => memory!(code, base, at, [movss] [, Rx(register)]),
        16 => memory!(code, base, at, [movups] [, Rx(register)]),
        32 => memory!(code, base, at, [vmovups] [, Ry(register)]),
        _ => memory!(code, base, at, [movsd] [, Rx(register)]),
    }
}

/// The low bytes of a general register, extended in rax.
fn extend(code: &mut Assembler, register: u8, extension: Extension, size: u32) {
    match (size, extension) {
        (1, Extension::Sign) => dynasm!(code ; .arch x64 ; movsx rax, Rb(register)),
        (2, Extension::Sign) => dynasm!(code ; .arch x64 ; movsx rax, Rw(register)),
        (4, Extension::Sign) => dynasm!(code ; .arch x64 ; movsxd rax, Rd(register)),
        (1, _) => dynasm!(code ; .arch x64 ; movzx eax, Rb(register)),
        (2, _) => dynasm!(code ; .arch x64 ; movzx eax, Rw(register)),
        (4, _) => dynasm!(code ; .arch x64 ; mov eax, Rd(register)),
        (size, _) => {
            let above = 64u32.saturating_sub(size * 8) as i8;
            if register != RAX {
                dynasm!(code ; .arch x64 ; mov rax, Rq(register));
            }
            dynasm!(code ; .arch x64 ; shl rax, above ; shr rax, above);
        }
    }
}

/// Exactly `size` bytes, extended in rax; r10 is used, and may be the base.
fn load_extended(code: &mut Assembler, base: u8, at: i32, size: u32, extension: Extension) {
    if matches!(size, 1 | 2 | 4 | 8) {
        return load_result(code, RAX, base, at, size, extension);
    }
    // Two loads that overlap, the later one shifted to its place.
    let half = if size == 3 { 2 } else { 4 };
    let shift = ((size - half) * 8) as i8;
    let later = at + (size - half) as i32;
    load_result(code, RAX, base, later, half, Extension::Zero);
    load_result(code, R10, base, at, half, Extension::Zero);
    dynasm!(code ; .arch x64 ; shl rax, shift ; or rax, r10);
}

/// Bytes of the frame in a general register: exactly as many as were written, where they are a
/// number, so that the load finds them in one store.
fn load_result(
    code: &mut Assembler,
    register: u8,
    base: u8,
    at: i32,
    size: u32,
    extension: Extension,
) {
    match (size, extension) {
        (1, Extension::Sign) => memory!(code, base, at, [movsx Rq(register), BYTE] []),
        (2, Extension::Sign) => memory!(code, base, at, [movsx Rq(register), WORD] []),
        (4, Extension::Sign) => memory!(code, base, at, [movsxd Rq(register), DWORD] []),
        (1, _) => memory!(code, base, at, [movzx Rd(register), BYTE] []),
        (2, _) => memory!(code, base, at, [movzx Rd(register), WORD] []),
        (4, _) => memory!(code, base, at, [mov Rd(register),] []),
        _ => memory!(code, base, at, [mov Rq(register),] []),
    }
}

fn load_vector(code: &mut Assembler, register: u8, base: u8, at: i32, size: u32) {
    match size {
        1 | 2 => {
            load_result(code, R10, base, at, size, Extension::Zero);
            dynasm!(code ; .arch x64 ; movd Rx(register), r10d);
        }
        4 => memory!(code, base, at, [movss Rx(register),] []),
        16 => memory!(code, base, at, [movups Rx(register),] []),
        32 => memory!(code, base, at, [vmovups Ry(register),] []),
        _ => memory!(code, base, at, [movsd Rx(register),] []),
    }
}
