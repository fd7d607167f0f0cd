/* Functions whose arguments travel alike share their code, whatever their prototypes say; and what
 * is a function's own is small, and made only when it is asked for. */
#include "harness.h"

#include <wchar.h>

static fc_code_stats code(void) {
  fc_code_stats stats;
  memset(&stats, 0, sizeof stats);
  stats.size = sizeof stats;
  CHECK_STATUS(FC_OK, fc_code_statistics(&stats));
  return stats;
}

/* A thousand functions in one array of bytes: farcall asks nothing of an address but that it is
 * called. Only those that are called must be code. */
enum { FUNCTIONS = 1000 };
static char addresses[FUNCTIONS];

static const char declarations[] =
    "typedef int number; typedef number size; enum side { LEFT = -1, RIGHT };\n"
    "struct one_int { int i; }; struct one_long { long l; }; struct nested { struct one_long o; "
    "};\n"
    "union one_pointer { void *p; long l; }; typedef struct one_long longs[1];\n"
    "struct array { longs a; }; struct one_double { double d; }; struct two_floats { float x, y; "
    "};\n"
    "struct pair { long a, b; }; struct other_pair { const char *text; size_t length; };";

/* The first prototype makes the code, all others use it. */
typedef struct family {
  const char *name;
  const char *prototypes[12];
} family;

static const family families[] = {
    {"int",
     {"int f(int, int)", "int(int, int)", "int g(int a, int b)", "signed(signed int, int)",
      "int32_t h(int32_t, const int)", "number(number, size)", "enum side f(enum side, int)",
#if WCHAR_MIN < 0
      "wchar_t f(wchar_t, int)",
#endif
      "int f(volatile int, register int)"}},
    {"unsigned",
     {"unsigned(unsigned, unsigned)", "uint32_t f(uint32_t a, unsigned int)",
#if WCHAR_MIN == 0
      "wchar_t f(wchar_t, int)",
#endif
      "unsigned f(const unsigned, unsigned)"}},
    {"eight bytes",
     {"long f(long, long)", "unsigned long(size_t, ssize_t)", "long long(int64_t, uint64_t)",
      "void *f(const char *, int (*)(void))", "intptr_t f(int[4], long f(void))",
      "long f(struct one_long, long)", "struct nested f(void *, struct array)",
      "struct one_long f(union one_pointer, struct one_int *)"}},
    {"sixteen bytes",
     {"struct pair f(struct pair)", "struct other_pair f(struct other_pair)",
      "struct pair f(const struct other_pair)"}},
    {"double",
     {"double f(double, double)", "struct one_double f(double, struct one_double)",
#if defined(__x86_64__)
      /* On aarch64 each has a register. */
      "double f(const double a, struct two_floats)"
#endif
     }},
};

static fc_function *made(const fc_decls *decls, const char *prototype, size_t number) {
  fc_signature *signature = NULL;
  fc_function *function = NULL;
  if (CHECK_STATUS(FC_OK, fc_signature_parse(decls, prototype, &signature)))
    CHECK_STATUS(FC_OK, fc_function_new(signature, &addresses[number], NULL, &function));
  fc_signature_free(signature);
  return function;
}

static size_t count_of(const family *f) {
  size_t count = 0;
  while (count < COUNT_OF(f->prototypes) && f->prototypes[count])
    count++;
  return count;
}

static bool same_stubs(const fc_code_stats *before, const fc_code_stats *now) {
  return before->stubs == now->stubs && before->stub_bytes == now->stub_bytes &&
         before->entries == now->entries && before->entry_bytes == now->entry_bytes &&
         before->mapped_bytes == now->mapped_bytes;
}

static void check_family(const fc_decls *decls, const family *f) {
  static fc_function *functions[FUNCTIONS];
  const size_t count = count_of(f);
  const fc_code_stats at_first = code();
  functions[0] = made(decls, f->prototypes[0], 0);
  const fc_code_stats before = code();
  CHECK_SIZE(at_first.stubs + 2, before.stubs);
  CHECK(before.stub_bytes > at_first.stub_bytes);
  for (size_t i = 1; i < FUNCTIONS; i++) {
    functions[i] = made(decls, f->prototypes[i % count], i);
    const fc_code_stats now = code();
    if (!CHECK(same_stubs(&before, &now)) && i < count)
      printf("  %s is not called as %s is\n", f->prototypes[i], f->prototypes[0]);
  }
  CHECK_SIZE(before.entries, code().entries);
  for (size_t i = 0; i < FUNCTIONS; i++)
    fc_function_free(functions[i]);
}

