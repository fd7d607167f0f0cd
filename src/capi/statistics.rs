//! How code is made, and what executable memory holds.

use super::required;
use super::status::{fc_status, guard, guarded};
use crate::callback;
use crate::code;
use crate::error::{Error, Result};
use libc::size_t;
use std::ffi::c_char;

/// How code is made in this process: "stubs", or "static: " and why no code is made. In the second case
/// calls are made through code that the library brings with it and through libffi, with the same results.
///
/// It is decided when code is first needed, or asked for here. The environment variable FARCALL_CODE is
/// read then:
///  - "none": no code is made, and the system is not asked whether it would let it;
///  - "dual": code is made in memory of a file without a name (memfd_create) that is mapped twice, to
///    write and to run, for systems that refuse nothing but pages that were writable before. Where it
///    cannot be had, no code is made;
///  - not set, or anything else: code is made in private pages if the system lets one be made executable
///    after it was written, which is tried once. SELinux, PR_SET_MDWE and systemd's
///    MemoryDenyWriteExecute= do not.
///
/// Nothing is ever writable and executable at once. A program that runs with more rights than its user
/// (setuid) does not look at the variable.
///
/// Where a system begins to refuse later, what was made before stays in use, and the text changes. It changes
/// for a while where there is no memory for code just now, or, with "dual", no file descriptor or too small
/// a limit of file sizes (RLIMIT_FSIZE): each time that code is wanted the library tries again to make it, and
/// this function tries too.
///
/// Debuggers and profilers are told what code is called if the environment variable FARCALL_DEBUG names them,
/// with commas between; it is read once too:
///  - "gdb": gdb's interface for code of compilers in the process; the more code, the slower;
///  - "perf": names in /tmp/perf-PID.map, where perf report looks for them;
///  - "dump": names and code in jit-PID.dump, in the folder that JITDUMPDIR names or the current one, for
///    perf record -k mono and perf inject --jit.
///
/// Unwinders, and valgrind, are always told of code, without names. Without "gdb" gdb walks through frames of
/// stubs all the same, but may show the name of another function for them, the nearest that it knows
/// before the address.
///
/// @return "stubs" or "static: ...": text that lives for ever. Never NULL.
///
/// Any thread may call this.
#[unsafe(no_mangle)]
pub extern "C" fn fc_code_status() -> *const c_char {
    guarded(|| Ok(code::status().as_ptr())).unwrap_or(c"stubs".as_ptr())
}

/// What executable memory holds. Zero it, then set `size`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct fc_code_stats {
    /// sizeof(fc_code_stats).
    pub size: size_t,
    /// Stubs. Each distinct way for arguments to travel has two, for pointers and for slots. Some
    /// thousands that no function uses any more are kept for the next.
    pub stubs: size_t,
    /// Bytes of stubs.
    pub stub_bytes: size_t,
    /// Entries of single functions, which fc_function_entry and fc_function_slot_entry make.
    pub entries: size_t,
    /// Bytes of entries.
    pub entry_bytes: size_t,
    /// Bytes of executable memory in all.
    pub mapped_bytes: size_t,
    /// Receivers, which stand between callbacks and their handlers. Each distinct way for arguments to
    /// travel has two, for pointers and for slots; they are kept for ever.
    pub receivers: size_t,
    /// Bytes of receivers.
    pub receiver_bytes: size_t,
    /// Callbacks that live, freed ones whose release hook has not run yet among them; and of each thread that
    /// has made or freed some up to 64 that it has at hand.
    pub callbacks: size_t,
}

/// Tells what executable memory holds at the moment.
///
/// @param out what it holds; its `size` is set by the caller, and no more than that is written.
///
/// Any thread may call this.
///
/// @return FC_OK; FC_ERR_ARGUMENT for NULL or a size that is too small to hold itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_code_statistics(out: *mut fc_code_stats) -> fc_status {
    guard(|| {
        // SAFETY: the pointer is as the documentation asks.
        let size = unsafe { *required(out.cast::<usize>(), "fc_code_statistics: out")? };
        if size < size_of::<usize>() {
            return Err(Error::argument(format!(
                "fc_code_statistics: out.size is {size}: set it to the sizeof of the struct"
            )));
        }
        let now = statistics(size);
        // SAFETY: the caller's struct has `size` bytes.
        unsafe {
            let length = size.min(size_of::<fc_code_stats>());
            std::ptr::copy_nonoverlapping((&raw const now).cast::<u8>(), out.cast(), length);
        }
        Result::Ok(())
    })
}

fn statistics(size: usize) -> fc_code_stats {
    let now = callback::statistics();
    let functions = now.functions;
    fc_code_stats {
        size,
        stubs: functions.stubs,
        stub_bytes: functions.stub_bytes,
        entries: functions.entries,
        entry_bytes: functions.entry_bytes,
        mapped_bytes: functions.mapped_bytes,
        receivers: now.receivers,
        receiver_bytes: now.receiver_bytes,
        callbacks: now.callbacks,
    }
}
