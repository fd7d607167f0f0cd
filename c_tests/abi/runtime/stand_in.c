/* A stand-in for farcall that knows the generated functions beforehand and calls them through
 * the callers that the compiler made. With it, the self-check runs the driver without farcall:
 * as it is everything must pass, and with STAND_IN_FAULT set to one of the names below
 * something must fail. It has only what the driver uses, and no care for memory. */
#if __has_include("farcall.h")
#include "farcall.h"
#else
#include "contract.h"
#endif
#include "library.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct fc_library {
  void *handle;
};
struct fc_decls {
  const char *text;
};
struct fc_type {
  size_t size, align;
  const fcg_record *record;
};
struct fc_signature {
  const fcg_case *c;
  size_t count;
  fc_type *params;
};
struct fc_function {
  const fcg_case *c;
  void (*address)(void);
  uint32_t flags;
};

static const fcg_library *tables;
static void *first_handle;
static char message[200];
static int captured;
static const struct fc_function *asked;

static int fault(const char *name) {
  const char *wanted = getenv("STAND_IN_FAULT");
  return wanted && !strcmp(wanted, name);
}

const char *fc_error_message(void) { return message; }
const char *fc_status_name(fc_status status) { return status == FC_OK ? "FC_OK" : "FC_ERR"; }
const char *fc_code_status(void) { return "stubs"; }
int fc_captured_errno(void) { return fault("errno") ? 0 : captured; }

fc_status fc_library_open(const char *path, const fc_open_options *options, fc_library **out) {
  (void)options;
  *out = calloc(1, sizeof **out);
  (*out)->handle = dlopen(path, RTLD_NOW);
  if (!(*out)->handle) {
    snprintf(message, sizeof message, "%s", dlerror());
    return FC_ERR_LOAD;
  }
  if (!tables)
    tables = dlsym(first_handle = (*out)->handle, "fcg_this_library");
  return FC_OK;
}
fc_status fc_library_symbol(const fc_library *library, const char *name, void **out) {
  *out = dlsym(library->handle, name);
  return *out ? FC_OK : FC_ERR_NOT_FOUND;
}
void fc_library_free(fc_library *library) { (void)library; }

fc_status fc_decls_new(fc_decls **out) {
  *out = calloc(1, sizeof **out);
  return FC_OK;
}
fc_status fc_decls_add(fc_decls *decls, const char *text) {
  decls->text = text;
  return FC_OK;
}
void fc_decls_free(fc_decls *decls) { free(decls); }

static fc_type *new_type(size_t size, size_t align, const fcg_record *record) {
  fc_type *type = calloc(1, sizeof *type);
  *type = (fc_type){size, align, record};
  return type;
}

fc_status fc_decls_type(const fc_decls *decls, const char *name, fc_type **out) {
  for (uint32_t p = 0; p < tables->case_count; p++) {
    const fcg_case *c = tables->cases[p];
    if (strcmp(c->declarations, decls->text))
      continue;
    for (uint32_t r = 0; r < c->record_count; r++)
      if (!strcmp(c->records[r].name, name)) {
        const fcg_record *record = &c->records[r];
        *out = new_type(record->size + (fault("layout") ? 8 : 0), record->align, record);
        return FC_OK;
      }
    for (uint32_t i = c->fixed; i < c->count; i++)
      if (!strcmp(c->params[i].extra_name, name)) {
        *out = new_type(c->params[i].size, c->params[i].align, NULL);
        return FC_OK;
      }
  }
  return FC_ERR_NOT_FOUND;
}
size_t fc_type_size(const fc_type *type) { return type->size; }
size_t fc_type_align(const fc_type *type) { return type->align; }
size_t fc_type_field_count(const fc_type *type) { return type->record->field_count; }
void fc_type_free(fc_type *type) { free(type); }

