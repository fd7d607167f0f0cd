/* Libraries: how they are found, what they refuse, and how long they live. */
#include "folders.h"
#include "harness.h"
#include "pace.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

typedef double (*unary)(double);
typedef int (*function)(void);

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

static void the_path_of_a_relative_one_is_absolute_too(void) {
  char folder[PATH_MAX], before[PATH_MAX];
  if (!CHECK(getcwd(before, sizeof before) != NULL) || !make_folder(folder))
    return;
  put_copy(BUILT "/libfarcall_one.so", folder, "relative.so");
  CHECK_INT(0, chdir(folder));
  fc_library *library = NULL, *again = NULL;
  CHECK_STATUS(FC_OK, fc_library_open("./relative.so", NULL, &library));
  CHECK_INT(0, chdir("/"));
  CHECK_STRING(in_folder(folder, "relative.so"), fc_library_path(library));
  /* The loader's own path, ./relative.so, would now be another's. */
  CHECK_STATUS(FC_OK, fc_library_open(fc_library_path(library), NULL, &again));
  CHECK_STRING(in_folder(folder, "relative.so"), fc_library_path(again));
  fc_library_free(again);
  fc_library_free(library);
  CHECK_INT(0, chdir(before));
  remove_folder(folder);
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

#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
/* A function that glibc has in two versions. */
#if defined(__x86_64__)
#define VERSIONED "memcpy"
#define OLDER "GLIBC_2.2.5"
#define NEWER "GLIBC_2.14"
#else
#define VERSIONED "glob"
#define OLDER "GLIBC_2.17"
#define NEWER "GLIBC_2.27"
#endif

static void symbols_of_a_version(void) {
  fc_library *library = NULL;
  void *old = NULL, *current = NULL, *plain = NULL;
  CHECK_STATUS(FC_OK, fc_library_open("libc.so.6", NULL, &library));
  CHECK_STATUS(FC_OK, fc_library_symbol(library, VERSIONED "@" OLDER, &old));
  CHECK_STATUS(FC_OK, fc_library_symbol(library, VERSIONED "@@" NEWER, &current));
  CHECK_STATUS(FC_OK, fc_library_symbol(library, VERSIONED "@" NEWER, &plain));
  CHECK(old != current);
  CHECK_POINTER(current, plain);
  CHECK_STATUS(FC_OK, fc_library_symbol(library, VERSIONED, &plain));
  CHECK_POINTER(current, plain);
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_library_symbol(library, VERSIONED "@GLIBC_9.99", &plain));
  CHECK_MESSAGE(VERSIONED);
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
  CHECK_MESSAGE("this is ");
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

static fc_library *open_with(const char *path, uint32_t flags) {
  fc_open_options options = open_options(flags, NULL, 0);
  fc_library *library = NULL;
  CHECK_STATUS(FC_OK, fc_library_open(path, &options, &library));
  return library;
}

static int call(const fc_library *library, const char *name) {
  void *address = NULL;
  if (!CHECK_STATUS(FC_OK, fc_library_symbol(library, name, &address)))
    return -1;
  return FC_AS_FUNCTION(function, address)();
}

static void every_flag_opens(void) {
  static const uint32_t flags[] = {FC_OPEN_GLOBAL, FC_OPEN_LAZY, FC_OPEN_NODELETE, FC_OPEN_DEEPBIND,
                                   FC_OPEN_GLOBAL | FC_OPEN_LAZY | FC_OPEN_NODELETE};
  for (size_t i = 0; i < COUNT_OF(flags); i++) {
    /* AddressSanitizer refuses it, since its own functions are passed by. */
    if (flags[i] == FC_OPEN_DEEPBIND && address_sanitized())
      continue;
    fc_open_options options = open_options(flags[i], NULL, 0);
    check_opens("libz.so.1", &options, "zlibVersion", "libz");
  }
}

static void lazy_looks_symbols_up_when_they_are_called(void) {
  fc_library *library = NULL;
  CHECK_STATUS(FC_ERR_LOAD, fc_library_open(BUILT "/libfarcall_undefined.so", NULL, &library));
  library = open_with(BUILT "/libfarcall_undefined.so", FC_OPEN_LAZY);
  fc_library_free(library);
}

static void global_serves_those_that_come_later(void) {
  fc_library *provider = NULL, *user = NULL;
  CHECK_STATUS(FC_OK, fc_library_open(BUILT "/libfarcall_provider.so", NULL, &provider));
  CHECK_STATUS(FC_ERR_LOAD, fc_library_open(BUILT "/libfarcall_undefined.so", NULL, &user));
  fc_library_free(provider);
  provider = open_with(BUILT "/libfarcall_provider.so", FC_OPEN_GLOBAL);
  CHECK_STATUS(FC_OK, fc_library_open(BUILT "/libfarcall_undefined.so", NULL, &user));
  CHECK_INT(2, call(user, "farcall_undefined_value"));
  fc_library_free(user);
  fc_library_free(provider);
}

static void nodelete_keeps_it_loaded(void) {
  for (int round = 0; round < 2; round++) {
    fc_library *library = open_with(BUILT "/libfarcall_one.so", 0);
    CHECK_INT(1, call(library, "farcall_next"));
    fc_library_free(library);
  }
  for (int round = 0; round < 3; round++) {
    fc_library *library = open_with(BUILT "/libfarcall_one.so", round ? 0 : FC_OPEN_NODELETE);
    CHECK_INT(round + 1, call(library, "farcall_next"));
    fc_library_free(library);
  }
}

/* The library has one of this name too. */
int farcall_shadowed(void);
int farcall_shadowed(void) { return 1; }

static void deepbind_prefers_its_own(void) {
  fc_library *library = open_with(BUILT "/libfarcall_shadow.so", 0);
  CHECK_INT(1 + 1, call(library, "farcall_call_shadowed"));
  fc_library_free(library);
#ifdef __GLIBC__
  library = open_with(BUILT "/libfarcall_shadow.so", FC_OPEN_DEEPBIND);
  CHECK_INT(1 + 2, call(library, "farcall_call_shadowed"));
  fc_library_free(library);
#endif
}

static void finds(const char *name, const char *const *folders, size_t count, int which) {
  fc_open_options options = open_options(0, folders, count);
  fc_library *library = NULL;
  if (!CHECK_STATUS(FC_OK, fc_library_open(name, &options, &library)))
    return;
  CHECK_INT(which, call(library, "farcall_which"));
  fc_library_free(library);
}

/* The libraries that tell which they are, in a folder of their own each. */
static void in_the_order_of_the_folders(void) {
  char first[PATH_MAX], second[PATH_MAX], slashed[PATH_MAX];
  if (!make_folder(first) || !make_folder(second))
    return;
  put_copy(BUILT "/libfarcall_one.so", first, "libfarcall_it.so");
  put_copy(BUILT "/libfarcall_two.so", second, "libfarcall_it.so");
  const char *folders[] = {first, second};
  finds("farcall_it", folders, 2, 1);
  finds("libfarcall_it.so", folders, 2, 1);
  folders[0] = second, folders[1] = first;
  finds("farcall_it", folders, 2, 2);
  strcpy(slashed, in_folder(first, "//"));
  folders[0] = slashed;
  finds("farcall_it", folders, 2, 1);
  CHECK_INT(0, chdir(second));
  folders[0] = ".", folders[1] = "/no/such/folder";
  finds("farcall_it", folders, 2, 2);
  folders[0] = "..";
  CHECK_INT(0, mkdir("inner", 0755));
  CHECK_INT(0, chdir("inner"));
  finds("libfarcall_it.so", folders, 1, 2);
  folders[0] = "";
  fc_open_options options = open_options(0, folders, 1);
  fc_library *library = NULL;
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_library_open("farcall_it", &options, &library));
  CHECK_INT(0, chdir("/"));
  /* What cannot be loaded is passed over while something else can. */
  put_file(first, "libfarcall_it.so", "INPUT(-lfarcall)", 16);
  folders[0] = first, folders[1] = second;
  finds("farcall_it", folders, 2, 2);
  CHECK_STATUS(FC_ERR_LOAD, fc_library_open(in_folder(first, "libfarcall_it.so"), NULL, &library));
  remove_folder(first);
  remove_folder(second);
}

