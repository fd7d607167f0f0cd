//! Listings of x86-64.

use super::{Code, Line, Syntax, hexadecimal};
use crate::trace::x86_64::{Trace, of_callback};
use iced_x86::{Decoder, DecoderOptions, Formatter, GasFormatter, Instruction, IntelFormatter};

pub(super) fn lines(code: &Code<'_>, syntax: Syntax) -> Vec<Line> {
    let mut trace = Trace::new(code.assignment, code.arguments);
    let mut decoder = Decoder::with_ip(64, code.bytes, code.address, DecoderOptions::NONE);
    let mut formatter: Box<dyn Formatter> = match syntax {
        Syntax::Intel => Box::new(IntelFormatter::new()),
        Syntax::Att => Box::new(GasFormatter::new()),
    };
    let options = formatter.options_mut();
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_uppercase_hex(false);
    options.set_space_after_operand_separator(true);
    let mut lines = Vec::new();
    let mut instruction = Instruction::default();
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        let start = (instruction.ip() - code.address) as usize;
        let mut assembly = String::new();
        formatter.format(&instruction, &mut assembly);
        let comment = match instruction.is_jmp_short_or_near() {
            _ if code.callback => of_callback(&instruction),
            // The stub is at 0, and its landing pad is passed over.
            true if instruction.near_branch_target() < code.address => Some("the stub".to_owned()),
            _ => trace.comment(&instruction),
        };
        lines.push(Line {
            address: instruction.ip(),
            bytes: hexadecimal(&code.bytes[start..start + instruction.len()]),
            assembly,
            comment,
        });
    }
    lines
}
