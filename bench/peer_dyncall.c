/* dyncall. Arguments are pushed one by one into a call machine, for each call again. Structs by
 * value came with version 1.3; older ones cannot call those rows. */
#include "peer_dyncall.h"
#include "rows.h"
#include <dyncall.h>

#define CALL_INT dcCallInt
#define CALL_LONG dcCallLong
#define CALL_ULONG (unsigned long)dcCallLong
#define CALL_DOUBLE dcCallDouble

/* It has no unsigned types: narrow ones are passed as the int that C promotes them to. */
#define PUSH_SCHAR dcArgChar
#define PUSH_UCHAR dcArgInt
#define PUSH_SHORT dcArgShort
#define PUSH_USHORT dcArgInt
#define PUSH_INT dcArgInt
#define PUSH_UINT(machine, value) dcArgInt(machine, (DCint)(value))
#define PUSH_LONG dcArgLong
#define PUSH_FLOAT dcArgFloat
#define PUSH_DOUBLE dcArgDouble
#define PUSH_POINTER(machine, value) dcArgPointer(machine, (DCpointer)(value))
#define PUSH(index, type, KIND, value) PUSH_##KIND(machine, values->v##index);

static DCCallVM *machine;

static void run_nothing(struct bench_cell *cell, size_t copy, size_t calls) {
  (void)copy;
  DCpointer function = __extension__(DCpointer) cell->row->function;
  for (size_t i = 0; i < calls; i++) {
    dcReset(machine);
    dcCallVoid(machine, function);
  }
}

#define RUN(name, title, type, KIND, PARAMS)                                                       \
  static void run_##name(struct bench_cell *cell, size_t copy, size_t calls) {                     \
    (void)copy;                                                                                    \
    DCpointer function = __extension__(DCpointer) cell->row->function;                             \
    const struct bench_values_##name *values = &bench_values_##name;                               \
    type result = 0;                                                                               \
    for (size_t i = 0; i < calls; i++) {                                                           \
      dcReset(machine);                                                                            \
      PARAMS(PUSH, BENCH_NONE)                                                                     \
      result = CALL_##KIND(machine, function);                                                     \
      BENCH_KEEP(result);                                                                          \
    }                                                                                              \
    __builtin_memcpy(cell->result, &result, sizeof result);                                        \
  }
#define SCALAR_ROWS(R)                                                                             \
  R(i32_two, , int, INT, BENCH_I32_TWO)                                                            \
  R(f64_two, , double, DOUBLE, BENCH_F64_TWO)                                                      \
  R(string, , unsigned long, ULONG, BENCH_STRING)                                                  \
  R(i64_eight, , long, LONG, BENCH_I64_EIGHT)                                                      \
  R(mixed_10, , long, LONG, BENCH_MIXED_10)                                                        \
  R(mixed_26, , double, DOUBLE, BENCH_MIXED_26)
SCALAR_ROWS(RUN)

#define RUN_OF(name, title, type, KIND, PARAMS) [BENCH_CALLEE_##name] = run_##name,
static void (*const runs[BENCH_CALLEE_COUNT])(struct bench_cell *, size_t, size_t) = {
    [BENCH_CALLEE_nothing] = run_nothing, SCALAR_ROWS(RUN_OF)};

static bool prepare(struct bench_cell *cell) {
  cell->run = runs[cell->row->callee];
  return cell->run != NULL;
}

const struct bench_loops *peer_dyncall_loops;

const struct bench_contestant *bench_contestant(const struct bench_loops *loops) {
  static const struct bench_column columns[] = {{BENCH_DYNCALL, prepare},
                                                {BENCH_DYNCALL_CALLBACK, peer_prepare_dyncallback}};
  static const struct bench_contestant contestant = {"dyncall", PEER_VERSION, columns, 2, NULL};
  peer_dyncall_loops = loops;
  machine = dcNewCallVM(4096);
  if (machine == NULL) {
    return NULL;
  }
  dcMode(machine, DC_CALL_C_DEFAULT);
  return &contestant;
}
