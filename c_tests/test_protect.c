/* Protected calls: what is caught, what is said of it, and that all is as before afterwards. How
 * the handlers get on with others is in test_protect_handlers.c. */
#include "protect.h"

#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

static void *const NOWHERE = (void *)(uintptr_t)0x10;

/* ------------------------------------------------------------------ messages */

EXPORTED void go_to(void (*code)(void));
EXPORTED void go_to(void (*code)(void)) {
  code();
  __asm__ volatile(""); /* not a jump */
}

EXPORTED void illegal(void);
EXPORTED void illegal(void) {
#if defined(__x86_64__)
  __asm__ volatile("ud2");
#else
  __asm__ volatile("udf #0");
#endif
}

static void check_fault(fc_function *function, const void *pointer, const char *expected) {
  char text[256];
  snprintf(text, sizeof text, expected, pointer);
  long result = 0x5a5a5a5a;
  CHECK_STATUS(FC_ERR_FAULT, call_with(function, &result, pointer));
  CHECK_CONTAINS(text, fc_error_message());
  CHECK_INT(0x5a5a5a5a, result);
  fc_function_free(function);
}

/* Only some systems tell whether AArch64 read or wrote. */
#if defined(__x86_64__)
#define READING "reading from"
#define WRITING "writing to"
#else
#define READING ""
#define WRITING ""
#endif

static void addresses_that_are_not_mapped(void) {
  check_fault(PROTECTED("void poke(int *)", poke), NULL,
              "poke: SIGSEGV (no memory is mapped there) on ");
  CHECK_MESSAGE(" 0x0, in poke+0x");
  CHECK_MESSAGE("test_protect");
  CHECK_MESSAGE(WRITING);
  check_fault(PROTECTED("int peek(const int *)", peek), NOWHERE, " %p, in peek+0x");
  CHECK_MESSAGE("peek: SIGSEGV (no memory is mapped there) on ");
  CHECK_MESSAGE(READING);
  CHECK_INT(0, fc_error_os());
}

static const char read_only[] = "read only";

static void memory_that_is_read_only(void) {
  check_fault(PROTECTED("void poke(int *)", poke), read_only, "poke: SIGSEGV (no permission) on ");
  CHECK_MESSAGE(WRITING);
}

static void code_that_is_not_there(void) {
  /* It tells of such a jump in other words. */
  if (under_valgrind())
    return;
  check_fault(PROTECTED("void go_to(void *)", go_to), NULL,
              "go_to: SIGSEGV (no memory is mapped there) on executing 0x0, called in go_to+0x");
  /* The emulator runs what is no code. */
  if (!emulated())
    check_fault(PROTECTED("void go_to(void *)", go_to), read_only,
                "go_to: SIGSEGV (no permission) on executing %p, called in go_to+0x");
  /* The function itself. */
  check_fault(function_at("void f(void *)", NOWHERE, FC_PROTECT), NULL,
              "f: SIGSEGV (no memory is mapped there) on executing 0x10, called ");
}

static void illegal_instructions(void) {
  fc_function *function = PROTECTED("void illegal(void)", illegal);
  CHECK_STATUS(FC_ERR_FAULT, fc_invoke_checked(function, NULL, NULL));
  CHECK_MESSAGE("illegal: SIGILL (illegal instruction), in illegal+0x");
  fc_function_free(function);
}

#if defined(__x86_64__)
EXPORTED int divide(int a, int b);
EXPORTED int divide(int a, int b) { return *(volatile int *)&a / *(volatile int *)&b; }

static void divisions(void) {
  fc_function *function = PROTECTED("int divide(int, int)", divide);
  int result = 9, a = 84, b = 0;
  void *args[] = {&a, &b};
  CHECK_STATUS(FC_ERR_FAULT, fc_invoke_checked(function, &result, args));
  CHECK_MESSAGE(
      "divide: SIGFPE (integer division by zero, or its result is too large), in divide+0x");
  CHECK_INT(9, result);
  a = (int)0x80000000u, b = -1;
  CHECK_STATUS(FC_ERR_FAULT, fc_invoke_checked(function, &result, args));
  a = 84, b = 2;
  CHECK_STATUS(FC_OK, fc_invoke_checked(function, &result, args));
  CHECK_INT(42, result);
  fc_function_free(function);
}

