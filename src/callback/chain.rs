//! Records in a row, each knowing the next.

use super::record::Record;
use std::ptr;
use std::sync::atomic::Ordering;

/// Records that are nobody else's, in the order in which they came.
pub(super) struct Chain {
    first: *const Record,
    last: *const Record,
    count: usize,
}

// SAFETY: records live for ever and may be used by any thread.
unsafe impl Send for Chain {}

impl Chain {
    pub(super) const fn new() -> Chain {
        Chain {
            first: ptr::null(),
            last: ptr::null(),
            count: 0,
        }
    }

    #[inline]
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Puts one at the end.
    #[inline]
    pub(super) fn push(&mut self, record: &'static Record) {
        self.append(Chain {
            first: record,
            last: record,
            count: 1,
        });
    }

    /// Puts others at the end.
    #[inline]
    pub(super) fn append(&mut self, others: Chain) {
        if self.count == 0 {
            *self = others;
        } else if others.count > 0 {
            // SAFETY: a chain holds records, which live for ever.
            let last = unsafe { &*self.last };
            last.next.store(others.first.cast_mut(), Ordering::Relaxed);
            self.last = others.last;
            self.count = self.count.wrapping_add(others.count);
        }
    }

    /// Takes the first one.
    #[inline]
    pub(super) fn take(&mut self) -> Option<&'static Record> {
        if self.count == 0 {
            return None;
        }
        // SAFETY: as above.
        let record = unsafe { &*self.first };
        self.first = record.next.load(Ordering::Relaxed);
        self.count = self.count.wrapping_sub(1);
        Some(record)
    }

    /// Takes so many of the first, of which there are enough; at least one.
    pub(super) fn take_many(&mut self, count: usize) -> Chain {
        let first = self.first;
        let mut last = first;
        for _ in 1..count {
            // SAFETY: as above.
            last = unsafe { (*last).next.load(Ordering::Relaxed) };
        }
        // SAFETY: as above.
        self.first = unsafe { (*last).next.load(Ordering::Relaxed) };
        self.count -= count;
        Chain { first, last, count }
    }
}
