//! The snippets for AArch64 and their numbers. `code/threaded/aarch64.s` has them in the same order.

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
    /// So many bytes of x0: 8, 4, 2 or 1.
    General(u32),
    /// So many bytes of x0, 1, 2 or 4, extended to 8; with their sign?
    Extended(u32, bool),
    /// So many bytes of v0: 4, 8 or 16.
    Vector(u32),
    /// 4 bytes of v0, with zeros up to 8.
    ExtendedVector,
    /// 8 bytes of x0 and 8 of x1.
    TwoGeneral,
    /// So many bytes of v0 and as many of v1: 4 or 8.
    TwoVector(u32),
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
    },
    /// Makes room for a stack area: how much, and the mask that aligns it.
    Allocate,
    /// Stores one to four arguments at neighbouring words of the stack area, of 4 bytes those whose
    /// bit is set, of 8 the others: offset, elements.
    StoreGroup {
        /// Where the arguments are.
        from: Arguments,
        /// How many.
        count: u32,
        /// Which are of 4 bytes; the first is the lowest bit.
        halves: u32,
    },
    /// The address is in the array: place.
    ElementAddress,
    /// The address is that which a pointer has: place.
    PointeeAddress,
    /// Loads x0 to x3, or x4 to x7, each with 8 bytes, 4 or none: four elements.
    Quad {
        /// It is the second of the two.
        is_upper: bool,
        /// Where the arguments are.
        from: Arguments,
        /// How they fill the registers.
        widths: [Width; 4],
    },
    /// The same for v0 to v3, or v4 to v7.
    VectorQuad {
        /// It is the second of the two.
        is_upper: bool,
        /// Where the arguments are.
        from: Arguments,
        /// How they fill the registers.
        widths: [Width; 4],
    },
    /// Loads a general register with 2 or 1 bytes: element.
    Narrow(u32, Arguments, Width),
    /// Loads a general register and the next one with the 16 bytes that a pointer points to: its place.
    TwoGeneral(u32),
    /// The same for vector registers.
    TwoVector(u32),
    /// Loads a general register from an offset behind the address.
    LoadGeneral(u32, Width),
    /// The same with 3, 5, 6 or 7 bytes. The address is lost.
    LoadOdd(u32, u32),
    /// The same for a vector register and 1 to 8 or 16 bytes; the address is lost with 3, 5, 6 and 7.
    LoadVector(u32, u32),
    /// Loads a general register with the address of an offset in the stack area.
    AreaAddress(u32),
    /// Moves the result's address to x8.
    ResultAddress,
    /// Copies 1, 2 or 4 bytes from an offset behind the address to one in the stack area.
    CopyBytes(u32),
    /// The same for 1 to 4 words.
    CopyWords(u32),
    /// The same for 1 to 8 times 16 bytes.
    CopyWide(u32),
    /// The same for so many times 32 bytes.
    CopyLarge,
    /// Stores the address of an offset in the stack area at another.
    StoreAddress,
    /// Stores 1 or 2 bytes from an offset behind the address, extended, at an offset in the stack area.
    StoreNarrow(Width),
    /// Calls.
    Call(AfterCall),
    /// Stores 8, 4, 2 or 1 bytes of x0 or x1 at an offset of the result.
    StoreGeneral(u32, u32),
    /// Stores 1, 2, 4, 8 or 16 bytes of v0 to v3 at an offset of the result.
    StoreVector(u32, u32),
    /// Takes x0, x1 or v0 to v3 to be extended or stored.
    Take(u32),
    /// Extends the low bytes of what was taken to all 8; with their sign?
    Extend(u32, bool),
    /// Stores the low bytes of what was taken at an offset of the result.
    StoreTaken(u32),
    /// Stores 1, 2, 4 or 8 zeros at an offset of the result.
    StoreZero(u32),
    /// Copies errno: two offsets from the thread pointer.
    KeepErrno,
    /// Takes the frame down and returns.
    Return,
}

/// The number of the first snippet of each family, and of all.
pub mod first {
    use super::families;

