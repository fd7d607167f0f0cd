//! Values from memory to registers, and to the argument area.

#![allow(
    clippy::useless_conversion,
    reason = "the assembler's macro converts register numbers"
)]

use super::operand::{Assembler, R10, RSP, memory};
use crate::abi::Extension;
use crate::stub::chunks::chunks;
use dynasmrt::{DynasmApi, dynasm};

/// Larger values are copied 16 bytes at a time.
const LARGEST_NARROW_COPY: u32 = 32;

/// Exactly `size` bytes at `[base + at]`, extended, in a general register.
pub(super) fn load_general(
    code: &mut Assembler,
    register: u8,
    base: u8,
    at: i32,
    size: u32,
    extension: Extension,
) {
    let signed = extension == Extension::Sign;
    match size {
        1 if signed => memory!(code, base, at, [movsx Rd(register), BYTE] []),
        1 => memory!(code, base, at, [movzx Rd(register), BYTE] []),
        2 if signed => memory!(code, base, at, [movsx Rd(register), WORD] []),
        2 => memory!(code, base, at, [movzx Rd(register), WORD] []),
        4 => memory!(code, base, at, [mov Rd(register),] []),
        8 => memory!(code, base, at, [mov Rq(register),] []),
        _ => load_odd(code, register, base, at, size),
    }
}

/// 3, 5, 6 or 7 bytes: two loads that overlap, the later one shifted to its place. The bits that
/// both bring are the same.
///
/// ```text
///   7 bytes   b0 b1 b2 b3            r10d = [at]
///                      b3 b4 b5 b6   register = [at + 3] << 24
/// ```
pub(super) fn load_odd(code: &mut Assembler, register: u8, base: u8, at: i32, size: u32) {
    let half = if size == 3 { 2 } else { 4 };
    let later = at + (size - half) as i32;
    let shift = ((size - half) * 8) as i8;
    debug_assert!(register != R10 && register != base);
    if half == 2 {
        memory!(code, base, at, [movzx r10d, WORD] []);
        memory!(code, base, later, [movzx Rd(register), WORD] []);
    } else {
        memory!(code, base, at, [mov r10d,] []);
        memory!(code, base, later, [mov Rd(register),] []);
    }
    dynasm!(code
        ; .arch x64
        ; shl Rq(register), shift
        ; or Rq(register), r10
    );
}

/// Exactly `size` bytes at `[base + at]` in a vector register.
pub(super) fn load_vector(code: &mut Assembler, register: u8, base: u8, at: i32, size: u32) {
    match size {
        4 => memory!(code, base, at, [movss Rx(register),] []),
        8 => memory!(code, base, at, [movsd Rx(register),] []),
        16 => memory!(code, base, at, [movups Rx(register),] []),
        32 => memory!(code, base, at, [vmovups Ry(register),] []),
        1 | 2 => {
            load_general(code, R10, base, at, size, Extension::Zero);
            dynasm!(code ; .arch x64 ; movd Rx(register), r10d);
        }
        _ => {
            // 3, 5, 6 and 7 bytes meet in r10 by way of xmm15, which carries no argument: the
            // general registers may all hold arguments by now.
            load_odd_vector(code, register, base, at, size);
        }
    }
}

pub(super) fn load_odd_vector(code: &mut Assembler, register: u8, base: u8, at: i32, size: u32) {
    let half = if size == 3 { 2 } else { 4 };
    let later = at + (size - half) as i32;
    let shift = ((size - half) * 8) as i8;
    load_general(code, R10, base, at, half, Extension::Zero);
    dynasm!(code ; .arch x64 ; movq Rx(register), r10);
    load_general(code, R10, base, later, half, Extension::Zero);
    dynasm!(code
        ; .arch x64
        ; shl r10, shift
        ; movq xmm15, r10
        ; por Rx(register), xmm15
    );
}

/// Exactly `size` bytes from `[base + at]` to `[rsp + to]` through r10 and xmm8 to xmm15.
///
/// A small value is copied 8 bytes at a time: a caller that has just written its members one by one
/// would make wider loads wait for its stores.
pub(super) fn copy(code: &mut Assembler, base: u8, at: i32, to: i32, size: u32) {
    let wide = if size > LARGEST_NARROW_COPY {
        size & !15
    } else {
        0
    };
    copy_wide(code, base, at, to, wide);
    for (done, chunk) in chunks(wide, size) {
        let (from, to) = (at + done as i32, to + done as i32);
        match chunk {
            8 => {
                memory!(code, base, from, [mov r10,] []);
                memory!(code, RSP, to, [mov] [, r10]);
            }
            4 => {
                memory!(code, base, from, [mov r10d,] []);
                memory!(code, RSP, to, [mov] [, r10d]);
            }
            2 => {
                memory!(code, base, from, [movzx r10d, WORD] []);
                memory!(code, RSP, to, [mov] [, r10w]);
            }
            _ => {
                memory!(code, base, from, [movzx r10d, BYTE] []);
                memory!(code, RSP, to, [mov] [, r10b]);
            }
        }
    }
}

/// 16 bytes at a time, as many loads before the first store as there are free registers: a load
/// waits for an earlier store whose address differs from its own in the upper bits only.
pub(super) fn copy_wide(code: &mut Assembler, base: u8, at: i32, to: i32, size: u32) {
    const FREE: std::ops::Range<u8> = 8..16;
    let chunks: Vec<i32> = (0..size as i32).step_by(16).collect();
    for batch in chunks.chunks(FREE.len()) {
        for (register, done) in FREE.zip(batch) {
            memory!(code, base, at + done, [movups Rx(register),] []);
        }
        for (register, done) in FREE.zip(batch) {
            memory!(code, RSP, to + done, [movups] [, Rx(register)]);
        }
    }
}
