//! What a signal handler looks at of its thread. It must be reached without a call that may take
//! memory or a lock, which the usual thread-local variables of a shared library do not promise.

use super::handlers::Chained;
use super::recovery::Recovery;
use super::stack::Bounds;
use std::ptr;

/// A thread's state. All zero is its beginning.
#[repr(C)]
pub(super) struct Thread {
    /// Where the innermost protected call goes on; null outside of any.
    pub(super) innermost: *mut Recovery,
    /// What an older handler is called with just now.
    pub(super) chained: Chained,
    /// The thread's own stack.
    pub(super) stack: Bounds,
    /// There is a stack for handlers.
    pub(super) is_prepared: bool,
}

#[cfg(target_env = "gnu")]
mod place {
    use super::Thread;
    use std::arch::{asm, global_asm};

    const SIZE: usize = 64;
    const _: () = assert!(size_of::<Thread>() <= SIZE && align_of::<Thread>() <= 16);

    // In the initial-exec model, which Rust cannot ask for: its place is known without a call.
    global_asm!(
        ".pushsection .tbss.farcall_fault_thread,\"awT\",@nobits",
        ".globl farcall_fault_thread",
        ".hidden farcall_fault_thread",
        ".type farcall_fault_thread,@object",
        ".size farcall_fault_thread, {size}",
        ".balign 16",
        "farcall_fault_thread: .zero {size}",
        ".popsection",
        size = const SIZE,
    );

    pub(super) fn address() -> *mut Thread {
        let address: usize;
        // SAFETY: adds the variable's offset, which the global offset table has, to the thread
        // pointer.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            asm!(
                "movq %fs:0, {0}",
                "addq farcall_fault_thread@GOTTPOFF(%rip), {0}",
                out(reg) address,
                options(att_syntax, nostack, readonly),
            );
            #[cfg(target_arch = "aarch64")]
            asm!(
                "adrp {0}, :gottprel:farcall_fault_thread",
                "ldr {0}, [{0}, :gottprel_lo12:farcall_fault_thread]",
                "mrs {1}, tpidr_el0",
                "add {0}, {0}, {1}",
                out(reg) address,
                out(reg) _,
                options(nostack, preserves_flags, readonly),
            );
        }
        address as *mut Thread
    }
}

#[cfg(not(target_env = "gnu"))]
mod place {
    use super::Thread;
    use std::cell::UnsafeCell;

    // musl has made a thread's variables when the thread begins, and this one has nothing to drop.
    thread_local! {
        static THREAD: UnsafeCell<Thread> = const { UnsafeCell::new(Thread::NEW) };
    }

    pub(super) fn address() -> *mut Thread {
        THREAD.with(UnsafeCell::get)
    }
}

impl Thread {
    #[cfg_attr(
        target_env = "gnu",
        allow(dead_code, reason = "it is zero from the beginning")
    )]
    const NEW: Thread = Thread {
        innermost: ptr::null_mut(),
        chained: Chained::NONE,
        stack: Bounds::UNKNOWN,
        is_prepared: false,
    };
}

/// The state of this thread. Only this thread uses it.
pub(super) fn current() -> *mut Thread {
    place::address()
}
