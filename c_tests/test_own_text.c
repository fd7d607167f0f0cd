/* Callbacks and entries where no code is made, more than the library has in its text: it is mapped
 * once more, whatever has become of its file meanwhile. Each test loads a copy of the library. */
#include "restrict.h"

#include "folders.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>

/* A copy of the library, and those of its functions that are used here. */
static char folder[PATH_MAX];
static char path[PATH_MAX];
static __typeof__(&fc_signature_parse) signature_parse;
static __typeof__(&fc_callback_new) callback_new;
static __typeof__(&fc_callback_code) callback_code;
static __typeof__(&fc_function_new) function_new;
static __typeof__(&fc_function_entry) function_entry;
static __typeof__(&fc_error_message) error_message;
static __typeof__(&fc_code_status) code_status;

static bool load(const char *mode, const char *name) {
  setenv("FARCALL_CODE", mode, 1);
  Dl_info info;
  if (!make_folder(folder) || !CHECK(dladdr(ADDRESS_OF(fc_version), &info) != 0) ||
      !put_copy(info.dli_fname, folder, name))
    return false;
  strcpy(path, in_folder(folder, name));
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!CHECK(library != NULL))
    return false;
#define FIND(name) name = FC_AS_FUNCTION(__typeof__(name), dlsym(library, "fc_" #name))
  FIND(signature_parse);
  FIND(callback_new);
  FIND(callback_code);
  FIND(function_new);
  FIND(function_entry);
  FIND(error_message);
  FIND(code_status);
#undef FIND
  return CHECK(signature_parse && callback_new && callback_code && function_new && function_entry &&
               error_message && code_status);
}

static int sum(int a, int b) { return a + b; }

static void add(void *ret, void *const *args, void *user) {
  const int sum_of_all = *(int *)args[0] + *(int *)args[1] + (int)(intptr_t)user;
  memcpy(ret, &sum_of_all, sizeof sum_of_all);
}

/* How many callbacks can be made, of so many; each is called. */
static int make_callbacks(int count) {
  static int made;
  fc_signature *signature = NULL;
  CHECK_INT(FC_OK, signature_parse(NULL, "int sum(int, int)", &signature));
  for (int i = 0; i < count; i++, made++) {
    fc_callback *callback = NULL;
    if (callback_new(signature, add, (void *)(intptr_t)made, NULL, &callback) != FC_OK)
      return i;
    CHECK_INT(made + 3, FC_AS_FUNCTION(int (*)(int, int), callback_code(callback))(1, 2));
  }
  return count;
}

static int make_entries(int count) {
  fc_signature *signature = NULL;
  CHECK_INT(FC_OK, signature_parse(NULL, "int sum(int, int)", &signature));
  for (int i = 0; i < count; i++) {
    fc_function *function = NULL;
    int a = i, b = 2, result = 0;
    void *args[] = {&a, &b};
    CHECK_INT(FC_OK, function_new(signature, ADDRESS_OF(sum), NULL, &function));
    fc_entry entry = function_entry(function);
    if (!entry)
      return i;
    entry(&result, args);
    CHECK_INT(i + 2, result);
  }
  return count;
}

enum { IN_TEXT = 4096, ENTRIES_IN_TEXT = 1024, MANY = 12000, MANY_ENTRIES = 3000 };

/* Without what was kept there would be no more. */
static void check_many(void) {
  if (!CHECK_INT(MANY, make_callbacks(MANY)) ||
      !CHECK_INT(MANY_ENTRIES, make_entries(MANY_ENTRIES)))
    printf("  %s\n", error_message());
}

static void in_a_folder_with_a_line_end(void) {
  if (load("none", "a\nb (c).so"))
    check_many();
  remove_folder(folder);
}

static void replaced_later(void) {
  if (!load("none", "x.so"))
    return;
  CHECK_INT(1, make_callbacks(1));
  CHECK(put_file(folder, "new.so", "short", 5));
  CHECK_INT(0, rename(in_folder(folder, "new.so"), path));
  check_many();
  remove_folder(folder);
}

static void removed_later_after_an_entry(void) {
  if (!load("none", "x.so"))
    return;
  CHECK_INT(1, make_entries(1));
  remove_folder(folder);
  check_many();
}

static void without_descriptors_later(void) {
  if (!load("none", "x.so"))
    return;
  CHECK_INT(1, make_callbacks(1));
  struct rlimit limit = {0, 0};
  CHECK_INT(0, setrlimit(RLIMIT_NOFILE, &limit));
  check_many();
  CHECK_INT(0, unlink(path));
  CHECK_INT(0, rmdir(folder));
}

