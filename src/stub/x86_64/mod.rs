//! Plans as x86-64 code.
//!
//! A stub with a frame, while its callee runs:
//!
//! ```text
//!            +------------------------------+
//!   rbp + 8  | return address of the stub   |
//!   rbp      | caller's rbp                 |
//!   rbp - 8  | address of the result        |
//!            | (the same, or alignment)     |
//!            | argument area, stack_size    |
//!   rsp      |                              |
//!            +------------------------------+
//! ```
//!
//! A small argument area is pushed word by word; a larger one is allocated.
//!
//! Every framed stub has this shape, whatever it does, so that one unwind rule (the frame's address
//! is rbp + 16, rbp is saved below the return address) holds at each of their calls. A stub that
//! has nothing to do after the call has no frame: it jumps.
//!
//! Registers: rax and r10 are scratch before the call, r11 holds the target; afterwards rcx holds
//! the result's address and r10 is scratch.

#![allow(
    clippy::useless_conversion,
    reason = "the assembler's macro converts register numbers"
)]

mod entry;
mod load;
mod operand;
mod store;
mod upcall;

pub use entry::{emit_entry, emit_jump, emit_thunk, entry_length};
pub use upcall::emit_upcall;

use super::plan::{Address, Entry, Move, Plan, Store, StoreSource};
use crate::abi::{Extension, Place};
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use load::{copy, load_general, load_odd, load_vector};
use operand::{Assembler, R10, RAX, RCX, RDI, RSI, RSP, memory};
use store::store;

/// The bytes of `endbr64`, with which every stub begins.
pub const LANDING_PAD: usize = 4;

/// A stub gets what it is called with in rdi and rsi, the registers of the System V convention's first
/// two parameters.
pub const ENTRY: Entry = Entry {
    result: 7,
    arguments: 6,
};

/// Larger copies use the string instruction.
const LARGEST_UNROLLED_COPY: u32 = 256;
const PAGE: u32 = 4096;

/// The code of a plan.
pub fn emit(plan: &Plan) -> Vec<u8> {
    let mut code =
        Assembler::new_with_capacity(0, 64 + 24 * plan.register_moves.len(), 0, 0, 0, 0, 0);
    landing_pad(&mut code);
    if plan.result_is_indirect {
        let result = plan.entry.result;
        memory!(code, result, 0, [mov Rq(result),] []);
    }
    if plan.has_frame {
        dynasm!(code
            ; .arch x64
            ; push rbp
            ; mov rbp, rsp
            ; push Rq(plan.entry.result)
        );
    }
    let pushed = pushed_words(plan);
    let mut emitter = Emitter {
        code,
        array: plan.entry.arguments,
        pointer: None,
    };
    match &pushed {
        Some(words) => emitter.push_words(words, plan),
        None => {
            allocate(&mut emitter.code, allocated(plan), plan.stack_align);
            for stack_move in &plan.stack_moves {
                emitter.stack_move(stack_move, plan.entry.result);
            }
        }
    }
    match plan.result_address {
        Some(Place::General(register)) if register != plan.entry.result => {
            dynasm!(emitter.code ; .arch x64 ; mov Rq(register), Rq(plan.entry.result));
        }
        _ => {}
    }
    for register_move in &plan.register_moves {
        emitter.register_move(register_move);
    }
    let mut code = emitter.code;
    if let Some(count) = plan.vector_count {
        dynasm!(code ; .arch x64 ; mov eax, i32::from(count));
    }
    if !plan.has_frame {
        dynasm!(code ; .arch x64 ; jmp r11);
        return finish(code);
    }
    dynasm!(code ; .arch x64 ; call r11);
    if let Some(errno) = plan.errno {
        dynasm!(code
            ; .arch x64
            ; fs mov ecx, [errno.from]
            ; fs mov [errno.to], ecx
        );
    }
    let layout = Layout::of(plan, pushed.as_deref());
    let has_stores = !plan.stores.is_empty();
    match &layout {
        // Adding and popping are faster than `leave`: the processor follows the stack pointer by
        // itself.
        Layout::Known { area, padding } => {
            let rest = if has_stores { 0 } else { 8 + padding };
            add_to_rsp(&mut code, area + rest);
            if has_stores {
                dynasm!(code ; .arch x64 ; pop rcx);
            }
        }
        Layout::Aligned if has_stores => dynasm!(code ; .arch x64 ; mov rcx, [rbp - 8]),
        Layout::Aligned => {}
    }
    for one in &plan.stores {
        store(&mut code, one);
    }
    // Full vector registers left in use would slow down code that knows only halves of them.
    let is_wide = |one: &Store| matches!(one.from, StoreSource::Register(_)) && one.size > 16;
    if plan.stores.iter().any(is_wide) {
        dynasm!(code ; .arch x64 ; vzeroupper);
    }
    match layout {
        Layout::Known { padding: 8, .. } if has_stores => {
            dynasm!(code ; .arch x64 ; pop rcx ; pop rbp ; ret);
        }
        Layout::Known { .. } => dynasm!(code ; .arch x64 ; pop rbp ; ret),
        Layout::Aligned => dynasm!(code ; .arch x64 ; leave ; ret),
    }
    finish(code)
}

