/* Every function with NULL in every pointer's place: an error that names the argument, or nothing,
 * never a crash; and every enum with numbers that it does not have. Only fc_invoke, fc_invoke_slots
 * and the entries check nothing. The test header/coverage counts that nothing is left out. */
#include "harness.h"

#include <stdlib.h>

static fc_decls *decls;
static fc_signature *signature;
static fc_library *library;
static fc_function *function;

/* Another failure first, so that the message cannot be an earlier one's. */
static void spoil_message(void) {
  int64_t value;
  fc_decls_constant(decls, "no_such_constant", &value);
}

#define REFUSED(argument, call)                                                                    \
  do {                                                                                             \
    spoil_message();                                                                               \
    if (CHECK_STATUS(FC_ERR_ARGUMENT, call))                                                       \
      CHECK_MESSAGE(argument);                                                                     \
  } while (0)

static const fc_type *int_type(void) { return fc_type_scalar(FC_I32); }

static void types(void) {
  fc_type *type = NULL;
  const fc_type *found = NULL;
  fc_field field, fields[1];
  size_t offset = 0;
  memset(fields, 0, sizeof fields);
  fields[0].name = "x";
  fields[0].type = int_type();
  REFUSED("fields", fc_type_struct("s", NULL, 1, NULL, &type));
  REFUSED("out", fc_type_struct("s", fields, 1, NULL, NULL));
  REFUSED("fields", fc_type_union("u", NULL, 1, NULL, &type));
  REFUSED("out", fc_type_union("u", fields, 1, NULL, NULL));
  REFUSED("element", fc_type_array(NULL, 1, &type));
  REFUSED("out", fc_type_array(int_type(), 1, NULL));
  REFUSED("element", fc_type_vector(NULL, 4, &type));
  REFUSED("out", fc_type_vector(int_type(), 4, NULL));
  REFUSED("pointee", fc_type_pointer(NULL, &type));
  REFUSED("out", fc_type_pointer(int_type(), NULL));
  CHECK_POINTER(NULL, type);
  CHECK_STATUS(FC_OK, fc_type_union(NULL, fields, 1, NULL, &type));
  fc_type_free(type);
  CHECK_STATUS(FC_OK, fc_type_struct(NULL, fields, 1, NULL, &type));
  fc_type_free(type);
  CHECK_STATUS(FC_OK, fc_type_struct("s", fields, 1, NULL, &type));
  REFUSED("type", fc_type_field(NULL, 0, &field, &offset, NULL));
  REFUSED("out", fc_type_field(type, 0, NULL, &offset, NULL));
  CHECK_STATUS(FC_OK, fc_type_field(type, 0, &field, NULL, NULL));
  REFUSED("type", fc_type_field_named(NULL, "x", &found, &offset));
  REFUSED("path", fc_type_field_named(type, NULL, &found, &offset));
  REFUSED("out", fc_type_field_named(type, "x", NULL, &offset));
  REFUSED("offset", fc_type_field_named(type, "x", &found, NULL));
  fc_type_free(type);
}

static void questions_about_types(void) {
  CHECK_INT(FC_VOID, fc_type_kind(NULL));
  CHECK_SIZE(0, fc_type_size(NULL));
  CHECK_SIZE(0, fc_type_align(NULL));
  CHECK_POINTER(NULL, fc_type_element(NULL));
  CHECK_SIZE(0, fc_type_length(NULL));
  CHECK_POINTER(NULL, fc_type_name(NULL));
  CHECK(!fc_type_equal(NULL, int_type()));
  CHECK(!fc_type_equal(int_type(), NULL));
  CHECK(!fc_type_equal(NULL, NULL));
  CHECK_SIZE(0, fc_type_field_count(NULL));
  CHECK_POINTER(NULL, fc_type_retain(NULL));
  CHECK_POINTER(NULL, fc_type_signature(NULL));
  fc_type_free(NULL);
}

