/* Lets every compiler call every compiler's callees, so that only signatures on which compilers
 * agree are held against farcall. Writes "index callers scored" or "index callers reason"
 * for each, the reason after the name of the compiler that farcall follows there, if that one at
 * least agrees with itself. `callers` has a character for each library: 1 if its caller of function
 * pointers, which callbacks are to be called by, calls right all callees that it should, 0 if not,
 * - if the signature has none.
 *
 *   cross all-callers|clang-callers OUTPUT LIBRARY...
 *
 * The libraries are in the same order as the driver's. By the second rule compilers agree where
 * clang's callers call all callees right, for then there is a way that is right for all. */
#define _GNU_SOURCE
#include "canary.h"
#include "harness.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

typedef void (*function)(void);

static library libraries[MAX_LIBRARIES];
static int library_count;
static function (*functions)[MAX_LIBRARIES];
static char (*why)[300];
static unsigned char *by_one;   /* the compiler that farcall follows agrees with itself */
static unsigned char *verdicts; /* before callers of function pointers are tried */
static char (*callers)[MAX_LIBRARIES + 1];
static bool clang_suffices;

static bool pair_agrees(uint32_t p, int caller, int callee) {
  const library *from = &libraries[caller], *to = &libraries[callee];
  const fcg_case *c = from->tables->cases[p];
  const fcg_images *images = &to->tables->images[p];
  fcg_report *report = to->tables->report;
  void *arguments[MAX_ARGUMENTS];
  for (uint32_t i = 0; i < c->count; i++)
    arguments[i] = images->params[i].bytes;
  void *ret = result_room(c->result.size, c->result.align < 16 ? 16 : c->result.align);
  memset(report, 0, sizeof *report);
  where("%s calls %s", from->name, to->name);
  c->call(functions[p][callee], ret, arguments);
  const char *fault = result_fault(&images->result, c->result.size);
  if (report->calls == 1 && !report->failures && !fault)
    return true;
  if (getenv("FCG_VERBOSE")) {
    printf("%s: %s calls %s: %s\n%s", c->prototype, from->name, to->name,
           fault ? fault : "arguments", report->text);
    if (fault) {
      print_bytes("expected", images->result.bytes, images->result.mask, c->result.size);
      print_bytes("got     ", ret, images->result.mask, c->result.size);
    }
  }
  return false;
}

static bool is_any(int which) { return which >= 0; }
static bool is_gcc(int which) { return !strncmp(libraries[which].name, "gcc", 3); }
static bool is_clang(int which) { return !is_gcc(which); }

static bool has_reason(const fcg_case *c, const char *reason) {
  const size_t length = strlen(reason);
  for (const char *at = c->reasons; (at = strstr(at, reason)); at += length)
    if (at[length] == ' ' || !at[length])
      return true;
  return false;
}

/* Compilers disagree even where a value is right by luck, or where there is none to be seen. */
static bool surely_disagree(const fcg_case *c) {
  static const char *const reasons[] = {"D11", "D14", "D21", "D23"};
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    if (has_reason(c, reasons[i]))
      return true;
  return false;
}

/* Whom farcall follows where compilers disagree: gcc. D20 is a fault of gcc that version 13 mended:
 * as the psABI, it has no more than the packed alignment. What else is in such a signature cannot
 * be told. */
static const char *followed(const fcg_case *c) {
  if (!has_reason(c, "D20"))
    return "gcc";
  return strcmp(c->reasons, "D20") ? NULL : "clang";
}

/* Whether those callers that are chosen call those callees right. */
static bool all_agree(uint32_t p, bool (*caller)(int which), bool (*callee)(int which)) {
  for (int i = 0; i < library_count; i++)
    for (int j = 0; j < library_count; j++)
      if (caller(i) && callee(j) && !pair_agrees(p, i, j)) {
        snprintf(why[p], sizeof why[p], "%s calls %s", libraries[i].name, libraries[j].name);
        return false;
      }
  return true;
}

/* Whether a caller of a function pointer calls a callee right. */
static bool fixed_caller_agrees(uint32_t p, int caller, int callee) {
  const library *from = &libraries[caller], *to = &libraries[callee];
  fcg_report *report = to->tables->report, *own = from->tables->report;
  memset(report, 0, sizeof *report);
  memset(own, 0, sizeof *own);
  /* clang's callees for System V count on 32 bits. */
  *from->tables->manner = (fcg_manner){.width = 32};
  where("%s calls %s by a pointer", from->name, to->name);
  canary_call((void (*)(void))from->tables->cases[p]->call_fixed,
              (uintptr_t)canary_between(functions[p][callee], clang_suffices), 0, 0);
  const char *fault = canary_between_fault();
  if (!fault)
    fault = canary_fault();
  if (!fault && report->calls == 1 && own->returns == 1 && !report->failures && !own->failures)
    return true;
  if (getenv("FCG_VERBOSE"))
    printf("%s: %s calls %s by a pointer: %s\n%s%s%u calls, %u came back\n",
           from->tables->cases[p]->prototype, from->name, to->name, fault ? fault : "",
           report->text, own == report ? "" : own->text, report->calls, own->returns);
  return false;
}

