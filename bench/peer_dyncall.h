/* What dyncall's files here share. */
#ifndef BENCH_PEER_DYNCALL_H
#define BENCH_PEER_DYNCALL_H
#include "bench.h"

extern const struct bench_loops *peer_dyncall_loops;

bool peer_prepare_dyncallback(struct bench_cell *cell);

#endif
