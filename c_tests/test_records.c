/* Structs, unions and bit-fields against the compiler's own layout. */
#include "harness.h"

static fc_field field(const char *name, fc_kind kind) {
  fc_field f;
  memset(&f, 0, sizeof f);
  f.name = name;
  f.type = fc_type_scalar(kind);
  return f;
}

static fc_field bits(const char *name, fc_kind kind, uint32_t width) {
  fc_field f = field(name, kind);
  f.bits = width;
  return f;
}

static fc_field typed(const char *name, const fc_type *type) {
  fc_field f = field(name, FC_VOID);
  f.type = type;
  return f;
}

static fc_record_options record_options(uint32_t pack, uint32_t align) {
  fc_record_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.pack = pack;
  options.align = align;
  return options;
}

static void check_offset(const fc_type *type, size_t index, size_t expected, const char *name) {
  fc_field got;
  memset(&got, 0, sizeof got);
  size_t offset = 0;
  uint32_t bit_offset = 99;
  if (!CHECK_STATUS(FC_OK, fc_type_field(type, index, &got, &offset, &bit_offset)))
    return;
  CHECK_SIZE(expected, offset);
  CHECK_INT(0, bit_offset);
  CHECK_STRING(name, got.name);
}

struct mixed {
  char c;
  double d;
  int16_t s;
  void *p;
  uint8_t b;
};

static void a_struct_has_the_compilers_layout(void) {
  fc_field fields[] = {field("c", FC_I8), field("d", FC_F64), field("s", FC_I16),
                       field("p", FC_POINTER), field("b", FC_U8)};
  fc_type *type = NULL;
  if (!CHECK_STATUS(FC_OK, fc_type_struct("mixed", fields, COUNT_OF(fields), NULL, &type)))
    return;
  CHECK_INT(FC_STRUCT, fc_type_kind(type));
  CHECK_SIZE(sizeof(struct mixed), fc_type_size(type));
  CHECK_SIZE(_Alignof(struct mixed), fc_type_align(type));
  CHECK_SIZE(5, fc_type_field_count(type));
  CHECK_STRING("struct mixed", fc_type_name(type));
  check_offset(type, 0, offsetof(struct mixed, c), "c");
  check_offset(type, 1, offsetof(struct mixed, d), "d");
  check_offset(type, 2, offsetof(struct mixed, s), "s");
  check_offset(type, 3, offsetof(struct mixed, p), "p");
  check_offset(type, 4, offsetof(struct mixed, b), "b");
  fc_type_free(type);
}

#pragma pack(push, 1)
struct packed_1 {
  char c;
  double d;
  int16_t s;
};
#pragma pack(pop)
#pragma pack(push, 2)
struct packed_2 {
  char c;
  double d;
  int16_t s;
};
#pragma pack(pop)
struct aligned_64 {
  _Alignas(64) char c;
  double d;
  int16_t s;
};

static void packing_and_alignment_of_records(void) {
  fc_field fields[] = {field("c", FC_I8), field("d", FC_F64), field("s", FC_I16)};
  static const struct {
    uint32_t pack, align;
    size_t size, natural, offset_of_d, offset_of_s;
  } cases[] = {{1, 0, sizeof(struct packed_1), _Alignof(struct packed_1),
                offsetof(struct packed_1, d), offsetof(struct packed_1, s)},
               {2, 0, sizeof(struct packed_2), _Alignof(struct packed_2),
                offsetof(struct packed_2, d), offsetof(struct packed_2, s)},
               {0, 64, sizeof(struct aligned_64), _Alignof(struct aligned_64),
                offsetof(struct aligned_64, d), offsetof(struct aligned_64, s)}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fc_record_options options = record_options(cases[i].pack, cases[i].align);
    fc_type *type = NULL;
    if (!CHECK_STATUS(FC_OK, fc_type_struct(NULL, fields, COUNT_OF(fields), &options, &type)))
      continue;
    CHECK_SIZE(cases[i].size, fc_type_size(type));
    CHECK_SIZE(cases[i].natural, fc_type_align(type));
    check_offset(type, 1, cases[i].offset_of_d, "d");
    check_offset(type, 2, cases[i].offset_of_s, "s");
    fc_type_free(type);
  }
}

