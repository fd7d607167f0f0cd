/* Callbacks: what they are called with, what they return, from where they may be called, and what
 * is refused. */
#include "callbacks.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* ------------------------------------------------------------------------ values */

static void add_handler(void *ret, void *const *args, void *user) {
  const int sum = *(int *)args[0] + *(int *)args[1] + *(int *)user;
  memcpy(ret, &sum, sizeof sum);
}

static void add_slots(fc_slot *ret, const fc_slot *slots, void *user) {
  ret->i = slots[0].i + slots[1].i + *(int *)user;
}

typedef int binary(int, int);

static void a_callback_is_a_function_pointer(void) {
  int user = 1000;
  fc_callback *pointers = callback_of("int add(int, int)", add_handler, &user, NULL);
  fc_callback *slots = slot_callback_of("int add(int, int)", add_slots, &user, NULL);
  binary *by_pointers = CODE(binary *, pointers), *by_slots = CODE(binary *, slots);
  CHECK_INT(1042, by_pointers(40, 2));
  CHECK_INT(997, by_slots(-1, -2));
  user = -1;
  CHECK_INT(1, by_pointers(1, 1));
  CHECK(by_pointers != by_slots);
  CHECK_POINTER(fc_callback_code(pointers), fc_callback_code(pointers));
  fc_callback_free(pointers);
  fc_callback_free(slots);
}

typedef struct mixed {
  int64_t whole;
  double part;
} mixed;
typedef struct large {
  int64_t values[6];
} large;

static void all_kinds(void *ret, void *const *args, void *user) {
  CHECK_INT(-5, *(int8_t *)args[0]);
  CHECK_INT(60000, *(uint16_t *)args[1]);
  CHECK(*(bool *)args[2]);
  CHECK_INT(-1234567890123, *(int64_t *)args[3]);
  CHECK_DOUBLE(2.5, (double)*(float *)args[4]);
  CHECK_DOUBLE(-0.125, *(double *)args[5]);
  CHECK(*(long double *)args[6] == 3.75L);
  const mixed *both = (mixed *)args[7];
  CHECK_INT(77, both->whole);
  CHECK_DOUBLE(0.5, both->part);
  const large *six = (large *)args[8];
  for (int i = 0; i < 6; i++)
    CHECK_INT(i * i, six->values[i]);
  CHECK_POINTER(user, *(void **)args[9]);
  for (int i = 0; i < 10; i++)
    CHECK_SIZE(0, (uintptr_t)args[i] % (i == 6 ? _Alignof(long double) : i < 3 ? 2 : 4));
  const mixed result = {both->whole + 1, both->part + 1};
  memcpy(ret, &result, sizeof result);
}

static void values_of_every_kind_arrive(void) {
  int user = 0;
  fc_callback *callback = callback_of(
      "struct { long w; double p; } f(signed char, unsigned short, _Bool, long, float, double, "
      "long double, struct { long w; double p; }, struct { long v[6]; }, void *)",
      all_kinds, &user, NULL);
  typedef mixed function(int8_t, uint16_t, bool, int64_t, float, double, long double, mixed, large,
                         void *);
  const mixed both = {77, 0.5};
  const large six = {{0, 1, 4, 9, 16, 25}};
  const mixed result = CODE(function *, callback)(-5, 60000, true, -1234567890123, 2.5f, -0.125,
                                                  3.75L, both, six, &user);
  CHECK_INT(78, result.whole);
  CHECK_DOUBLE(1.5, result.part);
  fc_callback_free(callback);
}

static void large_result(void *ret, void *const *args, void *user) {
  (void)user;
  large result;
  for (int i = 0; i < 6; i++)
    result.values[i] = *(int64_t *)args[0] + i;
  memcpy(ret, &result, sizeof result);
}

static void large_result_slots(fc_slot *ret, const fc_slot *slots, void *user) {
  (void)user;
  const large *from = (const large *)slots[0].p;
  large result;
  for (int i = 0; i < 6; i++)
    result.values[i] = from->values[5 - i];
  memcpy(ret->p, &result, sizeof result);
}

static void large_values_come_and_go_in_memory(void) {
  fc_callback *callback = callback_of("struct { long v[6]; } f(long)", large_result, NULL, NULL);
  const large result = CODE(large(*)(int64_t), callback)(100);
  CHECK_INT(105, result.values[5]);
  fc_callback_free(callback);
  callback = slot_callback_of("struct { long v[6]; } f(struct { long v[6]; })", large_result_slots,
                              NULL, NULL);
  const large reversed = CODE(large(*)(large), callback)(result);
  for (int i = 0; i < 6; i++)
    CHECK_INT(105 - i, reversed.values[i]);
  fc_callback_free(callback);
}

