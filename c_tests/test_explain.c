/* fc_signature_explain: its text to the letter, how much of it is written, and what it says of
 * signatures that cannot be called. */
#include "harness.h"

#include <stdlib.h>

static fc_signature *parsed(const fc_decls *decls, const char *prototype) {
  fc_signature *signature = NULL;
  CHECK_STATUS(FC_OK, fc_signature_parse(decls, prototype, &signature));
  return signature;
}

/* The text, in memory that ends with it: valgrind sees a byte too many. */
static char *explained(const fc_signature *signature) {
  const size_t length = fc_signature_explain(signature, NULL, 0);
  char *text = (char *)malloc(length + 1);
  CHECK_SIZE(length, fc_signature_explain(signature, text, length + 1));
  CHECK_SIZE(length, strlen(text));
  return text;
}

static void check_text(const fc_decls *decls, const char *prototype, const char *expected) {
  fc_signature *signature = parsed(decls, prototype);
  char *text = explained(signature);
  CHECK_STRING(expected, text);
  free(text);
  fc_signature_free(signature);
}

static fc_decls *decls_of(const char *text) {
  fc_decls *decls = NULL;
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  CHECK_STATUS(FC_OK, fc_decls_add(decls, text));
  return decls;
}

static void scalars(void) {
  check_text(NULL, "double pow(double x, double y)",
             "double pow(double, double)\n"
             "  parameter 1  double  xmm0\n"
             "  parameter 2  double  xmm1\n"
             "  result       double  xmm0\n"
             "  stack        0 bytes, aligned to 16\n"
             "  path         stub\n");
  check_text(NULL, "void(void)",
             "void (void)\n"
             "  result  void  nothing\n"
             "  stack   0 bytes, aligned to 16\n"
             "  path    stub\n");
}

static void narrow_integers_and_the_stack(void) {
  check_text(
      NULL, "short f(signed char, unsigned short, _Bool, unsigned, long, const char *s, char, int)",
      "short f(signed char, unsigned short, _Bool, unsigned int, long, const char *, char, "
      "int)\n"
      "  parameter 1  signed char     rdi, sign-extended to 32 bits\n"
      "  parameter 2  unsigned short  rsi, zero-extended to 32 bits\n"
      "  parameter 3  _Bool           rdx, zero-extended to 32 bits\n"
      "  parameter 4  unsigned int    rcx\n"
      "  parameter 5  long            r8\n"
      "  parameter 6  const char *    r9\n"
      "  parameter 7  char            stack bytes 0-0, sign-extended to 32 bits\n"
      "  parameter 8  int             stack bytes 8-11\n"
      "  result       short           rax\n"
      "  stack        16 bytes, aligned to 16\n"
      "  path         stub\n");
}

static void wide_scalars(void) {
  check_text(NULL, "long double _Complex f(double _Complex, __int128, long double, _Float128)",
             "long double _Complex f(double _Complex, __int128, long double, _Float128)\n"
             "  parameter 1  double _Complex       bytes 0-7 in xmm0, bytes 8-15 in xmm1\n"
             "  parameter 2  __int128              bytes 0-7 in rdi, bytes 8-15 in rsi\n"
             "  parameter 3  long double           stack bytes 0-15\n"
             "  parameter 4  _Float128             xmm2\n"
             "  result       long double _Complex  bytes 0-9 in st(0), bytes 16-25 in st(1)\n"
             "  stack        16 bytes, aligned to 16\n"
             "  path         stub\n");
}

static void structs(void) {
  fc_decls *decls = decls_of("struct point { float x, y, z; }; struct big { long a[5]; };\n"
                             "struct mixed { double d; char *p; }; struct empty {};\n"
                             "struct wide { _Alignas(32) double d; };");
  check_text(decls, "struct big f(struct point, struct mixed, struct empty, int, struct wide)",
             "struct big f(struct point, struct mixed, struct empty, int, struct wide)\n"
             "  parameter 1  struct point (12 bytes)  bytes 0-7 in xmm0, bytes 8-11 in xmm1\n"
             "  parameter 2  struct mixed (16 bytes)  bytes 0-7 in xmm2, bytes 8-15 in rsi\n"
             "  parameter 3  struct empty (0 bytes)   nothing\n"
             "  parameter 4  int                      rdx\n"
             "  parameter 5  struct wide (32 bytes)   stack bytes 0-31\n"
             "  result       struct big (40 bytes)    memory, its address in rdi, given back in "
             "rax\n"
             "  stack        32 bytes, aligned to 32\n"
             "  path         stub\n");
  fc_decls_free(decls);
}

static void more_than_nine_parameters(void) {
  check_text(NULL, "void f(long, long, long, long, long, long, long, float, long, float)",
             "void f(long, long, long, long, long, long, long, float, long, float)\n"
             "  parameter 1   long   rdi\n"
             "  parameter 2   long   rsi\n"
             "  parameter 3   long   rdx\n"
             "  parameter 4   long   rcx\n"
             "  parameter 5   long   r8\n"
             "  parameter 6   long   r9\n"
             "  parameter 7   long   stack bytes 0-7\n"
             "  parameter 8   float  xmm0\n"
             "  parameter 9   long   stack bytes 8-15\n"
             "  parameter 10  float  xmm1\n"
             "  result        void   nothing\n"
             "  stack         16 bytes, aligned to 16\n"
             "  path          stub\n");
}