static void the_newest_version_of_a_folder(void) {
  char folder[PATH_MAX];
  if (!make_folder(folder))
    return;
  put_copy(BUILT "/libfarcall_one.so", folder, "libfarcall_it.so.1.9");
  put_copy(BUILT "/libfarcall_two.so", folder, "libfarcall_it.so.1.10");
  put_file(folder, "libfarcall_it.so.1.11.debug", "text", 4);
  const char *const folders[] = {folder};
  finds("farcall_it", folders, 1, 2);
  finds("libfarcall_it.so.1.9", folders, 1, 1);
  put_copy(BUILT "/libfarcall_one.so", folder, "libfarcall_it.so");
  finds("farcall_it", folders, 1, 1);
  remove_folder(folder);
}

static void *open_and_close(void *unused) {
  for (int round = 0; round < 40; round++) {
    fc_library *library = NULL;
    void *address = NULL;
    if (fc_library_open(BUILT "/libfarcall_two.so", NULL, &library) != FC_OK ||
        fc_library_symbol(library, "farcall_which", &address) != FC_OK ||
        FC_AS_FUNCTION(function, address)() != 2 ||
        fc_library_symbol(library, "farcall_wich", &address) != FC_ERR_NOT_FOUND)
      return unused;
    fc_library_free(library);
  }
  return NULL;
}

static void threads_open_and_close(void) {
  pthread_t threads[4];
  for (size_t i = 0; i < COUNT_OF(threads); i++)
    CHECK_INT(0, pthread_create(&threads[i], NULL, open_and_close, &harness));
  for (size_t i = 0; i < COUNT_OF(threads); i++) {
    void *failed = NULL;
    pthread_join(threads[i], &failed);
    CHECK(failed == NULL);
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
  RUN(the_path_of_a_relative_one_is_absolute_too);
  RUN(null_is_the_program_and_all_that_it_loaded);
  RUN(a_symbol_is_the_function_itself);
  RUN(a_symbol_that_is_not_there);
#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
  RUN(symbols_of_a_version);
#endif
  RUN(a_file_that_is_not_there);
  RUN(a_file_that_is_no_library);
  RUN(search_folders_are_tried);
  RUN(search_folders_come_first);
  RUN(every_flag_opens);
  RUN(lazy_looks_symbols_up_when_they_are_called);
  RUN(global_serves_those_that_come_later);
  RUN(nodelete_keeps_it_loaded);
  if (!address_sanitized())
    RUN(deepbind_prefers_its_own);
  RUN(in_the_order_of_the_folders);
  RUN(the_newest_version_of_a_folder);
  RUN(threads_open_and_close);
  RUN(options_that_are_refused);
  RUN(options_of_other_sizes);
  return harness_end();
}
