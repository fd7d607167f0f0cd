#include "results.h"

#define NONE BENCH_COLUMN_COUNT

static const struct {
  const char *upper, *lower;     /* two lines of a heading */
  const char *name;              /* in CSV */
  enum bench_column_id assembly; /* what it is held against, and NONE */
  enum bench_column_id stubs;    /* the same where code is made */
} headings[BENCH_COLUMN_COUNT] = {
    [BENCH_DIRECT] = {"direct", "call", "direct", BENCH_ASSEMBLY, NONE},
    [BENCH_ASSEMBLY] = {"assembly", "", "assembly", BENCH_ASSEMBLY, NONE},
    [BENCH_ASSEMBLY_SLOTS] = {"assembly", "slots", "assembly_slots", BENCH_ASSEMBLY_SLOTS, NONE},
    [BENCH_FC_ENTRY] = {"farcall", "entry", "fc_entry", BENCH_ASSEMBLY, NONE},
    [BENCH_FC_SLOT_ENTRY] = {"farcall", "slot entry", "fc_slot_entry", BENCH_ASSEMBLY_SLOTS, NONE},
    [BENCH_FC_INVOKE] = {"fc_", "invoke", "fc_invoke", BENCH_ASSEMBLY, NONE},
    [BENCH_FC_INVOKE_SLOTS] = {"fc_invoke", "_slots", "fc_invoke_slots", BENCH_ASSEMBLY_SLOTS,
                               NONE},
    [BENCH_LIBFFI_SYSTEM] = {"libffi", "system", "libffi_system", BENCH_ASSEMBLY, NONE},
    [BENCH_LIBFFI_NEWER] = {"libffi", "newer", "libffi_newer", BENCH_ASSEMBLY, NONE},
    [BENCH_LIBFFI_PLAN] = {"libffi", "call plan", "libffi_plan", BENCH_ASSEMBLY, NONE},
    [BENCH_LIBFFCALL] = {"libffcall", "avcall", "libffcall", BENCH_ASSEMBLY, NONE},
    [BENCH_DYNCALL] = {"dyncall", "", "dyncall", BENCH_ASSEMBLY, NONE},
    [BENCH_STATIC_ENTRY] = {"farcall", "entry", "static_entry", BENCH_ASSEMBLY, BENCH_FC_ENTRY},
    [BENCH_STATIC_SLOT_ENTRY] = {"farcall", "slot entry", "static_slot_entry", BENCH_ASSEMBLY_SLOTS,
                                 BENCH_FC_SLOT_ENTRY},
    [BENCH_STATIC_INVOKE] = {"fc_", "invoke", "static_invoke", BENCH_ASSEMBLY, BENCH_FC_INVOKE},
    [BENCH_STATIC_INVOKE_SLOTS] = {"fc_invoke", "_slots", "static_invoke_slots",
                                   BENCH_ASSEMBLY_SLOTS, BENCH_FC_INVOKE_SLOTS},
    [BENCH_FUNCTION_POINTER] = {"function", "pointer", "function_pointer", BENCH_THUNK, NONE},
    [BENCH_THUNK] = {"assembly", "", "thunk", BENCH_THUNK, NONE},
    [BENCH_THUNK_SLOTS] = {"assembly", "slots", "thunk_slots", BENCH_THUNK_SLOTS, NONE},
    [BENCH_FC_CALLBACK] = {"farcall", "", "fc_callback", BENCH_THUNK, NONE},
    [BENCH_FC_SLOT_CALLBACK] = {"farcall", "slots", "fc_slot_callback", BENCH_THUNK_SLOTS, NONE},
    [BENCH_LIBFFI_CLOSURE] = {"libffi", "system", "libffi_closure", BENCH_THUNK, NONE},
    [BENCH_LIBFFI_NEWER_CLOSURE] = {"libffi", "newer", "libffi_newer_closure", BENCH_THUNK, NONE},
    [BENCH_LIBFFCALL_CALLBACK] = {"libffcall", "callback", "libffcall_callback", BENCH_THUNK, NONE},
    [BENCH_DYNCALL_CALLBACK] = {"dyncall", "callback", "dyncall_callback", BENCH_THUNK, NONE},
    [BENCH_STATIC_CALLBACK] = {"farcall", "", "static_callback", BENCH_THUNK, BENCH_FC_CALLBACK},
    [BENCH_STATIC_SLOT_CALLBACK] = {"farcall", "slots", "static_slot_callback", BENCH_THUNK_SLOTS,
                                    BENCH_FC_SLOT_CALLBACK},
};

enum base { AS_NS, TO_DIRECT, TO_ASSEMBLY, TO_STUBS };

