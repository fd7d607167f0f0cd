//! What is particular to running on x86-64: which emitter, convention and target are the machine's
//! own, and the instructions that enter code with the context register set.

use super::expression::{DROP, DUP, EQ, Expression, Label, MINUS, PLUS, SHR};
use super::unwind::{
    DW_CFA_DEF_CFA, DW_CFA_DEF_CFA_EXPRESSION, DW_CFA_OFFSET, DW_CFA_VAL_EXPRESSION,
};
use crate::stub::x86_64;
use crate::types::{Convention, Target, target as targets};
use libffi::raw::{ffi_abi, ffi_abi_FFI_GNUW64, ffi_abi_FFI_UNIX64};

pub use x86_64::{ENTRY, emit, emit_entry, emit_jump, emit_thunk, emit_upcall, entry_length};

/// The body of a naked function `(header, result, array)`: reads code and context at these offsets
/// of the header and jumps to the code with `(result, array)` and the context in r11.
macro_rules! enter_at {
    ($code:expr, $context:expr) => {
        ::std::arch::naked_asm!(
            ".cfi_startproc",
            "endbr64",
            "mov r11, qword ptr [rdi + {context}]",
            "mov rax, rdi",
            "mov rdi, rsi",
            "mov rsi, rdx",
            // A jump through memory, which is a cycle faster here than one through a register that
            // was loaded before.
            "jmp qword ptr [rax + {code}]",
            ".cfi_endproc",
            // The next function of the section begins in a cache line of its own, as this one does.
            ".p2align 6",
            code = const $code,
            context = const $context,
        )
    };
}

/// What a jump to unused bytes meets: `int3`.
pub const FILL: u8 = 0xcc;

/// DWARF's numbers of rbp and of the return address.
pub(super) const DWARF_FRAME_POINTER: u8 = 6;
pub(super) const DWARF_RETURN_ADDRESS: u8 = 16;

/// Where nothing was pushed the return address is at rsp.
pub(super) const FRAMELESS: &[u8] = &[
    DW_CFA_DEF_CFA,
    7,
    8,
    DW_CFA_OFFSET | DWARF_RETURN_ADDRESS,
    1,
];

/// ELF's number of this processor.
pub(super) const ELF_MACHINE: u16 = 62;

