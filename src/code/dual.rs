//! Memory of a file without a name that is mapped twice: at one place it is written, at the other it
//! runs. It is for systems that refuse pages that were writable before, and only used if asked for: it
//! gets round what an administrator may have wanted to forbid.
//!
//! A child of fork shares the file with its parent, and each would change the other's code. So there is
//! a copy made before each fork, which takes the place of the file in the child.

use super::memory::{failed, failed_with};
use super::{instruction_cache, machine};
use crate::error::Result;
use std::ffi::c_int;
use std::ptr;

/// A file in memory, mapped twice.
pub(super) struct Arena {
    /// Where it runs.
    address: usize,
    /// Where it is written.
    writable: usize,
    length: usize,
    /// Bytes from the start that have ever been in use.
    used: usize,
    /// The copy for the child while the process forks.
    copy: Option<File>,
}

impl Arena {
    pub(super) fn new(length: usize) -> Result<Arena> {
        let file = File::new(length)?;
        let address = file.map(length, libc::PROT_READ | libc::PROT_EXEC, None)?;
        let writable = file.map(length, libc::PROT_READ | libc::PROT_WRITE, None);
        let writable = writable.inspect_err(|_| unmap(address, length))?;
        Ok(Arena {
            address,
            writable,
            length,
            used: 0,
            copy: None,
        })
    }

    pub(super) fn address(&self) -> usize {
        self.address
    }

    /// Makes sure that so many more bytes have memory. To write to a file for which there is none ends
    /// the process.
    pub(super) fn use_more(&mut self, length: usize) -> Result<()> {
        const POPULATE_WRITE: c_int = 23;
        let start = (self.writable + self.used) as *mut libc::c_void;
        // SAFETY: the range is in this arena's mapping.
        let populated = unsafe { libc::madvise(start, length, POPULATE_WRITE) };
        // Linux knows it since 5.14.
        if populated != 0 && std::io::Error::last_os_error().raw_os_error() != Some(libc::EINVAL) {
            let mut error = failed("madvise", "memory for new code");
            error.status = crate::error::Status::Memory;
            return Err(error);
        }
        self.used += length;
        Ok(())
    }

    /// Puts code where nobody can be running any.
    ///
    /// # Safety
    ///
    /// The range is in this arena, in use, and holds no code that is still called.
    pub(super) unsafe fn write(&self, address: usize, code: &[u8]) {
        let to = address - self.address + self.writable;
        // SAFETY: the caller's promise; both mappings stay.
        unsafe {
            ptr::copy_nonoverlapping(code.as_ptr(), to as *mut u8, code.len());
            for start in [to, address] {
                let bytes = std::slice::from_raw_parts(start as *const u8, code.len());
                instruction_cache::synchronize(bytes);
            }
        }
        instruction_cache::forget_fetched_everywhere();
        machine::discard_translations(address, code.len());
    }

    /// Before a fork: makes the child's copy.
    pub(super) fn make_copy(&mut self) {
        // SAFETY: the mapping is readable and as long.
        let bytes = unsafe { std::slice::from_raw_parts(self.address as *const u8, self.used) };
        let file = File::new(self.length);
        self.copy = file.and_then(|file| file.write(bytes).map(|()| file)).ok();
    }

    /// In the parent. False: there was no memory for a copy, and the child has the same file; nobody
    /// must change it any more.
    pub(super) fn drop_copy(&mut self) -> bool {
        self.copy.take().is_some()
    }

    /// In the child. False: the memory is still the parent's, and must not be changed.
    pub(super) fn adopt_copy(&mut self) -> bool {
        let Some(file) = self.copy.take() else {
            return false;
        };
        let replace = |address, protection| file.map(self.length, protection, Some(address));
        replace(self.address, libc::PROT_READ | libc::PROT_EXEC).is_ok()
            && replace(self.writable, libc::PROT_READ | libc::PROT_WRITE).is_ok()
    }
}

