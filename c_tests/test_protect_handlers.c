/* How the handlers of protected calls get on with a program's own. Each case is a child, as
 * handlers are installed once for a process. */
#include "protect.h"

#include <pthread.h>
#include <setjmp.h>

static void *const NOWHERE = (void *)(uintptr_t)0x10;

/* What the program's handlers have seen. */
static volatile int calls, last_signal, earlier_calls;
static void *volatile last_address;
static volatile int usr1_is_blocked, usr2_is_blocked, segv_is_blocked;
static sigjmp_buf back;

static void look_at_mask(void) {
  sigset_t now;
  sigemptyset(&now);
  pthread_sigmask(SIG_BLOCK, NULL, &now);
  usr1_is_blocked = sigismember(&now, SIGUSR1);
  usr2_is_blocked = sigismember(&now, SIGUSR2);
  segv_is_blocked = sigismember(&now, SIGSEGV);
}

static void note(int number, siginfo_t *info, void *context) {
  (void)context;
  calls++;
  last_signal = number;
  last_address = info->si_addr;
  look_at_mask();
  siglongjmp(back, 1);
}

static void note_and_return(int number) {
  calls++;
  last_signal = number;
}

static void leave(int number) {
  earlier_calls++;
  last_signal = number;
  look_at_mask();
  siglongjmp(back, 1);
}

static void install(int number, void (*handler)(int, siginfo_t *, void *), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | flags;
  sigaddset(&action.sa_mask, SIGUSR1);
  sigaction(number, &action, NULL);
}

static void install_plain(int number, void (*handler)(int), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(number, &action, NULL);
}

static fc_function *protect_poke(void) { return PROTECTED("void poke(int *)", poke); }

static bool faults(const fc_function *function) {
  return call_with(function, NULL, NULL) == FC_ERR_FAULT;
}

/* A crash outside of a protected call, through fc_invoke. */
static void crash(const fc_function *function, void *address) {
  void *args[] = {&address};
  fc_invoke(function, NULL, args);
}

/* What a child found out: 0, or the line of the first thing that is not so. */
#define SO(expression)                                                                             \
  do {                                                                                             \
    if (!(expression))                                                                             \
      return __LINE__ % 256 ? __LINE__ % 256 : 1;                                                  \
  } while (0)

static int nothing_is_installed_without_the_flag(void) {
  struct sigaction action;
  fc_function *function = function_at("void poke(int *)", ADDRESS_OF(poke), 0);
  int number = 0, *address = &number;
  void *args[] = {&address};
  SO(fc_invoke_checked(function, NULL, args) == FC_OK && number == 1);
  static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  for (size_t i = 0; i < COUNT_OF(numbers); i++)
    SO(sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler == SIG_DFL);
  protect_poke();
  for (size_t i = 0; i < COUNT_OF(numbers); i++)
    SO(sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_DFL);
  return 0;
}

static int other_functions_are_not_protected(void) {
  fc_function *function = function_at("void poke(int *)", ADDRESS_OF(poke), 0);
  SO(faults(protect_poke()));
  call_with(function, NULL, NULL);
  return 0;
}

static int fc_invoke_is_not_protected(void) {
  fc_function *function = protect_poke();
  SO(faults(function));
  crash(function, NULL);
  return 0;
}

static int an_entry_is_not_protected(void) {
  fc_function *function = protect_poke();
  int *address = NULL;
  void *args[] = {&address};
  SO(faults(function));
  fc_function_entry(function)(NULL, args);
  return 0;
}

static int a_signal_that_is_sent_ends_the_process(void) {
  SO(faults(protect_poke()));
  raise(SIGBUS);
  return 0;
}

static int ignored_faults_are_not_ignored(void) {
  signal(SIGSEGV, SIG_IGN);
  fc_function *function = protect_poke();
  SO(faults(function));
  crash(function, NULL);
  return 0;
}

static int ignored_signals_are_ignored(void) {
  signal(SIGSEGV, SIG_IGN);
  SO(faults(protect_poke()));
  raise(SIGSEGV);
  kill(getpid(), SIGSEGV);
  SO(faults(protect_poke()));
  return 0;
}

static int earlier_handlers_get_the_rest(void) {
  install(SIGSEGV, note, 0);
  fc_function *function = protect_poke();
  for (volatile int round = 1; round < 4; round++) {
    SO(faults(function));
    SO(calls == round - 1);
    if (sigsetjmp(back, 1) == 0)
      crash(function, NOWHERE);
    SO(calls == round && last_signal == SIGSEGV && last_address == NOWHERE);
    /* Its mask, and the signal itself; no other. */
    SO(usr1_is_blocked == 1 && usr2_is_blocked == 0 && segv_is_blocked == 1);
    look_at_mask();
    SO(usr1_is_blocked == 0 && segv_is_blocked == 0);
  }
  return 0;
}

