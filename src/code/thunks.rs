//! Thunks: one for each callback, each the same but for its place. A thunk loads the address of its
//! record, which lies at a known distance, and jumps to where the record says. They are made by the
//! thousand, so that a new callback needs no new code.
//!
//! The first are in the library's own text. More are made in executable memory; where the system
//! forbids that, the library's file is mapped again, with new records at the same distance.

use super::heap::{announce_thunks, name};
use super::machine::{emit_thunk, thunk_table};
use super::memory::{self, Draft};
use super::mode::{Mode, after, mode};
use crate::error::{Error, Result, Status};
use crate::stub::THUNK_LENGTH;
use std::fs::File;
use std::os::fd::AsRawFd;

/// Bytes of a record.
pub const RECORD: usize = 64;
/// Thunks in the library's text: for callbacks, then for functions' own entries.
const BUILT_IN: usize = FOR_CALLBACKS + FOR_ENTRIES;
const FOR_CALLBACKS: usize = 4096;
const FOR_ENTRIES: usize = 1024;
/// Readable bytes before the first thunk: clang's -fsanitize=function looks there.
const MARGIN: usize = 64;

/// Thunks with their records.
#[derive(Clone, Copy, Debug)]
pub struct Thunks {
    /// The first thunk.
    pub code: usize,
    /// The first record: writable memory that nobody has used.
    pub records: usize,
    /// How many there are of each.
    pub count: usize,
}

impl Thunks {
    /// The bytes from one thunk to the next.
    pub const STRIDE: usize = THUNK_LENGTH;
}

thunk_table!(BUILT_IN, THUNK_LENGTH, RECORD, MARGIN);

unsafe extern "C" {
    /// Begins with the margin; the thunks follow.
    static farcall_thunks: u8;
    static farcall_thunk_records: u8;
}

fn built_in_code() -> usize {
    (&raw const farcall_thunks).addr()
}

fn built_in_records() -> usize {
    (&raw const farcall_thunk_records).addr()
}

/// The thunks for callbacks that the library has without asking for any.
pub fn built_in() -> Thunks {
    Thunks {
        code: built_in_code() + MARGIN,
        records: built_in_records(),
        count: FOR_CALLBACKS,
    }
}

/// The same for functions' own entries, for which there is no other code where none may be made.
pub fn for_entries() -> Thunks {
    Thunks {
        code: built_in_code() + MARGIN + FOR_CALLBACKS * THUNK_LENGTH,
        records: built_in_records() + FOR_CALLBACKS * RECORD,
        count: FOR_ENTRIES,
    }
}

/// More thunks, about as many as asked for.
pub fn more(count: usize) -> Result<Thunks> {
    let thunks = made_or_mapped(count)?;
    announce_thunks(thunks.code, thunks.count * THUNK_LENGTH);
    Ok(thunks)
}

fn made_or_mapped(count: usize) -> Result<Thunks> {
    let refused = match mode() {
        Mode::Static(refusal) => refusal.error(),
        // Where code is mapped twice, what is made by other means may be refused, which says nothing of the rest.
        Mode::Dual => return mapped_again(),
        Mode::Stubs => match made(count).map_err(after) {
            Ok(thunks) => return Ok(thunks),
            Err(error) => error,
        },
    };
    mapped_again().map_err(|error| error.within(refused))
}

/// Thunks in new executable memory, their records behind them.
fn made(count: usize) -> Result<Thunks> {
    let page = memory::page_size();
    let code = (MARGIN + count * THUNK_LENGTH).next_multiple_of(page);
    let count = (code - MARGIN) / THUNK_LENGTH;
    let records = (count * RECORD).next_multiple_of(page);
    let start = memory::reserve(code + records)?;
    let thunks = Thunks {
        code: start + MARGIN,
        records: start + code,
        count,
    };
    let made =
        fill(start, code, &thunks).and_then(|()| memory::make_writable(thunks.records, records));
    made.map(|()| {
        name(thunks.code, code - MARGIN, || {
            "farcall callbacks".to_owned()
        });
        thunks
    })
    .inspect_err(|_| {
        // SAFETY: the range was reserved here, and nobody knows it.
        unsafe { libc::munmap(start as *mut libc::c_void, code + records) };
    })
}

