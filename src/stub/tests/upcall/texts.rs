//! The code of a few telling receivers and thunks, in full.

use crate::stub::tests::{assigned, assigned_for, disassemble};
use crate::stub::{Arguments, THUNK_LENGTH, aarch64, upcall, x86_64};
use crate::types::Convention;
use crate::types::target::LINUX_AARCH64;
use Arguments::{Pointers, Slots};

fn check(prototype: &str, arguments: Arguments, expected: &str) {
    let upcall = upcall(&assigned(prototype), arguments, Convention::SysV64);
    let found = disassemble(&x86_64::emit_upcall(&upcall), 0).join("\n");
    let expected: Vec<_> = expected.trim().lines().map(str::trim).collect();
    assert_eq!(found, expected.join("\n"), "\n{found}\n");
}

#[test]
fn nothing_to_move() {
    check(
        "void f(void)",
        Pointers,
        "endbr64
         xor edi,edi
         xor esi,esi
         mov rdx,[r11+10h]
         jmp qword ptr [r11+8]",
    );
    check(
        "void f(void)",
        Slots,
        "endbr64
         push rbp
         mov rbp,rsp
         sub rsp,10h
         lea rdi,[rbp-8]
         mov rsi,rsp
         mov rdx,[r11+10h]
         call qword ptr [r11+8]
         add rsp,10h
         pop rbp
         ret",
    );
}

/// Registers are stored whole; a result is loaded as it was written.
#[test]
fn two_integers() {
    check(
        "int f(int, int)",
        Pointers,
        "endbr64
         push rbp
         mov rbp,rsp
         sub rsp,30h
         mov [rbp-20h],rdi
         mov [rbp-18h],rsi
         lea rax,[rbp-20h]
         mov [rbp-30h],rax
         lea rax,[rbp-18h]
         mov [rbp-28h],rax
         lea rdi,[rbp-10h]
         mov rsi,rsp
         mov rdx,[r11+10h]
         call qword ptr [r11+8]
         movsxd rax,[rbp-10h]
         add rsp,30h
         pop rbp
         ret",
    );
}

/// Nothing is known of what the caller left above a narrow integer.
#[test]
fn slots_hold_whole_numbers() {
    check(
        "unsigned char f(int, unsigned, char, float)",
        Slots,
        "endbr64
         push rbp
         mov rbp,rsp
         sub rsp,30h
         movsxd rax,edi
         mov [rbp-30h],rax
         mov eax,esi
         mov [rbp-28h],rax
         movsx rax,dl
         mov [rbp-20h],rax
         movd eax,xmm0
         mov [rbp-18h],rax
         lea rdi,[rbp-10h]
         mov rsi,rsp
         mov rdx,[r11+10h]
         call qword ptr [r11+8]
         movzx eax,byte ptr [rbp-10h]
         add rsp,30h
         pop rbp
         ret",
    );
}

/// Microsoft's convention keeps more registers than a handler does. A small struct travels by the
/// address of a copy, of which no byte too many is read.
#[test]
fn what_microsofts_convention_keeps() {
    check(
        "__attribute__((ms_abi)) double f(struct { char c[3]; }, double)",
        Slots,
        "endbr64
         push rbp
         mov rbp,rsp
         sub rsp,0D0h
         movzx eax,word ptr [rcx+1]
         movzx r10d,word ptr [rcx]
         shl rax,8
         or rax,r10
         mov [rbp-0D0h],rax
         movsd [rbp-0C8h],xmm1
         mov [rbp-0B8h],rsi
         mov [rbp-0B0h],rdi
         movups [rbp-0A0h],xmm6
         movups [rbp-90h],xmm7
         movups [rbp-80h],xmm8
         movups [rbp-70h],xmm9
         movups [rbp-60h],xmm10
         movups [rbp-50h],xmm11
         movups [rbp-40h],xmm12
         movups [rbp-30h],xmm13
         movups [rbp-20h],xmm14
         movups [rbp-10h],xmm15
         lea rdi,[rbp-0C0h]
         mov rsi,rsp
         mov rdx,[r11+10h]
         call qword ptr [r11+8]
         movsd xmm0,[rbp-0C0h]
         mov rsi,[rbp-0B8h]
         mov rdi,[rbp-0B0h]
         movups xmm6,[rbp-0A0h]
         movups xmm7,[rbp-90h]
         movups xmm8,[rbp-80h]
         movups xmm9,[rbp-70h]
         movups xmm10,[rbp-60h]
         movups xmm11,[rbp-50h]
         movups xmm12,[rbp-40h]
         movups xmm13,[rbp-30h]
         movups xmm14,[rbp-20h]
         movups xmm15,[rbp-10h]
         add rsp,0D0h
         pop rbp
         ret",
    );
}

