/* Backtraces from a signal handler, as profilers make them, at every single instruction of stubs,
 * entries, receivers, thunks, and of the library's own code that calls pass through: they reach the
 * caller from wherever the signal comes. */
#include "callbacks.h"

#if defined(__x86_64__) && !defined(EMULATED)

#include <dlfcn.h>
#include <signal.h>
#include <ucontext.h>
#include <unwind.h>

typedef struct large {
  long values[6];
} large;
typedef int number_to_number(int);
typedef struct calls {
  fc_function *in_memory, *in_register, *nothing, *through_libffi, *is_protected;
  number_to_number *built_in, *made, *counted, *late;
} calls;

static void call_all(const calls *calls, bool is_stepped);

/* The section has nothing but call_all. */
extern const char __start_stepped[], __stop_stepped[];

static volatile bool stepping;
static bool found;
static int steps, lost;
static const unsigned char *first_lost;

enum { TRAP_FLAG = 0x100 };

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *unused) {
  (void)unused;
  const uintptr_t at = (uintptr_t)_Unwind_GetIP(context);
  found = found || (at > (uintptr_t)__start_stepped && at < (uintptr_t)__stop_stepped);
  return _URC_NO_REASON;
}

static void step(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info;
  ucontext_t *at = (ucontext_t *)context;
  if (!stepping) {
    at->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    return;
  }
  const void *instruction = (const void *)(uintptr_t)at->uc_mcontext.gregs[REG_RIP];
  Dl_info of_library;
  /* Code that was made is in no file. */
  if (dladdr(instruction, &of_library) && !strstr(of_library.dli_fname, "libfarcall"))
    return;
  found = false;
  _Unwind_Backtrace(visit, NULL);
  steps++;
  if (!found && !lost++)
    first_lost = (const unsigned char *)instruction;
}

static void add_one(void *ret, void *const *args, void *user) {
  (void)user;
  const int sum = *(int *)args[0] + 1;
  memcpy(ret, &sum, sizeof sum);
}

static large in_memory(large a, int b, double c) {
  a.values[0] += b + (long)c;
  return a;
}
static int in_register(int a, int b) { return a + b; }
static void nothing(int a) { (void)a; }

static void set_trap_flag(void) {
  __asm__ volatile("pushfq\n\torl %0, (%%rsp)\n\tpopfq" ::"i"(TRAP_FLAG) : "memory", "cc");
}

__attribute__((noinline, section("stepped"))) static void call_all(const calls *calls,
                                                                   bool is_stepped) {
  large value = {{1, 2, 3, 4, 5, 6}}, out;
  int two = 2, result;
  double three = 3;
  void *args[] = {&value, &two, &three}, *numbers[] = {&two, &two};
  fc_slot slots[3], slot;
  slots[0].p = &value;
  slots[1].i = 2;
  slots[2].f64 = 3;
  slot.p = &out;
  if (is_stepped) {
    stepping = true;
    set_trap_flag();
  }
  calls->built_in(1);
  calls->made(1);
  calls->counted(1);
  calls->late(1);
  fc_function_entry(calls->in_memory)(&out, args);
  fc_function_entry(calls->in_register)(&result, numbers);
  fc_function_entry(calls->nothing)(NULL, numbers);
  fc_function_slot_entry(calls->in_memory)(&slot, slots);
  fc_invoke(calls->in_register, &result, numbers);
  fc_invoke(calls->nothing, NULL, numbers);
  slot.p = &out;
  fc_invoke_slots(calls->in_memory, &slot, slots);
  fc_invoke(calls->through_libffi, &result, numbers);
  fc_function_entry(calls->through_libffi)(&result, numbers);
  fc_invoke_checked(calls->is_protected, &result, numbers);
  stepping = false;
}

static fc_function *function_of(const char *prototype, void *address, uint32_t flags) {
  fc_signature *signature = parsed(prototype);
  fc_function *function = NULL;
  fc_function_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.flags = flags;
  CHECK_STATUS(FC_OK, fc_function_new(signature, address, &options, &function));
  fc_signature_free(signature);
  return function;
}

