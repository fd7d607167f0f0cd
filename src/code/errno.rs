//! `errno` right after a call. A stub copies it with two instructions, for which it must know where
//! `errno` and the cell that keeps it are from the thread pointer. With glibc both offsets are the
//! same in every thread; elsewhere the fallback keeps it.

use crate::stub::ErrnoCapture;

#[cfg(all(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    target_env = "gnu"
))]
mod place {
    use super::ErrnoCapture;
    use std::arch::{asm, global_asm};

    // In the initial-exec model, which Rust cannot ask for: its offset from the thread pointer is
    // one number for the whole process. glibc keeps room for small variables of libraries that are
    // loaded late.
    global_asm!(
        ".pushsection .tbss.farcall_captured_errno,\"awT\",@nobits",
        ".globl farcall_captured_errno",
        ".hidden farcall_captured_errno",
        ".type farcall_captured_errno,@object",
        ".size farcall_captured_errno, 4",
        ".balign 4",
        "farcall_captured_errno: .zero 4",
        ".popsection",
    );

    fn cell_offset() -> i64 {
        let offset: i64;
        // SAFETY: reads the cell's offset from the global offset table.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            asm!(
                "movq farcall_captured_errno@GOTTPOFF(%rip), {}",
                out(reg) offset,
                options(att_syntax, nostack, preserves_flags, readonly),
            );
            #[cfg(target_arch = "aarch64")]
            asm!(
                "adrp {0}, :gottprel:farcall_captured_errno",
                "ldr {0}, [{0}, :gottprel_lo12:farcall_captured_errno]",
                out(reg) offset,
                options(nostack, preserves_flags, readonly),
            );
        }
        offset
    }

    fn thread_pointer() -> i64 {
        let pointer: i64;
        // SAFETY: the thread control block begins with its own address (x86-64 TLS ABI), or its
        // address is in a register.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            asm!("mov {}, qword ptr fs:[0]", out(reg) pointer, options(nostack, preserves_flags));
            #[cfg(target_arch = "aarch64")]
            asm!("mrs {}, tpidr_el0", out(reg) pointer, options(nostack, preserves_flags));
        }
        pointer
    }

    fn cell() -> *mut i32 {
        (thread_pointer() + cell_offset()) as *mut i32
    }

    pub(super) fn offsets() -> Result<ErrnoCapture, &'static str> {
        // SAFETY: the function has no preconditions.
        let errno = unsafe { libc::__errno_location() } as i64;
        let from = i32::try_from(errno - thread_pointer());
        match (from, i32::try_from(cell_offset())) {
            (Ok(from), Ok(to)) => Ok(ErrnoCapture { from, to }),
            _ => Err("errno is too far from the thread pointer"),
        }
    }

    pub(super) fn load() -> i32 {
        // SAFETY: the cell is this thread's own.
        unsafe { *cell() }
    }

    pub(super) fn store(value: i32) {
        // SAFETY: the cell is this thread's own.
        unsafe { *cell() = value };
    }
}

#[cfg(not(all(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    target_env = "gnu"
)))]
mod place {
    use super::ErrnoCapture;
    use std::cell::Cell;

    thread_local! {
        static CAPTURED: Cell<i32> = const { Cell::new(0) };
    }

    pub(super) fn offsets() -> Result<ErrnoCapture, &'static str> {
        Err("this C library has no fixed place for a thread's errno")
    }

    pub(super) fn load() -> i32 {
        CAPTURED.get()
    }

    pub(super) fn store(value: i32) {
        CAPTURED.set(value);
    }
}

/// The offsets for a stub, or why there are none.
pub fn errno_capture() -> Result<ErrnoCapture, &'static str> {
    place::offsets()
}

/// `errno` after this thread's last call of a function that keeps it.
pub fn captured_errno() -> i32 {
    place::load()
}

/// Keeps the present `errno`.
pub fn keep_errno() {
    // SAFETY: the address is this thread's errno.
    let now = unsafe { *libc::__errno_location() };
    place::store(now);
}
