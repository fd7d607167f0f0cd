// The snippets of threaded code for x86-64, and their table. What each does, and with which operands,
// is said where programs are made of them: stub/threaded/x86_64.rs, which has the same order.
//
// While a callee runs, the stack is that of a stub with a frame:
//
//            +------------------------------+
//   rbp + 8  | return address               |
//   rbp      | caller's rbp                 |
//   rbp - 8  | address of the result        |
//   rbp - 16 | where the program goes on    |
//            | (alignment)                  |
//            | stack area                   |
//   rsp      |                              |
//            +------------------------------+
//
// Registers before the call: r10 points to the word of the running snippet, r11 to what has the target's address,
// rsi is the array and rdi the result; rax is scratch, or the address of a value. rcx, rdx, r8 and r9
// are scratch until they hold arguments. After it rcx is the result's address, and rsi, rdi and r8 are
// scratch.

// Begins a snippet: what follows is the next entry of the table.
.macro snippet
.p2align 6
771:
    endbr64
.set snippet_count, snippet_count + 1
.pushsection .rodata.farcall_threaded, "a", @progbits
    .long 771b - farcall_threaded_text
.popsection
.endm

// Begins a family: Rust and this file have to agree on how many snippets stand before it.
.macro family first
.if snippet_count != \first
.error "the table of snippets has another order than its numbers"
.endif
.endm

// Goes on with the snippet behind this one's words.
.macro next words
    add r10, 8 * \words
    jmp qword ptr [r10]
.endm

// A value in a general register. Widths are numbers: 1 for 8 bytes, 2 for 4, then 2 and 1, first with zeros
// above them and then with their sign.
.macro load width, whole, half, memory
.if \width == 1
    mov \whole, \memory
.elseif \width == 2
    mov \half, \memory
.elseif \width == 3
    movzx \half, word ptr \memory
.elseif \width == 4
    movsx \half, word ptr \memory
.elseif \width == 5
    movzx \half, byte ptr \memory
.elseif \width == 6
    movsx \half, byte ptr \memory
.endif
.endm

// The argument whose number is this quarter of the operand, in a general register; nothing for width 0.
.macro argument form, width, quarter, whole, half
.if \width
    movzx eax, word ptr [r10+8+2*\quarter]
.if \form
    load \width, \whole, \half, [rsi+rax*8]
.else
    mov rax, [rsi+rax*8]
    load \width, \whole, \half, [rax]
.endif
.endif
.endm

// The same in a vector register.
.macro vector_argument form, width, quarter, register
.if \width
    movzx eax, word ptr [r10+8+2*\quarter]
.if \form == 0
    mov rax, [rsi+rax*8]
.if \width == 1
    movsd \register, qword ptr [rax]
.else
    movss \register, dword ptr [rax]
.endif
.elseif \width == 1
    movsd \register, qword ptr [rsi+rax*8]
.else
    movss \register, dword ptr [rsi+rax*8]
.endif
.endif
.endm

// The same pushed: 8 bytes, or 4 with zeros above them.
.macro push_argument form, is_half, quarter
    movzx eax, word ptr [r10+8+2*\quarter]
.if \form == 0
    mov rax, [rsi+rax*8]
.if \is_half
    mov eax, [rax]
    push rax
.else
    push qword ptr [rax]
.endif
.elseif \is_half
    mov eax, [rsi+rax*8]
    push rax
.else
    push qword ptr [rsi+rax*8]
.endif
.endm

// 3, 5, 6 or 7 bytes at [base] in `whole`: two loads that overlap, the later one shifted to its place.
// What both bring is the same. The base and r8 are used up.
.macro load_odd bytes, base, whole, half, scratch, scratch_half
.if \bytes == 3
    movzx \half, word ptr [\base+1]
    movzx \scratch_half, word ptr [\base]
    shl \whole, 8
.else
    mov \half, [\base+\bytes-4]
    mov \scratch_half, [\base]
    shl \whole, 8*(\bytes-4)
.endif
    or \whole, \scratch
.endm

// Takes the frame down and returns.
.macro return
    .cfi_remember_state
    leave
    .cfi_def_cfa rsp, 8
    .cfi_restore rbp
    ret
    .cfi_restore_state
.endm

// Calls, and has the result's address in rcx.
.macro call_for_result
    call qword ptr [r11+8]
    mov rcx, [rbp-8]
.endm

