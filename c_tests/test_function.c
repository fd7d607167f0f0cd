/* Binding: options, paths, entries, lifetimes, errno. What calls do is in test_calls.c. */
#include "harness.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static fc_function_options function_options(uint32_t flags) {
  fc_function_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.flags = flags;
  return options;
}

static fc_library *libc_library(void) {
  fc_library *library = NULL;
  CHECK_STATUS(FC_OK, fc_library_open("libc.so.6", NULL, &library));
  return library;
}

static fc_function *bound(const fc_library *library, const char *prototype, uint32_t flags) {
  fc_function_options options = function_options(possible_flags(flags));
  fc_function *function = NULL;
  CHECK_STATUS(FC_OK, fc_bind(library, NULL, prototype, &options, &function));
  return function;
}

static int call_abs(const fc_function *function, int value) {
  int result = 0;
  void *args[] = {&value};
  fc_invoke(function, &result, args);
  return result;
}

static void a_function_knows_what_it_is(void) {
  fc_library *library = libc_library();
  void *address = NULL;
  fc_function *function = bound(library, "int abs(int)", 0);
  CHECK_STATUS(FC_OK, fc_library_symbol(library, "abs", &address));
  CHECK_POINTER(address, fc_function_address(function));
  CHECK_STRING("abs", fc_signature_name(fc_function_signature(function)));
  CHECK_SIZE(1, fc_signature_param_count(fc_function_signature(function)));
  fc_function_free(function);
  fc_library_free(library);
}

static void the_path_says_how(void) {
  fc_library *library = libc_library();
  fc_function *by_stub = bound(library, "int abs(int)", FC_REQUIRE_STUB);
  fc_function *by_libffi = bound(library, "int abs(int)", FC_FORCE_FALLBACK);
  CHECK_STRING(usual_path(), fc_function_path(by_stub));
  CHECK(strncmp(fc_function_path(by_libffi), "libffi: ", 8) == 0);
  CHECK(strlen(fc_function_path(by_libffi)) > 12);
  CHECK_INT(7, call_abs(by_stub, -7));
  CHECK_INT(7, call_abs(by_libffi, -7));
  fc_function_free(by_stub);
  fc_function_free(by_libffi);
  fc_library_free(library);
}

static void entries_are_made_once(void) {
  fc_library *library = libc_library();
  fc_function *function = bound(library, "int abs(int)", 0);
  fc_entry entry = fc_function_entry(function);
  fc_slot_entry slot_entry = fc_function_slot_entry(function);
  CHECK(entry != NULL && entry == fc_function_entry(function));
  CHECK(slot_entry != NULL && slot_entry == fc_function_slot_entry(function));
  fc_function_free(function);
  fc_library_free(library);
}

static void flags_that_are_refused(void) {
  static const struct {
    uint32_t flags;
    fc_status status;
    const char *message;
  } cases[] = {
      {FC_REQUIRE_STUB | FC_FORCE_FALLBACK, FC_ERR_ARGUMENT, "FC_FORCE_FALLBACK"},
      {FC_PROTECT | FC_REQUIRE_STUB | FC_FORCE_FALLBACK, FC_ERR_ARGUMENT, "FC_FORCE_FALLBACK"},
      {1u << 5, FC_ERR_ARGUMENT, "flags"},
      {1u << 31, FC_ERR_ARGUMENT, "flags"}};
  fc_library *library = libc_library();
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fc_function_options options = function_options(cases[i].flags);
    fc_function *function = NULL;
    CHECK_STATUS(cases[i].status, fc_bind(library, NULL, "int abs(int)", &options, &function));
    CHECK_MESSAGE(cases[i].message);
    CHECK_POINTER(NULL, function);
  }
  fc_library_free(library);
}

static void every_other_flag_binds(void) {
  fc_library *library = libc_library();
  static const uint32_t flags[] = {FC_CAPTURE_ERRNO,
                                   FC_TRIVIAL,
                                   FC_TRIVIAL | FC_CAPTURE_ERRNO,
                                   FC_TRIVIAL | FC_FORCE_FALLBACK,
                                   FC_REQUIRE_STUB | FC_TRIVIAL,
                                   FC_PROTECT,
                                   FC_PROTECT | FC_TRIVIAL | FC_CAPTURE_ERRNO};
  for (size_t i = 0; i < COUNT_OF(flags); i++) {
    fc_function *function = bound(library, "int abs(int)", flags[i]);
    CHECK_INT(3, call_abs(function, -3));
    fc_function_free(function);
  }
  fc_library_free(library);
}

static void options_of_other_sizes(void) {
  struct {
    fc_function_options known;
    uint64_t unknown;
  } longer;
  fc_library *library = libc_library();
  fc_function *function = NULL;
  memset(&longer, 0, sizeof longer);
  longer.known.size = sizeof longer;
  longer.known.flags = FC_FORCE_FALLBACK;
  CHECK_STATUS(FC_OK, fc_bind(library, NULL, "int abs(int)", &longer.known, &function));
  CHECK_CONTAINS("libffi", fc_function_path(function));
  fc_function_free(function);
  function = NULL;
  longer.unknown = 1;
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_bind(library, NULL, "int abs(int)", &longer.known, &function));
  CHECK_MESSAGE("size");
  longer.known.size = sizeof(size_t);
  CHECK_STATUS(FC_OK, fc_bind(library, NULL, "int abs(int)", &longer.known, &function));
  CHECK_STRING(usual_path(), fc_function_path(function));
  fc_function_free(function);
  fc_library_free(library);
}

