//! What is done to the stack around the call.

#![allow(
    clippy::useless_conversion,
    reason = "the assembler's macro converts register numbers"
)]

use super::operand::{ADDRESS, Assembler, RESULT, SP, add_offset, constant};
use crate::stub::plan::Plan;
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

const PAGE: u32 = 4096;

/// Makes the frame and the stack area.
pub(super) fn enter(code: &mut Assembler, plan: &Plan) {
    dynasm!(code
        ; .arch aarch64
        ; stp x29, x30, [sp, -16]!
        ; mov x29, sp
    );
    if keeps_result(plan) {
        dynasm!(code ; .arch aarch64 ; str X(plan.entry.result), [sp, -16]!);
    }
    if has_area(plan) {
        allocate(code, plan.stack_size.next_multiple_of(16), plan.stack_align);
    }
}

/// Loads the result's address, if something is stored there.
pub(super) fn find_result(code: &mut Assembler, plan: &Plan) {
    match (keeps_result(plan), has_area(plan)) {
        (false, _) => {}
        (true, false) => dynasm!(code ; .arch aarch64 ; ldr X(RESULT), [sp], 16),
        (true, true) => dynasm!(code ; .arch aarch64 ; ldur X(RESULT), [x29, -16]),
    }
}

/// Takes the frame down and returns.
pub(super) fn leave(code: &mut Assembler, plan: &Plan) {
    if has_area(plan) {
        dynasm!(code ; .arch aarch64 ; mov sp, x29);
    }
    dynasm!(code ; .arch aarch64 ; ldp x29, x30, [sp], 16 ; ret);
}

fn keeps_result(plan: &Plan) -> bool {
    !plan.stores.is_empty()
}

fn has_area(plan: &Plan) -> bool {
    plan.stack_size > 0
}

/// Makes room on the stack. No page is skipped, so that a stack that ends is met at its guard page.
pub(super) fn allocate(code: &mut Assembler, area: u32, align: u32) {
    let is_aligned = align > 16;
    // And takes the zero register where it could take sp.
    let mask = -i64::from(align) as u64;
    if area + if is_aligned { align } else { 0 } < PAGE {
        match is_aligned {
            false => dynasm!(code ; .arch aarch64 ; sub sp, sp, area),
            true => dynasm!(code
                ; .arch aarch64
                ; sub XSP(ADDRESS), sp, area
                ; and sp, X(ADDRESS), mask
            ),
        }
        return;
    }
    // Where the area will begin.
    if area < 1 << 24 {
        add_offset(code, ADDRESS, SP, -(area as i32));
    } else {
        constant(code, ADDRESS, u64::from(area));
        dynasm!(code ; .arch aarch64 ; sub XSP(ADDRESS), sp, X(ADDRESS));
    }
    if is_aligned {
        dynasm!(code ; .arch aarch64 ; and XSP(ADDRESS), X(ADDRESS), mask);
    }
    dynasm!(code
        ; .arch aarch64
        ; probe:
        ; ldr xzr, [sp]
        ; sub sp, sp, 1, lsl 12
        ; cmp sp, X(ADDRESS)
        ; b.hi <probe
        ; mov sp, XSP(ADDRESS)
    );
}