static int nodefer_is_respected(void) {
  install(SIGSEGV, note, SA_NODEFER);
  fc_function *function = protect_poke();
  if (sigsetjmp(back, 1) == 0)
    crash(function, NULL);
  SO(calls == 1 && usr1_is_blocked == 1 && segv_is_blocked == 0);
  return 0;
}

static int once_is_once(void) {
  install(SIGSEGV, note, (int)SA_RESETHAND);
  fc_function *function = protect_poke();
  SO(faults(function));
  if (sigsetjmp(back, 1) == 0)
    crash(function, NULL);
  SO(calls == 1 && faults(function));
  crash(function, NULL);
  return 0;
}

static int plain_handlers_get_the_rest(void) {
  install_plain(SIGFPE, leave, 0);
  SO(faults(protect_poke()));
  if (sigsetjmp(back, 1) == 0)
    raise(SIGFPE);
  SO(earlier_calls == 1 && last_signal == SIGFPE);
  return 0;
}

static void send(void);
EXPORTED void send(void) { raise(SIGSEGV); }

static int signals_that_are_sent_are_no_faults(void) {
  install_plain(SIGSEGV, note_and_return, 0);
  fc_function *function = PROTECTED("void send(void)", send);
  SO(fc_invoke_checked(function, NULL, NULL) == FC_OK);
  SO(calls == 1 && last_signal == SIGSEGV);
  union sigval value = {0};
  if (!under_valgrind()) { /* it never delivers this one */
    sigqueue(getpid(), SIGSEGV, value);
    SO(calls == 2);
  }
  return 0;
}

/* ------------------------------------------------ handlers that are installed later */

static struct sigaction predecessor;

/* The call is the last thing that it does, so that compilers make it a jump. */
static void pass_on(int number, siginfo_t *info, void *context) {
  calls++;
  predecessor.sa_sigaction(number, info, context);
}

static void pass_number_on(int number) {
  calls++;
  ((void (*)(int))predecessor.sa_handler)(number);
  calls += 100;
}

static void keep_and_replace(int number, void (*handler)(int, siginfo_t *, void *)) {
  sigaction(number, NULL, &predecessor);
  install(number, handler, 0);
}

static int later_handlers_see_signals_first(void) {
  fc_function *function = protect_poke();
  SO(faults(function));
  keep_and_replace(SIGSEGV, pass_on);
  SO(faults(function) && calls == 1);
  SO(faults(function) && calls == 2);
  crash(function, NULL);
  return 0;
}

static int binding_puts_the_handlers_in_front(void) {
  install_plain(SIGSEGV, leave, 0);
  fc_function *function = protect_poke();
  keep_and_replace(SIGSEGV, pass_on);
  SO(faults(function) && calls == 1);
  for (volatile int round = 1; round < 4; round++) {
    protect_poke();
    SO(faults(function) && calls == round);
    /* farcall, the later one, farcall again, the earlier one. */
    if (sigsetjmp(back, 1) == 0)
      crash(function, NULL);
    SO(calls == round + 1 && earlier_calls == round && last_signal == SIGSEGV);
    SO(segv_is_blocked == 1 && usr1_is_blocked == 0);
  }
  return 0;
}

/* Its predecessor gets neither info nor context. */
static int a_number_is_enough(void) {
  install_plain(SIGSEGV, leave, 0);
  fc_function *function = protect_poke();
  sigaction(SIGSEGV, NULL, &predecessor);
  install_plain(SIGSEGV, pass_number_on, 0);
  protect_poke();
  for (volatile int round = 1; round < 4; round++) {
    SO(faults(function));
    if (sigsetjmp(back, 1) == 0)
      crash(function, NULL);
    SO(calls == round && earlier_calls == round && last_signal == SIGSEGV);
  }
  return 0;
}

static int three_handlers_in_a_row_end_the_process(void) {
  fc_function *function = protect_poke();
  keep_and_replace(SIGSEGV, pass_on);
  protect_poke();
  SO(faults(function));
  crash(function, NULL);
  return 0;
}