/// What lies between rsp and the saved rbp.
enum Layout {
    /// The argument area, the padding above it, then the result's address; in bytes.
    Known { area: u32, padding: u32 },
    /// The area is aligned further than the stack is, so that only rbp knows the way.
    Aligned,
}

impl Layout {
    fn of(plan: &Plan, pushed: Option<&[Word]>) -> Layout {
        match pushed {
            Some(words) => Layout::Known {
                area: words.len() as u32 * 8,
                padding: if is_padded(words) { 8 } else { 0 },
            },
            None if plan.stack_align > 16 => Layout::Aligned,
            None => Layout::Known {
                area: allocated(plan),
                padding: 0,
            },
        }
    }
}

fn add_to_rsp(code: &mut Assembler, bytes: u32) {
    match i8::try_from(bytes) {
        Ok(0) => {}
        Ok(bytes) => dynasm!(code ; .arch x64 ; add rsp, BYTE bytes),
        Err(_) => dynasm!(code ; .arch x64 ; add rsp, bytes as i32),
    }
}

/// The prologue leaves rsp 8 below a multiple of 16; with an even number of words something more is
/// pushed.
fn is_padded(words: &[Word]) -> bool {
    words.len().is_multiple_of(2)
}

/// `endbr64`: stubs are reached by indirect jumps.
fn landing_pad(code: &mut Assembler) {
    dynasm!(code ; .arch x64 ; .bytes [0xf3u8, 0x0f, 0x1e, 0xfa]);
}

fn finish(code: Assembler) -> Vec<u8> {
    // Nothing here refers to a label that is not set a few instructions away.
    code.finalize().unwrap_or_default()
}

/// Argument areas of at most this many 8-byte words are pushed.
const MOST_PUSHED: u32 = 32;

/// Larger values are copied 16 bytes at a time.
const LARGEST_PUSHED: u32 = 32;

/// A word of the argument area, and the bytes of a move that it is; None for padding.
type Word = Option<(Move, u32)>;

/// The words of a small argument area, the last first: pushing them makes the area and fills it in
/// one. None where they are too many, or more than pushing is needed; no words without a frame.
fn pushed_words(plan: &Plan) -> Option<Vec<Word>> {
    let count = plan.stack_size / 8;
    let is_large = |one: &Move| one.size > LARGEST_PUSHED;
    // An address in the area is known when rsp has come to its end.
    let is_address = |one: &Move| matches!(one.from, Address::Area(_));
    let mut moves = plan.stack_moves.iter().chain(&plan.register_moves);
    if count > MOST_PUSHED
        || plan.stack_align > 16
        || plan.stack_moves.iter().any(is_large)
        || moves.any(is_address)
    {
        return None;
    }
    if !plan.has_frame {
        return Some(Vec::new());
    }
    let mut words: Vec<Word> = vec![None; count as usize];
    for one in &plan.stack_moves {
        let Place::Stack(to) = one.to else { continue };
        for (index, done) in (0..one.size).step_by(8).enumerate() {
            words[to as usize / 8 + index] = Some((*one, done));
        }
    }
    words.reverse();
    Some(words)
}

/// Bytes of an argument area that is not pushed.
fn allocated(plan: &Plan) -> u32 {
    // The pushes leave rsp 8 below a multiple of 16.
    plan.stack_size.next_multiple_of(16) + 8
}

/// Makes room on the stack. No page is skipped, so that a stack that ends is met at its guard page.
fn allocate(code: &mut Assembler, area: u32, align: u32) {
    if align > 16 && area + align >= PAGE {
        allocate_aligned_pages(code, area, align);
        return;
    }
    if let Ok(area) = i8::try_from(area) {
        dynasm!(code ; .arch x64 ; sub rsp, BYTE area);
    } else if area < PAGE {
        dynasm!(code ; .arch x64 ; sub rsp, area as i32);
    } else {
        dynasm!(code
            ; .arch x64
            ; mov eax, (area / PAGE) as i32
            ; probe:
            ; sub rsp, PAGE as i32
            ; or BYTE [rsp], 0
            ; dec eax
            ; jnz <probe
            ; sub rsp, (area % PAGE) as i32
        );
    }
    if align > 16 {
        dynasm!(code ; .arch x64 ; and rsp, -(align as i32));
    }
}

