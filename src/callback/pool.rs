//! Records that nobody uses: new ones, and those of freed callbacks, which are used again as late as
//! possible. What is freed last is used last.

use super::chain::Chain;
use super::record::Record;
use crate::code;
use crate::code::lock::Mutex;
use crate::code::thunks::{self, RECORD, Thunks};
use crate::error::Result;

/// So many freed callbacks wait at least, while there are others.
const QUARANTINE: usize = 512;
/// Thunks are made so many at a time at first, and twice as many each time.
const FIRST: usize = 1024;
const MOST: usize = 8192;

pub(super) struct Pool {
    /// Records of freed callbacks, the one that was freed first at the beginning.
    freed: Chain,
    /// Thunks that have not been used.
    new: Thunks,
    /// How many will be made next; 0: the library's own come first.
    next: usize,
    /// Records that are out: callbacks that live, and what threads have at hand.
    out: usize,
    /// Bytes of thunks that are not the library's own text.
    thunk_bytes: usize,
}

static POOL: Mutex<Pool> = Mutex::new(Pool {
    freed: Chain::new(),
    new: Thunks {
        code: 0,
        records: 0,
        count: 0,
    },
    next: 0,
    out: 0,
    thunk_bytes: 0,
});

pub(super) fn lock() -> &'static Mutex<Pool> {
    &POOL
}

/// The records that are out of the pool, and the bytes of thunks that were made for callbacks.
pub(super) fn statistics() -> (usize, usize) {
    let pool = POOL.lock();
    (pool.out, pool.thunk_bytes)
}

impl Pool {
    /// At least one record that is nobody's, and at most so many; late calls may be inside.
    pub(super) fn take(&mut self, count: usize) -> Result<Chain> {
        let taken = self.find(count)?;
        self.out += taken.count();
        Ok(taken)
    }

    fn find(&mut self, count: usize) -> Result<Chain> {
        let waiting = self.freed.count();
        if waiting > QUARANTINE {
            return Ok(self.freed.take_many(count.min(waiting - QUARANTINE)));
        }
        if self.new.count == 0 {
            match self.more() {
                Ok(thunks) => self.new = thunks,
                Err(_) if waiting > 0 => return Ok(self.freed.take_many(1)),
                Err(error) => return Err(error),
            }
        }
        let mut chain = Chain::new();
        for _ in 0..count.min(self.new.count) {
            chain.push(self.new_record());
        }
        Ok(chain)
    }

    /// One that has not been used; there is one.
    fn new_record(&mut self) -> &'static Record {
        let Thunks {
            code,
            records,
            count,
        } = self.new;
        // SAFETY: the pool's records are zeroed memory for ever, which is a record.
        let record = unsafe { &*(records as *const Record) };
        record.set_code(code);
        record.calls.retire();
        self.new = Thunks {
            code: code + Thunks::STRIDE,
            records: records + RECORD,
            count: count - 1,
        };
        record
    }

    fn more(&mut self) -> Result<Thunks> {
        super::fork::prepare();
        if self.next == 0 {
            self.next = FIRST;
            let thunks = thunks::built_in();
            code::lock::only_atomics(thunks.records, thunks.count * RECORD);
            return Ok(thunks);
        }
        let thunks = thunks::more(self.next)?;
        code::lock::only_atomics(thunks.records, thunks.count * RECORD);
        self.next = (self.next * 2).min(MOST);
        self.thunk_bytes += thunks.count * Thunks::STRIDE;
        Ok(thunks)
    }

    /// Records of freed callbacks that no call is inside of.
    pub(super) fn give(&mut self, freed: Chain) {
        self.out -= freed.count();
        self.freed.append(freed);
    }
}
