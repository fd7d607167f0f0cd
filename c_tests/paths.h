/* Calls one function on every path that farcall has, and expects the same bytes on each.
 *
 *   double x = 2, y = 10, expected = 1024;
 *   void *args[] = {&x, &y};
 *   CHECK_CALL(library, "double pow(double, double)", args, &expected);
 *
 * The paths: stub and libffi, each with and without FC_CAPTURE_ERRNO; through fc_invoke,
 * fc_invoke_checked, fc_invoke_slots and both entries; with aligned and unaligned arguments.
 * What is around a result must stay as it was, and what is above a value in its slot must not
 * matter. */
#ifndef PATHS_H
#define PATHS_H

#include "harness.h"

#include <stdlib.h>

/* What is called: a symbol of a library, or an address with a signature, or with a prototype. */
typedef struct callee {
  const fc_library *library;
  void *address;
  const fc_signature *signature;
  const fc_decls *decls;
  const char *prototype;
  bool without_libffi; /* libffi has no way to say this signature: a refusal is right too */
} callee;

typedef struct call {
  const fc_function *function;
  const char *path;
  void *const *args;
  const void *expected;
  const char *file;
  int line;
} call;

enum { CANARY_BYTES = 128, CANARY = 0xA5, GARBAGE = 0x5A };

static inline bool path_fails(const call *c, const char *how, const char *what) {
  return harness_check(false, c->file, c->line, "%s by %s: %s", c->path, how, what);
}

static inline size_t size_of_type(const fc_type *type) {
  return fc_type_kind(type) == FC_VOID ? 0 : fc_type_size(type);
}

/* Of each 16 bytes of a value, those that are not padding. Structs with padding are not for these
 * checks. */
static inline size_t used_bytes(const fc_type *type) {
#if defined(__x86_64__)
  if (fc_type_kind(type) == FC_LONG_DOUBLE || fc_type_kind(type) == FC_COMPLEX_LONG_DOUBLE)
    return 10;
#else
  (void)type;
#endif
  return 16;
}

static inline bool same_value(const void *expected, const void *got, size_t size, size_t used) {
  const unsigned char *a = (const unsigned char *)expected, *b = (const unsigned char *)got;
  for (size_t at = 0; at < size; at += 16)
    if (memcmp(a + at, b + at, size - at < used ? size - at : used) != 0)
      return false;
  return true;
}

/* A result's place, aligned for every type, with canaries on both sides. */
typedef struct guarded {
  unsigned char *memory, *result;
  size_t size;
} guarded;

static inline guarded guarded_new(size_t size) {
  guarded g;
  g.size = size;
  const size_t length = (size + CANARY_BYTES - 1) / CANARY_BYTES * CANARY_BYTES + 2 * CANARY_BYTES;
  g.memory = (unsigned char *)aligned_alloc(CANARY_BYTES, length);
  memset(g.memory, CANARY, length);
  g.result = g.memory + CANARY_BYTES;
  return g;
}

static inline bool guarded_holds(const guarded *g) {
  for (size_t i = 0; i < CANARY_BYTES; i++)
    if (g->memory[i] != CANARY || g->result[g->size + i] != CANARY)
      return false;
  return true;
}

static inline void check_result(const call *c, const char *how, const guarded *got) {
  const fc_type *type = fc_signature_result(fc_function_signature(c->function));
  size_t size = size_of_type(type);
  if (!guarded_holds(got))
    path_fails(c, how, "more than the result was written");
  else if (!same_value(c->expected, got->result, size, used_bytes(type))) {
    path_fails(c, how, "other bytes");
    harness_print_bytes("expected", c->expected, size);
    harness_print_bytes("got     ", got->result, size);
  } else
    harness.checks++;
}

/* Copies of the arguments, at odd addresses where asked for: neither reads more than it may. */
typedef struct arguments {
  size_t count;
  void **pointers;
  fc_slot *slots;
  unsigned char *slot_memory;
} arguments;

