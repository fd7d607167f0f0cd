//! Reading and writing this process's memory at addresses that may be bad, which is then an error: the
//! system copies, and says where it could not.
//!
//! process_vm_readv and process_vm_writev do it in one system call. Where a filter of system calls
//! forbids them, the bytes go through a pipe, whose reads and writes check addresses as well. Both
//! respect what is read-only, which writing to /proc/self/mem would not.

use crate::error::{Error, Result, Status};
use std::io::Error as SystemError;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

/// Every system's pages are multiples of this, so that what it can read of one it can read whole.
const PAGE: usize = 4096;

/// So much goes through one system call.
const PORTION: usize = 1 << 20;

/// Set when the system has refused the calls that do it directly.
static IS_FORBIDDEN: AtomicBool = AtomicBool::new(false);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Read,
    Write,
}

/// Copies `length` bytes from an address.
///
/// # Safety
///
/// `out` can be written for `length` bytes.
pub unsafe fn read(address: usize, out: *mut u8, length: usize) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { copy(Direction::Read, address, out, length) }
}

/// Copies `length` bytes to an address.
///
/// # Safety
///
/// `bytes` can be read for `length` bytes, and what lies at the address, if it can be written, may be.
pub unsafe fn write(address: usize, bytes: *const u8, length: usize) -> Result<()> {
    // SAFETY: the caller's promise; the bytes are only read.
    unsafe { copy(Direction::Write, address, bytes.cast_mut(), length) }
}

/// How many bytes there are before a NUL; `limit` if there is none among so many.
pub fn string(address: usize, limit: usize) -> Result<usize> {
    let mut page = [0; PAGE];
    let mut pipe = None;
    let mut done = 0;
    while done < limit {
        let Some(at) = address.checked_add(done) else {
            return Err(fault(Direction::Read, address, done));
        };
        // What lies behind the NUL may be on a page that cannot be read.
        let count = (PAGE - at % PAGE).min(limit - done);
        // SAFETY: the buffer has room for a page.
        let count = unsafe { part(Direction::Read, at, page.as_mut_ptr(), count, &mut pipe) };
        let count = match count {
            Ok(count) => count,
            Err(os) => return Err(failure(Direction::Read, address, done, os)),
        };
        if let Some(length) = page[..count].iter().position(|&byte| byte == 0) {
            return Ok(done + length);
        }
        done += count;
    }
    Ok(limit)
}

unsafe fn copy(direction: Direction, address: usize, local: *mut u8, length: usize) -> Result<()> {
    let mut pipe = None;
    let mut done = 0;
    let mut portion = PORTION;
    while done < length {
        let Some(at) = address.checked_add(done) else {
            return Err(fault(direction, address, done));
        };
        let whole = portion
            .min(length - done)
            .min((usize::MAX - at).saturating_add(1));
        let here = local as usize + done;
        // SAFETY: the caller's promise.
        let result = unsafe { part(direction, at, local.wrapping_add(done), whole, &mut pipe) };
        if result.is_err() {
            // It may hold bytes that found no place.
            pipe = None;
        }
        match result {
            Ok(count) => {
                done += count;
                portion = portion.max(PAGE);
            }
            // Page by page from here on: what comes before the bad one is copied.
            Err(libc::EFAULT) if portion > PAGE => portion = PAGE,
            Err(libc::EFAULT) if whole > one_page(at, here) => portion = one_page(at, here),
            Err(libc::EFAULT) if is_to_blame(direction, at, here) => {
                return Err(local_fault(direction, address, here, done));
            }
            Err(os) => return Err(failure(direction, address, done, os)),
        }
    }
    Ok(())
}

/// How many bytes lie on one page at both addresses.
fn one_page(a: usize, b: usize) -> usize {
    PAGE - (a % PAGE).max(b % PAGE)
}

/// How many of the bytes at an address can be read.
pub fn readable(address: usize, length: usize) -> usize {
    let mut done = 0;
    while done < length && address.checked_add(done).is_some_and(can_be_read) {
        done += PAGE - (address + done) % PAGE;
    }
    done.min(length)
}

fn can_be_read(address: usize) -> bool {
    let mut byte = 0;
    // SAFETY: the byte has room for one.
    unsafe { part(Direction::Read, address, &raw mut byte, 1, &mut None) }.is_ok()
}

/// Of a copy that failed: is it the caller's buffer that is bad, and not the address?
fn is_to_blame(direction: Direction, address: usize, local: usize) -> bool {
    match direction {
        Direction::Read => can_be_read(address),
        Direction::Write => !can_be_read(local),
    }
}

/// Copies at least one byte, or says with the system's error number why it cannot.
unsafe fn part(
    direction: Direction,
    address: usize,
    local: *mut u8,
    length: usize,
    pipe: &mut Option<Pipe>,
) -> std::result::Result<usize, i32> {
    if pipe.is_none() && !IS_FORBIDDEN.load(Ordering::Relaxed) {
        // SAFETY: the caller's promise.
        match unsafe { directly(direction, address, local, length) } {
            Err(libc::EPERM | libc::ENOSYS | libc::EACCES) => {
                IS_FORBIDDEN.store(true, Ordering::Relaxed);
            }
            result => return result,
        }
    }
    let pipe = match pipe {
        Some(pipe) => pipe,
        None => pipe.insert(Pipe::new().map_err(|error| error.raw_os_error().unwrap_or(0))?),
    };
    // SAFETY: the caller's promise.
    unsafe { pipe.copy(direction, address, local, length) }
}

