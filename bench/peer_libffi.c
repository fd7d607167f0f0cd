/* libffi. Built once against the system's, and once more (PEER_NEWER) against a newer one that
 * is linked in statically, its symbols hidden. Call plans exist from libffi 3.7 on. */
#include "peer_libffi.h"
#include "rows.h"
#include <stdlib.h>

#define PARAMS_MAX 32

#define ELEMENTS(name, ...)                                                                        \
  static ffi_type *elements_##name[] = {__VA_ARGS__, NULL};                                        \
  static ffi_type type_##name = {0, 0, FFI_TYPE_STRUCT, elements_##name};
ELEMENTS(pair, &ffi_type_double, &ffi_type_double)
ELEMENTS(triple, &ffi_type_slong, &ffi_type_slong, &ffi_type_slong)
ELEMENTS(six, &ffi_type_double, &ffi_type_double, &ffi_type_double, &ffi_type_double,
         &ffi_type_double, &ffi_type_double)

static ffi_type *type_of(enum bench_kind kind) {
  switch (kind) {
  case BENCH_VOID:
    return &ffi_type_void;
  case BENCH_SCHAR:
    return &ffi_type_schar;
  case BENCH_UCHAR:
    return &ffi_type_uchar;
  case BENCH_SHORT:
    return &ffi_type_sshort;
  case BENCH_USHORT:
    return &ffi_type_ushort;
  case BENCH_INT:
    return &ffi_type_sint;
  case BENCH_UINT:
    return &ffi_type_uint;
  case BENCH_LONG:
    return &ffi_type_slong;
  case BENCH_ULONG:
    return &ffi_type_ulong;
  case BENCH_FLOAT:
    return &ffi_type_float;
  case BENCH_DOUBLE:
    return &ffi_type_double;
  case BENCH_POINTER:
    return &ffi_type_pointer;
  case BENCH_PAIR:
    return &type_pair;
  case BENCH_TRIPLE:
    return &type_triple;
  case BENCH_SIX:
    return &type_six;
  }
  return NULL;
}

ffi_cif *peer_libffi_describe(const struct bench_row *row) {
  ffi_cif *cif = malloc(sizeof *cif);
  ffi_type **types = malloc((row->param_count + 1) * sizeof(ffi_type *));
  if (cif == NULL || types == NULL || row->param_count > PARAMS_MAX) {
    abort();
  }
  for (size_t i = 0; i < row->param_count; i++) {
    types[i] = type_of(row->params[i]);
  }
  ffi_status status =
      ffi_prep_cif(cif, FFI_DEFAULT_ABI, (unsigned)row->param_count, type_of(row->result), types);
  return status == FFI_OK ? cif : NULL;
}

/* The loop is written out for each way of calling, so that nothing but the call is in it. An
 * array of its own, and the store into it: libffi 3.6 puts a pointer to its own copy
 * of a large struct in the caller's array of arguments and leaves it there. */
#define RUN(name, CALL)                                                                            \
  static void name(struct bench_cell *cell, size_t copy, size_t calls) {                           \
    (void)copy;                                                                                    \
    void *handle = (void *)cell->handles[0];                                                       \
    bench_function function = cell->row->function;                                                 \
    void *ret = cell->result;                                                                      \
    void *args[PARAMS_MAX];                                                                        \
    for (size_t i = 0; i < cell->row->param_count; i++) {                                          \
      args[i] = cell->row->args[i];                                                                \
    }                                                                                              \
    if (cell->row->rewrite) {                                                                      \
      const volatile int *source0 = args[0], *source1 = args[1];                                   \
      for (size_t i = 0; i < calls; i++) {                                                         \
        int value0 = *source0, value1 = *source1;                                                  \
        void *fresh[2] = {&value0, &value1};                                                       \
        CALL(handle, function, ret, fresh);                                                        \
      }                                                                                            \
    } else if (cell->row->result >= BENCH_PAIR) {                                                  \
      for (size_t i = 0; i < calls; i++) {                                                         \
        args[0] = cell->row->args[0];                                                              \
        CALL(handle, function, ret, args);                                                         \
      }                                                                                            \
    } else {                                                                                       \
      for (size_t i = 0; i < calls; i++) {                                                         \
        CALL(handle, function, ret, args);                                                         \
      }                                                                                            \
    }                                                                                              \
  }

RUN(run_call, ffi_call)

static bool prepare_call(struct bench_cell *cell) {
  cell->handles[0] = peer_libffi_describe(cell->row);
  cell->run = run_call;
  return cell->handles[0] != NULL;
}

#ifdef PEER_PLAN
RUN(run_plan, ffi_call_plan_invoke)

static bool prepare_plan(struct bench_cell *cell) {
  ffi_cif *cif = peer_libffi_describe(cell->row);
  cell->handles[0] = cif == NULL ? NULL : ffi_call_plan_alloc(cif);
  cell->run = run_plan;
  return cell->handles[0] != NULL;
}
#endif

#ifdef PEER_NEWER
#define COLUMN BENCH_LIBFFI_NEWER
#define CLOSURE_COLUMN BENCH_LIBFFI_NEWER_CLOSURE
#define NAME "newer libffi"
#else
#define COLUMN BENCH_LIBFFI_SYSTEM
#define CLOSURE_COLUMN BENCH_LIBFFI_CLOSURE
#define NAME "libffi"
#endif

const struct bench_loops *peer_libffi_loops;

const struct bench_contestant *bench_contestant(const struct bench_loops *loops) {
  peer_libffi_loops = loops;
  static const struct bench_column columns[] = {
      {COLUMN, prepare_call},
      {CLOSURE_COLUMN, peer_libffi_prepare_closure},
#ifdef PEER_PLAN
      {BENCH_LIBFFI_PLAN, prepare_plan},
#endif
  };
  static const struct bench_contestant contestant = {NAME, PEER_VERSION, columns,
                                                     sizeof columns / sizeof *columns, NULL};
  return &contestant;
}