.macro push_words count, base
.if \count
    push qword ptr [\base+8*(\count-1)]
    push_words (\count-1), \base
.endif
.endm

// Words of the argument area: one to four arguments of 8 or 4 bytes.
.macro push_group form, words, state
    push_argument \form, (\state&1), 0
.if \words > 1
    push_argument \form, ((\state>>1)&1), 1
.endif
.if \words > 2
    push_argument \form, ((\state>>2)&1), 2
.endif
.if \words > 3
    push_argument \form, ((\state>>3)&1), 3
.endif
    next 2
.endm

// Two general registers, each with an argument of any width or none.
.macro pair form, state, first, first_half, second, second_half
    argument \form, (\state%7), 0, \first, \first_half
    argument \form, (\state/7), 1, \second, \second_half
    next 2
.endm

// Four general registers, each with an argument of 8 bytes, of 4, or none.
.macro quad form, state
    argument \form, (\state%3), 0, rdx, edx
    argument \form, (\state/3%3), 1, rcx, ecx
    argument \form, (\state/9%3), 2, r8, r8d
    argument \form, (\state/27), 3, r9, r9d
    next 2
.endm

// Four vector registers, each with an argument of 8 bytes, of 4, or none.
.macro vector_quad form, state, a, b, c, d
    vector_argument \form, (\state%3), 0, \a
    vector_argument \form, (\state/3%3), 1, \b
    vector_argument \form, (\state/9%3), 2, \c
    vector_argument \form, (\state/27), 3, \d
    next 2
.endm

.pushsection .rodata.farcall_threaded, "a", @progbits
.p2align 6
.globl farcall_threaded_table
.hidden farcall_threaded_table
.type farcall_threaded_table, @object
.size farcall_threaded_table, 4 * ({count} + {r_count})
farcall_threaded_table:
.popsection

.pushsection .text.farcall_threaded, "ax", @progbits
.p2align 6
.globl farcall_threaded_text
.hidden farcall_threaded_text
farcall_threaded_text:
.set snippet_count, 0

// Makes the frame and finds the program.
.macro enter form, is_indirect, is_odd
    .cfi_remember_state
.if \is_indirect
    mov rdi, [rdi]
.endif
    push rbp
    .cfi_def_cfa_offset 16
    .cfi_offset rbp, -16
    mov rbp, rsp
    .cfi_def_cfa_register rbp
    push rdi
    push rdi
.if \is_odd
    push rdi
.endif
    mov r10, [r11+16+8*\form]
.endm

.macro end_of_entry
    .cfi_restore_state
.endm

// Entries: of each form, with a result or a pointer to it, with an even or an odd number of words to be
// pushed.
family {enter}
    .cfi_startproc
.set form, 0
.rept 2
.set is_indirect, 0
.rept 2
.set is_odd, 0
.rept 2
snippet
    enter form, is_indirect, is_odd
    next 1
    end_of_entry
.set is_odd, is_odd + 1
.endr
.set is_indirect, is_indirect + 1
.endr
.set form, form + 1
.endr

// The same together with what most calls do first.
family {enter_push}
.set form, 0
.rept 2
.set is_odd, 0
.rept 2
.set words, 1
.rept 4
.set state, 0
.rept (1 << words)
snippet
    enter form, 0, is_odd
    push_group form, words, state
    end_of_entry
.set state, state + 1
.endr
.set words, words + 1
.endr
.set is_odd, is_odd + 1
.endr
.set form, form + 1
.endr

family {enter_pair}
.set form, 0
.rept 2
.set state, 0
.rept 49
snippet
    enter form, 0, 0
    pair form, state, rdi, edi, rsi, esi
    end_of_entry
.set state, state + 1
.endr
.set form, form + 1
.endr

family {enter_quad}
.set form, 0
.rept 2
.set state, 0
.rept 81
snippet
    enter form, 0, 0
    quad form, state
    end_of_entry
.set state, state + 1
.endr
.set form, form + 1
.endr

family {enter_vector_quad}
.set form, 0
.rept 2
.set state, 0
.rept 81
snippet
    enter form, 0, 0
    vector_quad form, state, xmm0, xmm1, xmm2, xmm3
    end_of_entry
.set state, state + 1
.endr
.set form, form + 1
.endr
    .cfi_endproc

.type farcall_static_invoker, @function
farcall_static_invoker:
    .cfi_startproc
    .cfi_def_cfa rbp, 16
    .cfi_offset rbp, -16

