//! The snippets for x86-64 and their numbers. `code/threaded/x86_64.s` has them in the same order.

use crate::stub::plan::Arguments;
use crate::stub::threaded::numbers::{digits, families, narrow, position};
use crate::stub::threaded::width::{Width, registers, source};
use std::fmt;

/// What is done with the result, for the results that are common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterCall {
    /// The program goes on.
    Continue,
    /// Nothing is stored.
    Return,
    /// So many bytes of rax: 8, 4, 2 or 1.
    General(u32),
    /// So many bytes of rax, 1, 2 or 4, extended to 8; with their sign?
    Extended(u32, bool),
    /// So many bytes of xmm0: 4, 8 or 16.
    Vector(u32),
    /// 4 bytes of xmm0, with zeros up to 8.
    ExtendedVector,
    /// 8 bytes of rax and 8 of rdx.
    TwoGeneral,
    /// 8 bytes of xmm0 and 8 of xmm1.
    TwoVector,
    /// 8 bytes of rax and 8 of xmm0.
    GeneralVector,
    /// 8 bytes of xmm0 and 8 of rax.
    VectorGeneral,
}

/// One piece of the library's text. "Element" operands are numbers of elements of the array,
/// "place" operands offsets of them in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Snippet {
    /// Makes the frame; the result's address is given, or stands where a pointer points that is.
    Enter {
        /// Which of the context's two programs is run.
        arguments: Arguments,
        /// A pointer is given.
        is_indirect: bool,
        /// An odd number of words is pushed.
        is_odd: bool,
    },
    /// Makes the frame for a given result and does what `PushGroup` does, in the program's own form.
    EnterPush {
        /// Which program is run, and where the arguments are.
        arguments: Arguments,
        /// An odd number of words is pushed in all.
        is_odd: bool,
        /// How many are pushed now.
        count: u32,
        /// Which are of 4 bytes; the first is the lowest bit.
        halves: u32,
    },
    /// The same for `Pair` with rdi and rsi.
    EnterPair(Arguments, [Width; 2]),
    /// The same for `Quad`.
    EnterQuad(Arguments, [Width; 4]),
    /// The same for `VectorQuad` with xmm0 to xmm3.
    EnterVectorQuad(Arguments, [Width; 4]),
    /// Pushes one to four arguments, of 4 bytes those whose bit is set, of 8 the others: elements.
    PushGroup {
        /// Where the arguments are.
        from: Arguments,
        /// How many.
        count: u32,
        /// Which are of 4 bytes; the first is the lowest bit.
        halves: u32,
    },
    /// Pushes an argument of 1 or 2 bytes: element.
    PushNarrow(Arguments, Width),
    /// Pushes 1 to 7 bytes at an offset behind the address.
    PushTail(u32),
    /// Pushes 1 to 8 words at an offset behind the address, the last first.
    PushWords(u32),
    /// Pushes the 1 to 8 words that a pointer points to: its place.
    PushBlock(u32),
    /// Bytes of the stack that are not filled: how many.
    MakeRoom,
    /// The address is in the array: place.
    ElementAddress,
    /// The address is that which a pointer has: place.
    PointeeAddress,
    /// Loads rdi and rsi, rdx and rcx, or r8 and r9: two elements.
    Pair {
        /// Which of the three.
        pair: u32,
        /// Where the arguments are.
        from: Arguments,
        /// How they fill the registers.
        widths: [Width; 2],
    },
    /// Loads rdx, rcx, r8 and r9, each with 8 bytes, 4 or none: four elements.
    Quad(Arguments, [Width; 4]),
    /// Loads xmm0 to xmm3, or xmm4 to xmm7, each with 8 bytes, 4 or none: four elements.
    VectorQuad {
        /// It is the second of the two.
        is_upper: bool,
        /// Where the arguments are.
        from: Arguments,
        /// How they fill the registers.
        widths: [Width; 4],
    },
    /// Loads a general register and the next one with the 16 bytes that a pointer points to: its place.
    TwoGeneral(u32),
    /// The same for vector registers.
    TwoVector(u32),
    /// Loads a general register, by its number among those with arguments, from an offset behind the
    /// address.
    LoadGeneral(u32, Width),
    /// The same with 3, 5, 6 or 7 bytes. The address is lost.
    LoadOdd(u32, u32),
    /// The same for a vector register and 1 to 8, 16 or 32 bytes; general registers are used up.
    LoadVector(u32, u32),
    /// Loads a general register with the address of an offset in the stack area.
    AreaAddress(u32),
    /// Moves the result's address to rcx.
    ResultAddress,
    /// Says how many vector registers have arguments.
    VectorCount,
    /// Makes room for a stack area: how much, and the mask that aligns it.
    Allocate,
    /// Copies 1, 2 or 4 bytes from an offset behind the address to one in the stack area.
    CopyBytes(u32),
    /// The same for 1 to 4 words.
    CopyWords(u32),
    /// The same for 1 to 8 times 16 bytes.
    CopyWide(u32),
    /// The same for so many words.
    CopyLarge,
    /// Stores the address of an offset in the stack area at another.
    StoreAddress,
    /// Stores 1 or 2 bytes from an offset behind the address, extended, at an offset in the stack area.
    StoreNarrow(Width),
    /// Calls.
    Call(AfterCall),
    /// Stores 8, 4, 2 or 1 bytes of rax or rdx at an offset of the result.
    StoreGeneral(u32, u32),
    /// Stores 4, 8, 16 or 32 bytes of xmm0 or xmm1 at an offset of the result.
    StoreVector(u32, u32),
    /// Takes rax, rdx, xmm0 or xmm1 to be extended or stored.
    Take(u32),
    /// Extends the low bytes of what was taken to all 8; with their sign?
    Extend(u32, bool),
    /// Stores the low bytes of what was taken at an offset of the result.
    StoreTaken(u32),
    /// Stores 1, 2, 4 or 8 zeros at an offset of the result.
    StoreZero(u32),
    /// Stores st(0) at an offset of the result.
    StoreX87,
    /// Copies errno: two offsets from the thread pointer.
    KeepErrno,
    /// Takes the frame down and returns; having used full vector registers?
    Return(bool),
}

