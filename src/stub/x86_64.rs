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

use super::plan::{Address, Move, Plan, Store, StoreSource};
use crate::abi::{Extension, Place};
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

/// One instruction with a memory operand `[base + at]`, in its shortest form: an operand of registers
/// and offsets that are known only here would always take four bytes for the offset and one for a
/// scaled index. The brackets hold what stands before the operand and after it.
macro_rules! memory {
    ($code:expr, $base:expr, $at:expr, [$($before:tt)*] [$($after:tt)*]) => {{
        let (base, at): (u8, i32) = ($base, $at);
        match (base, at) {
            (RAX, 0) => dynasm!($code ; .arch x64 ; $($before)* [rax] $($after)*),
            (RCX, 0) => dynasm!($code ; .arch x64 ; $($before)* [rcx] $($after)*),
            (RSP, 0) => dynasm!($code ; .arch x64 ; $($before)* [rsp] $($after)*),
            (RSI, 0) => dynasm!($code ; .arch x64 ; $($before)* [rsi] $($after)*),
            (RDI, 0) => dynasm!($code ; .arch x64 ; $($before)* [rdi] $($after)*),
            (RAX, -128..=127) => {
                dynasm!($code ; .arch x64 ; $($before)* [BYTE rax + (at as i8)] $($after)*)
            }
            (RCX, -128..=127) => {
                dynasm!($code ; .arch x64 ; $($before)* [BYTE rcx + (at as i8)] $($after)*)
            }
            (RSP, -128..=127) => {
                dynasm!($code ; .arch x64 ; $($before)* [BYTE rsp + (at as i8)] $($after)*)
            }
            (RSI, -128..=127) => {
                dynasm!($code ; .arch x64 ; $($before)* [BYTE rsi + (at as i8)] $($after)*)
            }
            _ => dynasm!($code ; .arch x64 ; $($before)* [Rq(base) + at] $($after)*),
        }
    }};
}

type Assembler = dynasmrt::VecAssembler<dynasmrt::x64::X64Relocation>;

/// The bytes of `endbr64`, with which every stub begins.
pub const LANDING_PAD: usize = 4;

const RAX: u8 = 0;
const RCX: u8 = 1;
const RSP: u8 = 4;
const RSI: u8 = 6;
const RDI: u8 = 7;
const R10: u8 = 10;
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
            allocate(&mut emitter.code, plan);
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
    if count > MOST_PUSHED || plan.stack_align > 16 || plan.stack_moves.iter().any(is_large) {
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

/// Bytes of an argument area that is not pushed, with what aligning it may take.
fn allocated(plan: &Plan) -> u32 {
    // The pushes leave rsp 8 below a multiple of 16.
    let area = plan.stack_size.next_multiple_of(16) + 8;
    match plan.stack_align > 16 {
        true => area + plan.stack_align,
        false => area,
    }
}

/// Makes room for an argument area that is not pushed.
fn allocate(code: &mut Assembler, plan: &Plan) {
    let frame = allocated(plan);
    if let Ok(frame) = i8::try_from(frame) {
        dynasm!(code ; .arch x64 ; sub rsp, BYTE frame);
    } else if frame < PAGE {
        dynasm!(code ; .arch x64 ; sub rsp, frame as i32);
    } else {
        // No page is skipped, so that a stack that ends is met at its guard page.
        dynasm!(code
            ; .arch x64
            ; mov eax, (frame / PAGE) as i32
            ; probe:
            ; sub rsp, PAGE as i32
            ; or BYTE [rsp], 0
            ; dec eax
            ; jnz <probe
            ; sub rsp, (frame % PAGE) as i32
        );
    }
    if plan.stack_align > 16 {
        dynasm!(code ; .arch x64 ; and rsp, -(plan.stack_align as i32));
    }
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
        }
    }

    fn register_move(&mut self, one: &Move) {
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

/// Exactly `size` bytes at `[base + at]`, extended, in a general register.
fn load_general(
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
fn load_odd(code: &mut Assembler, register: u8, base: u8, at: i32, size: u32) {
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
fn load_vector(code: &mut Assembler, register: u8, base: u8, at: i32, size: u32) {
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

fn load_odd_vector(code: &mut Assembler, register: u8, base: u8, at: i32, size: u32) {
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
fn copy(code: &mut Assembler, base: u8, at: i32, to: i32, size: u32) {
    let wide = if size > LARGEST_PUSHED { size & !15 } else { 0 };
    copy_wide(code, base, at, to, wide);
    let mut done = wide;
    while done < size {
        let chunk = match size - done {
            8.. => 8,
            4.. => 4,
            2.. => 2,
            _ => 1,
        };
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
        done += chunk;
    }
}

/// 16 bytes at a time, as many loads before the first store as there are free registers: a load
/// waits for an earlier store whose address differs from its own in the upper bits only.
fn copy_wide(code: &mut Assembler, base: u8, at: i32, to: i32, size: u32) {
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

fn store(code: &mut Assembler, one: &Store) {
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
    let mut at = at;
    let mut left = size;
    while left > 0 {
        let chunk = match left {
            8.. => 8,
            4.. => 4,
            2.. => 2,
            _ => 1,
        };
        match chunk {
            8 => memory!(code, RCX, at, [mov] [, Rq(register)]),
            4 => memory!(code, RCX, at, [mov] [, Rd(register)]),
            2 => memory!(code, RCX, at, [mov] [, Rw(register)]),
            _ => memory!(code, RCX, at, [mov] [, Rb(register)]),
        }
        at += chunk as i32;
        left -= chunk;
        if left > 0 {
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
    let mut at = at;
    let mut left = size;
    while left > 0 {
        let chunk = match left {
            8.. => 8,
            4.. => 4,
            2.. => 2,
            _ => 1,
        };
        match chunk {
            8 => memory!(code, RCX, at, [mov QWORD] [, 0]),
            4 => memory!(code, RCX, at, [mov DWORD] [, 0]),
            2 => memory!(code, RCX, at, [mov WORD] [, 0]),
            _ => memory!(code, RCX, at, [mov BYTE] [, 0]),
        }
        at += chunk as i32;
        left -= chunk;
    }
}

/// `endbr64` and `mov r11, context`.
const ENTRY_HEAD: usize = LANDING_PAD + 10;
/// The longest form of `jump`.
const LONGEST_JUMP: usize = 13;
/// Longer stubs are jumped to; the jump costs a cycle.
const LARGEST_REPEATED: usize = 112;

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