fc_status fc_type_field(const fc_type *type, size_t index, fc_field *out, size_t *offset,
                        uint32_t *bit_offset) {
  const fcg_field *f = &type->record->fields[index];
  size_t bit = 0;
  out->name = f->name;
  out->type = new_type(f->size, 1, NULL);
  out->bits = f->is_bits ? (f->bits ? f->bits : FC_BITS_ZERO) : 0;
  if (f->set) {
    unsigned char *object = aligned_alloc(64, (type->record->size + 127) / 64 * 64);
    memset(object, 0, type->record->size);
    f->set(object);
    while (!(object[bit / 8] >> (bit % 8) & 1))
      bit++;
    free(object);
  }
  if (f->is_bits && fault("bit"))
    bit++;
  *offset = f->is_bits ? bit / 8 : f->offset;
  *bit_offset = f->is_bits ? bit % 8 : 0;
  return FC_OK;
}
fc_status fc_type_field_named(const fc_type *type, const char *path, const fc_type **out,
                              size_t *offset) {
  for (uint32_t i = 0; i < type->record->path_count; i++) {
    const fcg_path *p = &type->record->paths[i];
    if (strcmp(p->path, path))
      continue;
    *out = new_type(p->size, 1, NULL);
    *offset = p->offset;
    return FC_OK;
  }
  return FC_ERR_NOT_FOUND;
}

fc_status fc_signature_parse(const fc_decls *decls, const char *prototype, fc_signature **out) {
  (void)decls;
  for (uint32_t p = 0; p < tables->case_count; p++) {
    const fcg_case *c = tables->cases[p];
    if (strcmp(c->prototype, prototype))
      continue;
    *out = calloc(1, sizeof **out);
    (*out)->c = c;
    (*out)->count = c->fixed;
    return FC_OK;
  }
  return FC_ERR_SYNTAX;
}
fc_status fc_signature_variadic(const fc_signature *prototype, const fc_type *const *extra,
                                size_t count, fc_signature **out) {
  (void)extra;
  *out = calloc(1, sizeof **out);
  **out = *prototype;
  (*out)->count += count;
  return FC_OK;
}
const char *fc_signature_name(const fc_signature *s) { return s->c->name; }
bool fc_signature_is_variadic(const fc_signature *s) { return s->c->variadic; }
size_t fc_signature_param_count(const fc_signature *s) { return s->count; }
const fc_type *fc_signature_param(const fc_signature *s, size_t i) {
  return new_type(s->c->params[i].size, s->c->params[i].align, NULL);
}
const fc_type *fc_signature_result(const fc_signature *s) {
  return new_type(s->c->result.size, s->c->result.align, NULL);
}
size_t fc_signature_explain(const fc_signature *s, char *buffer, size_t length) {
  (void)s;
  return (size_t)snprintf(buffer, length, "(the stand-in explains nothing)");
}
void fc_signature_free(fc_signature *signature) { free(signature); }

fc_status fc_function_new(const fc_signature *signature, void *address,
                          const fc_function_options *options, fc_function **out) {
  *out = calloc(1, sizeof **out);
  **out = (fc_function){signature->c, FC_AS_FUNCTION(void (*)(void), address),
                        options ? options->flags : 0};
  return FC_OK;
}
fc_status fc_bind(const fc_library *library, const fc_decls *decls, const char *prototype,
                  const fc_function_options *options, fc_function **out) {
  fc_signature *signature;
  void *address;
  if (fc_signature_parse(decls, prototype, &signature))
    return FC_ERR_SYNTAX;
  if (fc_library_symbol(library, signature->c->name, &address))
    return FC_ERR_NOT_FOUND;
  return fc_function_new(signature, address, options, out);
}
void fc_function_free(fc_function *function) { free(function); }
const char *fc_function_path(const fc_function *function) {
  (void)function;
  return "stub";
}

/* ---------------------------------------------------------------- calls */
static void *aligned_copy(const void *bytes, size_t size) {
  void *copy = aligned_alloc(64, (size + 127) / 64 * 64);
  if (size)
    memcpy(copy, bytes, size);
  return copy;
}

#ifdef __x86_64__
/* Enters a function without what the vector registers for arguments hold. */
__attribute__((used)) static void (*without_vectors_target)(void);
void without_vectors(void);
__asm__(".text\n.type without_vectors,@function\nwithout_vectors:\n"
        "  pxor %xmm0, %xmm0\n  pxor %xmm1, %xmm1\n  pxor %xmm2, %xmm2\n  pxor %xmm3, %xmm3\n"
        "  jmp *without_vectors_target(%rip)\n");