const THUNK_AT: u64 = 0x7f12_3456_7000;

fn check_thunk(record: u64, expected: &[&str]) {
    let code = x86_64::emit_thunk(THUNK_AT, record);
    assert_eq!(code.len(), THUNK_LENGTH);
    let lines = disassemble(&code, THUNK_AT);
    assert_eq!(lines[0], "endbr64");
    assert_eq!(lines[1..3], *expected, "of {record:#x}");
    assert!(lines[3..].iter().all(|line| line == "int3"));
}

#[test]
fn thunks() {
    let near = THUNK_AT - 0x1000;
    check_thunk(
        near,
        &["lea r11,[7F1234566000h]", "jmp qword ptr [7F1234566000h]"],
    );
    check_thunk(0x10_0040, &["mov r11,100040h", "jmp qword ptr [r11]"]);
    // The last record that a distance of 32 bits reaches from both instructions, and the next.
    let after_load = THUNK_AT + 4 + 7;
    let last = after_load + 0x7fff_ffff;
    check_thunk(
        last,
        &["lea r11,[7F12B456700Ah]", "jmp qword ptr [7F12B456700Ah]"],
    );
    check_thunk(last + 1, &["mov r11,7F12B456700Bh", "jmp qword ptr [r11]"]);
    let first = after_load + 6 - 0x8000_0000;
    check_thunk(
        first,
        &["lea r11,[7F11B4567011h]", "jmp qword ptr [7F11B4567011h]"],
    );
    check_thunk(first - 1, &["mov r11,7F11B4567010h", "jmp qword ptr [r11]"]);
}

fn words(code: &[u8]) -> Vec<u32> {
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
    code.chunks(4).map(word).collect()
}

fn check_aarch64_thunk(record: u64, expected: &[u32]) {
    let code = aarch64::emit_thunk(THUNK_AT, record);
    assert_eq!(code.len(), THUNK_LENGTH);
    let found = words(&code);
    assert_eq!(found[0], 0xd503_245f);
    assert_eq!(
        found[1..1 + expected.len()],
        *expected,
        "of {record:#x}: {found:08x?}"
    );
    assert!(found[1 + expected.len()..].iter().all(|word| *word == 0));
}

#[test]
fn aarch64_thunks() {
    let br_x16 = 0xd61f_0200;
    // ldr x16, [x17]
    let load_entry = 0xf940_0230;
    check_aarch64_thunk(
        THUNK_AT - 0x1000,
        // adr x17, -0x1004; ldr x16, -0x1008
        &[0x10ff_7ff1, 0x58ff_7fd0, br_x16],
    );
    // The last record that adr reaches, and the next.
    check_aarch64_thunk(THUNK_AT + 0x10_0000, &[0x107f_fff1, 0x587f_ffd0, br_x16]);
    check_aarch64_thunk(
        THUNK_AT + 0x10_0040,
        // adrp x17, 0x100 pages; add x17, x17, #0x40
        &[0x9000_0811, 0x9101_0231, load_entry, br_x16],
    );
    // The last page that adrp reaches, and the next.
    check_aarch64_thunk(
        THUNK_AT + 0xffff_ffc0,
        &[0xf07f_fff1, 0x913f_0231, load_entry, br_x16],
    );
    // movz x17, #0x7000; movk x17, #0x3456, lsl #16; movk x17, #0x7f13, lsl #32
    check_aarch64_thunk(
        THUNK_AT + 0x1_0000_0000,
        &[0xd28e_0011, 0xf2a6_8ad1, 0xf2cf_e271, load_entry, br_x16],
    );
    // movz x17, #0x40; movk x17, #0x10, lsl #16
    check_aarch64_thunk(0x10_0040, &[0xd280_0811, 0xf2a0_0211, load_entry, br_x16]);
}

