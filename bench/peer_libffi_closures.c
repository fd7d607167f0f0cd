/* libffi's closures: the handler is called with pointers to the arguments, as farcall's is. */
#include "bodies.h"
#include "peer_libffi.h"

/* A result narrower than a register is to be as wide as one. */
#define RESULT_INT(type) *(ffi_sarg *)ret
#define RESULT_LONG(type) *(type *)ret
#define RESULT_DOUBLE(type) *(type *)ret
#define RESULT_PAIR(type) *(type *)ret

#define POINTED(index, type, KIND, value) *(type *)args[index]
#define HANDLER(name, title, type, KIND, PARAMS)                                                   \
  static void handle_##name(ffi_cif *cif, void *ret, void **args, void *user) {                    \
    (void)cif, (void)user;                                                                         \
    RESULT_##KIND(type) = bench_body_##name(PARAMS(POINTED, BENCH_COMMA));                         \
  }
BENCH_CALLBACK_ROWS(HANDLER)

static void handle_nothing(ffi_cif *cif, void *ret, void **args, void *user) {
  (void)cif, (void)ret, (void)args, (void)user;
  bench_body_nothing();
}

typedef void (*closure_handler)(ffi_cif *cif, void *ret, void **args, void *user);
#define HANDLER_OF(name, title, type, KIND, PARAMS) [BENCH_CALLEE_##name] = handle_##name,
static const closure_handler handlers[BENCH_CALLEE_COUNT] = {
    [BENCH_CALLEE_nothing] = handle_nothing, BENCH_CALLBACK_ROWS(HANDLER_OF)};

static ffi_closure *make(ffi_cif *cif, const struct bench_row *row, void **code) {
  ffi_closure *closure = ffi_closure_alloc(sizeof *closure, code);
  if (closure == NULL ||
      ffi_prep_closure_loc(closure, cif, handlers[row->callee], NULL, *code) != FFI_OK) {
    return NULL;
  }
  return closure;
}

static void run_lifetimes(struct bench_cell *cell, size_t copy, size_t calls) {
  (void)copy;
  ffi_cif *cif = (ffi_cif *)cell->handles[0];
  for (size_t i = 0; i < calls; i++) {
    void *code;
    ffi_closure *closure = make(cif, cell->row, &code);
    BENCH_KEEP(code);
    ffi_closure_free(closure);
  }
}

bool peer_libffi_prepare_closure(struct bench_cell *cell) {
  ffi_cif *cif = peer_libffi_describe(cell->row);
  if (cif == NULL || cell->row->released) {
    return false;
  }
  for (size_t i = 0; i < BENCH_COPIES; i++) {
    void *code;
    if (make(cif, cell->row, &code) == NULL) {
      return false;
    }
    __builtin_memcpy(&cell->copies[i], &code, sizeof code);
  }
  cell->handles[0] = cif;
  cell->run = cell->row->part == BENCH_LIFETIMES ? run_lifetimes
                                                 : peer_libffi_loops->function[cell->row->callee];
  return true;
}
