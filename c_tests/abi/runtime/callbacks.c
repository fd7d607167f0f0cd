/* The driver's half for callbacks: compiled callers of function pointers call into handlers here.
 */
#include "driver.h"
#include <stdio.h>
#include <stdlib.h>

/* What the handlers have been given. */
static struct seen {
  unsigned calls, releases;
} seen;
static bool by_slots;

#ifdef FCG_CALLERS_ARE_MS
static const bool is_ms = true;
#else
static const bool is_ms = false;
#endif

/* ------------------------------------------------------------- handlers */
static void enter(const void *user, const void *frame) {
  seen.calls++;
  if (user != &seen)
    fail("user is %p in the handler", user);
  if ((uintptr_t)frame % 16)
    fail("the stack is misaligned in the handler: frame at %p", frame);
}

static void check_alignment(const char *what, uint32_t index, const fcg_value *v,
                            const void *address) {
  /* No convention aligns values in memory to more, whatever their types ask for. */
  uint32_t align = v->align < now.highest_align ? v->align : now.highest_align;
  if (v->size && (!address || (uintptr_t)address % align))
    fail("%s %u (%s) in the handler: at %p, not aligned to %u", what, index, v->text, address,
         align);
}

static void check_bytes(uint32_t index, void *address) {
  const fcg_value *v = &now.c->params[index];
  const fcg_image *expected = &now.images->params[index];
  check_alignment("argument", index, v, address);
  if (!v->size)
    return;
  if (bytes_differ(expected->bytes, address, expected->mask, v->size)) {
    fail("argument %u (%s) is wrong in the handler", index, v->text);
    fail_bytes(expected->bytes, address, expected->mask, v->size);
  }
}

/* Arguments by value are the callee's own: it may leave anything in them. */
static void overwrite(uint32_t index, void *address) {
  memset(address, 0x6b, now.c->params[index].size);
}

static void handler(void *ret, void *const *args, void *user) {
  enter(user, FCG_STACK());
  for (uint32_t i = 0; i < now.c->count; i++)
    check_bytes(i, args[i]);
  for (uint32_t i = 0; i < now.c->count; i++)
    overwrite(i, args[i]);
  check_alignment("result", 0, &now.c->result, ret);
  if (now.c->result.size)
    memcpy(ret, now.images->result.bytes, now.c->result.size);
  fcg_poison();
}

static void slot_handler(fc_slot *ret, const fc_slot *slots, void *user) {
  enter(user, FCG_STACK());
  for (uint32_t i = 0; i < now.c->count; i++) {
    const fcg_value *v = &now.c->params[i];
    if (v->size > 8) {
      check_bytes(i, slots[i].p);
      continue;
    }
    uint64_t significant, expected = slot_of(v, &now.images->params[i], &significant);
    if ((expected ^ slots[i].u) & significant)
      fail("argument %u (%s) is wrong in the handler's slot\n      expected %016llx\n"
           "      got      %016llx\n      of which %016llx counts",
           i, v->text, (unsigned long long)expected, (unsigned long long)slots[i].u,
           (unsigned long long)significant);
  }
  for (uint32_t i = 0; i < now.c->count; i++)
    if (now.c->params[i].size > 8)
      overwrite(i, slots[i].p);
  uint32_t size = now.c->result.size;
  if (size > 8) {
    check_alignment("result", 0, &now.c->result, ret->p);
    memcpy(ret->p, now.images->result.bytes, size);
  } else if (size) {
    /* What stands above the value is not read. */
    memset(ret, 0x77, sizeof *ret);
    memcpy(ret, now.images->result.bytes, size);
  }
  fcg_poison();
}

static void release(void *user) {
  if (user == &seen)
    seen.releases++;
}

