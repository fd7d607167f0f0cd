/* The stubs of stubs.S: what an expert would write for exactly these signatures. */
#include "bench.h"

#ifdef __x86_64__
#include "rows.h"

#define DECLARE_COPY(name, copy)                                                                   \
  void stub_##name##_##copy(void *ret, void *const *args);                                         \
  void slot_stub_##name##_##copy(bench_slot *ret, const bench_slot *slots);
#define DECLARE_ALL(name)                                                                          \
  DECLARE_COPY(name, 0) DECLARE_COPY(name, 1) DECLARE_COPY(name, 2) DECLARE_COPY(name, 3)
#define DECLARE(name, title, type, KIND, PARAMS) DECLARE_ALL(name)
DECLARE_ALL(nothing)
BENCH_ROWS(DECLARE)

#define COPIES(prefix, name)                                                                       \
  {(bench_function)prefix##name##_0, (bench_function)prefix##name##_1,                             \
   (bench_function)prefix##name##_2, (bench_function)prefix##name##_3}
#define STUBS(name, title, type, KIND, PARAMS) [BENCH_CALLEE_##name] = COPIES(stub_, name),
#define SLOT_STUBS(name, title, type, KIND, PARAMS)                                                \
  [BENCH_CALLEE_##name] = COPIES(slot_stub_, name),

static const bench_function stubs[BENCH_CALLEE_COUNT][BENCH_COPIES] = {
    [BENCH_CALLEE_nothing] = COPIES(stub_, nothing), BENCH_ROWS(STUBS)};
static const bench_function slot_stubs[BENCH_CALLEE_COUNT][BENCH_COPIES] = {
    [BENCH_CALLEE_nothing] = COPIES(slot_stub_, nothing), BENCH_ROWS(SLOT_STUBS)};

static bool prepare(struct bench_cell *cell) {
  __builtin_memcpy(cell->copies, stubs[cell->row->callee], sizeof cell->copies);
  cell->run = bench_loops.entry;
  cell->exact = true;
  return true;
}

static bool prepare_slots(struct bench_cell *cell) {
  __builtin_memcpy(cell->copies, slot_stubs[cell->row->callee], sizeof cell->copies);
  cell->run = bench_loops.slot_entry;
  cell->exact = true;
  return true;
}

const struct bench_contestant *bench_assembly(void) {
  static const struct bench_column columns[] = {{BENCH_ASSEMBLY, prepare},
                                                {BENCH_ASSEMBLY_SLOTS, prepare_slots}};
  static const struct bench_contestant contestant = {"hand-written assembly", "", columns, 2, NULL};
  return &contestant;
}
#else
const struct bench_contestant *bench_assembly(void) { return NULL; }
#endif
