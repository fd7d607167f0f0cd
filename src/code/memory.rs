//! Pages from the system. A page is written while nobody can run it and then sealed; it is never
//! writable and executable at once.

use super::{FILL, instruction_cache, machine};
use crate::error::{Error, Result, Status};
use std::ptr;

/// What errors of this module begin with.
pub(super) const SUBJECT: &str = "executable memory: ";

/// A failed system call as an error.
pub(super) fn failed(call: &str, what: &str) -> Error {
    failed_with(std::io::Error::last_os_error(), call, what)
}

/// The same, of which the system's error is known.
pub(super) fn failed_with(error: std::io::Error, call: &str, what: &str) -> Error {
    let os = error.raw_os_error().unwrap_or(0);
    let status = if os == libc::ENOMEM {
        Status::Memory
    } else {
        Status::System
    };
    Error {
        status,
        message: format!("{SUBJECT}{call} ({what}): {error}"),
        os,
    }
}

/// Bytes of a page.
pub(super) fn page_size() -> usize {
    // SAFETY: sysconf has no preconditions.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).unwrap_or(4096)
}

/// Seals a page as new code is, to see whether the system lets it. What is on it never runs.
pub(super) fn try_to_seal() -> Result<()> {
    let mut draft = Draft::map(page_size())?;
    draft.bytes()[0] = FILL;
    draft.seal()
}

/// Address space without memory, in which sealed pages get their places.
pub(super) fn reserve(length: usize) -> Result<usize> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping at an address of the system's choice touches no other memory.
    let address = unsafe { libc::mmap(ptr::null_mut(), length, libc::PROT_NONE, flags, -1, 0) };
    if address == libc::MAP_FAILED {
        return Err(failed("mmap", "reserving address space"));
    }
    Ok(address as usize)
}

/// Gives reserved address space memory that can be written.
pub(super) fn make_writable(address: usize, length: usize) -> Result<()> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: the caller's range came from `reserve` and has no other use.
    if unsafe { libc::mprotect(address as *mut libc::c_void, length, protection) } != 0 {
        return Err(failed("mprotect", "memory beside new code"));
    }
    Ok(())
}

/// Single pages that are mapped already, sixteen at a time. Between them lie pages without access,
/// so that each is a mapping of its own: the kernel is faster when it need not split one.
pub(super) struct SparePages {
    /// The pages that are left, and what lies between them.
    start: usize,
    taken: usize,
    left: usize,
}

impl SparePages {
    pub(super) const NONE: SparePages = SparePages {
        start: 0,
        taken: 0,
        left: 0,
    };

    const COUNT: usize = 16;

    fn take(&mut self, page: usize) -> Result<Draft> {
        if self.left == 0 {
            self.refill(page)?;
        }
        let address = (self.start + 2 * self.taken * page) as *mut u8;
        self.taken += 1;
        self.left -= 1;
        Ok(Draft {
            address,
            length: page,
        })
    }

    fn refill(&mut self, page: usize) -> Result<()> {
        if self.start != 0 {
            // Only what lies between the pages: they themselves were moved away, and others may
            // have been given their places.
            for index in 0..SparePages::COUNT {
                let between = self.start + (2 * index + 1) * page;
                // SAFETY: the page is in the range that was reserved, and nobody has access to it.
                unsafe { libc::munmap(between as *mut libc::c_void, page) };
            }
            self.start = 0;
        }
        let length = 2 * SparePages::COUNT * page;
        let start = reserve(length)?;
        for index in 0..SparePages::COUNT {
            let address = (start + 2 * index * page) as *mut u8;
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            // SAFETY: the page is in the range that was just reserved.
            if unsafe { libc::mprotect(address.cast(), page, protection) } != 0 {
                let error = failed("mprotect", "pages for new code");
                // SAFETY: the range was just reserved, and nobody knows it.
                unsafe { libc::munmap(start as *mut libc::c_void, length) };
                return Err(error);
            }
            // The page gets its memory now, with the others.
            // SAFETY: it is writable.
            unsafe { address.write_volatile(0) };
        }
        (self.start, self.taken, self.left) = (start, 0, SparePages::COUNT);
        Ok(())
    }
}

/// Pages that are being written.
pub(super) struct Draft {
    address: *mut u8,
    length: usize,
}

impl Draft {
    pub(super) fn new(length: usize, page: usize, spare: &mut SparePages) -> Result<Draft> {
        match length == page {
            true => spare.take(page),
            false => Draft::map(length),
        }
    }

    pub(super) fn map(length: usize) -> Result<Draft> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping at an address of the system's choice touches no other memory.
        let address = unsafe { libc::mmap(ptr::null_mut(), length, protection, flags, -1, 0) };
        if address == libc::MAP_FAILED {
            return Err(failed("mmap", "a page for new code"));
        }
        Ok(Draft {
            address: address.cast(),
            length,
        })
    }

    pub(super) fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the mapping is writable, `length` long, and only this draft knows it.
        unsafe { std::slice::from_raw_parts_mut(self.address, self.length) }
    }

    /// Makes the pages executable; they must not be written any more.
    fn seal(&self) -> Result<()> {
        let protection = libc::PROT_READ | libc::PROT_EXEC;
        // SAFETY: the pages are this draft's own.
        match unsafe { libc::mprotect(self.address.cast(), self.length, protection) } {
            0 => Ok(()),
            _ => Err(failed("mprotect", "making new code executable")),
        }
    }

    /// Makes the pages executable and moves them to `target`, over what is there, in one step:
    /// code that runs there meanwhile sees either the old page or the new one.
    ///
    /// # Safety
    ///
    /// `target` is page-aligned, in address space that `reserve` gave, and whatever runs or will
    /// run there finds its own bytes unchanged in this draft.
    pub(super) unsafe fn seal_over(mut self, target: usize) -> Result<()> {
        instruction_cache::synchronize(self.bytes());
        self.seal()?;
        // SAFETY: the source is this draft's own; the caller answers for the target.
        let moved = unsafe {
            libc::mremap(
                self.address.cast(),
                self.length,
                self.length,
                libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED,
                target as *mut libc::c_void,
            )
        };
        if moved == libc::MAP_FAILED {
            return Err(failed("mremap", "putting new code in its place"));
        }
        // SAFETY: the pages can be read at their new place.
        let code = unsafe { std::slice::from_raw_parts(moved.cast(), self.length) };
        instruction_cache::synchronize(code);
        instruction_cache::forget_fetched();
        machine::discard_translations(target, self.length);
        // The mapping is at its new place; there is nothing left to unmap at the old one.
        std::mem::forget(self);
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // SAFETY: the mapping is this draft's own and nobody else knows it.
        unsafe { libc::munmap(self.address.cast(), self.length) };
    }
}
