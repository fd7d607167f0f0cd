#include "results.h"

static const struct {
  const char *upper, *lower; /* two lines of a heading */
  const char *name;          /* in CSV */
  bool slots;
} headings[BENCH_COLUMN_COUNT] = {
    [BENCH_DIRECT] = {"direct", "call", "direct", false},
    [BENCH_ASSEMBLY] = {"assembly", "", "assembly", false},
    [BENCH_ASSEMBLY_SLOTS] = {"assembly", "slots", "assembly_slots", true},
    [BENCH_FC_ENTRY] = {"farcall", "entry", "fc_entry", false},
    [BENCH_FC_SLOT_ENTRY] = {"farcall", "slot entry", "fc_slot_entry", true},
    [BENCH_FC_INVOKE] = {"fc_", "invoke", "fc_invoke", false},
    [BENCH_FC_INVOKE_SLOTS] = {"fc_invoke", "_slots", "fc_invoke_slots", true},
    [BENCH_LIBFFI_SYSTEM] = {"libffi", "system", "libffi_system", false},
    [BENCH_LIBFFI_NEWER] = {"libffi", "newer", "libffi_newer", false},
    [BENCH_LIBFFI_PLAN] = {"libffi", "call plan", "libffi_plan", false},
    [BENCH_LIBFFCALL] = {"libffcall", "avcall", "libffcall", false},
    [BENCH_DYNCALL] = {"dyncall", "", "dyncall", false},
};

enum base { AS_NS, TO_DIRECT, TO_ASSEMBLY };

static void print_cell(const struct bench_results *results, size_t row, size_t column,
                       enum base base, FILE *out) {
  const struct bench_result *cells = results->cells[row], *cell = &cells[column];
  const struct bench_result *to = &cells[BENCH_DIRECT];
  if (base == TO_ASSEMBLY) {
    to = &cells[headings[column].slots ? BENCH_ASSEMBLY_SLOTS : BENCH_ASSEMBLY];
  }
  if (cell->outcome == BENCH_ABSENT) {
    fprintf(out, " %10s", "-");
  } else if (cell->outcome == BENCH_WRONG) {
    fprintf(out, " %10s", "wrong");
  } else if (base == AS_NS) {
    fprintf(out, " %10.2f", cell->median_ns);
  } else if (to->outcome == BENCH_TIMED) {
    fprintf(out, " %9.2fx", cell->median_ns / to->median_ns);
  } else {
    fprintf(out, " %10s", "-");
  }
}

static void print_table(const struct bench_results *results, const char *title, enum base base,
                        FILE *out) {
  fprintf(out, "\n%-27s", title);
  for (size_t column = 0; column < BENCH_COLUMN_COUNT; column++) {
    if (results->present[column]) {
      fprintf(out, " %10s", headings[column].upper);
    }
  }
  fprintf(out, "\n%-27s", "");
  for (size_t column = 0; column < BENCH_COLUMN_COUNT; column++) {
    if (results->present[column]) {
      fprintf(out, " %10s", headings[column].lower);
    }
  }
  fprintf(out, "\n");
  for (size_t row = 0; row < bench_row_count; row++) {
    fprintf(out, "%-27s", bench_rows[row].title);
    for (size_t column = 0; column < BENCH_COLUMN_COUNT; column++) {
      if (results->present[column]) {
        print_cell(results, row, column, base, out);
      }
    }
    fprintf(out, "\n");
  }
}

void bench_print_tables(const struct bench_results *results, FILE *out) {
  print_table(results, "ns per call (median)", AS_NS, out);
  print_table(results, "times the direct call", TO_DIRECT, out);
  if (results->present[BENCH_ASSEMBLY]) {
    print_table(results, "times the assembly", TO_ASSEMBLY, out);
  }
}

void bench_write_csv(const struct bench_results *results, FILE *csv) {
  for (size_t row = 0; row < bench_row_count; row++) {
    for (size_t column = 0; column < BENCH_COLUMN_COUNT; column++) {
      const struct bench_result *cell = &results->cells[row][column];
      if (cell->outcome == BENCH_TIMED) {
        fprintf(csv, "call,\"%s/%s\",ns median,%.3f\n", bench_rows[row].title,
                headings[column].name, cell->median_ns);
        fprintf(csv, "call,\"%s/%s\",ns best,%.3f\n", bench_rows[row].title, headings[column].name,
                cell->best_ns);
      } else if (cell->outcome == BENCH_WRONG) {
        fprintf(csv, "call,\"%s/%s\",wrong,\n", bench_rows[row].title, headings[column].name);
      }
    }
  }
}
