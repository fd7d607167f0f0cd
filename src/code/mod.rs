//! Executable memory, and what else of the running machine a stub meets: the instructions that
//! enter it, the thread-local cell of `errno`, the CPU's features.

mod call_path;
mod errno;
mod heap;
mod memory;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub use crate::stub::x86_64::entry_length;
pub use call_path::CallPath;
pub use errno::{captured_errno, errno_capture, keep_errno};
pub use heap::{
    ALIGN, CodeBlock, CodeStatistics, FILL, add, lock_for_fork, renew, renew_after_fork,
    statistics, unlock_after_fork,
};
#[cfg(target_arch = "x86_64")]
pub use x86_64::{
    ENTRY, can_call, convention, emit, emit_entry, emit_jump, enter, has_wide_vectors,
    libffi_convention, target,
};
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::{context_call, enter_at};
