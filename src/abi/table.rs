//! An assignment as a table for people: a line for each piece, and for aggregates what is in it.

use super::explain::{extension, place};
use super::notes::{self, Remark};
use super::{Assignment, Passing, Piece, Place, ResultPassing, members};
use crate::error::Result;
use crate::types::target::LongDouble;
use crate::types::{Convention, Data, Scalar, Signature, Target, Type, TypeRef};
use std::fmt::Write;

/// Eightbytes of a value in memory that are shown.
const MOST_EIGHTBYTES: u32 = 8;

enum Row {
    /// What the lines below it belong to.
    Heading { label: String, text: String },
    /// Bytes and where they travel.
    Bytes {
        label: String,
        bytes: String,
        place: String,
        class: &'static str,
        holds: String,
    },
}

/// Where every byte travels: the prototype, the data model and the convention, a table with a line
/// for each piece, then the stack and the path that calls take. The assignment is the signature's.
pub fn table(signature: &Signature, assignment: &Assignment, path: &str) -> String {
    draw(signature, assignment, path, false)
}

/// The same for a variadic prototype whose call is not known yet.
pub fn open_table(prototype: &Signature, path: &str) -> Result<String> {
    let target = prototype.get().node.target;
    let examples = [Scalar::Long, Scalar::Double].map(|scalar| Type::scalar(scalar, target));
    let call = prototype.complete_variadic(&examples)?;
    Ok(draw(&call, &super::assign(&call)?, path, true))
}

/// With `open`, the extra arguments are examples.
fn draw(signature: &Signature, assignment: &Assignment, path: &str, open: bool) -> String {
    let mut rows = Vec::new();
    let fixed = signature.function().fixed;
    for (index, parameter) in assignment.parameters().iter().enumerate() {
        let label = match (index < fixed, open) {
            (true, _) => format!("parameter {}", index + 1),
            (false, false) => format!("extra argument {}", index + 1),
            (false, true) if index == fixed => "..., an integer".to_owned(),
            (false, true) => "..., a double".to_owned(),
        };
        let ty = signature.param(index);
        let ty = ty.get();
        let note = extension(parameter.extension, parameter.size);
        let pieces = assignment.pieces(parameter);
        let on_stack = matches!(pieces, [piece] if matches!(piece.place, Place::Stack(_)));
        let remark = notes::of_parameter(assignment.convention, ty, index >= fixed, on_stack);
        if let Passing::Reference { align } = parameter.passing {
            for piece in pieces {
                let text = format!(
                    "the address of a copy, aligned to {align}: {}{}",
                    ty.describe(),
                    because(&remark)
                );
                rows.push(row(assignment, label.clone(), *piece, &remark, text));
            }
            continue;
        }
        value(&mut rows, assignment, label, ty, pieces, &note, &remark);
    }
    let result = signature.result();
    let result = result.get();
    let label = "result".to_owned();
    match assignment.result {
        ResultPassing::Void => rows.push(Row::Heading {
            label,
            text: format!("{}: nothing comes back", result.describe()),
        }),
        ResultPassing::Registers => {
            let pieces = assignment.result_pieces();
            let remark = notes::of_result(assignment.convention, result);
            value(&mut rows, assignment, label, result, pieces, "", &remark);
        }
        ResultPassing::Memory { address, returned } => {
            let mut text = format!(
                "{}: in memory of the caller's, whose address travels in {}",
                result.describe(),
                place(assignment, address, 8)
            );
            let _ = match returned {
                Some(returned) => write!(
                    text,
                    " and comes back in {}",
                    place(assignment, returned, 8)
                ),
                None => write!(text, " and need not come back"),
            };
            rows.push(Row::Heading { label, text });
        }
    }
    let mut text = format!(
        "{}\n{}\n\n",
        signature.prototype(),
        model(assignment.convention, signature.get().node.target)
    );
    let mut notes = notes::of_call(signature, assignment, open);
    notes.push(("path", path.to_owned()));
    write_rows(&mut text, &rows, &notes);
    text
}

/// One value: a line, or a heading and a line for each of its pieces.
fn value(
    rows: &mut Vec<Row>,
    assignment: &Assignment,
    label: String,
    ty: TypeRef<'_>,
    pieces: &[Piece],
    note: &str,
    remark: &Remark,
) {
    let is_aggregate = matches!(
        ty.main_variant().node.data,
        Data::Record(_) | Data::Array { .. } | Data::Vector { .. }
    );
    let because = because(remark);
    match pieces {
        [] => rows.push(Row::Heading {
            label,
            text: format!("{}: nothing travels", ty.describe()),
        }),
        [piece] if !is_aggregate => {
            let holds = format!("{}{note}{because}", ty.describe());
            rows.push(row(assignment, label, *piece, remark, holds));
        }
        // Not two halves, but the same bytes twice.
        [first, second] if first.offset == second.offset => {
            let holds = format!("{}{note}", ty.describe());
            rows.push(row(assignment, label, *first, remark, holds));
            let again = "the same, where a variadic function looks for it".to_owned();
            rows.push(row(assignment, String::new(), *second, remark, again));
        }
        _ => {
            let text = format!("{}{because}", ty.describe());
            rows.push(Row::Heading { label, text });
            for piece in pieces {
                eightbytes(rows, assignment, ty, *piece, remark, is_aggregate);
            }
        }
    }
}

