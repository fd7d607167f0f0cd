/* Calls generated callees through farcall, on every path, and compares layouts with theirs. Then
 * compiled callers call into farcall's callbacks (callbacks.c).
 *
 *   driver SEED SCORED LIBRARY...
 *
 * SCORED is what cross wrote. FCG_SPOIL=INDEX:ARGUMENT changes one expected byte (-1: of the
 * result), to see a failure. FCG_ONLY=calls or callbacks does one half. FCG_DETAILS=N prints at
 * most N failures in full (20). FCG_RUN is how run.py was called, for messages. FCG_REFUSALS=1
 * prints why libffi is not used where it is not. */
#include "driver.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum how { INVOKE, ENTRY, SLOTS, SLOT_ENTRY, CHECKED, CAPTURED };
static const char *const how_names[] = {"fc_invoke",         "fc_function_entry",
                                        "fc_invoke_slots",   "fc_function_slot_entry",
                                        "fc_invoke_checked", "fc_invoke with FC_CAPTURE_ERRNO"};

static long seed;
library libraries[MAX_LIBRARIES];
int library_count;
struct trying now;
static fc_library *opened[MAX_LIBRARIES];
static char **scored;  /* by position: "scored", "gcc" or "clang" (its side only) and a reason, or
                          that alone */
static char **callers; /* which libraries' callers of function pointers are right */

static const char *run_py(void) {
  const char *words = getenv("FCG_RUN");
  return words ? words : "run.py";
}

bool fail(const char *format, ...) {
  va_list ap;
  uint64_t nth = ++shared->counters[CASE_FAILURES];
  static uint64_t details = 0;
  if (!details)
    details = getenv("FCG_DETAILS") ? strtoul(getenv("FCG_DETAILS"), NULL, 10) : 20;
  if (nth == 1)
    shared->counters[PRINTED]++;
  if (now.disputed || shared->counters[PRINTED] > details || nth > 12)
    return false;
  if (nth == 1)
    printf("FAILED %s: %s --seed %ld --first %u --count 1\n  %s\n", now.c->name, run_py(), seed,
           now.c->index, now.c->prototype);
  printf("  %s%s%s%s%s%s: ", now.path, now.library ? ", " : "", now.library ? now.other : "",
         now.library ? " " : "", now.library ? now.library : "", nth == 1 ? "" : " (also)");
  va_start(ap, format);
  vprintf(format, ap);
  va_end(ap);
  printf("\n");
  if (nth == 1) {
    static char text[6000];
    printf("    with\n%s\n", now.c->declarations);
    if (now.signature && fc_signature_explain(now.signature, text, sizeof text))
      printf("%s\n", text);
  }
  return false;
}

void fail_bytes(const unsigned char *expected, const unsigned char *got, const unsigned char *mask,
                size_t size) {
  if (now.disputed || shared->counters[CASE_FAILURES] > 12)
    return;
  print_bytes("expected", expected, mask, size);
  print_bytes("got     ", got, mask, size);
}

/* --------------------------------------------------------------- layout */
static uint32_t lowest_bit(const fcg_record *record, const fcg_field *field) {
  static unsigned char *object;
  static size_t room;
  if (record->size + 128 > room) {
    free(object);
    room = ((size_t)record->size + 256) / 64 * 64;
    object = aligned_alloc(64, room);
    if (!object)
      abort();
  }
  memset(object, 0, room);
  field->set(object);
  for (uint32_t i = 0; i < record->size * 8; i++)
    if (object[i / 8] >> (i % 8) & 1)
      return i;
  return UINT32_MAX;
}

