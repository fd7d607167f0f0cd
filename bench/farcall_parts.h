/* What farcall's two files here share. */
#ifndef BENCH_FARCALL_PARTS_H
#define BENCH_FARCALL_PARTS_H
#include "bench.h"
#include <farcall.h>

/* Ends the program, with the library's own message, if the status is a failure. */
void farcall_must(fc_status status, const char *what);

void farcall_binding(FILE *out, FILE *csv, struct bench_binding *binding);

void farcall_parsing(FILE *out, FILE *csv, struct bench_binding *binding);

/* Both. */
void farcall_costs(FILE *out, FILE *csv, struct bench_binding *binding);

#endif