static inline arguments arguments_new(const call *c, bool unaligned) {
  const fc_signature *signature = fc_function_signature(c->function);
  arguments a;
  a.count = fc_signature_param_count(signature);
  a.pointers = (void **)calloc(a.count + 1, sizeof *a.pointers);
  a.slot_memory = (unsigned char *)malloc((a.count + 1) * sizeof(fc_slot) + 1);
  memset(a.slot_memory, GARBAGE, (a.count + 1) * sizeof(fc_slot) + 1);
  unsigned char *slot = a.slot_memory + unaligned;
  a.slots = (fc_slot *)(void *)slot;
  for (size_t i = 0; i < a.count; i++, slot += sizeof(fc_slot)) {
    size_t size = fc_type_size(fc_signature_param(signature, i));
    /* The allocation ends with the value, so that valgrind sees a read past it. */
    unsigned char *copy = (unsigned char *)malloc(size + unaligned) + unaligned;
    memcpy(copy, c->args[i], size);
    a.pointers[i] = copy;
    if (size <= sizeof(fc_slot))
      memcpy(slot, copy, size);
    else
      memcpy(slot, &a.pointers[i], sizeof(void *));
  }
  return a;
}

static inline void arguments_free(arguments *a, bool unaligned) {
  for (size_t i = 0; i < a->count; i++)
    free((unsigned char *)a->pointers[i] - unaligned);
  free(a->pointers);
  free(a->slot_memory);
}

static inline void call_with_pointers(const call *c, const char *how, fc_entry entry, void **args) {
  size_t size = size_of_type(fc_signature_result(fc_function_signature(c->function)));
  guarded result = guarded_new(size);
  void *ret = size > 0 ? result.result : NULL;
  if (entry)
    entry(ret, args);
  else
    fc_invoke(c->function, ret, args);
  check_result(c, how, &result);
  free(result.memory);
}

static inline void call_checked(const call *c, void **args) {
  size_t size = size_of_type(fc_signature_result(fc_function_signature(c->function)));
  guarded result = guarded_new(size);
  if (harness_status(FC_OK, fc_invoke_checked(c->function, size > 0 ? result.result : NULL, args),
                     "fc_invoke_checked", c->file, c->line))
    check_result(c, "fc_invoke_checked", &result);
  free(result.memory);
}

static inline bool kind_is_signed(const fc_type *type) {
  switch (fc_type_kind(type)) {
  case FC_I8:
  case FC_I16:
  case FC_I32:
  case FC_I64:
    return true;
  case FC_ENUM:
    return kind_is_signed(fc_type_element(type));
  default:
    return false;
  }
}

/* The slot of a result of at most 8 bytes: integers extended, above others zeros. */
static inline fc_slot expected_slot(const fc_type *type, const void *value, size_t size) {
  const unsigned char *bytes = (const unsigned char *)value;
  fc_slot slot;
  bool negative = size > 0 && kind_is_signed(type) && (bytes[size - 1] & 0x80);
  memset(&slot, negative ? 0xFF : 0, sizeof slot);
  memcpy(&slot, bytes, size);
  return slot;
}

static inline void call_with_slots(const call *c, fc_slot_entry entry, fc_slot *ret,
                                   const fc_slot *slots) {
  if (entry)
    entry(ret, slots);
  else
    fc_invoke_slots(c->function, ret, slots);
}

static inline void check_slots(const call *c, const char *how, fc_slot_entry entry,
                               const arguments *a) {
  const fc_type *type = fc_signature_result(fc_function_signature(c->function));
  size_t size = size_of_type(type);
  bool is_large = size > sizeof(fc_slot);
  guarded slot = guarded_new(sizeof(fc_slot));
  guarded large = guarded_new(size);
  fc_slot got;
  if (is_large)
    memcpy(slot.result, &large.result, sizeof(void *));
  call_with_slots(c, entry, (fc_slot *)(void *)slot.result, a->slots);
  memcpy(&got, slot.result, sizeof got);
  if (is_large)
    check_result(c, how, &large);
  else if (!guarded_holds(&slot))
    path_fails(c, how, "more than the result's slot was written");
  else if (size > 0) {
    fc_slot expected = expected_slot(type, c->expected, size);
    if (memcmp(&expected, &got, sizeof got) == 0)
      harness.checks++;
    else {
      path_fails(c, how, "other bytes in the result's slot");
      harness_print_bytes("expected", &expected, sizeof expected);
      harness_print_bytes("got     ", &got, sizeof got);
    }
  }
  free(slot.memory);
  free(large.memory);
}