/* The processor tells of no address where an address is not canonical. */
static void addresses_that_cannot_be(void) {
  check_fault(PROTECTED("int peek(const int *)", peek), (void *)0x8000000000000000u,
              "peek: SIGSEGV (the processor does not say where");
}
#endif

static void memory_beyond_the_end_of_a_file(void) {
  FILE *file = tmpfile();
  if (!CHECK(file != NULL))
    return;
  char *mapped = (char *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
  CHECK(mapped != MAP_FAILED);
  check_fault(
      PROTECTED("int peek(const int *)", peek), mapped + 8,
      "peek: SIGBUS (nothing is behind the mapped memory, as beyond the end of a file) on ");
  CHECK_MESSAGE(", in peek+0x");
  munmap(mapped, 4096);
  fclose(file);
}

static void pointers_of_the_call_itself(void) {
  fc_function *function = PROTECTED("int peek(const int *)", peek);
  int value = 42, result = 0;
  const int *pointer = &value;
  void *bad_args[] = {NOWHERE}, *args[] = {&pointer};
  CHECK_STATUS(FC_ERR_FAULT, fc_invoke_checked(function, &result, bad_args));
  CHECK_MESSAGE(
      "in farcall's code for the call: is a pointer to an argument or to the result bad?");
  CHECK_STATUS(FC_ERR_FAULT, fc_invoke_checked(function, NOWHERE, args));
  CHECK_MESSAGE(" 0x10, in farcall's code for the call");
  CHECK_STATUS(FC_OK, fc_invoke_checked(function, &result, args));
  CHECK_INT(42, result);
  fc_function_free(function);
}

/* The array of pointers itself. */
static void arrays_that_cannot_be_read(void) {
  fc_function *function = PROTECTED("int peek(const int *)", peek);
  int value = 42, result = 7;
  const int *pointer = &value;
  void *args[] = {&pointer};
  CHECK_STATUS(FC_ERR_FAULT, fc_invoke_checked(function, &result, NOWHERE));
  CHECK_MESSAGE("peek: args: expected 1 pointers, got SIGSEGV (no memory is mapped there) on");
  CHECK_MESSAGE(" 0x10");
  CHECK_INT(7, result);
  CHECK_STATUS(FC_OK, fc_invoke_checked(function, &result, args));
  CHECK_INT(42, result);
  fc_function_free(function);
}

EXPORTED int call_back(int (*callback)(int));
EXPORTED int call_back(int (*callback)(int)) { return callback(1) + 1; }

/* A handler that is not there, as that of a library that was closed. */
static void handlers_that_are_gone(void) {
  fc_function *function = PROTECTED("int call_back(int (*)(int))", call_back);
  fc_signature *signature = NULL;
  fc_callback *callback = NULL;
  CHECK_STATUS(FC_OK, fc_signature_parse(NULL, "int callback(int)", &signature));
  CHECK_STATUS(FC_OK, fc_callback_new(signature, FC_AS_FUNCTION(fc_handler, NOWHERE), NULL, NULL,
                                      &callback));
  int result = 0;
  CHECK_STATUS(FC_ERR_FAULT, call_with(function, &result, fc_callback_code(callback)));
  CHECK_MESSAGE("call_back: SIGSEGV (no memory is mapped there) on ");
  CHECK_MESSAGE(" 0x10, called by a callback: is its handler no longer there?");
  fc_callback_free(callback);
  fc_signature_free(signature);
  fc_function_free(function);
}

#ifdef __x86_64__
static void ignore(fc_slot *ret, const fc_slot *slots, void *user) {
  (void)ret, (void)slots, (void)user;
}

EXPORTED void hand_over_a_bad_reference(void *callback);
EXPORTED void hand_over_a_bad_reference(void *callback) {
  FC_AS_FUNCTION(void(__attribute__((ms_abi)) *)(void *), callback)(NOWHERE);
}

/* Three bytes travel by reference, and the receiver puts them into a slot. */
static void arguments_of_callbacks_that_cannot_be_read(void) {
  fc_function *function =
      PROTECTED("void hand_over_a_bad_reference(void *)", hand_over_a_bad_reference);
  fc_signature *signature = NULL;
  fc_callback *callback = NULL;
  CHECK_STATUS(FC_OK,
               fc_signature_parse(NULL, "__attribute__((ms_abi)) void f(struct { char c[3]; })",
                                  &signature));
  CHECK_STATUS(FC_OK, fc_callback_new_slots(signature, ignore, NULL, NULL, &callback));
  CHECK_STATUS(FC_ERR_FAULT, call_with(function, NULL, fc_callback_code(callback)));
  CHECK_MESSAGE("hand_over_a_bad_reference: SIGSEGV (no memory is mapped there) on ");
  CHECK_MESSAGE(", in farcall's code for a callback: is what its caller hands over bad, ");
  fc_callback_free(callback);
  fc_signature_free(signature);
  fc_function_free(function);
}
#endif

static void arguments_are_checked_as_before(void) {
  fc_function *function = PROTECTED("int peek(const int *)", peek);
  int result = 0;
  void *args[] = {NULL};
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_invoke_checked(NULL, &result, args));
  CHECK_MESSAGE("fc_invoke_checked: function is NULL");
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_invoke_checked(function, NULL, args));
  CHECK_MESSAGE("peek: ret is NULL, expected memory for int");
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_invoke_checked(function, &result, NULL));
  CHECK_MESSAGE("peek: args is NULL, expected 1 pointers");
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_invoke_checked(function, &result, args));
  CHECK_MESSAGE("peek: parameter 1: expected a pointer to ");
  fc_function_free(function);
}

