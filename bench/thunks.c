/* The callbacks of thunks.S: what an expert would write for exactly these signatures. */
#include "bench.h"

#ifdef __x86_64__
#include "rows.h"
#include <string.h>

#define DECLARE_COPY(name, copy)                                                                   \
  void pointer_thunk_##name##_##copy(void);                                                        \
  void slot_thunk_##name##_##copy(void);
#define DECLARE_ALL(name)                                                                          \
  DECLARE_COPY(name, 0) DECLARE_COPY(name, 1) DECLARE_COPY(name, 2) DECLARE_COPY(name, 3)
#define DECLARE(name, title, type, KIND, PARAMS) DECLARE_ALL(name)
DECLARE_ALL(nothing)
BENCH_CALLBACK_ROWS(DECLARE)

#define COPIES(prefix, name)                                                                       \
  {prefix##name##_0, prefix##name##_1, prefix##name##_2, prefix##name##_3}
#define THUNKS(name, title, type, KIND, PARAMS)                                                    \
  [BENCH_CALLEE_##name] = COPIES(pointer_thunk_, name),
#define SLOT_THUNKS(name, title, type, KIND, PARAMS)                                               \
  [BENCH_CALLEE_##name] = COPIES(slot_thunk_, name),

static const bench_function thunks[BENCH_CALLEE_COUNT][BENCH_COPIES] = {
    [BENCH_CALLEE_nothing] = COPIES(pointer_thunk_, nothing), BENCH_CALLBACK_ROWS(THUNKS)};
static const bench_function slot_thunks[BENCH_CALLEE_COUNT][BENCH_COPIES] = {
    [BENCH_CALLEE_nothing] = COPIES(slot_thunk_, nothing), BENCH_CALLBACK_ROWS(SLOT_THUNKS)};

static bool take(struct bench_cell *cell, const bench_function *copies) {
  if (cell->row->part == BENCH_LIFETIMES) {
    return false;
  }
  memcpy(cell->copies, copies, sizeof cell->copies);
  cell->run = bench_loops.function[cell->row->callee];
  cell->exact = true;
  return true;
}

static bool prepare(struct bench_cell *cell) { return take(cell, thunks[cell->row->callee]); }

static bool prepare_slots(struct bench_cell *cell) {
  return take(cell, slot_thunks[cell->row->callee]);
}

const struct bench_contestant *bench_thunks(void) {
  static const struct bench_column columns[] = {{BENCH_THUNK, prepare},
                                                {BENCH_THUNK_SLOTS, prepare_slots}};
  static const struct bench_contestant contestant = {"hand-written thunks", "", columns, 2, NULL};
  return &contestant;
}
#else
const struct bench_contestant *bench_thunks(void) { return NULL; }
#endif
