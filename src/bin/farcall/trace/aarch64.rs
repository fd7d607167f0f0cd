//! Values in the registers of AArch64.

use super::{Value, Values};
use farcall::abi::Assignment;
use farcall::stub::Arguments;
use std::collections::HashMap;
use yaxpeax_arm::armv8::a64::{Instruction, Opcode, Operand, SIMDSizeCode, SizeCode};

/// A general register or a vector register, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Register {
    General(u16),
    Vector(u16),
}

const FRAME: u16 = 29;
/// The stack pointer or the zero register, as the instruction has it.
const LAST: u16 = 31;
/// The register with the function's address.
const CONTEXT: u16 = 17;

/// What an instruction reads or writes in memory.
struct Access {
    base: u16,
    /// From the base before it is changed.
    at: i64,
    /// What is added to the base, before or after.
    step: i64,
    /// Bytes of each register.
    size: u64,
    registers: Vec<Register>,
}

/// What an instruction of a callback does with its record, whose address is in x17.
pub(crate) fn of_callback(instruction: &Instruction) -> Option<String> {
    /// What the code is that is jumped to or called.
    const CODE: u16 = 16;
    let text = match (instruction.opcode, instruction.operands) {
        (Opcode::ADR | Opcode::ADRP | Opcode::ADD, [Operand::Register(_, CONTEXT), ..]) => {
            "the callback's record"
        }
        (Opcode::LDP, [Operand::Register(_, CODE), ..]) => "the handler and its user",
        (Opcode::LDR, [Operand::Register(_, CODE), ..]) => "where the record says",
        (Opcode::BLR, _) => "the handler",
        (Opcode::BR, _) => "the receiver",
        _ => return None,
    };
    Some(text.to_owned())
}

/// Follows a stub from its first instruction on.
pub(crate) struct Trace<'a> {
    values: Values<'a>,
    registers: HashMap<Register, Value>,
    /// The register that holds the thread pointer.
    thread: Option<u16>,
}

