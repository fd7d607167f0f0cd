//! The code that is a function's own.

use super::{disassemble, planned};
use crate::stub::{Arguments, x86_64};
use x86_64::{LANDING_PAD, emit_entry, emit_jump, entry_length};

const CONTEXT: u64 = 0x1122_3344_5566_7788;
const HEAD: [&str; 2] = ["endbr64", "mov r11,1122334455667788h"];
const ENTRY_AT: u64 = 0x7f12_3456_7000;
/// Bytes of the head, and of the shorter jump.
const HEAD_LENGTH: u64 = 14;
const NEAR_LENGTH: u64 = 5;

fn check_jump(target: u64, expected: &[&str]) {
    let code = emit_jump(ENTRY_AT, CONTEXT, target);
    let lines = disassemble(&code, ENTRY_AT);
    assert_eq!(lines[..2], HEAD);
    assert_eq!(lines[2..], *expected, "to {target:#x}");
    assert!(code.len() <= entry_length(&[]));
}

#[test]
fn jumps() {
    check_jump(ENTRY_AT + 0x1000, &["jmp 00007F1234568000h"]);
    check_jump(ENTRY_AT - 0x1000, &["jmp 00007F1234566000h"]);
    check_jump(0x1000, &["mov r10,1000h", "jmp r10"]);
    check_jump(
        0xffff_8000_0000_1000,
        &["mov r10,0FFFF800000001000h", "jmp r10"],
    );
    // The last that a distance of 32 bits reaches, and the first that it does not.
    let after = ENTRY_AT + HEAD_LENGTH + NEAR_LENGTH;
    check_jump(after + 0x7fff_ffff, &["jmp 00007F12B4567012h"]);
    check_jump(after + 0x8000_0000, &["mov r10,7F12B4567013h", "jmp r10"]);
    check_jump(after - 0x8000_0000, &["jmp 00007F11B4567013h"]);
    check_jump(after - 0x8000_0001, &["mov r10,7F11B4567012h", "jmp r10"]);
}

/// A short stub is repeated behind the context, without its landing pad.
#[test]
fn short_stubs_are_repeated() {
    for prototype in [
        "void f(void)",
        "int f(int, int)",
        "double f(double, double)",
    ] {
        for arguments in [Arguments::Pointers, Arguments::Slots] {
            let stub = x86_64::emit(&planned(prototype, arguments));
            // Where the stub is does not matter.
            let code = emit_entry(ENTRY_AT, CONTEXT, &stub, 0x1000);
            let lines = disassemble(&code, ENTRY_AT);
            assert_eq!(lines[..2], HEAD);
            assert_eq!(lines[2..], disassemble(&stub, 0)[1..], "{prototype}");
            assert_eq!(code.len(), stub.len() - LANDING_PAD + HEAD_LENGTH as usize);
            assert_eq!(code.len(), entry_length(&stub));
        }
    }
}

/// A long one is jumped to, behind its landing pad: nothing is gained by passing it again.
#[test]
fn long_stubs_are_jumped_to() {
    let list = ["long"; 40].join(", ");
    let stub = x86_64::emit(&planned(&format!("int f({list})"), Arguments::Pointers));
    let near = emit_entry(ENTRY_AT, CONTEXT, &stub, ENTRY_AT + 0x100);
    assert_eq!(disassemble(&near, ENTRY_AT)[2..], ["jmp 00007F1234567104h"]);
    let far = emit_entry(ENTRY_AT, CONTEXT, &stub, 0x10_0000);
    assert_eq!(
        disassemble(&far, ENTRY_AT)[2..],
        ["mov r10,100004h", "jmp r10"]
    );
    assert!(near.len() < far.len() && far.len() <= entry_length(&stub));
}

/// No entry is longer than was announced, whatever the stub and wherever it is.
#[test]
fn entries_are_as_long_as_announced() {
    for count in 0..60 {
        let list = vec!["long"; count].join(", ");
        let stub = x86_64::emit(&planned(&format!("int f({list})"), Arguments::Slots));
        for stub_address in [ENTRY_AT + 64, 64] {
            let code = emit_entry(ENTRY_AT, CONTEXT, &stub, stub_address);
            assert!(code.len() <= entry_length(&stub));
        }
    }
}