/* The result's slot is the first argument's own. */
static inline void check_shared_slot(const call *c, const char *how, fc_slot_entry entry,
                                     const arguments *a) {
  const fc_type *type = fc_signature_result(fc_function_signature(c->function));
  size_t size = size_of_type(type);
  if (size == 0 || size > sizeof(fc_slot) || a->count == 0)
    return;
  call_with_slots(c, entry, a->slots, a->slots);
  fc_slot expected = expected_slot(type, c->expected, size), got;
  memcpy(&got, a->slots, sizeof got);
  if (memcmp(&expected, &got, sizeof got) != 0)
    path_fails(c, how, "other bytes where the result's slot is an argument's");
  else
    harness.checks++;
}

static inline void call_in_every_way(const call *c, bool unaligned) {
  arguments a = arguments_new(c, unaligned);
  fc_entry entry = fc_function_entry(c->function);
  fc_slot_entry slot_entry = fc_function_slot_entry(c->function);
  if (!entry)
    path_fails(c, "fc_function_entry", fc_error_message());
  if (!slot_entry)
    path_fails(c, "fc_function_slot_entry", fc_error_message());
  call_with_pointers(c, "fc_invoke", NULL, a.pointers);
  if (entry)
    call_with_pointers(c, "fc_entry", entry, a.pointers);
  call_checked(c, a.pointers);
  check_slots(c, "fc_invoke_slots", NULL, &a);
  if (slot_entry)
    check_slots(c, "fc_slot_entry", slot_entry, &a);
  check_shared_slot(c, "fc_invoke_slots", NULL, &a);
  arguments_free(&a, unaligned);
  if (!slot_entry)
    return;
  a = arguments_new(c, unaligned);
  check_shared_slot(c, "fc_slot_entry", slot_entry, &a);
  arguments_free(&a, unaligned);
}

static inline fc_status function_of(const callee *target, uint32_t flags, fc_function **out) {
  fc_function_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.flags = flags;
  if (target->library)
    return fc_bind(target->library, target->decls, target->prototype, &options, out);
  if (target->signature)
    return fc_function_new(target->signature, target->address, &options, out);
  fc_signature *signature = NULL;
  fc_status status = fc_signature_parse(target->decls, target->prototype, &signature);
  if (status == FC_OK)
    status = fc_function_new(signature, target->address, &options, out);
  fc_signature_free(signature);
  return status;
}

static inline void check_call(const callee *target, void *const *args, const void *expected,
                              const char *file, int line) {
  static const struct {
    uint32_t flags;
    const char *name;
  } paths[] = {{0, "default"},
               {FC_CAPTURE_ERRNO, "default with errno"},
               {FC_FORCE_FALLBACK, "libffi"},
               {FC_FORCE_FALLBACK | FC_CAPTURE_ERRNO, "libffi with errno"}};
  for (size_t i = 0; i < COUNT_OF(paths); i++) {
    fc_function *function = NULL;
    fc_status status = function_of(target, paths[i].flags, &function);
    bool is_libffi = paths[i].flags & FC_FORCE_FALLBACK;
    if (is_libffi && target->without_libffi && status == FC_ERR_UNSUPPORTED)
      continue;
    if (!harness_status(FC_OK, status, paths[i].name, file, line))
      continue;
    call c = {function, paths[i].name, args, expected, file, line};
    call_in_every_way(&c, false);
    call_in_every_way(&c, true);
    fc_function_free(function);
  }
}

static inline void check_call_of(const fc_library *library, void *address,
                                 const fc_signature *signature, const fc_decls *decls,
                                 const char *prototype, void *const *args, const void *expected,
                                 const char *file, int line) {
  callee target = {library, address, signature, decls, prototype, false};
  check_call(&target, args, expected, file, line);
}

#define CHECK_CALL(library, prototype, args, expected)                                             \
  check_call_of(library, NULL, NULL, NULL, prototype, args, expected, __FILE__, __LINE__)
#define CHECK_CALL_AT(function, decls, prototype, args, expected)                                  \
  check_call_of(NULL, ADDRESS_OF(function), NULL, decls, prototype, args, expected, __FILE__,      \
                __LINE__)
#define CHECK_CALL_WITH(function, signature, args, expected)                                       \
  check_call_of(NULL, ADDRESS_OF(function), signature, NULL, NULL, args, expected, __FILE__,       \
                __LINE__)

#endif
