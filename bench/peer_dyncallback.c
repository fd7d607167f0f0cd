/* dyncall's callbacks: the handler takes its arguments one by one. Structs by value came with
 * version 1.3. */
#include "bodies.h"
#include "peer_dyncall.h"
#include <dyncall_callback.h>

#define SIGN_UCHAR "C"
#define SIGN_SHORT "s"
#define SIGN_INT "i"
#define SIGN_LONG "j"
#define SIGN_FLOAT "f"
#define SIGN_DOUBLE "d"
#define SIGN_POINTER "p"
#define SIGN(index, type, KIND, value) SIGN_##KIND

#define TAKE_UCHAR dcbArgUChar
#define TAKE_SHORT dcbArgShort
#define TAKE_INT dcbArgInt
#define TAKE_LONG dcbArgLong
#define TAKE_FLOAT dcbArgFloat
#define TAKE_DOUBLE dcbArgDouble
#define TAKE_POINTER dcbArgPointer
#define TAKE(index, type, KIND, value) type a##index = TAKE_##KIND(args);

#define GIVE_INT result->i
#define GIVE_LONG result->j
#define GIVE_DOUBLE result->d

#define SCALAR_ROWS(R)                                                                             \
  R(i32_two, , int, INT, BENCH_I32_TWO)                                                            \
  R(f64_two, , double, DOUBLE, BENCH_F64_TWO)                                                      \
  R(i64_eight, , long, LONG, BENCH_I64_EIGHT)                                                      \
  R(mixed_10, , long, LONG, BENCH_MIXED_10)                                                        \
  BENCH_COMPARE_ROW(R)

#define HANDLER(name, title, type, KIND, PARAMS)                                                   \
  static char handle_##name(DCCallback *callback, DCArgs *args, DCValue *result, void *user) {     \
    (void)callback, (void)user;                                                                    \
    PARAMS(TAKE, BENCH_NONE)                                                                       \
    GIVE_##KIND = bench_body_##name(PARAMS(BENCH_NAME, BENCH_COMMA));                              \
    return SIGN_##KIND[0];                                                                         \
  }
SCALAR_ROWS(HANDLER)

static char handle_nothing(DCCallback *callback, DCArgs *args, DCValue *result, void *user) {
  (void)callback, (void)args, (void)result, (void)user;
  bench_body_nothing();
  return 'v';
}

struct kind {
  const char *signature;
  DCCallbackHandler *handler;
};

#define KIND_OF(name, title, type, KIND, PARAMS)                                                   \
  [BENCH_CALLEE_##name] = {PARAMS(SIGN, BENCH_NONE) ")" SIGN_##KIND, handle_##name},
static const struct kind kinds[BENCH_CALLEE_COUNT] = {
    [BENCH_CALLEE_nothing] = {")v", handle_nothing}, SCALAR_ROWS(KIND_OF)};

static void run_lifetimes(struct bench_cell *cell, size_t copy, size_t calls) {
  (void)copy;
  const struct kind *kind = &kinds[cell->row->callee];
  for (size_t i = 0; i < calls; i++) {
    DCCallback *callback = dcbNewCallback(kind->signature, kind->handler, NULL);
    BENCH_KEEP(callback);
    dcbFreeCallback(callback);
  }
}

bool peer_prepare_dyncallback(struct bench_cell *cell) {
  const struct kind *kind = &kinds[cell->row->callee];
  if (kind->handler == NULL || cell->row->released) {
    return false;
  }
  for (size_t i = 0; i < BENCH_COPIES; i++) {
    DCCallback *callback = dcbNewCallback(kind->signature, kind->handler, NULL);
    __builtin_memcpy(&cell->copies[i], &callback, sizeof callback);
  }
  cell->run = cell->row->part == BENCH_LIFETIMES ? run_lifetimes
                                                 : peer_dyncall_loops->function[cell->row->callee];
  return true;
}
