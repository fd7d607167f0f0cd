/* What farcall's files here share. */
#ifndef BENCH_FARCALL_PARTS_H
#define BENCH_FARCALL_PARTS_H
#include "bench.h"
#include <farcall.h>

/* Ends the program, with the library's own message, if the status is a failure. */
void farcall_must(fc_status status, const char *what);

extern const struct bench_loops *farcall_loops;

/* The declarations of the rows' structs. */
fc_decls *farcall_structs(void);

bool farcall_prepare_callback(struct bench_cell *cell);
bool farcall_prepare_slot_callback(struct bench_cell *cell);
void farcall_live_callbacks(FILE *out, FILE *csv, struct bench_binding *binding);

void farcall_binding(FILE *out, FILE *csv, struct bench_binding *binding);

void farcall_parsing(FILE *out, FILE *csv, struct bench_binding *binding);

/* All of them. */
void farcall_costs(FILE *out, FILE *csv, struct bench_binding *binding);

#endif