impl<'a> Trace<'a> {
    pub(crate) fn new(assignment: &'a Assignment, arguments: Arguments) -> Trace<'a> {
        let registers = [
            (Register::General(0), Value::Result),
            (Register::General(1), Value::Array(0)),
        ];
        Trace {
            values: Values::new(assignment, arguments),
            registers: registers.into_iter().collect(),
            thread: None,
        }
    }

    /// What an instruction does, in a few words. To be asked of all of them in order.
    pub(crate) fn comment(&mut self, instruction: &Instruction) -> Option<String> {
        use Opcode::*;
        match (instruction.opcode, instruction.operands) {
            (BLR | BR, [Operand::Register(_, register), ..]) => {
                if instruction.opcode == BLR {
                    self.values.is_after_call = true;
                    // A function leaves nothing in its registers but what the stub gets back from
                    // the stack.
                    self.registers.clear();
                }
                (register == CONTEXT).then(|| "the function".to_owned())
            }
            (
                LDR | LDUR | LDRB | LDURB | LDRH | LDURH | LDRSB | LDURSB | LDRSH | LDURSH | LDP,
                _,
            ) => {
                let access = access(instruction)?;
                self.load(&access)
            }
            (STR | STUR | STRB | STURB | STRH | STURH | STP, _) => {
                let access = access(instruction)?;
                self.store(&access)
            }
            (MOVZ | MOVN, [Operand::Register(_, register), ..]) => {
                self.set(register, None);
                (register == CONTEXT).then(|| "the function's address goes here".to_owned())
            }
            (MRS, [Operand::Register(_, register), ..]) => {
                self.set(register, None);
                self.thread = Some(register);
                None
            }
            // Moves between registers.
            (
                ORR,
                [
                    Operand::Register(_, to),
                    Operand::Register(_, LAST),
                    Operand::Register(_, from) | Operand::RegShift(_, 0, _, from),
                    _,
                ],
            ) => {
                let value = self.value(Register::General(from));
                self.set(to, value);
                match value? {
                    Value::Result => Some("the result's address".to_owned()),
                    _ => None,
                }
            }
            (
                ADD,
                [
                    Operand::RegisterOrSP(_, to),
                    Operand::RegisterOrSP(_, base),
                    amount,
                    _,
                ],
            ) => {
                let value = constant(amount).and_then(|more| self.further(base, more));
                self.set(to, value);
                value.and_then(|value| match value {
                    Value::Area(_) => self.values.describe(value),
                    _ => None,
                })
            }
            _ => {
                if let Operand::Register(_, to) | Operand::RegisterOrSP(_, to) =
                    instruction.operands[0]
                {
                    self.set(to, None);
                }
                if let Operand::SIMDRegister(_, to) = instruction.operands[0] {
                    self.registers.remove(&Register::Vector(to));
                }
                None
            }
        }
    }

    fn value(&self, register: Register) -> Option<Value> {
        self.registers.get(&register).copied()
    }

    fn set(&mut self, register: u16, value: Option<Value>) {
        self.put(Register::General(register), value);
        if self.thread == Some(register) {
            self.thread = None;
        }
    }

    fn put(&mut self, register: Register, value: Option<Value>) {
        match value {
            // Nothing stays in the zero register, and where sp is needs no following.
            Some(value) if register != Register::General(LAST) => {
                self.registers.insert(register, value);
            }
            _ => {
                self.registers.remove(&register);
            }
        }
    }

    /// What is so many bytes behind what a register points to.
    fn further(&self, base: u16, more: u64) -> Option<Value> {
        if base == LAST {
            return (!self.values.is_after_call).then_some(Value::Area(more));
        }
        match self.value(Register::General(base))? {
            Value::Array(at) => Some(Value::Array(at + more)),
            Value::Address(index, at) => Some(Value::Address(index, at + more)),
            Value::Area(at) => Some(Value::Area(at + more)),
            _ => None,
        }
    }

    fn load(&mut self, access: &Access) -> Option<String> {
        let is_kept_result = self.values.is_after_call
            && self.values.keeps_result
            && matches!(access.base, FRAME | LAST)
            && matches!(access.registers.as_slice(), [Register::General(register)] if *register != FRAME);
        let is_errno = self.thread == Some(access.base);
        let base = self.value(Register::General(access.base));
        let mut values = Vec::new();
        for (&register, index) in access.registers.iter().zip(0..) {
            let at = u64::try_from(access.at)
                .ok()
                .map(|at| at + index * access.size);
            let value = match (base, at) {
                _ if is_errno => Some(Value::Errno),
                _ if is_kept_result => Some(Value::Result),
                (Some(base), Some(at)) => self.values.loaded(base, at, access.size),
                _ => None,
            };
            match register {
                // The thread pointer is needed once more.
                Register::General(number) if !is_errno => self.set(number, value),
                register => self.put(register, value),
            }
            values.extend(value);
        }
        self.step(access);
        self.joined(&values)
    }

    fn store(&mut self, access: &Access) -> Option<String> {
        let held: Vec<_> = access
            .registers
            .iter()
            .map(|&register| self.value(register))
            .collect();
        if self.thread == Some(access.base) {
            return (held == [Some(Value::Errno)]).then(|| "keep errno".to_owned());
        }
        let base = self.value(Register::General(access.base));
        let comment = if access.base == LAST && access.step != 0 {
            match held.as_slice() {
                [Some(Value::Result)] => self.values.keep_result(),
                _ => None,
            }
        } else if self.values.is_after_call && base == Some(Value::Result) {
            let is_zero = access
                .registers
                .iter()
                .all(|&register| register == Register::General(LAST));
            let size = access.size * access.registers.len() as u64;
            let text = self.values.to_result(access.at.unsigned_abs(), size);
            Some(if is_zero {
                format!("{text}, zero")
            } else {
                text
            })
        } else {
            let start = match base {
                _ if access.base == LAST && !self.values.is_after_call => Some(0),
                Some(Value::Area(at)) => Some(at),
                _ => None,
            };
            let values: Option<Vec<_>> = held.into_iter().collect();
            match (start, values) {
                (Some(start), Some(values)) => {
                    let at = start.wrapping_add_signed(access.at);
                    self.values.moved_to_stack(*merged(&values).first()?, at)
                }
                _ => None,
            }
        };
        self.step(access);
        comment
    }

    /// Loads and stores may move their base on.
    fn step(&mut self, access: &Access) {
        if access.step != 0 {
            let more = u64::try_from(access.step).ok();
            let value = more.and_then(|more| self.further(access.base, more));
            self.set(access.base, value);
        }
    }

    fn joined(&self, values: &[Value]) -> Option<String> {
        let texts: Vec<_> = merged(values)
            .into_iter()
            .filter_map(|value| self.values.describe(value))
            .collect();
        (!texts.is_empty()).then(|| texts.join(", "))
    }
}

/// Neighbouring bytes of a parameter as one.
fn merged(values: &[Value]) -> Vec<Value> {
    let mut merged: Vec<Value> = Vec::with_capacity(values.len());
    for &value in values {
        match (merged.last_mut(), value) {
            (Some(Value::Bytes(index, at, size)), Value::Bytes(next, next_at, more))
                if *index == next && *at + *size == next_at =>
            {
                *size += more;
            }
            _ => merged.push(value),
        }
    }
    merged
}

/// A number that is added.
fn constant(amount: Operand) -> Option<u64> {
    match amount {
        Operand::Immediate(number) => Some(u64::from(number)),
        Operand::ImmShift(number, shift) => Some(u64::from(number) << shift),
        _ => None,
    }
}

fn access(instruction: &Instruction) -> Option<Access> {
    use Opcode::*;
    let mut registers = Vec::new();
    let mut size = 0;
    for operand in instruction.operands {
        let (own, register) = match operand {
            Operand::Register(SizeCode::X, number) => (8, Register::General(number)),
            Operand::Register(SizeCode::W, number) => (4, Register::General(number)),
            Operand::SIMDRegister(code, number) => {
                let own = match code {
                    SIMDSizeCode::B => 1,
                    SIMDSizeCode::H => 2,
                    SIMDSizeCode::S => 4,
                    SIMDSizeCode::D => 8,
                    SIMDSizeCode::Q => 16,
                };
                (own, Register::Vector(number))
            }
            Operand::RegPreIndex(base, at, changes) => {
                return Some(Access {
                    base,
                    at: i64::from(at),
                    step: if changes { i64::from(at) } else { 0 },
                    size: match instruction.opcode {
                        LDRB | LDURB | LDRSB | LDURSB | STRB | STURB => 1,
                        LDRH | LDURH | LDRSH | LDURSH | STRH | STURH => 2,
                        _ => size,
                    },
                    registers,
                });
            }
            Operand::RegPostIndex(base, step) => {
                return Some(Access {
                    base,
                    at: 0,
                    step: i64::from(step),
                    size,
                    registers,
                });
            }
            _ => return None,
        };
        size = own;
        registers.push(register);
    }
    None
}