struct with_aligned_field {
  char c;
  _Alignas(16) int i;
  char d;
};

static void alignment_of_fields(void) {
  fc_field fields[] = {field("c", FC_I8), field("i", FC_I32), field("d", FC_I8)};
  fc_type *type = NULL;
  fields[1].align = 16;
  if (!CHECK_STATUS(FC_OK, fc_type_struct(NULL, fields, COUNT_OF(fields), NULL, &type)))
    return;
  CHECK_SIZE(sizeof(struct with_aligned_field), fc_type_size(type));
  CHECK_SIZE(_Alignof(struct with_aligned_field), fc_type_align(type));
  check_offset(type, 1, offsetof(struct with_aligned_field, i), "i");
  check_offset(type, 2, offsetof(struct with_aligned_field, d), "d");
  fc_type_free(type);
}

union number {
  char c[5];
  int16_t s;
  float f;
};

static void a_union_has_the_compilers_layout(void) {
  fc_type *chars = NULL, *type = NULL;
  CHECK_STATUS(FC_OK, fc_type_array(fc_type_scalar(FC_I8), 5, &chars));
  fc_field fields[] = {typed("c", chars), field("s", FC_I16), field("f", FC_F32)};
  if (!CHECK_STATUS(FC_OK, fc_type_union("number", fields, COUNT_OF(fields), NULL, &type)))
    return;
  CHECK_INT(FC_UNION, fc_type_kind(type));
  CHECK_SIZE(sizeof(union number), fc_type_size(type));
  CHECK_SIZE(_Alignof(union number), fc_type_align(type));
  CHECK_STRING("union number", fc_type_name(type));
  for (size_t i = 0; i < COUNT_OF(fields); i++)
    check_offset(type, i, 0, fields[i].name);
  fc_type_free(type);
  fc_type_free(chars);
}

/* Sets the bits of a field at the position that farcall says, and reads the field in C. */
static void set_bits(void *record, const fc_type *type, size_t index) {
  fc_field got;
  memset(&got, 0, sizeof got);
  size_t offset = 0;
  uint32_t bit_offset = 0;
  if (!CHECK_STATUS(FC_OK, fc_type_field(type, index, &got, &offset, &bit_offset)))
    return;
  for (uint32_t bit = 0; bit < got.bits; bit++) {
    size_t at = offset * 8 + bit_offset + bit;
    if (CHECK(at / 8 < fc_type_size(type)))
      ((unsigned char *)record)[at / 8] |= (unsigned char)(1u << (at % 8));
  }
}

struct flags {
  uint32_t a : 3;
  uint32_t b : 30;
  uint8_t c : 7;
  uint16_t d : 9;
  uint64_t e : 40;
};

static void bit_fields_stand_where_the_compiler_puts_them(void) {
  fc_field fields[] = {bits("a", FC_U32, 3), bits("b", FC_U32, 30), bits("c", FC_U8, 7),
                       bits("d", FC_U16, 9), bits("e", FC_U64, 40)};
  fc_type *type = NULL;
  if (!CHECK_STATUS(FC_OK, fc_type_struct("flags", fields, COUNT_OF(fields), NULL, &type)))
    return;
  CHECK_SIZE(sizeof(struct flags), fc_type_size(type));
  CHECK_SIZE(_Alignof(struct flags), fc_type_align(type));
  for (size_t i = 0; i < COUNT_OF(fields); i++) {
    struct flags got;
    memset(&got, 0, sizeof got);
    set_bits(&got, type, i);
    CHECK_INT(i == 0 ? 7 : 0, got.a);
    CHECK_INT(i == 1 ? (1 << 30) - 1 : 0, got.b);
    CHECK_INT(i == 2 ? 127 : 0, got.c);
    CHECK_INT(i == 3 ? 511 : 0, got.d);
    CHECK_INT(i == 4 ? (1ll << 40) - 1 : 0, got.e);
  }
  fc_type_free(type);
}

struct with_gaps {
  uint8_t a : 3;
  uint32_t : 0;
  uint8_t b : 2;
  uint16_t : 5;
  uint8_t c : 4;
};

