/* Variadic functions of the C library, of the kernel and of libcurl as they are used, on every
 * path. */
#include "folders.h"
#include "paths.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>

/* One call of a variadic function, which can be made in several ways. */
typedef struct variadic_call {
  fc_function *function;
  int way;
} variadic_call;

enum { WAYS = 4 };

static const uint32_t flags_of_paths[] = {FC_CAPTURE_ERRNO, FC_FORCE_FALLBACK | FC_CAPTURE_ERRNO};

/* The function for a call with extra arguments of these kinds: a letter each, i for int, l for
 * int64_t, d for double, p for a pointer. */
static fc_function *bind(const fc_library *library, const char *prototype, const char *extra,
                         uint32_t flags) {
  const fc_type *types[16];
  const size_t count = strlen(extra);
  fc_function_options options;
  fc_signature *open = NULL, *signature = NULL;
  fc_function *function = NULL;
  void *address = NULL;
  for (size_t i = 0; i < count; i++)
    types[i] = fc_type_scalar(extra[i] == 'i'   ? FC_I32
                              : extra[i] == 'l' ? FC_I64
                              : extra[i] == 'd' ? FC_F64
                                                : FC_POINTER);
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.flags = flags;
  CHECK_STATUS(FC_OK, fc_signature_parse(NULL, prototype, &open));
  CHECK_STATUS(FC_OK, fc_signature_variadic(open, types, count, &signature));
  CHECK_STATUS(FC_OK, fc_library_symbol(library, fc_signature_name(open), &address));
  CHECK_STATUS(FC_OK, fc_function_new(signature, address, &options, &function));
  fc_signature_free(signature);
  fc_signature_free(open);
  return function;
}

/* Makes the call in one of four ways; the result is an int. */
static int call_int(const fc_function *function, int way, void **args) {
  fc_slot slots[16], slot;
  const fc_signature *signature = fc_function_signature(function);
  const size_t count = fc_signature_param_count(signature);
  int result = INT_MIN;
  memset(slots, GARBAGE, sizeof slots);
  memset(&slot, GARBAGE, sizeof slot);
  for (size_t i = 0; i < count; i++)
    memcpy(&slots[i], args[i], fc_type_size(fc_signature_param(signature, i)));
  switch (way) {
  case 0:
    fc_invoke(function, &result, args);
    return result;
  case 1:
    fc_function_entry(function)(&result, args);
    return result;
  case 2:
    fc_invoke_slots(function, &slot, slots);
    break;
  default:
    fc_function_slot_entry(function)(&slot, slots);
  }
  /* An int in a slot is extended to all of it. */
  CHECK_INT((int)slot.i, slot.i);
  return (int)slot.i;
}

/* Runs a body for each path and way, with `function` bound. */
#define EACH_CALL(library, prototype, extra)                                                       \
  for (size_t path_ = 0; path_ < COUNT_OF(flags_of_paths); path_++)                                \
    for (variadic_call one = {bind(library, prototype, extra, flags_of_paths[path_]), 0};          \
         one.function;                                                                             \
         one.way++, one.way == WAYS ? fc_function_free(one.function), one.function = NULL : NULL)

static fc_library *c_library;

static void printf_writes_to_standard_output(void) {
  char folder[PATH_MAX], text[64];
  const char *format = "%d|%5.2f|%s|%lld|%c\n", *word = "word";
  int number = -42, letter = 'x',
      expected = snprintf(text, sizeof text, format, number, 2.5, word, 1ll << 40, letter);
  double real = 2.5;
  int64_t large = 1ll << 40;
  void *args[] = {&format, &number, &real, &word, &large, &letter};
  if (!make_folder(folder))
    return;
  EACH_CALL(c_library, "int printf(const char *, ...)", "idpli") {
    fflush(stdout);
    const int before = dup(STDOUT_FILENO);
    const int file = open(in_folder(folder, "out"), O_RDWR | O_CREAT | O_TRUNC, 0600);
    dup2(file, STDOUT_FILENO);
    const int length = call_int(one.function, one.way, args);
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    char got[64] = "";
    CHECK_INT(expected, pread(file, got, sizeof got - 1, 0));
    CHECK_STRING(text, got);
    CHECK_INT(expected, length);
    close(file);
    close(before);
  }
  remove_folder(folder);
}