static bool check_field(const fcg_record *r, const fc_type *type, uint32_t index) {
  const fcg_field *f = &r->fields[index];
  fc_field got;
  size_t offset = 0;
  uint32_t bit = 0;
  if (fc_type_field(type, index, &got, &offset, &bit) != FC_OK)
    return fail("field %u of %s: %s", index, r->name, fc_error_message());
  if (f->name && (!got.name || strcmp(got.name, f->name)))
    return fail("field %u of %s is %s, not %s", index, r->name, got.name ? got.name : "unnamed",
                f->name);
  if (!f->name && got.name && got.name[0])
    return fail("field %u of %s has a name, %s", index, r->name, got.name);
  uint32_t bits = !f->is_bits ? 0 : f->bits ? f->bits : FC_BITS_ZERO;
  if (got.bits != bits)
    return fail("field %u of %s has %u bits, not %u", index, r->name, got.bits, bits);
  if (f->size && fc_type_size(got.type) != f->size)
    return fail("field %u of %s has %zu bytes, not %u", index, r->name, fc_type_size(got.type),
                f->size);
  if (!f->name)
    return true; /* C cannot tell where an unnamed one is */
  uint64_t expected = f->is_bits ? lowest_bit(r, f) : (uint64_t)f->offset * 8;
  if ((uint64_t)offset * 8 + bit != expected)
    return fail("%s of %s is at bit %zu, not at bit %llu", f->name, r->name, offset * 8 + bit,
                (unsigned long long)expected);
  return true;
}

static bool check_record(const fc_decls *decls, const fcg_record *r) {
  fc_type *type = NULL;
  if (fc_decls_type(decls, r->name, &type) != FC_OK)
    return fail("type %s: %s", r->name, fc_error_message());
  bool good = true;
  if (fc_type_size(type) != r->size || fc_type_align(type) != r->align)
    good = fail("%s has size %zu and alignment %zu, not %u and %u", r->name, fc_type_size(type),
                fc_type_align(type), r->size, r->align);
  if (fc_type_field_count(type) != r->field_count)
    good = fail("%s has %zu fields, not %u", r->name, fc_type_field_count(type), r->field_count);
  for (uint32_t i = 0; good && i < r->field_count; i++)
    good = check_field(r, type, i);
  for (uint32_t i = 0; good && i < r->path_count; i++) {
    const fc_type *member = NULL;
    size_t offset = 0;
    const fcg_path *p = &r->paths[i];
    if (fc_type_field_named(type, p->path, &member, &offset) != FC_OK)
      good = fail("%s.%s: %s", r->name, p->path, fc_error_message());
    else if (offset != p->offset || fc_type_size(member) != p->size)
      good = fail("%s.%s has %zu bytes at %zu, not %u at %u", r->name, p->path,
                  fc_type_size(member), offset, p->size, p->offset);
  }
  fc_type_free(type);
  return good;
}

static bool check_value_type(const char *what, uint32_t index, const fcg_value *v,
                             const fc_type *type) {
  if (!type)
    return fail("%s %u has no type", what, index);
  if (fc_type_size(type) == v->size && (v->kind == FCG_VOID || fc_type_align(type) == v->align))
    return true;
  return fail("%s %u (%s) has size %zu and alignment %zu, not %u and %u", what, index, v->text,
              fc_type_size(type), fc_type_align(type), v->size, v->align);
}

/* The signature of a call, variadic arguments included. */
static fc_signature *signature_of(const fcg_case *c, const fc_decls *decls) {
  fc_signature *prototype = NULL, *whole = NULL;
  if (fc_signature_parse(decls, c->prototype, &prototype) != FC_OK) {
    fail("fc_signature_parse: %s", fc_error_message());
    return NULL;
  }
  if (strcmp(fc_signature_name(prototype), c->name))
    fail("its name is wrong");
  if (fc_signature_is_variadic(prototype) != !!c->variadic)
    fail("variadic or not is wrong");
  if (!c->variadic) {
    whole = prototype;
  } else {
    fc_type *extra[MAX_ARGUMENTS];
    uint32_t count = 0;
    bool good = true;
    for (uint32_t i = c->fixed; good && i < c->count; i++) {
      good = fc_decls_type(decls, c->params[i].extra_name, &extra[count]) == FC_OK;
      if (good)
        count++;
      else
        fail("type %s of an extra argument: %s", c->params[i].extra_name, fc_error_message());
    }
    if (good && fc_signature_variadic(prototype, (const fc_type *const *)extra, count, &whole))
      fail("fc_signature_variadic: %s", fc_error_message());
    for (uint32_t i = 0; i < count; i++)
      fc_type_free(extra[i]);
    fc_signature_free(prototype);
  }
  if (!whole)
    return NULL;
  now.signature = whole;
  bool good = fc_signature_param_count(whole) == c->count ||
              fail("it has %zu parameters, not %u", fc_signature_param_count(whole), c->count);
  for (uint32_t i = 0; good && i < c->count; i++)
    good = check_value_type("parameter", i, &c->params[i], fc_signature_param(whole, i));
  if (good && c->result.kind != FCG_VOID)
    good = check_value_type("result", 0, &c->result, fc_signature_result(whole));
  return whole;
}

