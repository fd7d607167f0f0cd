/* Structs by value that need many pages of stack, or a stack that is aligned to more than usual. */
#include "pace.h"
#include "paths.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t hash(const uint8_t *bytes, size_t length) {
  uint64_t sum = 14695981039346656037u;
  for (size_t i = 0; i < length; i++)
    sum = (sum ^ bytes[i]) * 1099511628211u;
  return sum;
}

static fc_decls *decls_of(const char *text) {
  fc_decls *decls = NULL;
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  CHECK_STATUS(FC_OK, fc_decls_add(decls, text));
  return decls;
}

typedef struct block {
  uint8_t bytes[20000];
} block;

static uint64_t hash_of_blocks(int before, block a, block b, double after) {
  return hash(a.bytes, sizeof a.bytes) ^ (hash(b.bytes, sizeof b.bytes) << 1) ^
         (uint64_t)(before + (int)after);
}

static void two_structs_of_many_pages(void) {
  static block a, b;
  for (size_t i = 0; i < sizeof a.bytes; i++) {
    a.bytes[i] = (uint8_t)(i * 31);
    b.bytes[i] = (uint8_t)(i * 17 + 5);
  }
  int before = 3;
  double after = 4;
  uint64_t expected = hash_of_blocks(before, a, b, after);
  fc_decls *decls = decls_of("struct block { unsigned char bytes[20000]; };");
  void *args[] = {&before, &a, &b, &after};
  CHECK_CALL_AT(hash_of_blocks, decls, "unsigned long f(int, struct block, struct block, double)",
                args, &expected);
  fc_decls_free(decls);
}

typedef struct megabyte {
  uint8_t bytes[1 << 20];
} megabyte;
static const char megabyte_text[] = "struct megabyte { uint8_t bytes[1048576]; };";
static const char megabyte_prototype[] = "uint64_t f(int8_t, struct megabyte, float)";

/* It reads one byte of each page and both ends: the sum of all would take too long. */
static uint64_t samples(int8_t before, const uint8_t *bytes, float after) {
  uint64_t sum = (uint64_t)(before + (int)after);
  for (size_t i = 0; i < sizeof(megabyte); i += 1021)
    sum = (sum ^ bytes[i]) * 1099511628211u;
  return sum ^ bytes[sizeof(megabyte) - 1];
}

static uint64_t of_megabyte(int8_t before, megabyte m, float after) {
  return samples(before, m.bytes, after);
}

static megabyte a_megabyte;

static void call_with_a_megabyte(void) {
  int8_t before = -7;
  float after = 40;
  for (size_t i = 0; i < sizeof a_megabyte; i++)
    a_megabyte.bytes[i] = (uint8_t)(i * 7 + (i >> 12));
  uint64_t expected = samples(before, a_megabyte.bytes, after);
  fc_decls *decls = decls_of(megabyte_text);
  void *args[] = {&before, &a_megabyte, &after};
  CHECK_CALL_AT(of_megabyte, decls, megabyte_prototype, args, &expected);
  fc_decls_free(decls);
}

static void a_megabyte_on_the_first_stack(void) { call_with_a_megabyte(); }

static void *megabyte_thread(void *unused) {
  call_with_a_megabyte();
  return unused;
}

static void a_megabyte_on_a_stack_of_four(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  CHECK_INT(0, pthread_attr_setstacksize(&attributes, 4u << 20));
  if (CHECK_INT(0, pthread_create(&thread, &attributes, megabyte_thread, NULL)))
    pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
}

static megabyte filled(uint8_t with) {
  megabyte m;
  memset(&m, with, sizeof m);
  return m;
}

static void a_megabyte_comes_back(void) {
  uint8_t with = 0xC3;
  memset(&a_megabyte, with, sizeof a_megabyte);
  fc_decls *decls = decls_of(megabyte_text);
  void *args[] = {&with};
  CHECK_CALL_AT(filled, decls, "struct megabyte f(uint8_t)", args, &a_megabyte);
  fc_decls_free(decls);
}

/* A stack of 256 KiB that ends in a guard page, below which there is memory of someone else. */
enum { STACK = 256 << 10, NEIGHBOUR = 4 << 20, GUARD = 4096, ALTERNATE = 65536 };
static unsigned char *arena;
static fc_entry overflowing_entry;

static void on_overflow(int number, siginfo_t *info, void *context) {
  (void)number;
  (void)context;
  const unsigned char *address = (const unsigned char *)info->si_addr;
  const unsigned char *guard = arena + NEIGHBOUR;
  bool is_untouched = true;
  for (size_t i = 0; i < NEIGHBOUR; i++)
    is_untouched = is_untouched && arena[i] == 0x77;
  _exit(address >= guard && address < guard + GUARD ? (is_untouched ? 0 : 2) : 3);
}

static void *overflow(void *unused) {
  static unsigned char alternate[ALTERNATE];
  stack_t stack;
  memset(&stack, 0, sizeof stack);
  stack.ss_sp = alternate;
  stack.ss_size = sizeof alternate;
  sigaltstack(&stack, NULL);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_overflow;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, NULL);
  int8_t before = 0;
  float after = 0;
  uint64_t result = 0;
  void *args[] = {&before, &a_megabyte, &after};
  overflowing_entry(&result, args);
  return unused;
}

static void overflow_in_a_thread(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  const size_t length = (size_t)NEIGHBOUR + GUARD + STACK;
  void *mapped = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    _exit(4);
  arena = (unsigned char *)mapped;
  memset(arena, 0x77, NEIGHBOUR);
  mprotect(arena + NEIGHBOUR, GUARD, PROT_NONE);
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, arena + NEIGHBOUR + GUARD, STACK);
  pthread_create(&thread, &attributes, overflow, NULL);
  pthread_join(thread, NULL);
  _exit(5);
}

