/* farcall's goals, held against the figures. */
#include "results.h"
#include "rows.h"

static const struct bench_results *results;
static FILE *out;

static void verdict(bool reached, const char *goal, const char *row, double value,
                    const char *unit) {
  fprintf(out, "%s  %-52s %-27s %8.2f %s\n", reached ? "PASS" : "MISS", goal, row, value, unit);
}

/* Both timed: their medians in *left and *right. */
static bool figures(size_t row, enum bench_column_id a, enum bench_column_id b, double *left,
                    double *right) {
  const struct bench_result *cells = results->cells[row];
  *left = cells[a].median_ns;
  *right = cells[b].median_ns;
  return cells[a].outcome == BENCH_TIMED && cells[b].outcome == BENCH_TIMED;
}

static void at_most_of(const char *goal, enum bench_column_id id, enum bench_column_id base) {
  double ours, theirs;
  for (size_t row = 0; row < bench_row_count; row++) {
    if (figures(row, id, base, &ours, &theirs)) {
      verdict(ours <= theirs * 1.2, goal, bench_rows[row].title, ours / theirs, "x");
    }
  }
}

/* How often faster than ffi_call an entry has to be; 0 where nothing was promised. */
static double wanted_over_libffi(const struct bench_row *row) {
  if (row->rewrite) {
    return 0;
  }
  switch (row->callee) {
  case BENCH_CALLEE_nothing:
    return 4;
  case BENCH_CALLEE_i32_two:
  case BENCH_CALLEE_f64_two:
    return 8;
  case BENCH_CALLEE_i64_eight:
  case BENCH_CALLEE_mixed_10:
  case BENCH_CALLEE_mixed_26:
    return 15;
  case BENCH_CALLEE_pair:
    return 10;
  default:
    return 0;
  }
}

static void faster_than_libffi(void) {
  for (size_t row = 0; row < bench_row_count; row++) {
    double wanted = wanted_over_libffi(&bench_rows[row]), ours, theirs;
    if (wanted > 0 && figures(row, BENCH_FC_ENTRY, BENCH_LIBFFI_SYSTEM, &ours, &theirs)) {
      char goal[64];
      snprintf(goal, sizeof goal, "entry at least %.0f times faster than ffi_call", wanted);
      verdict(theirs >= ours * wanted, goal, bench_rows[row].title, theirs / ours, "times");
    }
  }
}

static void faster_than(const char *goal, enum bench_column_id peer) {
  double ours, theirs;
  for (size_t row = 0; row < bench_row_count; row++) {
    if (figures(row, BENCH_FC_ENTRY, peer, &ours, &theirs)) {
      verdict(ours < theirs, goal, bench_rows[row].title, theirs / ours, "times");
    }
  }
}

static void invoke_over_entry(const char *goal, enum bench_column_id invoke,
                              enum bench_column_id entry) {
  double through, straight;
  for (size_t row = 0; row < bench_row_count; row++) {
    if (figures(row, invoke, entry, &through, &straight)) {
      verdict(through - straight <= 0.7, goal, bench_rows[row].title, through - straight, "ns");
    }
  }
}

void bench_check_goals(const struct bench_results *all, FILE *stream) {
  results = all;
  out = stream;
  fprintf(out, "\nGoals (medians; timing is noisy, so look at a MISS twice)\n");
  at_most_of("entry at most 1.2 times the assembly", BENCH_FC_ENTRY, BENCH_ASSEMBLY);
  at_most_of("slot entry at most 1.2 times the assembly", BENCH_FC_SLOT_ENTRY,
             BENCH_ASSEMBLY_SLOTS);
  faster_than_libffi();
  faster_than("entry faster than libffi's call plan", BENCH_LIBFFI_PLAN);
  faster_than("entry faster than libffcall", BENCH_LIBFFCALL);
  invoke_over_entry("fc_invoke at most 0.7 ns over the entry", BENCH_FC_INVOKE, BENCH_FC_ENTRY);
  invoke_over_entry("fc_invoke_slots at most 0.7 ns over the slot entry", BENCH_FC_INVOKE_SLOTS,
                    BENCH_FC_SLOT_ENTRY);
  double fresh = all->binding.new_signature_ns, known = all->binding.known_signature_ns;
  if (fresh >= 0) {
    verdict(fresh < 10e3, "a new signature under 10 us", "parse + fc_function_new", fresh / 1e3,
            "us");
  }
  if (known >= 0) {
    verdict(known < 1e3, "a known signature under 1 us", "parse + fc_function_new", known / 1e3,
            "us");
  }
  double declaration = all->binding.declaration_ns;
  if (declaration >= 0) {
    verdict(declaration <= 2e3, "a declaration parsed in at most 2 us", "sqlite3.h",
            declaration / 1e3, "us");
  }
  if (!all->present[BENCH_FC_ENTRY]) {
    fprintf(out, "farcall is not here: nothing to hold its goals against\n");
  }
}