static void snprintf_of_more_than_registers_hold(void) {
  char expected[200], buffer[200], *at = buffer;
  const char *format = "%d %g %d %g %d %g %d %g %s %g %s %g %d";
  const char *first = "first", *second = "second";
  size_t size = sizeof buffer;
  int ints[] = {1, -2, 3, -4, 5};
  double reals[] = {0.5, -1.5, 1e100, 1e-100, 3.25, -0.0};
  const int length =
      snprintf(expected, sizeof expected, format, ints[0], reals[0], ints[1], reals[1], ints[2],
               reals[2], ints[3], reals[3], first, reals[4], second, reals[5], ints[4]);
  void *args[] = {&at,       &size,    &format,   &ints[0], &reals[0], &ints[1],
                  &reals[1], &ints[2], &reals[2], &ints[3], &reals[3], &first,
                  &reals[4], &second,  &reals[5], &ints[4]};
  EACH_CALL(c_library, "int snprintf(char *, size_t, const char *, ...)", "ididididpdpdi") {
    memset(buffer, 0, sizeof buffer);
    CHECK_INT(length, call_int(one.function, one.way, args));
    CHECK_STRING(expected, buffer);
  }
}

static void open_with_and_without_a_mode(void) {
  char folder[PATH_MAX];
  if (!make_folder(folder))
    return;
  const char *path = in_folder(folder, "made");
  int flags = O_CREAT | O_EXCL | O_RDWR, mode = 0640, read_only = O_RDONLY;
  void *creating[] = {&path, &flags, &mode}, *reading[] = {&path, &read_only};
  const mode_t before = umask(0);
  EACH_CALL(c_library, "int open(const char *, int, ...)", "i") {
    struct stat status;
    const int file = call_int(one.function, one.way, creating);
    CHECK(file >= 0);
    CHECK_INT(0, fstat(file, &status));
    CHECK_INT(0640, status.st_mode & 0777);
    /* It is there already. */
    CHECK_INT(-1, call_int(one.function, one.way, creating));
    CHECK_INT(EEXIST, fc_captured_errno());
    close(file);
    unlink(path);
  }
  umask(before);
  EACH_CALL(c_library, "int open(const char *, int, ...)", "") {
    CHECK_INT(-1, call_int(one.function, one.way, reading));
    CHECK_INT(ENOENT, fc_captured_errno());
  }
  remove_folder(folder);
}

static void fcntl_of_every_kind_of_argument(void) {
  int ends[2];
  if (!CHECK_INT(0, pipe(ends)))
    return;
  int from = 100, command = F_DUPFD, get = F_GETFD, set = F_SETFD, close_on_exec = FD_CLOEXEC;
  void *duplicate[] = {&ends[0], &command, &from};
  void *read_flags[] = {&ends[0], &get}, *write_flags[] = {&ends[0], &set, &close_on_exec};
  EACH_CALL(c_library, "int fcntl(int, int, ...)", "i") {
    const int copy = call_int(one.function, one.way, duplicate);
    CHECK(copy >= from);
    close(copy);
    CHECK_INT(0, call_int(one.function, one.way, write_flags));
    CHECK_INT(FD_CLOEXEC, fcntl(ends[0], F_GETFD));
    CHECK_INT(0, fcntl(ends[0], F_SETFD, 0));
  }
  EACH_CALL(c_library, "int fcntl(int, int, ...)", "") {
    CHECK_INT(0, call_int(one.function, one.way, read_flags));
  }
  /* The kernel fills the struct that the pointer leads to: nobody has a lock. */
  struct flock lock, *lock_at = &lock;
  int get_lock = F_GETLK;
  void *of_lock[] = {&ends[0], &get_lock, &lock_at};
  EACH_CALL(c_library, "int fcntl(int, int, ...)", "p") {
    memset(&lock, 0, sizeof lock);
    lock.l_type = F_WRLCK;
    CHECK_INT(0, call_int(one.function, one.way, of_lock));
    CHECK_INT(F_UNLCK, lock.l_type);
  }
  close(ends[0]);
  close(ends[1]);
}

static void ioctl_fills_what_a_pointer_leads_to(void) {
  int ends[2], count = -1, *count_at = &count;
  unsigned long request = FIONREAD;
  if (!CHECK_INT(0, pipe(ends)))
    return;
  CHECK_INT(5, write(ends[1], "12345", 5));
  void *args[] = {&ends[0], &request, &count_at};
  EACH_CALL(c_library, "int ioctl(int, unsigned long, ...)", "p") {
    count = -1;
    CHECK_INT(0, call_int(one.function, one.way, args));
    CHECK_INT(5, count);
  }
  int nowhere = -1;
  void *failing[] = {&nowhere, &request, &count_at};
  EACH_CALL(c_library, "int ioctl(int, unsigned long, ...)", "p") {
    CHECK_INT(-1, call_int(one.function, one.way, failing));
    CHECK_INT(EBADF, fc_captured_errno());
  }
  close(ends[0]);
  close(ends[1]);
}

/* What <curl/curl.h> calls these, whose values never change. */
enum {
  URL = 10002,
  WRITEDATA = 10001,
  WRITEFUNCTION = 20011,
  RANGE = 10007,
  NOPROGRESS = 43,
  MAX_RECV_SPEED_LARGE = 30146,
  SIZE_DOWNLOAD = 0x300000 + 8,
  SIZE_DOWNLOAD_T = 0x600000 + 8,
  EFFECTIVE_URL = 0x100000 + 1
};