/* A program may begin with new code, and go into a sandbox that refuses it. */
static void refused_later(void) {
  if (!load("stubs", "x.so"))
    return;
  CHECK_INT(1, make_callbacks(1));
  CHECK_STRING("stubs", code_status());
  remove_folder(folder);
  struct rlimit limit = {0, 0};
  CHECK_INT(0, setrlimit(RLIMIT_NOFILE, &limit));
  CHECK(forbid_write_then_execute());
  check_many();
  CHECK_CONTAINS("static: ", code_status());
}

static void behind_chroot_later(void) {
  if (!load("none", "x.so"))
    return;
  CHECK_INT(1, make_callbacks(1));
  const int outside = open("/", O_RDONLY | O_DIRECTORY);
  if (chroot(folder) == 0 && chdir("/") == 0) {
    check_many();
    CHECK(fchdir(outside) == 0 && chroot(".") == 0);
  } else {
    printf("skipped: not allowed to chroot\n");
  }
  close(outside);
  remove_folder(folder);
}

/* A file that is another one by the time at which it is mapped is noticed, and not run. */
static void check_few(const char *message) {
  CHECK_INT(IN_TEXT, make_callbacks(MANY));
  CHECK_CONTAINS(
      "code for a callback: all 4096 for callbacks and 1024 for entries in the library are in use, "
      "no more are made (asked for by FARCALL_CODE=none), and its file cannot be mapped "
      "again: ",
      error_message());
  CHECK_CONTAINS(message, error_message());
  CHECK_INT(ENTRIES_IN_TEXT, make_entries(MANY_ENTRIES));
  CHECK_CONTAINS("code for an entry: ", error_message());
  CHECK_CONTAINS(message, error_message());
}

static void replaced_by_a_shorter_file(void) {
  if (!load("none", "x.so"))
    return;
  CHECK(put_file(folder, "new.so", "short", 5));
  CHECK_INT(0, rename(in_folder(folder, "new.so"), path));
  check_few("/x.so is no longer the file that was loaded");
  remove_folder(folder);
}

static void replaced_by_another_file(void) {
  if (!load("none", "x.so"))
    return;
  size_t length = 0;
  unsigned char *bytes = bytes_of(path, &length);
  for (size_t i = 0; bytes && i < length; i++)
    bytes[i] ^= 1;
  CHECK(bytes && put_file(folder, "new.so", bytes, length));
  free(bytes);
  CHECK_INT(0, rename(in_folder(folder, "new.so"), path));
  check_few("/x.so is no longer the file that was loaded");
  remove_folder(folder);
}

static void replaced_by_an_equal_file(void) {
  if (!load("none", "x.so"))
    return;
  CHECK(put_copy(path, folder, "new.so"));
  CHECK_INT(0, rename(in_folder(folder, "new.so"), path));
  check_many();
  remove_folder(folder);
}

static void removed_before(void) {
  if (!load("none", "x.so"))
    return;
  remove_folder(folder);
  check_few("No such file or directory (os error 2)");
}

static void tried_again_once_there_are_descriptors(void) {
  if (!load("none", "x.so"))
    return;
  struct rlimit limit;
  CHECK_INT(0, getrlimit(RLIMIT_NOFILE, &limit));
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = 0;
  CHECK_INT(0, setrlimit(RLIMIT_NOFILE, &limit));
  check_few("/proc/self/maps: Too many open files (os error 24)");
  limit.rlim_cur = before;
  CHECK_INT(0, setrlimit(RLIMIT_NOFILE, &limit));
  check_many();
  remove_folder(folder);
}

/* Where code is mapped twice, thunks are made there. */
static void dual_needs_no_library(void) {
  if (!load("dual", "x.so"))
    return;
  remove_folder(folder);
  check_many();
  CHECK_STRING("stubs", code_status());
}

int main(void) {
  RUN_IN_CHILD(in_a_folder_with_a_line_end);
  RUN_IN_CHILD(replaced_by_a_shorter_file);
  RUN_IN_CHILD(replaced_by_another_file);
  RUN_IN_CHILD(replaced_by_an_equal_file);
  RUN_IN_CHILD(removed_before);
  RUN_IN_CHILD(dual_needs_no_library);
  /* Neither copies a mapping, nor can do without descriptors. */
  if (!under_valgrind() && !emulated()) {
    RUN_IN_CHILD(replaced_later);
    RUN_IN_CHILD(removed_later_after_an_entry);
    RUN_IN_CHILD(without_descriptors_later);
    RUN_IN_CHILD(refused_later);
    RUN_IN_CHILD(behind_chroot_later);
    RUN_IN_CHILD(tried_again_once_there_are_descriptors);
  }
  return harness_end();
}
