/* The end of callbacks: freed from inside, while others are inside, called when it is too late;
 * release hooks; a million at once; forks. */
#include "callbacks.h"
#include "pace.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int unary(int);

static void echo(void *ret, void *const *args, void *user) {
  (void)user;
  memcpy(ret, args[0], sizeof(int));
}

static void echo_slots(fc_slot *ret, const fc_slot *slots, void *user) {
  (void)user;
  *ret = slots[0];
}

typedef struct releases {
  atomic_int count;
  _Atomic(pthread_t) thread;
} releases;

static void count_release(void *user) {
  releases *of = (releases *)user;
  of->thread = pthread_self();
  atomic_fetch_add(&of->count, 1);
}

static fc_callback_options released_by(void (*release)(void *)) {
  fc_callback_options options = callback_defaults();
  options.release = release;
  return options;
}

/* ------------------------------------------------------------------------ too late */

static void late_calls_get_the_default(void) {
  const uint64_t before = fc_callback_late_calls();
  fc_callback_options options = callback_defaults();
  int answer = -7;
  options.default_result = &answer;
  fc_callback *zero = callback_of("int f(int)", echo, NULL, NULL);
  fc_callback *seven = callback_of("int f(int)", echo, NULL, &options);
  fc_callback *slots = slot_callback_of("int f(int)", echo_slots, NULL, &options);
  answer = 0;
  unary *call_zero = CODE(unary *, zero), *call_seven = CODE(unary *, seven);
  unary *call_slots = CODE(unary *, slots);
  CHECK_INT(5, call_zero(5) + call_seven(3) - call_slots(3));
  fc_callback_free(zero);
  fc_callback_free(seven);
  fc_callback_free(slots);
  CHECK_INT(0, call_zero(5));
  CHECK_INT(-7, call_seven(5));
  CHECK_INT(-7, call_seven(5));
  CHECK_INT(-7, call_slots(5));
  CHECK_INT(4, fc_callback_late_calls() - before);
}

typedef struct large {
  int64_t values[6];
} large;
typedef struct pair {
  double a, b;
} pair;

static void never_called(void *ret, void *const *args, void *user) {
  (void)ret, (void)args, (void)user;
  CHECK_STRING("not called", "called");
}

static void never_called_slots(fc_slot *ret, const fc_slot *slots, void *user) {
  (void)ret, (void)slots, (void)user;
  CHECK_STRING("not called", "called");
}

static void default_results_of_every_size(void) {
  fc_callback_options options = callback_defaults();
  const large large_default = {{1, 2, 3, 4, 5, 6}};
  const pair pair_default = {0.5, -2};
  const long double x87_default = 1.25L;
  const int8_t narrow_default = -3;
  options.default_result = &large_default;
  fc_callback *callback =
      callback_of("struct { long v[6]; } f(void)", never_called, NULL, &options);
  fc_callback *slots =
      slot_callback_of("struct { long v[6]; } f(void)", never_called_slots, NULL, &options);
  fc_callback_free(callback);
  fc_callback_free(slots);
  CHECK_INT(6, CODE(large(*)(void), callback)().values[5]);
  CHECK_INT(5, CODE(large(*)(void), slots)().values[4]);
  options.default_result = &pair_default;
  callback = callback_of("struct { double a, b; } f(void)", never_called, NULL, &options);
  slots = slot_callback_of("struct { double a, b; } f(void)", never_called_slots, NULL, &options);
  fc_callback_free(callback);
  fc_callback_free(slots);
  CHECK_DOUBLE(-2, CODE(pair(*)(void), callback)().b);
  CHECK_DOUBLE(0.5, CODE(pair(*)(void), slots)().a);
  options.default_result = &x87_default;
  callback = callback_of("long double f(void)", never_called, NULL, &options);
  fc_callback_free(callback);
  CHECK(CODE(long double (*)(void), callback)() == 1.25L);
  options.default_result = &narrow_default;
  callback = callback_of("signed char f(void)", never_called, NULL, &options);
  fc_callback_free(callback);
  CHECK_INT(-3, CODE(int8_t (*)(void), callback)());
  callback = callback_of("void f(int)", never_called, NULL, NULL);
  fc_callback_free(callback);
  CODE(void (*)(int), callback)(3);
  callback = callback_of("double f(int)", never_called, NULL, NULL);
  fc_callback_free(callback);
  CHECK_DOUBLE(0, CODE(double (*)(int), callback)(3));
}