static void release(void *user) { (void)user; }

/* More callbacks than the library's text has thunks for. */
enum { CALLBACKS = 4200 };

static number_to_number *code_of(fc_callback *callback) {
  return CODE(number_to_number *, callback);
}

static void from_every_instruction(void) {
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = step;
  action.sa_flags = SA_SIGINFO;
  CHECK_INT(0, sigaction(SIGTRAP, &action, &before));
  static fc_callback *callbacks[CALLBACKS];
  for (int i = 0; i < CALLBACKS; i++)
    callbacks[i] = callback_of("int f(int)", add_one, NULL, NULL);
  fc_callback_options options = callback_defaults();
  options.release = release;
  fc_callback *counted = callback_of("int f(int)", add_one, NULL, &options);
  fc_callback *freed = callback_of("int f(int)", add_one, NULL, NULL);
  const calls calls = {
      .in_memory = function_of("struct {long v[6];} f(struct {long v[6];}, int, double)",
                               ADDRESS_OF(in_memory), 0),
      .in_register = function_of("int f(int, int)", ADDRESS_OF(in_register), 0),
      .nothing = function_of("void f(int)", ADDRESS_OF(nothing), 0),
      .through_libffi = function_of("int f(int, int)", ADDRESS_OF(in_register), FC_FORCE_FALLBACK),
      .is_protected = function_of("int f(int, int)", ADDRESS_OF(in_register), FC_PROTECT),
      .built_in = code_of(callbacks[0]),
      .made = code_of(callbacks[CALLBACKS - 1]),
      .counted = code_of(counted),
      .late = code_of(freed),
  };
  fc_callback_free(freed);
  /* What is made when first asked for is made now: the handler must not meet the loader's lock. */
  call_all(&calls, false);
  call_all(&calls, true);
  CHECK_INT(0, lost);
  if (first_lost) {
    Dl_info of_library;
    harness_print_bytes("lost at", first_lost, 4);
    if (dladdr(first_lost, &of_library) && of_library.dli_sname)
      printf("  in %s\n", of_library.dli_sname);
  }
  CHECK(steps > 400);
  sigaction(SIGTRAP, &before, NULL);
  fc_function_free(calls.in_memory);
  fc_function_free(calls.in_register);
  fc_function_free(calls.nothing);
  fc_function_free(calls.through_libffi);
  fc_function_free(calls.is_protected);
  for (int i = 0; i < CALLBACKS; i++)
    fc_callback_free(callbacks[i]);
  fc_callback_free(counted);
}

#elif defined(__aarch64__)

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unwind.h>

/* An emulator does not step: each instruction in turn is a breakpoint. */

typedef struct large {
  long values[6];
} large;

extern const char __start_stepped[], __stop_stepped[];

static uint32_t *breakpoint, instruction;
static bool found;
static int steps, lost;

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *unused) {
  (void)unused;
  const uintptr_t at = (uintptr_t)_Unwind_GetIP(context);
  found = found || (at > (uintptr_t)__start_stepped && at < (uintptr_t)__stop_stepped);
  return _URC_NO_REASON;
}

static void write_instruction(uint32_t *at, uint32_t new_instruction) {
  const uintptr_t page = (uintptr_t)at & ~(uintptr_t)0xffff;
  const int all = PROT_READ | PROT_WRITE | PROT_EXEC;
  if (mprotect((void *)((uintptr_t)at & ~(uintptr_t)0xfff), 4096, all) != 0)
    mprotect((void *)page, 0x10000, all);
  *at = new_instruction;
  __builtin___clear_cache((char *)at, (char *)(at + 1));
}

static void stopped(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info, (void)context;
  found = false;
  _Unwind_Backtrace(visit, NULL);
  steps++;
  if (!found) {
    if (!lost++)
      harness_print_bytes("lost at", &instruction, sizeof instruction);
  }
  write_instruction(breakpoint, instruction);
}

