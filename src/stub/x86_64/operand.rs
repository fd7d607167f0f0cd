//! Registers, and memory operands in their shortest form.

pub(super) type Assembler = dynasmrt::VecAssembler<dynasmrt::x64::X64Relocation>;

pub(super) const RAX: u8 = 0;
pub(super) const RCX: u8 = 1;
pub(super) const RDX: u8 = 2;
pub(super) const RSP: u8 = 4;
pub(super) const RBP: u8 = 5;
pub(super) const RSI: u8 = 6;
pub(super) const RDI: u8 = 7;
pub(super) const R10: u8 = 10;

/// One instruction with a memory operand `[base + at]`, in its shortest form: an operand of registers
/// and offsets that are known only here would always take four bytes for the offset and one for a
/// scaled index. The brackets hold what stands before the operand and after it.
macro_rules! memory {
    ($code:expr, $base:expr, $at:expr, [$($before:tt)*] [$($after:tt)*]) => {{
        use $crate::stub::x86_64::operand as registers;
        let (base, at): (u8, i32) = ($base, $at);
        match (base, at) {
            (registers::RAX, 0) => dynasm!($code ; .arch x64 ; $($before)* [rax] $($after)*),
            (registers::RCX, 0) => dynasm!($code ; .arch x64 ; $($before)* [rcx] $($after)*),
            (registers::RSP, 0) => dynasm!($code ; .arch x64 ; $($before)* [rsp] $($after)*),
            (registers::RSI, 0) => dynasm!($code ; .arch x64 ; $($before)* [rsi] $($after)*),
            (registers::RDI, 0) => dynasm!($code ; .arch x64 ; $($before)* [rdi] $($after)*),
            (registers::RAX, -128..=127) => {
                dynasm!($code ; .arch x64 ; $($before)* [BYTE rax + (at as i8)] $($after)*)
            }
            (registers::RCX, -128..=127) => {
                dynasm!($code ; .arch x64 ; $($before)* [BYTE rcx + (at as i8)] $($after)*)
            }
            (registers::RSP, -128..=127) => {
                dynasm!($code ; .arch x64 ; $($before)* [BYTE rsp + (at as i8)] $($after)*)
            }
            (registers::RBP, -128..=127) => {
                dynasm!($code ; .arch x64 ; $($before)* [BYTE rbp + (at as i8)] $($after)*)
            }
            (registers::RSI, -128..=127) => {
                dynasm!($code ; .arch x64 ; $($before)* [BYTE rsi + (at as i8)] $($after)*)
            }
            _ => dynasm!($code ; .arch x64 ; $($before)* [Rq(base) + at] $($after)*),
        }
    }};
}

pub(super) use memory;
