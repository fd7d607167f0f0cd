/* How code is made: what FARCALL_CODE asks for, what the system refuses, and what farcall says of
 * it. It is decided once in a process, so that each test has a child of its own. */
#include "restrict.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

static int sum(int a, int b) { return a + b; }

/* In the place of the C library's, for all of the process: a system that refuses to make what was
 * written executable, once it has begun to. */
static bool refuses;

int mprotect(void *address, size_t length, int protection) {
  if (refuses && (protection & PROT_EXEC)) {
    errno = EACCES;
    return -1;
  }
  return (int)syscall(SYS_mprotect, address, length, protection);
}

static fc_status bind(const char *prototype, uint32_t flags, fc_function **out) {
  fc_function_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.flags = flags;
  fc_signature *signature = NULL;
  if (!CHECK_STATUS(FC_OK, fc_signature_parse(NULL, prototype, &signature)))
    return FC_ERR_INTERNAL;
  const fc_status status = fc_function_new(signature, ADDRESS_OF(sum), &options, out);
  fc_signature_free(signature);
  return status;
}

static void check_sum(const fc_function *function) {
  int a = 40, b = 2, result = 0;
  void *args[] = {&a, &b};
  fc_invoke(function, &result, args);
  CHECK_INT(42, result);
}

static void add(void *ret, void *const *args, void *user) {
  const int sum_of_all = *(int *)args[0] + *(int *)args[1] + (int)(intptr_t)user;
  memcpy(ret, &sum_of_all, sizeof sum_of_all);
}

/* More callbacks than the library's own text has room for, and entries of functions. */
static void check_callbacks_and_entries(void) {
  enum { COUNT = 12000 };
  static fc_callback *callbacks[COUNT];
  fc_signature *signature = NULL;
  CHECK_STATUS(FC_OK, fc_signature_parse(NULL, "int sum(int, int)", &signature));
  int failures = 0;
  for (int i = 0; i < COUNT; i++)
    failures += fc_callback_new(signature, add, (void *)(intptr_t)i, NULL, &callbacks[i]) != FC_OK;
  if (!CHECK_INT(0, failures))
    printf("  %s\n", fc_error_message());
  for (int i = 0; i < COUNT && !failures; i++)
    failures += FC_AS_FUNCTION(int (*)(int, int), fc_callback_code(callbacks[i]))(1, 2) != i + 3;
  CHECK_INT(0, failures);
  for (int i = 0; i < COUNT; i++)
    fc_callback_free(callbacks[i]);
  for (int i = 0; i < 3000 && !failures; i++) {
    fc_function *function = NULL;
    int a = i, b = 2, result = 0;
    void *args[] = {&a, &b};
    failures += fc_function_new(signature, ADDRESS_OF(sum), NULL, &function) != FC_OK;
    fc_entry entry = fc_function_entry(function);
    if (entry)
      entry(&result, args);
    failures += result != i + 2;
    if (i % 2)
      fc_function_free(function);
  }
  CHECK_INT(0, failures);
  fc_signature_free(signature);
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512];
  while (CHECK(maps != NULL) && fgets(line, sizeof line, maps)) {
    const char *rights = strchr(line, ' ');
    if (rights && rights[2] == 'w' && rights[3] == 'x')
      CHECK_STRING("no page that is writable and executable", line);
  }
  if (maps)
    fclose(maps);
}

/* Functions get stubs, and the status is so. */
static void check_stubs(void) {
  fc_function *function = NULL;
  CHECK_STRING("stubs", fc_code_status());
  if (CHECK_STATUS(FC_OK, bind("int sum(int, int)", FC_REQUIRE_STUB, &function))) {
    CHECK_STRING("stub", fc_function_path(function));
    check_sum(function);
    fc_function_free(function);
  }
  check_callbacks_and_entries();
  CHECK_STRING("stubs", fc_code_status());
}

/* Functions can be called all the same, a stub cannot be had, and all say why. */
static void check_static(const char *reason) {
  fc_function *function = NULL;
  CHECK_INT(0, strncmp("static: ", fc_code_status(), 8));
  CHECK_CONTAINS(reason, fc_code_status());
  CHECK_STATUS(FC_ERR_UNSUPPORTED, bind("int sum(int, int)", FC_REQUIRE_STUB, &function));
  CHECK_MESSAGE(reason);
  CHECK_MESSAGE("FC_REQUIRE_STUB");
  CHECK_POINTER(NULL, function);
  if (CHECK_STATUS(FC_OK, bind("int sum(int, int)", 0, &function))) {
    CHECK_CONTAINS(reason, fc_function_path(function));
    check_sum(function);
    fc_function_free(function);
  }
  fc_code_stats stats;
  memset(&stats, 0, sizeof stats);
  stats.size = sizeof stats;
  CHECK_STATUS(FC_OK, fc_code_statistics(&stats));
  CHECK_SIZE(0, stats.mapped_bytes);
  check_callbacks_and_entries();
}

