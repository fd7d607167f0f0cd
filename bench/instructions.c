/* Makes the calls whose instructions are counted: instructions.py runs this in an emulator that
 * writes down each instruction, and counts between the marks.
 *
 * A mark is reached before and after a few calls and before and after more of them; what the loop
 * and its beginning cost is thereby known apart from a call's own cost. For each cell a line says
 * its row and its column, in the order of the marks. */
#include "bench.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_CALLS = 8, MORE_CALLS = 24 };

/* One instruction, its return; the emulator writes the function's name beside it. */
__attribute__((noinline)) static void reach_mark(void) { __asm__ volatile(""); }

static const char *const names[BENCH_COLUMN_COUNT] = {
    [BENCH_DIRECT] = "direct",
    [BENCH_ASSEMBLY] = "assembly",
    [BENCH_ASSEMBLY_SLOTS] = "assembly, slots",
    [BENCH_FC_ENTRY] = "entry",
    [BENCH_FC_SLOT_ENTRY] = "slot entry",
    [BENCH_FC_INVOKE] = "fc_invoke",
    [BENCH_FC_INVOKE_SLOTS] = "fc_invoke_slots",
    [BENCH_LIBFFI_SYSTEM] = "ffi_call",
    [BENCH_LIBFFI_NEWER] = "ffi_call (newer)",
    [BENCH_LIBFFI_PLAN] = "ffi_call_plan",
    [BENCH_FUNCTION_POINTER] = "direct",
    [BENCH_FC_CALLBACK] = "callback",
    [BENCH_FC_SLOT_CALLBACK] = "slot callback",
    [BENCH_LIBFFI_CLOSURE] = "ffi_closure",
};

static uint8_t right[32][sizeof((struct bench_cell *)0)->result];

/* The compiler's own call comes first, and is the judge of the others' results. */
static void measure(const struct bench_contestant *contestant) {
  for (size_t c = 0; c < contestant->column_count; c++) {
    const struct bench_column *column = &contestant->columns[c];
    for (size_t r = 0; r < bench_row_count; r++) {
      static struct bench_cell cell;
      memset(&cell, 0, sizeof cell);
      cell.row = &bench_rows[r];
      bool is_called = cell.row->part == BENCH_CALLS;
      if (!bench_belongs(column->id, cell.row->part) || cell.row->part == BENCH_LIFETIMES) {
        continue;
      }
      if (!column->prepare(&cell)) {
        if (!is_called) {
          continue;
        }
        fprintf(stderr, "%s: %s is not for it\n", contestant->name, cell.row->title);
        exit(1);
      }
      cell.run(&cell, 0, FEW_CALLS);
      if (column->id == BENCH_DIRECT || column->id == BENCH_FUNCTION_POINTER) {
        memcpy(right[r], cell.result, sizeof cell.result);
      } else if (memcmp(right[r], cell.result, cell.row->result_size) != 0) {
        fprintf(stderr, "%s: %s: a wrong result\n", names[column->id], cell.row->title);
        exit(1);
      }
      reach_mark();
      cell.run(&cell, 0, FEW_CALLS);
      reach_mark();
      cell.run(&cell, 0, MORE_CALLS);
      reach_mark();
      printf("%s%s\t%s\t%d\n", is_called ? "" : "called back: ", cell.row->title, names[column->id],
             MORE_CALLS - FEW_CALLS);
    }
  }
}

int main(int count, char **arguments) {
  bench_rows_prepare();
  if (bench_row_count > sizeof right / sizeof *right) {
    return 1;
  }
  measure(bench_direct());
  for (int i = 1; i < count; i++) {
    void *object = dlopen(arguments[i], RTLD_NOW | RTLD_LOCAL);
    void *symbol = object == NULL ? NULL : dlsym(object, "bench_contestant");
    if (symbol == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    bench_open open_it;
    memcpy(&open_it, &symbol, sizeof open_it);
    const struct bench_contestant *contestant = open_it(&bench_loops);
    if (contestant != NULL) {
      measure(contestant);
    }
  }
  return 0;
}
