//! Listings of AArch64.

use super::{Code, Line, hexadecimal};
use crate::trace::aarch64::{Trace, of_callback};
use yaxpeax_arch::{Arch, Decoder, U8Reader};
use yaxpeax_arm::armv8::a64::{ARMv8, Instruction, Opcode, Operand};

/// The two parts of the number that `bti c` has among the hints.
const BTI_C: (Operand, Operand) = (Operand::ControlReg(4), Operand::Immediate(2));

pub(super) fn lines(code: &Code<'_>) -> Vec<Line> {
    let mut trace = Trace::new(code.assignment, code.arguments);
    let decoder = <ARMv8 as Arch>::Decoder::default();
    let mut lines = Vec::new();
    for (word, at) in code.bytes.chunks(4).zip((code.address..).step_by(4)) {
        let (assembly, comment) = match decoder.decode(&mut U8Reader::new(word)) {
            Ok(instruction) => {
                let target = branch_target(&instruction, at);
                let comment = match target {
                    _ if code.callback => of_callback(&instruction),
                    // The stub is at 0, and its landing pad is passed over.
                    Some(target) if target < code.address => Some("the stub".to_owned()),
                    _ => trace.comment(&instruction),
                };
                (written(&instruction, target), comment)
            }
            Err(_) => (format!(".word 0x{}", hexadecimal(word)), None),
        };
        lines.push(Line {
            address: at,
            bytes: hexadecimal(word),
            assembly,
            comment,
        });
    }
    lines
}

/// Where a branch goes that knows its way.
fn branch_target(instruction: &Instruction, at: u64) -> Option<u64> {
    let is_branch = matches!(
        instruction.opcode,
        Opcode::B | Opcode::Bcc(_) | Opcode::BL | Opcode::CBZ | Opcode::CBNZ
    );
    instruction
        .operands
        .iter()
        .find_map(|operand| match operand {
            Operand::PCOffset(offset) if is_branch => Some(at.wrapping_add_signed(*offset)),
            _ => None,
        })
}

/// Assembly as assemblers read it, but for what branches go to, which is an address.
fn written(instruction: &Instruction, target: Option<u64>) -> String {
    let [first, second, ..] = instruction.operands;
    if instruction.opcode == Opcode::HINT && (first, second) == BTI_C {
        return "bti c".to_owned();
    }
    let text = instruction.to_string();
    match (target, text.split_once('$')) {
        (Some(target), Some((before, _))) => format!("{before}0x{target:x}"),
        _ => text,
    }
}
