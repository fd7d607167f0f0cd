//! The count of a callback's running calls, in every order in which threads can meet: loom runs the very file
//! that the library has, with its own atomics.

// Not all of it is used here.
#[allow(dead_code)]
#[path = "../src/callback/calls.rs"]
mod calls;

mod sync {
    use loom::sync::atomic;

    pub(crate) use std::sync::atomic::Ordering;

    /// loom's, made as the library makes its own.
    #[derive(Debug, Default)]
    #[repr(transparent)]
    pub(crate) struct AtomicU64(atomic::AtomicU64);

    impl AtomicU64 {
        pub(crate) fn fetch_add(&self, value: u64, ordering: Ordering) -> u64 {
            self.0.fetch_add(value, ordering)
        }
        pub(crate) fn fetch_sub(&self, value: u64, ordering: Ordering) -> u64 {
            self.0.fetch_sub(value, ordering)
        }
        pub(crate) fn fetch_or(&self, value: u64, ordering: Ordering) -> u64 {
            self.0.fetch_or(value, ordering)
        }
        pub(crate) fn fetch_and(&self, value: u64, ordering: Ordering) -> u64 {
            self.0.fetch_and(value, ordering)
        }
        pub(crate) fn store(&self, value: u64, ordering: Ordering) {
            self.0.store(value, ordering);
        }
        pub(crate) fn load(&self, ordering: Ordering) -> u64 {
            self.0.load(ordering)
        }
        pub(crate) fn compare_exchange(
            &self,
            from: u64,
            to: u64,
            success: Ordering,
            failure: Ordering,
        ) -> Result<u64, u64> {
            self.0.compare_exchange(from, to, success, failure)
        }
    }
}

use calls::{Calls, Freed};
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

/// A callback with a release hook. `user` is what the handler uses and the hook destroys: loom fails where
/// the two meet.
struct Callback {
    calls: Calls,
    user: UnsafeCell<u32>,
    released: AtomicUsize,
    late: AtomicUsize,
}

impl Callback {
    fn new() -> Arc<Callback> {
        Arc::new(Callback {
            calls: Calls::default(),
            user: UnsafeCell::new(1),
            released: AtomicUsize::new(0),
            late: AtomicUsize::new(0),
        })
    }

    fn call(&self) {
        match self.calls.enter() {
            // SAFETY: loom looks.
            true => assert_eq!(self.user.with(|user| unsafe { *user }), 1),
            false => drop(self.late.fetch_add(1, Ordering::Relaxed)),
        }
        if self.calls.leave() {
            self.release();
        }
    }

    fn free(&self) -> Freed {
        let freed = self.calls.free(true);
        if freed == Freed::Now {
            self.release();
        }
        freed
    }

    fn release(&self) {
        // SAFETY: loom looks.
        self.user.with_mut(|user| unsafe { *user = 0 });
        self.released.fetch_add(1, Ordering::Relaxed);
    }
}

/// Two threads call, a third frees: the hook runs once, when nobody is inside.
#[test]
fn released_once_when_nobody_is_inside() {
    loom::model(|| {
        let callback = Callback::new();
        let callers: Vec<_> = (0..2)
            .map(|_| {
                let callback = Arc::clone(&callback);
                thread::spawn(move || callback.call())
            })
            .collect();
        callback.free();
        for caller in callers {
            caller.join().unwrap();
        }
        assert_eq!(callback.released.load(Ordering::Relaxed), 1);
        assert!(callback.calls.renew(), "nobody is inside any more");
    });
}

/// Freed from inside the handler, while another thread calls.
#[test]
fn freed_from_inside() {
    loom::model(|| {
        let callback = Callback::new();
        let other = {
            let callback = Arc::clone(&callback);
            thread::spawn(move || callback.call())
        };
        assert!(callback.calls.enter());
        assert_eq!(callback.free(), Freed::Later);
        // SAFETY: loom looks.
        assert_eq!(callback.user.with(|user| unsafe { *user }), 1);
        if callback.calls.leave() {
            callback.release();
        }
        other.join().unwrap();
        assert_eq!(callback.released.load(Ordering::Relaxed), 1);
    });
}

/// Two threads free at once, which is a fault of theirs, but not one that runs the hook twice.
#[test]
fn freed_twice() {
    loom::model(|| {
        let callback = Callback::new();
        let other = {
            let callback = Arc::clone(&callback);
            thread::spawn(move || callback.free())
        };
        let here = callback.free();
        let there = other.join().unwrap();
        let first = [here, there]
            .iter()
            .filter(|freed| **freed == Freed::Now)
            .count();
        assert_eq!(first, 1);
        assert_eq!(callback.released.load(Ordering::Relaxed), 1);
    });
}

/// A record gets no new life while a late call is inside, and a late call that is counted in sees a
/// record that stays freed.
#[test]
fn not_renewed_under_a_late_call() {
    loom::model(|| {
        let callback = Callback::new();
        assert_eq!(callback.calls.free(false), Freed::Now);
        let late = {
            let callback = Arc::clone(&callback);
            thread::spawn(move || {
                callback.calls.enter();
                if callback.calls.is_freed() {
                    // The default result is read.
                    // SAFETY: loom looks.
                    callback.user.with(|user| unsafe { *user });
                }
                assert!(!callback.calls.leave(), "there is no hook");
            })
        };
        if callback.calls.renew() {
            // SAFETY: loom looks.
            callback.user.with_mut(|user| unsafe { *user = 2 });
            callback.calls.begin(false);
        }
        late.join().unwrap();
    });
}