family {push_group}
.set form, 0
.rept 2
.set words, 1
.rept 4
.set state, 0
.rept (1 << words)
snippet
    push_group form, words, state
.set state, state + 1
.endr
.set words, words + 1
.endr
.set form, form + 1
.endr

family {push_narrow}
.set form, 0
.rept 2
.irp width, 3, 4, 5, 6
snippet
    argument form, \width, 0, rdx, edx
    push rdx
    next 2
.endr
.set form, form + 1
.endr

family {push_tail}
.irp bytes, 1, 2, 3, 4, 5, 6, 7
snippet
    mov ecx, [r10+8]
    add rcx, rax
.if \bytes == 1
    movzx edx, byte ptr [rcx]
.elseif \bytes == 2
    movzx edx, word ptr [rcx]
.elseif \bytes == 4
    mov edx, [rcx]
.else
    load_odd \bytes, rcx, rdx, edx, r8, r8d
.endif
    push rdx
    next 2
.endr

family {push_words}
.irp count, 1, 2, 3, 4, 5, 6, 7, 8
snippet
    mov ecx, [r10+8]
    add rcx, rax
    push_words \count, rcx
    next 2
.endr

family {push_block}
.irp count, 1, 2, 3, 4, 5, 6, 7, 8
snippet
    mov eax, [r10+8]
    mov rax, [rsi+rax]
    push_words \count, rax
    next 2
.endr

family {make_room}
snippet
    sub rsp, [r10+8]
    next 2

family {address}
snippet
    mov eax, [r10+8]
    add rax, rsi
    next 2
snippet
    mov eax, [r10+8]
    mov rax, [rsi+rax]
    next 2

.macro pairs first, first_half, second, second_half
.set form, 0
.rept 2
.set state, 0
.rept 49
snippet
    pair form, state, \first, \first_half, \second, \second_half
.set state, state + 1
.endr
.set form, form + 1
.endr
.endm

family {pair}
pairs rdi, edi, rsi, esi
pairs rdx, edx, rcx, ecx
pairs r8, r8d, r9, r9d

family {quad}
.set form, 0
.rept 2
.set state, 0
.rept 81
snippet
    quad form, state
.set state, state + 1
.endr
.set form, form + 1
.endr

.macro vector_quads a, b, c, d
.set form, 0
.rept 2
.set state, 0
.rept 81
snippet
    vector_quad form, state, \a, \b, \c, \d
.set state, state + 1
.endr
.set form, form + 1
.endr
.endm

family {vector_quad}
vector_quads xmm0, xmm1, xmm2, xmm3
vector_quads xmm4, xmm5, xmm6, xmm7

// Two neighbouring registers with the 16 bytes that a pointer points to.
family {two_general}
.macro two_general first, second
snippet
    mov eax, [r10+8]
    mov rax, [rsi+rax]
    mov \second, [rax+8]
    mov \first, [rax]
    next 2
.endm
two_general rdi, rsi
two_general rsi, rdx
two_general rdx, rcx
two_general rcx, r8
two_general r8, r9

family {two_vector}
.macro two_vector first, second
snippet
    mov eax, [r10+8]
    mov rax, [rsi+rax]
    movsd \first, qword ptr [rax]
    movsd \second, qword ptr [rax+8]
    next 2
.endm
two_vector xmm0, xmm1
two_vector xmm1, xmm2
two_vector xmm2, xmm3
two_vector xmm3, xmm4
two_vector xmm4, xmm5
two_vector xmm5, xmm6
two_vector xmm6, xmm7

// One register from an offset behind the address in rax.
.macro load_general whole, half
.irp width, 1, 2, 3, 4, 5, 6
snippet
    mov \half, [r10+8]
    load \width, \whole, \half, [rax+\whole]
    next 2
.endr
.irp bytes, 3, 5, 6, 7
snippet
    add rax, [r10+8]
    load_odd \bytes, rax, \whole, \half, rax, eax
    next 2
.endr
.endm

family {load_general}
load_general rdi, edi
load_general rsi, esi
load_general rdx, edx
load_general rcx, ecx
load_general r8, r8d
load_general r9, r9d

.macro load_vector register, wide
snippet
    mov ecx, [r10+8]
    movss \register, dword ptr [rax+rcx]
    next 2
snippet
    mov ecx, [r10+8]
    movsd \register, qword ptr [rax+rcx]
    next 2