static void declarations(void) {
  fc_type *type = NULL;
  int64_t value = 0;
  fc_decl_kind kind = FC_DECL_TYPE;
  const char *name = NULL;
  REFUSED("out", fc_decls_new(NULL));
  REFUSED("decls", fc_decls_add(NULL, "int f(void);"));
  REFUSED("c_source", fc_decls_add(decls, NULL));
  REFUSED("decls", fc_decls_type(NULL, "int", &type));
  REFUSED("type_name", fc_decls_type(decls, NULL, &type));
  REFUSED("out", fc_decls_type(decls, "int", NULL));
  REFUSED("decls", fc_decls_constant(NULL, "ONE", &value));
  REFUSED("name", fc_decls_constant(decls, NULL, &value));
  REFUSED("out", fc_decls_constant(decls, "ONE", NULL));
  REFUSED("decls", fc_decls_at(NULL, 0, &kind, &name));
  REFUSED("kind", fc_decls_at(decls, 0, NULL, &name));
  REFUSED("name", fc_decls_at(decls, 0, &kind, NULL));
  CHECK_SIZE(0, fc_decls_count(NULL));
  fc_decls_free(NULL);
}

static void signatures(void) {
  const fc_type *params[] = {int_type()};
  fc_signature *out = NULL, *variadic = NULL;
  REFUSED("result", fc_signature_new(FC_ABI_DEFAULT, NULL, params, 1, 1, &out));
  REFUSED("params", fc_signature_new(FC_ABI_DEFAULT, int_type(), NULL, 1, 1, &out));
  REFUSED("out", fc_signature_new(FC_ABI_DEFAULT, int_type(), params, 1, 1, NULL));
  REFUSED("prototype", fc_signature_parse(NULL, NULL, &out));
  REFUSED("out", fc_signature_parse(NULL, "int f(int)", NULL));
  CHECK_STATUS(FC_OK, fc_signature_parse(NULL, "int printf(const char *, ...)", &variadic));
  REFUSED("prototype", fc_signature_variadic(NULL, params, 1, &out));
  REFUSED("extra", fc_signature_variadic(variadic, NULL, 1, &out));
  params[0] = NULL;
  REFUSED("extra[0]", fc_signature_variadic(variadic, params, 1, &out));
  params[0] = int_type();
  REFUSED("out", fc_signature_variadic(variadic, params, 1, NULL));
  CHECK_POINTER(NULL, out);
  fc_signature_free(variadic);
}

static void questions_about_signatures(void) {
  char buffer[4] = "abc";
  CHECK_SIZE(0, fc_signature_param_count(NULL));
  CHECK_POINTER(NULL, fc_signature_param(NULL, 0));
  CHECK_POINTER(NULL, fc_signature_result(NULL));
  CHECK_POINTER(NULL, fc_signature_name(NULL));
  CHECK_INT(FC_ABI_DEFAULT, fc_signature_abi(NULL));
  CHECK(!fc_signature_is_variadic(NULL));
  CHECK_SIZE(0, fc_signature_explain(NULL, buffer, sizeof buffer));
  CHECK_SIZE(0, fc_signature_explain(signature, NULL, 10));
  CHECK(fc_signature_explain(signature, NULL, 0) > 0);
  fc_signature_free(NULL);
}

static void libraries(void) {
  void *address = NULL;
  REFUSED("out", fc_library_open("libm.so.6", NULL, NULL));
  REFUSED("out", fc_library_open(NULL, NULL, NULL));
  fc_library *opened = NULL;
  REFUSED("image", fc_library_open_bytes(NULL, 10, &opened));
  REFUSED("image", fc_library_open_bytes(NULL, 0, &opened));
  REFUSED("out", fc_library_open_bytes("text", 4, NULL));
  CHECK_POINTER(NULL, opened);
  REFUSED("library", fc_library_symbol(NULL, "cos", &address));
  REFUSED("name", fc_library_symbol(library, NULL, &address));
  REFUSED("out", fc_library_symbol(library, "abs", NULL));
  CHECK_POINTER(NULL, fc_library_path(NULL));
  fc_library_free(NULL);
}

static void policy(void) { REFUSED("path", fc_policy_allow(NULL)); }

