//! The frame of a protected call on AArch64, and a signal's context.
//!
//! ```text
//!   x29 + 176  where the recovery point is
//!   x29 + 160  FPCR, FPSR
//!   x29 + 96   d8 to d15
//!   x29 + 16   x19 to x28
//!   x29        the caller's x29, return address; sp is the same
//! ```

use super::recovery::{RECOVERY_RESUME, RECOVERY_STACK, Recovery, personality};
use super::{Access, stack::Bounds};
use crate::code::{CallPath, enter_naked};
use libc::{c_int, mcontext_t, ucontext_t};
use std::arch::global_asm;
use std::ffi::c_void;
use std::mem::offset_of;

/// Where the recovery point's address is, from the stack pointer.
pub(super) const RECOVERY_AT: usize = 176;

unsafe extern "C-unwind" {
    /// Enters a call path as `enter` does. 0 if it came back, 1 if it faulted.
    #[link_name = "farcall_protected_call"]
    pub(super) fn call(
        call: *const CallPath,
        result: *mut c_void,
        array: *const c_void,
        recovery: *mut c_void,
    ) -> c_int;
}

global_asm!(
    ".pushsection .text.farcall_protected_call,\"ax\",@progbits",
    ".globl farcall_protected_call",
    ".hidden farcall_protected_call",
    ".type farcall_protected_call,@function",
    ".p2align 4",
    "farcall_protected_call:",
    ".cfi_startproc",
    // The routine's distance from here, in 4 bytes.
    ".cfi_personality 0x1b, {personality}",
    // bti c
    "hint #34",
    "stp x29, x30, [sp, #-192]!",
    ".cfi_def_cfa_offset 192",
    ".cfi_offset x29, -192",
    ".cfi_offset x30, -184",
    "mov x29, sp",
    ".cfi_def_cfa_register x29",
    "stp x19, x20, [sp, #16]",
    "stp x21, x22, [sp, #32]",
    "stp x23, x24, [sp, #48]",
    "stp x25, x26, [sp, #64]",
    "stp x27, x28, [sp, #80]",
    "stp d8, d9, [sp, #96]",
    "stp d10, d11, [sp, #112]",
    "stp d12, d13, [sp, #128]",
    "stp d14, d15, [sp, #144]",
    ".cfi_offset x19, -176",
    ".cfi_offset x20, -168",
    ".cfi_offset x21, -160",
    ".cfi_offset x22, -152",
    ".cfi_offset x23, -144",
    ".cfi_offset x24, -136",
    ".cfi_offset x25, -128",
    ".cfi_offset x26, -120",
    ".cfi_offset x27, -112",
    ".cfi_offset x28, -104",
    ".cfi_offset d8, -96",
    ".cfi_offset d9, -88",
    ".cfi_offset d10, -80",
    ".cfi_offset d11, -72",
    ".cfi_offset d12, -64",
    ".cfi_offset d13, -56",
    ".cfi_offset d14, -48",
    ".cfi_offset d15, -40",
    "mrs x9, fpcr",
    "mrs x10, fpsr",
    "stp x9, x10, [sp, #160]",
    "str x3, [sp, #{recovery}]",
    "adr x9, 2f",
    "str x9, [x3, #{resume}]",
    "mov x9, sp",
    "str x9, [x3, #{stack}]",
    "bl {enter}",
    "mov w0, #0",
    "3:",
    "ldp x19, x20, [sp, #16]",
    "ldp x21, x22, [sp, #32]",
    "ldp x23, x24, [sp, #48]",
    "ldp x25, x26, [sp, #64]",
    "ldp x27, x28, [sp, #80]",
    "ldp d8, d9, [sp, #96]",
    "ldp d10, d11, [sp, #112]",
    "ldp d12, d13, [sp, #128]",
    "ldp d14, d15, [sp, #144]",
    "ldp x29, x30, [sp], #192",
    ".cfi_remember_state",
    ".cfi_def_cfa sp, 0",
    "ret",
    ".cfi_restore_state",
    // The handler's return comes here, with sp and x29 as they were at the call.
    "2:",
    "ldp x9, x10, [sp, #160]",
    "msr fpcr, x9",
    "msr fpsr, x10",
    "mov w0, #1",
    "b 3b",
    ".cfi_endproc",
    ".size farcall_protected_call, . - farcall_protected_call",
    ".popsection",
    personality = sym personality,
    enter = sym enter_naked,
    recovery = const RECOVERY_AT,
    resume = const RECOVERY_RESUME,
    stack = const RECOVERY_STACK,
);

pub(super) fn stack_pointer(context: &ucontext_t) -> usize {
    context.uc_mcontext.sp as usize
}

pub(super) fn instruction(context: &ucontext_t) -> usize {
    context.uc_mcontext.pc as usize
}

/// What was done with the address. The system tells it in a record of the exception syndrome
/// register, if it has one.
pub(super) fn access(context: &ucontext_t) -> Access {
    const INSTRUCTION_ABORT: u64 = 0x20;
    const DATA_ABORT: u64 = 0x24;
    const IS_WRITE: u64 = 1 << 6;
    let Some(syndrome) = syndrome(context) else {
        return Access::Unknown;
    };
    // Exceptions from the same level, which are odd, do not come here.
    match syndrome >> 26 {
        INSTRUCTION_ABORT => Access::Execute,
        DATA_ABORT if syndrome & IS_WRITE != 0 => Access::Write,
        DATA_ABORT => Access::Read,
        _ => Access::Unknown,
    }
}

fn syndrome(context: &ucontext_t) -> Option<u64> {
    const ESR_MAGIC: u32 = 0x4553_5201;
    const RECORDS: usize = 4096;
    let machine = &raw const context.uc_mcontext;
    let end_of_pstate = offset_of!(mcontext_t, pstate) + size_of::<u64>();
    let records = machine.wrapping_byte_add(end_of_pstate.next_multiple_of(16));
    let mut at = 0;
    while at + 16 <= RECORDS {
        let record = records.wrapping_byte_add(at);
        // SAFETY: the context ends in so many bytes of records, each with its kind and its size.
        let (magic, size) = unsafe {
            let head = record.cast::<[u32; 2]>().read();
            (head[0], head[1] as usize)
        };
        match magic {
            // SAFETY: it is 8 bytes after the beginning of this record.
            ESR_MAGIC => return Some(unsafe { record.wrapping_byte_add(8).cast::<u64>().read() }),
            _ if magic == 0 || size == 0 => return None,
            _ => at += size,
        }
    }
    None
}

/// Where a call that has just been made returns to.
pub(super) fn return_address(context: &ucontext_t, _stack: &Bounds) -> Option<usize> {
    Some(context.uc_mcontext.regs[30] as usize)
}

/// Makes the context go on at the recovery point.
pub(super) fn resume(context: &mut ucontext_t, recovery: &Recovery) {
    // Of the processor's state: the kind of the last branch, which would have to be met by a
    // landing pad, and single stepping.
    const CLEARED: u64 = 0b11 << 10 | 1 << 21;
    let machine = &mut context.uc_mcontext;
    machine.pc = recovery.resume as u64;
    machine.sp = recovery.stack as u64;
    machine.regs[29] = recovery.stack as u64;
    machine.pstate &= !CLEARED;
}
