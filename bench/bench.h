/* What the parts of the benchmark say to each other.
 *
 * A row is one C signature with its callee and its arguments. A contestant is one way of
 * calling it: the compiler's own call, hand-written assembly, farcall, or another library.
 * In rows of callbacks it is one way of being called: a handler is reached through a function
 * pointer that the contestant has made, and rows of lifetimes make such a pointer and free it.
 * Each contestant but the first two is a shared object of its own, opened at run time, so
 * that two versions of libffi can stand side by side in one process, and so that a library
 * that is not installed is simply missing from the table. */
#ifndef BENCH_H
#define BENCH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum bench_kind {
  BENCH_VOID,
  BENCH_SCHAR,
  BENCH_UCHAR,
  BENCH_SHORT,
  BENCH_USHORT,
  BENCH_INT,
  BENCH_UINT,
  BENCH_LONG,
  BENCH_ULONG,
  BENCH_FLOAT,
  BENCH_DOUBLE,
  BENCH_POINTER,
  BENCH_PAIR,   /* struct bench_pair   */
  BENCH_TRIPLE, /* struct bench_triple */
  BENCH_SIX     /* struct bench_six    */
};

/* As fc_slot; spelled again so that all but one part compile without farcall. */
typedef union bench_slot {
  int64_t i;
  float f32;
  double f64;
  void *p;
  uint8_t bytes[8];
} bench_slot;

typedef void (*bench_function)(void);
typedef void (*bench_entry)(void *ret, void *const *args);
typedef void (*bench_slot_entry)(bench_slot *ret, const bench_slot *slots);

enum bench_part { BENCH_CALLS, BENCH_CALLBACKS, BENCH_LIFETIMES };

struct bench_row {
  enum bench_part part;
  const char *title;
  const char *prototype; /* C text */
  enum bench_kind result;
  size_t result_size;
  const enum bench_kind *params;
  size_t param_count;
  bench_function function;
  void *const *args;
  const bench_slot *slots;
  bool rewrite;  /* the caller writes both arguments (two ints) before each call */
  bool released; /* a lifetime whose end is told to a release hook */
  int callee;    /* which loop of those that are written out per callee */
};

/* The same stub at the same place can be 20 % slower or faster for no reason but the address
 * that it stands at. Stubs are therefore made several times and used in turn. */
#define BENCH_COPIES 4

struct bench_cell {
  const struct bench_row *row;
  void (*run)(struct bench_cell *cell, size_t copy, size_t calls);
  bench_function copies[BENCH_COPIES];
  const void *handles[BENCH_COPIES];
  bench_slot slot_result;
  _Alignas(64) uint8_t result[128];
  bool exact; /* promises to write sizeof(result) bytes and not one more */
};

enum bench_column_id {
  BENCH_DIRECT,
  BENCH_ASSEMBLY,
  BENCH_ASSEMBLY_SLOTS,
  BENCH_FC_ENTRY,
  BENCH_FC_SLOT_ENTRY,
  BENCH_FC_INVOKE,
  BENCH_FC_INVOKE_SLOTS,
  BENCH_LIBFFI_SYSTEM,
  BENCH_LIBFFI_NEWER,
  BENCH_LIBFFI_PLAN,
  BENCH_LIBFFCALL,
  BENCH_DYNCALL,
  BENCH_STATIC_ENTRY,
  BENCH_STATIC_SLOT_ENTRY,
  BENCH_STATIC_INVOKE,
  BENCH_STATIC_INVOKE_SLOTS,
  /* Callbacks and their lifetimes. */
  BENCH_FUNCTION_POINTER,
  BENCH_THUNK,
  BENCH_THUNK_SLOTS,
  BENCH_FC_CALLBACK,
  BENCH_FC_SLOT_CALLBACK,
  BENCH_LIBFFI_CLOSURE,
  BENCH_LIBFFI_NEWER_CLOSURE,
  BENCH_LIBFFCALL_CALLBACK,
  BENCH_DYNCALL_CALLBACK,
  BENCH_STATIC_CALLBACK,
  BENCH_STATIC_SLOT_CALLBACK,
  BENCH_COLUMN_COUNT
};

static inline bool bench_belongs(enum bench_column_id column, enum bench_part part) {
  return (column >= BENCH_FUNCTION_POINTER) == (part != BENCH_CALLS);
}

struct bench_column {
  enum bench_column_id id;
  bool (*prepare)(struct bench_cell *cell); /* false: cannot call this row */
};

typedef void (*bench_loop)(struct bench_cell *cell, size_t copy, size_t calls);

/* Loops that contestants share, down to the address of the call instruction. */
struct bench_loops {
  bench_loop entry;
  bench_loop slot_entry;
  /* By the number of the callee: a call of a C function, as the compiler makes it. */
  const bench_loop *function;
};

/* Costs of binding and of many callbacks, filled in by farcall; below zero: not measured. */
struct bench_binding {
  double new_signature_ns, known_signature_ns, declaration_ns;
  double live_callback_ns, live_callback_bytes;
};

struct bench_contestant {
  const char *name;
  const char *version;
  const struct bench_column *columns;
  size_t column_count;
  void (*binding)(FILE *out, FILE *csv, struct bench_binding *binding); /* may be NULL */
};

/* The one symbol that a contestant's shared object exports. NULL: it cannot run here. */
typedef const struct bench_contestant *(*bench_open)(const struct bench_loops *loops);
const struct bench_contestant *bench_contestant(const struct bench_loops *loops);

extern const struct bench_row bench_rows[];
extern const size_t bench_row_count;
void bench_rows_prepare(void);

extern const struct bench_loops bench_loops;
const struct bench_contestant *bench_direct(void);   /* and the plain function pointer */
const struct bench_contestant *bench_assembly(void); /* NULL on a CPU that it is not written for */

const struct bench_contestant *bench_thunks(void); /* the same */

/* Makes the compiler put a result where it can be looked at, once per call. */
#define BENCH_KEEP(value) __asm__ volatile("" : : "m"(value) : "memory")

#endif