/* ---------------------------------------------------------------- calls */
/* Slack 0 ends a value right before unreadable memory; other slacks leave it unaligned. */
static size_t slack_of(uint32_t salt) {
  uint32_t mixed = (now.c->index * 2654435761u) ^ (salt * 40503u);
  mixed ^= mixed >> 15;
  return mixed % 4 ? 0 : 1 + mixed / 4 % 7;
}

uint64_t slot_of(const fcg_value *v, const fcg_image *image, uint64_t *significant) {
  uint64_t word = 0;
  *significant = v->size ? ~0ull : 0;
  if (v->kind == FCG_SIGNED && image->bytes[v->size - 1] & 0x80)
    word = ~0ull;
  memcpy(&word, image->bytes, v->size);
  if (v->kind == FCG_OTHER && v->size)
    memcpy(significant, image->mask, v->size);
  return word;
}

/* What ret must hold after a slots call with a result of at most 8 bytes. */
static bool slot_fault(uint64_t got) {
  uint64_t significant, expected = slot_of(&now.c->result, &now.images->result, &significant);
  if (!((expected ^ got) & significant))
    return false;
  fail("the result's slot is wrong\n      expected %016llx\n      got      %016llx"
       "\n      of which %016llx counts",
       (unsigned long long)expected, (unsigned long long)got, (unsigned long long)significant);
  return true;
}

static void check_report(const fcg_library *tables) {
  const fcg_report *report = tables->report;
  if (report->calls != 1 || report->case_index != now.c->index)
    fail("%u calls arrived, the last at F%u", report->calls, report->case_index);
  if (report->failures)
    fail("wrong inside the callee:\n%s", report->text);
}

static void check_result(void) {
  const fcg_value *v = &now.c->result;
  const fcg_image *expected = &now.images->result;
  const char *fault = result_fault(expected, v->size);
  if (!fault)
    return;
  fail("%s", fault);
  fail_bytes(expected->bytes, result_bytes(), expected->mask, v->size);
}