unsafe fn directly(
    direction: Direction,
    address: usize,
    local: *mut u8,
    length: usize,
) -> std::result::Result<usize, i32> {
    let here = libc::iovec {
        iov_base: local.cast(),
        iov_len: length,
    };
    let there = libc::iovec {
        iov_base: address as *mut _,
        iov_len: length,
    };
    // SAFETY: the caller answers for the local memory, and the system checks the other.
    let count = unsafe {
        let process = libc::getpid();
        match direction {
            Direction::Read => libc::process_vm_readv(process, &here, 1, &there, 1, 0),
            Direction::Write => libc::process_vm_writev(process, &here, 1, &there, 1, 0),
        }
    };
    copied(count)
}

fn copied(count: isize) -> std::result::Result<usize, i32> {
    match usize::try_from(count) {
        Ok(0) => Err(libc::EFAULT),
        Ok(count) => Ok(count),
        Err(_) => Err(SystemError::last_os_error().raw_os_error().unwrap_or(0)),
    }
}

/// A pipe that takes at least a page at once.
struct Pipe {
    reader: OwnedFd,
    writer: OwnedFd,
}

impl Pipe {
    fn new() -> std::io::Result<Pipe> {
        let mut ends = [0; 2];
        // SAFETY: the call writes two descriptors, which are then nobody else's.
        unsafe {
            if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC | libc::O_NONBLOCK) != 0 {
                return Err(SystemError::last_os_error());
            }
            Ok(Pipe {
                reader: OwnedFd::from_raw_fd(ends[0]),
                writer: OwnedFd::from_raw_fd(ends[1]),
            })
        }
    }

    unsafe fn copy(
        &self,
        direction: Direction,
        address: usize,
        local: *mut u8,
        length: usize,
    ) -> std::result::Result<usize, i32> {
        let (from, to) = match direction {
            Direction::Read => (address as *const u8, local),
            Direction::Write => (local.cast_const(), address as *mut u8),
        };
        // Within one page, which can be read and written whole or not at all.
        let foreign = if direction == Direction::Read {
            from
        } else {
            to
        };
        let length = length.min(PAGE - foreign as usize % PAGE);
        // SAFETY: the caller answers for the local memory, and the system checks the other.
        unsafe {
            let count = copied(libc::write(self.writer.as_raw_fd(), from.cast(), length))?;
            copied(libc::read(self.reader.as_raw_fd(), to.cast(), count))
        }
    }
}

fn failure(direction: Direction, address: usize, done: usize, os: i32) -> Error {
    if os == libc::EFAULT {
        return fault(direction, address, done);
    }
    let doing = match direction {
        Direction::Read => "reading",
        Direction::Write => "writing",
    };
    Error {
        status: Status::System,
        message: format!(
            "memory: {doing} at {address:#x}: {}",
            SystemError::from_raw_os_error(os)
        ),
        os,
    }
}

fn fault(direction: Direction, address: usize, done: usize) -> Error {
    let verb = match direction {
        Direction::Read => "read",
        Direction::Write => "written",
    };
    let message = match (address.checked_add(done), done) {
        (None, _) => format!(
            "memory: the range from {address:#x} wraps around the end of memory after {done} bytes"
        ),
        (Some(bad), 0) => format!("memory: {bad:#x} cannot be {verb}"),
        (Some(bad), 1) => {
            format!("memory: {bad:#x} cannot be {verb}; the byte before it, at {address:#x}, could")
        }
        (Some(bad), _) => format!(
            "memory: {bad:#x} cannot be {verb}; the {done} bytes before it, from {address:#x} on, \
             could"
        ),
    };
    Error::new(Status::Fault, message)
}

