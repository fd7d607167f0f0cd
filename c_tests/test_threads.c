/* Binding, calling and freeing from eight threads at once, with shared handles and own ones. */
#include "harness.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

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

#if defined(__x86_64__) || defined(__aarch64__)
/* Integers and doubles fill registers of their own, in their own order: each of the 3,003 orders of
 * six integers and eight doubles is a signature of its own, and calls this one function rightly. */
enum { INTEGERS = 6, DOUBLES = 8, PARAMS = INTEGERS + DOUBLES, ORDERS = 600, LIVING = 100 };

static double weigh(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, double p,
                    double q, double r, double s, double t, double u, double v, double w) {
  errno = (int)a;
  return (double)(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f) + 7 * p + 8 * q + 9 * r + 10 * s +
         11 * t + 12 * u + 13 * v + 14 * w;
}

typedef struct weigher {
  fc_function *function;
  bool is_double[PARAMS];
  bool keeps_errno;
} weigher;

static bool weigher_new(size_t order, weigher *out) {
  const fc_type *params[PARAMS];
  uint32_t state = (uint32_t)order * 2654435761u + 1;
  int integers = INTEGERS;
  for (int i = 0; i < PARAMS; i++) {
    state = state * 1664525u + 1013904223u;
    out->is_double[i] = (int)((state >> 16) % (uint32_t)(PARAMS - i)) >= integers;
    integers -= !out->is_double[i];
    params[i] = fc_type_scalar(out->is_double[i] ? FC_F64 : FC_I64);
  }
  fc_function_options options;
  fc_signature *signature = NULL;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  out->keeps_errno = order % 2;
  options.flags = possible_flags(FC_REQUIRE_STUB) | (out->keeps_errno ? FC_CAPTURE_ERRNO : 0);
  out->function = NULL;
  if (fc_signature_new(FC_ABI_DEFAULT, fc_type_scalar(FC_F64), params, PARAMS, PARAMS,
                       &signature) == FC_OK)
    fc_function_new(signature, ADDRESS_OF(weigh), &options, &out->function);
  fc_signature_free(signature);
  return out->function != NULL;
}

/* In one of four ways. */
static int weigh_by(const weigher *w, int64_t base, int way) {
  fc_slot slots[PARAMS];
  void *args[PARAMS];
  int64_t integer = base;
  double number = 0.5, result = 0;
  for (int i = 0; i < PARAMS; i++) {
    args[i] = &slots[i];
    if (w->is_double[i])
      slots[i].f64 = number++;
    else
      slots[i].i = integer++;
  }
  if (way == 0)
    fc_invoke(w->function, &result, args);
  else if (way == 1)
    fc_function_entry(w->function)(&result, args);
  else {
    if (way == 2)
      fc_invoke_slots(w->function, &slots[0], slots);
    else
      fc_function_slot_entry(w->function)(&slots[0], slots);
    result = slots[0].f64;
  }
  sched_yield();
  const double expected = weigh(base, base + 1, base + 2, base + 3, base + 4, base + 5, 0.5, 1.5,
                                2.5, 3.5, 4.5, 5.5, 6.5, 7.5);
  return memcmp(&expected, &result, sizeof result) != 0 ||
         (w->keeps_errno && fc_captured_errno() != (int)base);
}

static weigher living[LIVING];

static double cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }
static double enough_seconds;

/* What is made and freed here lies on the pages of what the others call: new code replaces them. */
static void *make_weighers(void *argument) {
  worker *self = (worker *)argument;
  pthread_barrier_wait(&start);
  for (int round = 0; round < 10 || cpu_seconds() < enough_seconds; round++) {
    weigher w;
    const size_t order = (size_t)(round * 7 + self->number * 75) % ORDERS;
    if (weigher_new(order, &w))
      self->failures += weigh_by(&w, self->number * 100000 + round, round / 3 % 4);
    else
      self->failures++;
    fc_function_free(w.function);
  }
  return NULL;
}

static void *call_the_living(void *argument) {
  worker *self = (worker *)argument;
  pthread_barrier_wait(&start);
  for (int round = 0; round < 10 || cpu_seconds() < enough_seconds; round++)
    for (int i = 0; i < LIVING; i++)
      self->failures += weigh_by(&living[i], self->number * 100000 + round, (round + i) % 4);
  return NULL;
}

static void pages_are_replaced_under_running_code(void) {
  worker workers[THREADS];
  for (size_t i = 0; i < LIVING; i++) {
    weigher between;
    CHECK(weigher_new(ORDERS + i, &living[i]));
    CHECK(fc_function_entry(living[i].function) != NULL);
    CHECK(weigher_new(i, &between) && fc_function_entry(between.function) != NULL);
    fc_function_free(between.function);
  }
  enough_seconds = cpu_seconds() + 2;
  pthread_barrier_init(&start, NULL, THREADS);
  for (int i = 0; i < THREADS; i++) {
    workers[i].number = i + 1;
    workers[i].failures = 0;
    CHECK_INT(0, pthread_create(&workers[i].thread, NULL, i % 2 ? make_weighers : call_the_living,
                                &workers[i]));
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(workers[i].thread, NULL);
    CHECK_INT(0, workers[i].failures);
  }
  pthread_barrier_destroy(&start);
  for (size_t i = 0; i < LIVING; i++)
    fc_function_free(living[i].function);
}
#endif

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
#if defined(__x86_64__) || defined(__aarch64__)
  RUN(pages_are_replaced_under_running_code);
#endif
  for (int i = 0; i < 2; i++)
    fc_function_free(shared_functions[i]);
  fc_decls_free(shared_decls);
  fc_library_free(shared_library);
  return harness_end();
}
