//! The names of registers, by the numbers that they have in the instruction sets.

use crate::types::Convention;

const X86_64: [&str; 16] = [
    "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13",
    "r14", "r15",
];

fn is_x86_64(convention: Convention) -> bool {
    matches!(convention, Convention::SysV64 | Convention::Win64)
}

/// A general register that holds so many bytes.
pub(super) fn general(convention: Convention, number: u8, size: u32) -> String {
    match is_x86_64(convention) {
        true => X86_64[usize::from(number & 15)].to_owned(),
        false if size <= 4 => format!("w{number}"),
        false => format!("x{number}"),
    }
}

/// A vector register that holds so many bytes.
pub(super) fn vector(convention: Convention, number: u8, size: u32) -> String {
    let letter = match (is_x86_64(convention), size) {
        (true, 17..) => "ymm",
        (true, _) => "xmm",
        (false, 0..=2) => "h",
        (false, 3..=4) => "s",
        (false, 5..=8) => "d",
        (false, _) => "q",
    };
    format!("{letter}{number}")
}

/// A vector register, whatever is in it.
pub(super) fn whole_vector(convention: Convention, number: u8) -> String {
    let letters = if is_x86_64(convention) { "xmm" } else { "v" };
    format!("{letters}{number}")
}
