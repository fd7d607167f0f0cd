/* Eight threads make, call and free callbacks and functions, and hand callbacks to each other.
 *
 *   test_callback_threads [SECONDS] [race]
 *
 * Without arguments for a second. With `race` the threads also write a plain variable without a
 * lock, for what looks for such things to find. */
#include "callbacks.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 8, BOXES = 16, LATE_AFTER = 256, DEFAULT = -5 };

typedef int unary(int);
typedef double binary(double, int);

/* ---------------------------------------------------------------------- what they use */

static fc_signature *unary_signature, *binary_signature;
static double end_seconds;
static bool races;
static int raced;
/* Callbacks made so far, those that are just being made included. */
static atomic_ulong made, handed, hooks, released;

typedef struct worker {
  pthread_t thread;
  uint32_t state;
  int number, failures;
} worker;

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static uint32_t next_random(worker *self) {
  self->state = self->state * 1664525u + 1013904223u;
  return self->state >> 8;
}

/* Code of a freed callback may be called until so many others have been made. A thread says that it
 * is about to do so, and the others do not make more until it has. */
static atomic_ulong late_since[THREADS];

static void may_call_late(const worker *self) {
  atomic_store(&late_since[self->number], 1 + atomic_load(&made));
}

static void has_called(const worker *self) { atomic_store(&late_since[self->number], 0); }

static bool someone_is_too_late(void) {
  const unsigned long now = 1 + atomic_load(&made);
  for (int i = 0; i < THREADS; i++) {
    const unsigned long since = atomic_load(&late_since[i]);
    if (since && now > since + LATE_AFTER)
      return true;
  }
  return false;
}

static void begin_to_make(void) {
  while (someone_is_too_late())
    sched_yield();
  atomic_fetch_add(&made, 1);
}

static void expect(worker *self, bool holds, const char *what) {
  if (holds)
    return;
  if (self->failures++ == 0)
    printf("thread %d: %s (%s)\n", self->number, what, fc_error_message());
}

/* ------------------------------------------------------------------------- callbacks */

/* What a callback is made for. Whoever has it is the one who may free it. */
typedef struct owned {
  fc_callback *callback;
  int added, releases;
  bool has_hook;
} owned;

static void add(void *ret, void *const *args, void *user) {
  int sum;
  memcpy(&sum, args[0], sizeof sum);
  sum += ((const owned *)user)->added;
  memcpy(ret, &sum, sizeof sum);
}

static void add_slots(fc_slot *ret, const fc_slot *slots, void *user) {
  ret->i = slots[0].i + ((const owned *)user)->added;
}

static void scale(void *ret, void *const *args, void *user) {
  double product;
  int factor;
  (void)user;
  memcpy(&product, args[0], sizeof product);
  memcpy(&factor, args[1], sizeof factor);
  product *= factor;
  memcpy(ret, &product, sizeof product);
}

/* The hook of a callback that no other thread is inside of runs in fc_callback_free. */
static void count_release(void *user) {
  ((owned *)user)->releases++;
  atomic_fetch_add(&released, 1);
}

/* With a hook, a default result, both or neither; with an array of pointers or slots. */
static owned *make(worker *self) {
  static const int default_result = DEFAULT;
  const uint32_t kind = next_random(self);
  owned *one = (owned *)calloc(1, sizeof *one);
  if (!one)
    abort();
  fc_callback_options options = callback_defaults();
  one->added = (int)(kind % 1000);
  one->has_hook = kind & 1;
  if (one->has_hook) {
    options.release = count_release;
    atomic_fetch_add(&hooks, 1);
  }
  options.default_result = kind & 2 ? &default_result : NULL;
  const fc_callback_options *given = kind & 3 ? &options : NULL;
  begin_to_make();
  const fc_status status =
      kind & 4 ? fc_callback_new_slots(unary_signature, add_slots, one, given, &one->callback)
               : fc_callback_new(unary_signature, add, one, given, &one->callback);
  expect(self, status == FC_OK, "a callback is made");
  return one;
}

static void call(worker *self, const owned *one) {
  const int n = (int)(next_random(self) % 1000);
  expect(self, CODE(unary *, one->callback)(n) == n + one->added, "a callback adds");
}