static void call(enum how how, const fc_function *function, int which, uint32_t salt) {
  const fcg_case *c = now.c;
  const fcg_value *r = &c->result;
  fcg_report *report = libraries[which].tables->report;
  void *values[MAX_ARGUMENTS];
  fc_slot slots[MAX_ARGUMENTS], ret;
  bool by_slots = how == SLOTS || how == SLOT_ENTRY;
  now.library = libraries[which].name;
  where("%s, callee built by %s", now.path, now.library);
  memset(report, 0, sizeof *report);

  for (uint32_t i = 0; i < c->count; i++) {
    values[i] = place(i, now.images->params[i].bytes, c->params[i].size, slack_of(salt + i));
    if (!by_slots)
      continue;
    slots[i].u = 0xb1ab1ab1ab1ab1abu ^ (i * 0x0101010101010101u); /* garbage above the value */
    if (c->params[i].size <= 8)
      memcpy(&slots[i], values[i], c->params[i].size);
    else
      slots[i].p = values[i];
  }
  void *room = result_room(r->size, r->align);
  if (!by_slots) {
    void *array = place(MAX_ARGUMENTS, values, c->count * sizeof *values, 0);
    void *to = r->kind == FCG_VOID && salt % 2 ? NULL : room;
    void **from = c->count || salt % 2 ? array : NULL;
    uintptr_t f = (uintptr_t)function;
    if (how == ENTRY) {
      fc_entry entry = fc_function_entry(function);
      if (!entry) {
        fail("fc_function_entry: %s", fc_error_message());
        return;
      }
      canary_call((void (*)(void))entry, (uintptr_t)to, (uintptr_t)from, 0);
    } else if (how == CHECKED) {
      canary_call((void (*)(void))fc_invoke_checked, f, (uintptr_t)to, (uintptr_t)from);
    } else {
      errno = 0;
      canary_call((void (*)(void))fc_invoke, f, (uintptr_t)to, (uintptr_t)from);
      int expected = 2000 + (int)(c->index % 1000);
      if (how == CAPTURED && fc_captured_errno() != expected)
        fail("errno %d was captured, not %d", fc_captured_errno(), expected);
    }
    if (memcmp(array, values, c->count * sizeof *values))
      fail("the argument array was changed");
  } else {
    fc_slot *array = place(MAX_ARGUMENTS, slots, c->count * sizeof *slots, slack_of(salt + 78));
    fc_slot *to = &ret;
    uint32_t shared_slot = UINT32_MAX;
    memset(&ret, 0x77, sizeof ret);
    if (r->size > 8) {
      ret.p = room;
    } else if (c->count && (c->index + salt) % 6 == 0) {
      shared_slot = c->index % c->count; /* ret may be one of the slots */
      to = (fc_slot *)((char *)array + shared_slot * sizeof *array);
    }
    if (how == SLOT_ENTRY) {
      fc_slot_entry entry = fc_function_slot_entry(function);
      if (!entry) {
        fail("fc_function_slot_entry: %s", fc_error_message());
        return;
      }
      canary_call((void (*)(void))entry, (uintptr_t)to, (uintptr_t)array, 0);
    } else {
      canary_call((void (*)(void))fc_invoke_slots, (uintptr_t)function, (uintptr_t)to,
                  (uintptr_t)array);
    }
    uint64_t got;
    memcpy(&got, to, sizeof got);
    if (r->kind != FCG_VOID && r->size <= 8)
      slot_fault(got);
    if (r->size > 8 && ret.p != room)
      fail("the pointer to the result was changed");
    for (uint32_t i = 0; i < c->count; i++)
      if (i != shared_slot && memcmp((char *)array + i * sizeof *array, &slots[i], sizeof *slots))
        fail("slot %u was changed", i);
  }
  shared->counters[CALLS]++;
  if (canary_fault())
    fail("after the call: %s", canary_fault());
  check_report(libraries[which].tables);
  if (by_slots && r->size <= 8) {
    static const fcg_image nothing; /* such results do not go to the room */
    if (result_fault(&nothing, 0))
      fail("bytes outside the result's slot were written");
  } else {
    check_result();
  }
  for (uint32_t i = 0; i < c->count; i++)
    if (memcmp(values[i], now.images->params[i].bytes, c->params[i].size))
      fail("the caller's copy of argument %u was changed", i);
}

/* A function for the callee of one library; NULL if it cannot be had (which may be no fault). */
static fc_function *function_of(int which, const fc_signature *signature, uint32_t flags) {
  fc_function_options options;
  fc_function *function = NULL;
  void *address = NULL;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.flags = flags;
  now.library = libraries[which].name;
  where("%s, making the function for %s", now.path, now.library);
  if (fc_library_symbol(opened[which], now.c->name, &address) != FC_OK) {
    fail("fc_library_symbol: %s", fc_error_message());
    return NULL;
  }
  fc_status status = fc_function_new(signature, address, &options, &function);
  if (flags & FC_FORCE_FALLBACK) {
    if (status == FC_OK)
      shared->counters[FALLBACKS]++;
    if (status == FC_ERR_UNSUPPORTED && !now.c->plain) {
      shared->counters[UNSUPPORTED]++;
      if (getenv("FCG_REFUSALS"))
        printf("refused: %s\n", fc_error_message());
      return NULL;
    }
  }
  if (status != FC_OK)
    fail("fc_function_new: %s: %s", fc_status_name(status), fc_error_message());
  return function;
}

/* A function that needs no libffi: a stub, or a program where the environment forbids code. */
static fc_function *direct_function_of(int which, const fc_signature *signature) {
  const char *code = getenv("FARCALL_CODE");
  bool is_static = code && !strcmp(code, "none");
  now.path = is_static ? "static" : "stub";
  fc_function *function = function_of(which, signature, is_static ? 0 : FC_REQUIRE_STUB);
  if (function && is_static && strncmp(fc_function_path(function), "static: ", 8))
    fail("its path is %s", fc_function_path(function));
  return function;
}