__attribute__((noinline, section("stepped"))) static void call(void (*code)(void *, void *),
                                                               void *first, void *second) {
  code(first, second);
  __asm__ volatile("" ::: "memory");
}

/* Up to the jump or the return that ends the code; a jump to a known place is followed. */
static void from_each(const void *start, void (*code)(void *, void *), void *first, void *second) {
  uint32_t *at = (uint32_t *)(uintptr_t)start;
  for (;;) {
    const int before = steps;
    breakpoint = at;
    instruction = *at;
    write_instruction(at, 0xd4200000);
    call(code, first, second);
    CHECK_INT(before + 1, steps);
    if (steps == before)
      write_instruction(at, instruction);
    if ((instruction & 0xfffffc1f) == 0xd61f0000 || instruction == 0xd65f03c0)
      return;
    if ((instruction & 0xfc000000) == 0x14000000)
      at += (int32_t)(instruction << 6) >> 6;
    else
      at++;
  }
}

static void add_one(void *ret, void *const *args, void *user) {
  (void)user;
  const int sum = *(int *)args[0] + 1;
  memcpy(ret, &sum, sizeof sum);
}

static large in_memory(large a, int b, double c) {
  a.values[0] += b + (long)c;
  return a;
}
static int in_register(int a, int b) { return a + b; }
static void nothing(int a) { (void)a; }

static void from_function(const char *prototype, void *address, void *ret, void **args) {
  fc_signature *signature = parsed(prototype);
  fc_function *function = NULL;
  CHECK_STATUS(FC_OK, fc_function_new(signature, address, NULL, &function));
  fc_signature_free(signature);
  const fc_entry entry = fc_function_entry(function);
  typedef void code(void *, void *);
  if (makes_stubs()) {
    void *const start = ADDRESS_OF(entry);
    from_each(start, FC_AS_FUNCTION(code *, start), ret, args);
  }
  fc_function_free(function);
}

static void from_every_instruction(void) {
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = stopped;
  action.sa_flags = SA_SIGINFO;
  CHECK_INT(0, sigaction(SIGTRAP, &action, &before));
  large value = {{1, 2, 3, 4, 5, 6}}, out;
  int two = 2, result;
  double three = 3;
  void *args[] = {&value, &two, &three}, *numbers[] = {&two, &two};
  from_function("struct {long v[6];} f(struct {long v[6];}, int, double)", ADDRESS_OF(in_memory),
                &out, args);
  from_function("int f(int, int)", ADDRESS_OF(in_register), &result, numbers);
  from_function("void f(int)", ADDRESS_OF(nothing), NULL, numbers);
  enum { CALLBACKS = 4200 };
  static fc_callback *callbacks[CALLBACKS];
  for (int i = 0; i < CALLBACKS; i++)
    callbacks[i] = callback_of("int f(int)", add_one, NULL, NULL);
  typedef void code(void *, void *);
  for (int i = 0; i < CALLBACKS; i += CALLBACKS - 1) {
    void *const thunk = fc_callback_code(callbacks[i]);
    from_each(thunk, FC_AS_FUNCTION(code *, thunk), NULL, NULL);
  }
  /* What its thunk jumps to comes first in a callback. */
  const void *receiver;
  memcpy(&receiver, callbacks[0], sizeof receiver);
  if (makes_stubs())
    from_each(receiver, FC_AS_FUNCTION(code *, fc_callback_code(callbacks[0])), NULL, NULL);
  CHECK_INT(0, lost);
  CHECK(steps >= (makes_stubs() ? 60 : 10));
  for (int i = 0; i < CALLBACKS; i++)
    fc_callback_free(callbacks[i]);
  sigaction(SIGTRAP, &before, NULL);
}

#else

/* An emulator of x86-64 does not step. */
static void from_every_instruction(void) { CHECK(true); }

#endif

int main(void) {
  RUN(from_every_instruction);
  return harness_end();
}