static void unnamed_bit_fields(void) {
  fc_field fields[] = {bits("a", FC_U8, 3), bits(NULL, FC_U32, FC_BITS_ZERO), bits("b", FC_U8, 2),
                       bits(NULL, FC_U16, 5), bits("c", FC_U8, 4)};
  fc_type *type = NULL;
  if (!CHECK_STATUS(FC_OK, fc_type_struct(NULL, fields, COUNT_OF(fields), NULL, &type)))
    return;
  CHECK_SIZE(sizeof(struct with_gaps), fc_type_size(type));
  CHECK_SIZE(_Alignof(struct with_gaps), fc_type_align(type));
  CHECK_SIZE(5, fc_type_field_count(type));
  struct with_gaps got;
  memset(&got, 0, sizeof got);
  set_bits(&got, type, 2);
  CHECK_INT(3, got.b);
  CHECK_INT(0, got.a + got.c);
  set_bits(&got, type, 4);
  CHECK_INT(15, got.c);
  fc_field zero;
  CHECK_STATUS(FC_OK, fc_type_field(type, 1, &zero, NULL, NULL));
  CHECK_INT(FC_BITS_ZERO, zero.bits);
  CHECK_POINTER(NULL, zero.name);
  fc_type_free(type);
}

struct place {
  int id;
  struct {
    char label;
    float xy[2];
  } pos[3];
};

static fc_type *new_place(void) {
  fc_type *xy = NULL, *pos = NULL, *positions = NULL, *place = NULL;
  CHECK_STATUS(FC_OK, fc_type_array(fc_type_scalar(FC_F32), 2, &xy));
  fc_field pos_fields[] = {field("label", FC_I8), typed("xy", xy)};
  CHECK_STATUS(FC_OK, fc_type_struct(NULL, pos_fields, 2, NULL, &pos));
  CHECK_STATUS(FC_OK, fc_type_array(pos, 3, &positions));
  fc_field place_fields[] = {field("id", FC_I32), typed("pos", positions)};
  CHECK_STATUS(FC_OK, fc_type_struct("place", place_fields, 2, NULL, &place));
  fc_type_free(xy);
  fc_type_free(pos);
  fc_type_free(positions);
  return place;
}

static void paths_reach_into_records(void) {
  fc_type *place = new_place();
  const fc_type *got = NULL;
  size_t offset = 0;
  CHECK_STATUS(FC_OK, fc_type_field_named(place, "pos", &got, &offset));
  CHECK_SIZE(offsetof(struct place, pos), offset);
  CHECK_INT(FC_ARRAY, fc_type_kind(got));
  CHECK_STATUS(FC_OK, fc_type_field_named(place, "pos[2].xy[1]", &got, &offset));
  CHECK_SIZE(offsetof(struct place, pos[2].xy[1]), offset);
  CHECK_INT(FC_F32, fc_type_kind(got));
  CHECK_STATUS(FC_OK, fc_type_field_named(place, "pos[1].label", &got, &offset));
  CHECK_SIZE(offsetof(struct place, pos[1].label), offset);
  fc_type_free(place);
}

static void paths_that_lead_nowhere(void) {
  fc_type *place = new_place();
  const fc_type *got = NULL;
  size_t offset = 77;
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_type_field_named(place, "size", &got, &offset));
  CHECK_MESSAGE("size");
  CHECK_MESSAGE("struct place");
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_type_field_named(place, "pos[0].z", &got, &offset));
  CHECK_MESSAGE("z");
  static const char *const wrong[] = {
      "",         "pos[3]",   "pos[",      "pos[x]",
      "pos.",     ".pos",     "id.x",      "id[0]",
      "pos[-1]",  "pos[0]xy", "pos..xy",   "pos[0]]",
      "pos[0].[", "[0]",      "pos.label", "pos[18446744073709551616]"};
  for (size_t i = 0; i < COUNT_OF(wrong); i++)
    if (!CHECK_FAILS(fc_type_field_named(place, wrong[i], &got, &offset)))
      printf("  the path was \"%s\"\n", wrong[i]);
  CHECK_POINTER(NULL, got);
  CHECK_SIZE(77, offset);
  fc_type_free(place);
}

