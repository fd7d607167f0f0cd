/* fc_signature_explain: its text to the letter, how much of it is written, and what it says of
 * signatures that cannot be called. */
#include "harness.h"

/* What is said on this machine. */
#if defined(__x86_64__)
#include "explain_x86_64.h"
#elif defined(__aarch64__)
#include "explain_aarch64.h"
#endif

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

/* The text of a signature. The one that is expected ends in the path "stub", in whose place another
 * is where no code is made. */
static void check_explained(const fc_signature *signature, const char *expected) {
  static const char stub[] = "stub\n";
  const size_t before_path = strlen(expected) - strlen(stub);
  const size_t length = before_path + strlen(usual_path()) + 2;
  char *with_path = (char *)malloc(length);
  CHECK_STRING(stub, expected + before_path);
  snprintf(with_path, length, "%.*s%s\n", (int)before_path, expected, usual_path());
  char *text = explained(signature);
  CHECK_STRING(with_path, text);
  free(text);
  free(with_path);
}

static void check_text(const fc_decls *decls, const char *prototype, const char *expected) {
  fc_signature *signature = parsed(decls, prototype);
  check_explained(signature, expected);
  fc_signature_free(signature);
}

static fc_decls *decls_of(const char *text) {
  fc_decls *decls = NULL;
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  CHECK_STATUS(FC_OK, fc_decls_add(decls, text));
  return decls;
}

static void scalars(void) {
  check_text(NULL, "double pow(double x, double y)", text_of_pow);
  check_text(NULL, "void(void)",
             "void (void)\n"
             "  result  void  nothing\n"
             "  stack   0 bytes, aligned to 16\n"
             "  path    stub\n");
}

static void narrow_integers_and_the_stack(void) {
  check_text(
      NULL,
      "short f(signed char, unsigned short, _Bool, unsigned, long, const char *s, int, long, "
      "char, int)",
      text_of_narrow_integers);
}

static void wide_scalars(void) {
  check_text(NULL, "long double _Complex f(double _Complex, __int128, long double, _Float128)",
             text_of_wide_scalars);
}

static void structs(void) {
  fc_decls *decls = decls_of("struct point { float x, y, z; }; struct big { long a[5]; };\n"
                             "struct mixed { double d; char *p; }; struct empty {};\n"
                             "struct wide { _Alignas(32) double d; };");
  check_text(decls, "struct big f(struct point, struct mixed, struct empty, int, struct wide)",
             text_of_structs);
  fc_decls_free(decls);
}

static void more_than_nine_parameters(void) {
  check_text(NULL, "void f(long, long, long, long, long, long, long, float, long, float)",
             text_of_ten_parameters);
}

static void one_call_of_a_variadic_function(void) {
  fc_signature *prototype = parsed(NULL, "int printf(const char *, ...)"), *call = NULL;
  const fc_type *extra[] = {fc_type_scalar(FC_F64), fc_type_scalar(FC_I32)};
  CHECK_STATUS(FC_OK, fc_signature_variadic(prototype, extra, COUNT_OF(extra), &call));
  check_explained(call, text_of_printf);
  fc_signature_free(call);
  fc_signature_free(prototype);
}

#if defined(__x86_64__)
/* Copies, positions, what a variadic function is told twice, and the shadow space. */
static void microsofts_convention(void) {
  fc_signature *call = NULL;
  fc_signature *prototype = parsed(
      NULL, "__attribute__((ms_abi)) struct { char c[3]; } f(struct { long a, b; }, char, ...)");
  const fc_type *extra[] = {fc_type_scalar(FC_F64), fc_type_scalar(FC_I32)};
  CHECK_STATUS(FC_OK, fc_signature_variadic(prototype, extra, COUNT_OF(extra), &call));
  check_explained(
      call,
      "struct { char c[3]; } f(struct { long a; long b; }, char, ...) __attribute__((ms_abi))\n"
      "  parameter 1       struct { long a; long b; } (16 bytes)  the address of a copy, "
      "aligned to 16, in rdx\n"
      "  parameter 2       char                                   r8, sign-extended to 32 "
      "bits\n"
      "  extra argument 3  double                                 xmm3 and r9\n"
      "  extra argument 4  int                                    stack bytes 32-35\n"
      "  result            struct { char c[3]; } (3 bytes)        memory, its address in "
      "rcx, given back in rax\n"
      "  stack             40 bytes, aligned to 16, the first 32 of them shadow space of the "
      "callee's\n"
      "  path              stub\n");
  fc_signature_free(call);
  fc_signature_free(prototype);
}
#endif

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
#if defined(__x86_64__)
      /* On aarch64 it travels by reference. */
      {"int f(char, v512)", "parameter 2"},
      {"v512 f(void)", "512-bit"},
#endif
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
  CHECK_STATUS(FC_OK, fc_signature_new(OTHER_CONVENTION, param, &param, 1, 1, &signature));
  check_refusal(signature, OTHER_CONVENTION_PROTOTYPE, OTHER_CONVENTION_NAME);
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
  RUN(scalars);
  RUN(narrow_integers_and_the_stack);
  RUN(wide_scalars);
  RUN(structs);
  RUN(more_than_nine_parameters);
  RUN(one_call_of_a_variadic_function);
#if defined(__x86_64__)
  RUN(microsofts_convention);
#endif
  RUN(another_machines_convention);
  RUN(what_cannot_be_called);
  RUN(explain_writes_what_fits);
  RUN(no_character_is_cut);
  RUN(null_is_no_crash);
  return harness_end();
}
