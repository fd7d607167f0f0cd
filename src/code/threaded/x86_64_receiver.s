// The snippets of receivers for x86-64, behind those of calls. What each does, and with which operands, is
// said in stub/threaded/receiver/snippet.rs, which has the same order.
//
//            +------------------------------+
//   rbp + 16 | caller's argument area       |
//   rbp + 8  | return address               |
//   rbp      | caller's rbp                 |
//            +------------------------------+
//   rbp - 48 | rdi, rsi, rdx, rcx, r8, r9   |
//   rbp - 56 | where the program goes on    |
//   rbp - 96 | room for results             |
//            | vector registers             |
//            | frame                        |
//   rsp      | array                        |
//            +------------------------------+
//
// Registers: r10 points to the word of the running snippet, r11 to the record. All others are free once the
// entry has saved them. After the handler those for results are not.

.macro receiver_family first
family ({count}+\first)
.endm

// Bytes at [memory] as 8 in a register: the widths of values.
.macro load_value width, whole, half, memory
.if \width == 0
    mov \whole, \memory
.elseif \width == 1
    mov \half, \memory
.elseif \width == 2
    movsxd \whole, dword ptr \memory
.elseif \width == 3
    movzx \half, word ptr \memory
.elseif \width == 4
    movsx \whole, word ptr \memory
.elseif \width == 5
    movzx \half, byte ptr \memory
.elseif \width == 6
    movsx \whole, byte ptr \memory
.endif
.endm

.macro begin_receiver
    .cfi_remember_state
    push rbp
    .cfi_def_cfa_offset 16
    .cfi_offset rbp, -16
    mov rbp, rsp
    .cfi_def_cfa_register rbp
    mov r10, [r11+{record_context}]
    mov r10, [r10+{receiver_program}]
.endm

.macro enter_receiver
    begin_receiver
    push r9
    push r8
    push rcx
    push rdx
    push rsi
    push rdi
    sub rsp, [r10+8]
.endm

.macro end_of_enter
    next 2
    .cfi_restore_state
.endm

.macro enter_nothing
    begin_receiver
    sub rsp, [r10+8]
.endm

.macro end_enter_nothing
    .cfi_restore_state
.endm

// A value of a register, which may have a part of it only: 0 is none, then the widths of values.
.macro store_one_general kind, whole, half, two, one
.if \kind != 0
    mov rax, [r10+8*words]
.if \kind == 2
    mov \half, \half
.elseif \kind == 3
    movsxd \whole, \half
.elseif \kind == 4
    movzx \half, \two
.elseif \kind == 5
    movsx \whole, \two
.elseif \kind == 6
    movzx \half, \one
.elseif \kind == 7
    movsx \whole, \one
.endif
    mov [rsp+rax], \whole
.set words, words + 1
.endif
.endm

// With what stands at the beginning of each, and the words of that.
.macro store_two_general begin, used, whole, half, two, one, second_whole, second_half, second_two, second_one
.set first, 0
.rept 8
.set second, 0
.rept 8
snippet
    \begin
.set words, \used
    store_one_general first, \whole, \half, \two, \one
    store_one_general second, \second_whole, \second_half, \second_two, \second_one
    next words
    end_\begin
.set second, second + 1
.endr
.set first, first + 1
.endr
.endm

.macro nothing
.endm

.macro end_nothing
.endm

// What this processor has no registers for.
.macro unused count
snippet
    ud2
.rept \count - 1
.set snippet_count, snippet_count + 1
.pushsection .rodata.farcall_threaded, "a", @progbits
    .long 771b - farcall_threaded_text
.popsection
.endr
.endm

.type farcall_static_receiver, @function
.p2align 6
farcall_static_receiver:
    .cfi_startproc

receiver_family {r_enter}
snippet
    enter_receiver
    end_of_enter
snippet
    enter_receiver
    movaps [rbp-224], xmm0
    movaps [rbp-208], xmm1
    movaps [rbp-192], xmm2
    movaps [rbp-176], xmm3
    end_of_enter
snippet
    enter_receiver
    movaps [rbp-224], xmm0
    movaps [rbp-208], xmm1
    movaps [rbp-192], xmm2
    movaps [rbp-176], xmm3
    movaps [rbp-160], xmm4
    movaps [rbp-144], xmm5
    movaps [rbp-128], xmm6
    movaps [rbp-112], xmm7
    end_of_enter
