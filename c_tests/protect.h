/* Functions that crash, and how tests of protected calls make and call functions. */
#ifndef PROTECT_H
#define PROTECT_H

#include "harness.h"
#include "pace.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __cplusplus
#define EXPORTED extern "C" __attribute__((noinline, visibility("default"), unused))
#else
#define EXPORTED __attribute__((noinline, visibility("default"), unused))
#endif

EXPORTED void poke(int *address);
EXPORTED void poke(int *address) { *(volatile int *)address = 1; }

EXPORTED int peek(const int *address);
EXPORTED int peek(const int *address) { return *(const volatile int *)address; }

static inline fc_function *function_at(const char *prototype, void *address, uint32_t flags) {
  fc_function_options options;
  fc_signature *signature = NULL;
  fc_function *function = NULL;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.flags = flags;
  CHECK_STATUS(FC_OK, fc_signature_parse(NULL, prototype, &signature));
  CHECK_STATUS(FC_OK, fc_function_new(signature, address, &options, &function));
  fc_signature_free(signature);
  return function;
}

#define PROTECTED(prototype, function) function_at(prototype, ADDRESS_OF(function), FC_PROTECT)

/* A call with one pointer. */
static inline fc_status call_with(const fc_function *function, void *result, const void *pointer) {
  void *args[] = {&pointer};
  return fc_invoke_checked(function, result, args);
}

/* How a child that runs this ends: its exit status, or 1000 and the number of its signal. */
__attribute__((noinline, unused)) static int child_ends(int (*run)(void)) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(run());
  }
  int status = 0;
  CHECK_INT(child, waitpid(child, &status, 0));
  return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

enum { BY_SIGNAL = 1000 };

/* In a child: a crash at this address that no protected call catches ends it in a way of its own. A
 * call that went on at a point that is over would end it in another. */
static void *const UNPROTECTED = (void *)(uintptr_t)0x6660;
enum { UNPROTECTED_ENDS = 66 };

static inline void end_unprotected(int number, siginfo_t *info, void *context) {
  (void)number, (void)context;
  _exit(info->si_addr == UNPROTECTED ? UNPROTECTED_ENDS : 1);
}

static inline void expect_unprotected(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = end_unprotected;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, NULL);
}

#endif
