/* Signatures from text and from types. */
#include "harness.h"

static fc_signature *parsed(const fc_decls *decls, const char *prototype) {
  fc_signature *signature = NULL;
  CHECK_STATUS(FC_OK, fc_signature_parse(decls, prototype, &signature));
  return signature;
}

static void a_prototype_is_taken_apart(void) {
  fc_signature *pow = parsed(NULL, "double pow(double x, float)");
  CHECK_STRING("pow", fc_signature_name(pow));
  CHECK_SIZE(2, fc_signature_param_count(pow));
  CHECK_INT(FC_F64, fc_type_kind(fc_signature_param(pow, 0)));
  CHECK_INT(FC_F32, fc_type_kind(fc_signature_param(pow, 1)));
  CHECK_POINTER(NULL, fc_signature_param(pow, 2));
  CHECK_INT(FC_F64, fc_type_kind(fc_signature_result(pow)));
  CHECK(!fc_signature_is_variadic(pow));
  CHECK(fc_signature_abi(pow) != FC_ABI_DEFAULT);
  fc_signature_free(pow);
}

static void the_name_is_optional(void) {
  static const char *const prototypes[] = {"int(const char *, int)", "int (const char *s, int n)"};
  for (size_t i = 0; i < COUNT_OF(prototypes); i++) {
    fc_signature *signature = parsed(NULL, prototypes[i]);
    CHECK_STRING("", fc_signature_name(signature));
    CHECK_SIZE(2, fc_signature_param_count(signature));
    fc_signature_free(signature);
  }
}

static void void_stands_for_no_parameters(void) {
  static const char *const prototypes[] = {"int f(void)", "int f(void);", "int f()"};
  for (size_t i = 0; i < COUNT_OF(prototypes); i++) {
    fc_signature *signature = parsed(NULL, prototypes[i]);
    CHECK_SIZE(0, fc_signature_param_count(signature));
    fc_signature_free(signature);
  }
}

static void parameters_decay(void) {
  fc_signature *signature = parsed(NULL, "void f(int a[10], int g(double))");
  CHECK_INT(FC_POINTER, fc_type_kind(fc_signature_param(signature, 0)));
  CHECK_INT(FC_I32, fc_type_kind(fc_type_element(fc_signature_param(signature, 0))));
  CHECK_INT(FC_POINTER, fc_type_kind(fc_signature_param(signature, 1)));
  const fc_signature *g = fc_type_signature(fc_signature_param(signature, 1));
  if (CHECK(g != NULL)) {
    CHECK_SIZE(1, fc_signature_param_count(g));
    CHECK_INT(FC_F64, fc_type_kind(fc_signature_param(g, 0)));
  }
  CHECK_POINTER(NULL, fc_type_signature(fc_signature_param(signature, 0)));
  fc_signature_free(signature);
}

/* int (const void *, const void *), as all of the following have it. */
static void is_a_comparison(const char *what, const fc_type *type) {
  const fc_signature *signature = fc_type_signature(type);
  if (!CHECK(signature != NULL)) {
    fprintf(stderr, "  %s\n", what);
    return;
  }
  CHECK_SIZE(2, fc_signature_param_count(signature));
  CHECK_INT(FC_I32, fc_type_kind(fc_signature_result(signature)));
  for (size_t i = 0; i < 2; i++) {
    const fc_type *param = fc_signature_param(signature, i);
    CHECK_STRING("const void *", fc_type_name(param));
  }
}

/* However C text spells it, a parameter that takes a function knows which. */
static void function_parameters_know_their_signature(void) {
  static const char *const prototypes[] = {
      "void f(int (*compare)(const void *, const void *))",
      "void f(int (*)(const void *, const void *))",
      "void f(int compare(const void *, const void *))",
      "void f(int (const void *a, const void *b))",
      "void f(comparison *compare)",
      "void f(comparison compare)",
      "void f(comparison)",
      "void f(pointer compare)",
      "void f(pointer const compare)",
      "void f(another compare)",
      "void f(__typeof__(comparison) *compare)",
      "void f(int (* restrict const compare)(const void *, const void *))",
  };
  fc_decls *decls = NULL;
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  CHECK_STATUS(FC_OK, fc_decls_add(decls, "typedef int comparison(const void *, const void *);"
                                          "typedef comparison *pointer;"
                                          "typedef pointer another;"));
  for (size_t i = 0; i < COUNT_OF(prototypes); i++) {
    fc_signature *signature = parsed(decls, prototypes[i]);
    is_a_comparison(prototypes[i], fc_signature_param(signature, 0));
    fc_signature_free(signature);
  }
  fc_decls_free(decls);
}