snippet
    mov ecx, [r10+8]
    movups \register, xmmword ptr [rax+rcx]
    next 2
snippet
    mov ecx, [r10+8]
    vmovups \wide, ymmword ptr [rax+rcx]
    next 2
snippet
    mov ecx, [r10+8]
    movzx ecx, byte ptr [rax+rcx]
    movd \register, ecx
    next 2
snippet
    mov ecx, [r10+8]
    movzx ecx, word ptr [rax+rcx]
    movd \register, ecx
    next 2
.irp bytes, 3, 5, 6, 7
snippet
    mov ecx, [r10+8]
    add rcx, rax
    load_odd \bytes, rcx, rdx, edx, r8, r8d
    movq \register, rdx
    next 2
.endr
.endm

family {load_vector}
load_vector xmm0, ymm0
load_vector xmm1, ymm1
load_vector xmm2, ymm2
load_vector xmm3, ymm3
load_vector xmm4, ymm4
load_vector xmm5, ymm5
load_vector xmm6, ymm6
load_vector xmm7, ymm7

family {area_address}
.irp register, rdi, rsi, rdx, rcx, r8, r9
snippet
    mov \register, [r10+8]
    add \register, rsp
    next 2
.endr

family {result_address}
snippet
    mov rcx, rdi
    next 1

family {vector_count}
snippet
    mov eax, [r10+8]
    next 2

// Makes room for a stack area and aligns it. No page is skipped, so that a stack that ends is met at its
// guard page.
family {allocate}
snippet
    mov rcx, rsp
    sub rcx, [r10+8]
    and rcx, [r10+16]
2:
    or byte ptr [rsp], 0
    sub rsp, 4096
    cmp rsp, rcx
    ja 2b
    mov rsp, rcx
    next 3

// From an offset behind the address in rax to one in the stack area.
.macro copy_offsets
    mov ecx, [r10+8]
    mov edx, [r10+12]
.endm

family {copy_bytes}
snippet
    copy_offsets
    movzx r8d, byte ptr [rax+rcx]
    mov [rsp+rdx], r8b
    next 2
snippet
    copy_offsets
    movzx r8d, word ptr [rax+rcx]
    mov [rsp+rdx], r8w
    next 2
snippet
    copy_offsets
    mov r8d, [rax+rcx]
    mov [rsp+rdx], r8d
    next 2

family {copy_words}
.irp count, 1, 2, 3, 4
snippet
    copy_offsets
    add rcx, rax
    add rdx, rsp
.set done, 0
.rept \count
    mov r8, [rcx+8*done]
    mov [rdx+8*done], r8
.set done, done + 1
.endr
    next 2
.endr

// 16 bytes at a time, all loads before the first store: a load waits for an earlier store whose address
// differs from its own in the upper bits only.
family {copy_wide}
.irp count, 1, 2, 3, 4, 5, 6, 7, 8
snippet
    copy_offsets
    add rcx, rax
    add rdx, rsp
.set done, 0
.irp register, xmm8, xmm9, xmm10, xmm11, xmm12, xmm13, xmm14, xmm15
.if done < \count
    movups \register, xmmword ptr [rcx+16*done]
.endif
.set done, done + 1
.endr
.set done, 0
.irp register, xmm8, xmm9, xmm10, xmm11, xmm12, xmm13, xmm14, xmm15
.if done < \count
    movups xmmword ptr [rdx+16*done], \register
.endif
.set done, done + 1
.endr
    next 2
.endr

family {copy_large}
snippet
    copy_offsets
    mov r8, rsi
    mov r9, rdi
    lea rsi, [rax+rcx]
    lea rdi, [rsp+rdx]
    mov rcx, [r10+16]
    rep movsq
    mov rsi, r8
    mov rdi, r9
    next 3

family {store_address}
snippet
    copy_offsets
    add rcx, rsp
    mov [rsp+rdx], rcx
    next 2

family {store_narrow}
.irp width, 3, 4, 5, 6
snippet
    copy_offsets
    load \width, r8, r8d, [rax+rcx]
    mov [rsp+rdx], r8
    next 2
.endr

family {call}
snippet
    mov [rbp-16], r10
    call qword ptr [r11+8]
    mov r10, [rbp-16]
    mov rcx, [rbp-8]
    next 1
snippet
    call qword ptr [r11+8]
    return
