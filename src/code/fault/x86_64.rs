//! The frame of a protected call on x86-64, and a signal's context.
//!
//! ```text
//!   rbp + 8   return address
//!   rbp       the caller's rbp
//!   rbp - 40  rbx, r12, r13, r14, r15
//!   rsp + 14  the x87 status word
//!   rsp + 12  the x87 control word
//!   rsp + 8   MXCSR
//!   rsp       where the recovery point is; rsp is a multiple of 16
//! ```

use super::recovery::{RECOVERY_RESUME, RECOVERY_STACK, Recovery, personality};
use super::{Access, stack::Bounds};
use crate::code::{CallPath, enter_naked};
use libc::{REG_EFL, REG_ERR, REG_RBP, REG_RIP, REG_RSP, REG_TRAPNO, c_int, ucontext_t};
use std::arch::global_asm;
use std::ffi::c_void;

/// Bytes from the stack pointer to rbp.
const FRAME: usize = 64;
/// Where the recovery point's address is, from the stack pointer.
pub(super) const RECOVERY_AT: usize = 0;

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
    "endbr64",
    "push rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset rbp, -16",
    "mov rbp, rsp",
    ".cfi_def_cfa_register rbp",
    "push rbx",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    ".cfi_offset rbx, -24",
    ".cfi_offset r12, -32",
    ".cfi_offset r13, -40",
    ".cfi_offset r14, -48",
    ".cfi_offset r15, -56",
    "sub rsp, {frame} - 40",
    "mov qword ptr [rsp], rcx",
    "stmxcsr dword ptr [rsp + 8]",
    "fnstcw word ptr [rsp + 12]",
    "fnstsw word ptr [rsp + 14]",
    "lea rax, [rip + 2f]",
    "mov qword ptr [rcx + {resume}], rax",
    "mov qword ptr [rcx + {stack}], rsp",
    "call {enter}",
    "xor eax, eax",
    "3:",
    "lea rsp, [rbp - 40]",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    ".cfi_remember_state",
    ".cfi_def_cfa rsp, 8",
    "ret",
    ".cfi_restore_state",
    // The handler's return comes here, with rsp and rbp as they were at the call.
    "2:",
    "ldmxcsr dword ptr [rsp + 8]",
    // Empties the x87 stack. What the status word had of exceptions goes back into it by way of the
    // environment, as it cannot be written alone.
    "fninit",
    "movzx eax, word ptr [rsp + 14]",
    "and eax, 0x7f",
    "jz 4f",
    "sub rsp, 32",
    "fnstenv [rsp]",
    "or dword ptr [rsp + 4], eax",
    "fldenv [rsp]",
    "add rsp, 32",
    "4:",
    "fldcw word ptr [rsp + 12]",
    "mov eax, 1",
    "jmp 3b",
    ".cfi_endproc",
    ".size farcall_protected_call, . - farcall_protected_call",
    ".popsection",
    personality = sym personality,
    enter = sym enter_naked,
    frame = const FRAME,
    resume = const RECOVERY_RESUME,
    stack = const RECOVERY_STACK,
);

const PAGE_FAULT: i64 = 14;
const IS_WRITE: i64 = 1 << 1;
const IS_FETCH: i64 = 1 << 4;

fn register(context: &ucontext_t, register: c_int) -> usize {
    context.uc_mcontext.gregs[register as usize] as usize
}

pub(super) fn stack_pointer(context: &ucontext_t) -> usize {
    register(context, REG_RSP)
}

pub(super) fn instruction(context: &ucontext_t) -> usize {
    register(context, REG_RIP)
}

/// What was done with the address.
pub(super) fn access(context: &ucontext_t) -> Access {
    let registers = &context.uc_mcontext.gregs;
    let error = registers[REG_ERR as usize];
    match registers[REG_TRAPNO as usize] {
        PAGE_FAULT if error & IS_FETCH != 0 => Access::Execute,
        PAGE_FAULT if error & IS_WRITE != 0 => Access::Write,
        PAGE_FAULT => Access::Read,
        _ => Access::Unknown,
    }
}

/// Where a call that has just been made returns to.
pub(super) fn return_address(context: &ucontext_t, stack: &Bounds) -> Option<usize> {
    let top = stack_pointer(context);
    // SAFETY: it lies on the thread's own stack, above its stack pointer.
    (stack.has(top) && top.is_multiple_of(8)).then(|| unsafe { *(top as *const usize) })
}

/// Makes the context go on at the recovery point.
pub(super) fn resume(context: &mut ucontext_t, recovery: &Recovery) {
    // Of the flags: trap, direction, nested task, resume, alignment check.
    const CLEARED: i64 = 1 << 8 | 1 << 10 | 1 << 14 | 1 << 16 | 1 << 18;
    let registers = &mut context.uc_mcontext.gregs;
    registers[REG_RIP as usize] = recovery.resume as i64;
    registers[REG_RSP as usize] = recovery.stack as i64;
    registers[REG_RBP as usize] = (recovery.stack + FRAME) as i64;
    registers[REG_EFL as usize] &= !CLEARED;
}