#endif

static void run(const fc_function *f, void *ret, void *const *args) {
  const fcg_case *c = f->c;
  void *copies[128], *result = aligned_copy("", 0);
  for (uint32_t i = 0; i < c->count; i++)
    copies[i] = aligned_copy(args[i], c->params[i].size + (fault("overread") ? 8 : 0));
  free(result);
  result = aligned_alloc(64, (c->result.size + 127) / 64 * 64);
  if (c->count && fault("argument"))
    ((unsigned char *)copies[c->count - 1])[0] ^= 1;
  if (c->count && fault("caller's copy") && c->params[0].size)
    ((unsigned char *)args[0])[0] ^= 1;
  if (fault("crash"))
    *(volatile int *)16 = 0;
  errno = 0;
  void (*address)(void) = f->address;
#ifdef __x86_64__
  if (fault("one register")) {
    without_vectors_target = address;
    address = without_vectors;
  }
#endif
  c->call(address, result, copies);
  if (fault("twice"))
    c->call(f->address, result, copies);
  captured = errno;
  if (fault("result") && c->result.size)
    ((unsigned char *)result)[0] ^= 1;
  if (c->result.size)
    memcpy(ret, result, c->result.size + (fault("overwrite") ? 1 : 0));
  for (uint32_t i = 0; i < c->count; i++)
    free(copies[i]);
  free(result);
}

static void run_slots(const fc_function *f, fc_slot *ret, const fc_slot *slots) {
  const fcg_case *c = f->c;
  const fcg_value *r = &c->result;
  void *args[128];
  fc_slot result, own[128];
  if (c->count)
    memcpy(own, slots, c->count * sizeof *own);
  for (uint32_t i = 0; i < c->count; i++)
    args[i] = c->params[i].size <= 8 ? (void *)&own[i] : own[i].p;
  if (r->size > 8) {
    memcpy(&result, ret, sizeof result);
    run(f, result.p, args);
    return;
  }
  memset(&result, fault("extension") ? 0x55 : 0, sizeof result);
  run(f, &result, args);
  if (r->kind == FCG_VOID)
    return;
  if (r->kind == FCG_SIGNED && r->size < 8 && !fault("extension"))
    result.i = (int64_t)(result.u << (64 - 8 * r->size)) >> (64 - 8 * r->size);
  memcpy(ret, &result, sizeof result);
}

void fc_invoke(const fc_function *f, void *ret, void *const *args) {
  run(f, ret, args);
  if (fault("flag"))
    FCG_SPOIL_STATE();
}
fc_status fc_invoke_checked(const fc_function *f, void *ret, void *const *args) {
  run(f, ret, args);
  return FC_OK;
}
void fc_invoke_slots(const fc_function *f, fc_slot *ret, const fc_slot *slots) {
  run_slots(f, ret, slots);
}
static void entry(void *ret, void *const *args) { run(asked, ret, args); }
static void slot_entry(fc_slot *ret, const fc_slot *slots) { run_slots(asked, ret, slots); }
fc_entry fc_function_entry(const fc_function *f) {
  asked = f;
  return entry;
}
fc_slot_entry fc_function_slot_entry(const fc_function *f) {
  asked = f;
  return slot_entry;
}

/* ------------------------------------------------------------ callbacks
 * A callback's code is a function that the compiler made of its signature. The one that was made
 * last is the one that is called. */
struct fc_callback {
  const fcg_case *c;
  fc_handler handler;
  fc_slot_handler slot_handler;
  void *user;
  const void *default_result;
  void (*release)(void *user);
  bool is_freed;
};
static struct fc_callback last;
static uint64_t late_calls;

/* Where a copy of an argument goes, for a handler that may change it. */
static void *copy_for_handler(uint32_t i, const fcg_value *v, const void *from) {
  static unsigned char copies[128][16640] __attribute__((aligned(64)));
  unsigned char *to = copies[i] + (fault("unaligned pointer") ? 1 : 0);
  memcpy(to, from, v->size);
  return to;
}