snippet
    call_for_result
    mov [rcx], rax
    return
snippet
    call_for_result
    mov [rcx], eax
    return
snippet
    call_for_result
    mov [rcx], ax
    return
snippet
    call_for_result
    mov [rcx], al
    return
snippet
    call_for_result
    movzx eax, al
    mov [rcx], rax
    return
snippet
    call_for_result
    movsx rax, al
    mov [rcx], rax
    return
snippet
    call_for_result
    movzx eax, ax
    mov [rcx], rax
    return
snippet
    call_for_result
    movsx rax, ax
    mov [rcx], rax
    return
snippet
    call_for_result
    mov eax, eax
    mov [rcx], rax
    return
snippet
    call_for_result
    movsxd rax, eax
    mov [rcx], rax
    return
snippet
    call_for_result
    movss dword ptr [rcx], xmm0
    return
snippet
    call_for_result
    movsd qword ptr [rcx], xmm0
    return
snippet
    call_for_result
    movups xmmword ptr [rcx], xmm0
    return
snippet
    call_for_result
    movd eax, xmm0
    mov [rcx], rax
    return
snippet
    call_for_result
    mov [rcx], rax
    mov [rcx+8], rdx
    return
snippet
    call_for_result
    movsd qword ptr [rcx], xmm0
    movsd qword ptr [rcx+8], xmm1
    return
snippet
    call_for_result
    mov [rcx], rax
    movsd qword ptr [rcx+8], xmm0
    return
snippet
    call_for_result
    movsd qword ptr [rcx], xmm0
    mov [rcx+8], rax
    return

// At an offset of the result.
family {store_general}
.macro store_general whole, half, quarter, eighth
.irp register, \whole, \half, \quarter, \eighth
snippet
    mov edi, [r10+8]
    mov [rcx+rdi], \register
    next 2
.endr
.endm
store_general rax, eax, ax, al
store_general rdx, edx, dx, dl

family {store_vector}
.macro store_vector register, wide
snippet
    mov edi, [r10+8]
    movss dword ptr [rcx+rdi], \register
    next 2
snippet
    mov edi, [r10+8]
    movsd qword ptr [rcx+rdi], \register
    next 2
snippet
    mov edi, [r10+8]
    movups xmmword ptr [rcx+rdi], \register
    next 2
snippet
    mov edi, [r10+8]
    vmovups ymmword ptr [rcx+rdi], \wide
    next 2
.endm
store_vector xmm0, ymm0
store_vector xmm1, ymm1

family {take}
snippet
    mov r8, rax
    next 1
snippet
    mov r8, rdx
    next 1
snippet
    movq r8, xmm0
    next 1
snippet
    movq r8, xmm1
    next 1

family {extend}
snippet
    movzx r8d, r8b
    next 1
snippet
    movsx r8, r8b
    next 1
snippet
    movzx r8d, r8w
    next 1
snippet
    movsx r8, r8w
    next 1
snippet
    mov r8d, r8d
    next 1
snippet
    movsxd r8, r8d
    next 1
.irp bytes, 3, 5, 6, 7
snippet
    shl r8, 64-8*\bytes
    shr r8, 64-8*\bytes
    next 1
.endr

family {store_taken}
.irp bytes, 1, 2, 3, 4, 5, 6, 7, 8
snippet
    mov edi, [r10+8]
    add rdi, rcx
.if \bytes == 8
    mov [rdi], r8
.endif
.if \bytes & 4
    mov [rdi], r8d
    shr r8, 32
.endif
.if \bytes & 2
    mov [rdi+(\bytes&4)], r8w
    shr r8, 16
.endif
.if \bytes & 1
    mov [rdi+(\bytes&6)], r8b
.endif
    next 2
.endr

family {store_zero}
.irp register, sil, si, esi, rsi
snippet
    mov edi, [r10+8]
    xor esi, esi
    mov [rcx+rdi], \register
    next 2
.endr

family {store_x87}
snippet
    mov edi, [r10+8]
    fstp tbyte ptr [rcx+rdi]
    next 2

family {keep_errno}
snippet
    mov rsi, [r10+8]
    mov rdi, [r10+16]
    mov esi, fs:[rsi]
    mov fs:[rdi], esi
    next 3

family {return}
snippet
    return
snippet
    vzeroupper
    return

    .cfi_endproc
.size farcall_static_invoker, . - farcall_static_invoker

