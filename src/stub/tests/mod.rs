//! Tests of plans and of the code that is made of them. What the code does is found by running it
//! in `machine`, on any host.

mod aarch64;
mod entries;
mod machine;
mod plans;
mod random;
mod shapes;
mod texts;
mod threaded;
mod trial;
mod upcall;
mod x86_64;

use super::{Arguments, Entry, ErrnoCapture, Plan, plan};
use crate::abi::{Assignment, assign};
use crate::decl::{Declarations, parse_signature};
use crate::types::Target;
use crate::types::target::LINUX_X86_64;
use iced_x86::{Decoder, DecoderOptions, Formatter, Instruction, IntelFormatter};

const RSI: u8 = 6;
const RDI: u8 = 7;
const ENTRY: Entry = Entry {
    result: RDI,
    arguments: RSI,
};
const ERRNO: ErrnoCapture = ErrnoCapture { from: -40, to: -8 };

/// Names that the prototypes of these tests use.
const PRELUDE: &str = "
    typedef float m128 __attribute__((vector_size(16)));
    typedef float m256 __attribute__((vector_size(32)));
    typedef struct { long a, b; } two_longs;
    typedef struct { long a, b, c; } three_longs;
    typedef struct { double a, b; } two_doubles;
    typedef struct { long a; } __attribute__((aligned(32))) wide;
    typedef struct { } empty;";

fn declarations(target: &'static Target) -> Declarations {
    let mut declarations = Declarations::new(target);
    declarations.add(PRELUDE).unwrap();
    declarations
}

fn assigned_for(target: &'static Target, prototype: &str) -> Assignment {
    let declarations = declarations(target);
    assign(&parse_signature(Some(&declarations), target, prototype).unwrap()).unwrap()
}

fn assigned(prototype: &str) -> Assignment {
    assigned_for(&LINUX_X86_64, prototype)
}

fn planned(prototype: &str, arguments: Arguments) -> Plan {
    plan(&assigned(prototype), arguments, ENTRY, None)
}

fn decode(code: &[u8], address: u64) -> Vec<Instruction> {
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    let instructions: Vec<_> = decoder.iter().collect();
    assert!(instructions.iter().all(|one| !one.is_invalid()));
    instructions
}

fn text(instruction: &Instruction) -> String {
    let mut text = String::new();
    IntelFormatter::new().format(instruction, &mut text);
    text
}

/// Code as lines of text.
fn disassemble(code: &[u8], address: u64) -> Vec<String> {
    decode(code, address).iter().map(text).collect()
}