/// The number of the first snippet of each family, and of all.
pub mod first {
    use super::families;

    families! {
        ENTER: 8;
        ENTER_PUSH: 2 * 2 * 30;
        ENTER_PAIR: 2 * 49;
        ENTER_QUAD: 2 * 81;
        ENTER_VECTOR_QUAD: 2 * 81;
        PUSH_GROUP: 60;
        PUSH_NARROW: 8;
        PUSH_TAIL: 7;
        PUSH_WORDS: 8;
        PUSH_BLOCK: 8;
        MAKE_ROOM: 1;
        ADDRESS: 2;
        PAIR: 3 * 2 * 49;
        QUAD: 2 * 81;
        VECTOR_QUAD: 2 * 2 * 81;
        TWO_GENERAL: 5;
        TWO_VECTOR: 7;
        LOAD_GENERAL: 6 * 10;
        LOAD_VECTOR: 8 * 10;
        AREA_ADDRESS: 6;
        RESULT_ADDRESS: 1;
        VECTOR_COUNT: 1;
        ALLOCATE: 1;
        COPY_BYTES: 3;
        COPY_WORDS: 4;
        COPY_WIDE: 8;
        COPY_LARGE: 1;
        STORE_ADDRESS: 1;
        STORE_NARROW: 4;
        CALL: 20;
        STORE_GENERAL: 8;
        STORE_VECTOR: 8;
        TAKE: 4;
        EXTEND: 10;
        STORE_TAKEN: 8;
        STORE_ZERO: 4;
        STORE_X87: 1;
        KEEP_ERRNO: 1;
        RETURN: 2;
    }
}

