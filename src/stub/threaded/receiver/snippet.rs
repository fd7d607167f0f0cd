//! The snippets of receivers and their numbers, the same on all processors.
//! `code/threaded/x86_64_receiver.s` and `aarch64_receiver.s` have them in this order, behind those of
//! calls.

use crate::stub::threaded::numbers::{families, position};
use std::fmt;

/// Which argument registers an entry saves, besides the general ones if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saves {
    /// No others.
    General,
    /// The first four vector registers.
    FourVectors,
    /// All eight vector registers.
    Vectors,
    /// All eight, whole, of 32 bytes.
    WideVectors,
    /// Those of Microsoft's convention, and what it keeps for callers and the handler does not.
    Microsoft,
    /// None, not even general ones.
    Nothing,
}

/// Bytes that become 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// 8 bytes.
    Eight,
    /// So many bytes, 1, 2 or 4, extended; with their sign?
    Extended(u32, bool),
    /// 3, 5, 6 or 7 bytes, with zeros above them.
    Odd(u32),
}

/// What follows the handler, for the results that are common. They are in the room for results that
/// every frame has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterHandler {
    /// Nothing is loaded.
    Return,
    /// The first general register for results.
    General(Value),
    /// 4 or 8 bytes of the first vector register.
    Vector(u32),
    /// 16 bytes.
    Sixteen(Sixteen),
    /// The caller brought the result's address, and gets it back.
    Memory,
    /// 16 bytes, to which the handler's slot points.
    Indirect(Sixteen),
}

/// What 16 bytes come back in: 8 in each of two registers, or all in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sixteen {
    /// A whole vector register.
    Vector,
    /// Two general registers.
    TwoGeneral,
    /// Two vector registers.
    TwoVector,
    /// A general register and a vector register.
    GeneralVector,
    /// A vector register and a general register.
    VectorGeneral,
}

/// One piece of the library's text. "Place" operands are offsets from the frame pointer, below which
/// the argument registers are saved and above which the caller's arguments are; "frame" operands are
/// offsets from the stack pointer, where the array begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Snippet {
    /// Makes the frame and saves registers: bytes of the frame below the general ones.
    Enter(Saves),
    /// `Enter(Nothing)`, then stores of the first pair: bytes of the frame, frame for each.
    EnterAndStore([Option<Value>; 2]),
    /// `Enter(Nothing)`, then stores so many whole general registers at the beginning of the frame: its bytes.
    EnterWhole(u32),
    /// Makes the frame larger: by how much, and the mask that aligns it. Registers with arguments are as they
    /// were.
    Allocate,
    /// Stores what is in one of four pairs of general registers, or in one of its two: frame for each.
    StoreGeneral(u32, [Option<Value>; 2]),
    /// Stores 8 or 4 bytes of one of four pairs of vector registers, with zeros above, or of one of its two, of the
    /// other 0: frame for each. What general registers held is gone.
    StoreVector(u32, [u32; 2]),
    /// Stores 1 to 8 addresses beside each other: frame, places.
    Addresses(u32),
    /// Stores 1 to 4 values beside each other, those whose bit is set of 4 bytes that are extended with
    /// their sign, the others of 8: frame, places.
    Values(u32, u32),
    /// Stores a value: place, frame.
    Value(Value),
    /// Stores a value to which a pointer points: the pointer's place, frame.
    Pointee(Value),
    /// Stores an address: frame, frame.
    FrameAddress,
    /// Copies 1, 2, 4, 8, 16 or 32 bytes: place, frame.
    Move(u32),
    /// Stores 1, 2, 4 or 8 zeros: frame.
    Zero(u32),
    /// The result is in the frame: frame.
    ResultInFrame,
    /// The result is where a pointer points: its place.
    ResultAtPointer,
    /// Calls the handler and goes on. The result's place was said before.
    Call,
    /// Calls the handler, with the room for results, and returns.
    CallAndReturn(AfterHandler),
    /// The same in functions of Microsoft's convention.
    CallAndReturnMicrosoft(AfterHandler),
    /// Loads one of two general registers for results: frame.
    LoadGeneral(u32, Value),
    /// Loads 1, 2, 4, 8, 16 or 32 bytes in one of four vector registers for results: frame.
    LoadVector(u32, u32),
    /// Pushes a number on the x87 stack: frame.
    LoadX87,
    /// Copies 1, 2, 4 or 8 bytes to where a pointer points: the pointer's frame, frame, offset behind the
    /// pointer.
    CopyResult(u32),
    /// Loads what Microsoft's convention keeps for callers.
    RestoreMicrosoft,
    /// Takes the frame down and returns.
    Return,
}

