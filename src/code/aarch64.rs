//! What is particular to running on aarch64: which emitter, convention and target are the machine's
//! own, and the instructions that enter code with the context register set.

use super::expression::{DROP, DUP, EQ, Expression, LT, Label, MINUS, NE, SHL, SHR};
use super::unwind::{DW_CFA_DEF_CFA, DW_CFA_DEF_CFA_EXPRESSION, DW_CFA_VAL_EXPRESSION};
use crate::stub::aarch64;
use crate::types::{Convention, Target, target as targets};
use libffi::raw::{ffi_abi, ffi_abi_FFI_SYSV};

pub use aarch64::{ENTRY, emit, emit_entry, emit_jump, emit_thunk, emit_upcall, entry_length};

/// The body of a naked function `(header, result, array)`: reads code and context at these offsets
/// of the header and jumps to the code with `(result, array)` and the context in x17.
macro_rules! enter_at {
    ($code:expr, $context:expr) => {
        ::std::arch::naked_asm!(
            ".cfi_startproc",
            // bti c, which the assembler knows by its number only.
            "hint #34",
            "ldr x16, [x0, #{code}]",
            "ldr x17, [x0, #{context}]",
            "mov x0, x1",
            "mov x1, x2",
            "br x16",
            ".cfi_endproc",
            // The next function of the section begins in a cache line of its own, as this one does.
            ".p2align 6",
            code = const $code,
            context = const $context,
        )
    };
}

/// What a jump to unused bytes meets: `udf #0`.
pub const FILL: u8 = 0;

/// DWARF's numbers of x29 and x30.
pub(super) const DWARF_FRAME_POINTER: u8 = 29;
pub(super) const DWARF_RETURN_ADDRESS: u8 = 30;

const SP: u8 = 31;

/// Where nothing was pushed the frame begins at sp, and x30 is the return address.
pub(super) const FRAMELESS: &[u8] = &[DW_CFA_DEF_CFA, SP, 0];

/// ELF's number of this processor.
pub(super) const ELF_MACHINE: u16 = 183;

/// The address of a symbol, which is given an attribute: one that is weak may be lacking, and is null
/// then.
macro_rules! symbol_address {
    ($attribute:literal, $name:literal) => {{
        let address: *const ::std::ffi::c_void;
        // SAFETY: reads an entry of the global offset table.
        unsafe {
            ::std::arch::asm!(
                concat!($attribute, " ", $name),
                concat!("adrp {0}, :got:", $name),
                concat!("ldr {0}, [{0}, :got_lo12:", $name, "]"),
                out(reg) address,
                options(nostack, preserves_flags, readonly),
            )
        };
        address
    }};
}

/// Tells valgrind, where it runs the program, that there is other code now: it keeps what it has made of
/// the old.
pub(super) fn discard_translations(address: usize, length: usize) {
    const DISCARD_TRANSLATIONS: usize = 0x1002;
    tell_valgrind(DISCARD_TRANSLATIONS, address, length);
}

/// A client request of valgrind with two arguments. Where it does not run the program the instructions do
/// nothing.
pub(super) fn tell_valgrind(request: usize, first: usize, second: usize) {
    let request = [request, first, second, 0, 0, 0];
    // SAFETY: the rotations make a whole turn, the last instruction changes nothing, and valgrind only
    // reads the request.
    unsafe {
        std::arch::asm!(
            "ror x12, x12, #3",
            "ror x12, x12, #13",
            "ror x12, x12, #51",
            "ror x12, x12, #61",
            "orr x10, x10, x10",
            in("x4") request.as_ptr(),
            inout("x3") 0usize => _,
            options(nostack),
        );
    }
}

/// The convention that this machine's C compiler uses.
pub fn convention() -> Convention {
    Convention::Aapcs64
}

/// Functions of this convention can be called here.
pub fn can_call(convention: Convention) -> bool {
    convention == Convention::Aapcs64
}

/// libffi's number for a convention, if it has it here.
pub fn libffi_convention(convention: Convention) -> Option<ffi_abi> {
    (convention == Convention::Aapcs64).then_some(ffi_abi_FFI_SYSV)
}

/// The data model of this machine.
pub fn target() -> &'static Target {
    &targets::LINUX_AARCH64
}

/// Vectors of 32 bytes can be moved. None travels in a register here.
pub fn has_wide_vectors() -> bool {
    false
}

/// The body of a naked function that code is entered at with `(result, array)` and the context in
/// x17: goes on in a function `(result, array, context)`.
macro_rules! context_call {
    ($function:path) => {
        ::std::arch::naked_asm!(
            ".cfi_startproc",
            "hint #34",
            "mov x2, x17",
            "b {}",
            ".cfi_endproc",
            sym $function,
        )
    };
}

