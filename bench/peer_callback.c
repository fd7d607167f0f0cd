/* GNU libffcall's callback: the handler takes its arguments out of a list, one by one. */
#include "bodies.h"
#include "peer_libffcall.h"
#include <callback.h>

#pragma GCC diagnostic ignored "-Wstrict-prototypes"

#define START_INT(type) va_start_int(list)
#define START_LONG(type) va_start_long(list)
#define START_DOUBLE(type) va_start_double(list)
/* The flag tells whether the words of the struct can be taken apart. */
#define START_PAIR(type) va_start_struct(list, type, va_word_splittable_2(double, double))

#define TAKE_UCHAR(type) va_arg_uchar(list)
#define TAKE_SHORT(type) va_arg_short(list)
#define TAKE_INT(type) va_arg_int(list)
#define TAKE_LONG(type) va_arg_long(list)
#define TAKE_FLOAT(type) va_arg_float(list)
#define TAKE_DOUBLE(type) va_arg_double(list)
#define TAKE_POINTER(type) va_arg_ptr(list, type)
#define TAKE_PAIR(type) va_arg_struct(list, type)
#define TAKE(index, type, KIND, value) type a##index = TAKE_##KIND(type);

#define RETURN_INT(type) va_return_int(list, result)
#define RETURN_LONG(type) va_return_long(list, result)
#define RETURN_DOUBLE(type) va_return_double(list, result)
#define RETURN_PAIR(type) va_return_struct(list, type, result)

#define HANDLER(name, title, type, KIND, PARAMS)                                                   \
  static void handle_##name(void *user, va_alist list) {                                           \
    (void)user;                                                                                    \
    START_##KIND(type);                                                                            \
    PARAMS(TAKE, BENCH_NONE)                                                                       \
    type result = bench_body_##name(PARAMS(BENCH_NAME, BENCH_COMMA));                              \
    RETURN_##KIND(type);                                                                           \
  }
BENCH_CALLBACK_ROWS(HANDLER)

static void handle_nothing(void *user, va_alist list) {
  (void)user;
  va_start_void(list);
  bench_body_nothing();
  va_return_void(list);
}

#define HANDLER_OF(name, title, type, KIND, PARAMS) [BENCH_CALLEE_##name] = handle_##name,
static const callback_function_t handlers[BENCH_CALLEE_COUNT] = {
    [BENCH_CALLEE_nothing] = handle_nothing, BENCH_CALLBACK_ROWS(HANDLER_OF)};

static void run_lifetimes(struct bench_cell *cell, size_t copy, size_t calls) {
  (void)copy;
  for (size_t i = 0; i < calls; i++) {
    callback_t callback = alloc_callback(handlers[cell->row->callee], NULL);
    BENCH_KEEP(callback);
    free_callback(callback);
  }
}

bool peer_prepare_callback(struct bench_cell *cell) {
  if (cell->row->released) {
    return false;
  }
  for (size_t i = 0; i < BENCH_COPIES; i++) {
    cell->copies[i] = (bench_function)alloc_callback(handlers[cell->row->callee], NULL);
  }
  cell->run = cell->row->part == BENCH_LIFETIMES
                  ? run_lifetimes
                  : peer_libffcall_loops->function[cell->row->callee];
  return true;
}