/* Where there are several, or they are members or results, an element or a member knows it. */
static void function_pointers_in_data_know_their_signature(void) {
  static const char *const prototypes[] = {
      "void f(pointer *list)",
      "void f(pointer list[])",
      "void f(pointer list[4])",
      "void f(comparison *list[4])",
      "void f(int (*list[4])(const void *, const void *))",
      "void f(int (**list)(const void *, const void *))",
  };
  fc_decls *decls = NULL;
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  CHECK_STATUS(FC_OK, fc_decls_add(decls, "typedef int comparison(const void *, const void *);"
                                          "typedef comparison *pointer;"
                                          "struct table { pointer one; comparison *list[2];"
                                          "  int (*last)(const void *, const void *); };"));
  for (size_t i = 0; i < COUNT_OF(prototypes); i++) {
    fc_signature *signature = parsed(decls, prototypes[i]);
    const fc_type *list = fc_signature_param(signature, 0);
    CHECK_POINTER(NULL, fc_type_signature(list));
    is_a_comparison(prototypes[i], fc_type_element(list));
    fc_signature_free(signature);
  }

  fc_signature *signature = parsed(decls, "pointer f(struct table)");
  is_a_comparison("a result", fc_signature_result(signature));
  const fc_type *table = fc_signature_param(signature, 0);
  for (size_t i = 0; i < 3; i++) {
    fc_field field;
    CHECK_STATUS(FC_OK, fc_type_field(table, i, &field, NULL, NULL));
    is_a_comparison(field.name, i == 1 ? fc_type_element(field.type) : field.type);
  }
  /* The function that is returned outlives the declarations. */
  fc_decls_free(decls);
  is_a_comparison("a result", fc_signature_result(signature));
  fc_signature_free(signature);

  /* A function whose parameter is a function, whose parameter is one. */
  signature = parsed(NULL, "void (*signal(int, void (*)(int (*)(double))))(int)");
  const fc_signature *handler = fc_type_signature(fc_signature_param(signature, 1));
  const fc_signature *inner = fc_type_signature(fc_signature_param(handler, 0));
  if (CHECK(inner != NULL))
    CHECK_INT(FC_F64, fc_type_kind(fc_signature_param(inner, 0)));
  const fc_signature *result = fc_type_signature(fc_signature_result(signature));
  if (CHECK(result != NULL))
    CHECK_INT(FC_I32, fc_type_kind(fc_signature_param(result, 0)));
  fc_signature_free(signature);
}

static void declarations_are_used(void) {
  fc_decls *decls = NULL;
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  CHECK_STATUS(FC_OK, fc_decls_add(decls, "typedef struct { int x, y; } point;\n"
                                          "int cross(point a, const point *b);"));
  fc_signature *signature = parsed(decls, "point f(point)");
  CHECK_INT(FC_STRUCT, fc_type_kind(fc_signature_result(signature)));
  fc_decls_free(decls);
  CHECK_SIZE(8, fc_type_size(fc_signature_param(signature, 0)));
  fc_signature_free(signature);
}