static void narrow_slots(fc_slot *ret, const fc_slot *slots, void *user) {
  (void)user;
  CHECK_INT(-1, slots[0].i);
  CHECK_INT(255, slots[1].i);
  CHECK_INT(-32768, slots[2].i);
  CHECK_INT(65535, slots[3].i);
  CHECK_INT(-2147483647 - 1, slots[4].i);
  CHECK_INT(4294967295, slots[5].i);
  CHECK_INT(1, slots[6].i);
  float seven = 0;
  memcpy(&seven, &slots[7], sizeof seven);
  CHECK_DOUBLE(7.5, (double)seven);
  /* What is above the result's bytes is not read. */
  ret->i = 0x1234567890abcd80;
}

static void slots_hold_extended_integers(void) {
  fc_callback *callback = slot_callback_of(
      "signed char f(signed char, unsigned char, short, unsigned short, int, unsigned, "
      "_Bool, float)",
      narrow_slots, NULL, NULL);
  typedef int8_t function(int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, bool, float);
  CHECK_INT(-128, CODE(function *, callback)(-1, 255, -32768, 65535, -2147483647 - 1, 4294967295,
                                             true, 7.5f));
  fc_callback_free(callback);
}

/* Not even a pointer to memory for a result is needed. */
static void nothing_handler(void *ret, void *const *args, void *user) {
  (void)ret, (void)args;
  ++*(int *)user;
}

static void nothing_goes_in_or_out(void) {
  int calls = 0;
  fc_callback *callback = callback_of("void f(void)", nothing_handler, &calls, NULL);
  CODE(void (*)(void), callback)();
  CODE(void (*)(void), callback)();
  CHECK_INT(2, calls);
  fc_callback_free(callback);
}

/* Arguments belong to who is called. */
static void changing_handler(void *ret, void *const *args, void *user) {
  (void)user;
  large *six = (large *)args[0];
  six->values[0] = -1;
  *(int *)args[1] = 5;
  memcpy(ret, args[1], sizeof(int));
}

static void handlers_may_change_arguments(void) {
  fc_callback *callback =
      callback_of("int f(struct { long v[6]; }, int)", changing_handler, NULL, NULL);
  const large six = {{1, 2, 3, 4, 5, 6}};
  CHECK_INT(5, CODE(int (*)(large, int), callback)(six, 1));
  CHECK_INT(1, six.values[0]);
  fc_callback_free(callback);
}

/* --------------------------------------------------------------- who calls them */

static void compare_ints(void *ret, void *const *args, void *user) {
  const int a = **(int **)args[0], b = **(int **)args[1];
  ++*(int *)user;
  const int order = (a > b) - (a < b);
  memcpy(ret, &order, sizeof order);
}

static void qsort_sorts_by_a_callback(void) {
  int values[1000], calls = 0;
  for (int i = 0; i < 1000; i++)
    values[i] = i * 7919 % 1000;
  fc_callback *callback =
      callback_of("int compare(const void *, const void *)", compare_ints, &calls, NULL);
  qsort(values, 1000, sizeof values[0], CODE(int (*)(const void *, const void *), callback));
  for (int i = 0; i < 1000; i++)
    CHECK_INT(i, values[i]);
  CHECK(calls > 1000);
  fc_callback_free(callback);
}

typedef struct operations {
  const char *name;
  binary *function;
} operations;
static binary *global_function;

static int call_all(const operations *table, size_t count, int a, int b) {
  int sum = global_function(a, b);
  for (size_t i = 0; i < count; i++)
    sum += table[i].function(a, b);
  return sum;
}

static void function_pointers_stand_in_data(void) {
  int users[3] = {10, 200, 3000};
  fc_callback *callbacks[3];
  operations table[2];
  for (int i = 0; i < 3; i++)
    callbacks[i] = callback_of("int add(int, int)", add_handler, &users[i], NULL);
  for (int i = 0; i < 2; i++)
    table[i] = (operations){"add", CODE(binary *, callbacks[i])};
  global_function = CODE(binary *, callbacks[2]);
  CHECK_INT(3219, call_all(table, 2, 1, 2));
  for (int i = 0; i < 3; i++)
    fc_callback_free(callbacks[i]);
}

