/* Hand-written callbacks for the rows: a thunk, its record, and a receiver that calls a handler, as
 * fast as they can honestly be made: what farcall's own are measured against. They are made for one
 * signature each, so that the thunk jumps straight to its receiver. Four copies, as of stubs.S. */
#if defined(__x86_64__)
        .intel_syntax noprefix

#define PASTE(a, b, c) a##b##_##c
#define NAME(prefix, name, copy) PASTE(prefix, name, copy)

/* Where in a record the handler is, and what it is handed as its third argument. */
#define HANDLER [r11 + 8]
#define USER [r11 + 16]

/* The receiver's code follows. */
#define CALLBACK(prefix, handler, name)                                                            \
        .data;                                                                                     \
        .p2align 6;                                                                                \
NAME(prefix##record_, name, COPY):                                                                 \
        .quad   0, handler##name, 0;                                                               \
        .text;                                                                                     \
        .p2align 6;                                                                                \
        .skip   OFFSET, 0xcc;                                                                      \
        .globl  NAME(prefix##thunk_, name, COPY);                                                  \
        .hidden NAME(prefix##thunk_, name, COPY);                                                  \
        .type   NAME(prefix##thunk_, name, COPY), @function;                                       \
NAME(prefix##thunk_, name, COPY):                                                                  \
        endbr64;                                                                                   \
        lea     r11, [rip + NAME(prefix##record_, name, COPY)];                                    \
        jmp     NAME(prefix##receiver_, name, COPY);                                               \
        .p2align 6;                                                                                \
        .skip   OFFSET, 0xcc;                                                                      \
NAME(prefix##receiver_, name, COPY):

#define COPY 0
#define OFFSET 64
#include "receivers_pointers.inc"
#include "receivers_slots.inc"
#undef COPY
#undef OFFSET

#define COPY 1
#define OFFSET 16
#include "receivers_pointers.inc"
#include "receivers_slots.inc"
#undef COPY
#undef OFFSET

#define COPY 2
#define OFFSET 32
#include "receivers_pointers.inc"
#include "receivers_slots.inc"
#undef COPY
#undef OFFSET

#define COPY 3
#define OFFSET 48
#include "receivers_pointers.inc"
#include "receivers_slots.inc"
#endif
#if defined(__ELF__)
        .section .note.GNU-stack, "", @progbits
#endif
