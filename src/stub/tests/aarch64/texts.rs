//! The AArch64 code of a few telling stubs and entries, in full.

use super::ENTRY;
use crate::stub::tests::assigned_for;
use crate::stub::{Arguments, ErrnoCapture, Plan, aarch64, plan};
use crate::types::target::LINUX_AARCH64;
use Arguments::{Pointers, Slots};

fn planned(prototype: &str, arguments: Arguments, errno: Option<ErrnoCapture>) -> Plan {
    plan(
        &assigned_for(&LINUX_AARCH64, prototype),
        arguments,
        ENTRY,
        errno,
    )
}

fn words(code: &[u8]) -> Vec<u32> {
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
    code.chunks(4).map(word).collect()
}

fn check(plan: &Plan, expected: &[u32]) {
    let found = words(&aarch64::emit(plan));
    assert_eq!(found, expected, "\nfound {found:08x?}\n");
}

const BTI_C: u32 = 0xd503_245f;
/// `stp x29, x30, [sp, #-16]!`, `mov x29, sp`
const FRAME: [u32; 2] = [0xa9bf_7bfd, 0x9100_03fd];
/// `str x0, [sp, #-16]!`
const KEEP_X0: u32 = 0xf81f_0fe0;
const BLR_X17: u32 = 0xd63f_0220;
/// `ldr x9, [sp], #16`
const FIND_RESULT: u32 = 0xf841_07e9;
/// `ldp x29, x30, [sp], #16`, `ret`
const LEAVE: [u32; 2] = [0xa8c1_7bfd, 0xd65f_03c0];

/// No frame: the target returns to the stub's caller.
#[test]
fn nothing_to_move() {
    for arguments in [Pointers, Slots] {
        let br_x17 = 0xd61f_0220;
        check(&planned("void f(void)", arguments, None), &[BTI_C, br_x17]);
    }
}

#[test]
fn two_integers() {
    check(
        &planned("int f(int, int)", Pointers, None),
        &[
            BTI_C,
            FRAME[0],
            FRAME[1],
            KEEP_X0,
            0xa940_3429, // ldp x9, x13, [x1]
            0xb940_0120, // ldr w0, [x9]
            0xb940_01a1, // ldr w1, [x13]
            BLR_X17,
            FIND_RESULT,
            0xb900_0120, // str w0, [x9]
            LEAVE[0],
            LEAVE[1],
        ],
    );
    check(
        &planned("int f(int, int)", Slots, None),
        &[
            BTI_C,
            FRAME[0],
            FRAME[1],
            KEEP_X0,
            0xb940_0020, // ldr w0, [x1]
            0xb940_0821, // ldr w1, [x1, #8]
            BLR_X17,
            FIND_RESULT,
            0x9340_7c00, // sxtw x0, w0
            0xf900_0120, // str x0, [x9]
            LEAVE[0],
            LEAVE[1],
        ],
    );
}

/// Both are larger than a slot, which holds their addresses; the parameter travels by the address of
/// a copy.
#[test]
fn a_struct_of_three_longs_in_slots() {
    check(
        &planned("three_longs f(three_longs)", Slots, None),
        &[
            BTI_C,
            0xf940_0000, // ldr x0, [x0]
            FRAME[0],
            FRAME[1],
            0xd100_83ff, // sub sp, sp, #32
            0xf940_0029, // ldr x9, [x1]
            0xa940_2d2a, // ldp x10, x11, [x9]
            0xa900_2fea, // stp x10, x11, [sp]
            0xf940_092a, // ldr x10, [x9, #16]
            0xf900_0bea, // str x10, [sp, #16]
            0xaa00_03e8, // mov x8, x0
            0x9100_03e0, // mov x0, sp
            BLR_X17,
            0x9100_03bf, // mov sp, x29
            LEAVE[0],
            LEAVE[1],
        ],
    );
}

/// `errno` is copied before anything else happens.
#[test]
fn errno_is_kept() {
    let errno = Some(ErrnoCapture { from: 40, to: 16 });
    check(
        &planned("two_doubles f(two_doubles)", Pointers, errno),
        &[
            BTI_C,
            FRAME[0],
            FRAME[1],
            KEEP_X0,
            0xf940_0029, // ldr x9, [x1]
            0x6d40_0520, // ldp d0, d1, [x9]
            BLR_X17,
            0xd53b_d049, // mrs x9, tpidr_el0
            0xb940_292a, // ldr w10, [x9, #40]
            0xb900_112a, // str w10, [x9, #16]
            FIND_RESULT,
            0x6d00_0520, // stp d0, d1, [x9]
            LEAVE[0],
            LEAVE[1],
        ],
    );
}

