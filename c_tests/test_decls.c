/* C text becomes types, constants and a list of names. */
#define _POSIX_C_SOURCE 200809L /* popen */
#include "harness.h"

#include <stddef.h>
#include <stdlib.h>
#include <wchar.h>

static fc_decls *decls_of(const char *source) {
  fc_decls *decls = NULL;
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  CHECK_STATUS(FC_OK, fc_decls_add(decls, source));
  return decls;
}

static fc_type *type_of(const fc_decls *decls, const char *name) {
  fc_type *type = NULL;
  CHECK_STATUS(FC_OK, fc_decls_type(decls, name, &type));
  return type;
}

static void check_type(const fc_decls *decls, const char *name, fc_kind kind, size_t size,
                       size_t align) {
  fc_type *type = type_of(decls, name);
  if (!CHECK_INT(kind, fc_type_kind(type)) || !CHECK_SIZE(size, fc_type_size(type)) ||
      !CHECK_SIZE(align, fc_type_align(type)))
    printf("  the type was %s\n", name);
  fc_type_free(type);
}

#define CHECK_TYPE(decls, kind, type) check_type(decls, #type, kind, sizeof(type), _Alignof(type))

static void types_that_c_has(void) {
  fc_decls *decls = decls_of("");
  CHECK_TYPE(decls, FC_BOOL, _Bool);
  CHECK_TYPE(decls, ((char)-1 < 0 ? FC_I8 : FC_U8), char);
  CHECK_TYPE(decls, FC_I8, signed char);
  CHECK_TYPE(decls, FC_U8, unsigned char);
  CHECK_TYPE(decls, FC_I16, short);
  CHECK_TYPE(decls, FC_U16, short unsigned int);
  CHECK_TYPE(decls, FC_U32, unsigned);
  CHECK_TYPE(decls, FC_I64, long);
  CHECK_TYPE(decls, FC_U64, long unsigned long int);
  CHECK_TYPE(decls, FC_F32, float);
  CHECK_TYPE(decls, FC_F64, double);
  CHECK_TYPE(decls, FC_LONG_DOUBLE, long double);
  CHECK_TYPE(decls, FC_COMPLEX_F64, double _Complex);
  CHECK_TYPE(decls, FC_POINTER, const char *);
  CHECK_TYPE(decls, FC_POINTER, int (*)(int, double));
  CHECK_TYPE(decls, FC_ARRAY, int[3][4]);
  CHECK_TYPE(decls, FC_I32, volatile const int);
  fc_decls_free(decls);
}

static void types_of_the_standard_headers_are_known(void) {
  fc_decls *decls = decls_of("");
  CHECK_TYPE(decls, FC_BOOL, bool);
  CHECK_TYPE(decls, FC_I8, int8_t);
  CHECK_TYPE(decls, FC_U16, uint16_t);
  CHECK_TYPE(decls, FC_I32, int32_t);
  CHECK_TYPE(decls, FC_U64, uint64_t);
  CHECK_TYPE(decls, FC_U64, size_t);
  CHECK_TYPE(decls, FC_I64, ptrdiff_t);
  CHECK_TYPE(decls, FC_I64, intptr_t);
  CHECK_TYPE(decls, FC_U64, uintptr_t);
  CHECK_TYPE(decls, (WCHAR_MIN < 0 ? FC_I32 : FC_U32), wchar_t);
  fc_decls_free(decls);
}

static void text_of_several_kinds(void) {
  fc_decls *decls = decls_of("// a comment\n"
                             "typedef unsigned char byte; /* another */\n"
                             "typedef byte digest[20];\n"
                             "enum color { RED, GREEN = 5, BLUE };\n"
                             "struct point { double x, y; };\n"
                             "typedef struct point point;\n"
                             "typedef struct line { point from, to; enum color color; } line;\n"
                             "extern int counter;\n"
                             "double length(const line *of);\n");
  CHECK_TYPE(decls, FC_U8, unsigned char);
  check_type(decls, "byte", FC_U8, 1, 1);
  check_type(decls, "digest", FC_ARRAY, 20, 1);
  check_type(decls, "struct point", FC_STRUCT, 16, 8);
  check_type(decls, "point", FC_STRUCT, 16, 8);
  check_type(decls, "line", FC_STRUCT, 40, 8);
  check_type(decls, "enum color", FC_ENUM, 4, 4);
  check_type(decls, "line *[2]", FC_ARRAY, 16, 8);
  fc_decls_free(decls);
}