static void what_cannot_be_bound(void) {
  fc_library *library = libc_library();
  fc_function *function = NULL;
  CHECK_STATUS(FC_ERR_NOT_FOUND,
               fc_bind(library, NULL, "int no_such_function(int)", NULL, &function));
  CHECK_MESSAGE("no_such_function");
  CHECK_STATUS(FC_ERR_SYNTAX, fc_bind(library, NULL, "int abs(int", NULL, &function));
  CHECK_FAILS(fc_bind(library, NULL, "int (int)", NULL, &function));
  CHECK_STATUS(FC_ERR_ARGUMENT,
               fc_bind(library, NULL, "int printf(const char *, ...)", NULL, &function));
  CHECK_MESSAGE("variadic");
  CHECK_MESSAGE("printf");
  CHECK_POINTER(NULL, function);
  fc_library_free(library);
}

static void a_name_is_looked_up_in_decls(void) {
  fc_library *library = libc_library();
  fc_decls *decls = NULL;
  fc_function *function = NULL;
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  CHECK_STATUS(FC_OK, fc_decls_add(decls, "typedef int number; number abs(number); long labs;"));
  CHECK_STATUS(FC_OK, fc_bind(library, decls, "abs", NULL, &function));
  fc_decls_free(decls);
  CHECK_INT(9, call_abs(function, -9));
  fc_function_free(function);
  function = NULL;
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  CHECK_STATUS(FC_OK, fc_decls_add(decls, "extern long labs;"));
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_bind(library, decls, "abs", NULL, &function));
  CHECK_MESSAGE("abs");
  CHECK_FAILS(fc_bind(library, decls, "labs", NULL, &function));
  CHECK_FAILS(fc_bind(library, NULL, "abs", NULL, &function));
  CHECK_POINTER(NULL, function);
  fc_decls_free(decls);
  fc_library_free(library);
}

/* glibc's headers rely on it: strerror_r is __xpg_strerror_r there. */
static void a_label_is_the_symbol(void) {
  fc_library *library = libc_library();
  fc_decls *decls = NULL;
  fc_function *function = NULL;
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  CHECK_STATUS(FC_OK, fc_decls_add(decls, "int magnitude(int) __asm__(\"\" \"abs\");"));
  CHECK_STATUS(FC_OK, fc_bind(library, decls, "magnitude", NULL, &function));
  CHECK_INT(9, call_abs(function, -9));
  fc_function_free(function);
  CHECK_STATUS(FC_OK, fc_bind(library, NULL, "int size(int) __asm__(\"abs\")", NULL, &function));
  CHECK_INT(9, call_abs(function, -9));
  fc_function_free(function);
  fc_decls_free(decls);
  fc_library_free(library);
}

/* The library is loaded by nothing else: were it unloaded, the call would crash. */
static void a_function_keeps_all_that_it_needs(void) {
  static const uint32_t flags[] = {0, FC_FORCE_FALLBACK};
  for (size_t i = 0; i < COUNT_OF(flags); i++) {
    fc_library *library = NULL;
    CHECK_STATUS(FC_OK, fc_library_open("libsqlite3.so.0", NULL, &library));
    fc_function *function = bound(library, "int sqlite3_libversion_number(void)", flags[i]);
    fc_library_free(library);
    int version = 0;
    fc_invoke(function, &version, NULL);
    CHECK(version > 3000000);
    CHECK_CONTAINS("sqlite3_libversion_number", fc_signature_name(fc_function_signature(function)));
    fc_function_free(function);
  }
}

static void a_signature_may_be_freed_first(void) {
  fc_signature *signature = NULL;
  fc_function *function = NULL;
  CHECK_STATUS(FC_OK, fc_signature_parse(NULL, "int(int)", &signature));
  CHECK_STATUS(FC_OK, fc_function_new(signature, ADDRESS_OF(abs), NULL, &function));
  fc_signature_free(signature);
  CHECK_INT(4, call_abs(function, -4));
  CHECK_SIZE(1, fc_signature_param_count(fc_function_signature(function)));
  fc_function_free(function);
}

static int fail_with(int number) {
  errno = number;
  return -1;
}

static void call_in_some_way(const fc_function *function, int way, int *number) {
  int result = 0;
  void *args[] = {number};
  fc_slot slot;
  slot.i = *number;
  if (way == 0)
    fc_invoke(function, &result, args);
  else if (way == 1)
    fc_function_entry(function)(&result, args);
  else if (way == 2)
    CHECK_STATUS(FC_OK, fc_invoke_checked(function, &result, args));
  else if (way == 3)
    fc_invoke_slots(function, &slot, &slot);
  else
    fc_function_slot_entry(function)(&slot, &slot);
  CHECK_INT(-1, way < 3 ? result : slot.i);
}

