/* farcall's callbacks: called, made and freed, and a million at once. */
#include "farcall_parts.h"
#include "handlers.h"
#include "timing.h"
#include <stdlib.h>

#define LIVE 1000000

static fc_signature *signature_of(const char *prototype) {
  fc_signature *signature;
  farcall_must(fc_signature_parse(farcall_structs(), prototype, &signature), prototype);
  return signature;
}

static bool made(struct bench_cell *cell, size_t i, fc_status status, const fc_callback *callback) {
  if (status != FC_OK) {
    fprintf(stderr, "farcall: %s: %s\n", cell->row->prototype, fc_error_message());
    return false;
  }
  cell->copies[i] = FC_AS_FUNCTION(bench_function, fc_callback_code(callback));
  return true;
}

static void release(void *user) { (void)user; }

static const fc_callback_options *options(const struct bench_row *row) {
  static const fc_callback_options with_release = {.size = sizeof with_release, .release = release};
  return row->released ? &with_release : NULL;
}

static void run_lifetimes(struct bench_cell *cell, size_t copy, size_t calls) {
  (void)copy;
  const fc_signature *signature = cell->handles[0];
  const fc_handler handler = bench_handlers[cell->row->callee];
  const fc_callback_options *how = options(cell->row);
  for (size_t i = 0; i < calls; i++) {
    fc_callback *callback;
    fc_callback_new(signature, handler, cell, how, &callback);
    void *code = fc_callback_code(callback);
    BENCH_KEEP(code);
    fc_callback_free(callback);
  }
}

static void run_slot_lifetimes(struct bench_cell *cell, size_t copy, size_t calls) {
  (void)copy;
  const fc_signature *signature = cell->handles[0];
  const fc_slot_handler handler = (fc_slot_handler)bench_slot_handlers[cell->row->callee];
  const fc_callback_options *how = options(cell->row);
  for (size_t i = 0; i < calls; i++) {
    fc_callback *callback;
    fc_callback_new_slots(signature, handler, cell, how, &callback);
    void *code = fc_callback_code(callback);
    BENCH_KEEP(code);
    fc_callback_free(callback);
  }
}

/* Whether one can be made at all is asked before many are. */
bool farcall_prepare_callback(struct bench_cell *cell) {
  fc_signature *signature = signature_of(cell->row->prototype);
  fc_callback *callback;
  for (size_t i = 0; i < BENCH_COPIES; i++) {
    fc_status status = fc_callback_new(signature, bench_handlers[cell->row->callee], cell,
                                       options(cell->row), &callback);
    if (!made(cell, i, status, callback)) {
      return false;
    }
  }
  cell->handles[0] = signature;
  cell->run = cell->row->part == BENCH_LIFETIMES ? run_lifetimes
                                                 : farcall_loops->function[cell->row->callee];
  cell->exact = true;
  return true;
}

bool farcall_prepare_slot_callback(struct bench_cell *cell) {
  fc_signature *signature = signature_of(cell->row->prototype);
  fc_callback *callback;
  for (size_t i = 0; i < BENCH_COPIES; i++) {
    fc_status status =
        fc_callback_new_slots(signature, (fc_slot_handler)bench_slot_handlers[cell->row->callee],
                              cell, options(cell->row), &callback);
    if (!made(cell, i, status, callback)) {
      return false;
    }
  }
  cell->handles[0] = signature;
  cell->run = cell->row->part == BENCH_LIFETIMES ? run_slot_lifetimes
                                                 : farcall_loops->function[cell->row->callee];
  cell->exact = true;
  return true;
}

void farcall_live_callbacks(FILE *out, FILE *csv, struct bench_binding *binding) {
  fc_callback **live = calloc(LIVE, sizeof *live);
  if (live == NULL) {
    return;
  }
  for (size_t i = 0; i < LIVE; i++) {
    live[i] = NULL; /* the array itself is in memory before it is measured */
    BENCH_KEEP(live[i]);
  }
  fc_signature *signature = signature_of("int bench_i32_two(int, int)");
  size_t resident = timing_resident_bytes();
  double start = timing_cpu_ns();
  for (size_t i = 0; i < LIVE; i++) {
    farcall_must(
        fc_callback_new(signature, bench_handlers[BENCH_CALLEE_i32_two], NULL, NULL, &live[i]),
        "fc_callback_new");
  }
  binding->live_callback_ns = (timing_cpu_ns() - start) / LIVE;
  binding->live_callback_bytes = ((double)timing_resident_bytes() - (double)resident) / LIVE;
  start = timing_cpu_ns();
  for (size_t i = 0; i < LIVE; i++) {
    fc_callback_free(live[i]);
  }
  double freed_ns = (timing_cpu_ns() - start) / LIVE;
  fc_signature_free(signature);
  free(live);
  fprintf(out, "\nA million callbacks at once (farcall)\n");
  fprintf(out, "  %-62s %10.1f ns\n", "made: each", binding->live_callback_ns);
  fprintf(out, "  %-62s %10.1f bytes\n", "resident memory: each", binding->live_callback_bytes);
  fprintf(out, "  %-62s %10.1f ns\n", "freed: each", freed_ns);
  if (csv != NULL) {
    fprintf(csv, "callbacks,\"a million live, made, each\",ns,%.2f\n", binding->live_callback_ns);
    fprintf(csv, "callbacks,\"a million live, each\",bytes,%.2f\n", binding->live_callback_bytes);
    fprintf(csv, "callbacks,\"a million live, freed, each\",ns,%.2f\n", freed_ns);
  }
}
