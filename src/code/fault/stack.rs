//! The stack that signal handlers of a thread run on: where its own has ended, nothing can run on
//! that.

use super::thread;
use crate::code::AtThreadEnd;
use crate::error::{Error, Result, Status};
use std::cell::Cell;
use std::ffi::c_void;
use std::io::Error as SystemError;
use std::mem::MaybeUninit;
use std::ptr;

/// Where a thread's own stack lies.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    low: usize,
    high: usize,
    /// So many bytes at the low end, on both sides of it, are no use to anybody: systems count the guard
    /// in or not.
    guard: usize,
}

/// What the system keeps free below the main thread's stack, which has no guard of its own.
const MAIN_GUARD: usize = 1 << 20;

impl Bounds {
    pub(super) const UNKNOWN: Bounds = Bounds {
        low: 0,
        high: 0,
        guard: 0,
    };

    /// The address is on the stack, or in what guards it.
    pub(super) fn has(&self, address: usize) -> bool {
        self.low.saturating_sub(self.guard) <= address && address < self.high
    }

    /// The address, which cannot be used, is in what guards the stack.
    pub(super) fn is_guard(&self, address: usize) -> bool {
        self.has(address) && address < self.low.saturating_add(self.guard)
    }

    /// Of this thread; unknown where the system cannot tell.
    fn of_this_thread() -> Bounds {
        let mut attributes = MaybeUninit::<libc::pthread_attr_t>::zeroed();
        let mut low = ptr::null_mut();
        let (mut size, mut guard) = (0, 0);
        // SAFETY: what the first call makes is read, then given back.
        let is_main = unsafe {
            if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
                return Bounds::UNKNOWN;
            }
            libc::pthread_attr_getstack(attributes.as_ptr(), &mut low, &mut size);
            libc::pthread_attr_getguardsize(attributes.as_ptr(), &mut guard);
            libc::pthread_attr_destroy(attributes.as_mut_ptr());
            libc::gettid() == libc::getpid()
        };
        let low = low as usize;
        Bounds {
            low,
            high: low.saturating_add(size),
            guard: match guard {
                0 if is_main => MAIN_GUARD,
                guard => guard,
            },
        }
    }
}

/// A handler's stack that farcall has made for a thread, and gives back when that ends.
struct Alternate {
    mapping: Cell<*mut libc::c_void>,
    length: Cell<usize>,
}

thread_local! {
    static ALTERNATE: Alternate = const {
        Alternate { mapping: Cell::new(ptr::null_mut()), length: Cell::new(0) }
    };
}

static AT_END: AtThreadEnd = AtThreadEnd::new(give_back_own);

unsafe extern "C" fn give_back_own(_: *mut c_void) {
    let _ = ALTERNATE.try_with(Alternate::give_back);
}

impl Drop for Alternate {
    fn drop(&mut self) {
        self.give_back();
    }
}

impl Alternate {
    fn give_back(&self) {
        let mapping = self.mapping.replace(ptr::null_mut());
        if mapping.is_null() {
            return;
        }
        // SAFETY: the memory is this thread's own, and no longer used once the system has
        // forgotten it.
        unsafe {
            let mut current = MaybeUninit::<libc::stack_t>::zeroed();
            let asked = libc::sigaltstack(ptr::null(), current.as_mut_ptr());
            let current = current.assume_init();
            let is_own = current.ss_sp == mapping.wrapping_byte_add(page());
            if is_own && current.ss_flags & libc::SS_ONSTACK != 0 || asked != 0 {
                return;
            }
            if is_own {
                let none = libc::stack_t {
                    ss_sp: ptr::null_mut(),
                    ss_flags: libc::SS_DISABLE,
                    ss_size: 0,
                };
                libc::sigaltstack(&none, ptr::null_mut());
            }
            libc::munmap(mapping, self.length.get());
        }
    }
}

fn page() -> usize {
    // SAFETY: asks for a number.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
}

/// What the system puts on a handler's stack, at most.
fn frame_size() -> usize {
    const AT_MINSIGSTKSZ: libc::c_ulong = 51;
    // SAFETY: asks for a number; 0 where there is none.
    let told = unsafe { libc::getauxval(AT_MINSIGSTKSZ) } as usize;
    told.max(libc::MINSIGSTKSZ)
}

/// So much do the handlers of this module need beside the system's part.
const OWN_NEED: usize = 2048;
/// So much is there for handlers that were there before.
const OTHERS_NEED: usize = 64 << 10;

/// Sees to it that this thread has a stack for handlers: the program's own if it has one that is large
/// enough. Protected calls want it; after the first time it is cheap.
pub fn prepare_thread() -> Result<()> {
    let thread = thread::current();
    // SAFETY: a thread's state is its own.
    unsafe {
        if (*thread).is_prepared {
            return Ok(());
        }
        let mut current = MaybeUninit::<libc::stack_t>::zeroed();
        if libc::sigaltstack(ptr::null(), current.as_mut_ptr()) != 0 {
            return Err(failed("sigaltstack", Status::System));
        }
        let current = current.assume_init();
        let is_there = current.ss_flags & libc::SS_DISABLE == 0;
        let is_enough = is_there && current.ss_size >= frame_size() + OWN_NEED;
        // The one that the thread is running on cannot be replaced.
        let is_in_use = current.ss_flags & libc::SS_ONSTACK != 0;
        if !is_enough && !is_in_use {
            make_alternate()?;
        }
        (*thread).stack = Bounds::of_this_thread();
        (*thread).is_prepared = true;
    }
    Ok(())
}

/// A stack with a guard of its own.
unsafe fn make_alternate() -> Result<()> {
    let page = page();
    let size = (frame_size() + OWN_NEED + OTHERS_NEED).next_multiple_of(page);
    let length = page + size;
    // SAFETY: new memory, which stays until the thread ends.
    unsafe {
        let mapping = libc::mmap(
            ptr::null_mut(),
            length,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK,
            -1,
            0,
        );
        if mapping == libc::MAP_FAILED {
            return Err(failed("mmap", Status::Memory));
        }
        let stack = libc::stack_t {
            ss_sp: mapping.wrapping_byte_add(page),
            ss_flags: 0,
            ss_size: size,
        };
        // A thread that is ending frees nothing any more: it does without.
        let is_kept = libc::mprotect(mapping, page, libc::PROT_NONE) == 0
            && ALTERNATE
                .try_with(|alternate| {
                    alternate.mapping.set(mapping);
                    alternate.length.set(length);
                    AT_END.remember();
                })
                .is_ok();
        if !is_kept {
            libc::munmap(mapping, length);
        } else if libc::sigaltstack(&stack, ptr::null_mut()) != 0 {
            return Err(failed("sigaltstack", Status::System));
        }
    }
    Ok(())
}

fn failed(call: &str, status: Status) -> Error {
    let error = SystemError::last_os_error();
    Error {
        os: error.raw_os_error().unwrap_or(0),
        ..Error::new(
            status,
            format!("{call} (making a stack for signal handlers): {error}"),
        )
    }
}
