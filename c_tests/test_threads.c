/* Binding, calling and freeing from eight threads at once, with shared handles and own ones. */
#include "harness.h"

#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 8, ROUNDS = 300 };

typedef struct worker {
  pthread_t thread;
  int number;
  int failures; /* checks count in one place: threads report here */
} worker;

static fc_library *shared_library;
static fc_decls *shared_decls;
static fc_function *shared_functions[2];
static pthread_barrier_t start;

static int call_labs(const fc_function *function, long value) {
  long result = 0;
  void *args[] = {&value};
  fc_invoke(function, &result, args);
  fc_function_entry(function)(&result, args);
  fc_slot slot;
  slot.i = value;
  fc_function_slot_entry(function)(&slot, &slot);
  return result != labs(value) || slot.i != labs(value);
}

static int bind_and_call(uint32_t flags, long value) {
  fc_function_options options;
  fc_library *library = NULL;
  fc_function *function = NULL;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.flags = flags;
  int failures = fc_library_open("libc.so.6", NULL, &library) != FC_OK;
  failures += fc_bind(library, NULL, "long labs(long)", &options, &function) != FC_OK;
  fc_library_free(library);
  if (function)
    failures += call_labs(function, value);
  fc_function_free(function);
  return failures;
}

static int parse_and_fail(int number) {
  char name[32];
  fc_type *type = NULL;
  fc_decls *decls = NULL;
  int64_t value = 0;
  snprintf(name, sizeof name, "missing_%d", number);
  int failures = fc_decls_constant(shared_decls, name, &value) != FC_ERR_NOT_FOUND;
  sched_yield();
  failures += strstr(fc_error_message(), name) == NULL;
  failures += fc_decls_new(&decls) != FC_OK;
  failures += fc_decls_add(decls, "struct s { struct s *next; int value; };") != FC_OK;
  failures += fc_decls_type(decls, "struct s", &type) != FC_OK;
  fc_decls_free(decls);
  failures += fc_type_size(type) != 16;
  fc_type_free(type);
  return failures;
}

static void *work(void *argument) {
  worker *self = (worker *)argument;
  pthread_barrier_wait(&start);
  for (int round = 0; round < ROUNDS; round++) {
    long value = -(long)(self->number * ROUNDS + round);
    self->failures += bind_and_call(round % 4 ? 0 : FC_FORCE_FALLBACK, value);
    self->failures += call_labs(shared_functions[round % 2], value);
    self->failures += parse_and_fail(self->number);
  }
  return NULL;
}

static void eight_threads_at_once(void) {
  worker workers[THREADS];
  pthread_barrier_init(&start, NULL, THREADS);
  for (int i = 0; i < THREADS; i++) {
    workers[i].number = i;
    workers[i].failures = 0;
    CHECK_INT(0, pthread_create(&workers[i].thread, NULL, work, &workers[i]));
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(workers[i].thread, NULL);
    CHECK_INT(0, workers[i].failures);
  }
  pthread_barrier_destroy(&start);
}

/* The first to ask makes the entry; all get the same one. */
static void *ask_for_entry(void *function) {
  pthread_barrier_wait(&start);
  fc_entry entry = fc_function_entry((const fc_function *)function);
  return __extension__(void *) entry;
}

static void one_entry_for_all(void) {
  for (int round = 0; round < 50; round++) {
    pthread_t threads[THREADS];
    fc_function *function = NULL;
    void *entries[THREADS];
    CHECK_STATUS(FC_OK, fc_bind(shared_library, NULL, "long labs(long)", NULL, &function));
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
      pthread_create(&threads[i], NULL, ask_for_entry, function);
    for (int i = 0; i < THREADS; i++)
      pthread_join(threads[i], &entries[i]);
    for (int i = 0; i < THREADS; i++)
      CHECK(entries[i] != NULL && entries[i] == entries[0]);
    pthread_barrier_destroy(&start);
    fc_function_free(function);
  }
}

int main(void) {
  fc_function_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  CHECK_STATUS(FC_OK, fc_library_open("libc.so.6", NULL, &shared_library));
  CHECK_STATUS(FC_OK, fc_decls_new(&shared_decls));
  for (int i = 0; i < 2; i++) {
    options.flags = i ? FC_FORCE_FALLBACK : 0;
    CHECK_STATUS(FC_OK,
                 fc_bind(shared_library, NULL, "long labs(long)", &options, &shared_functions[i]));
  }
  RUN(eight_threads_at_once);
  RUN(one_entry_for_all);
  for (int i = 0; i < 2; i++)
    fc_function_free(shared_functions[i]);
  fc_decls_free(shared_decls);
  fc_library_free(shared_library);
  return harness_end();
}
