//! Records that nobody uses: new ones, and those of freed callbacks, which are used again as late as
//! possible. What is freed last is used last.

use super::receiver::Receiver;
use super::record::{Extra, Handler, Record};
use crate::code::thunks::{self, RECORD, Thunks};
use crate::error::Result;
use parking_lot::Mutex;
use std::ptr;
use std::sync::atomic::Ordering;

/// So many freed callbacks wait at least, while there are others.
const QUARANTINE: usize = 512;
/// Thunks are made so many at a time at first, and twice as many each time.
const FIRST: usize = 1024;
const MOST: usize = 8192;

struct Pool {
    /// Freed records, the one that was freed first at the head.
    head: *const Record,
    tail: *const Record,
    waiting: usize,
    /// Thunks that have not been used.
    new: Thunks,
    /// How many will be made next; 0: the library's own come first.
    next: usize,
    /// Callbacks that live.
    live: usize,
    /// Bytes of thunks that are not the library's own text.
    thunk_bytes: usize,
}

// SAFETY: records may be used by any thread.
unsafe impl Send for Pool {}

static POOL: Mutex<Pool> = Mutex::new(Pool {
    head: ptr::null(),
    tail: ptr::null(),
    waiting: 0,
    new: Thunks {
        code: 0,
        records: 0,
        count: 0,
    },
    next: 0,
    live: 0,
    thunk_bytes: 0,
});

pub(super) fn lock() -> &'static Mutex<impl Sized> {
    &POOL
}

/// A record with a new life.
pub(super) fn take(
    receiver: &'static Receiver,
    handler: Handler,
    extra: Option<Box<Extra>>,
) -> Result<*const Record> {
    let (record, old) = {
        let mut pool = POOL.lock();
        let record = pool.take()?;
        pool.live += 1;
        (record, record.begin(receiver, handler, extra))
    };
    drop(old);
    Ok(record)
}

/// A record whose callback has been freed and that no call is inside of.
pub(super) fn give(record: &Record) {
    let mut pool = POOL.lock();
    pool.live -= 1;
    pool.give(record);
}

/// The callbacks that live, and the bytes of thunks that were made for callbacks.
pub(super) fn statistics() -> (usize, usize) {
    let pool = POOL.lock();
    (pool.live, pool.thunk_bytes)
}

impl Pool {
    fn take(&mut self) -> Result<&'static Record> {
        if self.waiting > QUARANTINE
            && let Some(record) = self.oldest()
        {
            return Ok(record);
        }
        if self.new.count == 0 {
            match self.more() {
                Ok(thunks) => self.new = thunks,
                Err(error) => return self.oldest().ok_or(error),
            }
        }
        let Thunks {
            code,
            records,
            count,
        } = self.new;
        // SAFETY: the pool's records are zeroed memory for ever, which is a record.
        let record = unsafe { &*(records as *const Record) };
        record.set_code(code);
        self.new = Thunks {
            code: code + Thunks::STRIDE,
            records: records + RECORD,
            count: count - 1,
        };
        Ok(record)
    }

    fn more(&mut self) -> Result<Thunks> {
        super::fork::prepare();
        if self.next == 0 {
            self.next = FIRST;
            return Ok(thunks::built_in());
        }
        let thunks = thunks::more(self.next)?;
        self.next = (self.next * 2).min(MOST);
        self.thunk_bytes += thunks.count * Thunks::STRIDE;
        Ok(thunks)
    }

    /// The record that was freed first, unless a late call is just inside: then the next.
    fn oldest(&mut self) -> Option<&'static Record> {
        for _ in 0..self.waiting {
            // SAFETY: the list holds records, which live for ever.
            let record = unsafe { &*self.head };
            self.head = record.next.load(Ordering::Relaxed);
            self.waiting -= 1;
            if record.calls.renew() {
                return Some(record);
            }
            self.give(record);
        }
        None
    }

    fn give(&mut self, record: &Record) {
        if self.waiting == 0 {
            self.head = record;
        } else {
            // SAFETY: the list holds records, which live for ever.
            let last = unsafe { &*self.tail };
            last.next
                .store(ptr::from_ref(record).cast_mut(), Ordering::Relaxed);
        }
        self.tail = record;
        self.waiting += 1;
    }
}