/// A piece; one on the stack, eightbyte by eightbyte.
fn eightbytes(
    rows: &mut Vec<Row>,
    assignment: &Assignment,
    ty: TypeRef<'_>,
    piece: Piece,
    remark: &Remark,
    is_aggregate: bool,
) {
    let holds = |part: Piece| match is_aggregate {
        true => {
            let start = u64::from(part.offset);
            members::in_range(ty.main_variant(), start..start + u64::from(part.size))
        }
        false => half(ty, part.offset).to_owned(),
    };
    let Place::Stack(at) = piece.place else {
        rows.push(row(assignment, String::new(), piece, remark, holds(piece)));
        return;
    };
    let count = piece.size.div_ceil(8);
    let shown = if count > MOST_EIGHTBYTES {
        MOST_EIGHTBYTES - 1
    } else {
        count
    };
    for index in 0..shown {
        let part = Piece {
            offset: piece.offset + index * 8,
            size: (piece.size - index * 8).min(8),
            place: Place::Stack(at + index * 8),
        };
        rows.push(row(assignment, String::new(), part, remark, holds(part)));
    }
    if shown < count {
        let part = Piece {
            offset: piece.offset + shown * 8,
            size: piece.size - shown * 8,
            place: Place::Stack(at + shown * 8),
        };
        let text = format!("{} more eightbytes", count - shown);
        rows.push(row(assignment, String::new(), part, remark, text));
    }
}

/// What a scalar's piece is that travels in two.
fn half(ty: TypeRef<'_>, offset: u32) -> &'static str {
    match (ty.value_kind().is_complex(), offset) {
        (true, 0) => "the real part",
        (true, _) => "the imaginary part",
        (false, 0) => "the low half",
        (false, _) => "the high half",
    }
}

fn row(
    assignment: &Assignment,
    label: String,
    piece: Piece,
    remark: &Remark,
    holds: String,
) -> Row {
    let last = piece.offset + piece.size.max(1) - 1;
    Row::Bytes {
        label,
        bytes: match piece.offset == last {
            true => last.to_string(),
            false => format!("{}-{last}", piece.offset),
        },
        place: place(assignment, piece.place, piece.size),
        class: remark
            .class
            .unwrap_or_else(|| class(assignment.convention, piece)),
        holds,
    }
}

/// The class that sent a piece to its register.
fn class(convention: Convention, piece: Piece) -> &'static str {
    match (convention, piece.place) {
        (Convention::SysV64, Place::General(_)) => "INTEGER",
        (Convention::SysV64, Place::Vector(_)) if piece.size > 8 => "SSE, SSEUP",
        (Convention::SysV64, Place::Vector(_)) => "SSE",
        (Convention::SysV64, Place::X87(_)) => "X87, X87UP",
        _ => "",
    }
}

fn because(remark: &Remark) -> String {
    match remark.why {
        "" => String::new(),
        why => format!(": {why}"),
    }
}

/// The convention, and what C's types mean on the target.
fn model(convention: Convention, target: &Target) -> String {
    let convention = match convention {
        Convention::SysV64 => "sysv64: System V for x86-64, psABI 3.2.3",
        Convention::Win64 => "win64: Microsoft's for x86-64",
        Convention::Aapcs64 => "aapcs64: the Arm 64-bit procedure call standard",
        Convention::Apple64 => "apple64: AAPCS64 with Apple's changes",
        Convention::Default => "the target's own convention",
    };
    let long_double = match target.long_double {
        LongDouble::X87 => "16 bytes (x87, 10 of them used)",
        LongDouble::Binary128 => "16 bytes (IEEE binary128)",
        LongDouble::Double => "8 bytes (the same as double)",
    };
    let signedness = |signed| if signed { "signed" } else { "unsigned" };
    let wide = target.wchar.layout(target).map_or(0, |(size, _)| size);
    format!(
        "{convention}\n{}: char is {}, long {} bytes, long double {long_double}, wchar_t {wide} \
         bytes ({})",
        target.name,
        signedness(target.char_is_signed),
        if target.long_is_64 { 8 } else { 4 },
        signedness(target.wchar.is_signed()),
    )
}

fn write_rows(text: &mut String, rows: &[Row], notes: &[(&str, String)]) {
    let titles = ["", "bytes", "travel in", "class"];
    let mut widths = titles.map(str::len);
    for row in rows {
        let cells = match row {
            Row::Heading { label, .. } => [label.as_str(), "", "", ""],
            Row::Bytes {
                label,
                bytes,
                place,
                class,
                ..
            } => [label.as_str(), bytes.as_str(), place.as_str(), *class],
        };
        for (width, cell) in widths.iter_mut().zip(cells) {
            *width = (*width).max(cell.chars().count());
        }
    }
    for (label, _) in notes {
        widths[0] = widths[0].max(label.len());
    }
    let [first, second, third, fourth] = widths;
    if rows.iter().any(|row| matches!(row, Row::Bytes { .. })) {
        let [_, bytes, place, class] = titles;
        let _ = writeln!(
            text,
            "  {:first$}  {bytes:second$}  {place:third$}  {class:fourth$}  holds",
            ""
        );
    }
    for row in rows {
        let _ = match row {
            Row::Heading { label, text: rest } => writeln!(text, "  {label:first$}  {rest}"),
            Row::Bytes {
                label,
                bytes,
                place,
                class,
                holds,
            } => writeln!(
                text,
                "  {label:first$}  {bytes:second$}  {place:third$}  {class:fourth$}  {holds}"
            ),
        };
    }
    for (label, rest) in notes {
        let _ = writeln!(text, "  {label:first$}  {rest}");
    }
}
