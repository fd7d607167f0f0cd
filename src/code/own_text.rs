//! The library's own text once more, at another address: code for those who may make none.
//!
//! To map it takes the library's file, which may be out of reach later: behind a chroot, replaced by a newer one,
//! or for want of a descriptor. So it is mapped once when thunks of it are first handed out, and that
//! mapping is what is copied later, for which no file is needed.

use super::memory::{self, failed};
use crate::error::{Error, Result, Status};
use std::ffi::{OsStr, c_int};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A part of the library's text that begins at a page.
pub(super) struct Text {
    pub(super) address: usize,
    pub(super) length: usize,
    /// Where its copy is that others are made from; 0: there is none yet. No lock, which a child of fork could find
    /// taken.
    kept: &'static AtomicUsize,
}

impl Text {
    pub(super) fn new(address: usize, length: usize, kept: &'static AtomicUsize) -> Text {
        Text {
            address,
            length,
            kept,
        }
    }

    /// Maps the copy that others are made from, if the file can be had. If not, it is tried again with the next
    /// one.
    pub(super) fn keep(&self) -> Option<usize> {
        let kept = self.kept.load(Ordering::Acquire);
        if kept != 0 {
            return Some(kept);
        }
        // The system copies a mapping only if it could be shared. Nobody can write to it.
        let made = self.map_file(None, libc::MAP_SHARED).ok()?;
        let before = self
            .kept
            .compare_exchange(0, made, Ordering::AcqRel, Ordering::Acquire);
        match before {
            Ok(_) => Some(made),
            Err(of_another_thread) => {
                self.unmap(made);
                Some(of_another_thread)
            }
        }
    }

    /// Maps it at an address, over what is there.
    ///
    /// # Safety
    ///
    /// The range is the caller's own.
    pub(super) unsafe fn map_over(&self, target: usize) -> Result<()> {
        if let Some(kept) = self.keep()
            // SAFETY: the caller's promise.
            && unsafe { self.copy(kept, target) }
        {
            return Ok(());
        }
        // Emulators and valgrind do not copy mappings.
        self.map_file(Some(target), libc::MAP_PRIVATE).map(|_| ())
    }

    /// # Safety
    ///
    /// As for `map_over`.
    unsafe fn copy(&self, kept: usize, target: usize) -> bool {
        // SAFETY: with a length of 0 the old mapping stays; the target is the caller's own.
        let copied = unsafe {
            libc::mremap(
                kept as *mut libc::c_void,
                0,
                self.mapped_length(),
                libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED,
                target as *mut libc::c_void,
            )
        };
        copied != libc::MAP_FAILED && self.is_at(target)
    }

    fn mapped_length(&self) -> usize {
        self.length.next_multiple_of(memory::page_size())
    }

    /// The same bytes are mapped at an address. A file that is no longer the one that was loaded has others, and
    /// what is in it must not run. Numbers of devices and files would not do: some file systems give a
    /// mapping's otherwise than a file's.
    fn is_at(&self, address: usize) -> bool {
        // SAFETY: both are mapped, and as long.
        unsafe {
            let copy = std::slice::from_raw_parts(address as *const u8, self.length);
            copy == std::slice::from_raw_parts(self.address as *const u8, self.length)
        }
    }

    fn unmap(&self, address: usize) {
        // SAFETY: the mapping was made here, and nobody knows it.
        unsafe { libc::munmap(address as *mut libc::c_void, self.mapped_length()) };
    }

    /// Maps it from the library's file.
    fn map_file(&self, over: Option<usize>, flags: c_int) -> Result<usize> {
        let maps = std::fs::read("/proc/self/maps")
            .map_err(|error| refused("/proc/self/maps".to_owned(), error))?;
        let (path, offset) = find(&maps, self.address).ok_or_else(|| {
            Error::new(
                Status::System,
                "the library has no file in /proc/self/maps".to_owned(),
            )
        })?;
        let mut why = None;
        for path in spellings(path) {
            match self.map_path(&path, offset, over, flags) {
                Ok(address) => return Ok(address),
                // What is said of one that is there is the most to the point.
                Err(error) if error.os != libc::ENOENT => why = Some(error),
                Err(error) => why = why.or(Some(error)),
            }
        }
        Err(why.unwrap_or_else(|| Error::new(Status::System, "the library's file has no name")))
    }

