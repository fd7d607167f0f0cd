/* errno right after a call, kept for each thread: on every path, for every shape of stub, and in
 * many threads at once. */
#include "harness.h"
#include "pace.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

/* ------------------------------------------------- callees, which set errno to their first
 * argument */

typedef struct large {
  long a[5];
} large;
typedef struct pair {
  double a, b;
} pair;

/* Nothing to do after the call: its stub has no frame, but for errno. */
static void fail_void(int number) { errno = number; }

static int fail_int(int number) {
  errno = number;
  return -1;
}

static double fail_double(int number, double a) {
  errno = number;
  return a;
}

static long double fail_long_double(int number, long double a) {
  errno = number;
  return a;
}

static pair fail_pair(int number) {
  const pair result = {1.5, 2.5};
  errno = number;
  return result;
}

static large fail_large(int number, large value) {
  errno = number;
  return value;
}

static int fail_many(int number, long a, long b, long c, long d, long e, long f, long g, double h) {
  errno = number;
  return (int)(a + b + c + d + e + f + g) + (int)h;
}

#if defined(__x86_64__)
__attribute__((ms_abi)) static int fail_microsoft(int number, long long a, double b) {
  errno = number;
  return (int)a + (int)b;
}
#endif

typedef struct shape {
  const char *prototype;
  void *address;
} shape;

static const shape *shapes(size_t *count) {
  static shape all[] = {
      {"void fail_void(int)", NULL},
      {"int fail_int(int)", NULL},
      {"double fail_double(int, double)", NULL},
      {"long double fail_long_double(int, long double)", NULL},
      {"struct pair { double a, b; } fail_pair(int)", NULL},
      {"struct large { long a[5]; } fail_large(int, struct large)", NULL},
      {"int fail_many(int, long, long, long, long, long, long, long, double)", NULL},
#if defined(__x86_64__)
      {"int __attribute__((ms_abi)) fail_microsoft(int, long long, double)", NULL},
#endif
  };
  all[0].address = ADDRESS_OF(fail_void);
  all[1].address = ADDRESS_OF(fail_int);
  all[2].address = ADDRESS_OF(fail_double);
  all[3].address = ADDRESS_OF(fail_long_double);
  all[4].address = ADDRESS_OF(fail_pair);
  all[5].address = ADDRESS_OF(fail_large);
  all[6].address = ADDRESS_OF(fail_many);
#if defined(__x86_64__)
  all[7].address = ADDRESS_OF(fail_microsoft);
#endif
  *count = COUNT_OF(all);
  return all;
}

/* ---------------------------------------------------------------------------------- calls */

enum { MOST_PARAMS = 9, WAYS = 5, MOST_SHAPES = 8 };

static const uint32_t paths[] = {
    FC_CAPTURE_ERRNO | FC_REQUIRE_STUB, FC_CAPTURE_ERRNO | FC_FORCE_FALLBACK,
    FC_CAPTURE_ERRNO | FC_PROTECT,      FC_CAPTURE_ERRNO | FC_PROTECT | FC_FORCE_FALLBACK,
    FC_CAPTURE_ERRNO | FC_TRIVIAL,
};

static fc_function *functions[COUNT_OF(paths)][MOST_SHAPES];
static size_t shape_count;

/* Calls with this errno in one of the ways that there are. All other arguments are zeros. */
static bool call(const fc_function *function, int way, int number) {
  static const large zeros;
  large space;
  void *args[MOST_PARAMS];
  fc_slot slots[MOST_PARAMS], slot;
  const fc_signature *signature = fc_function_signature(function);
  const size_t count = fc_signature_param_count(signature);
  for (size_t i = 0; i < count; i++) {
    const fc_type *type = fc_signature_param(signature, i);
    memset(&slots[i], 0, sizeof slots[i]);
    args[i] = (void *)(uintptr_t)&zeros;
    if (fc_type_size(type) > sizeof(fc_slot))
      slots[i].p = args[i];
  }
  args[0] = &number;
  slots[0].i = number;
  slot.p = &space;
  switch (way) {
  case 0:
    fc_invoke(function, &space, args);
    return true;
  case 1:
    fc_function_entry(function)(&space, args);
    return true;
  case 2:
    fc_invoke_slots(function, &slot, slots);
    return true;
  case 3:
    fc_function_slot_entry(function)(&slot, slots);
    return true;
  default:
    return fc_invoke_checked(function, &space, args) == FC_OK;
  }
}

