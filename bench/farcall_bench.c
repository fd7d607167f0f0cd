/* The benchmark: opens the contestants, checks that each gives the right results, times all of
 * them round-robin, and prints tables, the costs of binding, and the goals. */
#include "bench.h"
#include "results.h"
#include "timing.h"
#include <dlfcn.h>
#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS_MAX 201

static struct bench_cell cells[BENCH_ROWS_MAX][BENCH_COLUMN_COUNT];
static struct bench_results results;

struct options {
  size_t rounds;
  double cell_ms; /* how long a cell is measured in each round */
  const char *csv;
};

/* Shared objects beside the program; which of them exist was decided when it was built. */
static const struct {
  const char *file, *missing;
} contestants[] = {
    {"contestant_farcall.so", "farcall (no libfarcall.so in LIB_DIR)"},
    {"contestant_farcall_static.so", "farcall without new code (no libfarcall.a in LIB_DIR)"},
    {"contestant_libffi.so", "libffi (Debian: libffi-dev)"},
    {"contestant_libffi_newer.so", "a newer libffi (bench/peers.sh)"},
    {"contestant_avcall.so", "GNU libffcall (Debian: libffcall-dev)"},
    {"contestant_dyncall.so", "dyncall (bench/peers.sh)"},
};
#define CONTESTANTS (sizeof contestants / sizeof *contestants)

static const struct bench_contestant *open_contestant(const char *folder, const char *file) {
  char path[PATH_MAX + 64];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  if (access(path, R_OK) != 0) {
    return NULL;
  }
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *symbol = object == NULL ? NULL : dlsym(object, "bench_contestant");
  if (symbol == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return NULL;
  }
  bench_open open_it;
  memcpy(&open_it, &symbol, sizeof open_it);
  return open_it(&bench_loops);
}

/* The compiler's own call is the judge. A contestant that promises to write no more than the
 * result is held to that too. */
static bool gives_right_result(struct bench_cell *cell, size_t row) {
  bool is_called = cell->row->part == BENCH_CALLS;
  const struct bench_cell *judge = &cells[row][is_called ? BENCH_DIRECT : BENCH_FUNCTION_POINTER];
  size_t size = cell->row->result_size;
  for (size_t copy = 0; copy < BENCH_COPIES; copy++) {
    memset(cell->result, 0xA5, sizeof cell->result);
    memset(&cell->slot_result, 0xA5, sizeof cell->slot_result);
    cell->run(cell, copy, 1);
    if (memcmp(cell->result, judge->result, size) != 0) {
      return false;
    }
    for (size_t i = size; cell->exact && i < sizeof cell->result; i++) {
      if (cell->result[i] != 0xA5) {
        return false;
      }
    }
  }
  return true;
}

static void enter(const struct bench_contestant *contestant) {
  for (size_t i = 0; i < contestant->column_count; i++) {
    const struct bench_column *column = &contestant->columns[i];
    results.present[column->id] = true;
    for (size_t row = 0; row < bench_row_count; row++) {
      struct bench_cell *cell = &cells[row][column->id];
      struct bench_result *result = &results.cells[row][column->id];
      if (!bench_belongs(column->id, bench_rows[row].part)) {
        continue;
      }
      memset(cell, 0, sizeof *cell);
      cell->row = &bench_rows[row];
      if (!column->prepare(cell)) {
        result->outcome = BENCH_ABSENT;
      } else if (column->id == BENCH_DIRECT || column->id == BENCH_FUNCTION_POINTER) {
        cell->run(cell, 0, 1);
        result->outcome = BENCH_TIMED;
      } else {
        result->outcome = gives_right_result(cell, row) ? BENCH_TIMED : BENCH_WRONG;
      }
    }
  }
}

static double time_cell(struct bench_cell *cell, size_t copy, size_t calls) {
  double start = timing_cpu_ns();
  cell->run(cell, copy, calls);
  return (timing_cpu_ns() - start) / (double)calls;
}

