//! The code of a few telling stubs, in full.

use super::{ENTRY, ERRNO, assigned, disassemble, planned};
use crate::stub::{Arguments, Plan, plan, x86_64};
use Arguments::{Pointers, Slots};

fn check(plan: &Plan, expected: &str) {
    let found = disassemble(&x86_64::emit(plan), 0).join("\n");
    let expected: Vec<_> = expected.trim().lines().map(str::trim).collect();
    assert_eq!(found, expected.join("\n"), "\n{found}\n");
}

/// No frame: the target returns to the stub's caller.
#[test]
fn nothing_to_move() {
    for arguments in [Pointers, Slots] {
        check(
            &planned("void f(void)", arguments),
            "endbr64
             jmp r11",
        );
    }
}

/// The frame is for the result's address; the second push of it aligns the stack.
#[test]
fn two_integers() {
    check(
        &planned("int f(int, int)", Pointers),
        "endbr64
         push rbp
         mov rbp,rsp
         push rdi
         push rdi
         mov rax,[rsi]
         mov edi,[rax]
         mov rax,[rsi+8]
         mov esi,[rax]
         call r11
         pop rcx
         mov [rcx],eax
         pop rcx
         pop rbp
         ret",
    );
    check(
        &planned("int f(int, int)", Slots),
        "endbr64
         push rbp
         mov rbp,rsp
         push rdi
         push rdi
         mov edi,[rsi]
         mov esi,[rsi+8]
         call r11
         pop rcx
         movsxd rax,eax
         mov [rcx],rax
         pop rcx
         pop rbp
         ret",
    );
}

#[test]
fn a_struct_of_two_doubles() {
    check(
        &planned("two_doubles f(two_doubles)", Pointers),
        "endbr64
         push rbp
         mov rbp,rsp
         push rdi
         push rdi
         mov rax,[rsi]
         movsd xmm0,[rax]
         movsd xmm1,[rax+8]
         call r11
         pop rcx
         movsd [rcx],xmm0
         movsd [rcx+8],xmm1
         pop rcx
         pop rbp
         ret",
    );
}

/// The last arguments are pushed, and the second, which overwrites the array's address, is loaded
/// at the end.
#[test]
fn eight_longs() {
    check(
        &planned(
            "void f(long, long, long, long, long, long, long, long)",
            Pointers,
        ),
        "endbr64
         push rbp
         mov rbp,rsp
         push rdi
         push rdi
         mov rax,[rsi+38h]
         push qword ptr [rax]
         mov rax,[rsi+30h]
         push qword ptr [rax]
         mov rax,[rsi]
         mov rdi,[rax]
         mov rax,[rsi+10h]
         mov rdx,[rax]
         mov rax,[rsi+18h]
         mov rcx,[rax]
         mov rax,[rsi+20h]
         mov r8,[rax]
         mov rax,[rsi+28h]
         mov r9,[rax]
         mov rax,[rsi+8]
         mov rsi,[rax]
         call r11
         add rsp,20h
         pop rbp
         ret",
    );
}

/// Both are larger than a slot, which holds their addresses, and travel in memory.
#[test]
fn a_struct_of_three_longs_in_slots() {
    check(
        &planned("three_longs f(three_longs)", Slots),
        "endbr64
         mov rdi,[rdi]
         push rbp
         mov rbp,rsp
         push rdi
         mov rax,[rsi]
         push qword ptr [rax+10h]
         push qword ptr [rax+8]
         push qword ptr [rax]
         call r11
         add rsp,20h
         pop rbp
         ret",
    );
}

/// `errno` is copied before anything else happens.
#[test]
fn errno_is_kept() {
    check(
        &plan(&assigned("char f(float)"), Slots, ENTRY, Some(ERRNO)),
        "endbr64
         push rbp
         mov rbp,rsp
         push rdi
         push rdi
         movss xmm0,[rsi]
         call r11
         mov ecx,fs:[0FFFFFFFFFFFFFFD8h]
         mov fs:[0FFFFFFFFFFFFFFF8h],ecx
         pop rcx
         movsx rax,al
         mov [rcx],rax
         pop rcx
         pop rbp
         ret",
    );
}
