/* Tells which of two libraries it is, leaves a mark when it is loaded, and counts. */
#include <stdlib.h>

int farcall_which(void);
int farcall_next(void);
extern int farcall_count;

int farcall_count = 0;

int farcall_which(void) { return WHICH; }

int farcall_next(void) { return ++farcall_count; }

__attribute__((constructor)) static void leave_mark(void) {
  setenv(WHICH == 1 ? "FARCALL_ONE_WAS_LOADED" : "FARCALL_TWO_WAS_LOADED", "yes", 1);
}
