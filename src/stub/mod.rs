//! Machine code for an assignment, in two steps: a neutral plan says what moves where, an emitter
//! writes it for one CPU. Emitters run on every host and know nothing of calling conventions.
//!
//! A stub is entered with the result's address and the argument array in the registers of the
//! native convention's first two parameters, and the target's address in the context register
//! (r11 on x86-64, x17 on AArch64). It is position-independent.
//!
//! The other way round a callback's thunk sets the context register to the callback's record and
//! jumps to a receiver, a stub that is entered by any convention and calls a handler. It has a plan of
//! its own kind, an `Upcall`.

pub mod aarch64;
mod chunks;
mod emitter;
mod plan;
pub mod threaded;
mod upcall;
pub mod x86_64;

pub use emitter::{Emitter, emitter};
pub use plan::{
    Address, Arguments, Entry, ErrnoCapture, Move, Plan, Store, StoreSource, plan, stores,
};
pub use upcall::{
    Location, RECORD_ENTRY, RECORD_HANDLER, RECORD_USER, ResultAddress, Return, Save, Saved,
    THUNK_LENGTH, Upcall, upcall,
};

#[cfg(test)]
mod tests;
