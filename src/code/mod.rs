//! Executable memory, and what else of the running machine a stub meets: the instructions that
//! enter it, the thread-local cell of `errno`, the CPU's features, the signals of its faults.

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod call_path;
mod debug;
mod dual;
mod environment;
mod errno;
mod expression;
mod fault;
mod heap;
mod instruction_cache;
pub mod lock;
mod memory;
mod mode;
mod own_text;
mod thread_end;
mod threaded;
pub mod thunks;
mod unwind;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
use aarch64 as machine;
#[cfg(target_arch = "x86_64")]
use x86_64 as machine;

use call_path::enter_naked;
pub use call_path::{CallPath, enter};
pub use errno::{captured_errno, errno_capture, keep_errno};
pub use fault::{
    Access, Fault, install as install_fault_handlers, prepare_thread, protected_enter,
};
pub use heap::{
    ALIGN, CodeBlock, CodeStatistics, add, announce_to_new_unwinders, find_unwinders, is_frameless,
    lock_for_fork, name, renew, renew_after_fork, statistics, unlock_after_fork,
};
pub use machine::{
    COUNTED_RECORD, ENTRY, FILL, can_call, convention, emit, emit_entry, emit_jump, emit_thunk,
    emit_upcall, entry_length, has_wide_vectors, libffi_convention, target,
};
pub(crate) use machine::{context_call, counted_call, enter_at, record_call};
pub use mode::{Mode, Refusal, mode, status, why_static};
pub use thread_end::AtThreadEnd;
pub use threaded::{
    RECEIVER_PROGRAM, RECORD_CONTEXT, StaticCall, Threaded, ThreadedReceiver, receivers_text,
    static_text,
};
