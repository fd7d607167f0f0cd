//! The end of a thread that has come by something of farcall's so late that Rust's thread-local variables are
//! not dropped any more: in a destructor of pthread_key_create, which glibc runs after theirs.

use std::ffi::c_void;
use std::ptr;
use std::sync::OnceLock;

/// What is done at the end of each thread that was remembered.
pub struct AtThreadEnd {
    run: unsafe extern "C" fn(*mut c_void),
    key: OnceLock<Option<libc::pthread_key_t>>,
}

impl AtThreadEnd {
    /// `run` is called on the thread itself, whose variables may have been dropped already. What it is called with
    /// means nothing.
    pub const fn new(run: unsafe extern "C" fn(*mut c_void)) -> AtThreadEnd {
        AtThreadEnd {
            run,
            key: OnceLock::new(),
        }
    }

    /// Remembers this thread. Where the system has no keys left nothing is done at its end.
    #[cold]
    pub fn remember(&self) {
        let key = self.key.get_or_init(|| {
            let mut key = 0;
            // SAFETY: the destructor is a function for one.
            let made = unsafe { libc::pthread_key_create(&mut key, Some(self.run)) };
            (made == 0).then_some(key)
        });
        if let Some(key) = *key {
            // SAFETY: the key was made, and is never deleted. Any value but NULL has the destructor called.
            unsafe { libc::pthread_setspecific(key, ptr::without_provenance(1)) };
        }
    }
}