/* ------------------------------------------------------------- stack overflow */

EXPORTED int recurse(int depth);
EXPORTED int recurse(int depth) {
  volatile char used[200];
  used[depth % 200] = 1;
  return depth < 0 ? 0 : recurse(depth + 1) + used[0];
}

static int overflow(void) {
  fc_function *function = PROTECTED("int recurse(int)", recurse);
  int depth = 1, result = 7, failures = 0;
  void *args[] = {&depth};
  for (int round = 0; round < 3; round++) {
    failures += fc_invoke_checked(function, &result, args) != FC_ERR_FAULT;
    failures += strstr(fc_error_message(), "recurse: stack overflow: SIGSEGV (") == NULL;
    failures += strstr(fc_error_message(), ", in recurse+0x") == NULL;
  }
  failures += result != 7;
  fc_function_free(function);
  return failures;
}

static void *overflow_in_thread(void *failures) {
  *(int *)failures = overflow();
  return NULL;
}

static void stack_overflows(void) {
  CHECK_INT(0, overflow());
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  for (size_t size = 256 << 10; size <= 4 << 20; size *= 4) {
    pthread_t thread;
    int failures = -1;
    pthread_attr_setstacksize(&attributes, size);
    CHECK_INT(0, pthread_create(&thread, &attributes, overflow_in_thread, &failures));
    pthread_join(thread, NULL);
    CHECK_INT(0, failures);
  }
  pthread_attr_destroy(&attributes);
  CHECK_INT(0, child_ends(overflow));
}

/* ------------------------------------------------- what is as before afterwards */

static void every_path(void) {
  static const uint32_t flags[] = {0,
                                   FC_FORCE_FALLBACK,
                                   FC_REQUIRE_STUB,
                                   FC_CAPTURE_ERRNO,
                                   FC_CAPTURE_ERRNO | FC_FORCE_FALLBACK,
                                   FC_TRIVIAL};
  for (size_t i = 0; i < COUNT_OF(flags); i++) {
    fc_function *function = function_at("int peek(const int *)", ADDRESS_OF(peek),
                                        possible_flags(FC_PROTECT | flags[i]));
    int value = 42, result = 0;
    const int *pointer = &value;
    void *args[] = {&pointer};
    fc_slot slot;
    slot.p = &value;
    for (int round = 0; round < 3; round++) {
      result = 5;
      CHECK_STATUS(FC_ERR_FAULT, call_with(function, &result, NULL));
      CHECK_INT(5, result);
      CHECK_STATUS(FC_OK, call_with(function, &result, &value));
      CHECK_INT(42, result);
    }
    /* The other ways to call it work as ever. */
    result = 0;
    fc_invoke(function, &result, args);
    CHECK_INT(42, result);
    fc_function_entry(function)(&result, args);
    fc_invoke_slots(function, &slot, &slot);
    CHECK_INT(42, slot.i);
    fc_function_free(function);
  }
}

EXPORTED int fail_at(const int *number);
EXPORTED int fail_at(const int *number) {
  errno = 99;
  errno = *(const volatile int *)number;
  return -1;
}