static void run_paths(int which, const fc_signature *signature, const fc_decls *decls) {
  uint32_t salt = 100u * (uint32_t)which;
  fc_function *function = direct_function_of(which, signature);
  for (int how = INVOKE; function && how <= SLOT_ENTRY; how++) {
    now.path = how_names[how];
    call((enum how)how, function, which, ++salt);
  }
  if (function && now.c->index % 4 == 1) {
    now.path = how_names[CHECKED];
    call(CHECKED, function, which, ++salt);
  }
  fc_function_free(function);

  now.path = "FC_FORCE_FALLBACK";
  function = function_of(which, signature, FC_FORCE_FALLBACK);
  if (function) {
    now.path = "fc_invoke with FC_FORCE_FALLBACK";
    call(INVOKE, function, which, ++salt);
    now.path = "fc_invoke_slots with FC_FORCE_FALLBACK";
    call(SLOTS, function, which, ++salt);
    fc_function_free(function);
  }
  if (now.c->index % 3 == 0) {
    now.path = how_names[CAPTURED];
    function = function_of(which, signature, FC_CAPTURE_ERRNO);
    if (function)
      call(CAPTURED, function, which, ++salt);
    fc_function_free(function);
  }
  if (now.c->index % 5 == 0 && !now.c->variadic) {
    now.path = "fc_bind";
    function = NULL;
    if (fc_bind(opened[which], decls, now.c->prototype, NULL, &function) != FC_OK)
      fail("%s", fc_error_message());
    else
      call(INVOKE, function, which, ++salt);
    fc_function_free(function);
  }
}

static bool does(const char *half) {
  const char *only = getenv("FCG_ONLY");
  return !only || !strcmp(only, half);
}

/* The compiler that alone is followed; NULL if they agree, or none is. */
static const char *followed(uint32_t p) {
  static const char *const names[] = {"gcc", "clang"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const size_t length = strlen(names[i]);
    if (!strncmp(scored[p], names[i], length) && scored[p][length] == ' ')
      return names[i];
  }
  return NULL;
}

static void one(uint32_t p) {
  memset(&now, 0, sizeof now);
  now.other = "callee built by";
  now.highest_align = libraries[0].tables->highest_align;
  now.c = libraries[0].tables->cases[p];
  now.images = &libraries[0].tables->images[p];
  const char *follows = followed(p);
  now.disputed = follows;
  if (!now.disputed && strcmp(scored[p], "scored")) {
    shared->verdicts[p] = SKIPPED;
    return;
  }
  shared->counters[CASE_FAILURES] = 0;
  fc_decls *decls = NULL;
  now.path = "declarations";
  where("declarations");
  if (fc_decls_new(&decls) != FC_OK || fc_decls_add(decls, now.c->declarations) != FC_OK) {
    fail("%s", fc_error_message());
  } else {
    for (uint32_t i = 0; i < now.c->record_count; i++)
      check_record(decls, &now.c->records[i]);
    now.path = "signature";
    where("signature");
    fc_signature *signature = signature_of(now.c, decls);
    if (signature && !shared->counters[CASE_FAILURES]) {
      for (int l = 0; does("calls") && l < library_count; l++)
        if (!now.disputed || !strncmp(libraries[l].name, follows, strlen(follows)))
          run_paths(l, signature, decls);
      if (does("callbacks"))
        run_callbacks(signature, callers[p]);
    }
    now.signature = NULL;
    fc_signature_free(signature);
  }
  fc_decls_free(decls);
  bool failed = shared->counters[CASE_FAILURES] > 0;
  if (now.disputed) {
    shared->counters[DISPUTED]++;
    if (failed) {
      shared->counters[DISPUTED_WRONG]++;
      printf("not as %s has it: %s --seed %ld --first %u --count 1\n  %s\n", scored[p], run_py(),
             seed, now.c->index, now.c->prototype);
    }
    shared->verdicts[p] = SKIPPED;
  } else {
    shared->verdicts[p] = failed ? FAILED : PASSED;
  }
}

static void crashed(uint32_t p, const char *how) {
  const fcg_case *c = libraries[0].tables->cases[p];
  bool disputed = followed(p);
  printf("%s %s: %s --seed %ld --first %u --count 1\n  %s\n  %s: %s\n    with\n%s\n",
         disputed ? "CRASHED (disputed)" : "FAILED", c->name, run_py(), seed, c->index,
         c->prototype, shared->where, how, c->declarations);
  if (!disputed)
    return;
  shared->verdicts[p] = SKIPPED;
  shared->counters[DISPUTED]++;
  shared->counters[DISPUTED_WRONG]++;
}