/// Puts code that never changes in the place of what is at an address, in a file of its own: nothing is left by
/// which it could be written, so that a child of fork may share it.
///
/// # Safety
///
/// The range is reserved, in whole pages, and nobody runs anything there.
pub(super) unsafe fn put_over(address: usize, code: &[u8]) -> Result<()> {
    let file = File::new(code.len())?;
    file.write(code)?;
    file.map(code.len(), libc::PROT_READ | libc::PROT_EXEC, Some(address))?;
    // SAFETY: it was just mapped.
    let mapped = unsafe { std::slice::from_raw_parts(address as *const u8, code.len()) };
    instruction_cache::synchronize(mapped);
    instruction_cache::forget_fetched_everywhere();
    machine::discard_translations(address, code.len());
    Ok(())
}

/// Sees whether the system has such memory. What is in it never runs.
pub(super) fn try_to_map(length: usize) -> Result<()> {
    let arena = Arena::new(length)?;
    unmap(arena.address, length);
    unmap(arena.writable, length);
    Ok(())
}

fn unmap(address: usize, length: usize) {
    // SAFETY: the mapping is the caller's own, and nobody else knows it.
    unsafe { libc::munmap(address as *mut libc::c_void, length) };
}

/// How large the process may make files (RLIMIT_FSIZE).
fn largest_file() -> u64 {
    let mut limit = libc::rlimit {
        rlim_cur: libc::RLIM_INFINITY,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: writes a limit. Without an answer there is none.
    unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) };
    limit.rlim_cur
}

/// A file without a name, closed when this is dropped; mappings of it stay.
struct File(c_int);

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: the descriptor is this file's own.
        unsafe { libc::close(self.0) };
    }
}

impl File {
    fn new(length: usize) -> Result<File> {
        const EXECUTABLE: libc::c_uint = 0x10;
        let create = |flags| {
            // SAFETY: the name ends in NUL.
            unsafe { libc::memfd_create(c"farcall".as_ptr(), libc::MFD_CLOEXEC | flags) }
        };
        let mut descriptor = create(EXECUTABLE);
        // Linux before 6.3 does not know the flag, and needs none.
        if descriptor < 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::EINVAL) {
            descriptor = create(0);
        }
        if descriptor < 0 {
            return Err(failed("memfd_create", "memory that is mapped twice"));
        }
        let file = File(descriptor);
        if length as u64 > largest_file() {
            // The system would not only refuse it but send SIGXFSZ, which ends the process.
            let error = std::io::Error::from_raw_os_error(libc::EFBIG);
            return Err(failed_with(
                error,
                "ftruncate",
                "memory that is mapped twice",
            ));
        }
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        // SAFETY: the descriptor is open.
        match unsafe { libc::ftruncate(file.0, length) } {
            0 => Ok(file),
            _ => Err(failed("ftruncate", "memory that is mapped twice")),
        }
    }

    /// Maps it at a place of the system's choice, or over what is at an address.
    fn map(&self, length: usize, protection: c_int, over: Option<usize>) -> Result<usize> {
        let at = over.unwrap_or(0) as *mut libc::c_void;
        let flags = match over {
            Some(_) => libc::MAP_SHARED | libc::MAP_FIXED,
            None => libc::MAP_SHARED,
        };
        // SAFETY: what it is mapped over is the caller's own, and as long.
        let address = unsafe { libc::mmap(at, length, protection, flags, self.0, 0) };
        match address == libc::MAP_FAILED {
            true => Err(failed("mmap", "memory that is mapped twice")),
            false => Ok(address as usize),
        }
    }

    fn write(&self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            // SAFETY: the bytes are there.
            let written = unsafe { libc::write(self.0, bytes.as_ptr().cast(), bytes.len()) };
            match usize::try_from(written) {
                Ok(count) => bytes = &bytes[count..],
                Err(_) => return Err(failed("write", "memory that is mapped twice")),
            }
        }
        Ok(())
    }
}