static void memory(void) {
  char buffer[4] = "abc";
  size_t length = 7;
  REFUSED("address", fc_memory_read(NULL, buffer, 1));
  REFUSED("out", fc_memory_read(buffer, NULL, 1));
  REFUSED("address", fc_memory_write(NULL, buffer, 1));
  REFUSED("bytes", fc_memory_write(buffer, NULL, 1));
  REFUSED("address", fc_memory_string(NULL, 1, &length));
  REFUSED("length", fc_memory_string(buffer, 1, NULL));
  CHECK_STRING("abc", buffer);
  CHECK_SIZE(7, length);
}

static void functions(void) {
  fc_function *out = NULL;
  int value = 1, result = 0;
  void *args[] = {&value};
  REFUSED("signature", fc_function_new(NULL, ADDRESS_OF(abs), NULL, &out));
  REFUSED("address", fc_function_new(signature, NULL, NULL, &out));
  REFUSED("out", fc_function_new(signature, ADDRESS_OF(abs), NULL, NULL));
  REFUSED("library", fc_bind(NULL, decls, "int abs(int)", NULL, &out));
  REFUSED("prototype", fc_bind(library, decls, NULL, NULL, &out));
  REFUSED("out", fc_bind(library, NULL, "int abs(int)", NULL, NULL));
  REFUSED("function", fc_invoke_checked(NULL, &result, args));
  REFUSED("ret", fc_invoke_checked(function, NULL, args));
  REFUSED("args", fc_invoke_checked(function, &result, NULL));
  args[0] = NULL;
  REFUSED("parameter 1", fc_invoke_checked(function, &result, args));
  CHECK_POINTER(NULL, out);
  CHECK_INT(0, result);
}

static void questions_about_functions(void) {
  CHECK_POINTER(NULL, fc_function_signature(NULL));
  CHECK_POINTER(NULL, fc_function_address(NULL));
  CHECK_POINTER(NULL, fc_function_path(NULL));
  spoil_message();
  CHECK(fc_function_entry(NULL) == NULL);
  CHECK_MESSAGE("function");
  spoil_message();
  CHECK(fc_function_slot_entry(NULL) == NULL);
  CHECK_MESSAGE("function");
  fc_function_free(NULL);
}

/* Numbers that C may pass for an enum, and that none of its names has. */
static void numbers_of_no_enumerator(void) {
  const fc_type *params[] = {int_type()};
  fc_signature *out = NULL;
  CHECK_STRING("unknown status", fc_status_name((fc_status)77));
  CHECK_STRING("unknown status", fc_status_name((fc_status)-1));
  CHECK_POINTER(NULL, fc_type_scalar((fc_kind)12));
  CHECK_POINTER(NULL, fc_type_scalar((fc_kind)-1));
  CHECK_POINTER(NULL, fc_type_scalar(FC_STRUCT));
  REFUSED("abi", fc_signature_new((fc_abi)99, int_type(), params, 1, 1, &out));
  REFUSED("abi", fc_signature_new((fc_abi)-1, int_type(), params, 1, 1, &out));
  CHECK_POINTER(NULL, out);
}

static void statistics(void) { REFUSED("out", fc_code_statistics(NULL)); }

int main(void) {
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  CHECK_STATUS(FC_OK, fc_decls_add(decls, "enum { ONE = 1 };"));
  CHECK_STATUS(FC_OK, fc_signature_parse(NULL, "int abs(int)", &signature));
  CHECK_STATUS(FC_OK, fc_library_open("libc.so.6", NULL, &library));
  CHECK_STATUS(FC_OK, fc_function_new(signature, ADDRESS_OF(abs), NULL, &function));
  RUN(types);
  RUN(questions_about_types);
  RUN(declarations);
  RUN(signatures);
  RUN(questions_about_signatures);
  RUN(libraries);
  RUN(policy);
  RUN(memory);
  RUN(functions);
  RUN(questions_about_functions);
  RUN(numbers_of_no_enumerator);
  RUN(statistics);
  fc_function_free(function);
  fc_library_free(library);
  fc_signature_free(signature);
  fc_decls_free(decls);
  return harness_end();
}
