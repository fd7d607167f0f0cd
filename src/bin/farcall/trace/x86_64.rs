//! Values in the registers of x86-64.

use super::{Value, Values};
use farcall::abi::Assignment;
use farcall::stub::{Arguments, RECORD_HANDLER, RECORD_USER};
use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};
use std::collections::HashMap;

/// What an instruction of a callback does with its record, whose address is in r11.
pub(crate) fn of_callback(instruction: &Instruction) -> Option<String> {
    let is_record = instruction.memory_base() == Register::R11;
    let at = instruction.memory_displacement64();
    let text = match instruction.mnemonic() {
        Mnemonic::Lea if instruction.op0_register() == Register::R11 => "the callback's record",
        Mnemonic::Jmp => "the receiver, as the record says",
        Mnemonic::Call if is_record && at == u64::from(RECORD_HANDLER) => "the handler",
        Mnemonic::Mov if is_record && at == u64::from(RECORD_USER) => "the handler's user",
        _ => return None,
    };
    Some(text.to_owned())
}

/// Follows a stub from its first instruction on.
pub(crate) struct Trace<'a> {
    values: Values<'a>,
    registers: HashMap<Register, Value>,
    information: InstructionInfoFactory,
}

impl<'a> Trace<'a> {
    pub(crate) fn new(assignment: &'a Assignment, arguments: Arguments) -> Trace<'a> {
        let registers = [
            (Register::RDI, Value::Result),
            (Register::RSI, Value::Array(0)),
        ];
        Trace {
            values: Values::new(assignment, arguments),
            registers: registers.into_iter().collect(),
            information: InstructionInfoFactory::new(),
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
                self.values.is_after_call |= instruction.mnemonic() == Mnemonic::Call;
                let is_target = instruction.op0_register() == Register::R11;
                return (is_target.then(|| "the function".to_owned()), None);
            }
            Mnemonic::Push if is_register(0) => {
                // Without stores after the call it is only pushed to align the stack.
                let comment = match self.value(first) {
                    Some(Value::Result) => self.values.keep_result(),
                    Some(bytes @ Value::Bytes(..)) => self.pushed(bytes),
                    _ => None,
                };
                return (comment, None);
            }
            Mnemonic::Push if is_memory(0) => {
                let value = self.loaded(instruction);
                return (value.and_then(|value| self.pushed(value)), None);
            }
            // The frame is gone down to what was pushed first.
            Mnemonic::Pop
                if self.values.is_after_call
                    && self.values.keeps_result
                    && first == Register::RCX =>
            {
                return (
                    Some("the result's address".to_owned()),
                    Some((first, Value::Result)),
                );
            }
            Mnemonic::Lea
                if instruction.memory_base() == Register::RSP && !self.values.is_after_call =>
            {
                let value = Value::Area(instruction.memory_displacement64());
                return (self.values.describe(value), Some((first, value)));
            }
            Mnemonic::Mov if first == Register::R11 && !is_register(1) && !is_memory(1) => {
                return (Some("the function's address goes here".to_owned()), None);
            }
            Mnemonic::Mov
                if first == Register::RAX
                    && !is_register(1)
                    && !is_memory(1)
                    && self.values.assignment.vector_count.is_some()
                    && !self.values.is_after_call =>
            {
                return (Some("how many vector registers are used".to_owned()), None);
            }
            Mnemonic::Mov if is_register(0) && is_register(1) => {
                let value = self.value(instruction.op1_register().full_register());
                let comment = match value {
                    Some(Value::Result) => Some("the result's address".to_owned()),
                    _ => None,
                };
                return (comment, value.map(|value| (first, value)));
            }
            _ => {}
        }
        if is_register(0) && is_memory(1) {
            let value = self.loaded(instruction);
            let comment = value.and_then(|value| self.values.describe(value));
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

    fn pushed(&self, value: Value) -> Option<String> {
        let text = self.values.describe(value)?;
        Some(format!("{text}, to the stack"))
    }

    /// What is where an instruction reads.
    fn loaded(&self, instruction: &Instruction) -> Option<Value> {
        if instruction.memory_segment() == Register::FS {
            return self.values.is_after_call.then_some(Value::Errno);
        }
        if instruction.memory_index() != Register::None {
            return None;
        }
        let at = instruction.memory_displacement64();
        let size = instruction.memory_size().size() as u64;
        self.values
            .loaded(self.value(instruction.memory_base())?, at, size)
    }

    fn stored(&mut self, instruction: &Instruction, stored: Option<Value>) -> Option<String> {
        if instruction.memory_segment() == Register::FS {
            let is_errno = stored == Some(Value::Errno);
            return is_errno.then(|| "keep errno".to_owned());
        }
        let base = instruction.memory_base();
        let at = instruction.memory_displacement64();
        let size = instruction.memory_size().size() as u64;
        if base == Register::RSP {
            return self.values.moved_to_stack(stored?, at);
        }
        let is_result = self.values.is_after_call && self.value(base) == Some(Value::Result);
        is_result.then(|| self.values.to_result(at, size))
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