snippet
    enter_receiver
    vmovups [rbp-352], ymm0
    vmovups [rbp-320], ymm1
    vmovups [rbp-288], ymm2
    vmovups [rbp-256], ymm3
    vmovups [rbp-224], ymm4
    vmovups [rbp-192], ymm5
    vmovups [rbp-160], ymm6
    vmovups [rbp-128], ymm7
    // Full vector registers left in use would slow down a handler that knows only halves of them.
    vzeroupper
    end_of_enter
snippet
    enter_receiver
    movaps [rbp-352], xmm0
    movaps [rbp-336], xmm1
    movaps [rbp-320], xmm2
    movaps [rbp-304], xmm3
    movaps [rbp-256], xmm6
    movaps [rbp-240], xmm7
    movaps [rbp-224], xmm8
    movaps [rbp-208], xmm9
    movaps [rbp-192], xmm10
    movaps [rbp-176], xmm11
    movaps [rbp-160], xmm12
    movaps [rbp-144], xmm13
    movaps [rbp-128], xmm14
    movaps [rbp-112], xmm15
    end_of_enter
snippet
    enter_nothing
    end_of_enter

receiver_family {r_enter_and_store}
store_two_general enter_nothing, 2, rdi, edi, di, dil, rsi, esi, si, sil

receiver_family {r_enter_whole}
.irp count, 1, 2, 3, 4, 5, 6
snippet
    enter_nothing
    mov [rsp], rdi
.if \count > 1
    mov [rsp+8], rsi
.endif
.if \count > 2
    mov [rsp+16], rdx
.endif
.if \count > 3
    mov [rsp+24], rcx
.endif
.if \count > 4
    mov [rsp+32], r8
.endif
.if \count > 5
    mov [rsp+40], r9
.endif
    end_of_enter
.endr
unused 2

    .cfi_def_cfa rbp, 16
    .cfi_offset rbp, -16

// No page is skipped, so that a stack that ends is met at its guard page.
receiver_family {r_allocate}
snippet
    mov rax, rsp
    sub rax, [r10+8]
    and rax, [r10+16]
2:
    or byte ptr [rsp], 0
    sub rsp, 4096
    cmp rsp, rax
    ja 2b
    mov rsp, rax
    next 3

receiver_family {r_store_general}
store_two_general nothing, 1, rdi, edi, di, dil, rsi, esi, si, sil
store_two_general nothing, 1, rdx, edx, dx, dl, rcx, ecx, cx, cl
store_two_general nothing, 1, r8, r8d, r8w, r8b, r9, r9d, r9w, r9b
unused 64

// 0 is none, 1 a double and 2 a float.
.macro store_one_vector kind, register
.if \kind != 0
    mov rax, [r10+8*words]
.if \kind == 1
    movsd qword ptr [rsp+rax], \register
.else
    movd edx, \register
    mov [rsp+rax], rdx
.endif
.set words, words + 1
.endif
.endm

.macro store_two_vectors one, two
.set first, 0
.rept 3
.set second, 0
.rept 3
snippet
.set words, 1
    store_one_vector first, \one
    store_one_vector second, \two
    next words
.set second, second + 1
.endr
.set first, first + 1
.endr
.endm

receiver_family {r_store_vector}
store_two_vectors xmm0, xmm1
store_two_vectors xmm2, xmm3
store_two_vectors xmm4, xmm5
store_two_vectors xmm6, xmm7

receiver_family {r_addresses}
.irp count, 1, 2, 3, 4, 5, 6, 7, 8
snippet
    mov rcx, [r10+8]
    add rcx, rsp
.set done, 0
.rept \count
    mov rax, [r10+16+8*done]
    add rax, rbp
    mov [rcx+8*done], rax
.set done, done + 1
.endr
    next (2+\count)
.endr

.macro value is_half, place
    mov rax, [r10+16+8*\place]
.if \is_half
    movsxd rax, dword ptr [rbp+rax]
.else
    mov rax, [rbp+rax]
.endif
    mov [rcx+8*\place], rax
.endm

