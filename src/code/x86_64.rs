//! What is particular to running on x86-64: which emitter, convention and target are the machine's
//! own, and the instructions that enter code with the context register set.

use crate::stub::x86_64;
use crate::types::{Convention, Target, target as targets};
use libffi::raw::{ffi_abi, ffi_abi_FFI_GNUW64, ffi_abi_FFI_UNIX64};

pub use x86_64::{ENTRY, emit, emit_entry, emit_jump, emit_thunk, emit_upcall, entry_length};

/// The body of a naked function `(header, result, array)`: reads code and context at these offsets
/// of the header and jumps to the code with `(result, array)` and the context in r11.
macro_rules! enter_at {
    ($code:expr, $context:expr) => {
        ::std::arch::naked_asm!(
            "endbr64",
            "mov r11, qword ptr [rdi + {context}]",
            "mov rax, rdi",
            "mov rdi, rsi",
            "mov rsi, rdx",
            // A jump through memory, which is a cycle faster here than one through a register that
            // was loaded before.
            "jmp qword ptr [rax + {code}]",
            // The next function of the section begins in a cache line of its own, as this one does.
            ".p2align 6",
            code = const $code,
            context = const $context,
        )
    };
}

/// What a jump to unused bytes meets: `int3`.
pub const FILL: u8 = 0xcc;

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
        ::std::arch::naked_asm!("endbr64", "mov rdx, r11", "jmp {}", sym $function)
    };
}

pub(crate) use {context_call, enter_at};
