/* Threads that use farcall for the first time when they end, in a destructor of pthread_key_create:
 * what they came by is given back all the same. */
#include "protect.h"

#include <pthread.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static fc_function *poke_function;
static fc_signature *signature;
static pthread_key_t key;
static const char first_use, later_use;

static void ignore(void *ret, void *const *args, void *user) { (void)ret, (void)args, (void)user; }

/* A callback that is made and freed, a call that crashes, and messages of failures. */
static void use_everything(void *value) {
  static const char unknown[] = "a_type_whose_name_is_rather_long_so_that_messages_that_have_it_in_"
                                "them_are_long_too_and_seen f(void)";
  fc_signature *none = NULL;
  fc_callback *callback = NULL;
  CHECK_STATUS(FC_OK, fc_callback_new(signature, ignore, NULL, NULL, &callback));
  fc_callback_free(callback);
  CHECK_STATUS(FC_ERR_FAULT, call_with(poke_function, NULL, NULL));
  for (int i = 0; i < 10; i++)
    CHECK_STATUS(FC_ERR_SYNTAX, fc_signature_parse(NULL, unknown, &none));
  /* A thread that had messages has no place for more at its end. */
  if (value == &first_use)
    CHECK_MESSAGE("a_type_whose_name_is_rather_long");
}

static void *end_with_it(void *unused) {
  CHECK_INT(0, pthread_setspecific(key, &first_use));
  return unused;
}

static void *use_it_twice(void *unused) {
  use_everything(NULL);
  CHECK_INT(0, pthread_setspecific(key, &later_use));
  return unused;
}

static size_t callbacks_at_hand(void) {
  fc_code_stats stats;
  memset(&stats, 0, sizeof stats);
  stats.size = sizeof stats;
  CHECK_STATUS(FC_OK, fc_code_statistics(&stats));
  return stats.callbacks;
}

/* Bytes of the heap, where the C library tells. */
static size_t allocated(void) {
#ifdef __GLIBC__
  return mallinfo2().uordblks;
#else
  return 0;
#endif
}

static int mappings(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  int lines = 0;
  for (int c; CHECK(maps != NULL) && (c = getc(maps)) != EOF;)
    lines += c == '\n';
  if (maps)
    fclose(maps);
  return lines;
}

static void check_threads(void *(*run)(void *)) {
  enum { WARM = 20, COUNT = 220 };
  size_t callbacks = 0, bytes = 0;
  int lines = 0;
  for (int i = 0; i < COUNT; i++) {
    pthread_t thread;
    if (i == WARM) {
      callbacks = callbacks_at_hand();
      lines = mappings();
      bytes = allocated();
    }
    CHECK_INT(0, pthread_create(&thread, NULL, run, NULL));
    CHECK_INT(0, pthread_join(thread, NULL));
  }
  CHECK_SIZE(callbacks, callbacks_at_hand());
  CHECK(mappings() < lines + 20);
  /* Eight messages have more than two thousand bytes; what remains is the C library's own. */
  CHECK(allocated() < bytes + 200 * (COUNT - WARM) || sanitized());
}

static void first_use_at_the_end(void) { check_threads(end_with_it); }

static void use_before_and_at_the_end(void) { check_threads(use_it_twice); }

int main(void) {
  CHECK_INT(0, pthread_key_create(&key, use_everything));
  CHECK_STATUS(FC_OK, fc_signature_parse(NULL, "void f(void)", &signature));
  poke_function = PROTECTED("void poke(int *)", poke);
  RUN(first_use_at_the_end);
  RUN(use_before_and_at_the_end);
  fc_function_free(poke_function);
  fc_signature_free(signature);
  return harness_end();
}
