//! Values from memory to registers, and to the stack area.

#![allow(
    clippy::useless_conversion,
    reason = "the assembler's macro converts register numbers"
)]

use super::operand::{
    ADDRESS, Assembler, DATA, FROM, MORE_DATA, TO, WIDE, add_offset, constant, is_scaled, memory,
    pair, reach, reach_pair,
};
use crate::abi::Extension;
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

/// Larger values are copied 32 bytes at a time.
const LARGEST_NARROW_COPY: u32 = 32;
/// Larger ones in a loop.
const LARGEST_UNROLLED_COPY: u32 = 128;
/// What the loop copies each time.
const BLOCK: u32 = 32;

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
        1 if signed => memory!(code, base, at, 1, [ldrsb ldursb W(register)]),
        1 => memory!(code, base, at, 1, [ldrb ldurb W(register)]),
        2 if signed => memory!(code, base, at, 2, [ldrsh ldursh W(register)]),
        2 => memory!(code, base, at, 2, [ldrh ldurh W(register)]),
        4 => memory!(code, base, at, 4, [ldr ldur W(register)]),
        8 => memory!(code, base, at, 8, [ldr ldur X(register)]),
        _ => load_odd(code, register, base, at, size),
    }
}

/// 3, 5, 6 or 7 bytes: two loads that overlap, the later one shifted to its place. The bits that
/// both bring are the same.
///
/// ```text
///   7 bytes   b0 b1 b2 b3            w10 = [at]
///                      b3 b4 b5 b6   w11 = [at + 3], register = x10 | x11 << 24
/// ```
fn load_odd(code: &mut Assembler, register: u8, base: u8, at: i32, size: u32) {
    let half = if size == 3 { 2 } else { 4 };
    let later = size - half;
    load_general(code, DATA, base, at, half, Extension::Zero);
    load_general(
        code,
        MORE_DATA,
        base,
        at + later as i32,
        half,
        Extension::Zero,
    );
    dynasm!(code ; .arch aarch64 ; orr X(register), X(DATA), X(MORE_DATA), lsl later * 8);
}

/// Exactly `size` bytes at `[base + at]` in a vector register.
pub(super) fn load_vector(code: &mut Assembler, register: u8, base: u8, at: i32, size: u32) {
    match size {
        1 => memory!(code, base, at, 1, [ldr ldur B(register)]),
        2 => memory!(code, base, at, 2, [ldr ldur H(register)]),
        4 => memory!(code, base, at, 4, [ldr ldur S(register)]),
        8 => memory!(code, base, at, 8, [ldr ldur D(register)]),
        16 => memory!(code, base, at, 16, [ldr ldur Q(register)]),
        _ => {
            load_odd(code, DATA, base, at, size);
            dynasm!(code ; .arch aarch64 ; fmov D(register), X(DATA));
        }
    }
}

/// Exactly `size` bytes from one base and offset to another.
///
/// A small value is copied by general registers: a caller that has just written its members one by
/// one would make wider loads wait for its stores.
pub(super) fn copy(code: &mut Assembler, from: (u8, i32), to: (u8, i32), size: u32) {
    if size > LARGEST_UNROLLED_COPY {
        copy_blocks(code, from, to, size / BLOCK);
        copy(code, (FROM, 0), (TO, 0), size % BLOCK);
        return;
    }
    let is_wide = size > LARGEST_NARROW_COPY;
    let mut done = 0;
    while done < size {
        let (base, at) = (from.0, from.1 + done as i32);
        let (to, to_at) = (to.0, to.1 + done as i32);
        done += match size - done {
            BLOCK.. if is_wide => {
                pair!(code, base, at, 16, [ldp Q(WIDE[0]), Q(WIDE[1])]);
                pair!(code, to, to_at, 16, [stp Q(WIDE[0]), Q(WIDE[1])]);
                BLOCK
            }
            16.. => {
                pair!(code, base, at, 8, [ldp X(DATA), X(MORE_DATA)]);
                pair!(code, to, to_at, 8, [stp X(DATA), X(MORE_DATA)]);
                16
            }
            8.. => {
                memory!(code, base, at, 8, [ldr ldur X(DATA)]);
                memory!(code, to, to_at, 8, [str stur X(DATA)]);
                8
            }
            4.. => {
                memory!(code, base, at, 4, [ldr ldur W(DATA)]);
                memory!(code, to, to_at, 4, [str stur W(DATA)]);
                4
            }
            2.. => {
                memory!(code, base, at, 2, [ldrh ldurh W(DATA)]);
                memory!(code, to, to_at, 2, [strh sturh W(DATA)]);
                2
            }
            _ => {
                memory!(code, base, at, 1, [ldrb ldurb W(DATA)]);
                memory!(code, to, to_at, 1, [strb sturb W(DATA)]);
                1
            }
        };
    }
}

/// The same for so many blocks; leaves both addresses behind the last.
fn copy_blocks(code: &mut Assembler, from: (u8, i32), to: (u8, i32), count: u32) {
    add_offset(code, FROM, from.0, from.1);
    add_offset(code, TO, to.0, to.1);
    constant(code, ADDRESS, u64::from(count));
    dynasm!(code
        ; .arch aarch64
        ; block:
        ; ldp Q(WIDE[0]), Q(WIDE[1]), [XSP(FROM)], BLOCK as i32
        ; stp Q(WIDE[0]), Q(WIDE[1]), [XSP(TO)], BLOCK as i32
        ; subs X(ADDRESS), XSP(ADDRESS), 1
        ; b.ne <block
    );
}
