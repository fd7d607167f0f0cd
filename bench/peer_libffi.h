/* What libffi's files here share. */
#ifndef BENCH_PEER_LIBFFI_H
#define BENCH_PEER_LIBFFI_H
#include "bench.h"
#include <ffi.h>

extern const struct bench_loops *peer_libffi_loops;

/* Kept until the end, as a program that binds functions once would. NULL: it cannot. */
ffi_cif *peer_libffi_describe(const struct bench_row *row);

bool peer_libffi_prepare_closure(struct bench_cell *cell);

#endif
