/* How much a test that repeats itself should do: all of it, or what an emulator gets done. */
#ifndef PACE_H
#define PACE_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* valgrind loads a library of its own into the program in this way. */
static inline bool under_valgrind(void) {
  const char *preloaded = getenv("LD_PRELOAD");
  return preloaded && strstr(preloaded, "vgpreload");
}

/* An emulator of the processor runs the program, as CMake says where it builds for another one. */
static inline bool emulated(void) {
#ifdef EMULATED
  return true;
#else
  return false;
#endif
}

/* The program is built with AddressSanitizer, which keeps freed memory and has a stack for the
 * handlers of each thread. */
static inline bool address_sanitized(void) {
#if defined(__SANITIZE_ADDRESS__)
  return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  return true;
#else
  return false;
#endif
#else
  return false;
#endif
}

/* One of the sanitizers watches the program, which takes memory of its own. */
static inline bool sanitized(void) {
#if defined(__SANITIZE_THREAD__)
  return true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
  return true;
#else
  return address_sanitized();
#endif
#else
  return address_sanitized();
#endif
}

#endif
