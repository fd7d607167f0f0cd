//! What is particular to running on aarch64: which emitter, convention and target are the machine's
//! own, and the instructions that enter code with the context register set.

use crate::stub::aarch64;
use crate::types::{Convention, Target, target as targets};
use libffi::raw::{ffi_abi, ffi_abi_FFI_SYSV};

pub use aarch64::{ENTRY, emit, emit_entry, emit_jump, entry_length};

/// The body of a naked function `(header, result, array)`: reads code and context at these offsets
/// of the header and jumps to the code with `(result, array)` and the context in x17.
macro_rules! enter_at {
    ($code:expr, $context:expr) => {
        ::std::arch::naked_asm!(
            // bti c, which the assembler knows by its number only.
            "hint #34",
            "ldr x16, [x0, #{code}]",
            "ldr x17, [x0, #{context}]",
            "mov x0, x1",
            "mov x1, x2",
            "br x16",
            // The next function of the section begins in a cache line of its own, as this one does.
            ".p2align 6",
            code = const $code,
            context = const $context,
        )
    };
}

/// What a jump to unused bytes meets: `udf #0`.
pub const FILL: u8 = 0;

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
        ::std::arch::naked_asm!("hint #34", "mov x2, x17", "b {}", sym $function)
    };
}

pub(crate) use {context_call, enter_at};
