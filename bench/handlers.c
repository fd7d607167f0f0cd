/* The handlers of callbacks, which do what the callees do. Hand-written receivers and farcall's
 * call the same ones. */
#include "handlers.h"
#include "bodies.h"

void bench_handler_nothing(void *ret, void *const *args, void *user) {
  (void)ret, (void)args, (void)user;
  bench_body_nothing();
}

void bench_slot_handler_nothing(bench_slot *ret, const bench_slot *slots, void *user) {
  (void)ret, (void)slots, (void)user;
  bench_body_nothing();
}

#define POINTED(index, type, KIND, value) *(type *)args[index]
#define HANDLER(name, title, type, KIND, PARAMS)                                                   \
  void bench_handler_##name(void *ret, void *const *args, void *user) {                            \
    (void)user;                                                                                    \
    *(type *)ret = bench_body_##name(PARAMS(POINTED, BENCH_COMMA));                                \
  }
BENCH_CALLBACK_ROWS(HANDLER)

#define GET_UCHAR(type, slot) (type)(slot).i
#define GET_SHORT(type, slot) (type)(slot).i
#define GET_INT(type, slot) (type)(slot).i
#define GET_LONG(type, slot) (slot).i
#define GET_FLOAT(type, slot) (slot).f32
#define GET_DOUBLE(type, slot) (slot).f64
#define GET_POINTER(type, slot) (slot).p
#define GET_PAIR(type, slot) *(type *)(slot).p
#define GET(index, type, KIND, value) GET_##KIND(type, slots[index])

#define PUT_INT(type) ret->i
#define PUT_LONG(type) ret->i
#define PUT_DOUBLE(type) ret->f64
#define PUT_PAIR(type) *(type *)ret->p

#define SLOT_HANDLER(name, title, type, KIND, PARAMS)                                              \
  void bench_slot_handler_##name(bench_slot *ret, const bench_slot *slots, void *user) {           \
    (void)user;                                                                                    \
    PUT_##KIND(type) = bench_body_##name(PARAMS(GET, BENCH_COMMA));                                \
  }
BENCH_CALLBACK_ROWS(SLOT_HANDLER)

#define POINTERS_OF(name, title, type, KIND, PARAMS) [BENCH_CALLEE_##name] = bench_handler_##name,
#define SLOTS_OF(name, title, type, KIND, PARAMS) [BENCH_CALLEE_##name] = bench_slot_handler_##name,

const bench_handler bench_handlers[BENCH_CALLEE_COUNT] = {
    [BENCH_CALLEE_nothing] = bench_handler_nothing, BENCH_CALLBACK_ROWS(POINTERS_OF)};
const bench_slot_handler bench_slot_handlers[BENCH_CALLEE_COUNT] = {
    [BENCH_CALLEE_nothing] = bench_slot_handler_nothing, BENCH_CALLBACK_ROWS(SLOTS_OF)};
