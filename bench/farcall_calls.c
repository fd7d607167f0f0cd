/* farcall's four ways of calling, from functions bound once before the loop; with FARCALL_STATIC
 * all that farcall does where no code may be made. */
#include "farcall_parts.h"
#include "rows.h"
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(fc_slot) == sizeof(bench_slot), "bench_slot must be fc_slot");

const struct bench_loops *farcall_loops;

void farcall_must(fc_status status, const char *what) {
  if (status != FC_OK) {
    fprintf(stderr, "farcall: %s: %s: %s\n", what, fc_status_name(status), fc_error_message());
    exit(1);
  }
}

fc_decls *farcall_structs(void) {
  static fc_decls *decls;
  if (decls == NULL) {
    farcall_must(fc_decls_new(&decls), "fc_decls_new");
    farcall_must(fc_decls_add(decls, BENCH_STRUCTS), BENCH_STRUCTS);
  }
  return decls;
}

/* Once per copy: a library that shares what it has made for equal functions gives the same
 * four times over, which is its good right. */
static bool bind(struct bench_cell *cell) {
  fc_signature *signature;
  if (fc_signature_parse(farcall_structs(), cell->row->prototype, &signature) != FC_OK) {
    fprintf(stderr, "farcall: %s: %s\n", cell->row->prototype, fc_error_message());
    return false;
  }
  for (size_t i = 0; i < BENCH_COPIES; i++) {
    fc_function *function;
    if (fc_function_new(signature, FC_AS_ADDRESS(cell->row->function), NULL, &function) != FC_OK) {
      fprintf(stderr, "farcall: %s: %s\n", cell->row->prototype, fc_error_message());
      return false;
    }
    cell->handles[i] = function;
  }
  fc_signature_free(signature);
  cell->exact = true;
  return true;
}

static bool prepare_entry(struct bench_cell *cell) {
  if (!bind(cell)) {
    return false;
  }
  const char *path = fc_function_path(cell->handles[0]);
#ifdef FARCALL_STATIC
  const char *expected = "static";
#else
  const char *expected = "stub";
#endif
  if (path == NULL || strncmp(path, expected, strlen(expected)) != 0) {
    fprintf(stderr, "farcall: %s goes by way of '%s', not %s\n", cell->row->title,
            path == NULL ? "" : path, expected);
  }
  for (size_t i = 0; i < BENCH_COPIES; i++) {
    cell->copies[i] = (bench_function)fc_function_entry(cell->handles[i]);
    if (cell->copies[i] == NULL) {
      return false;
    }
  }
  cell->run = farcall_loops->entry;
  return true;
}

static bool prepare_slot_entry(struct bench_cell *cell) {
  if (!bind(cell)) {
    return false;
  }
  for (size_t i = 0; i < BENCH_COPIES; i++) {
    cell->copies[i] = (bench_function)fc_function_slot_entry(cell->handles[i]);
    if (cell->copies[i] == NULL) {
      return false;
    }
  }
  cell->run = farcall_loops->slot_entry;
  return true;
}

static void run_invoke(struct bench_cell *cell, size_t copy, size_t calls) {
  const fc_function *function = cell->handles[copy];
  void *ret = cell->result;
  void *const *args = cell->row->args;
  if (!cell->row->rewrite) {
    for (size_t i = 0; i < calls; i++) {
      fc_invoke(function, ret, args);
    }
    return;
  }
  const volatile int *source0 = args[0], *source1 = args[1];
  for (size_t i = 0; i < calls; i++) {
    int value0 = *source0, value1 = *source1;
    void *fresh[2] = {&value0, &value1};
    fc_invoke(function, ret, fresh);
  }
}

static void run_invoke_slots(struct bench_cell *cell, size_t copy, size_t calls) {
  const fc_function *function = cell->handles[copy];
  fc_slot *ret = (fc_slot *)&cell->slot_result;
  const fc_slot *slots = (const fc_slot *)cell->row->slots;
  bool by_pointer = cell->row->result_size > sizeof *ret;
  if (by_pointer) {
    ret->p = cell->result;
  }
  if (!cell->row->rewrite) {
    for (size_t i = 0; i < calls; i++) {
      fc_invoke_slots(function, ret, slots);
    }
  } else {
    const volatile int *source0 = cell->row->args[0], *source1 = cell->row->args[1];
    for (size_t i = 0; i < calls; i++) {
      fc_slot fresh[2] = {{.i = *source0}, {.i = *source1}};
      fc_invoke_slots(function, ret, fresh);
    }
  }
  if (!by_pointer) {
    __builtin_memcpy(cell->result, ret, cell->row->result_size);
  }
}

static bool prepare_invoke(struct bench_cell *cell) {
  cell->run = run_invoke;
  return bind(cell);
}

static bool prepare_invoke_slots(struct bench_cell *cell) {
  cell->run = run_invoke_slots;
  return bind(cell);
}

#ifndef FARCALL_STATIC
const struct bench_contestant *bench_contestant(const struct bench_loops *loops) {
  static const struct bench_column columns[] = {
      {BENCH_FC_ENTRY, prepare_entry},
      {BENCH_FC_SLOT_ENTRY, prepare_slot_entry},
      {BENCH_FC_INVOKE, prepare_invoke},
      {BENCH_FC_INVOKE_SLOTS, prepare_invoke_slots},
      {BENCH_FC_CALLBACK, farcall_prepare_callback},
      {BENCH_FC_SLOT_CALLBACK, farcall_prepare_slot_callback},
  };
  static struct bench_contestant contestant = {"farcall", "", columns,
                                               sizeof columns / sizeof *columns, farcall_costs};
  contestant.version = fc_version();
  farcall_loops = loops;
  return &contestant;
}
#else
/* A second farcall in this process, linked in statically, which makes no code. */
extern __attribute__((weak)) const char *fc_code_status(void);

/* The library asks once, when it would make its first code. */
static const char *status_without_code(void) {
  if (fc_code_status == NULL) {
    return "unknown";
  }
  setenv("FARCALL_CODE", "none", 1);
  const char *status = fc_code_status();
  unsetenv("FARCALL_CODE");
  return status;
}

const struct bench_contestant *bench_contestant(const struct bench_loops *loops) {
  static const struct bench_column columns[] = {
      {BENCH_STATIC_ENTRY, prepare_entry},
      {BENCH_STATIC_SLOT_ENTRY, prepare_slot_entry},
      {BENCH_STATIC_INVOKE, prepare_invoke},
      {BENCH_STATIC_INVOKE_SLOTS, prepare_invoke_slots},
      {BENCH_STATIC_CALLBACK, farcall_prepare_callback},
      {BENCH_STATIC_SLOT_CALLBACK, farcall_prepare_slot_callback},
  };
  static char version[160];
  static struct bench_contestant contestant = {"farcall with FARCALL_CODE=none:", version, columns,
                                               sizeof columns / sizeof *columns, NULL};
  const char *status = status_without_code();
  if (strncmp(status, "static", 6) == 0) {
    snprintf(version, sizeof version, "%s", status);
  } else {
    snprintf(version, sizeof version, "not there yet: fc_code_status is %s", status);
    contestant.column_count = 0;
  }
  farcall_loops = loops;
  return &contestant;
}
#endif
