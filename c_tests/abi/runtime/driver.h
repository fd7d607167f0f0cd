/* What the parts of the driver share: driver.c calls callees through farcall, callbacks.c has
 * compiled callers call into farcall. */
#ifndef FCG_DRIVER_H
#define FCG_DRIVER_H
#if __has_include("farcall.h")
#include "farcall.h"
#else
#include "contract.h" /* the contract that farcall.h is compatible with */
#endif
#include "canary.h"
#include "harness.h"

enum {
  CALLS,
  CALLED_BACK,
  UNSUPPORTED,
  FALLBACKS,
  PRINTED,
  DISPUTED,
  DISPUTED_WRONG,
  CASE_FAILURES
};

/* What is being tried, for messages. */
struct trying {
  const fcg_case *c;
  const fcg_images *images;
  const fc_signature *signature;
  const char *path, *library;
  const char *other;      /* what the library is to the path: "callee built by" */
  uint32_t highest_align; /* of values in memory */
  bool disputed;
};
extern struct trying now;

/* The callee libraries; those of gcc alone take part where compilers disagree. */
extern library libraries[MAX_LIBRARIES];
extern int library_count;

bool fail(const char *format, ...);
/* Prints two rows of bytes below a message of fail(), unless enough has been printed. */
void fail_bytes(const unsigned char *expected, const unsigned char *got, const unsigned char *mask,
                size_t size);
/* The word that a value of at most 8 bytes is in a slot, and which of its bits count. */
uint64_t slot_of(const fcg_value *v, const fcg_image *image, uint64_t *significant);

/* `callers` has a character for each library: '1' where its callers call all callees right. */
void run_callbacks(const fc_signature *signature, const char *callers);
#endif