/// The same where aligning may take the area over a page: rax says where it will begin.
fn allocate_aligned_pages(code: &mut Assembler, area: u32, align: u32) {
    dynasm!(code
        ; .arch x64
        ; lea rax, [rsp - area as i32]
        ; and rax, -(align as i32)
        ; probe:
        ; or BYTE [rsp], 0
        ; sub rsp, PAGE as i32
        ; cmp rsp, rax
        ; ja <probe
        ; mov rsp, rax
    );
}

struct Emitter {
    code: Assembler,
    /// The register with the array's address.
    array: u8,
    /// rax holds this element of the array.
    pointer: Option<u32>,
}

impl Emitter {
    /// The register and displacement at which a move's bytes are.
    fn source(&mut self, from: Address, offset: u32) -> (u8, i32) {
        match from {
            // Elements are numbered below 2^16 and offsets are below 2^28.
            Address::Element(index) => (self.array, index as i32 * 8 + offset as i32),
            Address::Pointee(index) => {
                if self.pointer != Some(index) {
                    memory!(self.code, self.array, index as i32 * 8, [mov rax,] []);
                    self.pointer = Some(index);
                }
                (RAX, offset as i32)
            }
            // The address itself is what is moved: the moves ask for it before they come here.
            Address::Area(at) => (RSP, at as i32),
        }
    }

    /// The address of a copy, in a general register.
    fn area_address(&mut self, register: u8, at: u32) {
        memory!(self.code, RSP, at as i32, [lea Rq(register),] []);
    }

    fn register_move(&mut self, one: &Move) {
        if let (Address::Area(at), Place::General(register)) = (one.from, one.to) {
            self.area_address(register, at);
            return;
        }
        let (base, at) = self.source(one.from, one.offset);
        // A slot has 8 bytes, whatever its value has.
        let size = match one.from {
            Address::Element(_) if !one.size.is_power_of_two() => 8,
            _ => one.size,
        };
        match one.to {
            Place::General(register) => {
                load_general(&mut self.code, register, base, at, size, one.extension);
            }
            Place::Vector(register) => load_vector(&mut self.code, register, base, at, size),
            // Arguments never travel on the x87 stack, and stack moves are elsewhere.
            Place::X87(_) | Place::Stack(_) => {}
        }
    }

    fn push_words(&mut self, words: &[Word], plan: &Plan) {
        if plan.has_frame && is_padded(words) {
            dynasm!(self.code ; .arch x64 ; push Rq(plan.entry.result));
        }
        for word in words {
            let Some((one, done)) = *word else {
                // Any register will do for what nobody reads.
                dynasm!(self.code ; .arch x64 ; push rax);
                continue;
            };
            let (base, at) = self.source(one.from, one.offset + done);
            match (one.size - done).min(8) {
                8 => memory!(self.code, base, at, [push QWORD] []),
                size if size.is_power_of_two() => {
                    load_general(&mut self.code, R10, base, at, size, one.extension);
                    dynasm!(self.code ; .arch x64 ; push r10);
                }
                size => {
                    load_odd(&mut self.code, RCX, base, at, size);
                    dynasm!(self.code ; .arch x64 ; push rcx);
                }
            }
        }
    }

    fn stack_move(&mut self, one: &Move, result: u8) {
        let Place::Stack(to) = one.to else { return };
        let to = to as i32;
        if let Address::Area(at) = one.from {
            self.area_address(R10, at);
            memory!(self.code, RSP, to, [mov] [, r10]);
            return;
        }
        let (base, at) = self.source(one.from, one.offset);
        if one.size > LARGEST_UNROLLED_COPY {
            self.copy_string(base, at, to, one.size, result);
        } else if one.extension != Extension::None || one.size.is_power_of_two() && one.size <= 8 {
            load_general(&mut self.code, R10, base, at, one.size, one.extension);
            memory!(self.code, RSP, to, [mov] [, r10]);
        } else {
            copy(&mut self.code, base, at, to, one.size);
        }
    }

    /// A large copy. No argument is in a register yet, so r8 and r9 are free to keep rsi and rdi.
    fn copy_string(&mut self, base: u8, at: i32, to: i32, size: u32, result: u8) {
        debug_assert!(base != RDI && (self.array, result) == (RSI, RDI));
        dynasm!(self.code
            ; .arch x64
            ; mov r8, rsi
            ; mov r9, rdi
            ; lea rsi, [Rq(base) + at]
            ; lea rdi, [rsp + to]
            ; mov ecx, (size / 8) as i32
            ; rep movsq
        );
        let rest = size % 8;
        if rest > 0 {
            dynasm!(self.code ; .arch x64 ; mov ecx, rest as i32 ; rep movsb);
        }
        dynasm!(self.code ; .arch x64 ; mov rsi, r8 ; mov rdi, r9);
    }
}
