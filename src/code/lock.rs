//! The locks of what the whole process shares.
//!
//! valgrind's helgrind, which looks for data races while a program runs, knows pthread's locks and no
//! others. A library that is built for it (`--cfg helgrind`) has those, and tells it of the memory whose words
//! are all atomic numbers, which it cannot tell from other memory.

#[cfg(not(helgrind))]
pub use plain::{Mutex, MutexGuard, new_raw, only_atomics};
#[cfg(helgrind)]
pub use seen::{Mutex, MutexGuard, new_raw, only_atomics};

#[cfg(not(helgrind))]
mod plain {
    pub use parking_lot::{Mutex, MutexGuard};
    use parking_lot::{RawMutex, lock_api};

    /// The state of a lock that nobody has.
    pub fn new_raw() -> RawMutex {
        <RawMutex as lock_api::RawMutex>::INIT
    }

    /// Says of memory that all its words are atomic numbers.
    #[inline]
    pub fn only_atomics(_address: usize, _length: usize) {}
}

#[cfg(helgrind)]
mod seen {
    use super::super::machine::tell_valgrind;
    use parking_lot::lock_api;
    use std::cell::UnsafeCell;

    /// As in valgrind/helgrind.h; the upper half is its name, HG.
    const MAKE_UNTRACKED: usize = 0x4847_0127;

    /// A value with a lock.
    pub type Mutex<T> = lock_api::Mutex<RawMutex, T>;
    /// What has the lock.
    pub type MutexGuard<'a, T> = lock_api::MutexGuard<'a, RawMutex, T>;

    /// The state of a lock that nobody has.
    pub fn new_raw() -> RawMutex {
        <RawMutex as lock_api::RawMutex>::INIT
    }

    /// Says of memory that all its words are atomic numbers.
    pub fn only_atomics(address: usize, length: usize) {
        tell_valgrind(MAKE_UNTRACKED, address, length);
    }

    /// A lock that helgrind knows. It is in static memory, and so never moves.
    pub struct RawMutex(UnsafeCell<libc::pthread_mutex_t>);

    // SAFETY: it is for several threads.
    unsafe impl Sync for RawMutex {}
    // SAFETY: nobody has it when it is moved.
    unsafe impl Send for RawMutex {}

    // SAFETY: pthread's lock is one.
    unsafe impl lock_api::RawMutex for RawMutex {
        #[allow(
            clippy::declare_interior_mutable_const,
            reason = "the trait's way of making a lock"
        )]
        const INIT: RawMutex = RawMutex(UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER));
        type GuardMarker = lock_api::GuardNoSend;

        fn lock(&self) {
            // SAFETY: it is initialized.
            let result = unsafe { libc::pthread_mutex_lock(self.0.get()) };
            assert_eq!(result, 0, "pthread_mutex_lock");
        }

        fn try_lock(&self) -> bool {
            // SAFETY: as above.
            unsafe { libc::pthread_mutex_trylock(self.0.get()) == 0 }
        }

        unsafe fn unlock(&self) {
            // SAFETY: the caller has it.
            unsafe { libc::pthread_mutex_unlock(self.0.get()) };
        }
    }
}
