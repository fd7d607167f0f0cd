// The snippets of threaded code for AArch64, and their table. What each does, and with which operands,
// is said where programs are made of them: stub/threaded/aarch64.rs, which has the same order.
//
// While a callee runs, the stack is that of a stub with a frame:
//
//             +------------------------------+
//   x29 + 8   | return address               |
//   x29       | caller's x29                 |
//             +------------------------------+
//   x29 - 8   | where the program goes on    |
//   x29 - 16  | address of the result        |
//             +------------------------------+
//             | stack area                   |
//   sp        |                              |
//             +------------------------------+
//
// Registers before the call: x15 points to the word of the running snippet, x17 to what has the target's address,
// x14 is the array and x13 the result; x9 is scratch, or the address of a value. x10 to x12, x16, v16 and
// v17 are scratch. After it x13 is the result's address again.

// Begins a snippet: what follows is the next entry of the table.
.macro snippet
.p2align 4
771:
    hint #34
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
    ldr x16, [x15, #8*\words]!
    br x16
.endm

// A value at [base] in a general register. Widths are numbers: 1 for 8 bytes, 2 for 4, then 2 and 1, first
// with zeros above them and then with their sign.
.macro load width, register, base
.if \width == 1
    ldr x\register, [\base]
.elseif \width == 2
    ldr w\register, [\base]
.elseif \width == 3
    ldrh w\register, [\base]
.elseif \width == 4
    ldrsh w\register, [\base]
.elseif \width == 5
    ldrb w\register, [\base]
.elseif \width == 6
    ldrsb w\register, [\base]
.endif
.endm

// The address of the argument whose number is this quarter of an operand, in x9.
.macro find_argument form, operand, quarter
    ldrh w9, [x15, #\operand+2*\quarter]
.if \form
    add x9, x14, x9, lsl #3
.else
    ldr x9, [x14, x9, lsl #3]
.endif
.endm

// The argument in a general register; nothing for width 0.
.macro argument form, width, quarter, register
.if \width
    find_argument \form, 8, \quarter
    load \width, \register, x9
.endif
.endm

// The same in a vector register.
.macro vector_argument form, width, quarter, register
.if \width
    find_argument \form, 8, \quarter
.if \width == 1
    ldr d\register, [x9]
.else
    ldr s\register, [x9]
.endif
.endif
.endm

// The same in the stack area, at x11.
.macro store_argument form, is_half, quarter
    find_argument \form, 16, \quarter
.if \is_half
    ldr w10, [x9]
    str w10, [x11, #8*\quarter]
.else
    ldr x10, [x9]
    str x10, [x11, #8*\quarter]
.endif
.endm

// 3, 5, 6 or 7 bytes at [x9] in x10: two loads that overlap, the later one shifted to its place. What both
// bring is the same.
.macro load_odd bytes
.if \bytes == 3
    ldrh w10, [x9]
    ldrh w11, [x9, #1]
    orr x10, x10, x11, lsl #8
.else
    ldr w10, [x9]
    ldur w11, [x9, #\bytes-4]
    orr x10, x10, x11, lsl #8*(\bytes-4)
.endif
.endm

// x9 and the offset that is the first operand.
.macro behind_address
    ldr x10, [x15, #8]
    add x9, x9, x10
.endm

// Takes the frame down and returns.
.macro return
    .cfi_remember_state
    mov sp, x29
    ldp x29, x30, [sp], #16
    .cfi_def_cfa sp, 0
    .cfi_restore x29
    .cfi_restore x30
    ret
    .cfi_restore_state
.endm

// Calls, and has the result's address in x13.
.macro call_for_result
    ldr x16, [x17, #8]
    blr x16
    ldur x13, [x29, #-16]
.endm

.macro call_and_return instruction:vararg
snippet
    call_for_result
    \instruction
    return
.endm

.macro call_extend_and_return instruction:vararg
snippet
    call_for_result
    \instruction
    str x0, [x13]
    return
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

// Entries: of each form, with a result or a pointer to it.
family {enter}
    .cfi_startproc
.set form, 0
.rept 2
.set is_indirect, 0
.rept 2
snippet
    .cfi_remember_state
.if is_indirect
    ldr x0, [x0]
.endif
    stp x29, x30, [sp, #-16]!
    .cfi_def_cfa_offset 16
    .cfi_offset x29, -16
    .cfi_offset x30, -8
    mov x29, sp
    .cfi_def_cfa_register x29
    stp x0, xzr, [sp, #-16]!
    mov x13, x0
    mov x14, x1
    ldr x15, [x17, #16+8*form]
    next 1
    .cfi_restore_state
.set is_indirect, is_indirect + 1
.endr
.set form, form + 1
.endr
    .cfi_endproc

.type farcall_static_invoker, @function
farcall_static_invoker:
    .cfi_startproc
    .cfi_def_cfa x29, 16
    .cfi_offset x29, -16
    .cfi_offset x30, -8

// Makes room for a stack area and aligns it. No page is skipped, so that a stack that ends is met at its
// guard page.
family {allocate}
snippet
    ldp x10, x11, [x15, #8]
    mov x12, sp
    sub x10, x12, x10
    and x10, x10, x11
2:
    ldr xzr, [sp]
    sub sp, sp, #4096
    cmp sp, x10
    b.hi 2b
    mov sp, x10
    next 3

// One to four arguments of 8 or 4 bytes in the argument area.
family {store_group}
.set form, 0
.rept 2
.set words, 1
.rept 4
.set state, 0
.rept (1 << words)
snippet
    ldr x11, [x15, #8]
    add x11, sp, x11
    store_argument form, (state&1), 0
.if words > 1
    store_argument form, ((state>>1)&1), 1
.endif
.if words > 2
    store_argument form, ((state>>2)&1), 2
.endif
.if words > 3
    store_argument form, ((state>>3)&1), 3
.endif
    next 3
.set state, state + 1
.endr
.set words, words + 1
.endr
.set form, form + 1
.endr

family {address}
snippet
    ldr x9, [x15, #8]
    add x9, x14, x9
    next 2
snippet
    ldr x9, [x15, #8]
    ldr x9, [x14, x9]
    next 2

// Four neighbouring general registers, each with an argument of 8 bytes, of 4, or none.
.macro quads a, b, c, d
.set form, 0
.rept 2
.set state, 0
.rept 81
snippet
    argument form, (state%3), 0, \a
    argument form, (state/3%3), 1, \b
    argument form, (state/9%3), 2, \c
    argument form, (state/27), 3, \d
    next 2
.set state, state + 1
.endr
.set form, form + 1
.endr
.endm

family {quad}
quads 0, 1, 2, 3
quads 4, 5, 6, 7

.macro vector_quads a, b, c, d
.set form, 0
.rept 2
.set state, 0
.rept 81
snippet
    vector_argument form, (state%3), 0, \a
    vector_argument form, (state/3%3), 1, \b
    vector_argument form, (state/9%3), 2, \c
    vector_argument form, (state/27), 3, \d
    next 2
.set state, state + 1
.endr
.set form, form + 1
.endr
.endm

family {vector_quad}
vector_quads 0, 1, 2, 3
vector_quads 4, 5, 6, 7

// One register with an argument of 2 or 1 bytes.
family {narrow}
.irp register, 0, 1, 2, 3, 4, 5, 6, 7
.set form, 0
.rept 2
.irp width, 3, 4, 5, 6
snippet
    argument form, \width, 0, \register
    next 2
.endr
.set form, form + 1
.endr
.endr

// Two neighbouring registers with the 16 bytes that a pointer points to.
.macro two_general first, second
snippet
    ldr x9, [x15, #8]
    ldr x9, [x14, x9]
    ldp x\first, x\second, [x9]
    next 2
.endm
family {two_general}
two_general 0, 1
two_general 1, 2
two_general 2, 3
two_general 3, 4
two_general 4, 5
two_general 5, 6
two_general 6, 7

.macro two_vector first, second
snippet
    ldr x9, [x15, #8]
    ldr x9, [x14, x9]
    ldp d\first, d\second, [x9]
    next 2
.endm
family {two_vector}
two_vector 0, 1
two_vector 1, 2
two_vector 2, 3
two_vector 3, 4
two_vector 4, 5
two_vector 5, 6
two_vector 6, 7

// One register from an offset behind the address in x9.
family {load_general}
.irp register, 0, 1, 2, 3, 4, 5, 6, 7
.irp width, 1, 2, 3, 4, 5, 6
snippet
    ldr x10, [x15, #8]
    add x10, x9, x10
    load \width, \register, x10
    next 2
.endr
.irp bytes, 3, 5, 6, 7
snippet
    behind_address
    load_odd \bytes
    mov x\register, x10
    next 2
.endr
.endr

.macro load_vector register
snippet
    ldr x10, [x15, #8]
    ldr \register, [x9, x10]
    next 2
.endm

family {load_vector}
.irp register, 0, 1, 2, 3, 4, 5, 6, 7
load_vector b\register
load_vector h\register
load_vector s\register
load_vector d\register
load_vector q\register
.irp bytes, 3, 5, 6, 7
snippet
    behind_address
    load_odd \bytes
    fmov d\register, x10
    next 2
.endr
.endr

family {area_address}
.irp register, 0, 1, 2, 3, 4, 5, 6, 7
snippet
    ldr x10, [x15, #8]
    add x\register, sp, x10
    next 2
.endr

family {result_address}
snippet
    mov x8, x13
    next 1

// From an offset behind the address in x9, x10 then, to one in the stack area, x11.
.macro copy_addresses
    ldp w10, w11, [x15, #8]
    add x10, x9, x10
    add x11, sp, x11
.endm

family {copy_bytes}
snippet
    copy_addresses
    ldrb w12, [x10]
    strb w12, [x11]
    next 2
snippet
    copy_addresses
    ldrh w12, [x10]
    strh w12, [x11]
    next 2
snippet
    copy_addresses
    ldr w12, [x10]
    str w12, [x11]
    next 2

family {copy_words}
.irp count, 1, 2, 3, 4
snippet
    copy_addresses
.set done, 0
.rept \count
    ldr x12, [x10, #8*done]
    str x12, [x11, #8*done]
.set done, done + 1
.endr
    next 2
.endr

family {copy_wide}
.irp count, 1, 2, 3, 4, 5, 6, 7, 8
snippet
    copy_addresses
.set done, 0
.rept \count
    ldr q16, [x10, #16*done]
    str q16, [x11, #16*done]
.set done, done + 1
.endr
    next 2
.endr

// So many times 32 bytes.
family {copy_large}
snippet
    copy_addresses
    ldr x12, [x15, #16]
2:
    ldp q16, q17, [x10], #32
    stp q16, q17, [x11], #32
    subs x12, x12, #1
    b.ne 2b
    next 3

family {store_address}
snippet
    ldp w10, w11, [x15, #8]
    add x10, sp, x10
    add x11, sp, x11
    str x10, [x11]
    next 2

family {store_narrow}
.irp width, 3, 4, 5, 6
snippet
    copy_addresses
    load \width, 12, x10
    str x12, [x11]
    next 2
.endr

family {call}
snippet
    stur x15, [x29, #-8]
    ldr x16, [x17, #8]
    blr x16
    ldp x13, x15, [x29, #-16]
    next 1
snippet
    ldr x16, [x17, #8]
    blr x16
    return
call_and_return str x0, [x13]
call_and_return str w0, [x13]
call_and_return strh w0, [x13]
call_and_return strb w0, [x13]
call_extend_and_return and x0, x0, #0xff
call_extend_and_return sxtb x0, w0
call_extend_and_return and x0, x0, #0xffff
call_extend_and_return sxth x0, w0
call_extend_and_return mov w0, w0
call_extend_and_return sxtw x0, w0
call_and_return str s0, [x13]
call_and_return str d0, [x13]
call_and_return str q0, [x13]
call_extend_and_return fmov w0, s0
call_and_return stp x0, x1, [x13]
call_and_return stp s0, s1, [x13]
call_and_return stp d0, d1, [x13]

// At an offset of the result.
family {store_general}
.irp register, 0, 1
snippet
    ldr x10, [x15, #8]
    str x\register, [x13, x10]
    next 2
snippet
    ldr x10, [x15, #8]
    str w\register, [x13, x10]
    next 2
snippet
    ldr x10, [x15, #8]
    strh w\register, [x13, x10]
    next 2
snippet
    ldr x10, [x15, #8]
    strb w\register, [x13, x10]
    next 2
.endr

.macro store_vector register
snippet
    ldr x10, [x15, #8]
    str \register, [x13, x10]
    next 2
.endm

family {store_vector}
.irp register, 0, 1, 2, 3
store_vector b\register
store_vector h\register
store_vector s\register
store_vector d\register
store_vector q\register
.endr

family {take}
.irp register, 0, 1
snippet
    mov x11, x\register
    next 1
.endr
.irp register, 0, 1, 2, 3
snippet
    fmov x11, d\register
    next 1
.endr

family {extend}
snippet
    and x11, x11, #0xff
    next 1
snippet
    sxtb x11, w11
    next 1
snippet
    and x11, x11, #0xffff
    next 1
snippet
    sxth x11, w11
    next 1
snippet
    mov w11, w11
    next 1
snippet
    sxtw x11, w11
    next 1
.irp bytes, 3, 5, 6, 7
snippet
    ubfx x11, x11, #0, #8*\bytes
    next 1
.endr

family {store_taken}
.irp bytes, 1, 2, 3, 4, 5, 6, 7, 8
snippet
    ldr x10, [x15, #8]
    add x10, x13, x10
.if \bytes == 8
    str x11, [x10]
.endif
.if \bytes & 4
    str w11, [x10], #4
    lsr x11, x11, #32
.endif
.if \bytes & 2
    strh w11, [x10], #2
    lsr x11, x11, #16
.endif
.if \bytes & 1
    strb w11, [x10]
.endif
    next 2
.endr

family {store_zero}
snippet
    ldr x10, [x15, #8]
    strb wzr, [x13, x10]
    next 2
snippet
    ldr x10, [x15, #8]
    strh wzr, [x13, x10]
    next 2
snippet
    ldr x10, [x15, #8]
    str wzr, [x13, x10]
    next 2
snippet
    ldr x10, [x15, #8]
    str xzr, [x13, x10]
    next 2

family {keep_errno}
snippet
    ldp x10, x11, [x15, #8]
    mrs x12, tpidr_el0
    ldr w10, [x12, x10]
    str w10, [x12, x11]
    next 3

family {return}
snippet
    return

    .cfi_endproc
.size farcall_static_invoker, . - farcall_static_invoker
