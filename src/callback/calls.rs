//! How many calls of a callback are running, and whether it has been freed: who is the one that may
//! release it, and when its record may be given to another. One word, so that every question has one
//! answer.
//!
//! `loom` runs this file through every order in which threads can meet (`tests/calls`): its atomics are
//! those of `super::sync`.

use super::sync::{AtomicU64, Ordering};

/// In the upper half: fc_callback_free has been called.
pub(super) const FREED: u64 = 1 << 32;
/// In the upper half: somebody has taken it upon himself to release it.
const RELEASED: u64 = 1 << 33;
/// In the upper half: the record is being given to another callback, and late calls leave it alone.
const CHANGING: u64 = 1 << 34;

/// The number of running calls in the lower half, and the flags. Zero is a callback that lives, without calls.
#[derive(Debug, Default)]
#[repr(transparent)]
pub(super) struct Calls(AtomicU64);

/// What freeing comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Freed {
    /// Nobody is inside: the caller of `free` releases.
    Now,
    /// The last call that leaves releases.
    Later,
    /// It had been freed before.
    Already,
}

impl Calls {
    /// A call begins: true if the callback lives. In either case `leave` follows.
    pub(super) fn enter(&self) -> bool {
        self.0.fetch_add(1, Ordering::AcqRel) & FREED == 0
    }

    /// A call ends: true if the caller has to release the callback.
    pub(super) fn leave(&self) -> bool {
        Calls::was_last(self.0.fetch_sub(1, Ordering::AcqRel)) && self.claim()
    }

    /// What the word was before a call left: whether it was the last call of a freed callback.
    pub(super) fn was_last(before: u64) -> bool {
        before == FREED | 1
    }

    /// The callback has been freed, and its record is not another's yet.
    pub(super) fn is_freed(&self) -> bool {
        self.0.load(Ordering::Acquire) & (FREED | CHANGING) == FREED
    }

    /// The callback is freed. `is_counted`: calls of it enter and leave; otherwise there is nothing to wait for.
    pub(super) fn free(&self, is_counted: bool) -> Freed {
        let flags = if is_counted { FREED } else { FREED | RELEASED };
        let before = self.0.fetch_or(flags, Ordering::AcqRel);
        if before & FREED != 0 {
            return Freed::Already;
        }
        match !is_counted || self.claim() {
            true => Freed::Now,
            false => Freed::Later,
        }
    }

    /// It has never been used: as if it had been freed.
    pub(super) fn retire(&self) {
        self.0.store(FREED | RELEASED, Ordering::Relaxed);
    }

    /// The record will get a new life, which `begin` begins: false if a late call is just inside.
    pub(super) fn renew(&self) -> bool {
        self.exchange(FREED | RELEASED, FREED | RELEASED | CHANGING)
    }

    /// The new life begins. It is no longer freed, unless it `is_plain`: then it stays so, since none of its
    /// calls looks.
    pub(super) fn begin(&self, is_plain: bool) {
        let flags = match is_plain {
            true => CHANGING,
            false => FREED | RELEASED | CHANGING,
        };
        self.0.fetch_and(!flags, Ordering::AcqRel);
    }

    /// One of those who see that nobody is inside may release, and no call comes in once it has.
    pub(super) fn claim(&self) -> bool {
        self.exchange(FREED, FREED | RELEASED)
    }

    fn exchange(&self, from: u64, to: u64) -> bool {
        let exchanged = self
            .0
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed);
        exchanged.is_ok()
    }
}