static void errno_is_captured(void) {
  static const uint32_t flags[] = {0, FC_FORCE_FALLBACK};
  for (size_t i = 0; i < COUNT_OF(flags); i++) {
    fc_function *function = function_at("int fail_at(const int *)", ADDRESS_OF(fail_at),
                                        FC_PROTECT | FC_CAPTURE_ERRNO | flags[i]);
    int number = ENOENT + (int)i, result = 0;
    CHECK_STATUS(FC_OK, call_with(function, &result, &number));
    errno = 0;
    CHECK_INT(number, fc_captured_errno());
    CHECK_STATUS(FC_ERR_FAULT, call_with(function, &result, NULL));
    CHECK_INT(number, fc_captured_errno());
    fc_function_free(function);
  }
}

static void signal_masks(void) {
  sigset_t one, before, after;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  CHECK_INT(0, pthread_sigmask(SIG_BLOCK, &one, NULL));
  CHECK_INT(0, pthread_sigmask(SIG_BLOCK, NULL, &before));
  fc_function *function = PROTECTED("void poke(int *)", poke);
  CHECK_STATUS(FC_ERR_FAULT, call_with(function, NULL, NULL));
  CHECK_INT(0, pthread_sigmask(SIG_BLOCK, NULL, &after));
  for (int number = 1; number < 65; number++)
    CHECK_INT(sigismember(&before, number), sigismember(&after, number));
  CHECK_INT(0, pthread_sigmask(SIG_UNBLOCK, &one, NULL));
  fc_function_free(function);
}

EXPORTED void spoil_and_poke(int *address);
EXPORTED void spoil_and_poke(int *address) {
  fesetround(FE_DOWNWARD);
  feclearexcept(FE_ALL_EXCEPT);
  feraiseexcept(FE_OVERFLOW | FE_INVALID);
#if defined(__x86_64__)
  static const uint16_t single = 0x007f;
  /* Rounds to float, fills the x87 stack, and copies backwards. */
  __asm__ volatile("fldcw %0; fld1; fld1; fld1; fld1; fld1; fld1; fld1; fld1; std" : : "m"(single));
#endif
  *(volatile int *)address = 1;
}

static void floating_point_environment(void) {
  /* It has no modes of its own, and does not put flags back. */
  if (under_valgrind())
    return;
  fc_function *function = PROTECTED("void spoil_and_poke(int *)", spoil_and_poke);
  volatile double one = 1, three = 3;
  volatile long double long_one = 1, long_three = 3;
  const long double long_third = long_one / long_three;
  const int except = FE_ALL_EXCEPT;
  for (int flags = 0; flags < 2; flags++) {
    feclearexcept(except);
    if (flags)
      feraiseexcept(FE_DIVBYZERO | FE_UNDERFLOW);
    const int raised = fetestexcept(except);
    fesetround(FE_UPWARD);
    CHECK_STATUS(FC_ERR_FAULT, call_with(function, NULL, NULL));
    CHECK_INT(FE_UPWARD, fegetround());
    CHECK_INT(raised, fetestexcept(except));
    const volatile double up = one / three;
    fesetround(FE_TONEAREST);
    CHECK(up > one / three);
    /* Eight more values find room in the registers. */
    CHECK(long_one / long_three == long_third);
#if defined(__x86_64__)
    long double sum = 0;
    __asm__ volatile(
        "fld1; fld1; fld1; fld1; fld1; fld1; fld1; faddp; faddp; faddp; faddp; faddp; faddp"
        : "=t"(sum));
    CHECK(sum == 7);
    uint64_t processor_flags = 0;
    __asm__ volatile("pushfq; popq %0" : "=r"(processor_flags));
    CHECK((processor_flags & 1 << 10) == 0);
#endif
  }
  feclearexcept(except);
  fc_function_free(function);
}

/* Calls fc_invoke_checked with patterns in all registers that a callee keeps. How many have another
 * value afterwards; none of them is the status. */
long call_with_patterns(const fc_function *function, void *result, void *const *args);
/* Writes to all of them, then to NULL. */
void lose_registers(void);

