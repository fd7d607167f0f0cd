//! A function's own entry: code that knows its target.

use super::operand::Assembler;
use super::{LANDING_PAD, finish, landing_pad};
use crate::stub::upcall::{RECORD_ENTRY, THUNK_LENGTH};
use dynasmrt::{DynasmApi, dynasm};

/// `endbr64` and `mov r11, context`.
const ENTRY_HEAD: usize = LANDING_PAD + 10;
/// The longest form of `jump`.
const LONGEST_JUMP: usize = 13;
/// Longer stubs are jumped to; the jump costs a cycle.
const LARGEST_REPEATED: usize = 112;
/// What jumps to nowhere meet.
const INT3: u8 = 0xcc;

/// The most bytes that the entry for a stub takes; without a stub, that a jump takes.
pub fn entry_length(stub: &[u8]) -> usize {
    let body = stub.len().saturating_sub(LANDING_PAD);
    match body {
        1..=LARGEST_REPEATED => ENTRY_HEAD + body,
        _ => ENTRY_HEAD + LONGEST_JUMP,
    }
}

/// A function's own entry: sets the context register and goes on with the stub. A short stub is
/// repeated, which saves a jump; a longer one is jumped to. `address` is where the entry will be.
pub fn emit_entry(address: u64, context: u64, stub: &[u8], stub_address: u64) -> Vec<u8> {
    let body = &stub[LANDING_PAD..];
    if body.len() > LARGEST_REPEATED {
        return emit_jump(address, context, stub_address + LANDING_PAD as u64);
    }
    let mut code = Assembler::new(0);
    landing_pad(&mut code);
    dynasm!(code ; .arch x64 ; mov r11, QWORD context as i64);
    code.extend(body);
    finish(code)
}

/// Sets the context register and jumps to a function.
pub fn emit_jump(address: u64, context: u64, target: u64) -> Vec<u8> {
    let mut code = Assembler::new(0);
    landing_pad(&mut code);
    dynasm!(code ; .arch x64 ; mov r11, QWORD context as i64);
    jump(&mut code, address, target);
    finish(code)
}

/// A jump at the end of code that will be at `address`.
fn jump(code: &mut Assembler, address: u64, target: u64) {
    const RELATIVE_JUMP: u64 = 5;
    let after = address + code.offset().0 as u64 + RELATIVE_JUMP;
    match i32::try_from(target.wrapping_sub(after) as i64) {
        Ok(distance) => {
            // jmp rel32
            code.push(0xe9);
            code.push_i32(distance);
        }
        Err(_) => dynasm!(code ; .arch x64 ; mov r10, QWORD target as i64 ; jmp r10),
    }
}

/// A callback's thunk, which will be at `thunk_address`: sets the context register to its record and
/// goes where that says. Behind it is what a jump to nowhere meets, up to the next.
pub fn emit_thunk(thunk_address: u64, record_address: u64) -> Vec<u8> {
    let mut code = Assembler::new(0);
    landing_pad(&mut code);
    /// Bytes of `lea r11, [rip + distance]` and of `jmp [rip + distance]`.
    const LOAD: u64 = 7;
    const JUMP: u64 = 6;
    let after_load = thunk_address + code.offset().0 as u64 + LOAD;
    let distance = |to: u64, from: u64| i32::try_from(to.wrapping_sub(from) as i64);
    let record = distance(record_address, after_load);
    let entry = distance(record_address + u64::from(RECORD_ENTRY), after_load + JUMP);
    match (record, entry) {
        (Ok(record), Ok(entry)) => {
            code.extend([0x4c, 0x8d, 0x1d]);
            code.push_i32(record);
            code.extend([0xff, 0x25]);
            code.push_i32(entry);
        }
        _ => dynasm!(code
            ; .arch x64
            ; mov r11, QWORD record_address as i64
            ; jmp QWORD [r11 + RECORD_ENTRY as i32]
        ),
    }
    let mut code = finish(code);
    code.resize(THUNK_LENGTH, INT3);
    code
}