static void fields_of_unnamed_members_are_found(void) {
  fc_field inner_fields[] = {field("u", FC_U32), field("f", FC_F32)};
  fc_type *inner = NULL, *outer = NULL;
  CHECK_STATUS(FC_OK, fc_type_union(NULL, inner_fields, 2, NULL, &inner));
  fc_field outer_fields[] = {field("tag", FC_I8), typed(NULL, inner)};
  CHECK_STATUS(FC_OK, fc_type_struct("tagged", outer_fields, 2, NULL, &outer));
  const fc_type *got = NULL;
  size_t offset = 0;
  CHECK_STATUS(FC_OK, fc_type_field_named(outer, "f", &got, &offset));
  CHECK_SIZE(4, offset);
  CHECK_INT(FC_F32, fc_type_kind(got));
  fc_type_free(inner);
  fc_type_free(outer);
}

static void equality_is_structure_and_tag(void) {
  fc_field ints[] = {field("x", FC_I32), field("y", FC_I32)};
  fc_field floats[] = {field("x", FC_F32), field("y", FC_F32)};
  fc_type *a = NULL, *same = NULL, *other_tag = NULL, *other_fields = NULL, *as_union = NULL;
  CHECK_STATUS(FC_OK, fc_type_struct("point", ints, 2, NULL, &a));
  CHECK_STATUS(FC_OK, fc_type_struct("point", ints, 2, NULL, &same));
  CHECK_STATUS(FC_OK, fc_type_struct("pixel", ints, 2, NULL, &other_tag));
  CHECK_STATUS(FC_OK, fc_type_struct("point", floats, 2, NULL, &other_fields));
  CHECK_STATUS(FC_OK, fc_type_union("point", ints, 2, NULL, &as_union));
  CHECK(fc_type_equal(a, same));
  CHECK(!fc_type_equal(a, other_tag));
  CHECK(!fc_type_equal(a, other_fields));
  CHECK(!fc_type_equal(a, as_union));
  fc_type_free(a);
  fc_type_free(same);
  fc_type_free(other_tag);
  fc_type_free(other_fields);
  fc_type_free(as_union);
}

static void names_and_arrays_are_copied(void) {
  char tag[] = "point", name[] = "x";
  fc_field fields[] = {field(name, FC_I32)};
  fc_type *type = NULL;
  CHECK_STATUS(FC_OK, fc_type_struct(tag, fields, 1, NULL, &type));
  tag[0] = name[0] = '?';
  fields[0].type = NULL;
  CHECK_STRING("struct point", fc_type_name(type));
  check_offset(type, 0, 0, "x");
  fc_type_free(type);
}

static void a_record_keeps_its_members(void) {
  fc_field inner_fields[] = {field("x", FC_I64), field("y", FC_I64)};
  fc_type *inner = NULL, *outer = NULL;
  CHECK_STATUS(FC_OK, fc_type_struct("inner", inner_fields, 2, NULL, &inner));
  fc_field outer_fields[] = {typed("in", inner)};
  CHECK_STATUS(FC_OK, fc_type_struct("outer", outer_fields, 1, NULL, &outer));
  fc_type_free(inner);
  fc_field got;
  memset(&got, 0, sizeof got);
  CHECK_STATUS(FC_OK, fc_type_field(outer, 0, &got, NULL, NULL));
  CHECK_STRING("struct inner", fc_type_name(got.type));
  fc_type *again = fc_type_retain(outer);
  fc_type_free(outer);
  CHECK_STRING("struct outer", fc_type_name(again));
  fc_type_free(again);
}

static void check_refused(const fc_field *fields, size_t count, const fc_record_options *options,
                          const char *part_of_message) {
  fc_type *out = NULL;
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_type_struct("wrong", fields, count, options, &out));
  CHECK_MESSAGE(part_of_message);
  CHECK_POINTER(NULL, out);
}

