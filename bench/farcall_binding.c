/* What it costs to get from C text to something callable: for a signature that was never seen,
 * for a known one, with the symbol's lookup and without; to make entries; and what ten thousand
 * functions take in time and memory. */
#include "farcall_parts.h"
#include "rows.h"
#include "timing.h"
#include <dlfcn.h>
#include <string.h>

#define PROTOTYPES 500
#define MANY 10000

/* Until the contract has it, the harness asks for it by name. */
typedef struct code_stats {
  size_t size;
  size_t stubs, stub_bytes, entries, entry_bytes, mapped_bytes;
} code_stats;

static FILE *table, *csv_file;

static void report(const char *what, double value, const char *unit) {
  fprintf(table, "  %-62s %10.1f %s\n", what, value, unit);
  if (csv_file != NULL) {
    fprintf(csv_file, "binding,\"%s\",%s,%.2f\n", what, unit, value);
  }
}

static void report_times(const char *what, double *samples, size_t count) {
  double mean = timing_mean(samples, count), median = timing_median(samples, count);
  fprintf(table, "  %-62s %10.1f ns median %10.1f ns mean\n", what, median, mean);
  if (csv_file != NULL) {
    fprintf(csv_file, "binding,\"%s\",ns median,%.2f\n", what, median);
    fprintf(csv_file, "binding,\"%s\",ns mean,%.2f\n", what, mean);
  }
}

/* The index-th prototype of a series; no two of all series have the same signature. Each has
 * four parameters, the digits of its series and index in base ten. */
static const char *prototype(unsigned series, unsigned index) {
  static const char *const types[] = {"int",      "long",          "double",         "float",
                                      "char",     "unsigned char", "unsigned short", "short",
                                      "unsigned", "void *"};
  static char text[160];
  snprintf(text, sizeof text, "double bench_f64_two(%s a, %s b, %s c, %s d)", types[series],
           types[index / 100 % 10], types[index / 10 % 10], types[index % 10]);
  return text;
}

/* Never called: any address will do. */
static void *address(size_t index) { return (char *)FC_AS_ADDRESS(bench_f64_two) + index; }

static double bind_by_address(const char *text, void *target, fc_function **out) {
  fc_signature *signature;
  uint64_t start = timing_ticks();
  fc_status parsed = fc_signature_parse(NULL, text, &signature);
  fc_status made = parsed == FC_OK ? fc_function_new(signature, target, NULL, out) : parsed;
  uint64_t end = timing_ticks();
  farcall_must(made, text);
  fc_signature_free(signature);
  return timing_ticks_to_ns(end - start);
}

static double bind_by_name(const fc_library *library, const char *text, fc_function **out) {
  uint64_t start = timing_ticks();
  fc_status status = fc_bind(library, NULL, text, NULL, out);
  uint64_t end = timing_ticks();
  farcall_must(status, text);
  return timing_ticks_to_ns(end - start);
}

static void measure_addresses(struct bench_binding *binding) {
  static double samples[PROTOTYPES];
  static fc_function *functions[PROTOTYPES];
  fc_function *again;
  fc_signature *held;

  for (unsigned i = 0; i < PROTOTYPES; i++) {
    samples[i] = bind_by_address(prototype(0, i), address(0), &functions[i]);
  }
  report_times("new signature: parse + fc_function_new", samples, PROTOTYPES);
  binding->new_signature_ns = timing_median(samples, PROTOTYPES);

  for (unsigned i = 0; i < PROTOTYPES; i++) {
    samples[i] = bind_by_address(prototype(0, i), address(0), &again);
    fc_function_free(again);
  }
  report_times("known signature, same address: parse + fc_function_new", samples, PROTOTYPES);

  for (unsigned i = 0; i < PROTOTYPES; i++) {
    samples[i] = bind_by_address(prototype(0, i), address(1 + i), &again);
    fc_function_free(again);
  }
  report_times("known signature, new address: parse + fc_function_new", samples, PROTOTYPES);
  binding->known_signature_ns = timing_median(samples, PROTOTYPES);

  farcall_must(fc_signature_parse(NULL, prototype(0, 0), &held), "fc_signature_parse");
  for (unsigned i = 0; i < PROTOTYPES; i++) {
    uint64_t start = timing_ticks();
    fc_status status = fc_function_new(held, address(1000 + i), NULL, &again);
    samples[i] = timing_ticks_to_ns(timing_ticks() - start);
    farcall_must(status, "fc_function_new");
    fc_function_free(again);
  }
  report_times("signature at hand, new address: fc_function_new alone", samples, PROTOTYPES);
  fc_signature_free(held);

  for (unsigned i = 0; i < PROTOTYPES; i++) {
    uint64_t start = timing_ticks();
    fc_entry entry = fc_function_entry(functions[i]);
    samples[i] = timing_ticks_to_ns(timing_ticks() - start);
    farcall_must(entry == NULL ? FC_ERR_INTERNAL : FC_OK, "fc_function_entry");
  }
  report_times("making an entry: first fc_function_entry", samples, PROTOTYPES);
  for (unsigned i = 0; i < PROTOTYPES; i++) {
    uint64_t start = timing_ticks();
    fc_slot_entry entry = fc_function_slot_entry(functions[i]);
    samples[i] = timing_ticks_to_ns(timing_ticks() - start);
    farcall_must(entry == NULL ? FC_ERR_INTERNAL : FC_OK, "fc_function_slot_entry");
  }
  report_times("making a slot entry: first fc_function_slot_entry", samples, PROTOTYPES);
  for (unsigned i = 0; i < PROTOTYPES; i++) {
    fc_function_free(functions[i]);
  }
}