static void from_types(void) {
  const fc_type *params[] = {fc_type_scalar(FC_I32), fc_type_scalar(FC_F64)};
  fc_signature *signature = NULL;
  CHECK_STATUS(FC_OK,
               fc_signature_new(FC_ABI_DEFAULT, fc_type_scalar(FC_VOID), params, 2, 2, &signature));
  CHECK_STRING("", fc_signature_name(signature));
  CHECK_INT(FC_VOID, fc_type_kind(fc_signature_result(signature)));
  CHECK_INT(FC_F64, fc_type_kind(fc_signature_param(signature, 1)));
  CHECK(!fc_signature_is_variadic(signature));
  fc_signature_free(signature);
  CHECK_STATUS(FC_OK,
               fc_signature_new(FC_ABI_DEFAULT, fc_type_scalar(FC_VOID), params, 2, 1, &signature));
  CHECK(fc_signature_is_variadic(signature));
  fc_signature_free(signature);
  CHECK_STATUS(FC_OK,
               fc_signature_new(FC_ABI_DEFAULT, fc_type_scalar(FC_I32), NULL, 0, 0, &signature));
  CHECK_SIZE(0, fc_signature_param_count(signature));
  fc_signature_free(signature);
  /* The array is not looked at if it cannot be so long. */
  const fc_type *const *nowhere = (const fc_type *const *)(uintptr_t)16;
  CHECK_STATUS(FC_ERR_LIMIT, fc_signature_new(FC_ABI_DEFAULT, fc_type_scalar(FC_I32), nowhere,
                                              SIZE_MAX, 0, &signature));
  CHECK_MESSAGE("parameters: the limit is 65536");
}

static void other_conventions(void) {
  static const fc_abi abis[] = {FC_ABI_SYSV64, FC_ABI_WIN64, FC_ABI_AAPCS64, FC_ABI_APPLE64};
  const fc_type *params[] = {fc_type_scalar(FC_I32)};
  fc_signature *signature = NULL;
  for (size_t i = 0; i < COUNT_OF(abis); i++) {
    fc_status status = fc_signature_new(abis[i], fc_type_scalar(FC_I32), params, 1, 1, &signature);
    if (status == FC_OK) {
      CHECK_INT(abis[i], fc_signature_abi(signature));
      fc_signature_free(signature);
    } else
      CHECK_STATUS(FC_ERR_UNSUPPORTED, status);
  }
  signature = NULL;
  CHECK_STATUS(FC_ERR_ARGUMENT,
               fc_signature_new((fc_abi)99, fc_type_scalar(FC_I32), params, 1, 1, &signature));
  CHECK_MESSAGE("abi");
  CHECK_POINTER(NULL, signature);
}

static void what_no_signature_can_have(void) {
  fc_type *array = NULL;
  CHECK_STATUS(FC_OK, fc_type_array(fc_type_scalar(FC_I32), 4, &array));
  const fc_type *with_void[] = {fc_type_scalar(FC_I32), fc_type_scalar(FC_VOID)};
  const fc_type *with_null[] = {fc_type_scalar(FC_I32), NULL};
  const fc_type *with_array[] = {fc_type_scalar(FC_I32), array};
  const fc_type *int_type = fc_type_scalar(FC_I32);
  fc_signature *out = NULL;
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_signature_new(FC_ABI_DEFAULT, int_type, with_void, 2, 2, &out));
  CHECK_MESSAGE("void");
  CHECK_MESSAGE("2");
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_signature_new(FC_ABI_DEFAULT, int_type, with_null, 2, 2, &out));
  CHECK_MESSAGE("params[1]");
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_signature_new(FC_ABI_DEFAULT, int_type, with_array, 2, 2, &out));
  CHECK_MESSAGE("2");
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_signature_new(FC_ABI_DEFAULT, array, NULL, 0, 0, &out));
  CHECK_MESSAGE("result");
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_signature_new(FC_ABI_DEFAULT, int_type, with_void, 1, 2, &out));
  CHECK_MESSAGE("fixed");
  CHECK_POINTER(NULL, out);
  fc_type_free(array);
}

static void text_that_is_no_prototype(void) {
  static const char *const wrong[] = {"",
                                      "double",
                                      "double pow",
                                      "double pow(double",
                                      "double pow(double))",
                                      "double pow(double) extra",
                                      "double pow(doubel)",
                                      "int f(void, int)",
                                      "int f(...,int)",
                                      "int f(int,)",
                                      "int f(int)(int)",
                                      "int f(int)[3]",
                                      "int f(struct unknown)",
                                      "int f(int); int g(int)",
                                      "int *p"};
  fc_signature *out = NULL;
  for (size_t i = 0; i < COUNT_OF(wrong); i++)
    if (!CHECK_FAILS(fc_signature_parse(NULL, wrong[i], &out)))
      printf("  the text was \"%s\"\n", wrong[i]);
  CHECK_STATUS(FC_ERR_SYNTAX, fc_signature_parse(NULL, "double pow(double", &out));
  CHECK_MESSAGE("1:");
  CHECK_FAILS(fc_signature_parse(NULL, "double pow(doubel x)", &out));
  CHECK_MESSAGE("doubel");
  CHECK_POINTER(NULL, out);
}

