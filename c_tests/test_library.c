/* Libraries: how they are found, what they refuse, and how long they live. */
#include "harness.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

typedef double (*unary)(double);

static void check_opens(const char *path, const fc_open_options *options, const char *symbol,
                        const char *part_of_path) {
  fc_library *library = NULL;
  void *address = NULL;
  if (!CHECK_STATUS(FC_OK, fc_library_open(path, options, &library)))
    return;
  CHECK_STATUS(FC_OK, fc_library_symbol(library, symbol, &address));
  CHECK(address != NULL);
  CHECK_CONTAINS(part_of_path, fc_library_path(library));
  fc_library_free(library);
}

static void by_file_name(void) { check_opens("libm.so.6", NULL, "cos", "libm.so.6"); }

static void by_bare_name(void) {
  check_opens("m", NULL, "cos", "libm");
  check_opens("z", NULL, "zlibVersion", "libz");
}

static void the_path_is_absolute_and_opens_again(void) {
  fc_library *library = NULL;
  CHECK_STATUS(FC_OK, fc_library_open("libz.so.1", NULL, &library));
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s", fc_library_path(library));
  CHECK_INT('/', path[0]);
  check_opens(path, NULL, "zlibVersion", path);
  fc_library_free(library);
}

static void null_is_the_program_and_all_that_it_loaded(void) {
  fc_library *program = NULL;
  void *address = NULL;
  if (!CHECK_STATUS(FC_OK, fc_library_open(NULL, NULL, &program)))
    return;
  CHECK_STATUS(FC_OK, fc_library_symbol(program, "fc_version", &address));
  CHECK_POINTER(ADDRESS_OF(fc_version), address);
  CHECK_STATUS(FC_OK, fc_library_symbol(program, "malloc", &address));
  CHECK(fc_library_path(program) != NULL);
  fc_library_free(program);
}

static void a_symbol_is_the_function_itself(void) {
  fc_library *library = NULL;
  void *address = NULL;
  CHECK_STATUS(FC_OK, fc_library_open("libm.so.6", NULL, &library));
  CHECK_STATUS(FC_OK, fc_library_symbol(library, "sqrt", &address));
  CHECK_DOUBLE(3, (__extension__(unary) address)(9));
  fc_library_free(library);
}

static void a_symbol_that_is_not_there(void) {
  fc_library *library = NULL;
  void *address = &library;
  CHECK_STATUS(FC_OK, fc_library_open("libm.so.6", NULL, &library));
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_library_symbol(library, "no_such_function", &address));
  CHECK_MESSAGE("no_such_function");
  CHECK_MESSAGE("libm");
  CHECK_POINTER(&library, address);
  fc_library_free(library);
}

#if defined(__x86_64__) && defined(__GLIBC__)
static void symbols_of_a_version(void) {
  fc_library *library = NULL;
  void *old = NULL, *current = NULL, *plain = NULL;
  CHECK_STATUS(FC_OK, fc_library_open("libc.so.6", NULL, &library));
  CHECK_STATUS(FC_OK, fc_library_symbol(library, "memcpy@GLIBC_2.2.5", &old));
  CHECK_STATUS(FC_OK, fc_library_symbol(library, "memcpy@@GLIBC_2.14", &current));
  CHECK_STATUS(FC_OK, fc_library_symbol(library, "memcpy@GLIBC_2.14", &plain));
  CHECK(old != current);
  CHECK_POINTER(current, plain);
  CHECK_STATUS(FC_OK, fc_library_symbol(library, "memcpy", &plain));
  CHECK_POINTER(current, plain);
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_library_symbol(library, "memcpy@GLIBC_9.99", &plain));
  CHECK_MESSAGE("memcpy");
  CHECK_MESSAGE("GLIBC_9.99");
  fc_library_free(library);
}
#endif

static void a_file_that_is_not_there(void) {
  static const char *const names[] = {"libno_such_library.so.7", "/no/such/folder/lib.so",
                                      "no_such_bare_name"};
  fc_library *library = NULL;
  for (size_t i = 0; i < COUNT_OF(names); i++) {
    CHECK_STATUS(FC_ERR_NOT_FOUND, fc_library_open(names[i], NULL, &library));
    CHECK_MESSAGE(names[i]);
  }
  CHECK_POINTER(NULL, library);
}

static void a_file_that_is_no_library(void) {
  char path[] = "/tmp/farcall-test-XXXXXX";
  int file = mkstemp(path);
  fc_library *library = NULL;
  static const char text[] = "This is not a shared library, but long enough to have a header.\n";
  if (!CHECK(file >= 0) || !CHECK(write(file, text, sizeof text) == (ssize_t)sizeof text))
    return;
  close(file);
  CHECK_STATUS(FC_ERR_LOAD, fc_library_open(path, NULL, &library));
  CHECK_MESSAGE(path);
  CHECK_MESSAGE("invalid ELF header");
  CHECK_POINTER(NULL, library);
  unlink(path);
  CHECK_FAILS(fc_library_open("/tmp", NULL, &library));
  CHECK_MESSAGE("/tmp");
  CHECK_FAILS(fc_library_open("", NULL, &library));
}

