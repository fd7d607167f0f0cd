//! The emitters by the processor that they are for, whatever the host is.

use super::{Entry, Plan, Upcall, aarch64, x86_64};
use crate::abi::Processor;

/// What an emitter can do.
#[derive(Debug)]
pub struct Emitter {
    /// The registers in which its stubs get what they are called with.
    pub entry: Entry,
    /// The code of a plan.
    pub emit: fn(&Plan) -> Vec<u8>,
    /// A function's own entry: of its address, the context, the stub and the stub's address.
    pub emit_entry: fn(u64, u64, &[u8], u64) -> Vec<u8>,
    /// The code of a receiver.
    pub emit_upcall: fn(&Upcall) -> Vec<u8>,
    /// A callback's thunk, which takes `THUNK_LENGTH` bytes: of its address and its record's.
    pub emit_thunk: fn(u64, u64) -> Vec<u8>,
}

/// The emitter for a processor.
pub fn emitter(processor: Processor) -> &'static Emitter {
    static X86_64: Emitter = Emitter {
        entry: x86_64::ENTRY,
        emit: x86_64::emit,
        emit_entry: x86_64::emit_entry,
        emit_upcall: x86_64::emit_upcall,
        emit_thunk: x86_64::emit_thunk,
    };
    static AARCH64: Emitter = Emitter {
        entry: aarch64::ENTRY,
        emit: aarch64::emit,
        emit_entry: aarch64::emit_entry,
        emit_upcall: aarch64::emit_upcall,
        emit_thunk: aarch64::emit_thunk,
    };
    match processor {
        Processor::X86_64 => &X86_64,
        Processor::Aarch64 => &AARCH64,
    }
}
