// The snippets of receivers for AArch64, behind those of calls. What each does, and with which operands, is
// said in stub/threaded/receiver/snippet.rs, which has the same order.
//
//             +------------------------------+
//   x29 + 16  | caller's argument area       |
//   x29 + 8   | return address               |
//   x29       | caller's x29                 |
//             +------------------------------+
//   x29 - 16  | x8, (alignment)              |
//   x29 - 80  | x0 to x7                     |
//   x29 - 96  | where the program goes on    |
//   x29 - 160 | room for results             |
//             | vector registers             |
//             | frame                        |
//   sp        | array                        |
//             +------------------------------+
//
// Registers: x15 points to the word of the running snippet, x17 to the record. All others are free once the
// entry has saved them. After the handler those for results are not.

.macro receiver_family first
family ({count}+\first)
.endm

// Bytes at [base] as 8 in a register: the widths of values.
.macro load_value width, register, base
.if \width == 0
    ldr x\register, [\base]
.elseif \width == 1
    ldr w\register, [\base]
.elseif \width == 2
    ldrsw x\register, [\base]
.elseif \width == 3
    ldrh w\register, [\base]
.elseif \width == 4
    ldrsh x\register, [\base]
.elseif \width == 5
    ldrb w\register, [\base]
.elseif \width == 6
    ldrsb x\register, [\base]
.endif
.endm