/* What is freed last is used last, and not soon. */
static void code_is_reused_late(void) {
  fc_signature *signature = parsed("int f(int)");
  fc_callback *first = NULL, *second = NULL, *next = NULL;
  CHECK_STATUS(FC_OK, fc_callback_new(signature, echo, NULL, NULL, &first));
  CHECK_STATUS(FC_OK, fc_callback_new(signature, echo, NULL, NULL, &second));
  fc_callback_free(first);
  fc_callback_free(second);
  int made = 0, first_at = 0, second_at = 0;
  for (; made < 20000 && !second_at; made++) {
    CHECK_STATUS(FC_OK, fc_callback_new(signature, echo, NULL, NULL, &next));
    if (next == first)
      first_at = made;
    if (next == second)
      second_at = made;
    fc_callback_free(next);
  }
  CHECK(first_at >= 500);
  CHECK_INT(first_at + 1, second_at);
  fc_signature_free(signature);
}

/* ---------------------------------------------------------------- freed while inside */

typedef struct self {
  fc_callback *callback;
  unary *code;
  releases released;
  int depth;
} self;

static void free_myself(void *ret, void *const *args, void *user) {
  self *me = (self *)user;
  const int n = *(int *)args[0];
  if (n > 0) {
    me->code(n - 1);
  } else {
    fc_callback_free(me->callback);
    CHECK_INT(0, atomic_load(&me->released.count));
    /* Now it is late. */
    CHECK_INT(0, me->code(5));
  }
  CHECK_INT(0, atomic_load(&me->released.count));
  /* Arguments and result are still there. */
  const int result = *(int *)args[0] + 100;
  memcpy(ret, &result, sizeof result);
}

static void release_self(void *user) { count_release(&((self *)user)->released); }

static void freed_from_inside(void) {
  for (int depth = 0; depth < 4; depth++) {
    self me;
    memset(&me, 0, sizeof me);
    fc_callback_options options = released_by(release_self);
    me.callback = callback_of("int f(int)", free_myself, &me, &options);
    me.code = CODE(unary *, me.callback);
    CHECK_INT(100 + depth, me.code(depth));
    CHECK_INT(1, atomic_load(&me.released.count));
  }
  /* Without a hook too. */
  self me;
  memset(&me, 0, sizeof me);
  me.callback = callback_of("int f(int)", free_myself, &me, NULL);
  me.code = CODE(unary *, me.callback);
  CHECK_INT(102, me.code(2));
}

static void released_at_once_where_nobody_is_inside(void) {
  releases released;
  memset(&released, 0, sizeof released);
  fc_callback_options options = released_by(count_release);
  fc_callback *callback = callback_of("int f(int)", echo, &released, &options);
  unary *code = CODE(unary *, callback);
  CHECK_INT(3, code(3));
  CHECK_INT(0, atomic_load(&released.count));
  fc_callback_free(callback);
  CHECK_INT(1, atomic_load(&released.count));
  CHECK(pthread_equal(released.thread, pthread_self()));
  CHECK_INT(0, code(3));
  CHECK_INT(1, atomic_load(&released.count));
}

typedef struct gate {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int inside, may_leave;
  releases released;
  unary *code;
} gate;

static void wait_at_gate(void *ret, void *const *args, void *user) {
  gate *of = (gate *)user;
  pthread_mutex_lock(&of->mutex);
  of->inside++;
  pthread_cond_broadcast(&of->changed);
  while (!of->may_leave)
    pthread_cond_wait(&of->changed, &of->mutex);
  of->inside--;
  pthread_mutex_unlock(&of->mutex);
  memcpy(ret, args[0], sizeof(int));
}

static void release_gate(void *user) { count_release(&((gate *)user)->released); }

static void *call_gate(void *user) {
  gate *of = (gate *)user;
  return of->code(41) == 41 ? NULL : user;
}