static void make_functions(void) {
  const shape *all = shapes(&shape_count);
  for (size_t path = 0; path < COUNT_OF(paths); path++)
    for (size_t i = 0; i < shape_count; i++) {
      fc_function_options options;
      fc_signature *signature = NULL;
      memset(&options, 0, sizeof options);
      options.size = sizeof options;
      options.flags = possible_flags(paths[path]);
      CHECK_STATUS(FC_OK, fc_signature_parse(NULL, all[i].prototype, &signature));
      CHECK_STATUS(FC_OK,
                   fc_function_new(signature, all[i].address, &options, &functions[path][i]));
      fc_signature_free(signature);
    }
}

static void every_path_and_shape(void) {
  CHECK_INT(0, fc_captured_errno());
  int number = 1000;
  for (size_t path = 0; path < COUNT_OF(paths); path++)
    for (size_t i = 0; i < shape_count; i++)
      for (int way = 0; way < WAYS; way++) {
        number++;
        CHECK(call(functions[path][i], way, number));
        /* The thread's own errno is the callee's too, and may change without harm. */
        CHECK_INT(number, errno);
        errno = 0;
        CHECK_INT(number, fc_captured_errno());
        CHECK_INT(number, fc_captured_errno());
      }
}

static void every_number(void) {
  static const int numbers[] = {0, 1, -1, 0x7fffffff, -0x7fffffff - 1, 0};
  for (size_t path = 0; path < COUNT_OF(paths); path++)
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
      CHECK(call(functions[path][1], (int)(path % WAYS), numbers[i]));
      errno = 5;
      CHECK_INT(numbers[i], fc_captured_errno());
    }
}

/* -------------------------------------------------------------------------------- threads */

enum { THREADS = 8 };

typedef struct worker {
  pthread_t thread;
  int number, failures;
} worker;

static pthread_barrier_t start;

static void *work(void *argument) {
  worker *self = (worker *)argument;
  const int rounds = emulated() || under_valgrind() ? 10 : 200;
  /* A new thread has its own, however old the others' are. */
  self->failures += fc_captured_errno() != 0;
  pthread_barrier_wait(&start);
  int number = self->number * 1000000;
  for (int round = 0; round < rounds; round++)
    for (size_t path = 0; path < COUNT_OF(paths); path++)
      for (size_t i = 0; i < shape_count; i++) {
        number++;
        self->failures += !call(functions[path][i], round % WAYS, number);
        errno = 0;
        if (number % 8 == 0)
          sched_yield();
        self->failures += fc_captured_errno() != number;
      }
  return NULL;
}

static void many_threads_at_once(void) {
  worker workers[THREADS];
  CHECK(call(functions[0][1], 0, 4711));
  pthread_barrier_init(&start, NULL, THREADS);
  for (int i = 0; i < THREADS; i++) {
    workers[i].number = i + 1;
    workers[i].failures = 0;
    CHECK_INT(0, pthread_create(&workers[i].thread, NULL, work, &workers[i]));
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(workers[i].thread, NULL);
    CHECK_INT(0, workers[i].failures);
  }
  pthread_barrier_destroy(&start);
  CHECK_INT(4711, fc_captured_errno());
}

int main(void) {
  make_functions();
  RUN(every_path_and_shape);
  RUN(every_number);
  RUN(many_threads_at_once);
  for (size_t path = 0; path < COUNT_OF(paths); path++)
    for (size_t i = 0; i < shape_count; i++)
      fc_function_free(functions[path][i]);
  return harness_end();
}
