/* Declarations that are easily misunderstood: what the compiler makes of each is what the parser
 * makes of the same text. */
#include "harness.h"

#include <assert.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define CASE(type, members, ...) __VA_ARGS__
#include "tricky_declarations.inc"
#undef CASE

static int cases;

static fc_type *begin(const char *text, const char *name, size_t size, size_t align) {
  fc_decls *decls = NULL;
  fc_type *type = NULL;
  cases++;
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  if (CHECK_STATUS(FC_OK, fc_decls_add(decls, text)))
    CHECK_STATUS(FC_OK, fc_decls_type(decls, name, &type));
  fc_decls_free(decls);
  if (type == NULL || !CHECK_SIZE(size, fc_type_size(type)) ||
      !CHECK_SIZE(align, fc_type_align(type)))
    printf("  the text was %s\n", text);
  return type;
}

static void check_member(const fc_type *type, const char *member, size_t expected) {
  const fc_type *of = NULL;
  size_t offset = 0;
  if (type == NULL || !CHECK_STATUS(FC_OK, fc_type_field_named(type, member, &of, &offset)) ||
      !CHECK_SIZE(expected, offset))
    printf("  the member was %s\n", member);
}

/* All bits of the bit-field are set in the value, and no others. */
static void check_bits(const fc_type *type, const char *member, const unsigned char *value,
                       size_t size) {
  for (size_t i = 0; i < fc_type_field_count(type); i++) {
    fc_field field;
    size_t offset = 0;
    uint32_t bit = 0;
    CHECK_STATUS(FC_OK, fc_type_field(type, i, &field, &offset, &bit));
    if (field.name == NULL || strcmp(field.name, member) != 0)
      continue;
    size_t first = offset * 8 + bit;
    for (size_t at = 0; at < size * 8; at++) {
      int set = value[at / 8] >> at % 8 & 1;
      if (!CHECK_INT(at >= first && at < first + field.bits, set)) {
        printf("  the bit-field was %s, at bit %zu\n", member, at);
        return;
      }
    }
    return;
  }
  CHECK(!"the bit-field is there");
}

#define M(member) check_member(type_, #member, offsetof(T, member));
#define B(member)                                                                                  \
  {                                                                                                \
    T value;                                                                                       \
    memset(&value, 0, sizeof value);                                                               \
    value.member = -1;                                                                             \
    check_bits(type_, #member, (const unsigned char *)&value, sizeof value);                       \
  }
#define CASE(type, members, ...)                                                                   \
  {                                                                                                \
    typedef type T;                                                                                \
    fc_type *type_ = begin(#__VA_ARGS__, #type, sizeof(T), __alignof__(T));                        \
    members fc_type_free(type_);                                                                   \
  }

static void declarations_are_understood_as_the_compiler_does(void) {
#include "tricky_declarations.inc"
  CHECK(cases >= 200);
}

int main(void) {
  RUN(declarations_are_understood_as_the_compiler_does);
  return harness_end();
}