.macro begin_receiver
    .cfi_remember_state
    stp x29, x30, [sp, #-16]!
    .cfi_def_cfa_offset 16
    .cfi_offset x29, -16
    .cfi_offset x30, -8
    mov x29, sp
    .cfi_def_cfa_register x29
    ldr x15, [x17, #{record_context}]
    ldr x15, [x15, #{receiver_program}]
.endm

.macro enter_receiver
    begin_receiver
    stp x8, xzr, [sp, #-16]!
    stp x6, x7, [sp, #-16]!
    stp x4, x5, [sp, #-16]!
    stp x2, x3, [sp, #-16]!
    stp x0, x1, [sp, #-16]!
    ldr x16, [x15, #8]
    sub sp, sp, x16
.endm

.macro end_of_enter
    next 2
    .cfi_restore_state
.endm

.macro enter_nothing
    begin_receiver
    ldr x16, [x15, #8]
    sub sp, sp, x16
.endm

.macro end_enter_nothing
    .cfi_restore_state
.endm

// What this processor has no use for.
.macro unused count
.rept \count
snippet
    udf #0
.endr
.endm

// A value of a register, which may have a part of it only: 0 is none, then the widths of values.
.macro store_one_general kind, register
.if \kind != 0
    ldr x9, [x15, #8*words]
.if \kind == 2
    mov w\register, w\register
.elseif \kind == 3
    sxtw x\register, w\register
.elseif \kind == 4
    uxth w\register, w\register
.elseif \kind == 5
    sxth x\register, w\register
.elseif \kind == 6
    uxtb w\register, w\register
.elseif \kind == 7
    sxtb x\register, w\register
.endif
    str x\register, [sp, x9]
.set words, words + 1
.endif
.endm

.macro nothing
.endm

.macro end_nothing
.endm

// With what stands at the beginning of each, and the words of that.
.macro store_two_general begin, used, one, two
.set first, 0
.rept 8
.set second, 0
.rept 8
snippet
    \begin
.set words, \used
    store_one_general first, \one
    store_one_general second, \two
    next words
    end_\begin
.set second, second + 1
.endr
.set first, first + 1
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
    sub x9, x29, #288
    stp q0, q1, [x9]
    stp q2, q3, [x9, #32]
    end_of_enter
snippet
    enter_receiver
    sub x9, x29, #288
    stp q0, q1, [x9]
    stp q2, q3, [x9, #32]
    stp q4, q5, [x9, #64]
    stp q6, q7, [x9, #96]
    end_of_enter
unused 2
snippet
    enter_nothing
    end_of_enter

receiver_family {r_enter_and_store}
store_two_general enter_nothing, 2, 0, 1

receiver_family {r_enter_whole}
.irp count, 1, 2, 3, 4, 5, 6, 7, 8
snippet
    enter_nothing
.if \count == 1
    str x0, [sp]
.else
    stp x0, x1, [sp]
.endif
.if \count == 3
    str x2, [sp, #16]
.elseif \count > 3
    stp x2, x3, [sp, #16]
.endif
.if \count == 5
    str x4, [sp, #32]
.elseif \count > 5
    stp x4, x5, [sp, #32]
.endif
.if \count == 7
    str x6, [sp, #48]
.elseif \count > 7
    stp x6, x7, [sp, #48]
.endif
    end_of_enter
.endr

    .cfi_def_cfa x29, 16
    .cfi_offset x29, -16
    .cfi_offset x30, -8

// No page is skipped, so that a stack that ends is met at its guard page.
receiver_family {r_allocate}
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

receiver_family {r_store_general}
store_two_general nothing, 1, 0, 1
store_two_general nothing, 1, 2, 3
store_two_general nothing, 1, 4, 5
store_two_general nothing, 1, 6, 7

// 0 is none, 1 a double and 2 a float.
.macro store_one_vector kind, register
.if \kind != 0
    ldr x9, [x15, #8*words]
.if \kind == 1
    str d\register, [sp, x9]
.else
    fmov w10, s\register
    str x10, [sp, x9]
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
store_two_vectors 0, 1
store_two_vectors 2, 3
store_two_vectors 4, 5
store_two_vectors 6, 7

receiver_family {r_addresses}
.irp count, 1, 2, 3, 4, 5, 6, 7, 8
snippet
    ldr x10, [x15, #8]
    add x10, sp, x10
.set done, 0
.rept \count
    ldr x9, [x15, #16+8*done]
    add x9, x29, x9
    str x9, [x10, #8*done]
.set done, done + 1
.endr
    next (2+\count)
.endr

.macro value is_half, place
    ldr x9, [x15, #16+8*\place]
.if \is_half
    ldrsw x9, [x29, x9]
.else
    ldr x9, [x29, x9]
.endif
    str x9, [x10, #8*\place]
.endm

receiver_family {r_values}
.set words, 1
.rept 4
.set state, 0
.rept (1 << words)
snippet
    ldr x10, [x15, #8]
    add x10, sp, x10
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

// A value at [x9] to the frame.
.macro store_values
.irp width, 0, 1, 2, 3, 4, 5, 6
snippet
    find_value
    load_value \width, 10, x9
    ldr x11, [x15, #16]
    add x11, sp, x11
    str x10, [x11]
    next 3
.endr
.irp bytes, 3, 5, 6, 7
snippet
    find_value
    load_odd \bytes
    ldr x11, [x15, #16]
    add x11, sp, x11
    str x10, [x11]
    next 3
.endr
.endm

.macro find_value
    ldr x9, [x15, #8]
    add x9, x29, x9
.endm
receiver_family {r_value}
store_values

.purgem find_value
.macro find_value
    ldr x9, [x15, #8]
    ldr x9, [x29, x9]
.endm
receiver_family {r_pointee}
store_values
.purgem find_value

receiver_family {r_frame_address}
snippet
    ldp x9, x10, [x15, #8]
    add x9, sp, x9
    add x10, sp, x10
    str x9, [x10]
    next 3

.macro move_places
    ldp x9, x10, [x15, #8]
    add x10, sp, x10
.endm

receiver_family {r_move}
snippet
    move_places
    ldrb w11, [x29, x9]
    strb w11, [x10]
    next 3
snippet
    move_places
    ldrh w11, [x29, x9]
    strh w11, [x10]
    next 3
snippet
    move_places
    ldr w11, [x29, x9]
    str w11, [x10]
    next 3
snippet
    move_places
    ldr x11, [x29, x9]
    str x11, [x10]
    next 3
snippet
    move_places
    ldr q16, [x29, x9]
    str q16, [x10]
    next 3
unused 1

receiver_family {r_zero}
snippet
    ldr x10, [x15, #8]
    add x10, sp, x10
    strb wzr, [x10]
    next 2
snippet
    ldr x10, [x15, #8]
    add x10, sp, x10
    strh wzr, [x10]
    next 2
snippet
    ldr x10, [x15, #8]
    add x10, sp, x10
    str wzr, [x10]
    next 2
snippet
    ldr x10, [x15, #8]
    add x10, sp, x10
    str xzr, [x10]
    next 2

receiver_family {r_result_in_frame}
snippet
    ldr x0, [x15, #8]
    add x0, sp, x0
    next 2

receiver_family {r_result_at_pointer}
snippet
    ldr x0, [x15, #8]
    ldr x0, [x29, x0]
    next 2

// Where the program goes on says to the handler of counted calls which receiver calls it.
.macro call_handler
    stur x15, [x29, #-96]
    mov x1, sp
    ldp x16, x2, [x17, #{record_handler}]
    blr x16
.endm
.if {record_user} != {record_handler} + 8
.error "handler and user are loaded together"
.endif

receiver_family {r_call}
snippet
    call_handler
    ldur x15, [x29, #-96]
    next 1

.macro handler_for_result
    sub x0, x29, #160
    call_handler
    sub x9, x29, #160
.endm

// What 16 bytes come back in, to which x9 points after the handler.
.macro calls_for_sixteen handler
snippet
    \handler
    ldr q0, [x9]
    return
snippet
    \handler
    ldp x0, x1, [x9]
    return
snippet
    \handler
    ldp d0, d1, [x9]
    return
snippet
    \handler
    ldr x0, [x9]
    ldr d0, [x9, #8]
    return
snippet
    \handler
    ldr d0, [x9]
    ldr x0, [x9, #8]
    return
.endm

receiver_family {r_call_and_return}
snippet
    handler_for_result
    return
.irp width, 0, 1, 2, 3, 4, 5, 6
snippet
    handler_for_result
    load_value \width, 0, x9
    return
.endr
snippet
    handler_for_result
    ldr s0, [x9]
    return
snippet
    handler_for_result
    ldr d0, [x9]
    return
calls_for_sixteen handler_for_result
snippet
    ldur x0, [x29, #-16]
    call_handler
    return

// A slot at the room's beginning, which points to what is behind it.
.macro handler_for_larger_result
    sub x0, x29, #160
    add x9, x0, #16
    str x9, [x0]
    call_handler
    sub x9, x29, #144
.endm

calls_for_sixteen handler_for_larger_result

receiver_family {r_call_and_return_microsoft}
unused 21

receiver_family {r_load_general}
.irp register, 0, 1
.irp width, 0, 1, 2, 3, 4, 5, 6
snippet
    ldr x9, [x15, #8]
    add x9, sp, x9
    load_value \width, \register, x9
    next 2
.endr
.endr

.macro load_vector_result register
snippet
    ldr x9, [x15, #8]
    add x9, sp, x9
    ldr \register, [x9]
    next 2
.endm

receiver_family {r_load_vector}
.irp register, 0, 1, 2, 3
load_vector_result b\register
load_vector_result h\register
load_vector_result s\register
load_vector_result d\register
load_vector_result q\register
unused 1
.endr

receiver_family {r_load_x87}
unused 1

// x0 and x1 may have a result already.
.macro copy_places
    ldp x9, x10, [x15, #8]
    ldr x11, [x15, #24]
    add x9, sp, x9
    ldr x9, [x9]
    add x10, sp, x10
.endm

receiver_family {r_copy_result}
snippet
    copy_places
    ldrb w10, [x10]
    strb w10, [x9, x11]
    next 4
snippet
    copy_places
    ldrh w10, [x10]
    strh w10, [x9, x11]
    next 4
snippet
    copy_places
    ldr w10, [x10]
    str w10, [x9, x11]
    next 4
snippet
    copy_places
    ldr x10, [x10]
    str x10, [x9, x11]
    next 4

receiver_family {r_restore_microsoft}
unused 1

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
