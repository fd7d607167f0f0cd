//! Tests of assignments.

mod aapcs64;
mod explained;
mod failures;
mod passing;
mod records;
mod results;
mod tables;
mod variadic;
mod win64;

use super::{Assignment, Passing, Piece, Place, ResultPassing, assign, registers};
use crate::decl::{Declarations, parse_signature};
use crate::types::target::LINUX_X86_64;
use crate::types::{Convention, Signature, Target};
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
    signature_on(&LINUX_X86_64, prototype)
}

/// One call of a variadic function.
fn call(prototype: &str, extra: &[&str]) -> Signature {
    call_on(&LINUX_X86_64, prototype, extra)
}

fn declared(target: &'static Target) -> Declarations {
    let mut declarations = Declarations::new(target);
    declarations.add(PRELUDE).unwrap();
    declarations
}

fn signature_on(target: &'static Target, prototype: &str) -> Signature {
    parse_signature(Some(&declared(target)), target, prototype).unwrap()
}

fn call_on(target: &'static Target, prototype: &str, extra: &[&str]) -> Signature {
    let declarations = declared(target);
    let types: Vec<_> = extra
        .iter()
        .map(|name| declarations.find_type(name).unwrap())
        .collect();
    let signature = parse_signature(Some(&declarations), target, prototype).unwrap();
    signature.complete_variadic(&types).unwrap()
}

/// An assignment on one line: the places of each parameter, of the result, then the stack if there
/// is any. Bytes are told where a value has several pieces.
fn shown(assignment: &Assignment) -> String {
    let convention = assignment.convention;
    let parameters: Vec<String> = assignment
        .parameters()
        .iter()
        .map(|parameter| {
            let list = assignment.pieces(parameter);
            match parameter.passing {
                Passing::Value => pieces(convention, list, parameter.size),
                Passing::Reference { align } => {
                    format!("&{align} {}", pieces(convention, list, 8))
                }
            }
        })
        .collect();
    let mut text = parameters.join("; ");
    let result = match assignment.result {
        ResultPassing::Void => "void".to_owned(),
        ResultPassing::Registers => pieces(
            convention,
            assignment.result_pieces(),
            assignment.result_size,
        ),
        ResultPassing::Memory { address, returned } => {
            let returned = returned.map_or("nowhere".to_owned(), |one| place(convention, one, 8));
            format!("memory at {}, {returned}", place(convention, address, 8))
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

fn pieces(convention: Convention, list: &[Piece], size: u32) -> String {
    match list {
        [] => "nothing".to_owned(),
        [piece] if (piece.offset, piece.size) == (0, size) => place(convention, piece.place, size),
        _ => {
            let each = list.iter().map(|piece| {
                let last = piece.offset + piece.size - 1;
                let place = place(convention, piece.place, piece.size);
                format!("{}-{last} {place}", piece.offset)
            });
            each.collect::<Vec<_>>().join(", ")
        }
    }
}

fn place(convention: Convention, place: Place, size: u32) -> String {
    match place {
        Place::General(number) => registers::general(convention, number, 8),
        Place::Vector(number) => registers::vector(convention, number, size).replace("ymm", "xmm"),
        Place::X87(number) => format!("st{number}"),
        Place::Stack(offset) => format!("[{offset}]"),
    }
}

fn check(prototype: &str, expected: &str) {
    check_on(&LINUX_X86_64, prototype, expected);
}

fn check_on(target: &'static Target, prototype: &str, expected: &str) {
    let assignment = assign(&signature_on(target, prototype)).unwrap();
    assert_eq!(shown(&assignment), expected, "{prototype}");
}

fn check_call_on(target: &'static Target, prototype: &str, extra: &[&str], expected: &str) {
    let assignment = assign(&call_on(target, prototype, extra)).unwrap();
    assert_eq!(shown(&assignment), expected, "{prototype} with {extra:?}");
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
