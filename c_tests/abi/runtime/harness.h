/* What cross.c and driver.c share: the callee libraries, memory that shows over-reads, results
 * that show over-writes, and a child process whose death is put down to the case it was in. */
#ifndef FCG_HARNESS_H
#define FCG_HARNESS_H
#include "library.h"
#include <stdbool.h>

enum { MAX_LIBRARIES = 8, MAX_ARGUMENTS = 128 };

typedef struct library {
  const char *path;
  char name[64]; /* "gcc-O2" */
  void *handle;
  const fcg_library *tables;
} library;

bool library_load(library *l, const char *path); /* prints why not */
/* True if both were compiled to the same layout and hold the same values. */
bool same_tables(const library *a, const library *b, uint32_t position);

/* ------------------------------------------------------------- memory */
/* A copy of the bytes that ends `slack` bytes before a page that cannot be read. Each place is
 * reused by the next call with its number. */
void *place(unsigned number, const void *bytes, size_t size, size_t slack);

/* Room for a result between two rows of known bytes, aligned to `align` and to no more. */
void *result_room(size_t size, size_t align);
const unsigned char *result_bytes(void);
/* NULL, or what is wrong: bytes written outside, or not those expected under the mask. */
const char *result_fault(const fcg_image *expected, size_t size);

bool bytes_differ(const unsigned char *a, const unsigned char *b, const unsigned char *mask,
                  size_t size);
void print_bytes(const char *label, const unsigned char *bytes, const unsigned char *mask,
                 size_t size);

/* -------------------------------------------------------- supervision */
enum verdict { NOT_RUN, PASSED, FAILED, SKIPPED };
enum { COUNTERS = 16 };

typedef struct state { /* shared with the child */
  uint32_t position;
  char where[200]; /* what is being done, for the message after a crash */
  uint64_t counters[COUNTERS];
  unsigned char *verdicts; /* one a case */
} state;

extern state *shared;
void where(const char *format, ...);
/* Runs one(position) for every position in a child process. A crash or a hang (20 s) fails the
 * case that it happened in, is reported by crashed(), and the rest goes on in a new child. */
void supervise(uint32_t count, void (*one)(uint32_t position),
               void (*crashed)(uint32_t position, const char *how));
#endif