impl Snippet {
    /// The same with an entry before it, if there is that. The entry is one for a given result.
    pub fn entered(self, arguments: Arguments, is_odd: bool) -> Option<Snippet> {
        match self {
            Snippet::PushGroup {
                from,
                count,
                halves,
            } if from == arguments => Some(Snippet::EnterPush {
                arguments,
                is_odd,
                count,
                halves,
            }),
            Snippet::Pair {
                pair: 0,
                from,
                widths,
            } if from == arguments => Some(Snippet::EnterPair(arguments, widths)),
            Snippet::Quad(from, widths) if from == arguments => {
                Some(Snippet::EnterQuad(arguments, widths))
            }
            Snippet::VectorQuad {
                is_upper: false,
                from,
                widths,
            } if from == arguments => Some(Snippet::EnterVectorQuad(arguments, widths)),
            _ => None,
        }
    }

    /// Its number in the table.
    pub fn number(self) -> u32 {
        use first::*;
        match self {
            Snippet::Enter {
                arguments,
                is_indirect,
                is_odd,
            } => ENTER + 4 * arguments as u32 + 2 * u32::from(is_indirect) + u32::from(is_odd),
            Snippet::EnterPush {
                arguments,
                is_odd,
                count,
                halves,
            } => {
                let variant = 2 * arguments as u32 + u32::from(is_odd);
                ENTER_PUSH + 30 * variant + (1 << count) - 2 + halves
            }
            Snippet::EnterPair(arguments, widths) => {
                ENTER_PAIR + 49 * arguments as u32 + digits(7, &widths)
            }
            Snippet::EnterQuad(arguments, widths) => {
                ENTER_QUAD + 81 * arguments as u32 + digits(3, &widths)
            }
            Snippet::EnterVectorQuad(arguments, widths) => {
                ENTER_VECTOR_QUAD + 81 * arguments as u32 + digits(3, &widths)
            }
            Snippet::PushGroup {
                from,
                count,
                halves,
            } => PUSH_GROUP + 30 * from as u32 + (1 << count) - 2 + halves,
            Snippet::PushNarrow(from, width) => PUSH_NARROW + 4 * from as u32 + narrow(width),
            Snippet::PushTail(bytes) => PUSH_TAIL + bytes - 1,
            Snippet::PushWords(count) => PUSH_WORDS + count - 1,
            Snippet::PushBlock(count) => PUSH_BLOCK + count - 1,
            Snippet::MakeRoom => MAKE_ROOM,
            Snippet::ElementAddress => ADDRESS,
            Snippet::PointeeAddress => ADDRESS + 1,
            Snippet::Pair { pair, from, widths } => {
                PAIR + 49 * (2 * pair + from as u32) + digits(7, &widths)
            }
            Snippet::Quad(from, widths) => QUAD + 81 * from as u32 + digits(3, &widths),
            Snippet::VectorQuad {
                is_upper,
                from,
                widths,
            } => VECTOR_QUAD + 81 * (2 * u32::from(is_upper) + from as u32) + digits(3, &widths),
            Snippet::TwoGeneral(register) => TWO_GENERAL + register,
            Snippet::TwoVector(register) => TWO_VECTOR + register,
            Snippet::LoadGeneral(register, width) => {
                LOAD_GENERAL + 10 * register + width as u32 - 1
            }
            Snippet::LoadOdd(register, bytes) => {
                LOAD_GENERAL + 10 * register + 6 + position(&[3, 5, 6, 7], bytes)
            }
            Snippet::LoadVector(register, bytes) => {
                let list = [4, 8, 16, 32, 1, 2, 3, 5, 6, 7];
                LOAD_VECTOR + 10 * register + position(&list, bytes)
            }
            Snippet::AreaAddress(register) => AREA_ADDRESS + register,
            Snippet::ResultAddress => RESULT_ADDRESS,
            Snippet::VectorCount => VECTOR_COUNT,
            Snippet::Allocate => ALLOCATE,
            Snippet::CopyBytes(bytes) => COPY_BYTES + position(&[1, 2, 4], bytes),
            Snippet::CopyWords(count) => COPY_WORDS + count - 1,
            Snippet::CopyWide(count) => COPY_WIDE + count - 1,
            Snippet::CopyLarge => COPY_LARGE,
            Snippet::StoreAddress => STORE_ADDRESS,
            Snippet::StoreNarrow(width) => STORE_NARROW + narrow(width),
            Snippet::Call(after) => CALL + after.number(),
            Snippet::StoreGeneral(register, bytes) => {
                STORE_GENERAL + 4 * register + position(&[8, 4, 2, 1], bytes)
            }
            Snippet::StoreVector(register, bytes) => {
                STORE_VECTOR + 4 * register + position(&[4, 8, 16, 32], bytes)
            }
            Snippet::Take(register) => TAKE + register,
            Snippet::Extend(bytes @ (1 | 2 | 4), signed) => {
                EXTEND + 2 * position(&[1, 2, 4], bytes) + u32::from(signed)
            }
            Snippet::Extend(bytes, _) => EXTEND + 6 + position(&[3, 5, 6, 7], bytes),
            Snippet::StoreTaken(bytes) => STORE_TAKEN + bytes - 1,
            Snippet::StoreZero(bytes) => STORE_ZERO + position(&[1, 2, 4, 8], bytes),
            Snippet::StoreX87 => STORE_X87,
            Snippet::KeepErrno => KEEP_ERRNO,
            Snippet::Return(is_wide) => RETURN + u32::from(is_wide),
        }
    }
}

