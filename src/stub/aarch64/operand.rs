//! Registers, memory operands that every offset fits, and constants.

#![allow(
    clippy::useless_conversion,
    reason = "the assembler's macro converts register numbers"
)]

use dynasmrt::{DynasmApi, dynasm};

pub(super) type Assembler = dynasmrt::VecAssembler<dynasmrt::aarch64::Aarch64Relocation>;

/// Two elements of the array that are pointers, before the call; the first holds the result's address
/// after it.
pub(super) const POINTERS: [u8; 2] = [9, 13];
pub(super) const RESULT: u8 = 9;
/// Bytes on their way.
pub(super) const DATA: u8 = 10;
pub(super) const MORE_DATA: u8 = 11;
/// Addresses that no operand can name, and counts.
pub(super) const ADDRESS: u8 = 12;
/// Where a large copy has come to.
pub(super) const FROM: u8 = 14;
pub(super) const TO: u8 = 15;
/// A jump's target.
pub(super) const FAR: u8 = 16;
/// The target of a stub's call, the context of an entry.
pub(super) const CONTEXT: u8 = 17;
/// As an address; among data this number is the zero register.
pub(super) const SP: u8 = 31;
pub(super) const ZERO: u8 = 31;
/// Vector registers of which a callee expects nothing and a caller neither.
pub(super) const WIDE: [u8; 2] = [16, 17];

/// An offset that the scaled form of an instruction for so many bytes takes.
pub(super) fn is_scaled(at: i32, size: u32) -> bool {
    let size = size as i32;
    at >= 0 && at % size == 0 && at / size < 4096
}

/// An offset that an instruction for two times so many bytes takes.
pub(super) fn is_paired(at: i32, size: u32) -> bool {
    let size = size as i32;
    at % size == 0 && (-64..64).contains(&(at / size))
}

/// A base and an offset that an instruction for so many bytes takes, for any offset: what is too much
/// is added in a register.
pub(super) fn reach(code: &mut Assembler, base: u8, at: i32, size: u32) -> (u8, i32) {
    let is_near = |at| is_scaled(at, size) || (-256..256).contains(&at);
    let low = at & 0xfff;
    if is_near(at) {
        (base, at)
    } else if at > 0 && is_near(low) {
        add_offset(code, ADDRESS, base, at - low);
        (ADDRESS, low)
    } else {
        add_offset(code, ADDRESS, base, at);
        (ADDRESS, 0)
    }
}

/// The same for an instruction for two times so many bytes.
pub(super) fn reach_pair(code: &mut Assembler, base: u8, at: i32, size: u32) -> (u8, i32) {
    if is_paired(at, size) {
        return (base, at);
    }
    add_offset(code, ADDRESS, base, at);
    (ADDRESS, 0)
}

/// One instruction that loads or stores so many bytes at `[base + at]`. The brackets hold its name
/// with a scaled offset, its name with any small one, and its register.
macro_rules! memory {
    ($code:expr, $base:expr, $at:expr, $size:literal, [$scaled:tt $unscaled:tt $($register:tt)*]) => {{
        let code: &mut Assembler = &mut *$code;
        let (base, at) = reach(code, $base, $at, $size);
        if is_scaled(at, $size) {
            dynasm!(code ; .arch aarch64 ; $scaled $($register)*, [XSP(base), at as u32]);
        } else {
            dynasm!(code ; .arch aarch64 ; $unscaled $($register)*, [XSP(base), at]);
        }
    }};
}

/// One instruction that loads or stores two registers of so many bytes at `[base + at]`.
macro_rules! pair {
    ($code:expr, $base:expr, $at:expr, $size:literal, [$name:tt $($registers:tt)*]) => {{
        let code: &mut Assembler = &mut *$code;
        let (base, at) = reach_pair(code, $base, $at, $size);
        dynasm!(code ; .arch aarch64 ; $name $($registers)*, [XSP(base), at]);
    }};
}

pub(super) use {memory, pair};

/// `register = base + at`. The base is another register where the offset is over 16 MiB.
pub(super) fn add_offset(code: &mut Assembler, register: u8, base: u8, at: i32) {
    let distance = at.unsigned_abs();
    let (high, low) = (distance >> 12, distance & 0xfff);
    if high > 0xfff {
        debug_assert!(register != base);
        constant(code, register, i64::from(at) as u64);
        dynasm!(code ; .arch aarch64 ; add XSP(register), XSP(base), X(register));
        return;
    }
    let mut base = base;
    if high > 0 {
        match at > 0 {
            true => dynasm!(code ; .arch aarch64 ; add XSP(register), XSP(base), high, lsl 12),
            false => dynasm!(code ; .arch aarch64 ; sub XSP(register), XSP(base), high, lsl 12),
        }
        base = register;
    }
    match (low, at >= 0) {
        (0, _) if base == register => {}
        (_, true) => dynasm!(code ; .arch aarch64 ; add XSP(register), XSP(base), low),
        (_, false) => dynasm!(code ; .arch aarch64 ; sub XSP(register), XSP(base), low),
    }
}

/// A number in a register, 16 bits at a time; zeros among them come by themselves.
pub(super) fn constant(code: &mut Assembler, register: u8, value: u64) {
    let mut is_set = false;
    for shift in [0, 16, 32, 48] {
        let part = (value >> shift) as u32 & 0xffff;
        if part == 0 && (is_set || value != 0) {
            continue;
        }
        match (is_set, shift) {
            (false, 0) => dynasm!(code ; .arch aarch64 ; movz X(register), part),
            (false, 16) => dynasm!(code ; .arch aarch64 ; movz X(register), part, lsl 16),
            (false, 32) => dynasm!(code ; .arch aarch64 ; movz X(register), part, lsl 32),
            (false, _) => dynasm!(code ; .arch aarch64 ; movz X(register), part, lsl 48),
            (true, 16) => dynasm!(code ; .arch aarch64 ; movk X(register), part, lsl 16),
            (true, 32) => dynasm!(code ; .arch aarch64 ; movk X(register), part, lsl 32),
            (true, _) => dynasm!(code ; .arch aarch64 ; movk X(register), part, lsl 48),
        }
        is_set = true;
    }
}
