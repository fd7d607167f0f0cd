/* Symbols that cannot be had by their names alone, or not at all. */
#include <string.h>

int first(void);
int second(void);
int farcall_hidden(void);
int farcall_plain(void);
int farcall_use_static(void);
int mangled(int a, int b) __asm__("_Z11farcall_addii");
int nested(int a) __asm__("_ZN7farcall5Table4growEi");
extern __thread int farcall_of_thread;

__thread int farcall_of_thread = 5;

int first(void) { return 1; }
int second(void) { return 2; }
__asm__(".symver first, farcall_versioned@FARCALL_1");
__asm__(".symver second, farcall_versioned@@FARCALL_2");

__attribute__((visibility("hidden"))) int farcall_hidden(void) { return 3; }

__attribute__((noinline, used)) static int farcall_static(int by) {
  __asm__ volatile("" : "+r"(by));
  return 4 + by;
}
int farcall_use_static(void) { return farcall_static(1) + farcall_hidden(); }

int farcall_plain(void) { return (int)strlen("plain"); }
int mangled(int a, int b) { return a + b; }
int nested(int a) { return a; }
