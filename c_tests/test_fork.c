/* A child of a process with threads has the forking thread only. It must not find a lock taken by
 * one that it does not have. */
#include "harness.h"
#include "pace.h"
#include <farcall.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int sum(int a, int b) { return a + b; }

static atomic_bool stop;

/* Prototypes that differ in how their arguments travel, so that each needs code of its own. */
static bool bind_and_call(unsigned number) {
  static const char *const types[] = {"int", "double", "short", "float", "char", "long"};
  char prototype[128];
  snprintf(prototype, sizeof prototype, "int f(int, int, %s, %s, %s, %s)", types[number % 6],
           types[number / 6 % 6], types[number / 36 % 6], types[number / 216 % 6]);
  fc_signature *signature = NULL;
  fc_function *function = NULL;
  if (fc_signature_parse(NULL, prototype, &signature) != FC_OK ||
      fc_function_new(signature, FC_AS_ADDRESS(sum), NULL, &function) != FC_OK)
    return false;
  int a = 40, b = 2, result = 0;
  double zero = 0;
  void *args[] = {&a, &b, &zero, &zero, &zero, &zero};
  fc_entry entry = fc_function_entry(function);
  if (entry)
    entry(&result, args);
  fc_function_free(function);
  fc_signature_free(signature);
  return result == 42;
}

static void *bind_until_stopped(void *start) {
  for (unsigned number = *(unsigned *)start; !atomic_load(&stop); number += 4)
    if (!bind_and_call(number))
      return start;
  return NULL;
}

static void children_of_busy_parents_bind_and_call(void) {
  pthread_t threads[4];
  unsigned starts[4] = {0, 1, 2, 3};
  for (int i = 0; i < 4; i++)
    CHECK_INT(0, pthread_create(&threads[i], NULL, bind_until_stopped, &starts[i]));
  for (unsigned round = 0; round < 100; round++) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      /* A child that hangs is ended by the alarm. */
      alarm(20);
      bool good = true;
      for (unsigned number = 0; number < 20; number++)
        good = bind_and_call(round * 7 + number) && good;
      _exit(good ? 0 : 1);
    }
    int status = -1;
    CHECK_INT(child, waitpid(child, &status, 0));
    CHECK(WIFEXITED(status));
    CHECK_INT(0, WEXITSTATUS(status));
  }
  atomic_store(&stop, true);
  for (int i = 0; i < 4; i++) {
    void *failed = NULL;
    pthread_join(threads[i], &failed);
    CHECK(failed == NULL);
  }
}

static void what_was_bound_before_a_fork_works_after_it(void) {
  fc_signature *signature = NULL;
  fc_function *function = NULL;
  CHECK_STATUS(FC_OK, fc_signature_parse(NULL, "int sum(int, int)", &signature));
  CHECK_STATUS(FC_OK, fc_function_new(signature, FC_AS_ADDRESS(sum), NULL, &function));
  fc_entry entry = fc_function_entry(function);
  int a = 40, b = 2;
  void *args[] = {&a, &b};
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    int by_entry = 0, by_invoke = 0;
    entry(&by_entry, args);
    fc_invoke(function, &by_invoke, args);
    /* What the child frees and makes is its own: the parent goes on with its code. */
    fc_function_free(function);
    for (unsigned number = 0; number < 200; number++)
      if (!bind_and_call(number))
        _exit(2);
    _exit(by_entry == 42 && by_invoke == 42 ? 0 : 1);
  }
  int status = -1;
  CHECK_INT(child, waitpid(child, &status, 0));
  CHECK(WIFEXITED(status));
  CHECK_INT(0, WEXITSTATUS(status));
  int result = 0;
  entry(&result, args);
  CHECK_INT(42, result);
  fc_function_free(function);
  fc_signature_free(signature);
}

int main(void) {
  RUN(what_was_bound_before_a_fork_works_after_it);
  /* valgrind takes what the parent's other threads hold for leaks of the child. */
  if (!under_valgrind())
    RUN(children_of_busy_parents_bind_and_call);
  return harness_end();
}
