//! The code of a few telling receivers and thunks, in full.

use crate::stub::tests::{assigned, disassemble};
use crate::stub::{Arguments, upcall, x86_64};
use crate::types::Convention;
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
         lea rax,[rbp-20h]
         mov [rbp-30h],rax
         mov [rbp-18h],rsi
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
