/* Backtraces from a signal handler, as profilers make them, at every single instruction of stubs,
 * entries, receivers, thunks, and of the library's own code that calls pass through: they reach the
 * caller from wherever the signal comes. */
#include "callbacks.h"

#if defined(__aarch64__) || !defined(EMULATED)

#include "single_step.h"

#include <dlfcn.h>
#include <unwind.h>

typedef struct large {
  long values[6];
} large;
typedef int number_to_number(int);
typedef void callback_of_nothing(void);
typedef struct calls {
  fc_function *in_memory, *in_register, *nothing, *through_libffi, *is_protected;
  number_to_number *built_in, *made, *counted, *late;
  callback_of_nothing *of_nothing, *late_of_nothing;
} calls;

static void call_all(const calls *calls, bool is_to_step);

/* The section has nothing but call_all. */
extern const char __start_stepped[], __stop_stepped[];

static bool found;
static int steps, lost;
static const unsigned char *first_lost;

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *unused) {
  (void)unused;
  const uintptr_t at = (uintptr_t)_Unwind_GetIP(context);
  found = found || (at > (uintptr_t)__start_stepped && at < (uintptr_t)__stop_stepped);
  return _URC_NO_REASON;
}

/* The entries that the linker made for functions of other libraries: for AArch64 it makes no unwind
 * information. */
static bool is_of_linker(const uint32_t *at) {
#ifdef __aarch64__
  for (const uint32_t *first = at - 3; first <= at; first++)
    /* adrp x16, page; ldr x17, [x16, n]; add x16, x16, n; br x17 */
    if ((first[0] & 0x9f00001f) == 0x90000010 && (first[1] & 0xffc003ff) == 0xf9400211 &&
        (first[2] & 0xff8003ff) == 0x91000210 && first[3] == 0xd61f0220)
      return true;
#else
  (void)at;
#endif
  return false;
}

/* Code that was made is in no file. */
static bool is_of_farcall(const void *instruction) {
  Dl_info of_library;
  return !dladdr(instruction, &of_library) || strstr(of_library.dli_fname, "libfarcall");
}

static bool is_stepped(const void *instruction) {
  Dl_info of_library, of_program;
  return is_of_farcall(instruction) ||
         (dladdr(instruction, &of_library) && dladdr(__start_stepped, &of_program) &&
          of_library.dli_fbase == of_program.dli_fbase);
}

static void at_step(const void *instruction) {
  if (!is_of_farcall(instruction) || is_of_linker((const uint32_t *)instruction))
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

/* Receivers of such jump to their handler. */
static void no_result(void *ret, void *const *args, void *user) {
  (void)ret, (void)args, (void)user;
}

static large in_memory(large a, int b, double c) {
  a.values[0] += b + (long)c;
  return a;
}
static int in_register(int a, int b) { return a + b; }
static void nothing(int a) { (void)a; }

__attribute__((noinline, section("stepped"))) static void call_all(const calls *calls,
                                                                   bool is_to_step) {
  large value = {{1, 2, 3, 4, 5, 6}}, out;
  int two = 2, result;
  double three = 3;
  void *args[] = {&value, &two, &three}, *numbers[] = {&two, &two};
  fc_slot slots[3], slot;
  slots[0].p = &value;
  slots[1].i = 2;
  slots[2].f64 = 3;
  slot.p = &out;
  if (is_to_step)
    start_steps();
  calls->built_in(1);
  calls->made(1);
  calls->counted(1);
  calls->late(1);
  calls->of_nothing();
  calls->late_of_nothing();
  fc_function_entry(calls->in_memory)(&out, args);
  fc_function_entry(calls->in_register)(&result, numbers);
  fc_function_entry(calls->nothing)(NULL, numbers);
  fc_function_slot_entry(calls->in_memory)(&slot, slots);
  fc_invoke(calls->in_register, &result, numbers);
  fc_invoke(calls->nothing, NULL, numbers);
  slot.p = &out;
  fc_invoke_slots(calls->in_memory, &slot, slots);
#ifndef __aarch64__
  /* What libffi says there of the end of its ffi_call_SYSV is wrong: it takes the stack pointer for
   * the frame. */
  fc_invoke(calls->through_libffi, &result, numbers);
  fc_function_entry(calls->through_libffi)(&result, numbers);
#endif
  fc_invoke_checked(calls->is_protected, &result, numbers);
  stop_steps();
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
  struct sigaction before;
  handle_steps(&before);
  static fc_callback *callbacks[CALLBACKS];
  for (int i = 0; i < CALLBACKS; i++)
    callbacks[i] = callback_of("int f(int)", add_one, NULL, NULL);
  fc_callback_options options = callback_defaults();
  options.release = release;
  fc_callback *counted = callback_of("int f(int)", add_one, NULL, &options);
  fc_callback *freed = callback_of("int f(int)", add_one, NULL, NULL);
  fc_callback *of_nothing = callback_of("void f(void)", no_result, NULL, NULL);
  fc_callback *freed_of_nothing = callback_of("void f(void)", no_result, NULL, NULL);
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
      .of_nothing = CODE(callback_of_nothing *, of_nothing),
      .late_of_nothing = CODE(callback_of_nothing *, freed_of_nothing),
  };
  fc_callback_free(freed);
  fc_callback_free(freed_of_nothing);
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
  fc_callback_free(of_nothing);
}

#else

/* An emulator of x86-64 does not step. */
static void from_every_instruction(void) { CHECK(true); }

#endif

int main(void) {
  RUN(from_every_instruction);
  return harness_end();
}
