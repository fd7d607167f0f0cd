//! Thunks: one for each callback, each the same but for its place. A thunk loads the address of its
//! record, which lies at a known distance, and jumps to where the record says. They are made by the
//! thousand, so that a new callback needs no new code.
//!
//! The first are in the library's own text. More are made in executable memory; where the system
//! forbids that, the library's text is mapped again, with new records at the same distance.

use super::dual;
use super::heap::{announce_thunks, name};
use super::machine::{emit_thunk, thunk_table};
use super::memory::{self, Draft};
use super::mode::{Mode, after, mode, succeeded, why_static};
use super::own_text::Text;
use crate::error::Result;
use crate::stub::THUNK_LENGTH;
use std::borrow::Cow;
use std::sync::atomic::AtomicUsize;

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

fn own_text() -> Text {
    static KEPT: AtomicUsize = AtomicUsize::new(0);
    let length = MARGIN + BUILT_IN * THUNK_LENGTH;
    Text::new(built_in_code(), length, &KEPT)
}

/// Where no code is made all others will be copies of the library's own, and code may be refused from any moment
/// on: sees to it that they can be made later.
fn keep_text() {
    own_text().keep();
}

/// The thunks for callbacks that the library has without asking for any.
pub fn built_in() -> Thunks {
    keep_text();
    Thunks {
        code: built_in_code() + MARGIN,
        records: built_in_records(),
        count: FOR_CALLBACKS,
    }
}

/// The same for functions' own entries, for which there is no other code where none may be made.
pub fn for_entries() -> Thunks {
    keep_text();
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
    let lack = match mode() {
        Mode::Static(_) => None,
        Mode::Stubs | Mode::Dual => match made(count).map_err(after) {
            Ok(thunks) => {
                succeeded();
                return Ok(thunks);
            }
            Err(error) => Some(error.message),
        },
    };
    mapped_again().map_err(|error| {
        let refusal = why_static().map(|refusal| refusal.reason().to_string_lossy());
        let why = refusal.or(lack.map(Cow::Owned)).unwrap_or_default();
        let why = why.strip_prefix(memory::SUBJECT).unwrap_or(&why);
        error.within(format!(
            "all {FOR_CALLBACKS} for callbacks and {FOR_ENTRIES} for entries in the library are in use, no more are \
             made ({why}), and its file cannot be mapped again"
        ))
    })
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
    if matches!(mode(), Mode::Dual) {
        let mut bytes = vec![0; length];
        write(&mut bytes, thunks);
        // SAFETY: the target is reserved, and nobody runs anything there yet.
        return unsafe { dual::put_over(start, &bytes) };
    }
    let mut draft = Draft::map(length)?;
    write(draft.bytes(), thunks);
    // SAFETY: as above.
    unsafe { draft.seal_over(start) }
}

fn write(bytes: &mut [u8], thunks: &Thunks) {
    bytes[..MARGIN].fill(super::FILL);
    for (index, thunk) in bytes[MARGIN..].chunks_mut(THUNK_LENGTH).enumerate() {
        let code = thunks.code + index * THUNK_LENGTH;
        let record = thunks.records + index * RECORD;
        let made = emit_thunk(code as u64, record as u64);
        thunk[..made.len()].copy_from_slice(&made);
    }
}

/// The library's own thunks once more, with new records at the same distance.
fn mapped_again() -> Result<Thunks> {
    let page = memory::page_size();
    let text = own_text();
    let distance = built_in_records() - built_in_code();
    let records = BUILT_IN * RECORD;
    // Records need not begin at a page, and may begin on the last one of the code.
    let first_page = distance / page * page;
    let length = (distance + records).next_multiple_of(page);
    let start = memory::reserve(length)?;
    // SAFETY: the target lies in the range that was just reserved.
    let mapped = unsafe { text.map_over(start) };
    mapped
        .and_then(|()| memory::make_writable(start + first_page, length - first_page))
        .inspect_err(|_| {
            // SAFETY: the range was reserved here, and nobody knows it.
            unsafe { libc::munmap(start as *mut libc::c_void, length) };
        })?;
    Ok(Thunks {
        code: start + MARGIN,
        records: start + distance,
        count: BUILT_IN,
    })
}
