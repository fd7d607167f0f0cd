/* Clocks and statistics. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H
#include <stddef.h>
#include <stdint.h>

/* This thread's processor time: unlike the wall's it does not run while others have the core. */
double timing_cpu_ns(void);

/* For single events, too short for a system call around each. Processors that cannot be asked
 * cheaply give the monotonic clock. */
uint64_t timing_ticks(void);
double timing_ticks_to_ns(uint64_t ticks);
void timing_calibrate(void);

/* Sorts the samples. */
double timing_median(double *samples, size_t count);
double timing_mean(const double *samples, size_t count);

/* Bytes of this process that are in memory now. */
size_t timing_resident_bytes(void);

#endif
