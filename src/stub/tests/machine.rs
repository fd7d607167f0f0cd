//! A machine that knows the instructions which a stub may be made of, and no others. Memory is
//! what a stub was given, byte by byte: anything else that it touches ends the test. What the
//! instructions are is the processor's affair.

use crate::abi::Assignment;
use crate::stub::{Entry, ErrnoCapture, Plan, Upcall};
use crate::types::Convention;

/// Bytes at an address.
pub(super) struct Region {
    pub(super) name: &'static str,
    pub(super) base: u64,
    pub(super) bytes: Vec<u8>,
    pub(super) is_writable: bool,
}

/// How far a stub has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Before,
    /// The instructions since the call.
    After(usize),
}

pub(super) struct Machine {
    /// General registers by their numbers, and the stack pointer.
    pub(super) general: [u64; 32],
    pub(super) vector: [[u8; 32]; 32],
    pub(super) x87: Vec<[u8; 10]>,
    pub(super) memory: Vec<Region>,
    pub(super) phase: Phase,
    /// The thread pointer.
    pub(super) thread: u64,
    /// The lowest byte of the stack that was touched.
    pub(super) touched: u64,
    /// The stack is above this and below `stack_top`.
    pub(super) stack_top: u64,
    pub(super) vzeroupper: bool,
    /// What the last comparison found.
    pub(super) zero: bool,
    pub(super) above: bool,
    stack_pointer: usize,
}

/// Why the machine stands still.
pub(super) enum Stop {
    /// A call of this address.
    Call(u64),
    /// A jump to this address.
    Jump(u64),
    /// A return to this address.
    Return(u64),
}

/// What differs from processor to processor.
pub(super) trait Processor {
    type Instruction;

    /// Where a stub gets its own arguments.
    const ENTRY: Entry;
    /// Places of `errno` and of its copy, from the thread pointer.
    const ERRNO: &'static [ErrnoCapture];
    /// The stack pointer's number among the general registers.
    const STACK_POINTER: usize;
    /// The register with the target's address.
    const CONTEXT: usize;
    /// The register in which a return address comes, or none: it is on the stack.
    const LINK: Option<usize>;
    /// The register that points to the caller's own value of it and, above that, to the return
    /// address.
    const FRAME: usize;
    /// General registers that are as they were after a call.
    const SAVED: &'static [usize];
    /// Vector registers of which the low 8 bytes are.
    const SAVED_VECTORS: std::ops::Range<usize>;

    fn emit(plan: &Plan) -> Vec<u8>;
    fn decode(code: &[u8]) -> Vec<Self::Instruction>;
    /// Executes from an instruction on to the next that leaves the stub; says which is next.
    fn run(machine: &mut Machine, code: &[Self::Instruction], index: usize) -> (Stop, usize);
    /// One call or one jump, and the frame that the unwind rule expects.
    fn check_shape(plan: &Plan, code: &[Self::Instruction]);
    /// What a callee is told that is no argument.
    fn check_call(machine: &Machine, assignment: &Assignment);
}

/// What differs where a receiver is called.
pub(super) trait Receivers: Processor {
    /// The register of a handler's third argument.
    const USER: usize;
    /// The register that holds a handler's address when it is jumped to, if there is one.
    const JUMPS_THROUGH: Option<usize>;
    /// The convention by which handlers are called.
    const NATIVE: Convention;

    fn emit_upcall(upcall: &Upcall) -> Vec<u8>;
    /// A landing pad; one call, and the frame that the unwind rule expects, or a jump.
    fn check_receiver(code: &[Self::Instruction], has_frame: bool);
}

const PAGE: u64 = 4096;

impl Machine {
    pub(super) fn new<P: Processor>(stack_top: u64, thread: u64) -> Machine {
        Machine {
            general: [0; 32],
            vector: [[0; 32]; 32],
            x87: Vec::new(),
            memory: Vec::new(),
            phase: Phase::Before,
            thread,
            touched: stack_top,
            stack_top,
            vzeroupper: false,
            zero: false,
            above: false,
            stack_pointer: P::STACK_POINTER,
        }
    }

    fn find(&mut self, address: u64, size: usize) -> (&mut Region, usize) {
        let fits = |region: &&mut Region| {
            let at = address.wrapping_sub(region.base);
            at < region.bytes.len() as u64 && at + size as u64 <= region.bytes.len() as u64
        };
        let region = self.memory.iter_mut().find(fits);
        let region = region.unwrap_or_else(|| panic!("{size} bytes at {address:#x} are nobody's"));
        let at = (address - region.base) as usize;
        (region, at)
    }

    pub(super) fn load(&mut self, address: u64, size: usize) -> Vec<u8> {
        let (region, at) = self.find(address, size);
        let bytes = region.bytes[at..at + size].to_vec();
        let is_stack = region.name == "stack";
        assert!(
            !is_stack || address >= self.general[self.stack_pointer],
            "a load below the stack pointer"
        );
        self.touch(address);
        bytes
    }

    pub(super) fn store(&mut self, address: u64, bytes: &[u8]) {
        let (region, at) = self.find(address, bytes.len());
        assert!(region.is_writable, "a store to {}", region.name);
        if region.name == "stack" {
            let lowest = self.general[self.stack_pointer];
            assert!(address >= lowest, "a store below the stack pointer");
        }
        let (region, _) = self.find(address, bytes.len());
        region.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self.touch(address);
    }

    /// A stack grows page by page: none may be skipped.
    fn touch(&mut self, address: u64) {
        let is_stack = address < self.stack_top && address > self.stack_top - (1 << 30);
        if is_stack && address < self.touched {
            let skipped = self.touched - address;
            assert!(skipped <= PAGE, "{skipped} bytes of the stack were skipped");
            self.touched = address;
        }
    }
}

pub(super) fn number(bytes: &[u8]) -> u64 {
    let mut whole = [0; 8];
    whole[..bytes.len().min(8)].copy_from_slice(&bytes[..bytes.len().min(8)]);
    u64::from_le_bytes(whole)
}