static void a_thousand_functions_share_their_code(void) {
  fc_decls *decls = NULL;
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  CHECK_STATUS(FC_OK, fc_decls_add(decls, declarations));
  for (size_t i = 0; i < COUNT_OF(families); i++) {
    const int before = harness.failures;
    check_family(decls, &families[i]);
    if (harness.failures > before)
      printf("  that was the family of %s\n", families[i].name);
  }
  fc_decls_free(decls);
}

static void what_travels_otherwise_has_its_own_code(void) {
  static const char *const prototypes[] = {"int f(short, int)",          "int f(int, short)",
                                           "int f(unsigned short, int)", "void f(short, int)",
                                           "int f(float, int)",          "int f(int, float)"};
  for (size_t i = 0; i < COUNT_OF(prototypes); i++) {
    const fc_code_stats before = code();
    fc_function *function = made(NULL, prototypes[i], 0);
    CHECK_SIZE(before.stubs + 2, code().stubs);
    fc_function_free(function);
  }
}

static void looking_makes_no_second_code(void) {
  fc_signature *signature = NULL;
  char text[512];
  CHECK_STATUS(FC_OK, fc_signature_parse(NULL, "char f(char, long double, char)", &signature));
  fc_function *function = made(NULL, "char f(char, long double, char)", 1);
  const fc_code_stats before = code();
  fc_signature_explain(signature, text, sizeof text);
  const fc_code_stats now = code();
  CHECK(same_stubs(&before, &now));
  fc_function_free(function);
  fc_signature_free(signature);
}

static int difference(int a, int b) { return a - b; }

static void entries_are_small_and_made_when_asked_for(void) {
  enum { LARGEST_ENTRY = 128, HELD = 300 };
  static const char *const prototypes[] = {
      "int f(int, int)", "double f(double, double)", "void f(void)",
      "long f(long, long, long, long, long, long, long, long, long, long)",
      "long double f(long double, __int128, float, short, char, _Bool, double _Complex)"};
  fc_function *functions[HELD];
  for (size_t i = 0; i < HELD; i++)
    functions[i] = made(NULL, prototypes[i % COUNT_OF(prototypes)], i);
  const fc_code_stats before = code();
  for (size_t i = 0; i < HELD; i++) {
    const fc_code_stats without = code();
    CHECK(fc_function_entry(functions[i]) != NULL);
    const fc_code_stats with = code();
    CHECK_SIZE(without.entries + 1, with.entries);
    CHECK(with.entry_bytes > without.entry_bytes);
    CHECK(with.entry_bytes - without.entry_bytes <= LARGEST_ENTRY);
    CHECK(fc_function_entry(functions[i]) != NULL);
    CHECK_SIZE(with.entries, code().entries);
    CHECK(fc_function_slot_entry(functions[i]) != NULL);
    const fc_code_stats with_both = code();
    CHECK_SIZE(with.entries + 1, with_both.entries);
    CHECK(with_both.entry_bytes - with.entry_bytes <= LARGEST_ENTRY);
  }
  CHECK_SIZE(before.stubs, code().stubs);
  CHECK_SIZE(before.stub_bytes, code().stub_bytes);
  for (size_t i = 0; i < HELD; i++)
    fc_function_free(functions[i]);
  CHECK_SIZE(before.entries, code().entries);
  CHECK_SIZE(before.entry_bytes, code().entry_bytes);
}

/* The entry of one knows its own target, though the code for the arguments is another's too. */
static int sum(int a, int b) { return a + b; }

static void shared_code_calls_each_function(void) {
  fc_signature *signature = NULL;
  fc_function *functions[2] = {NULL, NULL};
  int a = 50, b = 8, result = 0;
  void *args[] = {&a, &b};
  CHECK_STATUS(FC_OK, fc_signature_parse(NULL, "int(int, int)", &signature));
  CHECK_STATUS(FC_OK, fc_function_new(signature, ADDRESS_OF(sum), NULL, &functions[0]));
  CHECK_STATUS(FC_OK, fc_function_new(signature, ADDRESS_OF(difference), NULL, &functions[1]));
  for (int i = 0; i < 2; i++) {
    const int expected = i ? 42 : 58;
    fc_invoke(functions[i], &result, args);
    CHECK_INT(expected, result);
    fc_function_entry(functions[i])(&result, args);
    CHECK_INT(expected, result);
  }
  fc_function_free(functions[0]);
  fc_invoke(functions[1], &result, args);
  CHECK_INT(42, result);
  fc_function_free(functions[1]);
  fc_signature_free(signature);
}

int main(void) {
  if (!makes_stubs()) {
    /* There is nothing to count. */
    RUN(shared_code_calls_each_function);
    return harness_end();
  }
  RUN(a_thousand_functions_share_their_code);
  RUN(what_travels_otherwise_has_its_own_code);
  RUN(looking_makes_no_second_code);
  RUN(entries_are_small_and_made_when_asked_for);
  RUN(shared_code_calls_each_function);
  return harness_end();
}