static void one_call_of_a_variadic_function(void) {
  fc_signature *prototype = parsed(NULL, "int printf(const char *, ...)"), *call = NULL;
  const fc_type *extra[] = {fc_type_scalar(FC_F64), fc_type_scalar(FC_I32)};
  CHECK_STATUS(FC_OK, fc_signature_variadic(prototype, extra, COUNT_OF(extra), &call));
  char *text = explained(call);
  CHECK_STRING("int printf(const char *, ...)\n"
               "  parameter 1       const char *  rdi\n"
               "  extra argument 2  double        xmm0\n"
               "  extra argument 3  int           rsi\n"
               "  result            int           rax\n"
               "  stack             0 bytes, aligned to 16\n"
               "  variadic          al = 1 vector registers\n"
               "  path              stub\n",
               text);
  free(text);
  fc_signature_free(call);
  fc_signature_free(prototype);
}

/* First the prototype, then why not. */
static void check_refusal(const fc_signature *signature, const char *prototype, const char *why) {
  char *text = explained(signature);
  char begin[256];
  snprintf(begin, sizeof begin, "%s\n  cannot be called: ", prototype);
  CHECK_BYTES(begin, text, strlen(begin) < strlen(text) ? strlen(begin) : strlen(text));
  CHECK_CONTAINS(why, text);
  CHECK_INT('\n', text[strlen(text) - 1]);
  free(text);
}

static void what_cannot_be_called(void) {
  static const struct {
    const char *prototype, *why;
  } cases[] = {
      {"int printf(const char *, ...)", "fc_signature_variadic"},
      {"int f(struct huge)", "268435456"},
      {"int f(char, v512)", "parameter 2"},
      {"v512 f(void)", "512-bit"},
  };
  static const char *const texts[] = {"int printf(const char *, ...)", "int f(struct huge)",
                                      "int f(char, double __attribute__((vector_size(64))))",
                                      "double __attribute__((vector_size(64))) f(void)"};
  fc_decls *decls = decls_of("struct huge { char c[300000000]; };\n"
                             "typedef double v512 __attribute__((vector_size(64)));");
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fc_signature *signature = parsed(decls, cases[i].prototype);
    check_refusal(signature, texts[i], cases[i].why);
    fc_signature_free(signature);
  }
  fc_decls_free(decls);
}

static void another_machines_convention(void) {
  const fc_type *param = fc_type_scalar(FC_I32);
  fc_signature *signature = NULL;
  CHECK_STATUS(FC_OK, fc_signature_new(FC_ABI_AAPCS64, param, &param, 1, 1, &signature));
  check_refusal(signature, "int (int)", "aapcs64");
  fc_signature_free(signature);
}

/* As snprintf: the whole length comes back, as much as fits is written, and a NUL behind it. */
static void explain_writes_what_fits(void) {
  fc_signature *signature = parsed(NULL, "double f(double first, int, const char *)");
  char *text = explained(signature);
  const size_t length = strlen(text);
  char *part = (char *)malloc(length + 8);
  for (size_t room = 0; room <= length + 4; room++) {
    const size_t written = room == 0 ? 0 : room <= length ? room : length + 1;
    memset(part, '#', length + 8);
    CHECK_SIZE(length, fc_signature_explain(signature, part, room));
    if (written > 0) {
      CHECK_BYTES(text, part, written - 1);
      CHECK_INT(0, part[written - 1]);
    }
    for (size_t i = written; i < length + 8; i++)
      if (part[i] != '#')
        CHECK_INT('#', part[i]);
  }
  free(part);
  free(text);
  fc_signature_free(signature);
}

/* A character of more than one byte is written wholly or not at all. */
static void no_character_is_cut(void) {
  static const char name[] = "\xC3\xA9\xE2\x82\xAC";
  static const size_t whole[] = {0, 0, 2, 2, 2, 5};
  fc_decls *decls = decls_of("struct \xC3\xA9\xE2\x82\xAC { int i; };");
  fc_signature *signature = parsed(decls, "struct \xC3\xA9\xE2\x82\xAC f(int)");
  const size_t before = strlen("struct ");
  char part[32];
  for (size_t i = 0; i < COUNT_OF(whole); i++) {
    memset(part, '#', sizeof part);
    fc_signature_explain(signature, part, before + i + 1);
    CHECK_SIZE(before + whole[i], strlen(part));
    CHECK_BYTES(name, part + before, whole[i]);
    CHECK_INT('#', part[before + i + 1]);
  }
  fc_signature_free(signature);
  fc_decls_free(decls);
}

static void null_is_no_crash(void) {
  char text[8] = "#######";
  fc_signature *signature = parsed(NULL, "void f(void)");
  CHECK_SIZE(0, fc_signature_explain(NULL, text, sizeof text));
  CHECK_STRING("#######", text);
  CHECK_SIZE(0, fc_signature_explain(NULL, NULL, 0));
  CHECK_SIZE(0, fc_signature_explain(signature, NULL, 8));
  CHECK_MESSAGE("buffer");
  fc_signature_free(signature);
}

int main(void) {
#if defined(__x86_64__)
  RUN(scalars);
  RUN(narrow_integers_and_the_stack);
  RUN(wide_scalars);
  RUN(structs);
  RUN(more_than_nine_parameters);
  RUN(one_call_of_a_variadic_function);
  RUN(another_machines_convention);
#endif
  RUN(what_cannot_be_called);
  RUN(explain_writes_what_fits);
  RUN(no_character_is_cut);
  RUN(null_is_no_crash);
  return harness_end();
}