struct odd {
  char c;
  unsigned a : 3, b : 7;
  long double l;
  union {
    short s[3];
    float f;
  };
  void (*call)(int);
};
struct __attribute__((packed)) packed {
  char c;
  double d;
};
struct aligned {
  char c;
  int i __attribute__((aligned(32)));
};

static void layouts_are_the_compilers(void) {
  fc_decls *decls = decls_of("struct odd { char c; unsigned a : 3, b : 7; long double l;\n"
                             "  union { short s[3]; float f; }; void (*call)(int); };\n"
                             "struct __attribute__((packed)) packed { char c; double d; };\n"
                             "struct aligned { char c; int i __attribute__((aligned(32))); };\n");
  CHECK_TYPE(decls, FC_STRUCT, struct odd);
  CHECK_TYPE(decls, FC_STRUCT, struct packed);
  CHECK_TYPE(decls, FC_STRUCT, struct aligned);
  fc_type *odd = type_of(decls, "struct odd");
  const fc_type *got = NULL;
  size_t offset = 0;
  CHECK_STATUS(FC_OK, fc_type_field_named(odd, "call", &got, &offset));
  CHECK_SIZE(offsetof(struct odd, call), offset);
  CHECK_STATUS(FC_OK, fc_type_field_named(odd, "s[2]", &got, &offset));
  CHECK_SIZE(offsetof(struct odd, s[2]), offset);
  fc_type_free(odd);
  fc_decls_free(decls);
}

static void check_constant(const fc_decls *decls, const char *name, int64_t expected) {
  int64_t got = 0;
  if (CHECK_STATUS(FC_OK, fc_decls_constant(decls, name, &got)) && !CHECK_INT(expected, got))
    printf("  the constant was %s\n", name);
}

static void constants(void) {
  fc_decls *decls = decls_of("enum { A, B = 1 << 4, C, D = -7, E = (B | 3) * 2, F = 'a',\n"
                             "       G = sizeof(int), H = 0x7fffffff, I = A ? 1 : 2 };");
  check_constant(decls, "A", 0);
  check_constant(decls, "B", 16);
  check_constant(decls, "C", 17);
  check_constant(decls, "D", -7);
  check_constant(decls, "E", 38);
  check_constant(decls, "F", 'a');
  check_constant(decls, "G", 4);
  check_constant(decls, "H", 0x7fffffff);
  check_constant(decls, "I", 2);
  int64_t untouched = 42;
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_decls_constant(decls, "Z", &untouched));
  CHECK_MESSAGE("Z");
  CHECK_INT(42, untouched);
  fc_decls_free(decls);
}

static void the_list_has_the_order_of_the_text(void) {
  fc_decls *decls = decls_of("int zero(void); typedef long word; enum { ONE = 1 };\n"
                             "extern word variable; struct last { int x; };");
  static const struct {
    fc_decl_kind kind;
    const char *name;
  } expected[] = {{FC_DECL_FUNCTION, "zero"},
                  {FC_DECL_TYPE, "word"},
                  {FC_DECL_CONSTANT, "ONE"},
                  {FC_DECL_VARIABLE, "variable"},
                  {FC_DECL_TYPE, "last"}};
  CHECK_SIZE(COUNT_OF(expected), fc_decls_count(decls));
  for (size_t i = 0; i < COUNT_OF(expected); i++) {
    fc_decl_kind kind = FC_DECL_TYPE;
    const char *name = "";
    CHECK_STATUS(FC_OK, fc_decls_at(decls, i, &kind, &name));
    CHECK_INT(expected[i].kind, kind);
    CHECK_CONTAINS(expected[i].name, name);
  }
  fc_decl_kind kind = FC_DECL_TYPE;
  const char *name = NULL;
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_decls_at(decls, 17, &kind, &name));
  CHECK_MESSAGE("17");
  CHECK_POINTER(NULL, name);
  fc_decls_free(decls);
}