fn fill(start: usize, length: usize, thunks: &Thunks) -> Result<()> {
    let mut draft = Draft::map(length)?;
    let bytes = draft.bytes();
    bytes[..MARGIN].fill(super::FILL);
    for (index, thunk) in bytes[MARGIN..].chunks_mut(THUNK_LENGTH).enumerate() {
        let code = thunks.code + index * THUNK_LENGTH;
        let record = thunks.records + index * RECORD;
        let made = emit_thunk(code as u64, record as u64);
        thunk[..made.len()].copy_from_slice(&made);
    }
    // SAFETY: the target is reserved, and nobody runs anything there yet.
    unsafe { draft.seal_over(start) }
}

/// The library's own thunks once more, from its file, with new records at the same distance.
fn mapped_again() -> Result<Thunks> {
    let page = memory::page_size();
    let distance = built_in_records() - built_in_code();
    let code = MARGIN + BUILT_IN * THUNK_LENGTH;
    let records = BUILT_IN * RECORD;
    let (file, offset) = own_file(built_in_code())?;
    // Records need not begin at a page, and may begin on the last one of the code.
    let first_page = distance / page * page;
    let length = (distance + records).next_multiple_of(page);
    let start = memory::reserve(length)?;
    let unmap = || {
        // SAFETY: the range was reserved here, and nobody knows it.
        unsafe { libc::munmap(start as *mut libc::c_void, length) };
    };
    // SAFETY: the target lies in the range that was just reserved.
    let mapped = unsafe {
        libc::mmap(
            start as *mut libc::c_void,
            code.next_multiple_of(page),
            libc::PROT_READ | libc::PROT_EXEC,
            libc::MAP_PRIVATE | libc::MAP_FIXED,
            file.as_raw_fd(),
            offset,
        )
    };
    if mapped == libc::MAP_FAILED {
        let error = memory::failed("mmap", "the library's file once more");
        unmap();
        return Err(error);
    }
    // SAFETY: both are `code` bytes that stay as they are.
    let same = unsafe {
        let copy = std::slice::from_raw_parts(start as *const u8, code);
        copy == std::slice::from_raw_parts(built_in_code() as *const u8, code)
    };
    if !same {
        unmap();
        return Err(Error::new(
            Status::System,
            "the library's file is no longer the one that was loaded",
        ));
    }
    memory::make_writable(start + first_page, length - first_page).inspect_err(|_| unmap())?;
    Ok(Thunks {
        code: start + MARGIN,
        records: start + distance,
        count: BUILT_IN,
    })
}

/// The file from which an address of this process was mapped, and where in it that is.
fn own_file(address: usize) -> Result<(File, libc::off_t)> {
    let refused = |what: String, error: Option<std::io::Error>| Error {
        status: Status::System,
        os: error
            .as_ref()
            .and_then(std::io::Error::raw_os_error)
            .unwrap_or(0),
        message: match error {
            Some(error) => format!("{what}: {error}"),
            None => what,
        },
    };
    let maps = std::fs::read_to_string("/proc/self/maps")
        .map_err(|error| refused("/proc/self/maps".to_owned(), Some(error)))?;
    let found = maps.lines().find_map(|line| {
        // "start-end rwxp offset device inode   path"
        let mut words = line.splitn(6, ' ');
        let (start, end) = words.next()?.split_once('-')?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        let (start, end) = (number(start)?, number(end)?);
        let offset = number(words.nth(1)?)?;
        let path = words.nth(2)?.trim_start();
        (start..end)
            .contains(&address)
            .then(|| (path.to_owned(), offset + address - start))
    });
    let (path, offset) =
        found.ok_or_else(|| refused("the library is not in /proc/self/maps".to_owned(), None))?;
    let file = File::open(&path).map_err(|error| refused(path, Some(error)))?;
    Ok((file, offset as libc::off_t))
}