static bool read_scored(const char *path, const fcg_library *tables) {
  FILE *in = fopen(path, "r");
  char line[8192];
  uint32_t p = 0;
  if (!in) {
    perror(path);
    return false;
  }
  scored = calloc(tables->case_count, sizeof *scored);
  callers = calloc(tables->case_count, sizeof *callers);
  while (scored && callers && fgets(line, sizeof line, in) && p < tables->case_count) {
    char *digits = strchr(line, ' '), *word = digits ? strchr(digits + 1, ' ') : NULL;
    if (!word || word - digits - 1 != library_count ||
        strtoul(line, NULL, 10) != tables->cases[p]->index)
      break;
    *word++ = 0;
    word[strcspn(word, "(\n")] = 0;
    scored[p] = strdup(word);
    callers[p] = strdup(digits + 1);
    if (!scored[p] || !callers[p])
      break;
    p++;
  }
  fclose(in);
  if (p == tables->case_count)
    return true;
  printf("%s does not fit the libraries\n", path);
  return false;
}

static bool spoil(const char *what) {
  uint32_t first = libraries[0].tables->cases[0]->index;
  uint32_t position = (uint32_t)strtoul(what, NULL, 10) - first;
  int argument = atoi(strchr(what, ':') ? strchr(what, ':') + 1 : "0");
  if (position >= libraries[0].tables->case_count)
    return false;
  if (argument >= (int)libraries[0].tables->cases[position]->count)
    return false;
  /* The expected bytes of the callee are spoilt, and what the driver passes is not: the driver
   * takes its values from the first library, so that one must stay as it is for arguments. */
  bool done = false;
  for (int l = 1; l < library_count; l++)
    done |= libraries[l].tables->spoil(position, argument) != 0;
  return done;
}

int main(int argc, char **argv) {
  if (argc < 4 || argc - 3 > MAX_LIBRARIES) {
    fprintf(stderr, "usage: driver SEED SCORED LIBRARY...\n");
    return 2;
  }
  seed = strtol(argv[1], NULL, 10);
  for (int i = 3; i < argc; i++) {
    library *l = &libraries[library_count];
    if (fc_library_open(argv[i], NULL, &opened[library_count]) != FC_OK) {
      printf("fc_library_open: %s\n", fc_error_message());
      return 2;
    }
    if (!library_load(l, argv[i]))
      return 2;
    void *tables = NULL;
    if (fc_library_symbol(opened[library_count], "fcg_this_library", &tables) != FC_OK ||
        tables != (const void *)l->tables) {
      printf("fc_library_symbol found another library than dlsym: %s\n", fc_error_message());
      return 2;
    }
    library_count++;
  }
  const fcg_library *tables = libraries[0].tables;
  if (!read_scored(argv[2], tables))
    return 2;
  if (getenv("FCG_SPOIL") && !spoil(getenv("FCG_SPOIL"))) {
    printf("nothing to spoil at %s\n", getenv("FCG_SPOIL"));
    return 2;
  }
  supervise(tables->case_count, one, crashed);

  uint32_t totals[4] = {0};
  for (uint32_t p = 0; p < tables->case_count; p++)
    totals[shared->verdicts[p]]++;
  const uint64_t *n = shared->counters;
  printf("%llu calls; %llu callbacks; fallback: %llu functions made, %llu unsupported; disputed by "
         "the compilers: "
         "%llu, of which %llu wrong\n",
         (unsigned long long)n[CALLS], (unsigned long long)n[CALLED_BACK],
         (unsigned long long)n[FALLBACKS], (unsigned long long)n[UNSUPPORTED],
         (unsigned long long)n[DISPUTED], (unsigned long long)n[DISPUTED_WRONG]);
  totals[FAILED] += totals[NOT_RUN];
  if (!totals[PASSED] && !totals[FAILED])
    printf("nothing was run\n");
  printf("%u passed, %u failed, %u skipped\n", totals[PASSED], totals[FAILED], totals[SKIPPED]);
  for (int i = 0; i < library_count; i++)
    fc_library_free(opened[i]);
  return totals[FAILED] || !totals[PASSED];
}
