//! A function's own entry: code that knows its target.

#![allow(
    clippy::useless_conversion,
    reason = "the assembler's macro converts register numbers"
)]

use super::operand::{Assembler, CONTEXT, FAR, constant};
use super::{LANDING_PAD, finish, landing_pad};
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