static void handle(void *ret, void *const *args) {
  const fcg_case *c = last.c;
  void *copies[128];
  for (uint32_t i = 0; i < c->count; i++) {
    copies[i] = copy_for_handler(i, &c->params[i], args[i]);
    if (i + 1 == c->count && c->params[i].size && fault("callback argument"))
      ((unsigned char *)copies[i])[0] ^= 1;
    if (i + 1 == c->count && c->params[i].size && fault("callback's last byte"))
      ((unsigned char *)copies[i])[c->params[i].size - 1] ^= 0x80;
  }
  void *user = fault("user") ? NULL : last.user;
  if (last.handler) {
    last.handler(ret, copies, user);
    return;
  }
  fc_slot slots[128], slot;
  for (uint32_t i = 0; i < c->count; i++) {
    const fcg_value *v = &c->params[i];
    slots[i].u = v->kind == FCG_OTHER && fault("slot's rest") ? 0x7700000000000000 : 0;
    if (v->size > 8) {
      slots[i].p = copies[i];
      continue;
    }
    memcpy(&slots[i], copies[i], v->size);
    if (v->kind == FCG_SIGNED && v->size < 8 && !fault("slot's extension"))
      slots[i].i = (int64_t)(slots[i].u << (64 - 8 * v->size)) >> (64 - 8 * v->size);
  }
  slot.p = ret;
  last.slot_handler(&slot, slots, user);
  if (c->result.size <= 8 && c->result.size)
    memcpy(ret, &slot, c->result.size);
}

static void receive(const fcg_case *c, void *ret, void *const *args) {
  if (last.is_freed && !fault("late handler")) {
    late_calls += !fault("late count");
    if (last.default_result && !fault("late default"))
      memcpy(ret, last.default_result, c->result.size);
    else if (c->result.size)
      memset(ret, fault("late zeros"), c->result.size);
    return;
  }
  if (last.is_freed)
    late_calls++;
  handle(ret, args);
  if (fault("handled twice"))
    handle(ret, args);
  if (c->result.size && fault("callback's result"))
    ((unsigned char *)ret)[0] ^= 1;
}

static const void *kept(const void *bytes, size_t size) {
  static unsigned char copy[65536];
  return bytes ? memcpy(copy, bytes, size) : NULL;
}

static fc_status make_callback(const fc_signature *signature, fc_handler handler,
                               fc_slot_handler slot_handler, void *user,
                               const fc_callback_options *options, fc_callback **out) {
  if (signature->c->variadic && !fault("variadic")) {
    snprintf(message, sizeof message, "variadic");
    return FC_ERR_UNSUPPORTED;
  }
  last = (fc_callback){
      .c = signature->c,
      .handler = handler,
      .slot_handler = slot_handler,
      .user = user,
      .default_result = options ? kept(options->default_result, signature->c->result.size) : NULL,
      .release = options ? options->release : NULL};
  *tables->receiver = (fcg_receiver){.receive = receive,
                                     .flipped = fault("callback's extension") ? 1ull << 63 : 0,
                                     .spoils_kept = fault("kept register"),
                                     .spoils_state = fault("state")};
  *out = &last;
  return FC_OK;
}
fc_status fc_callback_new(const fc_signature *signature, fc_handler handler, void *user,
                          const fc_callback_options *options, fc_callback **out) {
  return make_callback(signature, handler, NULL, user, options, out);
}
fc_status fc_callback_new_slots(const fc_signature *signature, fc_slot_handler handler, void *user,
                                const fc_callback_options *options, fc_callback **out) {
  return make_callback(signature, NULL, handler, user, options, out);
}
void *fc_callback_code(const fc_callback *callback) {
  const fcg_case *c = callback->c;
  bool is_integer = c->result.kind == FCG_SIGNED || c->result.kind == FCG_UNSIGNED;
  char name[40];
  snprintf(name, sizeof name, "%s%u",
           is_integer && fault("result's register") ? "misplace" : "receive", c->index);
  return dlsym(first_handle, name);
}
uint64_t fc_callback_late_calls(void) { return late_calls; }
void fc_callback_free(fc_callback *callback) {
  if (!callback)
    return;
  callback->is_freed = true;
  if (callback->release && !fault("release"))
    callback->release(callback->user);
}
