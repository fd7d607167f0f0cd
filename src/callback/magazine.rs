//! A few records that a thread has at hand: most callbacks are made and freed without a lock, which would
//! cost as much as all the rest.

use super::chain::Chain;
use super::pool;
use super::record::Record;
use crate::code::AtThreadEnd;
use crate::error::Result;
use std::cell::RefCell;
use std::ffi::c_void;

/// So many are taken from the pool at once, and given back, at most.
const MOST: usize = 32;

thread_local! {
    static OWN: RefCell<Magazine> = const { RefCell::new(Magazine::new()) };
}

static AT_END: AtThreadEnd = AtThreadEnd::new(give_back_own);

unsafe extern "C" fn give_back_own(_: *mut c_void) {
    // What was dropped has given back what it had.
    let _ = OWN.try_with(|own| own.replace(Magazine::new()));
}

/// A record that can begin a new life; `is_plain` as in `Record::renew`.
#[inline]
pub(super) fn take(is_plain: bool) -> Result<&'static Record> {
    match OWN.try_with(|own| own.borrow_mut().ready(is_plain)) {
        Ok(Some(record)) => Ok(record),
        _ => refill_and_take(is_plain),
    }
}

#[cold]
fn refill_and_take(is_plain: bool) -> Result<&'static Record> {
    match OWN.try_with(|own| own.borrow_mut().remembered().take(is_plain)) {
        Ok(taken) => taken,
        // A thread that is ending has none of its own any more.
        Err(_) => Magazine::new().take(is_plain),
    }
}

/// A record whose callback has been freed and that no call is inside of.
#[inline]
pub(super) fn give(record: &'static Record) {
    if OWN
        .try_with(|own| own.borrow_mut().remembered().give(record))
        .is_err()
    {
        Magazine::new().give(record);
    }
}

/// What it has goes back to the pool when it is dropped.
struct Magazine {
    /// To be used.
    ready: Chain,
    freed: Chain,
    /// How many are taken from the pool next: a thread that makes few callbacks keeps few from others.
    next: usize,
    /// It is given back at the thread's end.
    is_remembered: bool,
}

impl Magazine {
    const fn new() -> Magazine {
        Magazine {
            ready: Chain::new(),
            freed: Chain::new(),
            next: 1,
            is_remembered: false,
        }
    }

    /// The same, of a thread that is going to have something of its own.
    #[inline]
    fn remembered(&mut self) -> &mut Magazine {
        if !self.is_remembered {
            self.is_remembered = true;
            AT_END.remember();
        }
        self
    }

    /// The next one that is ready and that no late call is just inside of, if it is at hand.
    #[inline]
    fn ready(&mut self, is_plain: bool) -> Option<&'static Record> {
        let record = self.ready.take()?;
        if record.renew(is_plain) {
            return Some(record);
        }
        self.give(record);
        None
    }

    fn take(&mut self, is_plain: bool) -> Result<&'static Record> {
        loop {
            if let Some(record) = self.ready(is_plain) {
                return Ok(record);
            }
            if self.ready.count() == 0 {
                self.refill()?;
            }
        }
    }

    #[inline]
    fn give(&mut self, record: &'static Record) {
        self.freed.push(record);
        if self.freed.count() >= MOST {
            self.give_back();
        }
    }

    #[cold]
    fn refill(&mut self) -> Result<()> {
        let freed = std::mem::replace(&mut self.freed, Chain::new());
        let mut pool = pool::lock().lock();
        pool.give(freed);
        self.ready = pool.take(self.next)?;
        self.next = (self.next * 2).min(MOST);
        Ok(())
    }

    #[cold]
    fn give_back(&mut self) {
        let freed = std::mem::replace(&mut self.freed, Chain::new());
        pool::lock().lock().give(freed);
    }
}

impl Drop for Magazine {
    fn drop(&mut self) {
        let unused = std::mem::replace(&mut self.ready, Chain::new());
        self.freed.append(unused);
        self.give_back();
    }
}
