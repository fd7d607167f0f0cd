/* Libraries from memory. */
#include "folders.h"
#include "harness.h"
#include "pace.h"
#include "restrict.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

typedef int (*function)(void);

static unsigned char *image;
static size_t image_length;

static int call(const fc_library *library, const char *name) {
  void *address = NULL;
  if (!CHECK_STATUS(FC_OK, fc_library_symbol(library, name, &address)))
    return -1;
  return FC_AS_FUNCTION(function, address)();
}

static fc_library *open_image(void) {
  fc_library *library = NULL;
  CHECK_STATUS(FC_OK, fc_library_open_bytes(image, image_length, &library));
  return library;
}

static int open_descriptors(void) {
  int count = 0;
  for (int number = 0; number < 1024; number++)
    count += fcntl(number, F_GETFD) != -1;
  return count;
}

static void bytes_may_be_freed(void) {
  unsigned char *copy = malloc(image_length);
  memcpy(copy, image, image_length);
  fc_library *library = NULL;
  CHECK_STATUS(FC_OK, fc_library_open_bytes(copy, image_length, &library));
  memset(copy, 0, image_length);
  free(copy);
  if (!library)
    return;
  CHECK_INT(1, call(library, "farcall_which"));
  CHECK_STRING("yes", getenv("FARCALL_ONE_WAS_LOADED"));
  CHECK(fc_library_path(library)[0] == '/');
  fc_library_free(library);
}

static void each_has_its_own_variables(void) {
  fc_library *first = open_image(), *second = open_image();
  CHECK_INT(1, call(first, "farcall_next"));
  CHECK_INT(2, call(first, "farcall_next"));
  CHECK_INT(1, call(second, "farcall_next"));
  fc_library_free(first);
  fc_library *third = open_image();
  CHECK_INT(1, call(third, "farcall_next"));
  CHECK_INT(2, call(second, "farcall_next"));
  fc_library_free(second);
  fc_library_free(third);
}

static void functions_keep_it_loaded(void) {
  fc_library *library = open_image();
  fc_function *next = NULL;
  CHECK_STATUS(FC_OK, fc_bind(library, NULL, "int farcall_next(void)", NULL, &next));
  fc_library_free(library);
  for (int expected = 1; expected < 4; expected++) {
    int got = 0;
    fc_invoke(next, &got, NULL);
    CHECK_INT(expected, got);
  }
  fc_function_free(next);
}

static void symbols_that_are_missing_are_explained(void) {
  fc_library *library = open_image();
  void *address = NULL;
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_library_symbol(library, "farcall_wich", &address));
  CHECK_MESSAGE("did you mean farcall_which");
  fc_library_free(library);
}

static void descriptors_are_closed(void) {
  const int before = open_descriptors();
  for (int round = 0; round < 20; round++)
    fc_library_free(open_image());
  fc_library *library = NULL;
  CHECK_STATUS(FC_ERR_LOAD, fc_library_open_bytes("text", 4, &library));
  CHECK_STATUS(FC_ERR_LOAD, fc_library_open_bytes(image, image_length / 2, &library));
  CHECK_INT(before, open_descriptors());
  bool was_open[1024];
  for (int number = 0; number < 1024; number++)
    was_open[number] = fcntl(number, F_GETFD) != -1;
  fc_library *held = open_image();
  for (int number = 0; number < 1024; number++) {
    const int flags = fcntl(number, F_GETFD);
    CHECK(flags == -1 || was_open[number] || flags & FD_CLOEXEC);
  }
  fc_library_free(held);
}

/* Whoever becomes a daemon closes all descriptors: the next library gets the same number. */
static void numbers_that_come_again(void) {
  fc_library *first = open_image();
  CHECK_INT(1, call(first, "farcall_next"));
  for (int number = 3; number < 1024; number++)
    close(number);
  fc_library *second = open_image();
  CHECK_INT(1, call(second, "farcall_next"));
  CHECK_INT(2, call(first, "farcall_next"));
  CHECK(strcmp(fc_library_path(first), fc_library_path(second)) != 0);
  fc_library_free(first);
  CHECK_INT(2, call(second, "farcall_next"));
  fc_library_free(second);
}

static void in_a_child_that_closed_all(void) { in_child(numbers_that_come_again); }

static bool maps_contain(const char *part) {
  char line[PATH_MAX + 200];
  bool found = false;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps))
    found = found || strstr(line, part);
  if (maps)
    fclose(maps);
  return found;
}

static void tools_see_a_name(void) {
  fc_library *library = open_image();
  CHECK(maps_contain("memfd:farcall-library"));
  size_t length = 0;
  unsigned char *bytes = bytes_of(fc_library_path(library), &length);
  CHECK_SIZE(image_length, length);
  CHECK_BYTES(image, bytes, length);
  free(bytes);
  /* What is loaded cannot be changed by way of its file. */
  const int file = open(fc_library_path(library), O_RDWR);
  CHECK(file < 0 || pwrite(file, "x", 1, 0) < 0);
  if (file >= 0)
    close(file);
  fc_library_free(library);
  CHECK(!maps_contain("memfd:farcall-library"));
}

static void refused(const void *bytes, size_t length, const char *part) {
  fc_library *library = NULL;
  CHECK_STATUS(FC_ERR_LOAD, fc_library_open_bytes(bytes, length, &library));
  CHECK_MESSAGE("library from memory (");
  CHECK_MESSAGE(part);
  CHECK_POINTER(NULL, library);
}