static void asked_for_nothing(void) {
  unsetenv("FARCALL_CODE");
  check_stubs();
}

static void asked_for_stubs(void) {
  setenv("FARCALL_CODE", "stubs", 1);
  check_stubs();
}

static void asked_for_what_is_not_known(void) {
  setenv("FARCALL_CODE", "None", 1);
  check_stubs();
}

static void asked_for_none(void) {
  setenv("FARCALL_CODE", "none", 1);
  /* It is read once: what the program does to it later changes nothing. */
  CHECK_STRING("static: asked for by FARCALL_CODE=none", fc_code_status());
  unsetenv("FARCALL_CODE");
  check_static("asked for by FARCALL_CODE=none");
}

static void asked_for_dual(void) {
  setenv("FARCALL_CODE", "dual", 1);
  check_stubs();
}

static void nothing_is_tried_where_none_is_asked_for(void) {
  refuses = true;
  setenv("FARCALL_CODE", "none", 1);
  CHECK_STRING("static: asked for by FARCALL_CODE=none", fc_code_status());
}

static const char denied[] =
    "mprotect (making new code executable): Permission denied (os error 13)";

static void refused_from_the_start(void) {
  unsetenv("FARCALL_CODE");
  refuses = true;
  check_static(denied);
}

static void refused_later(void) {
  unsetenv("FARCALL_CODE");
  fc_function *before = NULL, *after = NULL;
  CHECK_STATUS(FC_OK, bind("int sum(int, int)", FC_REQUIRE_STUB, &before));
  refuses = true;
  CHECK_STRING("stubs", fc_code_status());
  CHECK_STATUS(FC_OK, bind("int sum(int, int, double)", 0, &after));
  CHECK_CONTAINS(denied, fc_function_path(after));
  CHECK_INT(0, strncmp("static: ", fc_code_status(), 8));
  CHECK_CONTAINS(denied, fc_code_status());
  fc_function_free(after);
  after = NULL;
  /* What was made stays; no more is, even if the system would let it again. */
  check_sum(before);
  CHECK_STRING("stub", fc_function_path(before));
  refuses = false;
  CHECK_STATUS(FC_ERR_UNSUPPORTED, bind("int sum(int, int, float)", FC_REQUIRE_STUB, &after));
  CHECK_MESSAGE(denied);
  fc_function_free(before);
}

/* PR_SET_MDWE, Linux 6.3. */
static void refused_by_prctl(void) {
  unsetenv("FARCALL_CODE");
  if (prctl(65, 1L, 0L, 0L, 0L) != 0) {
    printf("skipped: this system has no PR_SET_MDWE\n");
    return;
  }
  check_static(denied);
}

static void refused_by_the_filter_of_systemd(void) {
  unsetenv("FARCALL_CODE");
  if (!CHECK(forbid_write_then_execute()))
    return;
  check_static("mprotect (making new code executable): Operation not permitted (os error 1)");
}

/* Dual code gets round these; that is why it is only used where it is asked for. */
static void dual_where_write_then_execute_is_refused(void) {
  setenv("FARCALL_CODE", "dual", 1);
  refuses = true;
  if (can_forbid_calls() && !CHECK(forbid_write_then_execute()))
    return;
  check_stubs();
}

static void dual_without_such_files(void) {
  setenv("FARCALL_CODE", "dual", 1);
  const long calls[] = {SYS_memfd_create};
  if (!CHECK(forbid(calls, COUNT_OF(calls), EPERM)))
    return;
  check_static("memfd_create (memory that is mapped twice): Operation not permitted (os error 1)");
}

/* On Linux before 6.3 they cannot be said to be executable. */
static void dual_on_older_systems(void) {
  setenv("FARCALL_CODE", "dual", 1);
  enum { EXECUTABLE_FILE = 0x10 };
  if (!CHECK(forbid_flag(SYS_memfd_create, 1, EXECUTABLE_FILE, EINVAL)))
    return;
  check_stubs();
}

/* The descriptors of the process, but for the one that they are read with. */
static int open_files(void) {
  int count = 0;
  for (int number = 0; number < 256; number++)
    count += fcntl(number, F_GETFD) >= 0;
  return count;
}

