/* What libffcall's files here share. */
#ifndef BENCH_PEER_LIBFFCALL_H
#define BENCH_PEER_LIBFFCALL_H
#include "bench.h"

extern const struct bench_loops *peer_libffcall_loops;

bool peer_prepare_callback(struct bench_cell *cell);

#endif
