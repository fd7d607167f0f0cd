/* Lets every compiler call every compiler's callees, so that only signatures on which compilers
 * agree are held against farcall. Writes "index scored" or "index reason" for each,
 * the reason after "gcc" if gcc at least agrees with itself.
 *
 *   cross all-callers|clang-callers OUTPUT LIBRARY...
 *
 * The libraries are in the same order as the driver's. By the second rule compilers agree where
 * clang's callers call all callees right, for then there is a way that is right for all. */
#define _GNU_SOURCE
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
static unsigned char *by_gcc; /* gcc agrees with itself */
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

static void one(uint32_t p) {
  for (int l = 1; l < library_count; l++)
    if (!same_tables(&libraries[0], &libraries[l], p)) {
      snprintf(why[p], sizeof why[p], "layout");
      shared->verdicts[p] = SKIPPED;
      return;
    }
  by_gcc[p] = all_agree(p, is_gcc, is_gcc);
  bool agree = clang_suffices && all_agree(p, is_clang, is_any);
  agree = agree || all_agree(p, is_any, is_any);
  shared->verdicts[p] = agree ? PASSED : SKIPPED;
}

static void crashed(uint32_t p, const char *how) {
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
  why = mmap(NULL, count * (sizeof *why + 1), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
             -1, 0);
  if (!functions || why == MAP_FAILED)
    return 2;
  by_gcc = (unsigned char *)(why + count);
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
      fprintf(out, "%u scored\n", c->index);
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
    fprintf(out, "%u %s%s (%s) %s\n", c->index, by_gcc[p] ? "gcc " : "", reason, why[p],
            c->prototype);
  }
  fclose(out);
  printf("%u of %u signatures agree between compilers\n", scored, count);
  return scored ? 0 : 1;
}