static void dual_leaves_no_file(void) {
  setenv("FARCALL_CODE", "dual", 1);
  const int before = open_files();
  check_stubs();
  const pid_t child = fork();
  if (child == 0)
    _exit(open_files() == before ? 0 : 1);
  int status = -1;
  CHECK_INT(child, waitpid(child, &status, 0));
  CHECK_INT(0, status);
  CHECK_INT(before, open_files());
}

/* Where there is no memory for code just now, callbacks and entries work all the same, and the
 * status says why. */
static void check_lacking(fc_function *function, const char *status) {
  check_sum(function);
  int a = 40, b = 2, result = 0;
  void *args[] = {&a, &b};
  fc_entry entry = fc_function_entry(function);
  if (CHECK(entry != NULL)) {
    entry(&result, args);
    CHECK_INT(42, result);
  }
  fc_function_free(function);
  fc_signature *signature = NULL;
  fc_callback *callback = NULL;
  CHECK_STATUS(FC_OK, fc_signature_parse(NULL, "int sum(int, int)", &signature));
  if (CHECK_STATUS(FC_OK, fc_callback_new(signature, add, NULL, NULL, &callback)))
    CHECK_INT(3, FC_AS_FUNCTION(int (*)(int, int), fc_callback_code(callback))(1, 2));
  fc_callback_free(callback);
  fc_signature_free(signature);
  CHECK_STRING(status, fc_code_status());
}

/* Without descriptors there is no memory for code, this time: nothing is decided for good. */
static void dual_for_want_of_descriptors(void) {
  setenv("FARCALL_CODE", "dual", 1);
  struct rlimit limit;
  CHECK_INT(0, getrlimit(RLIMIT_NOFILE, &limit));
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = 0;
  CHECK_INT(0, setrlimit(RLIMIT_NOFILE, &limit));
  fc_function *function = NULL;
  CHECK_STATUS(FC_OK, bind("int sum(int, int)", 0, &function));
  CHECK_CONTAINS("libffi: executable memory: memfd_create", fc_function_path(function));
  check_lacking(
      function,
      "static: memfd_create (memory that is mapped twice): Too many open files (os error 24)");
  limit.rlim_cur = before;
  CHECK_INT(0, setrlimit(RLIMIT_NOFILE, &limit));
  check_stubs();
}

/* Such memory counts as a file. One that is too large is not even tried: the signal would end the
 * process. */
static void dual_under_a_limit_of_file_size(void) {
  setenv("FARCALL_CODE", "dual", 1);
  struct rlimit limit;
  CHECK_INT(0, getrlimit(RLIMIT_FSIZE, &limit));
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = 10000;
  CHECK_INT(0, setrlimit(RLIMIT_FSIZE, &limit));
  const char status[] =
      "static: ftruncate (memory that is mapped twice): File too large (os error 27)";
  CHECK_STRING(status, fc_code_status());
  fc_function *function = NULL;
  CHECK_STATUS(FC_OK, bind("int sum(int, int)", 0, &function));
  CHECK_CONTAINS("libffi: executable memory: ftruncate", fc_function_path(function));
  check_lacking(function, status);
  limit.rlim_cur = before;
  CHECK_INT(0, setrlimit(RLIMIT_FSIZE, &limit));
  check_stubs();
}

int main(void) {
  RUN_IN_CHILD(asked_for_nothing);
  RUN_IN_CHILD(asked_for_stubs);
  RUN_IN_CHILD(asked_for_what_is_not_known);
  RUN_IN_CHILD(asked_for_none);
  RUN_IN_CHILD(asked_for_dual);
  RUN_IN_CHILD(nothing_is_tried_where_none_is_asked_for);
  RUN_IN_CHILD(refused_from_the_start);
  RUN_IN_CHILD(refused_later);
  RUN_IN_CHILD(refused_by_prctl);
  RUN_IN_CHILD(dual_where_write_then_execute_is_refused);
  RUN_IN_CHILD(dual_leaves_no_file);
  if (!under_valgrind() && !emulated())
    RUN_IN_CHILD(dual_for_want_of_descriptors);
  if (!under_valgrind() && !emulated())
    RUN_IN_CHILD(dual_under_a_limit_of_file_size);
  if (can_forbid_calls()) {
    RUN_IN_CHILD(refused_by_the_filter_of_systemd);
    RUN_IN_CHILD(dual_without_such_files);
    RUN_IN_CHILD(dual_on_older_systems);
  }
  return harness_end();
}
