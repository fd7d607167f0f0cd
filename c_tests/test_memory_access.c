/* Reading and writing by address: what is there comes whole, and what is not is an error. */
#include "harness.h"
#include "pace.h"
#include "restrict.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Room of some pages, with a page behind it that cannot be touched. */
enum { ROOM = 1 << 16 };
static unsigned char *room, *fence;

static bool make_room(void) {
  room = mmap(NULL, 2 * ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  fence = room + ROOM;
  return CHECK(room != MAP_FAILED) && CHECK_INT(0, mprotect(fence, ROOM, PROT_NONE));
}

static void message_with_address(const void *address, const char *after) {
  char text[80];
  snprintf(text, sizeof text, "%p%s", address, after);
  CHECK_MESSAGE(text);
}

static void bytes_at_any_alignment(void) {
  unsigned char bytes[40], back[40];
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (unsigned char)(i * 7 + 1);
  for (size_t offset = 0; offset < 9; offset++)
    for (size_t length = 1; length <= sizeof bytes; length++) {
      memset(back, 0, sizeof back);
      CHECK_STATUS(FC_OK, fc_memory_write(room + offset, bytes, length));
      CHECK_STATUS(FC_OK, fc_memory_read(room + offset, back, length));
      CHECK_BYTES(bytes, back, length);
      CHECK(length == sizeof back || back[length] == 0);
    }
}

static void many_bytes(void) {
  enum { LENGTH = 5 << 20 };
  unsigned char *from = malloc(LENGTH), *to = malloc(LENGTH + 1);
  for (size_t i = 0; i < LENGTH; i++)
    from[i] = (unsigned char)(i % 251);
  CHECK_STATUS(FC_OK, fc_memory_read(from, to + 1, LENGTH));
  CHECK_BYTES(from, to + 1, LENGTH);
  memset(to, 0, LENGTH);
  CHECK_STATUS(FC_OK, fc_memory_write(to + 1, from, LENGTH));
  CHECK_BYTES(from, to + 1, LENGTH);
  free(from);
  free(to);
}

static void addresses_that_are_bad(void) {
  char buffer[16] = "unchanged";
  size_t length = 77;
  void *const bad[] = {(void *)8, fence, (void *)(uintptr_t)0x7ffffffff000,
                       (void *)(uintptr_t)0xdead00000000dead};
  for (size_t i = 0; i < COUNT_OF(bad); i++) {
    CHECK_STATUS(FC_ERR_FAULT, fc_memory_read(bad[i], buffer, 8));
    message_with_address(bad[i], " cannot be read");
    CHECK_STATUS(FC_ERR_FAULT, fc_memory_write(bad[i], buffer, 8));
    message_with_address(bad[i], " cannot be written");
    CHECK_STATUS(FC_ERR_FAULT, fc_memory_string(bad[i], 100, &length));
    message_with_address(bad[i], " cannot be read");
  }
  CHECK_STRING("unchanged", buffer);
  CHECK_SIZE(77, length);
}

static void buffers_that_are_bad(void) {
  if (under_valgrind())
    return;
  char good[16] = "unchanged";
  CHECK_STATUS(FC_ERR_FAULT, fc_memory_write(good, fence, 1));
  message_with_address(fence, " cannot be read, from where ");
  message_with_address(good, " is to be written");
  CHECK_STRING("unchanged", good);
  CHECK_STATUS(FC_ERR_FAULT, fc_memory_read(good, fence - 3, 10));
  message_with_address(fence, " cannot be written, where what is read at ");
  CHECK_MESSAGE("the 3 bytes before it were copied");
}

static void ranges_that_end_behind_the_fence(void) {
  unsigned char bytes[32], back[32];
  memset(bytes, 0x5a, sizeof bytes);
  memset(back, 0, sizeof back);
  memset(fence - 10, 0x33, 10);
  CHECK_STATUS(FC_OK, fc_memory_read(fence - 10, back, 10));
  CHECK_BYTES(fence - 10, back, 10);
  memset(back, 0, sizeof back);
  CHECK_STATUS(FC_ERR_FAULT, fc_memory_read(fence - 10, back, 11));
  message_with_address(fence, " cannot be read; the 10 bytes before it");
  CHECK_BYTES(fence - 10, back, 10);
  CHECK_INT(0, back[10]);
  CHECK_STATUS(FC_ERR_FAULT, fc_memory_write(fence - 10, bytes, 32));
  message_with_address(fence, " cannot be written; the 10 bytes before it");
  CHECK_BYTES(bytes, fence - 10, 10);
}

static void read_only_memory_stays_as_it_is(void) {
  static const char constant[] = "constant";
  CHECK_STATUS(FC_ERR_FAULT, fc_memory_write((void *)(uintptr_t)constant, "x", 1));
  message_with_address(constant, " cannot be written");
  CHECK_STRING("constant", constant);
  CHECK_STATUS(FC_ERR_FAULT, fc_memory_write(ADDRESS_OF(fc_memory_write), "x", 1));
}

static void ranges_that_wrap_around(void) {
  char buffer[16] = "";
  size_t length = 0;
  CHECK_STATUS(FC_ERR_FAULT, fc_memory_read((void *)(UINTPTR_MAX - 7), buffer, 16));
  CHECK_STATUS(FC_ERR_FAULT, fc_memory_write((void *)(UINTPTR_MAX - 7), buffer, 16));
  CHECK_STATUS(FC_ERR_FAULT, fc_memory_string((void *)UINTPTR_MAX, SIZE_MAX, &length));
  /* valgrind looks at all of the buffer, which is not that long. */
  if (under_valgrind())
    return;
  CHECK_STATUS(FC_ERR_FAULT, fc_memory_read(fence, buffer, SIZE_MAX));
  message_with_address(fence, " cannot be read");
}

static void nothing_is_read_of_nothing(void) {
  size_t length = 7;
  CHECK_STATUS(FC_OK, fc_memory_read(NULL, NULL, 0));
  CHECK_STATUS(FC_OK, fc_memory_write(NULL, NULL, 0));
  CHECK_STATUS(FC_OK, fc_memory_read((void *)8, NULL, 0));
  CHECK_STATUS(FC_OK, fc_memory_string((char *)8, 0, &length));
  CHECK_SIZE(0, length);
}

static void strings(void) {
  size_t length = 0;
  CHECK_STATUS(FC_OK, fc_memory_string("farcall", SIZE_MAX, &length));
  CHECK_SIZE(7, length);
  CHECK_STATUS(FC_OK, fc_memory_string("farcall", 7, &length));
  CHECK_SIZE(7, length);
  CHECK_STATUS(FC_OK, fc_memory_string("farcall", 3, &length));
  CHECK_SIZE(3, length);
  CHECK_STATUS(FC_OK, fc_memory_string("", 100, &length));
  CHECK_SIZE(0, length);
  memset(room, 'x', ROOM);
  CHECK_STATUS(FC_OK, fc_memory_string((char *)room, ROOM, &length));
  CHECK_SIZE(ROOM, length);
  CHECK_STATUS(FC_ERR_FAULT, fc_memory_string((char *)fence - 20, 21, &length));
  message_with_address(fence, " cannot be read; the 20 bytes before it");
  fence[-1] = 0;
  for (size_t before = 1; before < ROOM; before = before * 3 + 1) {
    CHECK_STATUS(FC_OK, fc_memory_string((char *)fence - before, SIZE_MAX, &length));
    CHECK_SIZE(before - 1, length);
  }
}

/* A page of a file behind the file's end cannot be read, though it is mapped. */
static void behind_the_end_of_a_file(void) {
  FILE *file = tmpfile();
  unsigned char back[16];
  size_t length = 0;
  fwrite("text", 1, 4, file);
  fflush(file);
  unsigned char *mapped = mmap(NULL, 2 * ROOM, PROT_READ, MAP_SHARED, fileno(file), 0);
  CHECK_STATUS(FC_OK, fc_memory_string((char *)mapped, SIZE_MAX, &length));
  CHECK_SIZE(4, length);
  CHECK_STATUS(FC_ERR_FAULT, fc_memory_read(mapped + ROOM, back, sizeof back));
  CHECK_STATUS(FC_ERR_FAULT, fc_memory_string((char *)mapped + ROOM, 5, &length));
  munmap(mapped, 2 * ROOM);
  fclose(file);
}

static void *read_and_write(void *own) {
  unsigned char *place = own, back[64];
  bool good = true;
  for (int round = 0; round < 500; round++) {
    unsigned char bytes[64];
    memset(bytes, round & 0xff, sizeof bytes);
    good = good && fc_memory_write(place, bytes, sizeof bytes) == FC_OK &&
           fc_memory_read(place, back, sizeof back) == FC_OK &&
           memcmp(bytes, back, sizeof back) == 0 && fc_memory_read(fence, back, 1) == FC_ERR_FAULT;
  }
  return good ? own : NULL;
}

static void threads(void) {
  pthread_t all[4];
  for (size_t i = 0; i < COUNT_OF(all); i++)
    CHECK_INT(0, pthread_create(&all[i], NULL, read_and_write, room + 1000 * i));
  for (size_t i = 0; i < COUNT_OF(all); i++) {
    void *result = NULL;
    pthread_join(all[i], &result);
    CHECK(result != NULL);
  }
}

static void all(void) {
  bytes_at_any_alignment();
  many_bytes();
  addresses_that_are_bad();
  ranges_that_end_behind_the_fence();
  read_only_memory_stays_as_it_is();
  ranges_that_wrap_around();
  nothing_is_read_of_nothing();
  strings();
  behind_the_end_of_a_file();
  threads();
}

static void children(void) { in_child(all); }

static int open_descriptors(void) {
  int count = 0;
  for (int number = 0; number < 256; number++)
    count += fcntl(number, F_GETFD) != -1;
  return count;
}

static void without_the_direct_calls(void) {
  static const long calls[] = {SYS_process_vm_readv, SYS_process_vm_writev};
  if (!CHECK(forbid(calls, COUNT_OF(calls), EPERM)))
    return;
  int before = open_descriptors();
  all();
  CHECK_INT(before, open_descriptors());
}

static void without_any_call(void) {
  static const long calls[] = {SYS_process_vm_readv, SYS_process_vm_writev, SYS_pipe2};
  char buffer[8];
  if (!CHECK(forbid(calls, COUNT_OF(calls), ENOSYS)))
    return;
  CHECK_STATUS(FC_ERR_SYSTEM, fc_memory_read(room, buffer, 8));
  CHECK_MESSAGE("reading at ");
  CHECK_INT(ENOSYS, fc_error_os());
  CHECK_STATUS(FC_ERR_SYSTEM, fc_memory_write(room, buffer, 8));
  CHECK_MESSAGE("writing at ");
}

static void where_calls_are_forbidden(void) {
  in_child(without_the_direct_calls);
  in_child(without_any_call);
}

int main(void) {
  if (!make_room())
    return 1;
  RUN(bytes_at_any_alignment);
  RUN(many_bytes);
  RUN(addresses_that_are_bad);
  RUN(buffers_that_are_bad);
  RUN(ranges_that_end_behind_the_fence);
  RUN(read_only_memory_stays_as_it_is);
  RUN(ranges_that_wrap_around);
  RUN(nothing_is_read_of_nothing);
  RUN(strings);
  RUN(behind_the_end_of_a_file);
  RUN(threads);
  RUN(children);
  /* There the memory is handed to write, which AddressSanitizer has looked at before. */
  if (can_forbid_calls() && !address_sanitized())
    RUN(where_calls_are_forbidden);
  return harness_end();
}