static void freed_while_other_threads_are_inside(void) {
  gate of;
  memset(&of, 0, sizeof of);
  pthread_mutex_init(&of.mutex, NULL);
  pthread_cond_init(&of.changed, NULL);
  fc_callback_options options = released_by(release_gate);
  fc_callback *callback = callback_of("int f(int)", wait_at_gate, &of, &options);
  of.code = CODE(unary *, callback);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, call_gate, &of);
  pthread_mutex_lock(&of.mutex);
  while (of.inside < 4)
    pthread_cond_wait(&of.changed, &of.mutex);
  pthread_mutex_unlock(&of.mutex);
  fc_callback_free(callback);
  CHECK_INT(0, atomic_load(&of.released.count));
  CHECK_INT(0, of.code(41));
  CHECK_INT(0, atomic_load(&of.released.count));
  pthread_mutex_lock(&of.mutex);
  of.may_leave = 1;
  pthread_cond_broadcast(&of.changed);
  pthread_mutex_unlock(&of.mutex);
  for (int i = 0; i < 4; i++) {
    void *failed = NULL;
    pthread_join(threads[i], &failed);
    CHECK(failed == NULL);
  }
  CHECK_INT(1, atomic_load(&of.released.count));
  CHECK(!pthread_equal(of.released.thread, pthread_self()));
}

/* A thread that ends inside a handler has left it. */
static void end_thread(void *ret, void *const *args, void *user) {
  (void)ret, (void)args, (void)user;
  pthread_exit(NULL);
}

static void *call_code(void *code) {
  FC_AS_FUNCTION(unary *, code)(0);
  return code;
}

static void a_thread_that_ends_inside_has_left(void) {
  releases released;
  memset(&released, 0, sizeof released);
  fc_callback_options options = released_by(count_release);
  fc_callback *callback = callback_of("int f(int)", end_thread, &released, &options);
  for (int i = 0; i < 3; i++) {
    pthread_t thread;
    void *result = &thread;
    pthread_create(&thread, NULL, call_code, fc_callback_code(callback));
    pthread_join(thread, &result);
    CHECK(result == NULL);
  }
  fc_callback_free(callback);
  CHECK_INT(1, atomic_load(&released.count));
}

/* ------------------------------------------------------------------------- races */

static _Atomic(unary *) shared_code;
static atomic_int gone, wrong, stop;

static void check_alive(void *ret, void *const *args, void *user) {
  atomic_int *state = (atomic_int *)user;
  /* Released means: nobody comes any more. */
  if (atomic_load(state) != 1)
    atomic_fetch_add(&wrong, 1);
  memcpy(ret, args[0], sizeof(int));
}

static void release_state(void *user) {
  if (atomic_fetch_add((atomic_int *)user, 1) != 1)
    atomic_fetch_add(&wrong, 1);
  atomic_fetch_add(&gone, 1);
}

static void *call_whatever_is_there(void *unused) {
  (void)unused;
  while (!atomic_load(&stop)) {
    unary *code = atomic_load(&shared_code);
    const int result = code(9);
    if (result != 9 && result != 0)
      atomic_fetch_add(&wrong, 1);
  }
  return NULL;
}

/* Threads call a callback while it is freed and the next takes its place: each is released once,
 * and no handler runs after its release. */
static void races_of_calls_and_free(void) {
  enum { ROUNDS = 20000 };
  const int rounds = under_valgrind() ? 500 : emulated() ? 3000 : ROUNDS;
  atomic_int *states = (atomic_int *)calloc((size_t)rounds, sizeof *states);
  fc_callback_options options = released_by(release_state);
  fc_signature *signature = parsed("int f(int)");
  fc_callback *current = NULL;
  atomic_store(&states[0], 1);
  CHECK_STATUS(FC_OK, fc_callback_new(signature, check_alive, &states[0], &options, &current));
  atomic_store(&shared_code, CODE(unary *, current));
  pthread_t threads[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&threads[i], NULL, call_whatever_is_there, NULL);
  for (int i = 1; i < rounds; i++) {
    fc_callback *next = NULL;
    atomic_store(&states[i], 1);
    if (fc_callback_new(signature, check_alive, &states[i], &options, &next) != FC_OK) {
      CHECK_STRING("made", fc_error_message());
      break;
    }
    atomic_store(&shared_code, CODE(unary *, next));
    fc_callback_free(current);
    current = next;
  }
  atomic_store(&stop, 1);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  fc_callback_free(current);
  CHECK_INT(0, atomic_load(&wrong));
  CHECK_INT(rounds, atomic_load(&gone));
  for (int i = 0; i < rounds; i++)
    if (atomic_load(&states[i]) != 2) {
      CHECK_INT(2, atomic_load(&states[i]));
      break;
    }
  fc_signature_free(signature);
  free(states);
}

static void *call_whatever_of_all_kinds(void *unused) {
  (void)unused;
  while (!atomic_load(&stop)) {
    unary *code = atomic_load(&shared_code);
    const int result = code(9);
    if (result != 9 && result != 0 && result != 5)
      atomic_fetch_add(&wrong, 1);
  }
  return NULL;
}