/* A folder with libfarcall_search.so in it: the test's own library, linked to. */
static bool make_search_folder(char *folder, char *link, size_t length) {
  fc_library *library = NULL;
  if (!CHECK(mkdtemp(folder) != NULL) ||
      !CHECK_STATUS(FC_OK, fc_library_open("libz.so.1", NULL, &library)))
    return false;
  snprintf(link, length, "%s/libfarcall_search.so", folder);
  bool made = CHECK_INT(0, symlink(fc_library_path(library), link));
  fc_library_free(library);
  return made;
}

static fc_open_options open_options(uint32_t flags, const char *const *search, size_t count) {
  fc_open_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.flags = flags;
  options.search = search;
  options.search_count = count;
  return options;
}

static void search_folders_are_tried(void) {
  char folder[] = "/tmp/farcall-test-XXXXXX", link[PATH_MAX];
  if (!make_search_folder(folder, link, sizeof link))
    return;
  const char *const search[] = {"/no/such/folder", folder};
  fc_open_options options = open_options(0, search, 2);
  fc_library *library = NULL;
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_library_open("farcall_search", NULL, &library));
  check_opens("farcall_search", &options, "zlibVersion", "lib");
  check_opens("libfarcall_search.so", &options, "zlibVersion", "lib");
  check_opens("m", &options, "cos", "libm");
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_library_open("no_such_name", &options, &library));
  CHECK_MESSAGE(folder);
  unlink(link);
  rmdir(folder);
}

static void search_folders_come_first(void) {
  char folder[] = "/tmp/farcall-test-XXXXXX", link[PATH_MAX], shadow[PATH_MAX + 16];
  if (!make_search_folder(folder, link, sizeof link))
    return;
  snprintf(shadow, sizeof shadow, "%s/libm.so.6", folder);
  CHECK_INT(0, rename(link, shadow));
  const char *const search[] = {folder};
  fc_open_options options = open_options(0, search, 1);
  check_opens("libm.so.6", &options, "zlibVersion", "lib");
  check_opens("m", &options, "zlibVersion", "lib");
  unlink(shadow);
  rmdir(folder);
}

static void every_flag_opens(void) {
  static const uint32_t flags[] = {FC_OPEN_GLOBAL, FC_OPEN_LAZY, FC_OPEN_NODELETE, FC_OPEN_DEEPBIND,
                                   FC_OPEN_GLOBAL | FC_OPEN_LAZY | FC_OPEN_NODELETE};
  for (size_t i = 0; i < COUNT_OF(flags); i++) {
    fc_open_options options = open_options(flags[i], NULL, 0);
    check_opens("libz.so.1", &options, "zlibVersion", "libz");
  }
}

static void options_that_are_refused(void) {
  fc_library *library = NULL;
  fc_open_options options = open_options(1u << 20, NULL, 0);
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_library_open("libm.so.6", &options, &library));
  CHECK_MESSAGE("flags");
  options = open_options(0, NULL, 2);
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_library_open("libm.so.6", &options, &library));
  CHECK_MESSAGE("search");
  const char *const search[] = {NULL};
  options = open_options(0, search, 1);
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_library_open("libm.so.6", &options, &library));
  CHECK_MESSAGE("search[0]");
  CHECK_POINTER(NULL, library);
}

static void options_of_other_sizes(void) {
  struct {
    fc_open_options known;
    uint64_t unknown;
  } longer;
  fc_library *library = NULL;
  memset(&longer, 0, sizeof longer);
  longer.known.size = sizeof longer;
  check_opens("libm.so.6", &longer.known, "cos", "libm");
  longer.unknown = 7;
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_library_open("libm.so.6", &longer.known, &library));
  CHECK_MESSAGE("size");
  longer.known.size = sizeof(size_t);
  longer.known.flags = UINT32_MAX;
  check_opens("libm.so.6", &longer.known, "cos", "libm");
}

int main(void) {
  RUN(by_file_name);
  RUN(by_bare_name);
  RUN(the_path_is_absolute_and_opens_again);
  RUN(null_is_the_program_and_all_that_it_loaded);
  RUN(a_symbol_is_the_function_itself);
  RUN(a_symbol_that_is_not_there);
#if defined(__x86_64__) && defined(__GLIBC__)
  RUN(symbols_of_a_version);
#endif
  RUN(a_file_that_is_not_there);
  RUN(a_file_that_is_no_library);
  RUN(search_folders_are_tried);
  RUN(search_folders_come_first);
  RUN(every_flag_opens);
  RUN(options_that_are_refused);
  RUN(options_of_other_sizes);
  return harness_end();
}