fn check_aarch64(prototype: &str, arguments: Arguments, expected: &[u32]) {
    let assignment = assigned_for(&LINUX_AARCH64, prototype);
    let upcall = upcall(&assignment, arguments, Convention::Aapcs64);
    let found = words(&aarch64::emit_upcall(&upcall));
    assert_eq!(found, expected, "{found:08x?}");
}

/// Whoever gets nothing and gives nothing returns to the caller.
#[test]
fn nothing_to_move_of_aarch64() {
    check_aarch64(
        "void f(void)",
        Pointers,
        &[
            0xd503_245f, // bti c
            0xaa1f_03e0, // mov x0, xzr
            0xaa1f_03e1, // mov x1, xzr
            0xa940_8a30, // ldp x16, x2, [x17, #8]
            0xd61f_0200, // br x16
        ],
    );
}

/// Neighbours are stored by one instruction, and handler and user loaded.
#[test]
fn two_integers_of_aarch64() {
    check_aarch64(
        "int f(int, int)",
        Pointers,
        &[
            0xd503_245f, // bti c
            0xa9bf_7bfd, // stp x29, x30, [sp, #-16]!
            0x9100_03fd, // mov x29, sp
            0xd100_c3ff, // sub sp, sp, #0x30
            0x9100_43e9, // add x9, sp, #0x10
            0x9100_63ee, // add x14, sp, #0x18
            0xa900_3be9, // stp x9, x14, [sp]
            0xa901_07e0, // stp x0, x1, [sp, #16]
            0x9100_83e0, // add x0, sp, #0x20
            0x9100_03e1, // mov x1, sp
            0xa940_8a30, // ldp x16, x2, [x17, #8]
            0xd63f_0200, // blr x16
            0xb980_23e0, // ldrsw x0, [sp, #32]
            0x9100_03bf, // mov sp, x29
            0xa8c1_7bfd, // ldp x29, x30, [sp], #16
            0xd65f_03c0, // ret
        ],
    );
}

/// A struct that travels in two vector registers is put together; its slot points to it, and the
/// result's slot to memory for that.
#[test]
fn a_struct_of_two_doubles_in_slots_of_aarch64() {
    check_aarch64(
        "two_doubles f(two_doubles, int, float)",
        Slots,
        &[
            0xd503_245f, // bti c
            0xa9bf_7bfd, // stp x29, x30, [sp, #-16]!
            0x9100_03fd, // mov x29, sp
            0xd101_43ff, // sub sp, sp, #0x50
            0x9100_83e9, // add x9, sp, #0x20
            0x9340_7c0e, // sxtw x14, w0
            0xa900_3be9, // stp x9, x14, [sp]
            0x1e26_0049, // fmov w9, s2
            0xf900_0be9, // str x9, [sp, #16]
            0x6d02_07e0, // stp d0, d1, [sp, #32]
            0x9100_c3e9, // add x9, sp, #0x30
            0xf900_23e9, // str x9, [sp, #64]
            0x9101_03e0, // add x0, sp, #0x40
            0x9100_03e1, // mov x1, sp
            0xa940_8a30, // ldp x16, x2, [x17, #8]
            0xd63f_0200, // blr x16
            0x6d43_07e0, // ldp d0, d1, [sp, #48]
            0x9100_03bf, // mov sp, x29
            0xa8c1_7bfd, // ldp x29, x30, [sp], #16
            0xd65f_03c0, // ret
        ],
    );
}