    families! {
        ENTER: 4;
        ALLOCATE: 1;
        STORE_GROUP: 60;
        ADDRESS: 2;
        QUAD: 2 * 2 * 81;
        VECTOR_QUAD: 2 * 2 * 81;
        NARROW: 8 * 2 * 4;
        TWO_GENERAL: 7;
        TWO_VECTOR: 7;
        LOAD_GENERAL: 8 * 10;
        LOAD_VECTOR: 8 * 9;
        AREA_ADDRESS: 8;
        RESULT_ADDRESS: 1;
        COPY_BYTES: 3;
        COPY_WORDS: 4;
        COPY_WIDE: 8;
        COPY_LARGE: 1;
        STORE_ADDRESS: 1;
        STORE_NARROW: 4;
        CALL: 19;
        STORE_GENERAL: 8;
        STORE_VECTOR: 4 * 5;
        TAKE: 6;
        EXTEND: 10;
        STORE_TAKEN: 8;
        STORE_ZERO: 4;
        KEEP_ERRNO: 1;
        RETURN: 1;
    }
}

impl Snippet {
    /// Its number in the table.
    pub fn number(self) -> u32 {
        use first::*;
        match self {
            Snippet::Enter {
                arguments,
                is_indirect,
            } => ENTER + 2 * arguments as u32 + u32::from(is_indirect),
            Snippet::Allocate => ALLOCATE,
            Snippet::StoreGroup {
                from,
                count,
                halves,
            } => STORE_GROUP + 30 * from as u32 + (1 << count) - 2 + halves,
            Snippet::ElementAddress => ADDRESS,
            Snippet::PointeeAddress => ADDRESS + 1,
            Snippet::Quad {
                is_upper,
                from,
                widths,
            } => QUAD + 81 * (2 * u32::from(is_upper) + from as u32) + digits(3, &widths),
            Snippet::VectorQuad {
                is_upper,
                from,
                widths,
            } => VECTOR_QUAD + 81 * (2 * u32::from(is_upper) + from as u32) + digits(3, &widths),
            Snippet::Narrow(register, from, width) => {
                NARROW + 8 * register + 4 * from as u32 + narrow(width)
            }
            Snippet::TwoGeneral(register) => TWO_GENERAL + register,
            Snippet::TwoVector(register) => TWO_VECTOR + register,
            Snippet::LoadGeneral(register, width) => {
                LOAD_GENERAL + 10 * register + width as u32 - 1
            }
            Snippet::LoadOdd(register, bytes) => {
                LOAD_GENERAL + 10 * register + 6 + position(&[3, 5, 6, 7], bytes)
            }
            Snippet::LoadVector(register, bytes) => {
                let list = [1, 2, 4, 8, 16, 3, 5, 6, 7];
                LOAD_VECTOR + 9 * register + position(&list, bytes)
            }
            Snippet::AreaAddress(register) => AREA_ADDRESS + register,
            Snippet::ResultAddress => RESULT_ADDRESS,
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
                STORE_VECTOR + 5 * register + position(&[1, 2, 4, 8, 16], bytes)
            }
            Snippet::Take(register) => TAKE + register,
            Snippet::Extend(bytes @ (1 | 2 | 4), signed) => {
                EXTEND + 2 * position(&[1, 2, 4], bytes) + u32::from(signed)
            }
            Snippet::Extend(bytes, _) => EXTEND + 6 + position(&[3, 5, 6, 7], bytes),
            Snippet::StoreTaken(bytes) => STORE_TAKEN + bytes - 1,
            Snippet::StoreZero(bytes) => STORE_ZERO + position(&[1, 2, 4, 8], bytes),
            Snippet::KeepErrno => KEEP_ERRNO,
            Snippet::Return => RETURN,
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
            AfterCall::TwoVector(bytes) => 17 + position(&[4, 8], bytes),
        }
    }
}

/// The names of four registers of a kind.
fn four(kind: &str, is_upper: bool) -> [String; 4] {
    let start = if is_upper { 4 } else { 0 };
    [0, 1, 2, 3].map(|index| format!("{kind}{}", start + index))
}