static void variadic_prototypes(void) {
  fc_signature *printf_like = parsed(NULL, "int printf(const char *, ...)"), *call = NULL;
  const fc_type *extra[] = {fc_type_scalar(FC_F64), fc_type_scalar(FC_I32)};
  CHECK(fc_signature_is_variadic(printf_like));
  CHECK_SIZE(1, fc_signature_param_count(printf_like));
  CHECK_STATUS(FC_OK, fc_signature_variadic(printf_like, extra, 2, &call));
  CHECK_SIZE(3, fc_signature_param_count(call));
  CHECK(fc_signature_is_variadic(call));
  CHECK_STRING("printf", fc_signature_name(call));
  CHECK_INT(FC_F64, fc_type_kind(fc_signature_param(call, 1)));
  fc_signature_free(call);
  call = NULL;
  CHECK_STATUS(FC_OK, fc_signature_variadic(printf_like, NULL, 0, &call));
  CHECK_SIZE(1, fc_signature_param_count(call));
  fc_signature_free(call);
  fc_signature_free(printf_like);
}

static void extra_arguments_are_promoted_by_the_caller(void) {
  fc_signature *prototype = parsed(NULL, "int printf(const char *, ...)"), *out = NULL;
  static const struct {
    fc_kind kind;
    const char *promoted;
  } cases[] = {{FC_F32, "double"}, {FC_I8, "int"},  {FC_U8, "int"},
               {FC_I16, "int"},    {FC_U16, "int"}, {FC_BOOL, "int"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    const fc_type *extra[] = {fc_type_scalar(FC_I32), fc_type_scalar(cases[i].kind)};
    CHECK_STATUS(FC_ERR_ARGUMENT, fc_signature_variadic(prototype, extra, 2, &out));
    CHECK_MESSAGE(cases[i].promoted);
    CHECK_MESSAGE(fc_type_name(extra[1]));
    const fc_type *params[] = {fc_type_scalar(FC_POINTER), extra[1]};
    CHECK_STATUS(FC_ERR_ARGUMENT,
                 fc_signature_new(FC_ABI_DEFAULT, fc_type_scalar(FC_I32), params, 2, 1, &out));
    CHECK_MESSAGE(cases[i].promoted);
  }
  const fc_type *nothing[] = {fc_type_scalar(FC_VOID)};
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_signature_variadic(prototype, nothing, 1, &out));
  CHECK_MESSAGE("void");
  CHECK_POINTER(NULL, out);
  fc_signature_free(prototype);
}

static void only_a_variadic_prototype_takes_extra_arguments(void) {
  fc_signature *abs = parsed(NULL, "int abs(int)"), *out = NULL;
  const fc_type *extra[] = {fc_type_scalar(FC_I32)};
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_signature_variadic(abs, extra, 1, &out));
  CHECK_MESSAGE("variadic");
  CHECK_MESSAGE("abs");
  CHECK_POINTER(NULL, out);
  fc_signature_free(abs);
}

int main(void) {
  RUN(a_prototype_is_taken_apart);
  RUN(the_name_is_optional);
  RUN(void_stands_for_no_parameters);
  RUN(parameters_decay);
  RUN(function_parameters_know_their_signature);
  RUN(function_pointers_in_data_know_their_signature);
  RUN(declarations_are_used);
  RUN(from_types);
  RUN(other_conventions);
  RUN(what_no_signature_can_have);
  RUN(text_that_is_no_prototype);
  RUN(variadic_prototypes);
  RUN(extra_arguments_are_promoted_by_the_caller);
  RUN(only_a_variadic_prototype_takes_extra_arguments);
  return harness_end();
}