static void try_fixed_callers(uint32_t p, bool (*is_chosen)(int which)) {
  for (int i = 0; i < library_count; i++) {
    bool good = is_chosen(i);
    for (int j = 0; good && j < library_count; j++)
      good = !is_chosen(j) || fixed_caller_agrees(p, i, j);
    callers[p][i] = good ? '1' : '0';
  }
}

static void one(uint32_t p) {
  memset(callers[p], '0', (size_t)library_count);
  for (int l = 1; l < library_count; l++)
    if (!same_tables(&libraries[0], &libraries[l], p)) {
      snprintf(why[p], sizeof why[p], "layout");
      shared->verdicts[p] = SKIPPED;
      return;
    }
  bool has_fixed = libraries[0].tables->cases[p]->call_fixed;
  if (!has_fixed)
    memset(callers[p], '-', (size_t)library_count);
  const fcg_case *c = libraries[0].tables->cases[p];
  const char *name = followed(c);
  bool (*is_followed)(int) = name && !strcmp(name, "clang") ? is_clang : is_gcc;
  by_one[p] = name && all_agree(p, is_followed, is_followed);
  /* Before calls that may go wrong, and overwrite anything. */
  if (by_one[p] && has_fixed)
    try_fixed_callers(p, is_followed);
  bool agree = clang_suffices && all_agree(p, is_clang, is_any);
  agree = agree || all_agree(p, is_any, is_any);
  if (agree && surely_disagree(c)) {
    snprintf(why[p], sizeof why[p], "unseen");
    agree = false;
  }
  verdicts[p] = shared->verdicts[p] = agree ? PASSED : SKIPPED;
  if (agree && has_fixed)
    try_fixed_callers(p, is_any);
}

static void crashed(uint32_t p, const char *how) {
  if (verdicts[p]) {
    shared->verdicts[p] = verdicts[p];
    if (getenv("FCG_VERBOSE"))
      printf("%s: %s: %s\n", libraries[0].tables->cases[p]->prototype, shared->where, how);
    return;
  }
  snprintf(why[p], sizeof why[p], "%s: %s", shared->where, how);
  shared->verdicts[p] = SKIPPED;
}

int main(int argc, char **argv) {
  if (argc < 4 || argc - 3 > MAX_LIBRARIES) {
    fprintf(stderr, "usage: cross all-callers|clang-callers OUTPUT LIBRARY...\n");
    return 2;
  }
  clang_suffices = !strcmp(argv[1], "clang-callers");
  for (int i = 3; i < argc; i++)
    if (!library_load(&libraries[library_count++], argv[i]))
      return 2;
  uint32_t count = libraries[0].tables->case_count;
  functions = calloc(count, sizeof *functions);
  why = mmap(NULL, count * (sizeof *why + sizeof *callers + 2), PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (!functions || why == MAP_FAILED)
    return 2;
  callers = (void *)(why + count);
  by_one = (unsigned char *)(callers + count);
  verdicts = by_one + count;
  for (uint32_t p = 0; p < count; p++)
    for (int l = 0; l < library_count; l++) {
      functions[p][l] = (function)dlsym(libraries[l].handle, libraries[0].tables->cases[p]->name);
      if (!functions[p][l]) {
        printf("%s lacks %s\n", libraries[l].path, libraries[0].tables->cases[p]->name);
        return 2;
      }
    }
  supervise(count, one, crashed);
  FILE *out = fopen(argv[2], "w");
  if (!out) {
    perror(argv[2]);
    return 2;
  }
  uint32_t scored = 0;
  for (uint32_t p = 0; p < count; p++) {
    const fcg_case *c = libraries[0].tables->cases[p];
    if (shared->verdicts[p] == PASSED) {
      scored++;
      fprintf(out, "%u %s scored\n", c->index, callers[p]);
      continue;
    }
    /* The first listed reason that the signature could have; the generator names them. */
    char reason[32];
    if (!strcmp(why[p], "layout"))
      snprintf(reason, sizeof reason, "layout");
    else
      snprintf(reason, sizeof reason, "%.*s", (int)strcspn(c->reasons, " "), c->reasons);
    if (!reason[0])
      snprintf(reason, sizeof reason, "unknown");
    fprintf(out, "%u %s %s%s%s (%s) %s\n", c->index, callers[p], by_one[p] ? followed(c) : "",
            by_one[p] ? " " : "", reason, why[p], c->prototype);
  }
  fclose(out);
  printf("%u of %u signatures agree between compilers\n", scored, count);
  return scored ? 0 : 1;
}