static enum bench_column_id base_of(enum bench_column_id column, enum base base) {
  switch (base) {
  case TO_ASSEMBLY:
    return headings[column].assembly;
  case TO_STUBS:
    return headings[column].stubs;
  default:
    return column < BENCH_FUNCTION_POINTER ? BENCH_DIRECT : BENCH_FUNCTION_POINTER;
  }
}

static void print_cell(const struct bench_results *results, size_t row, enum bench_column_id column,
                       enum base base, FILE *out) {
  const struct bench_result *cells = results->cells[row], *cell = &cells[column];
  const struct bench_result *to = &cells[base_of(column, base)];
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

struct table {
  const char *title;
  enum bench_part part;
  enum base base;
  bool is_static; /* the columns of what makes no code, or the others */
};

static bool is_shown(const struct bench_results *results, const struct table *table,
                     enum bench_column_id column) {
  bool is_static = headings[column].stubs != NONE;
  return results->present[column] && bench_belongs(column, table->part) &&
         is_static == table->is_static;
}

static void print_table(const struct bench_results *results, const struct table *table, FILE *out) {
  fprintf(out, "\n%-27s", table->title);
  for (enum bench_column_id column = 0; column < BENCH_COLUMN_COUNT; column++) {
    if (is_shown(results, table, column)) {
      fprintf(out, " %10s", headings[column].upper);
    }
  }
  fprintf(out, "\n%-27s", "");
  for (enum bench_column_id column = 0; column < BENCH_COLUMN_COUNT; column++) {
    if (is_shown(results, table, column)) {
      fprintf(out, " %10s", headings[column].lower);
    }
  }
  fprintf(out, "\n");
  for (size_t row = 0; row < bench_row_count; row++) {
    if (bench_rows[row].part != table->part) {
      continue;
    }
    fprintf(out, "%-27s", bench_rows[row].title);
    for (enum bench_column_id column = 0; column < BENCH_COLUMN_COUNT; column++) {
      if (is_shown(results, table, column)) {
        print_cell(results, row, column, table->base, out);
      }
    }
    fprintf(out, "\n");
  }
}

void bench_print_tables(const struct bench_results *results, FILE *out) {
  static const struct table tables[] = {
      {"ns per call (median)", BENCH_CALLS, AS_NS, false},
      {"times the direct call", BENCH_CALLS, TO_DIRECT, false},
      {"times the assembly", BENCH_CALLS, TO_ASSEMBLY, false},
      {"callback, ns per call", BENCH_CALLBACKS, AS_NS, false},
      {"times a function pointer", BENCH_CALLBACKS, TO_DIRECT, false},
      {"times the assembly", BENCH_CALLBACKS, TO_ASSEMBLY, false},
      {"callback, ns to make it", BENCH_LIFETIMES, AS_NS, false},
  };
  static const struct table without_code[] = {
      {"no new code, ns per call", BENCH_CALLS, AS_NS, true},
      {"times the stubs", BENCH_CALLS, TO_STUBS, true},
      {"callback, no new code, ns", BENCH_CALLBACKS, AS_NS, true},
      {"times the stubs", BENCH_CALLBACKS, TO_STUBS, true},
      {"callback, ns to make it", BENCH_LIFETIMES, AS_NS, true},
  };
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    if (tables[i].base != TO_ASSEMBLY || results->present[BENCH_ASSEMBLY]) {
      print_table(results, &tables[i], out);
    }
  }
  for (size_t i = 0; i < sizeof without_code / sizeof *without_code; i++) {
    if (results->present[BENCH_STATIC_ENTRY]) {
      print_table(results, &without_code[i], out);
    }
  }
}

static const char *const parts[] = {[BENCH_CALLS] = "call",
                                    [BENCH_CALLBACKS] = "callback",
                                    [BENCH_LIFETIMES] = "callback lifetime"};

void bench_write_csv(const struct bench_results *results, FILE *csv) {
  for (size_t row = 0; row < bench_row_count; row++) {
    for (size_t column = 0; column < BENCH_COLUMN_COUNT; column++) {
      const struct bench_result *cell = &results->cells[row][column];
      const char *part = parts[bench_rows[row].part];
      if (cell->outcome == BENCH_TIMED) {
        fprintf(csv, "%s,\"%s/%s\",ns median,%.3f\n", part, bench_rows[row].title,
                headings[column].name, cell->median_ns);
        fprintf(csv, "%s,\"%s/%s\",ns best,%.3f\n", part, bench_rows[row].title,
                headings[column].name, cell->best_ns);
      } else if (cell->outcome == BENCH_WRONG) {
        fprintf(csv, "%s,\"%s/%s\",wrong,\n", part, bench_rows[row].title, headings[column].name);
      }
    }
  }
}