impl fmt::Display for Snippet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = |signed: bool| if signed { "s" } else { "" };
        match *self {
            Snippet::Enter {
                arguments,
                is_indirect,
            } => {
                write!(f, "enter {}", source(arguments))?;
                f.write_str(if is_indirect { " indirect" } else { "" })
            }
            Snippet::Allocate => f.write_str("allocate"),
            Snippet::StoreGroup {
                from,
                count,
                halves,
            } => {
                write!(f, "copy {}", source(from))?;
                for index in 0..count {
                    let width = if halves >> index & 1 == 1 { 4 } else { 8 };
                    write!(f, " {width}")?;
                }
                f.write_str(":")
            }
            Snippet::ElementAddress => f.write_str("address of element"),
            Snippet::PointeeAddress => f.write_str("address in element"),
            Snippet::Quad {
                is_upper,
                from,
                widths,
            } => {
                f.write_str(source(from))?;
                registers(f, &four("x", is_upper), &widths)
            }
            Snippet::VectorQuad {
                is_upper,
                from,
                widths,
            } => {
                f.write_str(source(from))?;
                registers(f, &four("v", is_upper), &widths)
            }
            Snippet::Narrow(register, from, width) => {
                write!(f, "{} x{register}:{width}", source(from))
            }
            Snippet::TwoGeneral(register) => {
                write!(f, "load x{register}, x{} from", register + 1)
            }
            Snippet::TwoVector(register) => {
                write!(f, "load v{register}, v{} from", register + 1)
            }
            Snippet::LoadGeneral(register, width) => write!(f, "load x{register}:{width}"),
            Snippet::LoadOdd(register, bytes) => write!(f, "load x{register}:{bytes}"),
            Snippet::LoadVector(register, bytes) => write!(f, "load v{register}:{bytes}"),
            Snippet::AreaAddress(register) => write!(f, "load x{register} with area +"),
            Snippet::ResultAddress => f.write_str("load x8 with result"),
            Snippet::CopyBytes(bytes) => write!(f, "copy {bytes} bytes"),
            Snippet::CopyWords(count) => write!(f, "copy {count} words"),
            Snippet::CopyWide(count) => write!(f, "copy {count} times 16 bytes"),
            Snippet::CopyLarge => f.write_str("copy times 32 bytes"),
            Snippet::StoreAddress => f.write_str("store address"),
            Snippet::StoreNarrow(width) => write!(f, "copy {width}"),
            Snippet::Call(after) => {
                f.write_str("call")?;
                match after {
                    AfterCall::Continue => Ok(()),
                    AfterCall::Return => f.write_str(" and return"),
                    AfterCall::General(bytes) => write!(f, ", store x0:{bytes} and return"),
                    AfterCall::Extended(bytes, signed) => {
                        write!(
                            f,
                            ", store x0:{bytes}{}, extended, and return",
                            sign(signed)
                        )
                    }
                    AfterCall::Vector(bytes) => write!(f, ", store v0:{bytes} and return"),
                    AfterCall::ExtendedVector => f.write_str(", store v0:4, extended, and return"),
                    AfterCall::TwoGeneral => f.write_str(", store x0, x1 and return"),
                    AfterCall::TwoVector(bytes) => {
                        write!(f, ", store v0:{bytes}, v1:{bytes} and return")
                    }
                }
            }
            Snippet::StoreGeneral(register, bytes) => write!(f, "store x{register}:{bytes} at"),
            Snippet::StoreVector(register, bytes) => write!(f, "store v{register}:{bytes} at"),
            Snippet::Take(register @ (0 | 1)) => write!(f, "take x{register}"),
            Snippet::Take(register) => write!(f, "take v{}", register - 2),
            Snippet::Extend(bytes, signed) => write!(f, "extend {bytes}{}", sign(signed)),
            Snippet::StoreTaken(bytes) => write!(f, "store taken:{bytes} at"),
            Snippet::StoreZero(bytes) => write!(f, "store zero:{bytes} at"),
            Snippet::KeepErrno => f.write_str("keep errno"),
            Snippet::Return => f.write_str("return"),
        }
    }
}
