/* A child of a process with threads has the forking thread only. It must not find a lock taken by
 * one that it does not have. */
#include "harness.h"
#include "pace.h"
#include <farcall.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
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

static int zero(void) { return 0; }
static int one(void) { return 1; }
static int two(void) { return 2; }
static int three(void) { return 3; }

enum { MANY = 200 };

/* Functions with entries of their own, in which their targets' addresses are. */
typedef struct many {
  fc_function *functions[MANY];
  fc_entry entries[MANY];
  int first;
} many;

static int expected_of(const many *all, int index) { return (all->first + index) % 4; }

static bool make_many(many *all, int first) {
  int (*const targets[])(void) = {zero, one, two, three};
  fc_signature *signature = NULL;
  bool good = fc_signature_parse(NULL, "int f(void)", &signature) == FC_OK;
  all->first = first;
  for (int i = 0; i < MANY && good; i++) {
    void *target = FC_AS_ADDRESS(targets[expected_of(all, i)]);
    good = fc_function_new(signature, target, NULL, &all->functions[i]) == FC_OK;
    all->entries[i] = good ? fc_function_entry(all->functions[i]) : NULL;
  }
  fc_signature_free(signature);
  return good;
}

static bool call_many(const many *all) {
  bool good = true;
  for (int i = 0; i < MANY; i++) {
    int by_entry = -1, by_invoke = -1;
    if (all->entries[i])
      all->entries[i](&by_entry, NULL);
    else
      good = good && !makes_stubs();
    fc_invoke(all->functions[i], &by_invoke, NULL);
    good = good && by_invoke == expected_of(all, i) && (by_entry == by_invoke || !all->entries[i]);
  }
  return good;
}

static void free_many(many *all) {
  for (int i = 0; i < MANY; i++)
    fc_function_free(all->functions[i]);
}

/* Frees them and makes others, which get the same memory. */
static bool replace_many(many *all) {
  const int first = all->first + 1;
  free_many(all);
  return make_many(all, first) && call_many(all);
}

static void expect_good_end(pid_t child) {
  int status = -1;
  CHECK_INT(child, waitpid(child, &status, 0));
  CHECK(WIFEXITED(status));
  CHECK_INT(0, WEXITSTATUS(status));
}

static void what_a_child_makes_is_not_its_parents(void) {
  many all;
  CHECK(make_many(&all, 0));
  for (int round = 0; round < 3; round++) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      /* And what its own child makes is not its own. */
      const bool good = call_many(&all) && replace_many(&all);
      const pid_t second = fork();
      if (second == 0)
        _exit(replace_many(&all) && replace_many(&all) ? 0 : 1);
      int status = -1;
      const bool ended = waitpid(second, &status, 0) == second && status == 0;
      _exit(good && ended && call_many(&all) ? 0 : 1);
    }
    expect_good_end(child);
    CHECK(call_many(&all));
    CHECK(replace_many(&all));
  }
  free_many(&all);
}

static void what_a_parent_makes_is_not_its_childs(void) {
  many all;
  int ends[2];
  CHECK(make_many(&all, 0));
  CHECK_INT(0, pipe(ends));
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    char byte;
    const bool told = read(ends[0], &byte, 1) == 1;
    _exit(told && call_many(&all) && replace_many(&all) ? 0 : 1);
  }
  CHECK(replace_many(&all));
  CHECK_INT(1, write(ends[1], "x", 1));
  expect_good_end(child);
  CHECK(call_many(&all));
  free_many(&all);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  RUN(what_a_child_makes_is_not_its_parents);
  RUN(what_a_parent_makes_is_not_its_childs);
  RUN(what_was_bound_before_a_fork_works_after_it);
  /* valgrind takes what the parent's other threads hold for leaks of the child. */
  if (!under_valgrind())
    RUN(children_of_busy_parents_bind_and_call);
  return harness_end();
}
