/* The handlers of callbacks, by the number of the callee. */
#ifndef BENCH_HANDLERS_H
#define BENCH_HANDLERS_H
#include "bench.h"
#include "rows.h"

typedef void (*bench_handler)(void *ret, void *const *args, void *user);
typedef void (*bench_slot_handler)(bench_slot *ret, const bench_slot *slots, void *user);

/* NULL where there is no row of callbacks. */
extern const bench_handler bench_handlers[BENCH_CALLEE_COUNT];
extern const bench_slot_handler bench_slot_handlers[BENCH_CALLEE_COUNT];

#define BENCH_DECLARE_HANDLERS(name)                                                               \
  void bench_handler_##name(void *ret, void *const *args, void *user);                             \
  void bench_slot_handler_##name(bench_slot *ret, const bench_slot *slots, void *user);
#define BENCH_DECLARE_ROW(name, title, type, KIND, PARAMS) BENCH_DECLARE_HANDLERS(name)
BENCH_DECLARE_HANDLERS(nothing)
BENCH_CALLBACK_ROWS(BENCH_DECLARE_ROW)
#undef BENCH_DECLARE_ROW

#endif
