//! `farcall disasm`: the machine code that makes a call.

use crate::Failure;
use crate::abi::Abi;
use crate::declarations::Sources;
use crate::explain;
use crate::style::Style;
use crate::trace::Trace;
use farcall::stub::{Arguments, plan};
use farcall::{abi, code};
use iced_x86::{Decoder, DecoderOptions, Formatter, GasFormatter, Instruction, IntelFormatter};
use std::fmt::Write;

/// What the command line asks for.
#[derive(Clone, Debug)]
pub(crate) struct Disasm {
    pub(crate) prototype: String,
    pub(crate) sources: Sources,
    pub(crate) abi: Option<Abi>,
    pub(crate) syntax: Syntax,
    pub(crate) slots: bool,
    pub(crate) shows_errno: bool,
}

/// How instructions are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Syntax {
    #[default]
    Intel,
    Att,
}

pub(crate) fn run(disasm: &Disasm, style: Style) -> Result<String, Failure> {
    let target = disasm.abi.map_or_else(code::target, Abi::target);
    let signature = explain::signature(&disasm.prototype, &disasm.sources, target)?;
    let assignment = abi::assign(&signature)?;
    if assignment.convention != code::convention() {
        return Err(Failure::Failed(format!(
            "{}: this version makes no code for another convention than this machine's own",
            signature.describe()
        )));
    }
    let errno = match disasm.shows_errno {
        true => Some(code::errno_capture().map_err(|reason| Failure::Failed(reason.to_owned()))?),
        false => None,
    };
    let arguments = match disasm.slots {
        true => Arguments::Slots,
        false => Arguments::Pointers,
    };
    let stub = code::emit(&plan(&assignment, arguments, code::ENTRY, errno));
    // The listing has the entry where the stub ends; its function may be anywhere.
    let entry_at = stub.len().next_multiple_of(code::ALIGN) as u64;
    let entry = code::emit_entry(entry_at, 0, &stub, 0);
    let mut text = format!("{}\n", signature.prototype());
    let form = if disasm.slots { "slots" } else { "pointers" };
    let mut section = |title: &str, bytes: &[u8], address: u64| {
        let heading = format!("{title}, {} bytes:", bytes.len());
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n{}", style.heading(&heading));
        let trace = Trace::new(&assignment, arguments);
        text.push_str(&listing(bytes, address, disasm.syntax, trace, style));
    };
    section(&format!("stub for {form}"), &stub, 0);
    section("entry of a function", &entry, entry_at);
    Ok(text)
}

/// Where an instruction is, its bytes, itself, and what it does.
struct Line {
    address: u64,
    bytes: String,
    assembly: String,
    comment: Option<String>,
}

fn listing(
    bytes: &[u8],
    address: u64,
    syntax: Syntax,
    mut trace: Trace<'_>,
    style: Style,
) -> String {
    let mut decoder = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE);
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
        let start = (instruction.ip() - address) as usize;
        let code: Vec<_> = bytes[start..start + instruction.len()]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let mut assembly = String::new();
        formatter.format(&instruction, &mut assembly);
        let comment = match instruction.is_jmp_short_or_near() {
            // The stub is at 0, and its landing pad is passed over.
            true if instruction.near_branch_target() < address => Some("the stub".to_owned()),
            _ => trace.comment(&instruction),
        };
        lines.push(Line {
            address: instruction.ip(),
            bytes: code.join(" "),
            assembly,
            comment,
        });
    }
    let width = lines
        .iter()
        .map(|line| line.assembly.len())
        .max()
        .unwrap_or(0);
    let mark = if syntax == Syntax::Att { '#' } else { ';' };
    let mut text = String::new();
    for line in &lines {
        let assembly = match &line.comment {
            Some(comment) => {
                let comment = style.label(&format!("{mark} {comment}"));
                format!("{:width$}  {comment}", line.assembly)
            }
            None => line.assembly.clone(),
        };
        let _ = writeln!(
            text,
            "{}  {}  {assembly}",
            style.faint(&format!("{:5x}", line.address)),
            style.faint(&format!("{:30}", line.bytes)),
        );
    }
    text
}
