//! A function's own entry: code that knows its target.

#![allow(
    clippy::useless_conversion,
    reason = "the assembler's macro converts register numbers"
)]

use super::operand::{Assembler, CONTEXT, FAR, constant, is_scaled, memory, reach};
use super::{LANDING_PAD, finish, landing_pad};
use crate::stub::upcall::{RECORD_ENTRY, THUNK_LENGTH};
use dynasmrt::{DynasmApi, dynasm};

/// `bti c`, and a context of 64 bits set 16 at a time.
const LONGEST_HEAD: usize = LANDING_PAD + 16;
/// The longest form of `jump`.
const LONGEST_JUMP: usize = 20;
/// Longer stubs are jumped to; with a shorter one an entry takes at most two cache lines.
const LARGEST_REPEATED: usize = 128 - LONGEST_HEAD;

/// The most bytes that the entry for a stub takes; without a stub, that a jump takes.
pub fn entry_length(stub: &[u8]) -> usize {
    let body = stub.len().saturating_sub(LANDING_PAD);
    match body {
        1..=LARGEST_REPEATED => LONGEST_HEAD + body,
        _ => LONGEST_HEAD + LONGEST_JUMP,
    }
}

/// A function's own entry: sets the context register and goes on with the stub. A short stub is
/// repeated, which saves a jump; a longer one is jumped to. `address` is where the entry will be.
pub fn emit_entry(address: u64, context: u64, stub: &[u8], stub_address: u64) -> Vec<u8> {
    let body = &stub[LANDING_PAD..];
    if body.len() > LARGEST_REPEATED {
        return emit_jump(address, context, stub_address + LANDING_PAD as u64);
    }
    let mut code = head(context);
    code.extend(body);
    finish(code)
}

/// Sets the context register and jumps to a function.
pub fn emit_jump(address: u64, context: u64, target: u64) -> Vec<u8> {
    let mut code = head(context);
    jump(&mut code, address, target);
    finish(code)
}

fn head(context: u64) -> Assembler {
    let mut code = Assembler::new(0);
    landing_pad(&mut code);
    constant(&mut code, CONTEXT, context);
    code
}

/// A jump at the end of code that will be at `address`.
fn jump(code: &mut Assembler, address: u64, target: u64) {
    /// A direct jump reaches this far forwards, and as far backwards.
    const REACH: i64 = 1 << 27;
    let from = address + code.offset().0 as u64;
    let distance = target.wrapping_sub(from) as i64;
    if distance % 4 == 0 && (-REACH..REACH).contains(&distance) {
        const B: u32 = 0x1400_0000;
        code.push_u32(B | (distance / 4) as u32 & 0x03ff_ffff);
        return;
    }
    constant(code, FAR, target);
    dynasm!(code ; .arch aarch64 ; br X(FAR));
}

/// A callback's thunk, which will be at `thunk_address`: sets the context register to its record and
/// goes where that says. Behind it is what a jump to nowhere meets, up to the next.
pub fn emit_thunk(thunk_address: u64, record_address: u64) -> Vec<u8> {
    /// `udf #0`
    const NOWHERE: u8 = 0;
    let mut code = Assembler::new(0);
    landing_pad(&mut code);
    let code_address = thunk_address + code.offset().0 as u64;
    if !load_near(&mut code, code_address, record_address) {
        record(&mut code, code_address, record_address);
        memory!(&mut code, CONTEXT, RECORD_ENTRY as i32, 8, [ldr ldur X(FAR)]);
    }
    dynasm!(code ; .arch aarch64 ; br X(FAR));
    let mut code = finish(code);
    code.resize(THUNK_LENGTH, NOWHERE);
    code
}

/// Loads the record's address and what it says, if both are so near that the processor can do so at
/// the same time; `address` is where that will stand.
fn load_near(code: &mut Assembler, address: u64, record: u64) -> bool {
    /// `adr` reaches this far, and a load by distance.
    const REACH: i64 = 1 << 20;
    let to_record = record.wrapping_sub(address) as i64;
    let to_entry = to_record + i64::from(RECORD_ENTRY) - 4;
    let is_near = |distance| (-REACH..REACH).contains(&distance);
    if !is_near(to_record) || !is_near(to_entry) || to_entry % 4 != 0 {
        return false;
    }
    address_of(code, to_record);
    const LOAD: u32 = 0x5800_0000;
    let distance = (to_entry / 4) as u32 & 0x7_ffff;
    code.push_u32(LOAD | distance << 5 | u32::from(FAR));
    true
}

/// `adr`: an address at this distance, in the context register.
fn address_of(code: &mut Assembler, distance: i64) {
    const ADDRESS: u32 = 0x1000_0000;
    code.push_u32(ADDRESS | split(distance) | u32::from(CONTEXT));
}

/// The two fields for a distance of 21 bits.
fn split(distance: i64) -> u32 {
    let distance = distance as u32;
    (distance & 3) << 29 | (distance >> 2 & 0x7_ffff) << 5
}

/// Any address in the context register.
fn record(code: &mut Assembler, address: u64, record: u64) {
    const PAGE: u32 = 12;
    let pages = (record >> PAGE).wrapping_sub(address >> PAGE) as i64;
    if !(-(1 << 20)..1 << 20).contains(&pages) {
        return constant(code, CONTEXT, record);
    }
    const PAGE_ADDRESS: u32 = 0x9000_0000;
    code.push_u32(PAGE_ADDRESS | split(pages) | u32::from(CONTEXT));
    let low = record as u32 & 0xfff;
    dynasm!(code ; .arch aarch64 ; add XSP(CONTEXT), XSP(CONTEXT), low);
}
