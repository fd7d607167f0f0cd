/* Making and freeing for a long time takes no more memory than making and freeing for a short time,
 * and no page is ever writable and executable at once. */
#include "harness.h"
#include "pace.h"

#include <pthread.h>
#include <unistd.h>

/* Resident bytes and code may grow by this much after the first tenth: what allocators need for
 * themselves, and for gaps that fit nothing yet. */
enum { GROWTH = 4 << 20, CODE_GROWTH = 128 << 10 };
/* An emulator keeps what it made of each library that was opened. */
enum { EMULATED_GROWTH = 16 << 20 };

static size_t resident_bytes(void) {
  unsigned long total = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!CHECK(file != NULL))
    return 0;
  CHECK_INT(2, fscanf(file, "%lu %lu", &total, &resident));
  fclose(file);
  return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static fc_code_stats code(void) {
  fc_code_stats stats;
  memset(&stats, 0, sizeof stats);
  stats.size = sizeof stats;
  CHECK_STATUS(FC_OK, fc_code_statistics(&stats));
  return stats;
}

/* One round, which returns whether all went well. */
typedef bool round_function(size_t number);

/* Under valgrind and in an emulator there is no time for so many. Under valgrind memory is
 * valgrind's; leaks it finds itself. */
static void stays_flat(const char *what, size_t count, round_function *round) {
  size_t failures = 0, i = 0, first = count / 10;
  if (under_valgrind())
    count /= 500, first /= 500;
  else if (emulated())
    count /= 8, first /= 2;
  for (; i < first; i++)
    failures += !round(i);
  const size_t resident = resident_bytes(), mapped = code().mapped_bytes;
  for (; i < count; i++)
    failures += !round(i);
  const size_t resident_after = resident_bytes(), mapped_after = code().mapped_bytes;
  CHECK_SIZE(0, failures);
  printf("  %zu times %s: resident %zu KiB, then %zu KiB; code %zu KiB, then %zu KiB\n", count,
         what, resident >> 10, resident_after >> 10, mapped >> 10, mapped_after >> 10);
  if (!under_valgrind() && !sanitized()) {
    CHECK(resident_after < resident + (emulated() ? EMULATED_GROWTH : GROWTH));
    CHECK(mapped_after < mapped + CODE_GROWTH);
  }
}

static fc_library *libc_library;

static bool bind_and_free(size_t number) {
  fc_function *function = NULL;
  (void)number;
  if (fc_bind(libc_library, NULL, "int abs(int)", NULL, &function) != FC_OK)
    return false;
  fc_function_free(function);
  return true;
}

static void one_signature_again_and_again(void) {
  stays_flat("one signature", 1000000, bind_and_free);
}

/* More signatures than the library keeps of unused ones, no two of which travel alike. */
enum { SIGNATURES = 5000 };

static fc_function *function_of_number(size_t number, uint32_t flags) {
  static const char *const types[] = {"int8_t",  "uint8_t", "int16_t", "uint16_t",   "int64_t",
                                      "int32_t", "float",   "double",  "long double"};
  char prototype[128];
  size_t rest = number % SIGNATURES, length = 0;
  length += (size_t)snprintf(prototype, sizeof prototype, "int abs(int");
  for (int i = 0; i < 4; i++, rest /= COUNT_OF(types))
    length += (size_t)snprintf(prototype + length, sizeof prototype - length, ", %s",
                               types[rest % COUNT_OF(types)]);
  snprintf(prototype + length, sizeof prototype - length, ")");
  fc_function_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.flags = flags;
  fc_function *function = NULL;
  fc_bind(libc_library, NULL, prototype, &options, &function);
  return function;
}

/* In an order that leaves gaps of every size among what is freed. */
static bool bind_one_of_many(size_t number) {
  fc_function *function = function_of_number(number * 2477, 0);
  fc_function_free(function);
  return function != NULL;
}

static void many_signatures(void) {
  stays_flat("one of many signatures", 100000, bind_one_of_many);
}

static bool make_entries(size_t number) {
  static const uint32_t flags[] = {0, FC_CAPTURE_ERRNO, FC_FORCE_FALLBACK};
  fc_function *function = function_of_number(number % 50, flags[number % COUNT_OF(flags)]);
  const bool has_entry = fc_function_entry(function) != NULL;
  const bool has_slot_entry = number % 2 || fc_function_slot_entry(function) != NULL;
  fc_function_free(function);
  return has_entry && has_slot_entry;
}

static void entries(void) {
  stays_flat("entries", 100000, make_entries);
  CHECK_SIZE(0, code().entries);
}

/* As many at once as an interpreter may have, with all of their entries, freed in another order. */
static bool hold_and_free(size_t number) {
  enum { HELD = 1000 };
  static fc_function *held[HELD];
  size_t failures = 0;
  for (size_t i = 0; i < HELD; i++) {
    held[i] = function_of_number(i + number * 300, 0);
    failures += fc_function_entry(held[i]) == NULL;
  }
  for (size_t i = 0; i < HELD; i++)
    fc_function_free(held[i * 37 % HELD]);
  return failures == 0;
}

static void many_functions_at_once(void) {
  stays_flat("a thousand functions",
             under_valgrind() ? 1000
             : emulated()     ? 320
                              : 100,
             hold_and_free);
}