#if defined(__x86_64__)
__asm__(".text\n"
        ".globl lose_registers\n"
        "lose_registers:\n"
        "  mov $1, %rbx\n  mov $2, %rbp\n  mov $3, %r12\n  mov $4, %r13\n  mov $5, %r14\n"
        "  mov $6, %r15\n"
        "  xor %eax, %eax\n  mov %eax, (%rax)\n  ret\n"
        ".globl call_with_patterns\n"
        "call_with_patterns:\n"
        "  push %rbx\n  push %rbp\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
        "  sub $8, %rsp\n"
        "  mov $0x1001, %rbx\n  mov $0x1002, %rbp\n  mov $0x1003, %r12\n  mov $0x1004, %r13\n"
        "  mov $0x1005, %r14\n  mov $0x1006, %r15\n"
        "  call fc_invoke_checked@PLT\n"
        "  xor %eax, %eax\n"
        "  xor %ecx, %ecx\n  cmp $0x1001, %rbx\n  setne %cl\n  add %rcx, %rax\n"
        "  xor %ecx, %ecx\n  cmp $0x1002, %rbp\n  setne %cl\n  add %rcx, %rax\n"
        "  xor %ecx, %ecx\n  cmp $0x1003, %r12\n  setne %cl\n  add %rcx, %rax\n"
        "  xor %ecx, %ecx\n  cmp $0x1004, %r13\n  setne %cl\n  add %rcx, %rax\n"
        "  xor %ecx, %ecx\n  cmp $0x1005, %r14\n  setne %cl\n  add %rcx, %rax\n"
        "  xor %ecx, %ecx\n  cmp $0x1006, %r15\n  setne %cl\n  add %rcx, %rax\n"
        "  add $8, %rsp\n"
        "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbp\n  pop %rbx\n"
        "  ret\n");
#else
#define EACH_GENERAL(what)                                                                         \
  what("x19") what("x20") what("x21") what("x22") what("x23") what("x24") what("x25") what("x26")  \
      what("x27") what("x28")
#define EACH_VECTOR(what)                                                                          \
  what("d8") what("d9") what("d10") what("d11") what("d12") what("d13") what("d14") what("d15")
#define LOSE(r) "  mov " r ", #77\n"
#define LOSE_VECTOR(r) "  fmov " r ", #2.0\n"
#define SET(r) "  mov " r ", #0x4321\n"
#define SET_VECTOR(r) "  fmov " r ", #0.5\n"
#define COMPARE(r) "  cmp " r ", x9\n  cinc x0, x0, ne\n"
#define COMPARE_VECTOR(r) "  fcmp " r ", d0\n  cinc x0, x0, ne\n"
__asm__(
    ".text\n"
    ".globl lose_registers\n"
    "lose_registers:\n" EACH_GENERAL(LOSE) EACH_VECTOR(
        LOSE_VECTOR) "  mov x0, #0\n  mov x29, #5\n  str w0, [x0]\n  ret\n"
                     ".globl call_with_patterns\n"
                     "call_with_patterns:\n"
                     "  stp x29, x30, [sp, #-160]!\n  mov x29, sp\n"
                     "  stp x19, x20, [sp, #16]\n  stp x21, x22, [sp, #32]\n  stp x23, x24, [sp, "
                     "#48]\n"
                     "  stp x25, x26, [sp, #64]\n  stp x27, x28, [sp, #80]\n"
                     "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n  stp d12, d13, [sp, "
                     "#128]\n"
                     "  stp d14, d15, [sp, #144]\n" EACH_GENERAL(SET) EACH_VECTOR(
                         SET_VECTOR) "  bl fc_invoke_checked\n"
                                     "  mov x0, #0\n  mov x9, #0x4321\n  fmov d0, "
                                     "#0.5\n" EACH_GENERAL(COMPARE) EACH_VECTOR(
                                         COMPARE_VECTOR) "  cmp sp, x29\n  cinc x0, x0, ne\n"
                                                         "  ldp x19, x20, [sp, #16]\n  ldp x21, "
                                                         "x22, [sp, #32]\n  ldp x23, x24, [sp, "
                                                         "#48]\n"
                                                         "  ldp x25, x26, [sp, #64]\n  ldp x27, "
                                                         "x28, [sp, #80]\n"
                                                         "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, "
                                                         "[sp, #112]\n  ldp d12, d13, [sp, #128]\n"
                                                         "  ldp d14, d15, [sp, #144]\n  ldp x29, "
                                                         "x30, [sp], #160\n  ret\n");