/* A frame that skipped the guard page would write to memory that is not the stack's. */
static void a_stack_that_is_too_small_ends_at_its_guard(void) {
  static const uint32_t flags[] = {FC_REQUIRE_STUB, FC_REQUIRE_STUB | FC_CAPTURE_ERRNO,
                                   FC_FORCE_FALLBACK};
  fc_decls *decls = decls_of(megabyte_text);
  for (size_t i = 0; i < COUNT_OF(flags) && !under_valgrind(); i++) {
    callee target = {NULL, ADDRESS_OF(of_megabyte), NULL, decls, megabyte_prototype, false};
    fc_function *function = NULL;
    CHECK_STATUS(FC_OK, function_of(&target, possible_flags(flags[i]), &function));
    overflowing_entry = fc_function_entry(function);
    fflush(stdout);
    const pid_t child = fork();
    int status = -1;
    if (child == 0)
      overflow_in_a_thread();
    CHECK_INT(child, waitpid(child, &status, 0));
    CHECK(WIFEXITED(status));
    CHECK_INT(0, WEXITSTATUS(status));
    fc_function_free(function);
  }
  fc_decls_free(decls);
}

/* A compiler that may assume an alignment need not look: the address goes through memory. */
static size_t misalignment(const volatile void *address, size_t align) {
  const volatile void *volatile hidden = address;
  return (size_t)((uintptr_t)hidden % align);
}

static size_t misaligned;

#define ALIGNED(n)                                                                                 \
  typedef struct aligned_##n {                                                                     \
    _Alignas(n) double d;                                                                          \
    int8_t i;                                                                                      \
    uint8_t rest[n - 9];                                                                           \
  } aligned_##n;                                                                                   \
  static uint64_t of_aligned_##n(int8_t a, aligned_##n b, double c, aligned_##n d, long e, long f, \
                                 long g, long h, long i, int16_t j, aligned_##n k, float l) {      \
    misaligned += misalignment(&b, n) + misalignment(&d, n) + misalignment(&k, n);                 \
    return hash((const uint8_t *)&b, n) + 3 * hash((const uint8_t *)&d, n) +                       \
           5 * hash((const uint8_t *)&k, n) + (uint64_t)(a + e + f + g + h + i + j) +              \
           (uint64_t)(c + (double)l);                                                              \
  }                                                                                                \
  static aligned_##n moved_##n(aligned_##n from, int16_t by) {                                     \
    misaligned += misalignment(&from, n);                                                          \
    from.d += by;                                                                                  \
    from.rest[n - 10] = (uint8_t)by;                                                               \
    return from;                                                                                   \
  }                                                                                                \
  static void fill_aligned_##n(aligned_##n *s, double d) {                                         \
    memset(s, (int)d, sizeof *s);                                                                  \
    s->d = d;                                                                                      \
  }                                                                                                \
  static void aligned_to_##n(void) {                                                               \
    aligned_##n x, y, z, expected_move;                                                            \
    fill_aligned_##n(&x, 1);                                                                       \
    fill_aligned_##n(&y, 2);                                                                       \
    fill_aligned_##n(&z, 3);                                                                       \
    int8_t a = -1;                                                                                 \
    int16_t j = -300;                                                                              \
    long e = 10, f = 20, g = 30, h = 40, i = 50;                                                   \
    double c = 1000;                                                                               \
    float l = 500;                                                                                 \
    fc_decls *decls = decls_of("typedef struct { _Alignas(" #n ") double d; int8_t i; "            \
                               "uint8_t rest[" #n " - 9]; } aligned;");                            \
    uint64_t expected = of_aligned_##n(a, x, c, y, e, f, g, h, i, j, z, l);                        \
    expected_move = moved_##n(x, j);                                                               \
    /* On aarch64 gcc aligns its own copies to 16 bytes only. */                                   \
    misaligned = 0;                                                                                \
    void *args[] = {&a, &x, &c, &y, &e, &f, &g, &h, &i, &j, &z, &l};                               \
    callee target = {NULL, ADDRESS_OF(of_aligned_##n), NULL, decls, aligned_prototype, n > 16};    \
    check_call(&target, args, &expected, __FILE__, __LINE__);                                      \
    void *move_args[] = {&x, &j};                                                                  \
    callee move = {                                                                                \
        NULL, ADDRESS_OF(moved_##n), NULL, decls, "aligned f(aligned, int16_t)", n > 16};          \
    check_call(&move, move_args, &expected_move, __FILE__, __LINE__);                              \
    CHECK_SIZE(0, misaligned);                                                                     \
    fc_decls_free(decls);                                                                          \
  }

/* libffi cannot align an argument to more than 16 bytes, and may refuse. */
static const char aligned_prototype[] =
    "uint64_t f(int8_t, aligned, double, aligned, long, long, long, long, long, int16_t, aligned, "
    "float)";
ALIGNED(16)
ALIGNED(32)
ALIGNED(64)

int main(void) {
  RUN(two_structs_of_many_pages);
  RUN(a_megabyte_on_the_first_stack);
  RUN(a_megabyte_on_a_stack_of_four);
  RUN(a_megabyte_comes_back);
  RUN(a_stack_that_is_too_small_ends_at_its_guard);
  RUN(aligned_to_16);
  RUN(aligned_to_32);
  RUN(aligned_to_64);
  return harness_end();
}
