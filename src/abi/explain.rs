//! An assignment as text for people.

use super::{Assignment, Extension, Passing, Piece, Place, ResultPassing, registers};
use crate::types::{Convention, Signature};
use std::fmt::Write;

/// Where every byte travels: a line for the prototype, one for each parameter, then the result
/// and the stack, and the path that calls take.
pub fn explain(signature: &Signature, assignment: &Assignment, path: &str) -> String {
    let mut rows = Vec::new();
    for (index, parameter) in assignment.parameters().iter().enumerate() {
        let ty = signature.param(index);
        let label = match index < signature.function().fixed {
            true => format!("parameter {}", index + 1),
            false => format!("extra argument {}", index + 1),
        };
        let list = assignment.pieces(parameter);
        let places = match parameter.passing {
            Passing::Value => pieces(assignment, list, parameter.size),
            Passing::Reference { align } => {
                let addresses = list
                    .iter()
                    .map(|one| place(assignment, one.place, one.size));
                let addresses = addresses.collect::<Vec<_>>().join(" and ");
                format!("the address of a copy, aligned to {align}, in {addresses}")
            }
        };
        rows.push((
            label,
            ty.get().describe(),
            places + &extension(parameter.extension, parameter.size),
        ));
    }
    let result = signature.result();
    let places = match assignment.result {
        ResultPassing::Void => "nothing".to_owned(),
        ResultPassing::Registers => pieces(
            assignment,
            assignment.result_pieces(),
            assignment.result_size,
        ),
        ResultPassing::Memory { address, returned } => {
            let mut text = format!("memory, its address in {}", place(assignment, address, 8));
            if let Some(returned) = returned {
                let _ = write!(text, ", given back in {}", place(assignment, returned, 8));
            }
            text
        }
    };
    rows.push(("result".to_owned(), result.get().describe(), places));
    let label_width = rows
        .iter()
        .map(|row| row.0.chars().count())
        .chain(assignment.vector_count.map(|_| "variadic".len()))
        .max()
        .unwrap_or(0);
    let type_width = rows
        .iter()
        .map(|row| row.1.chars().count())
        .max()
        .unwrap_or(0);
    let mut text = format!("{}\n", signature.prototype());
    for (label, ty, places) in rows {
        let _ = writeln!(text, "  {label:label_width$}  {ty:type_width$}  {places}");
    }
    let shadow = match assignment.convention {
        Convention::Win64 => ", the first 32 of them shadow space of the callee's",
        _ => "",
    };
    let _ = writeln!(
        text,
        "  {:label_width$}  {} bytes, aligned to {}{shadow}",
        "stack", assignment.stack_size, assignment.stack_align
    );
    if let Some(count) = assignment.vector_count {
        let _ = writeln!(
            text,
            "  {:label_width$}  al = {count} vector registers",
            "variadic"
        );
    }
    let _ = writeln!(text, "  {:label_width$}  {path}", "path");
    text
}

pub(super) fn extension(extension: Extension, size: u32) -> String {
    match extension {
        Extension::Zero if size < 4 => ", zero-extended to 32 bits".to_owned(),
        Extension::Sign if size < 4 => ", sign-extended to 32 bits".to_owned(),
        _ => String::new(),
    }
}

fn pieces(assignment: &Assignment, list: &[Piece], size: u32) -> String {
    match list {
        [] => "nothing".to_owned(),
        [piece] if piece.size == size || matches!(piece.place, Place::X87(_)) => {
            place(assignment, piece.place, piece.size)
        }
        // Microsoft's convention has these bytes twice.
        [first, second] if first.offset == second.offset => format!(
            "{} and {}",
            place(assignment, first.place, first.size),
            place(assignment, second.place, second.size)
        ),
        _ => {
            let text = list.iter().map(|piece| {
                let last = piece.offset + piece.size - 1;
                format!(
                    "bytes {}-{last} in {}",
                    piece.offset,
                    place(assignment, piece.place, piece.size)
                )
            });
            text.collect::<Vec<_>>().join(", ")
        }
    }
}

pub(super) fn place(assignment: &Assignment, place: Place, size: u32) -> String {
    match place {
        Place::General(number) => registers::general(assignment.convention, number, size),
        Place::Vector(number) => registers::vector(assignment.convention, number, size),
        Place::X87(number) => format!("st({number})"),
        Place::Stack(offset) => {
            format!("stack bytes {offset}-{}", offset + size.max(1) - 1)
        }
    }
}