#endif

static void registers_that_a_callee_keeps(void) {
  fc_function *function = PROTECTED("void lose_registers(void)", lose_registers);
  CHECK_INT(0, call_with_patterns(function, NULL, NULL));
  CHECK_MESSAGE("lose_registers: SIGSEGV");
  fc_function_free(function);
}

/* ------------------------------------------------------------- calls in calls */

static fc_function *inner;

/* A callee that makes a protected call itself. */
EXPORTED int call_inner(const int *then_read);
EXPORTED int call_inner(const int *then_read) {
  const fc_status status = call_with(inner, NULL, NULL);
  return status == FC_ERR_FAULT ? *(const volatile int *)then_read : -1;
}

static void calls_in_calls(void) {
  inner = PROTECTED("void poke(int *)", poke);
  fc_function *outer = PROTECTED("int call_inner(const int *)", call_inner);
  int value = 42, result = 0;
  CHECK_STATUS(FC_OK, call_with(outer, &result, &value));
  CHECK_MESSAGE("poke: SIGSEGV");
  CHECK_INT(42, result);
  CHECK_STATUS(FC_ERR_FAULT, call_with(outer, &result, NULL));
  CHECK_MESSAGE("call_inner: SIGSEGV");
  CHECK_MESSAGE("in call_inner+0x");
  fc_function_free(outer);
  fc_function_free(inner);
}

static jmp_buf back;

EXPORTED void jump_back(const int *address);
EXPORTED void jump_back(const int *address) {
  (void)address;
  longjmp(back, 1);
}

/* Room where nothing is written, as large as the frames that longjmp has left. */
EXPORTED int deep_peek(const int *address);
EXPORTED int deep_peek(const int *address) {
  volatile char unused[8192];
  unused[0] = 0;
  return *(const volatile int *)address + unused[0];
}

static void leave_by_longjmp(const fc_function *function) {
  if (setjmp(back) == 0) {
    call_with(function, NULL, NULL);
    _exit(99);
  }
}

static int fault_after_longjmp(void) {
  fc_function *function = PROTECTED("void jump_back(const int *)", jump_back);
  leave_by_longjmp(function);
  /* Handlers of protected calls come before it again. */
  expect_unprotected();
  PROTECTED("void jump_back(const int *)", jump_back);
  return deep_peek((const int *)UNPROTECTED);
}

EXPORTED int jump_and_read(const int *address);
EXPORTED int jump_and_read(const int *address) {
  leave_by_longjmp(inner);
  return deep_peek(address);
}

static void calls_that_are_left_by_longjmp(void) {
  /* It is over: a fault is none of its. */
  CHECK_INT(UNPROTECTED_ENDS, child_ends(fault_after_longjmp));
  /* The one outside goes on. */
  inner = PROTECTED("void jump_back(const int *)", jump_back);
  fc_function *outer = PROTECTED("int jump_and_read(const int *)", jump_and_read);
  int value = 42, result = 0;
  for (int round = 0; round < 3; round++) {
    CHECK_STATUS(FC_OK, call_with(outer, &result, &value));
    CHECK_STATUS(FC_ERR_FAULT, call_with(outer, &result, NULL));
    CHECK_MESSAGE("jump_and_read: SIGSEGV");
    CHECK_MESSAGE("in deep_peek+0x");
  }
  fc_function_free(outer);
  fc_function_free(inner);
}

static ucontext_t main_context, other_context;
static int on_other_stack;

static void poke_on_other_stack(void) {
  on_other_stack++;
  poke(NULL);
}

EXPORTED void switch_stacks(void);
EXPORTED void switch_stacks(void) { swapcontext(&main_context, &other_context); }

/* A callee that runs coroutines of its own, on memory above and below its stack. */
static void faults_on_another_stack(void) {
  enum { SIZE = 64 << 10 };
  static char below[SIZE];
  void *mapped = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void *stacks[] = {below, mapped};
  fc_function *function = PROTECTED("void switch_stacks(void)", switch_stacks);
  for (size_t i = 0; i < COUNT_OF(stacks); i++) {
    getcontext(&other_context);
    other_context.uc_stack.ss_sp = stacks[i];
    other_context.uc_stack.ss_size = SIZE;
    makecontext(&other_context, poke_on_other_stack, 0);
    CHECK_STATUS(FC_ERR_FAULT, fc_invoke_checked(function, NULL, NULL));
    CHECK_MESSAGE("switch_stacks: SIGSEGV");
    CHECK_INT(i + 1, on_other_stack);
  }
  fc_function_free(function);
  munmap(mapped, SIZE);
}