/* A function of the library that is called with a callback of the library. */
static void farcall_calls_what_calls_a_callback(void) {
  fc_decls *decls = NULL;
  fc_library *libc_library = NULL;
  fc_function *sort = NULL;
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  CHECK_STATUS(FC_OK,
               fc_decls_add(decls,
                            "typedef int comparison(const void *, const void *);"
                            "void qsort(void *, unsigned long, unsigned long, comparison *);"));
  CHECK_STATUS(FC_OK, fc_library_open(NULL, NULL, &libc_library));
  CHECK_STATUS(FC_OK, fc_bind(libc_library, decls, "qsort", NULL, &sort));
  /* The parameter of the function knows the callback's signature. */
  const fc_type *pointer = fc_signature_param(fc_function_signature(sort), 3);
  const fc_signature *comparison = fc_type_signature(pointer);
  int calls = 0, values[] = {3, 1, 2};
  fc_callback *callback = NULL;
  CHECK_STATUS(FC_OK, fc_callback_new(comparison, compare_ints, &calls, NULL, &callback));
  void *array = values, *code = fc_callback_code(callback);
  size_t count = 3, size = sizeof values[0];
  void *args[] = {&array, &count, &size, &code};
  fc_invoke(sort, NULL, args);
  CHECK_INT(1, values[0]);
  CHECK_INT(2, values[1]);
  CHECK_INT(3, values[2]);
  fc_callback_free(callback);
  fc_function_free(sort);
  fc_library_free(libc_library);
  fc_decls_free(decls);
}

static void *call_often(void *code) {
  binary *add = FC_AS_FUNCTION(binary *, code);
  for (int i = 0; i < 20000; i++)
    if (add(i, 1) != i + 2)
      return code;
  return NULL;
}

/* Threads that farcall has never seen. */
static void foreign_threads_call(void) {
  int user = 1;
  fc_callback *callback = callback_of("int add(int, int)", add_handler, &user, NULL);
  pthread_t threads[8];
  for (int i = 0; i < 8; i++)
    CHECK_INT(0, pthread_create(&threads[i], NULL, call_often, fc_callback_code(callback)));
  for (int i = 0; i < 8; i++) {
    void *failed = NULL;
    pthread_join(threads[i], &failed);
    CHECK(failed == NULL);
  }
  fc_callback_free(callback);
}

static binary *recursive;

static void sum_down(void *ret, void *const *args, void *user) {
  const int n = *(int *)args[0], rest = n > 0 ? recursive(n - 1, *(int *)args[1]) : *(int *)user;
  /* What is below on the stack has not touched what is here. */
  const int sum = rest + *(int *)args[0] - n + *(int *)args[1];
  memcpy(ret, &sum, sizeof sum);
}

static void callbacks_call_themselves(void) {
  int user = 5;
  fc_callback *callback = callback_of("int f(int, int)", sum_down, &user, NULL);
  recursive = CODE(binary *, callback);
  CHECK_INT(3 * 10001 + 5, recursive(10000, 3));
  fc_callback_free(callback);
}

/* ------------------------------------------------------------------ what is refused */

static void what_cannot_be_is_refused(void) {
  fc_signature *signature = parsed("int f(int)"), *variadic = parsed("int g(int, ...)");
  fc_callback *callback = NULL;
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_callback_new(NULL, add_handler, NULL, NULL, &callback));
  CHECK_MESSAGE("fc_callback_new: signature is NULL");
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_callback_new(signature, NULL, NULL, NULL, &callback));
  CHECK_MESSAGE("fc_callback_new: handler is NULL");
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_callback_new(signature, add_handler, NULL, NULL, NULL));
  CHECK_MESSAGE("fc_callback_new: out is NULL");
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_callback_new_slots(NULL, add_slots, NULL, NULL, &callback));
  CHECK_MESSAGE("fc_callback_new_slots: signature is NULL");
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_callback_new_slots(signature, NULL, NULL, NULL, &callback));
  CHECK_MESSAGE("fc_callback_new_slots: handler is NULL");
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_callback_new_slots(signature, add_slots, NULL, NULL, NULL));
  CHECK_MESSAGE("fc_callback_new_slots: out is NULL");
  CHECK_STATUS(FC_ERR_UNSUPPORTED, fc_callback_new(variadic, add_handler, NULL, NULL, &callback));
  CHECK_MESSAGE("g: a callback cannot be variadic");
  fc_signature *completed = NULL;
  const fc_type *extra = fc_type_scalar(FC_F64);
  CHECK_STATUS(FC_OK, fc_signature_variadic(variadic, &extra, 1, &completed));
  CHECK_STATUS(FC_ERR_UNSUPPORTED, fc_callback_new(completed, add_handler, NULL, NULL, &callback));
  CHECK_MESSAGE("g: a callback cannot be variadic");
#if defined(__x86_64__)
  const fc_abi foreign = FC_ABI_AAPCS64;