/// The number of the first snippet of each family, and of all.
pub mod first {
    use super::families;

    families! {
        R_ENTER: 6;
        R_ENTER_AND_STORE: 64;
        R_ENTER_WHOLE: 8;
        R_ALLOCATE: 1;
        R_STORE_GENERAL: 4 * 64;
        R_STORE_VECTOR: 4 * 9;
        R_ADDRESSES: 8;
        R_VALUES: 30;
        R_VALUE: 11;
        R_POINTEE: 11;
        R_FRAME_ADDRESS: 1;
        R_MOVE: 6;
        R_ZERO: 4;
        R_RESULT_IN_FRAME: 1;
        R_RESULT_AT_POINTER: 1;
        R_CALL: 1;
        R_CALL_AND_RETURN: 21;
        R_CALL_AND_RETURN_MICROSOFT: 21;
        R_LOAD_GENERAL: 2 * 7;
        R_LOAD_VECTOR: 4 * 6;
        R_LOAD_X87: 1;
        R_COPY_RESULT: 4;
        R_RESTORE_MICROSOFT: 1;
        R_RETURN: 1;
    }
}

impl Value {
    fn number(self) -> u32 {
        match self {
            Value::Eight => 0,
            Value::Extended(bytes, signed) => {
                1 + 2 * position(&[4, 2, 1], bytes) + u32::from(signed)
            }
            Value::Odd(bytes) => 7 + position(&[3, 5, 6, 7], bytes),
        }
    }
}

impl AfterHandler {
    fn number(self) -> u32 {
        match self {
            AfterHandler::Return => 0,
            AfterHandler::General(value) => 1 + value.number(),
            AfterHandler::Vector(bytes) => 8 + position(&[4, 8], bytes),
            AfterHandler::Sixteen(how) => 10 + how as u32,
            AfterHandler::Memory => 15,
            AfterHandler::Indirect(how) => 16 + how as u32,
        }
    }
}

fn two_values(values: [Option<Value>; 2]) -> u32 {
    let [first, second] = values.map(|value| value.map_or(0, |value| 1 + value.number()));
    8 * first + second
}

fn write_two(f: &mut fmt::Formatter<'_>, values: &[Option<Value>; 2]) -> fmt::Result {
    values.iter().try_for_each(|value| match value {
        Some(value) => write!(f, " {value}"),
        None => f.write_str(" -"),
    })
}

impl Snippet {
    /// Its number in the table, behind the snippets of calls.
    pub fn number(self) -> u32 {
        use first::*;
        match self {
            Snippet::Enter(saves) => R_ENTER + saves as u32,
            Snippet::Allocate => R_ALLOCATE,
            Snippet::EnterAndStore(values) => R_ENTER_AND_STORE + two_values(values),
            Snippet::EnterWhole(count) => R_ENTER_WHOLE + count - 1,
            Snippet::StoreGeneral(pair, values) => R_STORE_GENERAL + 64 * pair + two_values(values),
            Snippet::StoreVector(pair, sizes) => {
                let [first, second] = sizes.map(|bytes| position(&[0, 8, 4], bytes));
                R_STORE_VECTOR + 9 * pair + 3 * first + second
            }
            Snippet::Addresses(count) => R_ADDRESSES + count - 1,
            Snippet::Values(count, halves) => R_VALUES + (1 << count) - 2 + halves,
            Snippet::Value(value) => R_VALUE + value.number(),
            Snippet::Pointee(value) => R_POINTEE + value.number(),
            Snippet::FrameAddress => R_FRAME_ADDRESS,
            Snippet::Move(bytes) => R_MOVE + position(&[1, 2, 4, 8, 16, 32], bytes),
            Snippet::Zero(bytes) => R_ZERO + position(&[1, 2, 4, 8], bytes),
            Snippet::ResultInFrame => R_RESULT_IN_FRAME,
            Snippet::ResultAtPointer => R_RESULT_AT_POINTER,
            Snippet::Call => R_CALL,
            Snippet::CallAndReturn(after) => R_CALL_AND_RETURN + after.number(),
            Snippet::CallAndReturnMicrosoft(after) => R_CALL_AND_RETURN_MICROSOFT + after.number(),
            Snippet::LoadGeneral(register, value) => R_LOAD_GENERAL + 7 * register + value.number(),
            Snippet::LoadVector(register, bytes) => {
                R_LOAD_VECTOR + 6 * register + position(&[1, 2, 4, 8, 16, 32], bytes)
            }
            Snippet::LoadX87 => R_LOAD_X87,
            Snippet::CopyResult(bytes) => R_COPY_RESULT + position(&[1, 2, 4, 8], bytes),
            Snippet::RestoreMicrosoft => R_RESTORE_MICROSOFT,
            Snippet::Return => R_RETURN,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Eight => f.write_str("8"),
            Value::Extended(bytes, signed) => {
                write!(f, "{bytes}{}", if *signed { "s" } else { "" })
            }
            Value::Odd(bytes) => write!(f, "{bytes}"),
        }
    }
}