/* ------------------------------------------------------------------- threads */

enum { THREADS = 8 };

static int faults_each(void) { return emulated() ? 500 : under_valgrind() ? 100 : 10000; }

typedef struct worker {
  pthread_t thread;
  int number, failures;
  const fc_function *poke, *fail_at;
} worker;

static void *fault_often(void *argument) {
  worker *self = (worker *)argument;
  for (int round = 1; round <= faults_each(); round++) {
    const uintptr_t address = (uintptr_t)(self->number * 16);
    char expected[32];
    int result = 0;
    self->failures += call_with(self->poke, NULL, (void *)address) != FC_ERR_FAULT;
    snprintf(expected, sizeof expected, " 0x%x, in poke", (unsigned)address);
    self->failures += strstr(fc_error_message(), expected) == NULL;
    if (round % 16 == 0) {
      self->failures += call_with(self->fail_at, &result, &round) != FC_OK;
      self->failures += call_with(self->fail_at, &result, NULL) != FC_ERR_FAULT;
      sched_yield();
      self->failures += fc_captured_errno() != round;
    }
  }
  return NULL;
}

static void many_threads_at_once(void) {
  worker workers[THREADS];
  fc_function *poker = PROTECTED("void poke(int *)", poke);
  fc_function *failer =
      function_at("int fail_at(const int *)", ADDRESS_OF(fail_at), FC_PROTECT | FC_CAPTURE_ERRNO);
  for (int i = 0; i < THREADS; i++) {
    memset(&workers[i], 0, sizeof workers[i]);
    workers[i].number = i;
    workers[i].poke = poker;
    workers[i].fail_at = failer;
    CHECK_INT(0, pthread_create(&workers[i].thread, NULL, fault_often, &workers[i]));
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(workers[i].thread, NULL);
    CHECK_INT(0, workers[i].failures);
  }
  fc_function_free(poker);
  fc_function_free(failer);
}

static int faults_in_a_child(void) {
  fc_function *function = PROTECTED("void poke(int *)", poke);
  int failures = 0;
  for (int round = 0; round < 100; round++)
    failures += call_with(function, NULL, NULL) != FC_ERR_FAULT;
  fc_function_free(function);
  return failures + overflow();
}

static void forked_children(void) { CHECK_INT(0, child_ends(faults_in_a_child)); }

static void *end_in_a_protected_call(void *function) {
  call_with((const fc_function *)function, NULL, NULL);
  return function;
}

EXPORTED void end_thread(int *unused);
EXPORTED void end_thread(int *unused) {
  (void)unused;
  pthread_exit(NULL);
}

static void a_thread_may_end_in_a_call(void) {
  fc_function *function =
      function_at("void end_thread(int *)", ADDRESS_OF(end_thread), FC_PROTECT | FC_FORCE_FALLBACK);
  pthread_t thread;
  void *result = function;
  CHECK_INT(0, pthread_create(&thread, NULL, end_in_a_protected_call, function));
  pthread_join(thread, &result);
  CHECK_POINTER(NULL, result);
  fc_function_free(function);
}

/* ------------------------------------------------------- the handlers' stack */

static stack_t alternate_stack(void) {
  stack_t stack;
  memset(&stack, 0, sizeof stack);
  CHECK_INT(0, sigaltstack(NULL, &stack));
  return stack;
}

static void *overflow_on_own_stack(void *argument) {
  (void)argument;
  enum { SIZE = 64 << 10 };
  stack_t own;
  memset(&own, 0, sizeof own);
  own.ss_sp = malloc(SIZE);
  own.ss_size = SIZE;
  CHECK_INT(0, sigaltstack(&own, NULL));
  CHECK_INT(0, overflow());
  const stack_t after = alternate_stack();
  CHECK_POINTER(own.ss_sp, after.ss_sp);
  CHECK_SIZE(SIZE, after.ss_size);
  own.ss_flags = SS_DISABLE;
  CHECK_INT(0, sigaltstack(&own, NULL));
  free(own.ss_sp);
  return NULL;
}

