//! What a table says of a convention in words: the class of a value, why it travels as it does, and
//! what holds for the whole call.

use super::{Assignment, Extension, Passing, Place, ResultPassing, aapcs64, sysv64, win64};
use crate::types::{Convention, Signature, TypeRef};

/// What is said of one value.
#[derive(Default)]
pub(super) struct Remark {
    /// Its class. Pieces in registers may have classes of their own, which their registers tell.
    pub(super) class: Option<&'static str>,
    /// Why it travels as it does; empty where that needs no word.
    pub(super) why: &'static str,
}

/// Of a parameter, which may be an extra argument and may stand on the stack.
pub(super) fn of_parameter(
    convention: Convention,
    ty: TypeRef<'_>,
    extra: bool,
    on_stack: bool,
) -> Remark {
    let ty = ty.main_variant();
    if on_stack && convention == Convention::SysV64 {
        let (class, why) = sysv64::on_stack_because(ty, extra);
        return Remark {
            class: Some(class),
            why,
        };
    }
    let remark = of_value(convention, ty);
    let why = match convention {
        Convention::Win64 if on_stack => "the first four have the registers",
        Convention::Apple64 if on_stack && extra => "an extra argument",
        Convention::Apple64 | Convention::Aapcs64 if on_stack => {
            match aapcs64::needs_one_register(convention, ty) {
                true => "no register is left for it",
                false => "not enough registers are left for it",
            }
        }
        _ => remark.why,
    };
    Remark { why, ..remark }
}

/// Of a result in registers.
pub(super) fn of_result(convention: Convention, ty: TypeRef<'_>) -> Remark {
    let remark = of_value(convention, ty.main_variant());
    match convention {
        // As an argument it travels by reference.
        Convention::Win64 if ty.size() == 16 => Remark {
            class: Some("vector"),
            ..remark
        },
        _ => remark,
    }
}

fn of_value(convention: Convention, ty: TypeRef<'_>) -> Remark {
    match convention {
        Convention::Win64 => Remark {
            class: Some(win64::class(ty)),
            why: "",
        },
        Convention::Aapcs64 | Convention::Apple64 => {
            let class = aapcs64::class(convention, ty);
            let why = match class {
                "HFA" => "a homogeneous floating-point aggregate, a register for each element",
                "HVA" => "a homogeneous vector aggregate, a register for each element",
                _ => "",
            };
            Remark {
                class: Some(class),
                why,
            }
        }
        Convention::SysV64 | Convention::Default => Remark::default(),
    }
}

/// What stands below the table: a label and a text each. With `open`, extra arguments are examples.
pub(super) fn of_call(
    signature: &Signature,
    assignment: &Assignment,
    open: bool,
) -> Vec<(&'static str, String)> {
    let mut notes = Vec::new();
    let mut note = |label, text: &str| notes.push((label, text.to_owned()));
    let parameters = assignment.parameters();
    let is_narrow = |extension, size| extension != Extension::None && size < 4;
    if parameters
        .iter()
        .any(|one| is_narrow(one.extension, one.size))
    {
        note(
            "narrow",
            match assignment.convention {
                Convention::Apple64 => "the caller extends values to 32 bits, as Apple has it",
                Convention::SysV64 | Convention::Default => {
                    "the caller extends values to 32 bits: the psABI is silent, clang relies on it"
                }
                Convention::Win64 | Convention::Aapcs64 => {
                    "stubs extend values to 32 bits, though callees may not rely on it"
                }
            },
        );
    }
    let is_copied = |passing| matches!(passing, Passing::Reference { .. });
    if parameters.iter().any(|one| is_copied(one.passing)) {
        note(
            "copies",
            "made by the caller, above the arguments in its frame; the callee may change them",
        );
    }
    if assignment.convention == Convention::Win64 {
        let more = match assignment.result {
            ResultPassing::Memory { .. } => "; the result's address is the first",
            _ => "",
        };
        let text = format!(
            "rcx or xmm0, rdx or xmm1, r8 or xmm2, r9 or xmm3, by an argument's position{more}"
        );
        note("registers", &text);
        note(
            "shadow",
            "32 bytes at the stack pointer are the callee's; arguments on the stack follow at rsp+32",
        );
    }
    let named = &parameters[..signature.function().fixed.min(parameters.len())];
    let on_stack = |one| {
        let pieces = assignment.pieces(one);
        pieces
            .iter()
            .any(|piece| matches!(piece.place, Place::Stack(_)))
    };
    if assignment.convention == Convention::Apple64 && named.iter().any(on_stack) {
        note(
            "packed",
            "on the stack a scalar or a homogeneous aggregate takes its own size and alignment, \
             others slots of 8 bytes",
        );
    }
    if let Some(count) = assignment.vector_count {
        let text = match open {
            true => "al tells the callee how many vector registers are in use".to_owned(),
            false => format!("al tells the callee that {count} vector registers are in use"),
        };
        note("variadic", &text);
    } else if signature.function().variadic {
        note(
            "variadic",
            match assignment.convention {
                Convention::Win64 => {
                    "an extra argument in a vector register travels in the general one of its \
                     position too"
                }
                Convention::Apple64 => "extra arguments travel on the stack, in slots of 8 bytes",
                _ => "extra arguments travel as named ones do",
            },
        );
    }
    let (size, align) = (assignment.stack_size, assignment.stack_align);
    let more = if open {
        ", and what extra arguments need"
    } else {
        ""
    };
    note("stack", &format!("{size} bytes, aligned to {align}{more}"));
    notes
}