/// Parts of a page count as what is left of it; an area of a page and more is probed.
#[test]
fn a_large_area() {
    check(
        &planned("void f(struct { char c[4096]; })", Pointers, None),
        &[
            BTI_C,
            FRAME[0],
            FRAME[1],
            0xd140_07ec, // sub x12, sp, #1, lsl #12
            0xf940_03ff, // ldr xzr, [sp]
            0xd140_07ff, // sub sp, sp, #1, lsl #12
            0xeb2c_63ff, // cmp sp, x12
            0x54ff_ffa8, // b.hi to the probe
            0x9100_019f, // mov sp, x12
            0xf940_0029, // ldr x9, [x1]
            0x9100_012e, // mov x14, x9
            0x9100_03ef, // mov x15, sp
            0xd280_100c, // mov x12, #128
            0xacc1_45d0, // ldp q16, q17, [x14], #32
            0xac81_45f0, // stp q16, q17, [x15], #32
            0xf100_058c, // subs x12, x12, #1
            0x54ff_ffa1, // b.ne to the load
            0x9100_03e0, // mov x0, sp
            BLR_X17,
            0x9100_03bf, // mov sp, x29
            LEAVE[0],
            LEAVE[1],
        ],
    );
}

const ENTRY_AT: u64 = 0x7f12_3456_7000;
const CONTEXT: u64 = 0x7788_5566_3344;
/// `bti c`, `mov x17, #0x3344`, `movk x17, #0x5566, lsl #16`, `movk x17, #0x7788, lsl #32`
const HEAD: [u32; 4] = [BTI_C, 0xd286_6891, 0xf2aa_acd1, 0xf2ce_f111];

fn check_jump(target: u64, expected: &[u32]) {
    let code = aarch64::emit_jump(ENTRY_AT, CONTEXT, target);
    let found = words(&code);
    assert_eq!(found[..4], HEAD);
    assert_eq!(found[4..], *expected, "to {target:#x}: {found:08x?}");
    assert!(code.len() <= aarch64::entry_length(&[]));
}

#[test]
fn jumps() {
    let from = ENTRY_AT + 16;
    check_jump(from + 0x1000, &[0x1400_0400]);
    check_jump(from - 0x1000, &[0x17ff_fc00]);
    // The last that a distance of 28 bits reaches, and the first that it does not.
    check_jump(from + 0x7ff_fffc, &[0x15ff_ffff]);
    check_jump(from - 0x800_0000, &[0x1600_0000]);
    let br_x16 = 0xd61f_0200;
    // 0x7f123c567010
    check_jump(
        from + 0x800_0000,
        &[0xd28e_0210, 0xf2a7_8ad0, 0xf2cf_e250, br_x16],
    );
    // Halves that are zero need no instruction.
    check_jump(0x10_0000, &[0xd2a0_0210, br_x16]);
    check_jump(0x0001_0000_0000_0004, &[0xd280_0090, 0xf2e0_0030, br_x16]);
}

/// Any context and target fit into what was announced.
#[test]
fn entries_are_as_long_as_announced() {
    for count in 0..60 {
        let list = vec!["long"; count].join(", ");
        let stub = aarch64::emit(&planned(&format!("int f({list})"), Slots, None));
        for (context, stub_address) in [(1, ENTRY_AT + 64), (CONTEXT, 64), (u64::MAX, !63)] {
            let code = aarch64::emit_entry(ENTRY_AT, context, &stub, stub_address);
            assert!(code.len() <= aarch64::entry_length(&stub));
        }
    }
}

/// A short stub is repeated behind the context, without its landing pad, a long one is jumped to.
#[test]
fn entries() {
    let stub = aarch64::emit(&planned("int f(int, int)", Pointers, None));
    let code = aarch64::emit_entry(ENTRY_AT, CONTEXT, &stub, 0x1000);
    assert_eq!(words(&code)[..4], HEAD);
    assert_eq!(words(&code)[4..], words(&stub)[1..]);
    let list = ["long"; 40].join(", ");
    let stub = aarch64::emit(&planned(&format!("int f({list})"), Pointers, None));
    let code = aarch64::emit_entry(ENTRY_AT, CONTEXT, &stub, ENTRY_AT + 0x100);
    assert_eq!(words(&code)[..4], HEAD);
    assert_eq!(words(&code)[4..], [0x1400_003d]);
}