/// The caller's own buffer is bad.
fn local_fault(direction: Direction, address: usize, bad: usize, done: usize) -> Error {
    let at = address.wrapping_add(done);
    let message = match direction {
        Direction::Read => format!(
            "memory: {bad:#x} cannot be written, where what is read at {at:#x} is to go; the {done} \
             bytes before it were copied"
        ),
        Direction::Write => format!(
            "memory: {bad:#x} cannot be read, from where {at:#x} is to be written; the {done} bytes \
             before it were copied"
        ),
    };
    Error::new(Status::Fault, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages of which the last cannot be read.
    struct Pages {
        start: usize,
        fence: usize,
    }

    impl Pages {
        fn new(count: usize) -> Pages {
            let page = 65536; // On every system a multiple of its pages.
            let length = (count + 1) * page;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let access = libc::PROT_READ | libc::PROT_WRITE;
            // SAFETY: a new mapping, part of which is then closed.
            unsafe {
                let start = libc::mmap(std::ptr::null_mut(), length, access, flags, -1, 0) as usize;
                let fence = start + count * page;
                assert_eq!(libc::mprotect(fence as *mut _, page, libc::PROT_NONE), 0);
                Pages { start, fence }
            }
        }
    }

    fn message(result: Result<impl std::fmt::Debug>) -> String {
        let error = result.unwrap_err();
        assert_eq!(error.status, Status::Fault);
        error.message
    }

    /// Once with the system's calls, and once through a pipe.
    fn both_ways(test: fn(Pages)) {
        test(Pages::new(3));
        IS_FORBIDDEN.store(true, Ordering::Relaxed);
        test(Pages::new(3));
    }

    #[test]
    fn ranges_up_to_the_fence_and_over_it() {
        both_ways(|pages| {
            let length = pages.fence - pages.start;
            let bytes: Vec<u8> = (0..length).map(|index| (index % 251) as u8).collect();
            let mut back = vec![0; length];
            // SAFETY: the buffers are as long as said.
            unsafe {
                write(pages.start, bytes.as_ptr(), length).unwrap();
                read(pages.start, back.as_mut_ptr(), length).unwrap();
                assert!(back == bytes);
                for before in [1, 3, 4095, 4096, 4097, 70000] {
                    back.fill(0);
                    let from = pages.fence - before;
                    let words = message(read(from, back.as_mut_ptr(), before + 8));
                    assert!(words.contains(&format!("{:#x} cannot be read", pages.fence)));
                    assert!(back[..before] == bytes[length - before..]);
                    let words = message(write(from, back.as_ptr(), before + 8));
                    assert!(words.contains(&format!("{:#x} cannot be written", pages.fence)));
                    match before {
                        1 => assert!(words.contains("the byte before it")),
                        _ => assert!(words.contains(&format!("the {before} bytes before it"))),
                    }
                }
            }
        });
    }

    #[test]
    fn the_buffer_is_bad() {
        both_ways(|pages| {
            let mut room = vec![7; 20000];
            let good = room.as_mut_ptr() as usize;
            for before in [0, 1, 5000, 9001] {
                let buffer = (pages.fence - before) as *mut u8;
                // SAFETY: what cannot be read or written is an error.
                let (read, write) = unsafe {
                    let read = message(read(good, buffer, before + 8));
                    (read, message(write(good, buffer, before + 8)))
                };
                let copied = format!("the {before} bytes before it were copied");
                let words = format!("{:#x} cannot be written, where", pages.fence);
                assert!(read.contains(&words) && read.contains(&copied), "{read}");
                let words = format!("{:#x} cannot be read, from where", pages.fence);
                assert!(write.contains(&words) && write.contains(&copied), "{write}");
            }
        });
    }

    #[test]
    fn how_much_can_be_read() {
        both_ways(|pages| {
            for before in [0, 1, 4095, 4096, 4097, 70000] {
                assert_eq!(readable(pages.fence - before, 1 << 40), before);
                assert_eq!(readable(pages.fence - before, before / 2), before / 2);
            }
            assert_eq!(readable(usize::MAX - 3, usize::MAX), 0);
        });
    }

    #[test]
    fn strings_up_to_the_fence() {
        both_ways(|pages| {
            let text = vec![b'x'; 9000];
            let from = pages.fence - 9000;
            // SAFETY: the buffer is as long as said.
            unsafe { write(from, text.as_ptr(), 9000).unwrap() };
            assert_eq!(string(from, 9000).unwrap(), 9000);
            let words = message(string(from, 9001));
            assert!(words.contains("the 9000 bytes before it"), "{words}");
            let words = message(string(from, usize::MAX));
            assert!(words.contains("the 9000 bytes before it"), "{words}");
            // SAFETY: as above.
            unsafe { write(pages.fence - 1, [0].as_ptr(), 1).unwrap() };
            assert_eq!(string(from, usize::MAX).unwrap(), 8999);
            assert_eq!(string(from + 8999, 10).unwrap(), 0);
            assert_eq!(string(0, 0).unwrap(), 0);
        });
    }

    #[test]
    fn the_end_of_memory() {
        both_ways(|_| {
            let mut out = [0; 64];
            for length in [1, 16, 64] {
                // SAFETY: the buffer is as long as said.
                message(unsafe { read(usize::MAX - 15, out.as_mut_ptr(), length) });
            }
            message(string(usize::MAX, 2));
            message(string(0, 2));
            // SAFETY: the buffer is as long as said.
            message(unsafe { read(0, out.as_mut_ptr(), 64) });
            // SAFETY: nothing is read.
            unsafe { read(usize::MAX, out.as_mut_ptr(), 0).unwrap() };
        });
    }

    #[test]
    fn what_is_read_only_stays() {
        static TEXT: &[u8] = b"constant";
        both_ways(|_| {
            // SAFETY: the bytes are as many as said.
            let words = message(unsafe { write(TEXT.as_ptr() as usize, b"x".as_ptr(), 1) });
            assert!(words.contains("cannot be written"), "{words}");
            assert_eq!(TEXT, b"constant");
        });
    }
}