static int a_fault_in_a_handler_is_a_new_one(void) {
  install_plain(SIGSEGV, leave, 0);
  fc_function *function = protect_poke();
  keep_and_replace(SIGSEGV, pass_on);
  protect_poke();
  for (volatile int round = 0; round < 3; round++)
    if (sigsetjmp(back, 1) == 0)
      crash(function, NULL);
  SO(calls == 3 && earlier_calls == 3 && faults(function));
  return 0;
}

/* A handler that makes a protected call, which faults with the signal that it handles. */
static fc_function *handlers_function;
static volatile fc_status handlers_status;

static void call_protected(int number, siginfo_t *info, void *context) {
  (void)number, (void)info, (void)context;
  calls++;
  handlers_status = call_with(handlers_function, NULL, NULL);
  siglongjmp(back, 1);
}

static int handlers_may_make_protected_calls(void) {
  install(SIGSEGV, call_protected, SA_NODEFER);
  handlers_function = protect_poke();
  for (volatile int round = 1; round < 4; round++) {
    if (sigsetjmp(back, 1) == 0)
      crash(handlers_function, NULL);
    SO(calls == round && handlers_status == FC_ERR_FAULT);
    SO(faults(handlers_function));
  }
  return 0;
}

/* Somebody takes all handlers away. */
static int handlers_come_back(void) {
  fc_function *function = protect_poke();
  signal(SIGSEGV, SIG_DFL);
  protect_poke();
  SO(faults(function));
  crash(function, NULL);
  return 0;
}

static int children_of_children(void) {
  fc_function *function = protect_poke();
  SO(faults(function));
  const pid_t child = fork();
  if (child == 0)
    _exit(faults(function) && faults(protect_poke()) ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  SO(status == 0);
  return 0;
}

/* Many threads find that they are the first. */
static pthread_barrier_t start;

static void *protect_at_once(void *failures) {
  pthread_barrier_wait(&start);
  fc_function *function = protect_poke();
  for (int round = 0; round < 50; round++)
    *(int *)failures += !faults(function);
  fc_function_free(function);
  return NULL;
}

static int threads_install_at_once(void) {
  enum { THREADS = 8 };
  pthread_t threads[THREADS];
  int failures[THREADS] = {0};
  install_plain(SIGSEGV, leave, 0);
  pthread_barrier_init(&start, NULL, THREADS);
  for (int i = 0; i < THREADS; i++)
    SO(pthread_create(&threads[i], NULL, protect_at_once, &failures[i]) == 0);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    SO(failures[i] == 0);
  }
  if (sigsetjmp(back, 1) == 0)
    crash(protect_poke(), NULL);
  SO(earlier_calls == 1);
  return 0;
}

static void handlers(void) {
  static const struct {
    const char *name;
    int (*run)(void);
    int expected;
  } cases[] = {
#define CASE(run, expected) {#run, run, expected}
      CASE(nothing_is_installed_without_the_flag, 0),
      CASE(other_functions_are_not_protected, BY_SIGNAL + SIGSEGV),
      CASE(fc_invoke_is_not_protected, BY_SIGNAL + SIGSEGV),
      CASE(an_entry_is_not_protected, BY_SIGNAL + SIGSEGV),
      CASE(a_signal_that_is_sent_ends_the_process, BY_SIGNAL + SIGBUS),
      CASE(ignored_faults_are_not_ignored, BY_SIGNAL + SIGSEGV),
      CASE(ignored_signals_are_ignored, 0),
      CASE(earlier_handlers_get_the_rest, 0),
      CASE(nodefer_is_respected, 0),
      CASE(once_is_once, BY_SIGNAL + SIGSEGV),
      CASE(plain_handlers_get_the_rest, 0),
      CASE(signals_that_are_sent_are_no_faults, 0),
      CASE(later_handlers_see_signals_first, BY_SIGNAL + SIGSEGV),
      CASE(binding_puts_the_handlers_in_front, 0),
      CASE(a_number_is_enough, 0),
      CASE(three_handlers_in_a_row_end_the_process, BY_SIGNAL + SIGSEGV),
      CASE(a_fault_in_a_handler_is_a_new_one, 0),
      CASE(handlers_may_make_protected_calls, 0),
      CASE(handlers_come_back, BY_SIGNAL + SIGSEGV),
      CASE(children_of_children, 0),
      CASE(threads_install_at_once, 0),
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    const int got = child_ends(cases[i].run);
    harness_check(got == cases[i].expected, __FILE__, __LINE__,
                  "%s: expected end %d, got %d (above 1000: a signal; else a line)", cases[i].name,
                  cases[i].expected, got);
  }
}

int main(void) {
  RUN(handlers);
  return harness_end();
}