/* The same with callbacks that have a release hook, a default result, or nothing, in turn, so that
 * each gets what another kind has left behind. */
static void races_of_all_kinds(void) {
  enum { ROUNDS = 20000 };
  const int rounds = under_valgrind() ? 2000 : emulated() ? 3000 : ROUNDS;
  const int default_result = 5;
  releases released = {0};
  fc_callback_options kinds[2] = {released_by(count_release), callback_defaults()};
  kinds[1].default_result = &default_result;
  fc_signature *signature = parsed("int f(int)");
  fc_callback *current = NULL;
  CHECK_STATUS(FC_OK, fc_callback_new(signature, echo, NULL, NULL, &current));
  atomic_store(&shared_code, CODE(unary *, current));
  atomic_store(&wrong, 0);
  atomic_store(&stop, 0);
  pthread_t threads[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&threads[i], NULL, call_whatever_of_all_kinds, NULL);
  int hooks = 0;
  for (int i = 1; i < rounds; i++) {
    /* No period of the kinds is one of the queue's. */
    const int kind = (i * 7 + i / 11) % 3;
    fc_callback *next = NULL;
    if (fc_callback_new(signature, echo, &released, kind == 2 ? NULL : &kinds[kind], &next) !=
        FC_OK) {
      CHECK_STRING("made", fc_error_message());
      break;
    }
    hooks += kind == 0;
    atomic_store(&shared_code, CODE(unary *, next));
    fc_callback_free(current);
    current = next;
  }
  atomic_store(&stop, 1);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  fc_callback_free(current);
  CHECK_INT(0, atomic_load(&wrong));
  CHECK_INT(hooks, atomic_load(&released.count));
  fc_signature_free(signature);
}

static void *make_one(void *code) {
  fc_callback *callback = callback_of("int f(int)", echo, NULL, NULL);
  *(unary **)code = CODE(unary *, callback);
  fc_callback_free(callback);
  return NULL;
}

/* What a thread had at hand is there for others when it has ended. */
static void threads_that_end_leave_nothing_behind(void) {
  enum { THREADS = 3000 };
  const int count = under_valgrind() || emulated() ? 1200 : THREADS;
  unary **codes = (unary **)calloc((size_t)count, sizeof *codes);
  int different = 0;
  for (int i = 0; i < count; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, make_one, &codes[i]);
    pthread_join(thread, NULL);
    bool is_new = true;
    for (int j = 0; j < i && is_new; j++)
      is_new = codes[j] != codes[i];
    different += is_new;
  }
  CHECK(different < 1000);
  free(codes);
}

/* ------------------------------------------------------------------------- a million */

static size_t resident_bytes(void) {
  unsigned long total = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!CHECK(file != NULL))
    return 0;
  CHECK_INT(2, fscanf(file, "%lu %lu", &total, &resident));
  fclose(file);
  return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static void give_user(void *ret, void *const *args, void *user) {
  const int64_t sum = *(int *)args[0] + (int64_t)(uintptr_t)user;
  memcpy(ret, &sum, sizeof sum);
}

static void a_million_live_at_once(void) {
  const size_t count = under_valgrind() ? 5000 : emulated() ? 100000 : 1000000;
  fc_callback **callbacks = (fc_callback **)malloc(count * sizeof(fc_callback *));
  fc_signature *signature = parsed("long f(int)");
  memset(callbacks, 1, count * sizeof(fc_callback *));
  const size_t before = resident_bytes();
  size_t failures = 0;
  for (size_t i = 0; i < count; i++) {
    void *user = (void *)(uintptr_t)(i * 3);
    failures += fc_callback_new(signature, give_user, user, NULL, &callbacks[i]) != FC_OK;
  }
  CHECK_SIZE(0, failures);
  const size_t bytes = resident_bytes() - before;
  for (size_t i = 0; i < count; i++) {
    typedef int64_t function(int);
    failures += CODE(function *, callbacks[i])(5) != (int64_t)(i * 3 + 5);
  }
  CHECK_SIZE(0, failures);
  const size_t called = resident_bytes() - before;
  printf("  %zu callbacks: %zu bytes each, %zu once they were called\n", count, bytes / count,
         called / count);
  if (!under_valgrind() && !emulated() && !sanitized())
    CHECK(called / count < 128);
  for (size_t i = 0; i < count; i++)
    fc_callback_free(callbacks[i]);
  /* The memory is used again. */
  for (size_t i = 0; i < count; i++)
    failures += fc_callback_new(signature, give_user, NULL, NULL, &callbacks[i]) != FC_OK;
  CHECK_SIZE(0, failures);
  if (!under_valgrind() && !emulated() && !sanitized())
    CHECK((resident_bytes() - before) / count < 130);
  for (size_t i = 0; i < count; i++)
    fc_callback_free(callbacks[i]);
  fc_signature_free(signature);
  free(callbacks);
}