typedef struct received {
  char bytes[64];
  size_t length;
} received;

static size_t receive(const char *bytes, size_t size, size_t count, void *user) {
  received *to = (received *)user;
  const size_t length = size * count;
  if (length <= sizeof to->bytes - to->length) {
    memcpy(to->bytes + to->length, bytes, length);
    to->length += length;
  }
  return length;
}

/* A file is fetched by its URL: options that are pointers, longs, functions and curl_off_t. */
static void curl_easy_setopt_and_getinfo(void) {
  fc_library *curl = NULL;
  char folder[PATH_MAX], url[PATH_MAX + 16];
  if (fc_library_open("libcurl.so.4", NULL, &curl) != FC_OK) {
    printf("       no libcurl here\n");
    return;
  }
  if (!make_folder(folder) || !put_file(folder, "text", "0123456789", 10))
    return;
  snprintf(url, sizeof url, "file://%s", in_folder(folder, "text"));
  void *init = NULL, *cleanup = NULL, *perform = NULL;
  CHECK_STATUS(FC_OK, fc_library_symbol(curl, "curl_easy_init", &init));
  CHECK_STATUS(FC_OK, fc_library_symbol(curl, "curl_easy_cleanup", &cleanup));
  CHECK_STATUS(FC_OK, fc_library_symbol(curl, "curl_easy_perform", &perform));
  const char *setopt = "int curl_easy_setopt(void *, int, ...)";
  const char *getinfo = "int curl_easy_getinfo(void *, int, ...)";
  for (size_t path = 0; path < COUNT_OF(flags_of_paths); path++) {
    fc_function *with_pointer = bind(curl, setopt, "p", flags_of_paths[path]);
    fc_function *with_long = bind(curl, setopt, "l", flags_of_paths[path]);
    fc_function *info = bind(curl, getinfo, "p", flags_of_paths[path]);
    for (int way = 0; way < WAYS; way++) {
      received got = {{0}, 0}, *got_at = &got;
      void *handle = (__extension__(void *(*)(void)) init)();
      const char *url_at = url, *range = "2-6", *effective = NULL, **effective_at = &effective;
      void *writer = ADDRESS_OF(receive);
      int64_t one = 1, speed = 1ll << 40, size_t_read = 0, *size_t_at = &size_t_read;
      double size = 0, *size_at = &size;
      const struct {
        fc_function *function;
        int option;
        void *value;
      } calls[] = {{with_pointer, URL, &url_at},       {with_pointer, RANGE, &range},
                   {with_pointer, WRITEDATA, &got_at}, {with_pointer, WRITEFUNCTION, &writer},
                   {with_long, NOPROGRESS, &one},      {with_long, MAX_RECV_SPEED_LARGE, &speed}};
      for (size_t i = 0; i < COUNT_OF(calls); i++) {
        int option = calls[i].option;
        void *args[] = {&handle, &option, calls[i].value};
        CHECK_INT(0, call_int(calls[i].function, way, args));
      }
      CHECK_INT(0, (__extension__(int (*)(void *)) perform)(handle));
      CHECK_SIZE(5, got.length);
      CHECK_BYTES("23456", got.bytes, 5);
      int what = SIZE_DOWNLOAD, what_t = SIZE_DOWNLOAD_T, what_url = EFFECTIVE_URL;
      void *of_size[] = {&handle, &what, &size_at}, *of_size_t[] = {&handle, &what_t, &size_t_at};
      void *of_url[] = {&handle, &what_url, &effective_at};
      CHECK_INT(0, call_int(info, way, of_size));
      CHECK_DOUBLE(5, size);
      CHECK_INT(0, call_int(info, way, of_size_t));
      CHECK_INT(5, size_t_read);
      CHECK_INT(0, call_int(info, way, of_url));
      CHECK_STRING(url, effective);
      (__extension__(void (*)(void *)) cleanup)(handle);
    }
    fc_function_free(with_pointer);
    fc_function_free(with_long);
    fc_function_free(info);
  }
  remove_folder(folder);
  fc_library_free(curl);
}

int main(void) {
  CHECK_STATUS(FC_OK, fc_library_open("libc.so.6", NULL, &c_library));
  RUN(printf_writes_to_standard_output);
  RUN(snprintf_of_more_than_registers_hold);
  RUN(open_with_and_without_a_mode);
  RUN(fcntl_of_every_kind_of_argument);
  RUN(ioctl_fills_what_a_pointer_leads_to);
  RUN(curl_easy_setopt_and_getinfo);
  fc_library_free(c_library);
  return harness_end();
}
