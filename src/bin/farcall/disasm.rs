//! `farcall disasm`: the machine code that makes a call, or that takes one for a callback.

mod aarch64;
mod x86_64;

use crate::Failure;
use crate::prototypes::{Prototypes, completed};
use crate::style::Style;
use farcall::abi::{Assignment, Processor};
use farcall::stub::{Arguments, Emitter, ErrnoCapture, THUNK_LENGTH, emitter, plan, upcall};
use farcall::types::{Convention, Signature};
use farcall::{abi, code};
use std::fmt::Write;

/// What the command line asks for.
#[derive(Clone, Debug)]
pub(crate) struct Disasm {
    pub(crate) prototypes: Prototypes,
    /// None was named.
    pub(crate) syntax: Option<Syntax>,
    pub(crate) slots: bool,
    /// Thunk and receiver of a callback.
    pub(crate) callback: bool,
    pub(crate) shows_errno: bool,
    /// As lines for programs.
    pub(crate) bytes: bool,
}

/// How instructions of x86-64 are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Syntax {
    #[default]
    Intel,
    Att,
}

/// A piece of code to be listed.
struct Code<'a> {
    bytes: &'a [u8],
    /// Where it begins; the stub is at 0.
    address: u64,
    assignment: &'a Assignment,
    arguments: Arguments,
    /// It is a callback's.
    callback: bool,
}

/// From a thunk to its record, in listings.
const RECORD_DISTANCE: u64 = 4096;

/// Where an instruction is, its bytes, itself, and what it does.
struct Line {
    address: u64,
    bytes: String,
    assembly: String,
    comment: Option<String>,
}

pub(crate) fn run(disasm: &Disasm, style: Style) -> Result<String, Failure> {
    if disasm.bytes {
        return disasm
            .prototypes
            .lines(|signature| disasm.bytes_of(signature));
    }
    disasm.listings(style)
}

impl Disasm {
    fn arguments(&self) -> Arguments {
        match self.slots {
            true => Arguments::Slots,
            false => Arguments::Pointers,
        }
    }

    /// A call's assignment, who writes code for it, and the stub.
    fn stub(
        &self,
        signature: &Signature,
    ) -> Result<(Assignment, Processor, &'static Emitter, Vec<u8>), Failure> {
        let assignment = abi::assign(&completed(signature.clone())?)?;
        let processor = abi::processor(assignment.convention);
        let emitter = emitter(processor);
        let errno = match self.shows_errno {
            true => Some(errno(processor)?),
            false => None,
        };
        let plan = plan(&assignment, self.arguments(), emitter.entry, errno);
        Ok((assignment, processor, emitter, (emitter.emit)(&plan)))
    }

    /// The same for a callback, with its receiver.
    fn receiver(
        &self,
        signature: &Signature,
    ) -> Result<(Assignment, Processor, &'static Emitter, Vec<u8>), Failure> {
        if self.shows_errno {
            return Err(Failure::Usage(
                "--errno is for calls: a callback changes nothing of it".to_owned(),
            ));
        }
        if signature.function().variadic || signature.function().open {
            return Err(Failure::Failed(format!(
                "{}: a variadic function cannot be a callback: name its parameters",
                signature.prototype()
            )));
        }
        let assignment = abi::assign(signature)?;
        let processor = abi::processor(assignment.convention);
        let emitter = emitter(processor);
        let native = match processor {
            Processor::X86_64 => Convention::SysV64,
            Processor::Aarch64 => Convention::Aapcs64,
        };
        let upcall = upcall(&assignment, self.arguments(), native);
        Ok((
            assignment,
            processor,
            emitter,
            (emitter.emit_upcall)(&upcall),
        ))
    }

    fn code(
        &self,
        signature: &Signature,
    ) -> Result<(Assignment, Processor, &'static Emitter, Vec<u8>), Failure> {
        match self.callback {
            true => self.receiver(signature),
            false => self.stub(signature),
        }
    }

    fn bytes_of(&self, signature: &Signature) -> Result<String, Failure> {
        let (_, _, _, stub) = self.code(signature)?;
        let mut text = String::with_capacity(stub.len() * 2);
        for byte in stub {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        Ok(text)
    }

    fn listings(&self, style: Style) -> Result<String, Failure> {
        let signature = self.prototypes.signature()?;
        let (assignment, processor, emitter, stub) = self.code(&signature)?;
        if self.syntax.is_some() && processor != Processor::X86_64 {
            return Err(Failure::Usage(format!(
                "--syntax is for x86_64: the instructions of {} are written in one way",
                processor.name()
            )));
        }
        let mut text = format!("{}\n", signature.prototype());
        let form = if self.slots { "slots" } else { "pointers" };
        let syntax = self.syntax.unwrap_or_default();
        let mark = match (processor, syntax) {
            (Processor::Aarch64, _) => "//",
            (Processor::X86_64, Syntax::Intel) => ";",
            (Processor::X86_64, Syntax::Att) => "#",
        };
        let mut section = |title: &str, bytes: &[u8], address: u64| {
            let heading = format!("{title}, {} bytes:", bytes.len());
            let _ = writeln!(text, "\n{}", style.heading(&heading));
            let code = Code {
                bytes,
                address,
                assignment: &assignment,
                arguments: self.arguments(),
                callback: self.callback,
            };
            let lines = match processor {
                Processor::X86_64 => x86_64::lines(&code, syntax),
                Processor::Aarch64 => aarch64::lines(&code),
            };
            write_lines(&mut text, &lines, mark, style);
        };
        if self.callback {
            // A thunk is aligned to its length. The record, behind it in this listing, may be anywhere.
            let thunk_at = stub.len().next_multiple_of(THUNK_LENGTH) as u64;
            let record_at = thunk_at + RECORD_DISTANCE;
            let thunk = (emitter.emit_thunk)(thunk_at, record_at);
            section(&format!("receiver for {form}"), &stub, 0);
            section("thunk of a callback", &thunk, thunk_at);
            return Ok(text);
        }
        // The listing has the entry where the stub ends; its function may be anywhere.
        let entry_at = stub.len().next_multiple_of(code::ALIGN) as u64;
        let entry = (emitter.emit_entry)(entry_at, 0, &stub, 0);
        section(&format!("stub for {form}"), &stub, 0);
        section("entry of a function", &entry, entry_at);
        Ok(text)
    }
}

/// Where `errno` is in this process; of another processor only the shape of the code can be shown.
fn errno(processor: Processor) -> Result<ErrnoCapture, Failure> {
    const EXAMPLE: ErrnoCapture = ErrnoCapture { from: 16, to: 32 };
    match processor == Processor::of(code::target()) {
        true => code::errno_capture().map_err(|reason| Failure::Failed(reason.to_owned())),
        false => Ok(EXAMPLE),
    }
}

fn write_lines(text: &mut String, lines: &[Line], mark: &str, style: Style) {
    let longest = |length: fn(&Line) -> usize| lines.iter().map(length).max().unwrap_or(0);
    let width = longest(|line| line.assembly.len());
    let bytes_width = if mark == "//" { 11 } else { 30 };
    for line in lines {
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
            style.faint(&format!("{:bytes_width$}", line.bytes)),
        );
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digits: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.join(" ")
}