#else
  const fc_abi foreign = FC_ABI_WIN64;
#endif
  fc_signature *other = NULL;
  CHECK_STATUS(FC_OK, fc_signature_new(foreign, fc_type_scalar(FC_I32), NULL, 0, 0, &other));
  CHECK_STATUS(FC_ERR_UNSUPPORTED, fc_callback_new(other, add_handler, NULL, NULL, &callback));
  CHECK(callback == NULL);
  fc_signature_free(other);
  fc_signature_free(completed);
  fc_signature_free(variadic);
  fc_signature_free(signature);
}

static void options_are_checked(void) {
  fc_signature *signature = parsed("int f(int)"), *nothing = parsed("void g(int)");
  fc_callback *callback = NULL;
  fc_callback_options options = callback_defaults();
  options.threads = (fc_threads)3;
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_callback_new(signature, add_handler, NULL, &options, &callback));
  CHECK_MESSAGE("fc_callback_new: options.threads: 3 is no fc_threads");
  options.threads = FC_THREADS_OWNER;
  CHECK_STATUS(FC_ERR_UNSUPPORTED,
               fc_callback_new(signature, add_handler, NULL, &options, &callback));
  CHECK_MESSAGE("f: threads: this version has no FC_THREADS_OWNER");
  options.threads = FC_THREADS_POST;
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_callback_new(signature, add_handler, NULL, &options, &callback));
  CHECK_MESSAGE("f: threads: FC_THREADS_POST needs a result of void");
  CHECK_MESSAGE("got int");
  CHECK_STATUS(FC_ERR_UNSUPPORTED,
               fc_callback_new(nothing, add_handler, NULL, &options, &callback));
  CHECK_MESSAGE("g: threads: this version has no FC_THREADS_POST");
  options = callback_defaults();
  options.owner_timeout_ns = -1;
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_callback_new(signature, add_handler, NULL, &options, &callback));
  CHECK_MESSAGE("owner_timeout_ns: expected nanoseconds, or 0 for ever, got -1");
  options = callback_defaults();
  options.owner_loop = (fc_loop *)(void *)&options;
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_callback_new(signature, add_handler, NULL, &options, &callback));
  CHECK_MESSAGE("options.owner_loop: expected NULL with FC_THREADS_ANY");
  options.size = 3;
  CHECK_STATUS(FC_ERR_ARGUMENT,
               fc_callback_new_slots(signature, add_slots, NULL, &options, &callback));
  CHECK_MESSAGE("fc_callback_new_slots: options.size is 3");
  CHECK(callback == NULL);
  CHECK(fc_callback_code(NULL) == NULL);
  fc_callback_free(NULL);
  fc_callback_ref(NULL);
  fc_callback_unref(NULL);
  fc_signature_free(nothing);
  fc_signature_free(signature);
}

/* An indirect call of hardened code looks for a landing pad, clang's -fsanitize=function for a word
 * 8 bytes before. */
static void code_is_fit_for_hardened_callers(void) {
  int user = 0;
  fc_callback *callbacks[5000];
  for (size_t i = 0; i < COUNT_OF(callbacks); i++) {
    callbacks[i] = callback_of("int add(int, int)", add_handler, &user, NULL);
    const unsigned char *code = (const unsigned char *)fc_callback_code(callbacks[i]);
#if defined(__x86_64__)
    static const unsigned char pad[] = {0xf3, 0x0f, 0x1e, 0xfa};
#else
    static const unsigned char pad[] = {0x5f, 0x24, 0x03, 0xd5};
#endif
    volatile unsigned char before = 0;
    for (int j = 1; j <= 16; j++)
      before = (unsigned char)(before + code[-j]);
    if (memcmp(pad, code, sizeof pad) != 0) {
      CHECK_BYTES(pad, code, sizeof pad);
      break;
    }
  }
  for (size_t i = 0; i < COUNT_OF(callbacks); i++)
    fc_callback_free(callbacks[i]);
}

int main(void) {
  RUN(a_callback_is_a_function_pointer);
  RUN(values_of_every_kind_arrive);
  RUN(large_values_come_and_go_in_memory);
  RUN(slots_hold_extended_integers);
  RUN(nothing_goes_in_or_out);
  RUN(handlers_may_change_arguments);
  RUN(qsort_sorts_by_a_callback);
  RUN(function_pointers_stand_in_data);
  RUN(farcall_calls_what_calls_a_callback);
  RUN(foreign_threads_call);
  RUN(callbacks_call_themselves);
  RUN(what_cannot_be_is_refused);
  RUN(options_are_checked);
  RUN(code_is_fit_for_hardened_callers);
  return harness_end();
}