receiver_family {r_values}
.set words, 1
.rept 4
.set state, 0
.rept (1 << words)
snippet
    mov rcx, [r10+8]
    add rcx, rsp
    value (state&1), 0
.if words > 1
    value ((state>>1)&1), 1
.endif
.if words > 2
    value ((state>>2)&1), 2
.endif
.if words > 3
    value ((state>>3)&1), 3
.endif
    next (2+words)
.set state, state + 1
.endr
.set words, words + 1
.endr

// A value at [rcx] to the frame.
.macro store_values
.irp width, 0, 1, 2, 3, 4, 5, 6
snippet
    find_value
    load_value \width, rdx, edx, [rcx]
    mov rax, [r10+16]
    mov [rsp+rax], rdx
    next 3
.endr
.irp bytes, 3, 5, 6, 7
snippet
    find_value
    load_odd \bytes, rcx, rdx, edx, r8, r8d
    mov rax, [r10+16]
    mov [rsp+rax], rdx
    next 3
.endr
.endm

.macro find_value
    mov rcx, [r10+8]
    add rcx, rbp
.endm
receiver_family {r_value}
store_values

.purgem find_value
.macro find_value
    mov rcx, [r10+8]
    mov rcx, [rbp+rcx]
.endm
receiver_family {r_pointee}
store_values
.purgem find_value

receiver_family {r_frame_address}
snippet
    mov rax, [r10+8]
    mov rcx, [r10+16]
    add rax, rsp
    mov [rsp+rcx], rax
    next 3

.macro move_places
    mov rax, [r10+8]
    mov rcx, [r10+16]
.endm

receiver_family {r_move}
snippet
    move_places
    movzx edx, byte ptr [rbp+rax]
    mov [rsp+rcx], dl
    next 3
snippet
    move_places
    movzx edx, word ptr [rbp+rax]
    mov [rsp+rcx], dx
    next 3
snippet
    move_places
    mov edx, [rbp+rax]
    mov [rsp+rcx], edx
    next 3
snippet
    move_places
    mov rdx, [rbp+rax]
    mov [rsp+rcx], rdx
    next 3
snippet
    move_places
    movups xmm0, [rbp+rax]
    movups [rsp+rcx], xmm0
    next 3
// The halves of a whole vector register.
snippet
    move_places
    movups xmm0, [rbp+rax]
    movups xmm1, [rbp+rax+16]
    movups [rsp+rcx], xmm0
    movups [rsp+rcx+16], xmm1
    next 3

receiver_family {r_zero}
.irp register, dl, dx, edx, rdx
snippet
    mov rcx, [r10+8]
    xor edx, edx
    mov [rsp+rcx], \register
    next 2
.endr

receiver_family {r_result_in_frame}
snippet
    mov rdi, [r10+8]
    add rdi, rsp
    next 2

receiver_family {r_result_at_pointer}
snippet
    mov rdi, [r10+8]
    mov rdi, [rbp+rdi]
    next 2

// Where the program goes on says to the handler of counted calls which receiver calls it.
.macro call_handler
    mov [rbp-56], r10
    mov rsi, rsp
    mov rdx, [r11+{record_user}]
    call qword ptr [r11+{record_handler}]
.endm

receiver_family {r_call}
snippet
    call_handler
    mov r10, [rbp-56]
    next 1

.macro handler_for_result
    lea rdi, [rbp-96]
    call_handler
.endm

// What 16 bytes come back in, which are so far below the frame pointer.
.macro calls_for_sixteen handler, below
snippet
    \handler
    movaps xmm0, [rbp-\below]
    leave_receiver
snippet
    \handler
    mov rax, [rbp-\below]
    mov rdx, [rbp-\below+8]
    leave_receiver
snippet
    \handler
    movsd xmm0, qword ptr [rbp-\below]
    movsd xmm1, qword ptr [rbp-\below+8]
    leave_receiver
snippet
    \handler
    mov rax, [rbp-\below]
    movsd xmm0, qword ptr [rbp-\below+8]
    leave_receiver
snippet
    \handler
    movsd xmm0, qword ptr [rbp-\below]
    mov rax, [rbp-\below+8]
    leave_receiver
.endm

.macro calls_and_return
snippet
    handler_for_result
    leave_receiver
