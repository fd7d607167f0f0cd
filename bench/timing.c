#include "timing.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double clock_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

double timing_cpu_ns(void) { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

static double ns_per_tick = 1;
static uint64_t empty_ticks;

uint64_t timing_ticks(void) {
#ifdef __x86_64__
  /* The fences keep what is measured between its two readings. */
  __builtin_ia32_lfence();
  uint64_t ticks = __builtin_ia32_rdtsc();
  __builtin_ia32_lfence();
  return ticks;
#else
  return (uint64_t)clock_ns(CLOCK_MONOTONIC);
#endif
}

double timing_ticks_to_ns(uint64_t ticks) {
  return ticks <= empty_ticks ? 0 : (double)(ticks - empty_ticks) * ns_per_tick;
}

void timing_calibrate(void) {
  double start_ns = clock_ns(CLOCK_MONOTONIC), elapsed_ns;
  uint64_t start = timing_ticks();
  do {
    elapsed_ns = clock_ns(CLOCK_MONOTONIC) - start_ns;
  } while (elapsed_ns < 20e6);
  ns_per_tick = elapsed_ns / (double)(timing_ticks() - start);

  empty_ticks = UINT64_MAX;
  for (int i = 0; i < 1000; i++) {
    uint64_t before = timing_ticks(), empty = timing_ticks() - before;
    if (empty < empty_ticks) {
      empty_ticks = empty;
    }
  }
}

static int compare(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

double timing_median(double *samples, size_t count) {
  if (count == 0) {
    return 0;
  }
  qsort(samples, count, sizeof *samples, compare);
  return (samples[(count - 1) / 2] + samples[count / 2]) / 2;
}

double timing_mean(const double *samples, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum += samples[i];
  }
  return count == 0 ? 0 : sum / (double)count;
}

size_t timing_resident_bytes(void) {
  unsigned long total, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file != NULL) {
    if (fscanf(file, "%lu %lu", &total, &resident) != 2) {
      resident = 0;
    }
    fclose(file);
  }
  return resident * (size_t)sysconf(_SC_PAGESIZE);
}