impl fmt::Display for Sixteen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sixteen::Vector => "vector:16",
            Sixteen::TwoGeneral => "two general",
            Sixteen::TwoVector => "two vectors",
            Sixteen::GeneralVector => "general, vector",
            Sixteen::VectorGeneral => "vector, general",
        })
    }
}

impl fmt::Display for AfterHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AfterHandler::Return => f.write_str("nothing"),
            AfterHandler::General(value) => write!(f, "general:{value}"),
            AfterHandler::Vector(bytes) => write!(f, "vector:{bytes}"),
            AfterHandler::Sixteen(how) => how.fmt(f),
            AfterHandler::Memory => f.write_str("address"),
            AfterHandler::Indirect(how) => write!(f, "{how}, by the slot"),
        }
    }
}

impl fmt::Display for Snippet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Snippet::Enter(saves) => write!(
                f,
                "enter, save {}",
                match saves {
                    Saves::General => "general",
                    Saves::FourVectors => "general, 4 vectors",
                    Saves::Vectors => "general, 8 vectors",
                    Saves::WideVectors => "general, 8 wide vectors",
                    Saves::Microsoft => "Microsoft's",
                    Saves::Nothing => "nothing",
                }
            ),
            Snippet::Allocate => f.write_str("allocate"),
            Snippet::EnterAndStore(values) => {
                f.write_str("enter, store general 0:")?;
                write_two(f, values)
            }
            Snippet::EnterWhole(count) => write!(f, "enter, store {count} general"),
            Snippet::StoreGeneral(pair, values) => {
                write!(f, "store general {pair}:")?;
                write_two(f, values)
            }
            Snippet::StoreVector(pair, [first, second]) => {
                write!(f, "store vectors {pair}: {first} {second}")
            }
            Snippet::Addresses(count) => write!(f, "addresses {count}"),
            Snippet::Values(count, halves) => {
                f.write_str("values")?;
                for index in 0..*count {
                    f.write_str(if halves >> index & 1 == 1 {
                        " 4s"
                    } else {
                        " 8"
                    })?;
                }
                f.write_str(":")
            }
            Snippet::Value(value) => write!(f, "value {value}:"),
            Snippet::Pointee(value) => write!(f, "pointee {value}:"),
            Snippet::FrameAddress => f.write_str("address of frame"),
            Snippet::Move(bytes) => write!(f, "move {bytes}:"),
            Snippet::Zero(bytes) => write!(f, "zero {bytes}:"),
            Snippet::ResultInFrame => f.write_str("result in frame"),
            Snippet::ResultAtPointer => f.write_str("result at pointer"),
            Snippet::Call => f.write_str("call"),
            Snippet::CallAndReturn(after) => write!(f, "call and return {after}"),
            Snippet::CallAndReturnMicrosoft(after) => {
                write!(f, "call, restore and return {after}")
            }
            Snippet::LoadGeneral(register, value) => write!(f, "load general {register}:{value}"),
            Snippet::LoadVector(register, bytes) => write!(f, "load vector {register}:{bytes}"),
            Snippet::LoadX87 => f.write_str("load x87"),
            Snippet::CopyResult(bytes) => write!(f, "copy result {bytes}:"),
            Snippet::RestoreMicrosoft => f.write_str("restore"),
            Snippet::Return => f.write_str("return"),
        }
    }
}
