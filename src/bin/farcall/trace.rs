//! What each instruction of a stub moves. Nothing is taken from the plan: registers are followed
//! through the instructions themselves, and where that does not tell, nothing is said. What a value
//! is stands here; how the instructions of a processor move it, in its file.

pub(crate) mod aarch64;
pub(crate) mod x86_64;

use farcall::abi::{Assignment, Passing, ResultPassing};
use farcall::stub::Arguments;

/// What a register holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    /// An address so many bytes into the array of arguments.
    Array(u64),
    /// The address of the result's memory, or of the slot that has it.
    Result,
    /// An address so many bytes into a parameter's value.
    Address(usize, u64),
    /// Bytes of a parameter: where they begin, and how many.
    Bytes(usize, u64, u64),
    /// An address so many bytes into the stack area.
    Area(u64),
    /// `errno`.
    Errno,
}

/// What is known of a stub's values, between two instructions.
struct Values<'a> {
    assignment: &'a Assignment,
    arguments: Arguments,
    /// The result's address is on the stack.
    keeps_result: bool,
    is_after_call: bool,
    /// Where in the stack area copies begin, and of which parameters they are.
    copies: Vec<(u64, usize)>,
}

impl<'a> Values<'a> {
    fn new(assignment: &'a Assignment, arguments: Arguments) -> Values<'a> {
        Values {
            assignment,
            arguments,
            keeps_result: false,
            is_after_call: false,
            copies: Vec::new(),
        }
    }

    /// What so many bytes are that begin so far behind an address.
    fn loaded(&self, base: Value, at: u64, size: u64) -> Option<Value> {
        match base {
            Value::Array(start) => {
                let at = start + at;
                let index = (at / 8) as usize;
                let parameter = self.assignment.parameters().get(index)?;
                match self.arguments == Arguments::Slots && parameter.size <= 8 {
                    true => Some(Value::Bytes(index, at % 8, size)),
                    false => Some(Value::Address(index, 0)),
                }
            }
            Value::Address(index, start) => Some(Value::Bytes(index, start + at, size)),
            // The slot of a result that is larger than a slot holds its address.
            Value::Result if at == 0 && size == 8 && !self.is_after_call => Some(Value::Result),
            _ => None,
        }
    }

    fn describe(&self, value: Value) -> Option<String> {
        Some(match value {
            Value::Array(_) => return None,
            Value::Area(at) => {
                let copy = self.copies.iter().find(|copy| copy.0 == at);
                format!("address of parameter {}'s copy", copy?.1 + 1)
            }
            Value::Result => "the result's address".to_owned(),
            Value::Address(index, 0) => format!("address of parameter {}", index + 1),
            Value::Address(..) => return None,
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

    /// The first time that the result's address goes to the stack, if something is stored there
    /// after the call.
    fn keep_result(&mut self) -> Option<String> {
        let is_stored = match self.assignment.result {
            ResultPassing::Void => false,
            ResultPassing::Registers => true,
            // What is above it in its slot is cleared.
            ResultPassing::Memory { .. } => {
                self.arguments == Arguments::Slots && self.assignment.result_size < 8
            }
        };
        let is_kept = is_stored && !self.keeps_result;
        self.keeps_result |= is_kept;
        is_kept.then(|| "keep the result's address".to_owned())
    }

    /// A value that goes so far into the stack area.
    fn moved_to_stack(&mut self, value: Value, at: u64) -> Option<String> {
        if let Value::Bytes(index, from, _) = value {
            let parameter = self.assignment.parameters().get(index)?;
            if matches!(parameter.passing, Passing::Reference { .. }) && from == 0 {
                self.copies.push((at, index));
            }
        }
        let text = self.describe(value)?;
        Some(format!("{text}, to the stack"))
    }

    /// Bytes that are stored so far behind the result's address.
    fn to_result(&self, at: u64, size: u64) -> String {
        let whole = u64::from(self.assignment.result_size);
        match at == 0 && size >= whole {
            true => "the result".to_owned(),
            false => format!("the result, {}", span(at, size)),
        }
    }
}

fn span(at: u64, size: u64) -> String {
    match size {
        1 => format!("byte {at}"),
        _ => format!("bytes {at}-{}", at + size - 1),
    }
}