static void errno_is_captured_on_every_path(void) {
  static const uint32_t flags[] = {FC_CAPTURE_ERRNO, FC_CAPTURE_ERRNO | FC_FORCE_FALLBACK};
  fc_signature *signature = NULL;
  CHECK_STATUS(FC_OK, fc_signature_parse(NULL, "int fail_with(int)", &signature));
  for (size_t i = 0; i < COUNT_OF(flags); i++) {
    fc_function_options options = function_options(flags[i]);
    fc_function *function = NULL;
    CHECK_STATUS(FC_OK, fc_function_new(signature, ADDRESS_OF(fail_with), &options, &function));
    for (int way = 0; way < 5; way++) {
      int number = 1000 + way;
      call_in_some_way(function, way, &number);
      errno = 0;
      CHECK_INT(number, fc_captured_errno());
    }
    fc_function_free(function);
  }
  fc_signature_free(signature);
}

static void errno_is_captured_only_where_asked(void) {
  static const uint32_t flags[] = {0, FC_FORCE_FALLBACK};
  fc_signature *signature = NULL;
  fc_function *capturing = NULL, *function = NULL;
  fc_function_options options = function_options(FC_CAPTURE_ERRNO);
  int number = 77;
  CHECK_STATUS(FC_OK, fc_signature_parse(NULL, "int fail_with(int)", &signature));
  CHECK_STATUS(FC_OK, fc_function_new(signature, ADDRESS_OF(fail_with), &options, &capturing));
  call_in_some_way(capturing, 0, &number);
  for (size_t i = 0; i < COUNT_OF(flags); i++) {
    options.flags = flags[i];
    CHECK_STATUS(FC_OK, fc_function_new(signature, ADDRESS_OF(fail_with), &options, &function));
    for (int way = 0; way < 5; way++) {
      number = 2000 + way;
      call_in_some_way(function, way, &number);
      CHECK_INT(number, errno);
      CHECK_INT(77, fc_captured_errno());
    }
    fc_function_free(function);
  }
  fc_function_free(capturing);
  fc_signature_free(signature);
}

static void errno_of_a_real_failure(void) {
  fc_library *library = libc_library();
  fc_function *function = bound(library, "int close(int)", FC_CAPTURE_ERRNO);
  int result = 0, file = -1;
  void *args[] = {&file};
  fc_invoke(function, &result, args);
  CHECK_INT(-1, result);
  CHECK_INT(EBADF, fc_captured_errno());
  fc_function_free(function);
  fc_library_free(library);
}

static void invoke_checked_looks_at_its_arguments(void) {
  fc_library *library = NULL;
  CHECK_STATUS(FC_OK, fc_library_open("libm.so.6", NULL, &library));
  fc_function *function = bound(library, "double pow(double, double)", 0);
  double x = 2, result = 0;
  void *args[] = {&x, NULL};
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_invoke_checked(NULL, &result, args));
  CHECK_MESSAGE("function");
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_invoke_checked(function, NULL, args));
  CHECK_MESSAGE("ret");
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_invoke_checked(function, &result, NULL));
  CHECK_MESSAGE("args");
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_invoke_checked(function, &result, args));
  CHECK_MESSAGE("parameter 2");
  CHECK_MESSAGE("pow");
  CHECK_DOUBLE(0, result);
  fc_function_free(function);
  fc_library_free(library);
}

/* Many at once, freed in another order: stubs share pages. */
static void many_functions(void) {
  enum { COUNT = 3000 };
  static fc_function *functions[COUNT];
  fc_library *library = libc_library();
  for (int round = 0; round < 2; round++) {
    for (size_t i = 0; i < COUNT; i++)
      CHECK_STATUS(FC_OK, fc_bind(library, NULL, "int abs(int)", NULL, &functions[i]));
    for (size_t i = 0; i < COUNT; i += 2)
      fc_function_free(functions[i]);
    for (size_t i = 1; i < COUNT; i += 2)
      CHECK_INT(i, call_abs(functions[i], -(int)i));
    for (size_t i = 1; i < COUNT; i += 2)
      fc_function_free(functions[i]);
  }
  fc_library_free(library);
}

int main(void) {
  RUN(a_function_knows_what_it_is);
  RUN(the_path_says_how);
  RUN(entries_are_made_once);
  RUN(flags_that_are_refused);
  RUN(every_other_flag_binds);
  RUN(options_of_other_sizes);
  RUN(what_cannot_be_bound);
  RUN(a_name_is_looked_up_in_decls);
  RUN(a_label_is_the_symbol);
  RUN(a_function_keeps_all_that_it_needs);
  RUN(a_signature_may_be_freed_first);
  RUN(errno_is_captured_on_every_path);
  RUN(errno_is_captured_only_where_asked);
  RUN(errno_of_a_real_failure);
  RUN(invoke_checked_looks_at_its_arguments);
  RUN(many_functions);
  return harness_end();
}
