//! Functions' own entries where no code may be made for them: thunks, as callbacks have them, whose records
//! say which code goes on and with which context.

use crate::code::lock::Mutex;
use crate::code::thunks::{self, RECORD, Thunks};
use crate::code::{self, StaticCall, record_call};
use crate::error::Result;
use std::ffi::c_void;
use std::mem::offset_of;
use std::ptr;

/// What a thunk finds.
#[repr(C, align(64))]
struct Record {
    /// Where the thunk jumps to.
    entry: *const c_void,
    /// What goes on, with the context in its register; or, for a program, what it wants to find.
    code: *const c_void,
    context: *const c_void,
    /// The second program of those.
    other: *const c_void,
    /// The thunk.
    thunk: usize,
    /// The next one that nobody uses.
    next: *mut Record,
}

const _: () = {
    assert!(size_of::<Record>() == RECORD);
    assert!(offset_of!(Record, entry) == crate::stub::RECORD_ENTRY as usize);
    assert!(size_of::<StaticCall>() <= offset_of!(Record, thunk));
};

/// Thunks are made so many at a time.
const MORE: usize = 1024;

struct Pool {
    /// Records that were given back; what is freed last is used first.
    free: *mut Record,
    /// Thunks that have not been used.
    new: Thunks,
    is_begun: bool,
}

// SAFETY: records may be used by any thread.
unsafe impl Send for Pool {}

static POOL: Mutex<Pool> = Mutex::new(Pool {
    free: ptr::null_mut(),
    new: Thunks {
        code: 0,
        records: 0,
        count: 0,
    },
    is_begun: false,
});

pub(super) fn lock() -> &'static Mutex<impl Sized> {
    &POOL
}

/// Code of its own, given back when this is dropped.
#[derive(Debug)]
pub(super) struct Entry(*mut Record);

impl Entry {
    /// An entry that goes on with code in the way of stubs, and with a context. Both have to live as
    /// long.
    pub(super) fn new(code: *const c_void, context: *const c_void) -> Result<Entry> {
        let record = new_record()?;
        // SAFETY: records are writable for ever, and this one is nobody else's. Who calls the entry has
        // got its address after this.
        unsafe {
            (*record).code = code;
            (*record).context = context;
            (*record).entry = enter_record as *const c_void;
        }
        Ok(Entry(record))
    }

    /// An entry of a program, for which the record is the context.
    pub(super) fn of_program(entry: *const c_void, call: &StaticCall) -> Result<Entry> {
        let record = new_record()?;
        // SAFETY: as above; a record begins with room for what the program wants to find.
        unsafe { record.cast::<StaticCall>().write(call.of_record(entry)) };
        Ok(Entry(record))
    }

    /// Where it is called.
    pub(super) fn address(&self) -> usize {
        // SAFETY: the record is this entry's own.
        unsafe { (*self.0).thunk }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut pool = POOL.lock();
        // SAFETY: the record is this entry's own, and the list's from now on.
        unsafe { (*self.0).next = pool.free };
        pool.free = self.0;
    }
}

fn new_record() -> Result<*mut Record> {
    // The unwinders are to be told of new thunks, and are looked for while no lock is held.
    code::find_unwinders();
    POOL.lock().take()
}

/// What thunks jump to.
#[unsafe(naked)]
unsafe extern "C-unwind" fn enter_record(_result: *mut c_void, _array: *const c_void) {
    record_call!(offset_of!(Record, code), offset_of!(Record, context))
}

impl Pool {
    fn take(&mut self) -> Result<*mut Record> {
        if !self.free.is_null() {
            let record = self.free;
            // SAFETY: the list has records that nobody else uses.
            self.free = unsafe { (*record).next };
            return Ok(record);
        }
        if self.new.count == 0 {
            self.new = match self.is_begun {
                false => thunks::for_entries(),
                true => thunks::more(MORE)?,
            };
            self.is_begun = true;
        }
        let Thunks {
            code,
            records,
            count,
        } = self.new;
        let record = records as *mut Record;
        // SAFETY: new records are zeroed memory that nobody knows.
        unsafe { (*record).thunk = code };
        self.new = Thunks {
            code: code + Thunks::STRIDE,
            records: records + RECORD,
            count: count - 1,
        };
        Ok(record)
    }
}
