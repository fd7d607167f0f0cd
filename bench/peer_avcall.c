/* GNU libffcall's avcall. It has nothing to prepare: an argument list is filled for each call,
 * by macros, which for constant types cost no more than a few stores. This is the way that
 * suits it best; a program that learns the types at run time would pay for a switch besides. */
#include "peer_libffcall.h"
#include "rows.h"
#include <avcall.h>
#include <ffcall-version.h>

/* avcall.h casts to functions without a prototype; clang warns where its macros are used. */
#pragma GCC diagnostic ignored "-Wstrict-prototypes"

#define START_INT(type) av_start_int(list, function, &result)
#define START_LONG(type) av_start_long(list, function, &result)
#define START_ULONG(type) av_start_ulong(list, function, &result)
#define START_DOUBLE(type) av_start_double(list, function, &result)
/* The flag tells whether the words of the struct can be taken apart. */
#define START_PAIR(type)                                                                           \
  av_start_struct(list, function, type, av_word_splittable_2(double, double), &result)
#define START_TRIPLE(type) av_start_struct(list, function, type, 0, &result)
#define START_SIX(type) av_start_struct(list, function, type, 0, &result)

#define PUSH_SCHAR(type, value) av_schar(list, value)
#define PUSH_UCHAR(type, value) av_uchar(list, value)
#define PUSH_SHORT(type, value) av_short(list, value)
#define PUSH_USHORT(type, value) av_ushort(list, value)
#define PUSH_INT(type, value) av_int(list, value)
#define PUSH_UINT(type, value) av_uint(list, value)
#define PUSH_LONG(type, value) av_long(list, value)
#define PUSH_FLOAT(type, value) av_float(list, value)
#define PUSH_DOUBLE(type, value) av_double(list, value)
#define PUSH_POINTER(type, value) av_ptr(list, void *, (void *)(value))
#define PUSH_PAIR(type, value) av_struct(list, type, value)
#define PUSH_TRIPLE(type, value) av_struct(list, type, value)
#define PUSH_SIX(type, value) av_struct(list, type, value)
#define PUSH(index, type, KIND, value) PUSH_##KIND(type, values->v##index);

static void run_nothing(struct bench_cell *cell, size_t copy, size_t calls) {
  (void)copy;
  bench_function function = cell->row->function;
  for (size_t i = 0; i < calls; i++) {
    av_alist list;
    av_start_void(list, function);
    av_call(list);
  }
}

#define RUN(name, title, type, KIND, PARAMS)                                                       \
  static void run_##name(struct bench_cell *cell, size_t copy, size_t calls) {                     \
    (void)copy;                                                                                    \
    bench_function function = cell->row->function;                                                 \
    const struct bench_values_##name *values = &bench_values_##name;                               \
    type result;                                                                                   \
    __builtin_memset(&result, 0, sizeof result);                                                   \
    for (size_t i = 0; i < calls; i++) {                                                           \
      av_alist list;                                                                               \
      START_##KIND(type);                                                                          \
      PARAMS(PUSH, BENCH_NONE)                                                                     \
      av_call(list);                                                                               \
    }                                                                                              \
    __builtin_memcpy(cell->result, &result, sizeof result);                                        \
  }
BENCH_ROWS(RUN)

#define RUN_OF(name, title, type, KIND, PARAMS) [BENCH_CALLEE_##name] = run_##name,
static void (*const runs[BENCH_CALLEE_COUNT])(struct bench_cell *, size_t, size_t) = {
    [BENCH_CALLEE_nothing] = run_nothing, BENCH_ROWS(RUN_OF)};

static bool prepare(struct bench_cell *cell) {
  cell->run = runs[cell->row->callee];
  return true;
}

const struct bench_loops *peer_libffcall_loops;

const struct bench_contestant *bench_contestant(const struct bench_loops *loops) {
  static const struct bench_column columns[] = {{BENCH_LIBFFCALL, prepare},
                                                {BENCH_LIBFFCALL_CALLBACK, peer_prepare_callback}};
  static char version[16];
  peer_libffcall_loops = loops;
  snprintf(version, sizeof version, "%d.%d", LIBFFCALL_VERSION >> 8, LIBFFCALL_VERSION & 0xFF);
  static const struct bench_contestant contestant = {"GNU libffcall", version, columns, 2, NULL};
  return &contestant;
}