/// The body of a naked function that code is entered at with `(result, array)` and a record in x17: reads
/// code and context at these offsets of the record and goes on as if entered with that context.
macro_rules! record_call {
    ($code:expr, $context:expr) => {
        ::std::arch::naked_asm!(
            ".cfi_startproc",
            "hint #34",
            "ldr x16, [x17, #{code}]",
            "ldr x17, [x17, #{context}]",
            "br x16",
            ".cfi_endproc",
            code = const $code,
            context = const $context,
        )
    };
}

/// The thunks that are part of the library's text, and their records.
macro_rules! thunk_table {
    ($count:expr, $thunk:expr, $record:expr, $margin:expr) => {
        ::std::arch::global_asm!(
            ".pushsection .bss.farcall_thunk_records,\"aw\",@nobits",
            ".balign 64",
            ".globl farcall_thunk_records",
            ".hidden farcall_thunk_records",
            ".type farcall_thunk_records,@object",
            "farcall_thunk_records: .zero {count} * {record}",
            ".size farcall_thunk_records, {count} * {record}",
            ".popsection",
            // Aligned to the largest page, so that they can be mapped again.
            ".pushsection .text.farcall_thunks,\"ax\",@progbits",
            ".balign 65536",
            ".globl farcall_thunks",
            ".hidden farcall_thunks",
            ".type farcall_thunks,@function",
            "farcall_thunks:",
            ".cfi_startproc",
            ".zero {margin}",
            ".set farcall_thunk_index, 0",
            ".rept {count}",
            "hint 34",
            "adrp x17, farcall_thunk_records + farcall_thunk_index",
            "add x17, x17, :lo12:farcall_thunk_records + farcall_thunk_index",
            "ldr x16, [x17]",
            "br x16",
            ".balign {thunk}",
            ".set farcall_thunk_index, farcall_thunk_index + {record}",
            ".endr",
            ".cfi_endproc",
            ".size farcall_thunks, . - farcall_thunks",
            ".popsection",
            count = const $count,
            thunk = const $thunk,
            record = const $record,
            margin = const $margin,
        );
    };
}

/// The handler of callbacks whose running calls are counted: a function `$name(result, arguments, user)`
/// that is entered with the record in x17.
///
/// ```text
///             +------------------------------+
///   x29 + 24  | (alignment)                  |
///   x29 + 16  | caller's x19                 |   x19 holds the record: an unwinder's personality finds
///   x29 + 8   | return address, in a receiver|   it there
///   x29       | caller's x29                 |
///             +------------------------------+
/// ```
macro_rules! counted_call {
    (
        $name:ident, personality: $personality:path, late: $late:path, last: $last:path,
        calls: $calls:expr, freed_bit: $freed_bit:expr, receiver: $receiver:expr, program: $program:expr, code: $code:expr,
        length: $length:expr, extra: $extra:expr, handler: $handler:expr, user: $user:expr $(,)?
    ) => {
        ::std::arch::global_asm!(
            ".pushsection .text.farcall_counted_call,\"ax\",@progbits",
            ".balign 64",
            concat!(".globl ", stringify!($name)),
            concat!(".hidden ", stringify!($name)),
            concat!(".type ", stringify!($name), ",@function"),
            concat!(stringify!($name), ":"),
            ".cfi_startproc",
            ".cfi_personality 0x1b, {personality}",
            "hint 34",
            "stp x29, x30, [sp, -32]!",
            ".cfi_def_cfa_offset 32",
            ".cfi_offset x29, -32",
            ".cfi_offset x30, -24",
            "mov x29, sp",
            ".cfi_def_cfa_register x29",
            "str x19, [sp, 16]",
            ".cfi_offset x19, -16",
            "mov x19, x17",
            "add x9, x19, {calls}",
            "6:",
            "ldaxr x10, [x9]",
            "add x11, x10, 1",
            "stlxr w12, x11, [x9]",
            "cbnz w12, 6b",
            "tbnz x10, {freed_bit}, 3f",
            // The receiver that calls is the record's own: the record was not given to another callback on
            // the way here.
            "ldr x12, [x19, {receiver}]",
            "mov x10, x30",
            "ldr x11, [x12, {program}]",
            "cbz x11, 9f",
            // Programs share their code; where the calling one goes on is in its frame.
            "ldr x10, [x29]",
            "ldur x10, [x10, -{goes_on}]",
            "9:",
            "ldr x13, [x12, {code}]",
            "ldr x14, [x12, {length}]",
            "sub x13, x10, x13",
            "cmp x13, x14",
            "b.hs 3f",
            "ldr x9, [x19, {extra}]",
            "ldr x2, [x9, {user}]",
            "ldr x16, [x9, {handler}]",
            "blr x16",
            "2:",
            "add x9, x19, {calls}",
            "7:",
            "ldaxr x10, [x9]",
            "sub x11, x10, 1",
            "stlxr w12, x11, [x9]",
            "cbnz w12, 7b",
            "tbnz x10, {freed_bit}, 4f",
            "5:",
            "ldr x19, [sp, 16]",
            "ldp x29, x30, [sp], 32",
            ".cfi_remember_state",
            ".cfi_def_cfa sp, 0",
            ".cfi_restore x19",
            ".cfi_restore x29",
            ".cfi_restore x30",
            "ret",
            ".cfi_restore_state",
            "3:",
            "mov x2, x19",
            "bl {late}",
            "b 2b",
            "4:",
            "mov x0, x19",
            "mov x1, x10",
            "bl {last}",
            "b 5b",
            ".cfi_endproc",
            concat!(".size ", stringify!($name), ", . - ", stringify!($name)),
            ".popsection",
            personality = sym $personality,
            late = sym $late,
            last = sym $last,
            calls = const $calls,
            freed_bit = const $freed_bit,
            receiver = const $receiver,
            program = const $program,
            goes_on = const 96,
            code = const $code,
            length = const $length,
            extra = const $extra,
            handler = const $handler,
            user = const $user,
        );
        unsafe extern "C-unwind" {
            fn $name();
        }
    };
}

