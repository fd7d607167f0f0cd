//! Tests of assignments.

mod explained;
mod failures;
mod passing;
mod records;
mod results;
mod tables;
mod variadic;

use super::sysv64::GENERAL_NAMES;
use super::{Assignment, Piece, Place, ResultPassing, assign};
use crate::decl::{Declarations, parse_signature};
use crate::types::Signature;
use crate::types::target::LINUX_X86_64;
use std::fmt::Write;

/// Names that the prototypes of these tests use.
const PRELUDE: &str = "
    typedef float m64 __attribute__((vector_size(8)));
    typedef float m128 __attribute__((vector_size(16)));
    typedef float m256 __attribute__((vector_size(32)));
    typedef float m512 __attribute__((vector_size(64)));
    typedef short v4 __attribute__((vector_size(4)));
    typedef char v2 __attribute__((vector_size(2)));
    typedef int v8 __attribute__((vector_size(8)));
    typedef long v1long __attribute__((vector_size(8)));
    typedef float v1float __attribute__((vector_size(4)));
    typedef double v1double __attribute__((vector_size(8)));
    typedef struct { long a, b; } two_longs;
    typedef struct { long a, b, c; } three_longs;
    typedef struct { double a, b; } two_doubles;
    typedef struct { long a; double b; } mixed;
    typedef struct { int a, b; double d; } structparm;
    typedef struct { long a; } __attribute__((aligned(32))) wide;
    typedef struct { } empty;";

fn signature(prototype: &str) -> Signature {
    let mut declarations = Declarations::new(&LINUX_X86_64);
    declarations.add(PRELUDE).unwrap();
    parse_signature(Some(&declarations), &LINUX_X86_64, prototype).unwrap()
}

/// One call of a variadic function.
fn call(prototype: &str, extra: &[&str]) -> Signature {
    let mut declarations = Declarations::new(&LINUX_X86_64);
    declarations.add(PRELUDE).unwrap();
    let types: Vec<_> = extra
        .iter()
        .map(|name| declarations.find_type(name).unwrap())
        .collect();
    let signature = parse_signature(Some(&declarations), &LINUX_X86_64, prototype).unwrap();
    signature.complete_variadic(&types).unwrap()
}

/// An assignment on one line: the places of each parameter, of the result, then the stack if there
/// is any. Bytes are told where a value has several pieces.
fn shown(assignment: &Assignment) -> String {
    let parameters: Vec<String> = assignment
        .parameters()
        .iter()
        .map(|parameter| pieces(assignment.pieces(parameter), parameter.size))
        .collect();
    let mut text = parameters.join("; ");
    let result = match assignment.result {
        ResultPassing::Void => "void".to_owned(),
        ResultPassing::Registers => pieces(assignment.result_pieces(), assignment.result_size),
        ResultPassing::Memory { address, returned } => {
            let returned = returned.map_or("nowhere".to_owned(), place);
            format!("memory at {}, {returned}", place(address))
        }
    };
    let _ = write!(text, " -> {result}");
    if (assignment.stack_size, assignment.stack_align) != (0, 16) {
        let (size, align) = (assignment.stack_size, assignment.stack_align);
        let _ = write!(text, " | stack {size}/{align}");
    }
    if let Some(count) = assignment.vector_count {
        let _ = write!(text, " | al {count}");
    }
    text
}

fn pieces(list: &[Piece], size: u32) -> String {
    match list {
        [] => "nothing".to_owned(),
        [piece] if (piece.offset, piece.size) == (0, size) => place(piece.place),
        _ => {
            let each = list.iter().map(|piece| {
                let last = piece.offset + piece.size - 1;
                format!("{}-{last} {}", piece.offset, place(piece.place))
            });
            each.collect::<Vec<_>>().join(", ")
        }
    }
}

fn place(place: Place) -> String {
    match place {
        Place::General(number) => GENERAL_NAMES[usize::from(number)].to_owned(),
        Place::Vector(number) => format!("xmm{number}"),
        Place::X87(number) => format!("st{number}"),
        Place::Stack(offset) => format!("[{offset}]"),
    }
}

fn check(prototype: &str, expected: &str) {
    let assignment = assign(&signature(prototype)).unwrap();
    assert_eq!(shown(&assignment), expected, "{prototype}");
}

/// Where a value of this type goes as the first parameter, and as the result.
fn check_type(name: &str, parameter: &str, result: &str) {
    let stack = |text: &str| if text.starts_with('[') { text.len() } else { 0 };
    let assignment = assign(&signature(&format!("void f({name} x)"))).unwrap();
    let line = shown(&assignment);
    let found = line.split(" -> ").next().unwrap();
    assert_eq!(found, parameter, "{name} as a parameter");
    assert_eq!(stack(found) > 0, assignment.stack_size > 0, "{name}");
    let line = shown(&assign(&signature(&format!("{name} f(void)"))).unwrap());
    assert_eq!(line, format!(" -> {result}"), "{name} as a result");
}