/* Nobody else knows of it, so the hook has run when fc_callback_free comes back. Whoever calls
 * later gets the default result. */
static void end(worker *self, owned *one) {
  unary *code = CODE(unary *, one->callback);
  may_call_late(self);
  fc_callback_free(one->callback);
  expect(self, one->releases == one->has_hook, "the hook runs once");
  if (next_random(self) % 4 == 0) {
    const int result = code(7);
    expect(self, result == 0 || result == DEFAULT, "a late call gets the default");
  }
  has_called(self);
  free(one);
}

/* ------------------------------------------------------------- from thread to thread */

typedef struct box {
  pthread_mutex_t mutex;
  owned *content;
} box;

static box boxes[BOXES];

static owned *exchange(box *at, owned *content) {
  pthread_mutex_lock(&at->mutex);
  owned *before = at->content;
  at->content = content;
  pthread_mutex_unlock(&at->mutex);
  return before;
}

/* What one thread makes and calls, another one calls and frees. */
static void hand_on(worker *self) {
  owned *mine = make(self);
  call(self, mine);
  owned *other = exchange(&boxes[next_random(self) % BOXES], mine);
  if (!other)
    return;
  atomic_fetch_add(&handed, 1);
  call(self, other);
  end(self, other);
}

/* Keeps the box while it calls, so that the callback is called by one thread after the other. */
static void call_in_box(worker *self) {
  box *at = &boxes[next_random(self) % BOXES];
  pthread_mutex_lock(&at->mutex);
  if (at->content)
    call(self, at->content);
  pthread_mutex_unlock(&at->mutex);
}

/* ----------------------------------------------------------------- called by several */

/* One callback that all threads call, which is freed by one while others may be inside. */
static struct {
  pthread_mutex_t mutex;
  unary *code;
  fc_callback *callback;
} common = {PTHREAD_MUTEX_INITIALIZER, NULL, NULL};

static void twice(void *ret, void *const *args, void *user) {
  int n;
  (void)user;
  memcpy(&n, args[0], sizeof n);
  n *= 2;
  memcpy(ret, &n, sizeof n);
}

static void count_common_release(void *user) {
  (void)user;
  atomic_fetch_add(&released, 1);
}

static void replace_common(worker *self) {
  fc_callback_options options = callback_defaults();
  options.release = count_common_release;
  fc_callback *fresh = NULL;
  begin_to_make();
  const fc_status status = fc_callback_new(unary_signature, twice, NULL, &options, &fresh);
  expect(self, status == FC_OK, "a callback for all is made");
  atomic_fetch_add(&hooks, 1);
  pthread_mutex_lock(&common.mutex);
  fc_callback *old = common.callback;
  common.callback = fresh;
  common.code = CODE(unary *, fresh);
  pthread_mutex_unlock(&common.mutex);
  fc_callback_free(old);
}

static void call_common(worker *self) {
  may_call_late(self);
  pthread_mutex_lock(&common.mutex);
  unary *code = common.code;
  pthread_mutex_unlock(&common.mutex);
  const int result = code(21);
  expect(self, result == 42 || result == 0, "a callback for all doubles");
  has_called(self);
}

/* -------------------------------------------------------------------------- from inside */

typedef struct inner {
  fc_callback *callback;
  int releases;
} inner;

static void free_itself(void *ret, void *const *args, void *user) {
  inner *me = (inner *)user;
  fc_callback_free(me->callback);
  int n = me->releases;
  (void)args;
  memcpy(ret, &n, sizeof n);
}

static void count_inner_release(void *user) { ((inner *)user)->releases++; }

static void free_from_inside(worker *self) {
  inner me = {NULL, 0};
  fc_callback_options options = callback_defaults();
  const bool has_hook = next_random(self) & 1;
  options.release = has_hook ? count_inner_release : NULL;
  begin_to_make();
  const fc_status status =
      fc_callback_new(unary_signature, free_itself, &me, &options, &me.callback);
  expect(self, status == FC_OK, "a callback that frees itself is made");
  expect(self, CODE(unary *, me.callback)(3) == 0, "the hook waits for the call");
  expect(self, me.releases == has_hook, "the hook runs when the call has left");
}