static void *fault_on_farcall_stack(void *argument) {
  (void)argument;
  CHECK((alternate_stack().ss_flags & SS_DISABLE) != 0);
  fc_function *function = PROTECTED("void poke(int *)", poke);
  CHECK((alternate_stack().ss_flags & SS_DISABLE) != 0);
  CHECK_STATUS(FC_ERR_FAULT, call_with(function, NULL, NULL));
  const stack_t made = alternate_stack();
  CHECK_INT(0, made.ss_flags);
  CHECK(made.ss_size >= 64 << 10);
  /* Below it nothing can be used. */
  CHECK_STATUS(FC_ERR_FAULT, call_with(function, NULL, (char *)made.ss_sp - 8));
  CHECK_MESSAGE("(no permission)");
  fc_function_free(function);
  return NULL;
}

static void in_a_thread(void *(*run)(void *)) {
  pthread_t thread;
  CHECK_INT(0, pthread_create(&thread, NULL, run, NULL));
  pthread_join(thread, NULL);
}

static void a_stack_of_the_program_is_used(void) { in_a_thread(overflow_on_own_stack); }
static void a_stack_is_made(void) {
  if (!address_sanitized())
    in_a_thread(fault_on_farcall_stack);
}

static int mappings(void) {
  FILE *file = fopen("/proc/self/maps", "r");
  int lines = 0;
  for (int c; file && (c = fgetc(file)) != EOF;)
    lines += c == '\n';
  if (file)
    fclose(file);
  return lines;
}

static void *fault_once(void *function) {
  call_with((const fc_function *)function, NULL, NULL);
  return NULL;
}

static void stacks_are_given_back(void) {
  fc_function *function = PROTECTED("void poke(int *)", poke);
  int before = 0;
  for (int i = 0; i < 120; i++) {
    pthread_t thread;
    CHECK_INT(0, pthread_create(&thread, NULL, fault_once, function));
    pthread_join(thread, NULL);
    if (i == 20)
      before = mappings();
  }
  CHECK(mappings() < before + 20);
  fc_function_free(function);
}

/* --------------------------------------------------------------------- leaks */

static long resident_pages(void) {
  FILE *file = fopen("/proc/self/statm", "r");
  long size = 0, resident = 0;
  if (file) {
    CHECK_INT(2, fscanf(file, "%ld %ld", &size, &resident));
    fclose(file);
  }
  return resident;
}

static void faults_leak_nothing(void) {
  fc_function *function = PROTECTED("void poke(int *)", poke);
  const int count = emulated() ? 2000 : under_valgrind() ? 300 : 100000;
  long before = 0;
  int failures = 0;
  for (int round = 0; round < count; round++) {
    if (round == count / 10)
      before = resident_pages();
    failures += call_with(function, NULL, NULL) != FC_ERR_FAULT;
  }
  CHECK_INT(0, failures);
  CHECK(resident_pages() < before + 256 || under_valgrind() || emulated() || address_sanitized());
  fc_function_free(function);
}

int main(void) {
  RUN(addresses_that_are_not_mapped);
  RUN(memory_that_is_read_only);
  RUN(code_that_is_not_there);
  RUN(illegal_instructions);
#if defined(__x86_64__)
  RUN(divisions);
  RUN(addresses_that_cannot_be);
#endif
  RUN(memory_beyond_the_end_of_a_file);
  RUN(pointers_of_the_call_itself);
  RUN(arrays_that_cannot_be_read);
  RUN(handlers_that_are_gone);
#ifdef __x86_64__
  RUN(arguments_of_callbacks_that_cannot_be_read);
#endif
  RUN(arguments_are_checked_as_before);
  RUN(stack_overflows);
  RUN(every_path);
  RUN(errno_is_captured);
  RUN(signal_masks);
  RUN(floating_point_environment);
  RUN(registers_that_a_callee_keeps);
  RUN(calls_in_calls);
  RUN(calls_that_are_left_by_longjmp);
  RUN(faults_on_another_stack);
  RUN(many_threads_at_once);
  RUN(forked_children);
  RUN(a_thread_may_end_in_a_call);
  RUN(a_stack_of_the_program_is_used);
  RUN(a_stack_is_made);
  RUN(stacks_are_given_back);
  RUN(faults_leak_nothing);
  return harness_end();
}