static void all_of_a_text_or_nothing(void) {
  fc_decls *decls = decls_of("typedef int known;");
  fc_type *type = NULL;
  CHECK_STATUS(FC_ERR_SYNTAX, fc_decls_add(decls, "typedef long first;\n"
                                                  "struct half { int x; };\n"
                                                  "typedef known 7;\n"));
  CHECK_SIZE(1, fc_decls_count(decls));
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_decls_type(decls, "first", &type));
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_decls_type(decls, "struct half", &type));
  CHECK_STATUS(FC_OK, fc_decls_add(decls, "typedef long first;"));
  CHECK_STATUS(FC_OK, fc_decls_type(decls, "first", &type));
  fc_type_free(type);
  fc_decls_free(decls);
}

static void a_later_text_builds_on_earlier_ones(void) {
  fc_decls *decls = decls_of("struct node;");
  CHECK_STATUS(FC_OK, fc_decls_add(decls, "struct node { struct node *next; int value; };"));
  CHECK_STATUS(FC_OK, fc_decls_add(decls, "typedef struct node list[2];"));
  check_type(decls, "list", FC_ARRAY, 32, 8);
  fc_decls_free(decls);
}

static void the_same_again_is_fine_and_something_else_is_not(void) {
  fc_decls *decls = decls_of("typedef int number; struct s { int x; };");
  CHECK_STATUS(FC_OK, fc_decls_add(decls, "typedef int number;"));
  CHECK_FAILS(fc_decls_add(decls, "typedef long number;"));
  CHECK_MESSAGE("number");
  CHECK_FAILS(fc_decls_add(decls, "struct s { long y; };"));
  CHECK_MESSAGE("s");
  fc_decls_free(decls);
}

static void a_syntax_error_says_where(void) {
  fc_decls *decls = decls_of("");
  CHECK_STATUS(FC_ERR_SYNTAX, fc_decls_add(decls, "typedef int a;\n\n  typedef int 5b;\n"));
  CHECK_MESSAGE("3:15");
  CHECK_STATUS(FC_ERR_SYNTAX, fc_decls_add(decls, "int f(int"));
  CHECK_MESSAGE("1:");
  CHECK_FAILS(fc_decls_add(decls, "unknown_t f(void);"));
  CHECK_MESSAGE("unknown_t");
  CHECK_MESSAGE("1:");
  fc_decls_free(decls);
}

static void text_that_is_not_c(void) {
  static const char *const wrong[] = {"struct {",
                                      "int int;",
                                      "int a[-1];",
                                      "typedef struct { struct self s; } t;",
                                      "enum { A = 1 / 0 };",
                                      "enum { A = B };",
                                      "signed float f(void);",
                                      "long long long x;",
                                      "struct s { int x : 33; };",
                                      "void a[3];",
                                      "/* never ends",
                                      "int f(void) { return 1;",
                                      "int f(void)",
                                      "\x80\xff",
                                      "\"text",
                                      "'",
                                      "@"};
  fc_decls *decls = decls_of("");
  for (size_t i = 0; i < COUNT_OF(wrong); i++)
    if (!CHECK_FAILS(fc_decls_add(decls, wrong[i])))
      printf("  the text was %s\n", wrong[i]);
  CHECK_SIZE(0, fc_decls_count(decls));
  fc_decls_free(decls);
}

static void deep_text_is_refused_and_does_not_crash(void) {
  static char text[200001];
  fc_decls *decls = decls_of("");
  memset(text, '(', sizeof text - 1);
  memcpy(text, "int ", 4);
  CHECK_FAILS(fc_decls_add(decls, text));
  memset(text, '*', sizeof text - 1);
  memcpy(text, "int ", 4);
  memcpy(text + sizeof text - 4, "x;", 3);
  fc_status status = fc_decls_add(decls, text);
  CHECK(status != FC_ERR_INTERNAL);
  fc_decls_free(decls);
}

