/* The figures: one median a cell, and what is read off them. */
#ifndef BENCH_RESULTS_H
#define BENCH_RESULTS_H
#include "bench.h"

#define BENCH_ROWS_MAX 24

enum bench_outcome {
  BENCH_ABSENT, /* the contestant is not here, or cannot call the row at all */
  BENCH_WRONG,  /* it gave a wrong result, and was not timed                 */
  BENCH_TIMED
};

struct bench_result {
  enum bench_outcome outcome;
  double median_ns, best_ns;
};

struct bench_results {
  struct bench_result cells[BENCH_ROWS_MAX][BENCH_COLUMN_COUNT];
  bool present[BENCH_COLUMN_COUNT];
  struct bench_binding binding;
};

void bench_print_tables(const struct bench_results *results, FILE *out);
void bench_write_csv(const struct bench_results *results, FILE *csv);

/* What farcall means to reach. Prints PASS or MISS for each; timing is noisy, so that a miss
 * is for people to look at and never fails a build. */
void bench_check_goals(const struct bench_results *results, FILE *out);

#endif