static void bytes_that_are_no_library(void) {
  refused("", 0, "empty");
  refused("Hello, world", 12, "a text file, not a library; it begins with \"Hello, world\"");
  refused("!<arch>\nx", 9, "static archive");
  refused("\x7f"
          "ELF",
          4, "cut off: only 4 bytes");
  unsigned char *other = malloc(image_length);
  memcpy(other, image, image_length);
  other[18] = 243; /* e_machine */
  other[19] = 0;
  refused(other, image_length, "ELF shared object for riscv64, and this process is ");
  free(other);
}

/* However much is missing, and whatever is wrong: an error, not a crash. */
static void bytes_that_are_cut_off(void) {
  for (size_t length = 1; length < image_length; length += length < 200 ? 1 : 977) {
    fc_library *library = NULL;
    fc_status status = fc_library_open_bytes(image, length, &library);
    /* The table of sections comes last, and no loader needs it. */
    if (status == FC_OK)
      fc_library_free(library);
    else
      CHECK_STATUS(FC_ERR_LOAD, status);
    if (length < image_length / 2)
      CHECK_STATUS(FC_ERR_LOAD, status);
  }
  refused(image, image_length / 2, "cut off");
}

static void lengths_that_are_wrong(void) {
  fc_library *library = NULL;
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_library_open_bytes(image, SIZE_MAX, &library));
  CHECK_MESSAGE("do not fit in memory");
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_library_open_bytes((void *)UINTPTR_MAX, 2, &library));
  CHECK_MESSAGE("do not fit in memory");
  unsigned char *pages =
      mmap(NULL, 1 << 17, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK_INT(0, mprotect(pages + (1 << 16), 1 << 16, PROT_NONE));
  if (!under_valgrind()) {
    CHECK_STATUS(FC_ERR_FAULT, fc_library_open_bytes(pages, 1 << 17, &library));
    CHECK_MESSAGE("only the first 65536 of its bytes can be read");
    CHECK_STATUS(FC_ERR_FAULT,
                 fc_library_open_bytes(pages + 100, (size_t)1 << (sizeof(size_t) * 5), &library));
    CHECK_MESSAGE("only the first 65436 of its bytes can be read");
  }
  munmap(pages, 1 << 17);
  CHECK_POINTER(NULL, library);
}

static void *open_and_count(void *unused) {
  for (int round = 0; round < 30; round++) {
    fc_library *library = NULL;
    void *address = NULL;
    if (fc_library_open_bytes(image, image_length, &library) != FC_OK ||
        fc_library_symbol(library, "farcall_next", &address) != FC_OK ||
        FC_AS_FUNCTION(function, address)() != 1 || FC_AS_FUNCTION(function, address)() != 2)
      return unused;
    fc_library_free(library);
  }
  return NULL;
}

static void threads(void) {
  pthread_t all[4];
  for (size_t i = 0; i < COUNT_OF(all); i++)
    CHECK_INT(0, pthread_create(&all[i], NULL, open_and_count, image));
  for (size_t i = 0; i < COUNT_OF(all); i++) {
    void *failed = NULL;
    pthread_join(all[i], &failed);
    CHECK(failed == NULL);
  }
}

static int entries(const char *folder) {
  DIR *open = opendir(folder);
  int count = 0;
  while (open && readdir(open))
    count++;
  if (open)
    closedir(open);
  return count;
}

static void by_way_of_a_folder(void) {
  static const long calls[] = {SYS_memfd_create};
  char folder[PATH_MAX];
  if (!make_folder(folder) || !CHECK(forbid(calls, COUNT_OF(calls), EPERM)))
    return;
  CHECK_INT(0, setenv("TMPDIR", folder, 1));
  const int before = open_descriptors();
  each_has_its_own_variables();
  functions_keep_it_loaded();
  bytes_that_are_no_library();
  lengths_that_are_wrong();
  fc_library *library = open_image();
  CHECK(maps_contain(folder));
  CHECK_INT(1, call(library, "farcall_which"));
  fc_library_free(library);
  CHECK_INT(before, open_descriptors());
  CHECK_INT(2, entries(folder));
  /* Another folder serves where there is none. */
  CHECK_INT(0, rmdir(folder));
  library = open_image();
  CHECK_INT(1, call(library, "farcall_which"));
  fc_library_free(library);
}

static void without_memfd(void) { in_child(by_way_of_a_folder); }

static void after_the_policy(void) {
  CHECK_STATUS(FC_OK, fc_policy_allow(BUILT));
  fc_library *library = NULL;
  CHECK_STATUS(FC_ERR_DENIED, fc_library_open_bytes(image, image_length, &library));
  CHECK_MESSAGE("library from memory: the policy forbids it");
  CHECK_POINTER(NULL, library);
}

static void before_the_policy(void) {
  fc_library *library = open_image();
  CHECK_STATUS(FC_OK, fc_policy_seal());
  CHECK_INT(1, call(library, "farcall_next"));
  fc_library_free(library);
  CHECK_STATUS(FC_ERR_DENIED, fc_library_open_bytes(image, image_length, &library));
}

static void no_bytes_under_a_policy(void) {
  in_child(after_the_policy);
  in_child(before_the_policy);
}

int main(void) {
  image = bytes_of(BUILT "/libfarcall_one.so", &image_length);
  if (!image)
    return 1;
  RUN(bytes_may_be_freed);
  RUN(each_has_its_own_variables);
  RUN(functions_keep_it_loaded);
  RUN(symbols_that_are_missing_are_explained);
  RUN(descriptors_are_closed);
  if (!under_valgrind())
    RUN(in_a_child_that_closed_all);
  RUN(tools_see_a_name);
  RUN(bytes_that_are_no_library);
  RUN(bytes_that_are_cut_off);
  RUN(lengths_that_are_wrong);
  RUN(threads);
  if (can_forbid_calls())
    RUN(without_memfd);
  RUN(no_bytes_under_a_policy);
  free(image);
  return harness_end();
}