static void text_of_any_bytes(void) {
  fc_decls *decls = decls_of("");
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_decls_add(decls, "int a; /* \xc3\x28 */"));
  CHECK_MESSAGE("fc_decls_add: c_source");
  CHECK_MESSAGE("UTF-8");
  fc_type *type = NULL;
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_decls_type(decls, "int \xff", &type));
  CHECK_MESSAGE("UTF-8");
  CHECK_STATUS(FC_OK, fc_decls_add(decls, "\xef\xbb\xbf"
                                          "int \xc3\xa9t\xc3\xa9(void);"));
  CHECK_STATUS(FC_ERR_SYNTAX, fc_decls_add(decls, "int b\x01;"));
  CHECK_MESSAGE("1:6: ");
  CHECK_SIZE(1, fc_decls_count(decls));
  fc_decls_free(decls);
}

static void lines_of_any_length(void) {
  const size_t limit = (size_t)16 << 20;
  fc_decls *decls = decls_of("");
  char *text = malloc(limit + 2);
  if (!CHECK(text != NULL))
    return;
  memset(text, ' ', limit + 1);
  memcpy(text, "int a;", 6);
  memcpy(text + limit - 6, "int b;", 6);
  text[limit] = 0;
  CHECK_STATUS(FC_OK, fc_decls_add(decls, text));
  CHECK_SIZE(2, fc_decls_count(decls));
  text[limit - 1] = '?';
  CHECK_STATUS(FC_ERR_SYNTAX, fc_decls_add(decls, text));
  CHECK_MESSAGE("1:16777216: ");
  CHECK(strlen(fc_error_message()) < 1000);
  text[limit] = ' ';
  text[limit + 1] = 0;
  CHECK_STATUS(FC_ERR_LIMIT, fc_decls_add(decls, text));
  CHECK_MESSAGE("the text has 16777217 bytes: the limit is 16777216");
  free(text);
  fc_decls_free(decls);
}

static void a_header_by_hand_needs_no_preprocessor(void) {
  fc_decls *decls = decls_of("#ifndef SMALL_H\n#define SMALL_H\n#include <stdint.h>\n"
                             "#define SIZE (1 << 4) /* bytes */\n#define NAME \"small\"\n"
                             "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
                             "typedef struct { uint8_t bytes[SIZE]; } small;\n"
                             "extern small instance;\n#endif\n");
  check_constant(decls, "SIZE", 16);
  check_type(decls, "small", FC_STRUCT, 16, 1);
  int64_t value = 0;
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_decls_constant(decls, "NAME", &value));
  fc_decl_kind kind = FC_DECL_TYPE;
  const char *name = NULL;
  CHECK_STATUS(FC_OK, fc_decls_at(decls, 0, &kind, &name));
  CHECK_INT(FC_DECL_CONSTANT, kind);
  CHECK_STRING("SIZE", name);
  CHECK_STATUS(FC_ERR_SYNTAX, fc_decls_add(decls, "#include <stdio.h>\n"));
  CHECK_MESSAGE("cc -E");
  fc_decls_free(decls);
}

static void errors_name_the_file_of_a_line_marker(void) {
  fc_decls *decls = decls_of("");
  CHECK_STATUS(FC_ERR_SYNTAX, fc_decls_add(decls, "# 33 \"zlib.h\" 3 4\n  unknown_t f(void);\n"));
  CHECK_MESSAGE("2:3 (zlib.h:33): ");
  fc_decls_free(decls);
}

static void a_variable_has_a_type(void) {
  fc_decls *decls = decls_of("extern const struct point { int x, y; } origin, corners[4];");
  check_type(decls, "typeof(origin)", FC_STRUCT, 8, 4);
  check_type(decls, "__typeof__(corners)", FC_ARRAY, 32, 4);
  check_type(decls, "typeof(corners[0].x)", FC_I32, 4, 4);
  fc_decls_free(decls);
}

/* The whole of a real header through the C API: every type has members within it, every function a
 * signature, every variable a type. */
