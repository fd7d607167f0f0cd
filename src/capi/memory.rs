//! Reading and writing memory by address.

use super::status::{fc_status, guard};
use super::{Out, null};
use crate::error::Result;
use crate::memory;
use libc::size_t;
use std::ffi::{c_char, c_void};

/// A range of memory: NULL will do where it is empty.
fn range<T>(pointer: *const T, length: usize, what: &str) -> Result<usize> {
    match pointer.is_null() && length != 0 {
        true => Err(null(what)),
        false => Ok(pointer as usize),
    }
}

/// Copies memory to the caller, for hosts that have no pointers of their own. An address that cannot
/// be read is an error, not a crash: the system copies, at the price of a system call
/// (half a microsecond or so).
///
/// @param address where to read; any alignment. NULL will do where `length` is 0.
/// @param out     `length` bytes that the caller can write. After FC_ERR_FAULT the first of them may
///                have been written, as many as the message says.
/// @param length  how many bytes.
///
/// Any thread may call this. What other threads write meanwhile may be read in part.
///
/// @return FC_OK; FC_ERR_ARGUMENT for NULL; FC_ERR_FAULT if some of the bytes cannot be read, or `out`
///         cannot be written, or if the range wraps around the end of memory: the message has the
///         address and how many bytes before it were fine; FC_ERR_SYSTEM if the system forbids it altogether.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_memory_read(
    address: *const c_void,
    out: *mut c_void,
    length: size_t,
) -> fc_status {
    guard(|| {
        let from = range(address, length, "fc_memory_read: address")?;
        range(out, length, "fc_memory_read: out")?;
        // SAFETY: the buffer is as the documentation asks.
        unsafe { memory::read(from, out.cast(), length) }
    })
}

/// Copies bytes of the caller's to memory. An address that cannot be written is an error, not a crash,
/// and what is read-only stays as it is. It costs a system call (half a
/// microsecond or so).
///
/// @param address where to write; any alignment. NULL will do where `length` is 0. After FC_ERR_FAULT
///                the first bytes may have been written, as many as the message says.
/// @param bytes   what to write: `length` bytes that the caller can read.
/// @param length  how many bytes.
///
/// Any thread may call this. Other threads may see a part of the bytes before the rest.
///
/// @return FC_OK; FC_ERR_ARGUMENT for NULL; FC_ERR_FAULT if some of the bytes cannot be written, or
///         `bytes` cannot be read, or if the range wraps around the end of memory: the message has the
///         address and how many bytes before it were fine; FC_ERR_SYSTEM if the system forbids it
///         altogether.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_memory_write(
    address: *mut c_void,
    bytes: *const c_void,
    length: size_t,
) -> fc_status {
    guard(|| {
        let to = range(address, length, "fc_memory_write: address")?;
        range(bytes, length, "fc_memory_write: bytes")?;
        // SAFETY: the bytes are as the documentation asks.
        unsafe { memory::write(to, bytes.cast(), length) }
    })
}

/// The length of a string at an address, without its NUL. An address that cannot be read is an error,
/// not a crash.
///
/// @param address where the string begins. NULL will do where `limit` is 0.
/// @param limit   how many bytes to look at, at most; SIZE_MAX: all that are there.
/// @param length  the length; `limit` if there is no NUL before it.
///
/// Nothing behind the NUL is asked for: a string may end right before memory that cannot be read. It
/// costs a system call (half a microsecond or so) for each 4096 bytes.
///
/// Any thread may call this.
///
/// @return FC_OK; FC_ERR_ARGUMENT for NULL; FC_ERR_FAULT if memory that cannot be read comes before a NUL
///         and before the limit: the message has the address and how many bytes before it were fine;
///         FC_ERR_SYSTEM if the system forbids it altogether.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_memory_string(
    address: *const c_char,
    limit: size_t,
    length: *mut size_t,
) -> fc_status {
    guard(|| {
        let length = Out::new(length, "fc_memory_string: length")?;
        let from = range(address, limit, "fc_memory_string: address")?;
        length.write(memory::string(from, limit)?);
        Ok(())
    })
}