/* Every cell once in each round, so that whatever disturbs the machine disturbs all alike. */
static void measure(const struct options *options) {
  static double samples[BENCH_ROWS_MAX][BENCH_COLUMN_COUNT][ROUNDS_MAX];
  static size_t calls[BENCH_ROWS_MAX][BENCH_COLUMN_COUNT];
  for (size_t round = 0; round <= options->rounds; round++) {
    for (size_t row = 0; row < bench_row_count; row++) {
      for (size_t column = 0; column < BENCH_COLUMN_COUNT; column++) {
        struct bench_cell *cell = &cells[row][column];
        if (results.cells[row][column].outcome != BENCH_TIMED) {
          continue;
        }
        if (round == 0) { /* warms up, and finds how many calls fill the time */
          double ns = time_cell(cell, 0, 10000);
          calls[row][column] = (size_t)(options->cell_ms * 1e6 / (ns < 0.5 ? 0.5 : ns)) + 1;
        } else {
          samples[row][column][round - 1] =
              time_cell(cell, round % BENCH_COPIES, calls[row][column]);
        }
      }
    }
  }
  for (size_t row = 0; row < bench_row_count; row++) {
    for (size_t column = 0; column < BENCH_COLUMN_COUNT; column++) {
      struct bench_result *result = &results.cells[row][column];
      result->median_ns = timing_median(samples[row][column], options->rounds);
      result->best_ns = samples[row][column][0];
    }
  }
}

static struct options parse_options(int argc, char **argv) {
  static const struct option names[] = {{"csv", required_argument, NULL, 'c'},
                                        {"rounds", required_argument, NULL, 'r'},
                                        {"ms", required_argument, NULL, 'm'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  struct options options = {.rounds = 16, .cell_ms = 4, .csv = NULL};
  int option;
  while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
    switch (option) {
    case 'c':
      options.csv = optarg;
      break;
    case 'r':
      options.rounds = strtoul(optarg, NULL, 10);
      break;
    case 'm':
      options.cell_ms = strtod(optarg, NULL);
      break;
    default:
      printf("farcall_bench [--csv FILE] [--rounds 9..%d] [--ms PER_CELL_AND_ROUND]\n", ROUNDS_MAX);
      exit(option == 'h' ? 0 : 2);
    }
  }
  if (options.rounds < 9 || options.rounds > ROUNDS_MAX || !(options.cell_ms > 0)) {
    fprintf(stderr, "rounds: 9 to %d; ms: more than 0\n", ROUNDS_MAX);
    exit(2);
  }
  return options;
}

int main(int argc, char **argv) {
  struct options options = parse_options(argc, argv);
  char program[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length < 0 || bench_row_count > BENCH_ROWS_MAX) {
    return 1;
  }
  program[length] = 0;
  const char *folder = dirname(program);

  FILE *csv = NULL;
  if (options.csv != NULL) {
    csv = fopen(options.csv, "w");
    if (csv == NULL) {
      perror(options.csv);
      return 1;
    }
    fprintf(csv, "what,name,unit,value\n");
  }

  bench_rows_prepare();
  enter(bench_direct());
  if (bench_assembly() != NULL) {
    enter(bench_assembly());
  }
  if (bench_thunks() != NULL) {
    enter(bench_thunks());
  }
  results.binding.new_signature_ns = results.binding.known_signature_ns = -1;
  results.binding.declaration_ns = -1;
  results.binding.live_callback_ns = results.binding.live_callback_bytes = -1;
  void (*binding)(FILE *, FILE *, struct bench_binding *) = NULL;
  printf("farcall benchmark: %zu rounds of %g ms a cell, CPU time of one thread\n", options.rounds,
         options.cell_ms);
  for (size_t i = 0; i < CONTESTANTS; i++) {
    const struct bench_contestant *contestant = open_contestant(folder, contestants[i].file);
    if (contestant == NULL) {
      printf("  left out: %s\n", contestants[i].missing);
      continue;
    }
    printf("  %s %s\n", contestant->name, contestant->version);
    enter(contestant);
    if (contestant->binding != NULL) {
      binding = contestant->binding;
    }
  }
  if (!results.present[BENCH_LIBFFI_PLAN]) {
    printf("  left out: libffi's call plans (from libffi 3.7 on)\n");
  }
  fflush(stdout);

  measure(&options);
  bench_print_tables(&results, stdout);
  if (csv != NULL) {
    bench_write_csv(&results, csv);
  }
  fflush(stdout);
  if (binding != NULL) {
    binding(stdout, csv, &results.binding);
  }
  bench_check_goals(&results, stdout);
  if (csv != NULL && fclose(csv) != 0) {
    perror(options.csv);
    return 1;
  }
  return 0;
}
