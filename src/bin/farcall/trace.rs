//! What each instruction of a stub moves. Nothing is taken from the plan: registers are followed
//! through the instructions themselves, and where that does not tell, nothing is said.

use farcall::abi::{Assignment, ResultPassing};
use farcall::stub::Arguments;
use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};
use std::collections::HashMap;

/// What a register holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    /// The address of the array of arguments.
    Array,
    /// The address of the result's memory, or of the slot that has it.
    Result,
    /// The address of a parameter's value.
    Address(usize),
    /// Bytes of a parameter: where they begin, and how many.
    Bytes(usize, u64, u64),
    /// `errno`.
    Errno,
}

/// Follows a stub from its first instruction on.
pub(crate) struct Trace<'a> {
    assignment: &'a Assignment,
    arguments: Arguments,
    registers: HashMap<Register, Value>,
    information: InstructionInfoFactory,
    keeps_result: bool,
    is_after_call: bool,
}

impl<'a> Trace<'a> {
    pub(crate) fn new(assignment: &'a Assignment, arguments: Arguments) -> Trace<'a> {
        let registers = [
            (Register::RDI, Value::Result),
            (Register::RSI, Value::Array),
        ];
        Trace {
            assignment,
            arguments,
            registers: registers.into_iter().collect(),
            information: InstructionInfoFactory::new(),
            keeps_result: false,
            is_after_call: false,
        }
    }

    /// What an instruction does, in a few words. To be asked of all of them in order.
    pub(crate) fn comment(&mut self, instruction: &Instruction) -> Option<String> {
        let (comment, value) = self.effect(instruction);
        self.forget_written(instruction);
        if let Some((register, value)) = value {
            self.registers.insert(register, value);
        }
        comment
    }

    /// The comment, and what is in which register after it.
    fn effect(&mut self, instruction: &Instruction) -> (Option<String>, Option<(Register, Value)>) {
        let is_register = |operand: u32| {
            instruction.op_count() > operand && instruction.op_kind(operand) == OpKind::Register
        };
        let is_memory = |operand: u32| {
            instruction.op_count() > operand && instruction.op_kind(operand) == OpKind::Memory
        };
        let first = instruction.op0_register().full_register();
        match instruction.mnemonic() {
            Mnemonic::Call | Mnemonic::Jmp if is_register(0) => {
                self.is_after_call |= instruction.mnemonic() == Mnemonic::Call;
                let is_target = instruction.op0_register() == Register::R11;
                return (is_target.then(|| "the function".to_owned()), None);
            }
            Mnemonic::Push if is_register(0) => {
                // Without stores after the call it is only pushed to align the stack.
                let is_result = self.value(first) == Some(Value::Result)
                    && self.assignment.result == ResultPassing::Registers
                    && !self.keeps_result;
                self.keeps_result |= is_result;
                let kept = is_result.then(|| "keep the result's address".to_owned());
                let moved = match self.value(first) {
                    Some(bytes @ Value::Bytes(..)) => self.describe(bytes),
                    _ => None,
                };
                let comment = kept.or(moved.map(|text| format!("{text}, to the stack")));
                return (comment, None);
            }
            Mnemonic::Push if is_memory(0) => {
                let moved = self
                    .loaded(instruction)
                    .and_then(|value| self.describe(value));
                return (moved.map(|text| format!("{text}, to the stack")), None);
            }
            // The frame is gone down to what was pushed first.
            Mnemonic::Pop if self.is_after_call && self.keeps_result && first == Register::RCX => {
                return (
                    Some("the result's address".to_owned()),
                    Some((first, Value::Result)),
                );
            }
            Mnemonic::Mov if first == Register::R11 && !is_register(1) && !is_memory(1) => {
                return (Some("the function's address goes here".to_owned()), None);
            }
            Mnemonic::Mov
                if first == Register::RAX
                    && !is_register(1)
                    && !is_memory(1)
                    && self.assignment.vector_count.is_some()
                    && !self.is_after_call =>
            {
                return (Some("how many vector registers are used".to_owned()), None);
            }
            _ => {}
        }
        if is_register(0) && is_memory(1) {
            let value = self.loaded(instruction);
            let comment = value.and_then(|value| self.describe(value));
            return (comment, value.map(|value| (first, value)));
        }
        if is_memory(0) && is_register(1) {
            let stored = self.value(instruction.op1_register().full_register());
            return (self.stored(instruction, stored), None);
        }
        if instruction.mnemonic() == Mnemonic::Fstp && is_memory(0) {
            return (self.stored(instruction, None), None);
        }
        // What no register brings is cleared.
        if instruction.mnemonic() == Mnemonic::Mov && is_memory(0) {
            let cleared = self.stored(instruction, None);
            return (cleared.map(|text| format!("{text}, zero")), None);
        }
        (None, None)
    }

    fn value(&self, register: Register) -> Option<Value> {
        self.registers.get(&register).copied()
    }

    /// What is where an instruction reads.
    fn loaded(&self, instruction: &Instruction) -> Option<Value> {
        if instruction.memory_segment() == Register::FS {
            return self.is_after_call.then_some(Value::Errno);
        }
        let at = instruction.memory_displacement64();
        let size = instruction.memory_size().size() as u64;
        if instruction.memory_index() != Register::None {
            return None;
        }
        match self.value(instruction.memory_base())? {
            Value::Array => {
                let index = (at / 8) as usize;
                let parameter = self.assignment.parameters().get(index)?;
                match self.arguments == Arguments::Slots && parameter.size <= 8 {
                    true => Some(Value::Bytes(index, at % 8, size)),
                    false => Some(Value::Address(index)),
                }
            }
            Value::Address(index) => Some(Value::Bytes(index, at, size)),
            // The slot of a result that is larger than a slot holds its address.
            Value::Result if at == 0 && size == 8 && !self.is_after_call => Some(Value::Result),
            _ => None,
        }
    }

    fn describe(&self, value: Value) -> Option<String> {
        Some(match value {
            Value::Array => return None,
            Value::Result => "the result's address".to_owned(),
            Value::Address(index) => format!("address of parameter {}", index + 1),
            Value::Bytes(index, at, size) => {
                let parameter = self.assignment.parameters().get(index)?;
                let whole = u64::from(parameter.size);
                match at == 0 && size >= whole {
                    true => format!("parameter {}", index + 1),
                    false => format!("parameter {}, {}", index + 1, span(at, size)),
                }
            }
            Value::Errno => "errno".to_owned(),
        })
    }

    fn stored(&self, instruction: &Instruction, stored: Option<Value>) -> Option<String> {
        if instruction.memory_segment() == Register::FS {
            let is_errno = stored == Some(Value::Errno);
            return is_errno.then(|| "keep errno".to_owned());
        }
        let base = instruction.memory_base();
        let size = instruction.memory_size().size() as u64;
        if base == Register::RSP {
            let text = self.describe(stored?)?;
            return Some(format!("{text}, to the stack"));
        }
        if self.is_after_call && self.value(base) == Some(Value::Result) {
            let at = instruction.memory_displacement64();
            let whole = u64::from(self.assignment.result_size);
            return Some(match at == 0 && size >= whole {
                true => "the result".to_owned(),
                false => format!("the result, {}", span(at, size)),
            });
        }
        None
    }

    fn forget_written(&mut self, instruction: &Instruction) {
        let information = self.information.info(instruction);
        for used in information.used_registers() {
            let is_written = matches!(
                used.access(),
                OpAccess::Write
                    | OpAccess::ReadWrite
                    | OpAccess::CondWrite
                    | OpAccess::ReadCondWrite
            );
            if is_written {
                self.registers.remove(&used.register().full_register());
            }
        }
        // A function leaves nothing in its registers but what the stub gets back from the stack.
        if instruction.mnemonic() == Mnemonic::Call {
            self.registers.clear();
        }
    }
}

fn span(at: u64, size: u64) -> String {
    match size {
        1 => format!("byte {at}"),
        _ => format!("bytes {at}-{}", at + size - 1),
    }
}
