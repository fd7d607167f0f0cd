//! Calls that survive a fault of what they call: SIGSEGV, SIGBUS, SIGFPE and SIGILL are caught, and
//! the call goes on behind the callee, as if it had returned.
//!
//! Who does what: `handlers` owns the signals and passes on what is none of its business; `thread`
//! is what a handler may look at; `recovery` is the point at which a call goes on, in a chain from
//! the innermost outwards; `stack` is the stack that handlers run on; each machine has the frame
//! that such a call is made from, and knows what a signal's context looks like.

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod handlers;
mod recovery;
mod sanitizer;
mod stack;
mod thread;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
use aarch64 as machine;
#[cfg(target_arch = "x86_64")]
use x86_64 as machine;

pub use handlers::install;
pub use recovery::protected_enter;
pub use stack::prepare_thread;

/// What the code that faulted was doing with the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It read from it.
    Read,
    /// It wrote to it.
    Write,
    /// It ran what is there.
    Execute,
    /// The machine does not say.
    Unknown,
}

/// A fault, as the signal told of it.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// SIGSEGV, SIGBUS, SIGFPE or SIGILL.
    pub signal: i32,
    /// Its si_code.
    pub code: i32,
    /// The address that could not be used, of SIGSEGV and SIGBUS. The machine does not always know it.
    pub address: Option<usize>,
    /// What was done with the address.
    pub access: Access,
    /// Where the code was.
    pub instruction: usize,
    /// Where it would have returned to, if it was at a place that cannot be run.
    pub caller: Option<usize>,
    /// The address is where the thread's stack ends.
    pub is_stack_overflow: bool,
}

impl Fault {
    const NONE: Fault = Fault {
        signal: 0,
        code: 0,
        address: None,
        access: Access::Unknown,
        instruction: 0,
        caller: None,
        is_stack_overflow: false,
    };
}
