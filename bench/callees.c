/* The functions that are called, in a shared object of their own. The arguments' values live here
 * too, for all contestants to share. */
#include "bodies.h"

static const int smaller = 3, larger = 7;

#define VALUE(index, type, KIND, value) value
#define VALUES(name, title, type, KIND, PARAMS)                                                    \
  struct bench_values_##name bench_values_##name = {PARAMS(VALUE, BENCH_COMMA)};
BENCH_CALLEES(VALUES)

void bench_nothing(void) { bench_body_nothing(); }

#define CALLEE(name, title, type, KIND, PARAMS)                                                    \
  type bench_##name(PARAMS(BENCH_PARAM, BENCH_COMMA)) {                                            \
    return bench_body_##name(PARAMS(BENCH_NAME, BENCH_COMMA));                                     \
  }
BENCH_CALLEES(CALLEE)
