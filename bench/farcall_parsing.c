/* What it costs to read a header: sqlite3.h, preprocessed. */
#include "farcall_parts.h"
#include "timing.h"
#include <stdlib.h>

#define TIMES 201

/* The whole file with a NUL behind it, which the caller frees; NULL if there is none. */
static char *read_text(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return NULL;
  }
  size_t room = 16 << 20;
  char *text = malloc(room);
  if (text != NULL) {
    text[fread(text, 1, room - 1, file)] = 0;
  }
  fclose(file);
  return text;
}

void farcall_parsing(FILE *out, FILE *csv, struct bench_binding *binding) {
  static double samples[TIMES];
  char *text = read_text(BENCH_HEADER_TEXT);
  size_t count = 0;
  if (text == NULL) {
    fprintf(out, "\nParsing (farcall): no sqlite3.h here (Debian: libsqlite3-dev)\n");
    return;
  }
  timing_calibrate();
  for (unsigned i = 0; i < TIMES; i++) {
    fc_decls *decls;
    farcall_must(fc_decls_new(&decls), "fc_decls_new");
    uint64_t start = timing_ticks();
    fc_status status = fc_decls_add(decls, text);
    samples[i] = timing_ticks_to_ns(timing_ticks() - start);
    farcall_must(status, "sqlite3.h");
    count = fc_decls_count(decls);
    fc_decls_free(decls);
  }
  free(text);
  if (count == 0) {
    return;
  }
  double all = timing_median(samples, TIMES);
  binding->declaration_ns = all / (double)count;
  fprintf(out, "\nParsing (farcall)\n  %-62s %10.1f ns median\n",
          "a declaration of sqlite3.h: fc_decls_add", binding->declaration_ns);
  fprintf(out, "  %-62s %10.1f us median, %zu declarations\n", "... all of it", all / 1e3, count);
  if (csv != NULL) {
    fprintf(csv, "parsing,\"a declaration of sqlite3.h\",ns median,%.2f\n",
            binding->declaration_ns);
  }
}