static void measure_names(void) {
  static double samples[PROTOTYPES];
  static fc_function *functions[PROTOTYPES];
  fc_function *again;
  fc_library *library;
  Dl_info info;
  if (dladdr(FC_AS_ADDRESS(bench_f64_two), &info) == 0) {
    return;
  }
  farcall_must(fc_library_open(info.dli_fname, NULL, &library), info.dli_fname);
  for (unsigned i = 0; i < PROTOTYPES; i++) {
    samples[i] = bind_by_name(library, prototype(1, i), &functions[i]);
  }
  report_times("new signature, symbol looked up: fc_bind", samples, PROTOTYPES);
  for (unsigned i = 0; i < PROTOTYPES; i++) {
    samples[i] = bind_by_name(library, prototype(1, i), &again);
    fc_function_free(again);
  }
  report_times("known signature, symbol looked up: fc_bind", samples, PROTOTYPES);
  for (unsigned i = 0; i < PROTOTYPES; i++) {
    fc_function_free(functions[i]);
  }
  fc_library_free(library);
}

static void measure_code(void) {
  fc_status (*statistics)(code_stats *out);
  void *symbol = dlsym(RTLD_DEFAULT, "fc_code_statistics");
  if (symbol == NULL) {
    fprintf(table, "  code sizes: this library has no fc_code_statistics\n");
    return;
  }
  memcpy(&statistics, &symbol, sizeof statistics);
  code_stats stats = {.size = sizeof stats};
  farcall_must(statistics(&stats), "fc_code_statistics");
  report("code: stubs", (double)stats.stubs, "");
  report("code: bytes of a stub, on average",
         stats.stubs == 0 ? 0 : (double)stats.stub_bytes / (double)stats.stubs, "bytes");
  report("code: entries", (double)stats.entries, "");
  report("code: bytes of an entry, on average",
         stats.entries == 0 ? 0 : (double)stats.entry_bytes / (double)stats.entries, "bytes");
  report("code: mapped", (double)stats.mapped_bytes / 1024, "KiB");
}

/* A large program: ten thousand functions of a hundred signatures. */
static void measure_many(void) {
  static fc_function *functions[MANY];
  size_t resident = timing_resident_bytes();
  uint64_t start = timing_ticks();
  for (unsigned i = 0; i < MANY; i++) {
    fc_signature *signature;
    farcall_must(fc_signature_parse(NULL, prototype(2, i % 100), &signature), "parse");
    farcall_must(fc_function_new(signature, address(i), NULL, &functions[i]), "fc_function_new");
    fc_signature_free(signature);
  }
  double bound_ns = timing_ticks_to_ns(timing_ticks() - start);
  size_t bound = timing_resident_bytes();
  start = timing_ticks();
  for (unsigned i = 0; i < MANY; i++) {
    farcall_must(fc_function_entry(functions[i]) == NULL ? FC_ERR_INTERNAL : FC_OK, "entry");
  }
  double entries_ns = timing_ticks_to_ns(timing_ticks() - start);
  size_t entered = timing_resident_bytes();

  report("10,000 functions of 100 signatures bound: in all", bound_ns / 1e6, "ms");
  report("... each", bound_ns / MANY, "ns");
  report("... resident memory, each", ((double)bound - (double)resident) / MANY, "bytes");
  report("... an entry for each of them: each", entries_ns / MANY, "ns");
  report("... resident memory more for its entry, each", ((double)entered - (double)bound) / MANY,
         "bytes");
  measure_code();
  start = timing_ticks();
  for (unsigned i = 0; i < MANY; i++) {
    fc_function_free(functions[i]);
  }
  report("10,000 functions freed: each", timing_ticks_to_ns(timing_ticks() - start) / MANY, "ns");
}

void farcall_binding(FILE *out, FILE *csv, struct bench_binding *binding) {
  table = out;
  csv_file = csv;
  timing_calibrate();
  fprintf(out, "\nBinding (farcall)\n");
  measure_addresses(binding);
  measure_names();
  measure_many();
}

void farcall_costs(FILE *out, FILE *csv, struct bench_binding *binding) {
  farcall_parsing(out, csv, binding);
  farcall_binding(out, csv, binding);
  farcall_live_callbacks(out, csv, binding);
}