    fn map_path(
        &self,
        path: &[u8],
        offset: usize,
        over: Option<usize>,
        flags: c_int,
    ) -> Result<usize> {
        let name = String::from_utf8_lossy(path);
        let file = File::open(OsStr::from_bytes(path))
            .map_err(|error| refused(name.clone().into_owned(), error))?;
        let replaced = || {
            Error::new(
                Status::System,
                format!("{name} is no longer the file that was loaded"),
            )
        };
        let length = file
            .metadata()
            .map_err(|error| refused(name.clone().into_owned(), error))?
            .len();
        // To look at what is mapped behind the end of a file would be a fault.
        if length < (offset + self.length) as u64 {
            return Err(replaced());
        }
        let fixed = match over {
            Some(_) => libc::MAP_FIXED,
            None => 0,
        };
        // SAFETY: what it is mapped over is the caller's own.
        let mapped = unsafe {
            libc::mmap(
                over.map_or(ptr::null_mut(), |address| address as *mut libc::c_void),
                self.mapped_length(),
                libc::PROT_READ | libc::PROT_EXEC,
                flags | fixed,
                file.as_raw_fd(),
                offset as libc::off_t,
            )
        };
        if mapped == libc::MAP_FAILED {
            return Err(failed("mmap", "the library's file once more"));
        }
        // Nobody has the address yet.
        match self.is_at(mapped as usize) {
            true => Ok(mapped as usize),
            false => {
                if over.is_none() {
                    self.unmap(mapped as usize);
                }
                Err(replaced())
            }
        }
    }
}

fn refused(what: String, error: io::Error) -> Error {
    Error {
        status: Status::System,
        os: error.raw_os_error().unwrap_or(0),
        message: format!("{what}: {error}"),
    }
}

/// The file from which an address was mapped, as the system writes it, and where in it that is.
fn find(maps: &[u8], address: usize) -> Option<(&[u8], usize)> {
    maps.split(|&byte| byte == b'\n').find_map(|line| {
        // "start-end rwxp offset device inode   path"
        let mut words = line.splitn(6, |&byte| byte == b' ');
        let number = |text: &[u8]| usize::from_str_radix(std::str::from_utf8(text).ok()?, 16).ok();
        let mut range = words.next()?.split(|&byte| byte == b'-');
        let range: Range<usize> = number(range.next()?)?..number(range.next()?)?;
        let offset = number(words.nth(1)?)?;
        let path = words.nth(2)?.trim_ascii_start();
        (range.contains(&address) && !path.is_empty())
            .then(|| (path, offset + (address - range.start)))
    })
}

/// What may be meant by a path of /proc/self/maps: a line's end in it is written as `\012`, and what was
/// deleted or replaced is marked so. All of that may be in a file's name too.
fn spellings(path: &[u8]) -> Vec<Vec<u8>> {
    let mut all = vec![path.to_vec()];
    if let Some(path) = path.strip_suffix(b" (deleted)") {
        all.push(path.to_vec());
    }
    for index in 0..all.len() {
        let decoded = decoded(&all[index]);
        if decoded != all[index] {
            all.push(decoded);
        }
    }
    all
}

fn decoded(mut path: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(path.len());
    while let Some((&first, rest)) = path.split_first() {
        let line_end = path.strip_prefix(b"\\012");
        decoded.push(line_end.map_or(first, |_| b'\n'));
        path = line_end.unwrap_or(rest);
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_is_found_with_its_file() {
        let maps = b"1000-3000 r--p 00000000 08:01 7    /lib/a b.so\n\
                     3000-5000 r-xp 00002000 08:01 7    /lib/a b.so\n\
                     5000-6000 rw-p 00000000 00:00 0 \n";
        assert_eq!(
            find(maps, 0x3040),
            Some((b"/lib/a b.so".as_slice(), 0x2040))
        );
        assert_eq!(find(maps, 0x5000), None);
        assert_eq!(find(maps, 0x6000), None);
    }

    #[test]
    fn paths_are_tried_as_they_may_be_meant() {
        let strings = |path: &str| -> Vec<String> {
            let all = spellings(path.as_bytes()).into_iter();
            all.map(|one| String::from_utf8(one).unwrap()).collect()
        };
        assert_eq!(strings("/lib/x.so"), ["/lib/x.so"]);
        assert_eq!(
            strings("/a\\012b/x.so (deleted)"),
            [
                "/a\\012b/x.so (deleted)",
                "/a\\012b/x.so",
                "/a\nb/x.so (deleted)",
                "/a\nb/x.so"
            ]
        );
    }
}