/// The address of a symbol, which is given an attribute: one that is weak may be lacking, and is null
/// then.
macro_rules! symbol_address {
    ($attribute:literal, $name:literal) => {{
        let address: *const ::std::ffi::c_void;
        // SAFETY: reads an entry of the global offset table.
        unsafe {
            ::std::arch::asm!(
                concat!($attribute, " ", $name),
                concat!("mov {}, qword ptr [rip + ", $name, "@GOTPCREL]"),
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
    // SAFETY: the rotations make a whole turn, the exchange is with itself, and valgrind only reads the
    // request.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") request.as_ptr(),
            inout("rdx") 0usize => _,
            options(nostack),
        );
    }
}

/// The convention that this machine's C compiler uses.
pub fn convention() -> Convention {
    Convention::SysV64
}

/// Functions of this convention can be called here.
pub fn can_call(convention: Convention) -> bool {
    matches!(convention, Convention::SysV64 | Convention::Win64)
}

/// libffi's number for a convention, if it has it here.
pub fn libffi_convention(convention: Convention) -> Option<ffi_abi> {
    match convention {
        Convention::SysV64 => Some(ffi_abi_FFI_UNIX64),
        Convention::Win64 => Some(ffi_abi_FFI_GNUW64),
        _ => None,
    }
}

/// The data model of this machine.
pub fn target() -> &'static Target {
    &targets::LINUX_X86_64
}

/// Vectors of 32 bytes can be moved.
pub fn has_wide_vectors() -> bool {
    std::arch::is_x86_feature_detected!("avx")
}

/// The body of a naked function that code is entered at with `(result, array)` and the context in
/// r11: goes on in a function `(result, array, context)`.
macro_rules! context_call {
    ($function:path) => {
        ::std::arch::naked_asm!(
            ".cfi_startproc",
            "endbr64",
            "mov rdx, r11",
            "jmp {}",
            ".cfi_endproc",
            sym $function,
        )
    };
}

/// The body of a naked function that code is entered at with `(result, array)` and a record in r11: reads
/// code and context at these offsets of the record and goes on as if entered with that context.
macro_rules! record_call {
    ($code:expr, $context:expr) => {
        ::std::arch::naked_asm!(
            ".cfi_startproc",
            "endbr64",
            "mov r10, qword ptr [r11 + {code}]",
            "mov r11, qword ptr [r11 + {context}]",
            "jmp r10",
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
            // Page-aligned, so that they can be mapped again.
            ".pushsection .text.farcall_thunks,\"ax\",@progbits",
            ".balign 4096",
            ".globl farcall_thunks",
            ".hidden farcall_thunks",
            ".type farcall_thunks,@function",
            "farcall_thunks:",
            ".cfi_startproc",
            ".fill {margin}, 1, 0xcc",
            ".set farcall_thunk_index, 0",
            ".rept {count}",
            "endbr64",
            "lea r11, [rip + farcall_thunk_records + farcall_thunk_index]",
            "jmp qword ptr [rip + farcall_thunk_records + farcall_thunk_index]",
            ".balign {thunk}, 0xcc",
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
/// that is entered with the record in r11.
///
/// ```text
///            +------------------------------+
///   rbp + 8  | return address, in a receiver|
///   rbp      | caller's rbp                 |
///   rbp - 8  | caller's rbx                 |   rbx holds the record: an unwinder's personality finds
///   rbp - 16 | (alignment)                  |   it there
///            +------------------------------+
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
            "endbr64",
            "push rbp",
            ".cfi_def_cfa_offset 16",
            ".cfi_offset rbp, -16",
            "mov rbp, rsp",
            ".cfi_def_cfa_register rbp",
            "push rbx",
            ".cfi_offset rbx, -24",
            "sub rsp, 8",
            "mov rbx, r11",
            "mov eax, 1",
            "lock xadd qword ptr [rbx + {calls}], rax",
            "bt rax, {freed_bit}",
            "jc 3f",
            // The receiver that calls is the record's own: the record was not given to another callback on
            // the way here.
            "mov rcx, qword ptr [rbx + {receiver}]",
            "mov rax, qword ptr [rbp + 8]",
            "cmp qword ptr [rcx + {program}], 0",
            "je 6f",
            // Programs share their code; where the calling one goes on is in its frame.
            "mov rax, qword ptr [rbp]",
            "mov rax, qword ptr [rax - {goes_on}]",
            "6:",
            "sub rax, qword ptr [rcx + {code}]",
            "cmp rax, qword ptr [rcx + {length}]",
            "jae 3f",
            "mov rax, qword ptr [rbx + {extra}]",
            "mov rdx, qword ptr [rax + {user}]",
            "call qword ptr [rax + {handler}]",
            "2:",
            "mov rax, -1",
            "lock xadd qword ptr [rbx + {calls}], rax",
            "bt rax, {freed_bit}",
            "jc 4f",
            "5:",
            "add rsp, 8",
            "pop rbx",
            "pop rbp",
            ".cfi_remember_state",
            ".cfi_def_cfa rsp, 8",
            "ret",
            ".cfi_restore_state",
            "3:",
            "mov rdx, rbx",
            "call {late}",
            "jmp 2b",
            "4:",
            "mov rdi, rbx",
            "mov rsi, rax",
            "call {last}",
            "jmp 5b",
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
            goes_on = const 56,
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

/// The register in which a counted call keeps its record, by its number in unwind tables (x86-64 psABI,
/// figure 3.36): rbx.
pub const COUNTED_RECORD: i32 = 3;

pub(super) use symbol_address;

/// What an unwinder needs to know besides the shape of frames, as instructions of an unwind entry: where the
/// frame begins while it is made and when it has been taken down, for those who come from a signal
/// handler. It is seen by the instruction that is about to run. `lines` has a byte for each 64 of code from
/// `start` on: 1 where a stub has no frame.
pub(super) fn unwind_rules(start: u64, _length: u64, lines: u64) -> Vec<u8> {
    const RBP: u8 = 6;
    const RSP: u8 = 7;
    const RIP: u8 = 16;
    let [outside, pushed, inside, end, f3, w48, w49, w41] = std::array::from_fn(Label);
    let mut frame = Expression::default();
    frame.register(RIP, 0).address(start).op(MINUS);
    frame.constant(6).op(SHR).address(lines).op(PLUS).load(1);
    frame.branch(outside);
    // Of longer instructions no more is read than they have: behind them there may be nothing.
    let mut first = |byte, then| {
        frame.register(RIP, 0).load(1).constant(byte).op(EQ);
        frame.branch(then);
    };
    // push rbp; ret; jmp out of an entry.
    first(0x55, outside);
    first(0xc3, outside);
    first(0xe9, outside);
    first(0xf3, f3);
    first(0x48, w48);
    first(0x49, w49);
    first(0x41, w41);
    frame.skip(inside);
    // endbr64
    frame
        .mark(f3)
        .register(RIP, 0)
        .load(4)
        .constant(0xfa1e_0ff3);
    frame.op(EQ).branch(outside).skip(inside);
    // mov rbp, rsp; mov rdi, [rdi] before it.
    frame.mark(w48).register(RIP, 1).load(2).constant(0xe589);
    frame.op(EQ).branch(pushed);
    frame.register(RIP, 1).load(2).constant(0x3f8b);
    frame.op(EQ).branch(outside).skip(inside);
    // mov r11, context; mov r10, target.
    frame.mark(w49).register(RIP, 1).load(1).constant(0xbb);
    frame.op(EQ).branch(outside);
    frame.register(RIP, 1).load(1).constant(0xba);
    frame.op(EQ).branch(outside).skip(inside);
    // jmp r10
    frame.mark(w41).register(RIP, 1).load(2).constant(0xe2ff);
    frame.op(EQ).branch(outside).skip(inside);
    frame.mark(pushed).register(RSP, 16).skip(end);
    frame.mark(outside).register(RSP, 8).skip(end);
    frame.mark(inside).register(RBP, 16);
    frame.mark(end);
    // Outside rbp is the caller's; otherwise it is saved 16 bytes below the frame's begin, which is on the
    // expression's stack.
    let mut saved = Expression::default();
    saved.op(DUP).register(RSP, 8).op(EQ).branch(outside);
    saved.constant(16).op(MINUS).load(8).skip(end);
    saved.mark(outside).op(DROP).register(RBP, 0);
    saved.mark(end);
    let mut rules = vec![DW_CFA_DEF_CFA_EXPRESSION];
    rules.append(&mut frame.block());
    rules.extend([DW_CFA_VAL_EXPRESSION, RBP]);
    rules.append(&mut saved.block());
    rules
}

pub(crate) use {context_call, counted_call, enter_at, record_call, thunk_table};
