/* Hand-written stubs for the rows, as fast as they can honestly be made: what farcall's own
 * are measured against. There are four copies of each, at different distances from a cache
 * line's start, because placement alone can cost a stub 20 %. */
#if defined(__x86_64__)
        .intel_syntax noprefix
        .text

#define PASTE(a, b, c) a##b##_##c
#define NAME(prefix, name, copy) PASTE(prefix, name, copy)

#define COPY 0
#define OFFSET 64
#include "stubs_pointers.inc"
#include "stubs_slots.inc"
#undef COPY
#undef OFFSET

#define COPY 1
#define OFFSET 16
#include "stubs_pointers.inc"
#include "stubs_slots.inc"
#undef COPY
#undef OFFSET

#define COPY 2
#define OFFSET 32
#include "stubs_pointers.inc"
#include "stubs_slots.inc"
#undef COPY
#undef OFFSET

#define COPY 3
#define OFFSET 48
#include "stubs_pointers.inc"
#include "stubs_slots.inc"

/* The targets' addresses, in data beside the code, as a stub that can stand anywhere has to
 * keep them. */
        .section .data.rel.ro, "aw"
        .p2align 3
target_nothing:
        .quad   bench_nothing
target_i32_two:
        .quad   bench_i32_two
target_f64_two:
        .quad   bench_f64_two
target_string:
        .quad   bench_string
target_i64_eight:
        .quad   bench_i64_eight
target_mixed_10:
        .quad   bench_mixed_10
target_mixed_26:
        .quad   bench_mixed_26
target_pair:
        .quad   bench_pair
target_triple:
        .quad   bench_triple
target_six:
        .quad   bench_six
#endif
#if defined(__ELF__)
        .section .note.GNU-stack, "", @progbits
#endif