/* ---------------------------------------------------------------------------- functions */

static int add_up(int a, int b) { return a + b; }

/* A function whose stub, of one of many shapes, is made and freed with it. */
static void bind_and_call(worker *self) {
  const fc_type *params[6];
  void *args[6];
  int values[6], result = 0;
  const size_t count = 2 + next_random(self) % 5;
  for (size_t i = 0; i < count; i++) {
    params[i] = fc_type_scalar(next_random(self) & 1 ? FC_I32 : FC_U32);
    values[i] = (int)i + 1;
    args[i] = &values[i];
  }
  fc_signature *signature = NULL;
  fc_function *function = NULL;
  fc_status status =
      fc_signature_new(FC_ABI_DEFAULT, fc_type_scalar(FC_I32), params, count, count, &signature);
  if (status == FC_OK)
    status = fc_function_new(signature, ADDRESS_OF(add_up), NULL, &function);
  fc_signature_free(signature);
  expect(self, status == FC_OK, "a function is made");
  fc_invoke(function, &result, args);
  expect(self, result == 3, "a function adds");
  result = 0;
  if (next_random(self) % 4 == 0) {
    fc_function_entry(function)(&result, args);
    expect(self, result == 3, "an entry adds");
  }
  fc_function_free(function);
}

/* A function that calls a callback: there and back again. */
static void there_and_back(worker *self) {
  fc_callback *callback = NULL;
  fc_function *function = NULL;
  begin_to_make();
  fc_status status = fc_callback_new(binary_signature, scale, NULL, NULL, &callback);
  if (status == FC_OK)
    status = fc_function_new(binary_signature, fc_callback_code(callback), NULL, &function);
  expect(self, status == FC_OK, "a function of a callback is made");
  double number = 1.5, result = 0;
  int factor = (int)(next_random(self) % 100);
  void *args[2] = {&number, &factor};
  fc_invoke(function, &result, args);
  expect(self, result == 1.5 * factor, "a function of a callback scales");
  fc_function_free(function);
  fc_callback_free(callback);
}

/* ------------------------------------------------------------------------------ the run */

static void *work(void *argument) {
  worker *self = (worker *)argument;
  /* Nothing has put the threads in an order yet. */
  if (races)
    raced++;
  void (*const all[])(worker *) = {hand_on,        hand_on,          call_in_box,    call_common,
                                   replace_common, free_from_inside, there_and_back, bind_and_call};
  do {
    for (size_t i = 0; i < 100; i++)
      all[next_random(self) % COUNT_OF(all)](self);
  } while (seconds_now() < end_seconds);
  return NULL;
}

static void threads_make_call_and_free(void) {
  worker workers[THREADS];
  memset(workers, 0, sizeof workers);
  for (int i = 0; i < BOXES; i++)
    pthread_mutex_init(&boxes[i].mutex, NULL);
  workers[0].state = 1;
  replace_common(&workers[0]);
  for (int i = 0; i < THREADS; i++) {
    workers[i].number = i;
    workers[i].state = (uint32_t)i * 2654435761u + 1;
    CHECK_INT(0, pthread_create(&workers[i].thread, NULL, work, &workers[i]));
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(workers[i].thread, NULL);
    CHECK_INT(0, workers[i].failures);
  }
  for (int i = 0; i < BOXES; i++) {
    owned *left = exchange(&boxes[i], NULL);
    if (left)
      end(&workers[0], left);
    pthread_mutex_destroy(&boxes[i].mutex);
  }
  fc_callback_free(common.callback);
  CHECK_INT(0, workers[0].failures);
  CHECK(atomic_load(&handed) > 0);
  CHECK_INT(atomic_load(&hooks), atomic_load(&released));
}

int main(int argc, char **argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 1;
  races = argc > 2 && strcmp(argv[2], "race") == 0;
  unary_signature = parsed("int f(int)");
  binary_signature = parsed("double f(double, int)");
  end_seconds = seconds_now() + seconds;
  RUN(threads_make_call_and_free);
  printf("%lu callbacks, %lu handed on\n", atomic_load(&made), atomic_load(&handed));
  fc_signature_free(unary_signature);
  fc_signature_free(binary_signature);
  return harness_end();
}
