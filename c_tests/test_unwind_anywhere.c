/* Backtraces from a signal handler, as profilers make them, at every single instruction of stubs,
 * entries and receivers: they reach the caller from wherever the signal comes. */
#include "callbacks.h"

#if defined(__x86_64__) && !defined(EMULATED)

#include <dlfcn.h>
#include <signal.h>
#include <ucontext.h>
#include <unwind.h>

typedef struct large {
  long values[6];
} large;
typedef struct calls {
  fc_function *in_memory, *in_register, *nothing;
} calls;

static void call_all(int (*callback)(int), const calls *functions);

static volatile bool stepping;
static bool found;
static int steps, lost;
static const unsigned char *first_lost;

/* The code of call_all is at most so long. */
enum { LENGTH = 1000, TRAP_FLAG = 0x100 };

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *unused) {
  (void)unused;
  const uintptr_t start = (uintptr_t)ADDRESS_OF(call_all), at = (uintptr_t)_Unwind_GetIP(context);
  found = found || (at > start && at < start + LENGTH);
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
  if (dladdr(instruction, &of_library))
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

__attribute__((noinline)) static void call_all(int (*callback)(int), const calls *functions) {
  large value = {{1, 2, 3, 4, 5, 6}}, out;
  int two = 2, result;
  double three = 3;
  void *args[] = {&value, &two, &three}, *numbers[] = {&two, &two};
  fc_slot slots[3], slot;
  slots[0].p = &value;
  slots[1].i = 2;
  slots[2].f64 = 3;
  slot.p = &out;
  stepping = true;
  set_trap_flag();
  callback(1);
  fc_function_entry(functions->in_memory)(&out, args);
  fc_function_entry(functions->in_register)(&result, numbers);
  fc_function_entry(functions->nothing)(NULL, numbers);
  fc_function_slot_entry(functions->in_memory)(&slot, slots);
  fc_invoke(functions->in_register, &result, numbers);
  fc_invoke(functions->nothing, NULL, numbers);
  slot.p = &out;
  fc_invoke_slots(functions->in_memory, &slot, slots);
  stepping = false;
}

static fc_function *function_of(const char *prototype, void *address) {
  fc_signature *signature = parsed(prototype);
  fc_function *function = NULL;
  CHECK_STATUS(FC_OK, fc_function_new(signature, address, NULL, &function));
  fc_signature_free(signature);
  return function;
}

static void from_every_instruction(void) {
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = step;
  action.sa_flags = SA_SIGINFO;
  CHECK_INT(0, sigaction(SIGTRAP, &action, &before));
  fc_callback *callback = callback_of("int f(int)", add_one, NULL, NULL);
  const calls functions = {
      function_of("struct {long v[6];} f(struct {long v[6];}, int, double)", ADDRESS_OF(in_memory)),
      function_of("int f(int, int)", ADDRESS_OF(in_register)),
      function_of("void f(int)", ADDRESS_OF(nothing)),
  };
  /* Entries are made and symbols are found now. */
  fc_function_entry(functions.in_memory);
  fc_function_entry(functions.in_register);
  fc_function_entry(functions.nothing);
  fc_function_slot_entry(functions.in_memory);
  call_all(CODE(int (*)(int), callback), &functions);
  CHECK_INT(0, lost);
  if (first_lost)
    harness_print_bytes("lost at", first_lost, 4);
  if (makes_stubs())
    CHECK(steps > 80);
  sigaction(SIGTRAP, &before, NULL);
  fc_function_free(functions.in_memory);
  fc_function_free(functions.in_register);
  fc_function_free(functions.nothing);
  fc_callback_free(callback);
}

#else

/* An emulator does not step, and AArch64's code keeps a chain of frames. */
static void from_every_instruction(void) { CHECK(true); }

#endif

int main(void) {
  RUN(from_every_instruction);
  return harness_end();
}