static void what_no_field_can_be(void) {
  fc_field good = field("good", FC_I32);
  fc_field no_type[] = {good, typed("lost", NULL)};
  fc_field of_void[] = {good, field("nothing", FC_VOID)};
  fc_field too_wide[] = {good, bits("wide", FC_U8, 9)};
  fc_field of_double[] = {good, bits("real", FC_F64, 3)};
  fc_field zero_with_name[] = {good, bits("zero", FC_U8, FC_BITS_ZERO)};
  fc_field odd_align[] = {good, field("odd", FC_I32)};
  odd_align[1].align = 3;
  fc_field twice[] = {good, field("good", FC_F64)};
  check_refused(no_type, 2, NULL, "fields[1]");
  check_refused(of_void, 2, NULL, "nothing");
  check_refused(too_wide, 2, NULL, "wide");
  check_refused(of_double, 2, NULL, "real");
  check_refused(zero_with_name, 2, NULL, "zero");
  check_refused(odd_align, 2, NULL, "odd");
  check_refused(twice, 2, NULL, "good");
}

static void options_that_contradict(void) {
  fc_field fields[] = {field("x", FC_I32)};
  fc_record_options odd_pack = record_options(3, 0), odd_align = record_options(0, 24);
  check_refused(fields, 1, &odd_pack, "pack");
  check_refused(fields, 1, &odd_align, "align");
}

static void options_of_other_sizes(void) {
  struct {
    fc_record_options known;
    uint64_t unknown;
  } longer;
  fc_field fields[] = {field("c", FC_I8), field("d", FC_F64)};
  fc_type *type = NULL;
  memset(&longer, 0, sizeof longer);
  longer.known = record_options(1, 64);
  longer.known.size = sizeof longer;
  CHECK_STATUS(FC_OK, fc_type_struct(NULL, fields, 2, &longer.known, &type));
  CHECK_SIZE(64, fc_type_size(type));
  fc_type_free(type);
  longer.unknown = 1;
  check_refused(fields, 2, &longer.known, "options");
  longer.known.size = offsetof(fc_record_options, align);
  CHECK_STATUS(FC_OK, fc_type_struct(NULL, fields, 2, &longer.known, &type));
  CHECK_SIZE(9, fc_type_size(type));
  fc_type_free(type);
}

static void an_index_past_the_last_field(void) {
  fc_field fields[] = {field("x", FC_I32)};
  fc_type *type = NULL;
  fc_field got;
  memset(&got, 0, sizeof got);
  CHECK_STATUS(FC_OK, fc_type_struct(NULL, fields, 1, NULL, &type));
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_type_field(type, 17, &got, NULL, NULL));
  CHECK_MESSAGE("17");
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_type_field(fc_type_scalar(FC_I32), 0, &got, NULL, NULL));
  fc_type_free(type);
}

static void keywords_are_no_names(void) {
  fc_type *out = NULL;
  fc_field field = {.name = "for", .type = fc_type_scalar(FC_I32)};
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_type_struct("s", &field, 1, NULL, &out));
  CHECK_MESSAGE("\"for\" is a keyword of C; give it another name, as \"for_\"");
  field.name = "value";
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_type_struct("_Bool", &field, 1, NULL, &out));
  CHECK_MESSAGE("fc_type_struct: tag: \"_Bool\"");
  CHECK_POINTER(NULL, out);
  field.name = "forty";
  CHECK_STATUS(FC_OK, fc_type_struct("asm_", &field, 1, NULL, &out));
  fc_type_free(out);
}

int main(void) {
  RUN(a_struct_has_the_compilers_layout);
  RUN(packing_and_alignment_of_records);
  RUN(alignment_of_fields);
  RUN(a_union_has_the_compilers_layout);
  RUN(bit_fields_stand_where_the_compiler_puts_them);
  RUN(unnamed_bit_fields);
  RUN(paths_reach_into_records);
  RUN(paths_that_lead_nowhere);
  RUN(fields_of_unnamed_members_are_found);
  RUN(equality_is_structure_and_tag);
  RUN(names_and_arrays_are_copied);
  RUN(a_record_keeps_its_members);
  RUN(what_no_field_can_be);
  RUN(options_that_contradict);
  RUN(options_of_other_sizes);
  RUN(an_index_past_the_last_field);
  RUN(keywords_are_no_names);
  return harness_end();
}