/* -------------------------------------------------------------- callers */
/* `late`: what a call of a freed callback gets; NULL: the callback lives. */
static void call_from(int which, void *code, const unsigned char *late) {
  const library *l = &libraries[which];
  const fcg_library *tables = l->tables;
  const fcg_case *c = tables->cases[shared->position];
  fcg_report *report = tables->report;
  now.library = l->name;
  where("%s, %s %s", now.path, now.other, now.library);
  memset(report, 0, sizeof *report);
  *tables->manner = (fcg_manner){.width = 0, .result_width = 64, .result = late};
  seen.calls = 0;
  canary_call((void (*)(void))c->call_fixed,
              (uintptr_t)canary_between(FC_AS_FUNCTION(void (*)(void), code), is_ms), 0, 0);
  shared->counters[CALLED_BACK]++;
  unsigned expected = late ? 0 : 1;
  if (seen.calls != expected)
    fail("the handler was called %u times, not %u", seen.calls, expected);
  if (report->returns != 1)
    fail("%u calls came back to the caller", report->returns);
  if (report->failures)
    fail("wrong inside the caller:\n%s", report->text);
  if (canary_between_fault())
    fail("after the callback: %s", canary_between_fault());
  if (canary_fault())
    fail("after the caller: %s", canary_fault());
}

static const char *const late_paths[2] = {"fc_callback_new, freed", "fc_callback_new_slots, freed"};
static const char *const live_paths[2] = {"fc_callback_new", "fc_callback_new_slots"};

static fc_status make(const fc_signature *signature, const fc_callback_options *options,
                      fc_callback **out) {
  now.library = NULL;
  now.path = live_paths[by_slots];
  where("%s", now.path);
  if (by_slots)
    return fc_callback_new_slots(signature, slot_handler, &seen, options, out);
  return fc_callback_new(signature, handler, &seen, options, out);
}

static void run_form(const fc_signature *signature, const char *callers) {
  static unsigned char *zeros, *given;
  static size_t room;
  const fcg_value *r = &now.c->result;
  if (!zeros || room < r->size) {
    free(zeros);
    free(given);
    room = (size_t)r->size + 64;
    zeros = calloc(1, room);
    given = malloc(room);
    if (!zeros || !given)
      abort();
  }
  /* Half of the callbacks are made with no options. */
  bool has_default = (now.c->index + by_slots) % 2 && r->kind != FCG_VOID;
  const unsigned char *late = has_default ? now.images->result.bytes : zeros;
  fc_callback_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  memcpy(given, late, r->size);
  options.default_result = given;
  options.release = release;
  memset(&seen, 0, sizeof seen);
  fc_callback *callback = NULL;
  fc_status status = make(signature, has_default ? &options : NULL, &callback);
  if (status != FC_OK) {
    fail("%s: %s", fc_status_name(status), fc_error_message());
    return;
  }
  memset(given, 0x99, r->size); /* it has been copied */
  void *code = fc_callback_code(callback);
  int last = -1;
  for (int l = 0; l < library_count; l++) {
    if (callers[l] != '1')
      continue;
    call_from(l, code, NULL);
    if (last < 0 || (now.c->index + (unsigned)l) % 3 == 0)
      last = l;
  }
  uint64_t before = fc_callback_late_calls();
  fc_callback_free(callback);
  now.path = late_paths[by_slots];
  if (has_default && seen.releases != 1)
    fail("release was called %u times", seen.releases);
  if (last < 0)
    return;
  call_from(last, code, late);
  if (fc_callback_late_calls() != before + 1)
    fail("%llu late calls were counted, not 1",
         (unsigned long long)(fc_callback_late_calls() - before));
}

void run_callbacks(const fc_signature *signature, const char *callers) {
  now.other = "caller built by";
  for (int form = 0; form < 2; form++) {
    by_slots = form;
    if (!now.c->variadic) {
      run_form(signature, callers);
      continue;
    }
    fc_callback *callback = NULL;
    fc_status status = make(signature, NULL, &callback);
    if (status == FC_OK || callback)
      fail("a callback was made of a variadic signature");
    else if (!strstr(fc_error_message(), "variadic"))
      fail("a variadic signature is refused as %s: %s", fc_status_name(status), fc_error_message());
    fc_callback_free(callback);
  }
}
