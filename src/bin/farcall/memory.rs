//! Memory that arguments point to. It is never given back: the library may keep what it is given,
//! and look at it when the process ends.

use farcall::types::Type;
use std::alloc::{Layout, alloc_zeroed};

/// What a single argument may point to, at most, in bytes.
const MOST: u64 = 1 << 40;

/// Makes memory with these bytes at its beginning and zeros behind them, and gives its address.
pub(crate) fn keep(bytes: &[u8], size: u64, align: u32) -> Result<u64, String> {
    let size = size.max(bytes.len() as u64);
    let refused = || format!("there is no memory for {size} bytes");
    if size > MOST {
        return Err(refused());
    }
    // Memory for nothing has an address too.
    let layout = Layout::from_size_align(size.max(1) as usize, align.max(16) as usize);
    let layout = layout.map_err(|_| refused())?;
    // SAFETY: the layout's size is not zero.
    let memory = unsafe { alloc_zeroed(layout) };
    if memory.is_null() {
        return Err(refused());
    }
    // SAFETY: the memory is new, and has room for all bytes.
    unsafe { memory.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    Ok(memory as u64)
}

/// Memory that was made by `keep`, whatever a call has made of it since.
pub(crate) fn kept<'a>(address: u64, size: u64) -> &'a [u8] {
    // SAFETY: it lives until the process ends, and nothing in this program writes to it.
    unsafe { std::slice::from_raw_parts(address as *const u8, size as usize) }
}

/// What is printed after the call: memory that was passed with `&`.
pub(crate) struct Output {
    /// How the message names it: `*exp`, `*2`, `buffer`.
    pub(crate) label: String,
    pub(crate) address: u64,
    pub(crate) form: Form,
}

/// What the memory holds.
pub(crate) enum Form {
    /// One value.
    One(Type),
    /// So many values.
    List(Type, u64),
    /// A string in so many bytes: it ends before its first NUL.
    Text(u64),
    /// So many bytes: zeros at the end are not shown.
    Bytes(u64),
}

/// The string at an address, up to its NUL; `None`, if the memory cannot be read.
pub(crate) fn string(address: u64) -> Option<Vec<u8>> {
    const PAGE: u64 = 4096;
    let mut bytes = Vec::new();
    let mut at = address;
    loop {
        // A part does not cross into a page that may not be there.
        let length = (PAGE - at % PAGE) as usize;
        let mut part = vec![0u8; length];
        if !read(at, &mut part) {
            return None;
        }
        if let Some(end) = part.iter().position(|&byte| byte == 0) {
            bytes.extend_from_slice(&part[..end]);
            return Some(bytes);
        }
        bytes.extend_from_slice(&part);
        at = at.checked_add(length as u64)?;
    }
}

/// Copies memory that may not be there. The kernel looks, so that it is no crash.
pub(crate) fn read(address: u64, into: &mut [u8]) -> bool {
    let local = libc::iovec {
        iov_base: into.as_mut_ptr().cast(),
        iov_len: into.len(),
    };
    let remote = libc::iovec {
        iov_base: address as *mut libc::c_void,
        iov_len: into.len(),
    };
    // SAFETY: the local memory is `into`; the kernel checks the other.
    let copied = unsafe { libc::process_vm_readv(libc::getpid(), &local, 1, &remote, 1, 0) };
    if copied >= 0 {
        return copied as usize == into.len();
    }
    if std::io::Error::last_os_error().raw_os_error() == Some(libc::EFAULT) {
        return false;
    }
    // The system forbids to look: what the prototype says is believed.
    // SAFETY: the prototype says that there is memory, which is the user's word.
    unsafe {
        into.as_mut_ptr()
            .copy_from_nonoverlapping(address as *const u8, into.len())
    };
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_aligned_and_zero() {
        let address = keep(&[1, 2, 3], 8, 4096).unwrap();
        assert_eq!(address % 4096, 0);
        assert_eq!(kept(address, 8), [1, 2, 3, 0, 0, 0, 0, 0]);
        assert_ne!(keep(&[], 0, 1).unwrap(), 0);
        assert!(keep(&[], u64::MAX, 1).is_err());
    }

    #[test]
    fn strings_are_read_where_they_are() {
        let mut long = vec![b'x'; 10000];
        long.push(0);
        let address = keep(&long, 0, 1).unwrap();
        assert_eq!(string(address).unwrap(), long[..10000]);
        assert_eq!(string(address + 9999).unwrap(), b"x");
        assert_eq!(string(8), None);
        assert_eq!(string(u64::MAX), None);
    }
}