.irp width, 0, 1, 2, 3, 4, 5, 6
snippet
    handler_for_result
    load_value \width, rax, eax, [rbp-96]
    leave_receiver
.endr
snippet
    handler_for_result
    movss xmm0, dword ptr [rbp-96]
    leave_receiver
snippet
    handler_for_result
    movsd xmm0, qword ptr [rbp-96]
    leave_receiver
calls_for_sixteen handler_for_result, 96
.endm

// A slot at the room's beginning, which points to what is behind it.
.macro handler_for_larger_result
    lea rax, [rbp-80]
    lea rdi, [rbp-96]
    mov [rbp-96], rax
    call_handler
.endm

.macro leave_receiver
    return
.endm
receiver_family {r_call_and_return}
calls_and_return
snippet
    mov rdi, [rbp-48]
    call_handler
    mov rax, [rbp-48]
    return
calls_for_sixteen handler_for_larger_result, 80

.macro restore
    mov rdi, [rbp-48]
    mov rsi, [rbp-40]
    movaps xmm6, [rbp-256]
    movaps xmm7, [rbp-240]
    movaps xmm8, [rbp-224]
    movaps xmm9, [rbp-208]
    movaps xmm10, [rbp-192]
    movaps xmm11, [rbp-176]
    movaps xmm12, [rbp-160]
    movaps xmm13, [rbp-144]
    movaps xmm14, [rbp-128]
    movaps xmm15, [rbp-112]
.endm

.purgem leave_receiver
.macro leave_receiver
    restore
    return
.endm
receiver_family {r_call_and_return_microsoft}
calls_and_return
snippet
    mov rdi, [rbp-24]
    call_handler
    mov rax, [rbp-24]
    leave_receiver
calls_for_sixteen handler_for_larger_result, 80

.macro load_results whole, half
.irp width, 0, 1, 2, 3, 4, 5, 6
snippet
    mov rcx, [r10+8]
    load_value \width, \whole, \half, [rsp+rcx]
    next 2
.endr
.endm

receiver_family {r_load_general}
load_results rax, eax
load_results rdx, edx

.macro load_vector_results register, wide
snippet
    mov rcx, [r10+8]
    movzx ecx, byte ptr [rsp+rcx]
    movd \register, ecx
    next 2
snippet
    mov rcx, [r10+8]
    movzx ecx, word ptr [rsp+rcx]
    movd \register, ecx
    next 2
snippet
    mov rcx, [r10+8]
    movss \register, dword ptr [rsp+rcx]
    next 2
snippet
    mov rcx, [r10+8]
    movsd \register, qword ptr [rsp+rcx]
    next 2
snippet
    mov rcx, [r10+8]
    movups \register, [rsp+rcx]
    next 2
snippet
    mov rcx, [r10+8]
    vmovups \wide, [rsp+rcx]
    next 2
.endm

receiver_family {r_load_vector}
load_vector_results xmm0, ymm0
load_vector_results xmm1, ymm1
load_vector_results xmm2, ymm2
load_vector_results xmm3, ymm3

receiver_family {r_load_x87}
snippet
    mov rcx, [r10+8]
    fld tbyte ptr [rsp+rcx]
    next 2

// rax and rdx may have a result already.
.macro copy_places
    mov rcx, [r10+8]
    mov rcx, [rsp+rcx]
    add rcx, [r10+24]
    mov r8, [r10+16]
.endm

receiver_family {r_copy_result}
snippet
    copy_places
    movzx r8d, byte ptr [rsp+r8]
    mov [rcx], r8b
    next 4
snippet
    copy_places
    movzx r8d, word ptr [rsp+r8]
    mov [rcx], r8w
    next 4
snippet
    copy_places
    mov r8d, [rsp+r8]
    mov [rcx], r8d
    next 4
snippet
    copy_places
    mov r8, [rsp+r8]
    mov [rcx], r8
    next 4

receiver_family {r_restore_microsoft}
snippet
    restore
    next 1

receiver_family {r_return}
snippet
    return

    .cfi_endproc
.size farcall_static_receiver, . - farcall_static_receiver

receiver_family {r_count}
.globl farcall_threaded_end
.hidden farcall_threaded_end
farcall_threaded_end:
.popsection