static fc_code_stats code(void) {
  fc_code_stats stats;
  memset(&stats, 0, sizeof stats);
  stats.size = sizeof stats;
  CHECK_STATUS(FC_OK, fc_code_statistics(&stats));
  return stats;
}

static void statistics_count_callbacks(void) {
  enum { COUNT = 200, AT_HAND = 64 };
  fc_callback *callbacks[COUNT];
  const fc_code_stats before = code();
  for (int i = 0; i < COUNT; i++)
    callbacks[i] = callback_of("float f(short, float, int, char)", echo, NULL, NULL);
  const fc_code_stats between = code();
  CHECK(between.callbacks >= before.callbacks + COUNT - AT_HAND);
  CHECK(between.callbacks <= before.callbacks + COUNT + AT_HAND);
  CHECK_SIZE(before.receivers + 1, between.receivers);
  CHECK_SIZE(before.entries, between.entries);
  for (int i = 0; i < COUNT; i++)
    fc_callback_free(callbacks[i]);
  CHECK(code().callbacks <= before.callbacks + AT_HAND);
  CHECK_SIZE(between.receivers, code().receivers);
}

/* ---------------------------------------------------------------------------- forks */

static bool make_call_free(int rounds) {
  fc_signature *signature = NULL;
  bool good = fc_signature_parse(NULL, "int f(int)", &signature) == FC_OK;
  for (int i = 0; i < rounds && good; i++) {
    fc_callback *callback = NULL;
    good = fc_callback_new(signature, echo, NULL, NULL, &callback) == FC_OK &&
           CODE(unary *, callback)(i) == i;
    fc_callback_free(callback);
  }
  fc_signature_free(signature);
  return good;
}

static atomic_bool rest;

static void *make_until_told(void *user) {
  while (!atomic_load(&rest))
    if (!make_call_free(50))
      return user;
  return NULL;
}

static void children_make_call_and_free(void) {
  int zero = 0;
  pthread_t threads[2];
  fc_callback *mine = callback_of("int f(int)", echo, NULL, NULL);
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, make_until_told, &zero);
  for (int round = 0; round < 50; round++) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      bool good = CODE(unary *, mine)(4) == 4 && make_call_free(5000);
      fc_callback_free(mine);
      good = CODE(unary *, mine)(4) == 0 && good;
      _exit(good ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK_INT(0, WEXITSTATUS(status));
    /* What the child did is its own. */
    CHECK_INT(6, CODE(unary *, mine)(6));
  }
  atomic_store(&rest, true);
  for (int i = 0; i < 2; i++) {
    void *failed = &zero;
    pthread_join(threads[i], &failed);
    CHECK(failed == NULL);
  }
  fc_callback_free(mine);
}

/* ------------------------------------------------------------------------------ pages */

static void no_page_is_writable_and_executable(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512];
  if (!CHECK(maps != NULL))
    return;
  while (fgets(line, sizeof line, maps)) {
    const char *rights = strchr(line, ' ');
    if (rights)
      harness_check(!(rights[2] == 'w' && rights[3] == 'x'), __FILE__, __LINE__,
                    "writable and executable: %s", line);
  }
  fclose(maps);
}

int main(void) {
  RUN(late_calls_get_the_default);
  RUN(default_results_of_every_size);
  RUN(code_is_reused_late);
  RUN(freed_from_inside);
  RUN(released_at_once_where_nobody_is_inside);
  RUN(freed_while_other_threads_are_inside);
  RUN(a_thread_that_ends_inside_has_left);
  RUN(races_of_calls_and_free);
  RUN(races_of_all_kinds);
  RUN(threads_that_end_leave_nothing_behind);
  RUN(a_million_live_at_once);
  RUN(statistics_count_callbacks);
  /* valgrind takes what the parent's other threads had for lost in a child, and has pages of its
   * own. */
  if (!under_valgrind()) {
    RUN(children_make_call_and_free);
    RUN(no_page_is_writable_and_executable);
  }
  return harness_end();
}