static bool declare(size_t number) {
  fc_decls *decls = NULL;
  char text[256];
  snprintf(text, sizeof text,
           "typedef struct node_%zu { struct node_%zu *next; union { int i; double d; } u; "
           "unsigned flag : 3; } node; enum { LAST = %zu }; node f(node, int (*)(node *));",
           number % 1000, number % 1000, number);
  if (fc_decls_new(&decls) != FC_OK)
    return false;
  fc_status status = fc_decls_add(decls, text);
  fc_type *type = NULL;
  if (status == FC_OK && number % 2)
    status = fc_decls_type(decls, "node", &type);
  fc_decls_free(decls);
  fc_type_free(type);
  return status == FC_OK;
}

static void declarations(void) { stays_flat("declarations", 100000, declare); }

static bool fail(size_t number) {
  fc_function *function = NULL;
  fc_decls *decls = NULL;
  static const char *const prototypes[] = {"int abs(int", "int abs(struct unknown)",
                                           "int printf(char *, ...)"};
  const char *prototype = prototypes[number % COUNT_OF(prototypes)];
  const bool fails = fc_bind(libc_library, NULL, prototype, NULL, &function) != FC_OK;
  fc_decls_new(&decls);
  const bool fails_too = fc_decls_add(decls, "typedef int a; struct s { a b; a b; };") != FC_OK;
  fc_decls_free(decls);
  return fails && fails_too;
}

static void failures(void) { stays_flat("failures", 100000, fail); }

/* For the message files are read. */
static bool look_up_in_vain(size_t number) {
  static const char *const names[] = {"no_such_function", "strlne", "memcpy@NO_SUCH_VERSION"};
  void *address = NULL;
  return fc_library_symbol(libc_library, names[number % COUNT_OF(names)], &address) ==
         FC_ERR_NOT_FOUND;
}

static bool open_in_vain(size_t number) {
  static const char *const names[] = {"/no/such/library.so", "/dev/null", "no_such_library"};
  fc_library *library = NULL;
  return fc_library_open(names[number % COUNT_OF(names)], NULL, &library) != FC_OK;
}

static void libraries_and_symbols_that_are_not_there(void) {
  stays_flat("no symbol", 500, look_up_in_vain);
  stays_flat("no library", 500, open_in_vain);
}

/* Nothing else has loaded it: it is really opened and closed. */
static bool open_and_close(size_t number) {
  fc_library *library = NULL;
  fc_function *function = NULL;
  if (fc_library_open("libz.so.1", NULL, &library) != FC_OK)
    return false;
  const bool binds = number % 2 || fc_bind(library, NULL, "const char *zlibVersion(void)", NULL,
                                           &function) == FC_OK;
  fc_library_free(library);
  fc_function_free(function);
  return binds;
}

static void libraries(void) { stays_flat("a library", 10000, open_and_close); }

/* The number of pages' runs that are executable, and of those that are writable as well. */
static void look_at_pages(size_t *executable, size_t *writable_too) {
  char line[512];
  *executable = *writable_too = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  if (!CHECK(maps != NULL))
    return;
  while (fgets(line, sizeof line, maps)) {
    char permissions[5] = "";
    if (sscanf(line, "%*s %4s", permissions) != 1 || permissions[2] != 'x')
      continue;
    ++*executable;
    /* valgrind runs everything from pages of its own, which are both. */
    *writable_too += permissions[1] == 'w' && !under_valgrind();
  }
  fclose(maps);
}

static void no_page_is_writable_and_executable(void) {
  enum { HELD = 2000 };
  static fc_function *held[HELD];
  size_t executable, writable_too;
  for (size_t i = 0; i < HELD; i++) {
    held[i] = function_of_number(i, 0);
    CHECK(fc_function_entry(held[i]) != NULL);
  }
  look_at_pages(&executable, &writable_too);
  CHECK(executable > 0);
  CHECK_SIZE(0, writable_too);
  for (size_t i = 0; i < HELD; i++)
    fc_function_free(held[i]);
}

typedef struct maker {
  pthread_mutex_t lock;
  bool stops;
  size_t made;
} maker;

static bool goes_on(maker *m) {
  pthread_mutex_lock(&m->lock);
  const bool goes_on = !m->stops;
  pthread_mutex_unlock(&m->lock);
  return goes_on;
}

static void *make_until_told(void *argument) {
  maker *m = (maker *)argument;
  for (; goes_on(m); m->made++) {
    fc_function *function = function_of_number(m->made * 2477, 0);
    fc_function_entry(function);
    fc_function_free(function);
  }
  return NULL;
}

static void not_even_while_code_is_made(void) {
  maker m = {PTHREAD_MUTEX_INITIALIZER, false, 0};
  pthread_t thread;
  size_t executable, writable_too, looks = under_valgrind() ? 20 : emulated() ? 100 : 2000, bad = 0;
  if (!CHECK_INT(0, pthread_create(&thread, NULL, make_until_told, &m)))
    return;
  for (size_t i = 0; i < looks; i++) {
    look_at_pages(&executable, &writable_too);
    bad += writable_too;
  }
  pthread_mutex_lock(&m.lock);
  m.stops = true;
  pthread_mutex_unlock(&m.lock);
  pthread_join(thread, NULL);
  CHECK_SIZE(0, bad);
  CHECK(m.made > 10);
}

int main(void) {
  CHECK_STATUS(FC_OK, fc_library_open("libc.so.6", NULL, &libc_library));
  RUN(one_signature_again_and_again);
  RUN(many_signatures);
  RUN(entries);
  RUN(many_functions_at_once);
  RUN(declarations);
  RUN(failures);
  RUN(libraries_and_symbols_that_are_not_there);
  RUN(libraries);
  RUN(no_page_is_writable_and_executable);
  RUN(not_even_while_code_is_made);
  fc_library_free(libc_library);
  return harness_end();
}