impl AfterCall {
    fn number(self) -> u32 {
        match self {
            AfterCall::Continue => 0,
            AfterCall::Return => 1,
            AfterCall::General(bytes) => 2 + position(&[8, 4, 2, 1], bytes),
            AfterCall::Extended(bytes, signed) => {
                6 + 2 * position(&[1, 2, 4], bytes) + u32::from(signed)
            }
            AfterCall::Vector(bytes) => 12 + position(&[4, 8, 16], bytes),
            AfterCall::ExtendedVector => 15,
            AfterCall::TwoGeneral => 16,
            AfterCall::TwoVector => 17,
            AfterCall::GeneralVector => 18,
            AfterCall::VectorGeneral => 19,
        }
    }
}

/// General registers that hold arguments, in the order of their numbers here.
const GENERAL: [&str; 6] = ["rdi", "rsi", "rdx", "rcx", "r8", "r9"];

impl fmt::Display for Snippet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = |signed: bool| if signed { "s" } else { "" };
        match *self {
            Snippet::Enter {
                arguments,
                is_indirect,
                is_odd,
            } => {
                write!(f, "enter {}", source(arguments))?;
                f.write_str(if is_indirect { " indirect" } else { "" })?;
                f.write_str(if is_odd { " odd" } else { "" })
            }
            Snippet::EnterPush {
                arguments,
                is_odd,
                count,
                halves,
            } => {
                f.write_str(if is_odd { "enter odd, " } else { "enter, " })?;
                let from = arguments;
                Snippet::PushGroup {
                    from,
                    count,
                    halves,
                }
                .fmt(f)
            }
            Snippet::EnterPair(from, widths) => {
                f.write_str("enter, ")?;
                Snippet::Pair {
                    pair: 0,
                    from,
                    widths,
                }
                .fmt(f)
            }
            Snippet::EnterQuad(from, widths) => {
                f.write_str("enter, ")?;
                Snippet::Quad(from, widths).fmt(f)
            }
            Snippet::EnterVectorQuad(from, widths) => {
                f.write_str("enter, ")?;
                Snippet::VectorQuad {
                    is_upper: false,
                    from,
                    widths,
                }
                .fmt(f)
            }
            Snippet::PushGroup {
                from,
                count,
                halves,
            } => {
                write!(f, "push {}", source(from))?;
                for index in 0..count {
                    let width = if halves >> index & 1 == 1 { 4 } else { 8 };
                    write!(f, " {width}")?;
                }
                f.write_str(":")
            }
            Snippet::PushNarrow(from, width) => write!(f, "push {} {width}:", source(from)),
            Snippet::PushTail(bytes) => write!(f, "push {bytes} bytes at"),
            Snippet::PushWords(count) => write!(f, "push {count} words at"),
            Snippet::PushBlock(count) => write!(f, "push {count} words of"),
            Snippet::MakeRoom => f.write_str("make room"),
            Snippet::ElementAddress => f.write_str("address of element"),
            Snippet::PointeeAddress => f.write_str("address in element"),
            Snippet::Pair { pair, from, widths } => {
                f.write_str(source(from))?;
                let names = [0, 1].map(|index| GENERAL[(2 * pair) as usize + index].to_owned());
                registers(f, &names, &widths)
            }
            Snippet::Quad(from, widths) => {
                f.write_str(source(from))?;
                let names = [2, 3, 4, 5].map(|index| GENERAL[index].to_owned());
                registers(f, &names, &widths)
            }
            Snippet::VectorQuad {
                is_upper,
                from,
                widths,
            } => {
                f.write_str(source(from))?;
                let start = if is_upper { 4 } else { 0 };
                let names = [0, 1, 2, 3].map(|index| format!("xmm{}", start + index));
                registers(f, &names, &widths)
            }
            Snippet::TwoGeneral(register) => {
                let [first, second] = [0, 1].map(|index| GENERAL[register as usize + index]);
                write!(f, "load {first}, {second} from")
            }
            Snippet::TwoVector(register) => {
                write!(f, "load xmm{register}, xmm{} from", register + 1)
            }
            Snippet::LoadGeneral(register, width) => {
                write!(f, "load {}:{width}", GENERAL[register as usize])
            }
            Snippet::LoadOdd(register, bytes) => {
                write!(f, "load {}:{bytes}", GENERAL[register as usize])
            }
            Snippet::LoadVector(register, bytes) => write!(f, "load xmm{register}:{bytes}"),
            Snippet::AreaAddress(register) => {
                write!(f, "load {} with area +", GENERAL[register as usize])
            }
            Snippet::ResultAddress => f.write_str("load rcx with result"),
            Snippet::VectorCount => f.write_str("vector registers"),
            Snippet::Allocate => f.write_str("allocate"),
            Snippet::CopyBytes(bytes) => write!(f, "copy {bytes} bytes"),
            Snippet::CopyWords(count) => write!(f, "copy {count} words"),
            Snippet::CopyWide(count) => write!(f, "copy {count} times 16 bytes"),
            Snippet::CopyLarge => f.write_str("copy words"),
            Snippet::StoreAddress => f.write_str("store address"),
            Snippet::StoreNarrow(width) => write!(f, "copy {width}"),
            Snippet::Call(after) => {
                f.write_str("call")?;
                match after {
                    AfterCall::Continue => Ok(()),
                    AfterCall::Return => f.write_str(" and return"),
                    AfterCall::General(bytes) => write!(f, ", store rax:{bytes} and return"),
                    AfterCall::Extended(bytes, signed) => {
                        write!(
                            f,
                            ", store rax:{bytes}{}, extended, and return",
                            sign(signed)
                        )
                    }
                    AfterCall::Vector(bytes) => write!(f, ", store xmm0:{bytes} and return"),
                    AfterCall::ExtendedVector => {
                        f.write_str(", store xmm0:4, extended, and return")
                    }
                    AfterCall::TwoGeneral => f.write_str(", store rax, rdx and return"),
                    AfterCall::TwoVector => f.write_str(", store xmm0, xmm1 and return"),
                    AfterCall::GeneralVector => f.write_str(", store rax, xmm0 and return"),
                    AfterCall::VectorGeneral => f.write_str(", store xmm0, rax and return"),
                }
            }
            Snippet::StoreGeneral(register, bytes) => {
                write!(f, "store {}:{bytes} at", ["rax", "rdx"][register as usize])
            }
            Snippet::StoreVector(register, bytes) => write!(f, "store xmm{register}:{bytes} at"),
            Snippet::Take(register) => {
                let names = ["rax", "rdx", "xmm0", "xmm1"];
                write!(f, "take {}", names[register as usize])
            }
            Snippet::Extend(bytes, signed) => write!(f, "extend {bytes}{}", sign(signed)),
            Snippet::StoreTaken(bytes) => write!(f, "store taken:{bytes} at"),
            Snippet::StoreZero(bytes) => write!(f, "store zero:{bytes} at"),
            Snippet::StoreX87 => f.write_str("store st(0) at"),
            Snippet::KeepErrno => f.write_str("keep errno"),
            Snippet::Return(is_wide) => f.write_str(if is_wide {
                "return from wide"
            } else {
                "return"
            }),
        }
    }
}
