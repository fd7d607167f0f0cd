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

static void at_most_of(const char *goal, enum bench_column_id id, enum bench_column_id base,
                       double times) {
  double ours, theirs;
  for (size_t row = 0; row < bench_row_count; row++) {
    if (figures(row, id, base, &ours, &theirs)) {
      verdict(ours <= theirs * times, goal, bench_rows[row].title, ours / theirs, "x");
    }
  }
}

/* How often faster than ffi_call an entry has to be; 0 where nothing was promised. */
static double wanted_over_libffi(const struct bench_row *row) {
  if (row->rewrite || row->part != BENCH_CALLS) {
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

/* How often faster than libffi's closure a callback has to be. Of void(void) nothing was promised:
 * there is nothing to marshal, and a plain function pointer is but four times faster there. */
static double wanted_over_closure(const struct bench_row *row) {
  switch (row->callee) {
  case BENCH_CALLEE_nothing:
    return 0;
  case BENCH_CALLEE_pair:
    return 4;
  default:
    return 6;
  }
}

static void closures(void) {
  double ours, theirs;
  for (size_t row = 0; row < bench_row_count; row++) {
    const struct bench_row *of = &bench_rows[row];
    if (of->part != BENCH_CALLBACKS) {
      continue;
    }
    double wanted = wanted_over_closure(of);
    if (wanted > 0 && figures(row, BENCH_FC_CALLBACK, BENCH_LIBFFI_CLOSURE, &ours, &theirs)) {
      char goal[64];
      snprintf(goal, sizeof goal, "callback at least %.0f times faster than libffi's", wanted);
      verdict(theirs >= ours * wanted, goal, of->title, theirs / ours, "times");
    }
  }
}

static void lifetimes(void) {
  double ours, theirs;
  for (size_t row = 0; row < bench_row_count; row++) {
    const struct bench_row *of = &bench_rows[row];
    if (of->part != BENCH_LIFETIMES || of->released) {
      continue;
    }
    if (figures(row, BENCH_FC_CALLBACK, BENCH_FC_CALLBACK, &ours, &theirs)) {
      verdict(ours <= 40, "a callback made and freed in at most 40 ns", of->title, ours, "ns");
    }
    if (figures(row, BENCH_FC_CALLBACK, BENCH_LIBFFI_CLOSURE, &ours, &theirs)) {
      verdict(ours <= theirs, "... no slower than libffi's closure", of->title, theirs / ours,
              "times");
    }
  }
  double each = results->binding.live_callback_ns, bytes = results->binding.live_callback_bytes;
  if (each >= 0) {
    verdict(each < 200, "a callback of a million made in under 200 ns", "a million live", each,
            "ns");
    verdict(bytes < 128, "... in under 128 bytes", "a million live", bytes, "bytes");
  }
}

static void without_code(void) {
  static const struct {
    enum bench_column_id without, with;
    const char *goal;
  } pairs[] = {
      {BENCH_STATIC_ENTRY, BENCH_FC_ENTRY, "entry without new code at most twice"},
      {BENCH_STATIC_SLOT_ENTRY, BENCH_FC_SLOT_ENTRY, "slot entry without new code at most twice"},
      {BENCH_STATIC_INVOKE, BENCH_FC_INVOKE, "fc_invoke without new code at most twice"},
      {BENCH_STATIC_INVOKE_SLOTS, BENCH_FC_INVOKE_SLOTS,
       "fc_invoke_slots without new code at most twice"},
      {BENCH_STATIC_CALLBACK, BENCH_FC_CALLBACK, "callback without new code at most twice"},
      {BENCH_STATIC_SLOT_CALLBACK, BENCH_FC_SLOT_CALLBACK,
       "slot callback without new code at most twice"},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    at_most_of(pairs[i].goal, pairs[i].without, pairs[i].with, 2);
  }
  if (results->present[BENCH_FC_ENTRY] && !results->present[BENCH_STATIC_ENTRY]) {
    fprintf(out, "farcall without new code is not there yet: nothing to hold its goal against\n");
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
  at_most_of("entry at most 1.2 times the assembly", BENCH_FC_ENTRY, BENCH_ASSEMBLY, 1.2);
  at_most_of("slot entry at most 1.2 times the assembly", BENCH_FC_SLOT_ENTRY, BENCH_ASSEMBLY_SLOTS,
             1.2);
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
  at_most_of("callback at most 1.25 times the assembly", BENCH_FC_CALLBACK, BENCH_THUNK, 1.25);
  at_most_of("slot callback at most 1.25 times the assembly", BENCH_FC_SLOT_CALLBACK,
             BENCH_THUNK_SLOTS, 1.25);
  closures();
  lifetimes();
  without_code();
  if (!all->present[BENCH_FC_ENTRY]) {
    fprintf(out, "farcall is not here: nothing to hold its goals against\n");
  }
}
