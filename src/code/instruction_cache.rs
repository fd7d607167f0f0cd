//! What processors remember of code. x86-64 sees by itself that code has changed; aarch64 has to be
//! told, in each of three places: new bytes may still be in the data cache, the instruction cache may
//! hold older ones of the same memory, and other cores may have fetched instructions already.

use dynasmrt::cache_control;
use std::sync::atomic::{AtomicBool, Ordering};

/// Makes new code visible to whoever fetches instructions from its address.
pub(super) fn synchronize(code: &[u8]) {
    cache_control::synchronize_icache(code);
}

/// No thread of the process goes on with instructions that it fetched before this, where pages with
/// other code were moved over pages. x86-64 forgets them with the mapping.
pub(super) fn forget_fetched() {
    if cfg!(target_arch = "aarch64") {
        forget_fetched_everywhere();
    }
}

/// The same where code was changed at its place, by way of another address: no processor sees that.
pub(super) fn forget_fetched_everywhere() {
    fn membarrier(command: libc::c_int) {
        // Systems without it have had cores that forget when they change a mapping.
        // SAFETY: the call changes no memory.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) };
    }

    static REGISTERED: AtomicBool = AtomicBool::new(false);
    if !REGISTERED.swap(true, Ordering::Relaxed) {
        membarrier(libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE);
    }
    membarrier(libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE);
    cache_control::prepare_for_execution(&[]);
}
