/* The floor: what the compiler makes of the call, through a pointer that it cannot see
 * through; and the loops that call an entry. */
#include "bench.h"
#include "rows.h"

#define VALUE(index, type, KIND, value) values->v##index

static void run_nothing(struct bench_cell *cell, size_t copy, size_t calls) {
  void (*volatile function)(void) = cell->copies[copy];
  for (size_t i = 0; i < calls; i++) {
    function();
  }
}

/* memcpy after the loop, so that the loop itself holds nothing but the call. */
#define RUN(name, title, type, KIND, PARAMS)                                                       \
  static void run_##name(struct bench_cell *cell, size_t copy, size_t calls) {                     \
    type (*volatile function)(PARAMS(BENCH_PARAM, BENCH_COMMA)) =                                  \
        (type(*)(PARAMS(BENCH_PARAM, BENCH_COMMA)))cell->copies[copy];                             \
    const struct bench_values_##name *values = &bench_values_##name;                               \
    for (size_t i = 0; i < calls; i++) {                                                           \
      type result = function(PARAMS(VALUE, BENCH_COMMA));                                          \
      BENCH_KEEP(result);                                                                          \
    }                                                                                              \
    type result = function(PARAMS(VALUE, BENCH_COMMA));                                            \
    __builtin_memcpy(cell->result, &result, sizeof result);                                        \
  }
BENCH_CALLEES(RUN)

#define RUN_OF(name, title, type, KIND, PARAMS) [BENCH_CALLEE_##name] = run_##name,
static const bench_loop runs[BENCH_CALLEE_COUNT] = {[BENCH_CALLEE_nothing] = run_nothing,
                                                    BENCH_CALLEES(RUN_OF)};

static bool prepare(struct bench_cell *cell) {
  if (cell->row->part == BENCH_LIFETIMES) {
    return false;
  }
  for (size_t i = 0; i < BENCH_COPIES; i++) {
    cell->copies[i] = cell->row->function;
  }
  cell->run = runs[cell->row->callee];
  return true;
}

const struct bench_contestant *bench_direct(void) {
  static const struct bench_column columns[] = {{BENCH_DIRECT, prepare},
                                                {BENCH_FUNCTION_POINTER, prepare}};
  static const struct bench_contestant contestant = {"the compiler's own call", "", columns, 2,
                                                     NULL};
  return &contestant;
}

static void run_entry(struct bench_cell *cell, size_t copy, size_t calls) {
  volatile bench_entry entry = (bench_entry)cell->copies[copy];
  void *ret = cell->result;
  void *const *args = cell->row->args;
  if (!cell->row->rewrite) {
    for (size_t i = 0; i < calls; i++) {
      entry(ret, args);
    }
    return;
  }
  /* Read through volatile, so that each call's values are new to the compiler. */
  const volatile int *source0 = args[0], *source1 = args[1];
  for (size_t i = 0; i < calls; i++) {
    int value0 = *source0, value1 = *source1;
    void *fresh[2] = {&value0, &value1};
    entry(ret, fresh);
  }
}

static void run_slot_entry(struct bench_cell *cell, size_t copy, size_t calls) {
  volatile bench_slot_entry entry = (bench_slot_entry)cell->copies[copy];
  bench_slot *ret = &cell->slot_result;
  const bench_slot *slots = cell->row->slots;
  bool by_pointer = cell->row->result_size > sizeof *ret;
  if (by_pointer) {
    ret->p = cell->result;
  }
  if (!cell->row->rewrite) {
    for (size_t i = 0; i < calls; i++) {
      entry(ret, slots);
    }
  } else {
    const volatile int *source0 = cell->row->args[0], *source1 = cell->row->args[1];
    for (size_t i = 0; i < calls; i++) {
      bench_slot fresh[2] = {{.i = *source0}, {.i = *source1}};
      entry(ret, fresh);
    }
  }
  if (!by_pointer) {
    __builtin_memcpy(cell->result, ret, cell->row->result_size);
  }
}

const struct bench_loops bench_loops = {run_entry, run_slot_entry, runs};