/// The register in which a counted call keeps its record, by its number in unwind tables (DWARF for the Arm
/// 64-bit architecture, 4.1): x19.
pub const COUNTED_RECORD: i32 = 19;

pub(super) use symbol_address;

/// What an unwinder needs to know besides the shape of frames, as instructions of an unwind entry: where the
/// frame begins while it is made and when it has been taken down, for those who come from a signal handler.
/// Expressions cannot ask here for the instruction that is about to run, but x30 tells as much. While a callee
/// runs and after it has returned x30 is an address of this code. Before the call, and when the frame has been
/// taken down, it is where the stub returns to; where that is in the frame's record too, there is a frame.
/// (A stub that is called by another one of the same range is taken for its caller, in a backtrace that comes
/// from where it has no frame yet: the caller's caller is found all the same.)
pub(super) fn unwind_rules(start: u64, length: u64, _lines: u64) -> Vec<u8> {
    const X29: u8 = DWARF_FRAME_POINTER;
    const X30: u8 = DWARF_RETURN_ADDRESS;
    let [outside, pushed, not_pushed, inside, end] = std::array::from_fn(Label);
    let mut frame = Expression::default();
    // Callees may have signed the address, in bits that no address of 39 bits has.
    frame.register(X30, 0).address(start).op(MINUS);
    frame.constant(25).op(SHL).constant(25).op(SHR);
    frame.address(length).op(LT).branch(inside);
    // mov x29, sp
    frame.register(SP, 8).load(8).register(X30, 0).op(NE);
    frame.branch(not_pushed);
    frame.register(SP, 0).load(8).register(X29, 0).op(EQ);
    frame.branch(pushed);
    // A caller may use x29 for something else, that is no address.
    frame.mark(not_pushed).register(X29, 0).register(SP, 0);
    frame.op(MINUS).constant(28).op(SHR).branch(outside);
    frame.register(X29, 8).load(8).register(X30, 0).op(EQ);
    frame.branch(inside);
    frame.mark(outside).register(SP, 0).skip(end);
    frame.mark(pushed).register(SP, 16).skip(end);
    frame.mark(inside).register(X29, 16);
    frame.mark(end);
    let mut rules = vec![DW_CFA_DEF_CFA_EXPRESSION];
    rules.append(&mut frame.block());
    for (register, below) in [(X29, 16), (X30, 8)] {
        // Outside both are the caller's; otherwise they are saved below the frame's begin, which is on the
        // expression's stack.
        let mut saved = Expression::default();
        saved.op(DUP).register(SP, 0).op(EQ).branch(outside);
        saved.constant(below).op(MINUS).load(8).skip(end);
        saved.mark(outside).op(DROP).register(register, 0);
        saved.mark(end);
        rules.extend([DW_CFA_VAL_EXPRESSION, register]);
        rules.append(&mut saved.block());
    }
    rules
}

pub(crate) use {context_call, counted_call, enter_at, record_call, thunk_table};
