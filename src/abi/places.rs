//! An assignment as one line for programs, by which other tools can check what stubs do.

use super::{Assignment, Extension, Passing, Piece, Place, ResultPassing, registers};
use std::fmt::Write;

/// The convention, then fields behind semicolons, of words between blanks:
///
/// ```text
/// stack SIZE ALIGNMENT                     bytes of the argument area
/// al COUNT                                 what a variadic callee is told
/// value SIZE EXTENSION PLACE=FIRST-LAST... a parameter: which of its bytes are where
/// copy SIZE ALIGNMENT PLACE...             a parameter: where its copy's address is
/// result SIZE EXTENSION PLACE=FIRST-LAST...
/// result SIZE memory PLACE [PLACE]         where its address goes, and where it comes back
/// result 0 void
/// ```
///
/// A place is a register by its whole name (rdi, xmm0, st0, x0, v0), or `stack+OFFSET` from the stack
/// pointer at the call. An extension is none, sign or zero.
pub fn places(assignment: &Assignment) -> String {
    let mut text = format!(
        "{}; stack {} {}",
        assignment.convention.name(),
        assignment.stack_size,
        assignment.stack_align
    );
    // Writing to a string cannot fail.
    if let Some(count) = assignment.vector_count {
        let _ = write!(text, "; al {count}");
    }
    for parameter in assignment.parameters() {
        let list = assignment.pieces(parameter);
        match parameter.passing {
            Passing::Value => {
                let extension = name(parameter.extension);
                let _ = write!(text, "; value {} {extension}", parameter.size);
                pieces(&mut text, assignment, list);
            }
            Passing::Reference { align } => {
                let _ = write!(text, "; copy {} {align}", parameter.size);
                for piece in list {
                    let _ = write!(text, " {}", place(assignment, piece.place));
                }
            }
        }
    }
    let _ = write!(text, "; result {}", assignment.result_size);
    match assignment.result {
        ResultPassing::Void => text.push_str(" void"),
        ResultPassing::Registers => {
            let _ = write!(text, " {}", name(assignment.result_extension));
            pieces(&mut text, assignment, assignment.result_pieces());
        }
        ResultPassing::Memory { address, returned } => {
            let _ = write!(text, " memory {}", place(assignment, address));
            if let Some(returned) = returned {
                let _ = write!(text, " {}", place(assignment, returned));
            }
        }
    }
    text
}

/// The same for a name: which places values are in, in their order, and which their result.
///
/// ```text
/// sysv64(rdi, xmm0 rsi, stack+0) -> rax xmm0
/// ```
pub fn short(assignment: &Assignment) -> String {
    let all = |list: &[Piece]| {
        let all = list.iter().map(|one| place(assignment, one.place));
        all.collect::<Vec<_>>().join(" ")
    };
    let parameters = assignment.parameters().iter();
    let parameters = parameters.map(|one| match one.passing {
        Passing::Value => all(assignment.pieces(one)),
        Passing::Reference { .. } => format!("&{}", all(assignment.pieces(one))),
    });
    let parameters = parameters.collect::<Vec<_>>().join(", ");
    let result = match assignment.result {
        ResultPassing::Void => "void".to_owned(),
        ResultPassing::Registers => all(assignment.result_pieces()),
        ResultPassing::Memory { address, .. } => format!("&{}", place(assignment, address)),
    };
    format!("{}({parameters}) -> {result}", assignment.convention.name())
}

fn name(extension: Extension) -> &'static str {
    match extension {
        Extension::None => "none",
        Extension::Sign => "sign",
        Extension::Zero => "zero",
    }
}

fn pieces(text: &mut String, assignment: &Assignment, list: &[Piece]) {
    for piece in list {
        let (first, last) = (piece.offset, piece.offset + piece.size - 1);
        let _ = write!(text, " {}={first}-{last}", place(assignment, piece.place));
    }
}

fn place(assignment: &Assignment, place: Place) -> String {
    match place {
        Place::General(number) => registers::general(assignment.convention, number, 8),
        Place::Vector(number) => registers::whole_vector(assignment.convention, number),
        Place::X87(number) => format!("st{number}"),
        Place::Stack(offset) => format!("stack+{offset}"),
    }
}