static void all_of_sqlite3(void) {
  FILE *text = popen("printf '#include <sqlite3.h>\\n' | cc -E -xc -", "r");
  char *source = calloc(1, (size_t)1 << 20);
  if (!CHECK(text != NULL && source != NULL))
    return;
  CHECK(fread(source, 1, ((size_t)1 << 20) - 1, text) > 10000);
  CHECK_INT(0, pclose(text));
  fc_decls *decls = decls_of(source);
  free(source);
  size_t counts[5] = {0}, members = 0;
  for (size_t i = 0; i < fc_decls_count(decls); i++) {
    fc_decl_kind kind = FC_DECL_TYPE;
    const char *name = NULL;
    if (!CHECK_STATUS(FC_OK, fc_decls_at(decls, i, &kind, &name)))
      break;
    counts[kind]++;
    char variable[200];
    snprintf(variable, sizeof variable, "typeof(%s)", name);
    if (kind == FC_DECL_FUNCTION) {
      fc_signature *signature = NULL;
      CHECK_STATUS(FC_OK, fc_signature_parse(decls, name, &signature));
      fc_signature_free(signature);
    } else if (kind == FC_DECL_CONSTANT) {
      int64_t value = 0;
      CHECK_STATUS(FC_OK, fc_decls_constant(decls, name, &value));
    } else {
      fc_type *type = type_of(decls, kind == FC_DECL_TYPE ? name : variable);
      for (size_t k = 0; k < fc_type_field_count(type); k++) {
        fc_field field;
        size_t offset = 0;
        members++;
        if (CHECK_STATUS(FC_OK, fc_type_field(type, k, &field, &offset, NULL)))
          CHECK(offset + fc_type_size(field.type) <= fc_type_size(type));
      }
      fc_type_free(type);
    }
  }
  CHECK(counts[FC_DECL_TYPE] > 30 && counts[FC_DECL_FUNCTION] > 250);
  CHECK(counts[FC_DECL_VARIABLE] >= 3 && members > 80);
  check_type(decls, "sqlite3_int64", FC_I64, 8, 8);
  check_type(decls, "sqlite3_vfs", FC_STRUCT, 168, 8);
  fc_decls_free(decls);
}

static void types_outlive_their_declarations(void) {
  fc_decls *decls = decls_of("struct node { struct node *next; int value; };");
  fc_type *type = type_of(decls, "struct node");
  fc_decls_free(decls);
  fc_field next;
  CHECK_STATUS(FC_OK, fc_type_field(type, 0, &next, NULL, NULL));
  CHECK_STRING("next", next.name);
  const fc_type *pointee = fc_type_element(next.type);
  if (CHECK(pointee != NULL))
    CHECK_SIZE(16, fc_type_size(pointee));
  fc_type_free(type);
}

static void types_that_are_not_there(void) {
  fc_decls *decls = decls_of("struct incomplete;");
  fc_type *type = NULL;
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_decls_type(decls, "missing_t", &type));
  CHECK_MESSAGE("missing_t");
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_decls_type(decls, "struct missing", &type));
  CHECK_MESSAGE("struct missing");
  CHECK_FAILS(fc_decls_type(decls, "", &type));
  CHECK_STATUS(FC_ERR_SYNTAX, fc_decls_type(decls, "int int", &type));
  CHECK_POINTER(NULL, type);
  fc_decls_free(decls);
}

int main(void) {
  RUN(types_that_c_has);
  RUN(types_of_the_standard_headers_are_known);
  RUN(text_of_several_kinds);
  RUN(layouts_are_the_compilers);
  RUN(constants);
  RUN(the_list_has_the_order_of_the_text);
  RUN(all_of_a_text_or_nothing);
  RUN(a_later_text_builds_on_earlier_ones);
  RUN(the_same_again_is_fine_and_something_else_is_not);
  RUN(a_syntax_error_says_where);
  RUN(text_that_is_not_c);
  RUN(deep_text_is_refused_and_does_not_crash);
  RUN(text_of_any_bytes);
  RUN(lines_of_any_length);
  RUN(a_header_by_hand_needs_no_preprocessor);
  RUN(errors_name_the_file_of_a_line_marker);
  RUN(a_variable_has_a_type);
  RUN(all_of_sqlite3);
  RUN(types_outlive_their_declarations);
  RUN(types_that_are_not_there);
  return harness_end();
}
