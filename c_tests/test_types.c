/* Scalars, pointers, arrays and vectors against the compiler's own. */
#include "harness.h"

#include <complex.h>
#include <stdint.h>

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;
#ifdef __FLT16_MAX__
__extension__ typedef _Float16 float16;
#endif
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 float128;
#endif

typedef struct scalar {
  fc_kind kind;
  size_t size, align;
} scalar;

#define SCALAR(kind, type) {kind, sizeof(type), _Alignof(type)}

static const scalar scalars[] = {
    SCALAR(FC_BOOL, bool),
    SCALAR(FC_I8, int8_t),
    SCALAR(FC_U8, uint8_t),
    SCALAR(FC_I16, int16_t),
    SCALAR(FC_U16, uint16_t),
    SCALAR(FC_I32, int32_t),
    SCALAR(FC_U32, uint32_t),
    SCALAR(FC_I64, int64_t),
    SCALAR(FC_U64, uint64_t),
    SCALAR(FC_I128, int128),
    SCALAR(FC_U128, uint128),
#ifdef __FLT16_MAX__
    SCALAR(FC_F16, float16),
#endif
    SCALAR(FC_F32, float),
    SCALAR(FC_F64, double),
#ifdef __SIZEOF_FLOAT128__
    SCALAR(FC_F128, float128),
#endif
    SCALAR(FC_LONG_DOUBLE, long double),
    SCALAR(FC_COMPLEX_F32, float _Complex),
    SCALAR(FC_COMPLEX_F64, double _Complex),
    SCALAR(FC_COMPLEX_LONG_DOUBLE, long double _Complex),
    SCALAR(FC_POINTER, void *),
};

static void scalars_are_as_the_compiler_has_them(void) {
  for (size_t i = 0; i < COUNT_OF(scalars); i++) {
    const fc_type *type = fc_type_scalar(scalars[i].kind);
    if (!CHECK(type != NULL))
      continue;
    CHECK_INT(scalars[i].kind, fc_type_kind(type));
    CHECK_SIZE(scalars[i].size, fc_type_size(type));
    CHECK_SIZE(scalars[i].align, fc_type_align(type));
    CHECK_SIZE(0, fc_type_field_count(type));
    CHECK_SIZE(0, fc_type_length(type));
    CHECK_POINTER(type, fc_type_scalar(scalars[i].kind));
  }
}

static void a_scalar_is_static(void) {
  const fc_type *type = fc_type_scalar(FC_I32);
  fc_type *retained = fc_type_retain(type);
  CHECK_POINTER(type, retained);
  fc_type_free(retained);
  fc_type_free(retained);
  CHECK_SIZE(4, fc_type_size(type));
}

static void void_is_a_type_without_a_value(void) {
  const fc_type *type = fc_type_scalar(FC_VOID);
  if (CHECK(type != NULL))
    CHECK_STRING("void", fc_type_name(type));
}

static void other_kinds_are_no_scalars(void) {
  static const int kinds[] = {FC_STRUCT, FC_UNION, FC_ARRAY, FC_VECTOR, FC_FUNCTION, FC_ENUM,  12,
                              33,        63,       70,       1000,      -1,          INT32_MAX};
  for (size_t i = 0; i < COUNT_OF(kinds); i++)
    CHECK_POINTER(NULL, fc_type_scalar((fc_kind)kinds[i]));
}

/* A name is C text, so that the declaration parser must give the same type for it. */
static void scalar_names_are_c_text(void) {
  fc_decls *decls = NULL;
  if (!CHECK_STATUS(FC_OK, fc_decls_new(&decls)))
    return;
  for (size_t i = 0; i < COUNT_OF(scalars); i++) {
    const fc_type *type = fc_type_scalar(scalars[i].kind);
    fc_type *parsed = NULL;
    if (!CHECK_STATUS(FC_OK, fc_decls_type(decls, fc_type_name(type), &parsed)))
      continue;
    CHECK_INT(scalars[i].kind, fc_type_kind(parsed));
    CHECK(fc_type_equal(type, parsed));
    fc_type_free(parsed);
  }
  fc_decls_free(decls);
}

static void equality(void) {
  for (size_t i = 0; i < COUNT_OF(scalars); i++)
    for (size_t j = 0; j < COUNT_OF(scalars); j++)
      CHECK_INT(i == j,
                fc_type_equal(fc_type_scalar(scalars[i].kind), fc_type_scalar(scalars[j].kind)));
}

static void pointers(void) {
  const fc_type *int_type = fc_type_scalar(FC_I32);
  fc_type *pointer = NULL, *pointer_again = NULL, *other = NULL, *to_void = NULL;
  CHECK_STATUS(FC_OK, fc_type_pointer(int_type, &pointer));
  CHECK_STATUS(FC_OK, fc_type_pointer(int_type, &pointer_again));
  CHECK_STATUS(FC_OK, fc_type_pointer(fc_type_scalar(FC_F64), &other));
  CHECK_STATUS(FC_OK, fc_type_pointer(fc_type_scalar(FC_VOID), &to_void));
  CHECK_INT(FC_POINTER, fc_type_kind(pointer));
  CHECK_SIZE(sizeof(int *), fc_type_size(pointer));
  CHECK_SIZE(_Alignof(int *), fc_type_align(pointer));
  CHECK(fc_type_equal(int_type, fc_type_element(pointer)));
  CHECK(fc_type_equal(pointer, pointer_again));
  CHECK(!fc_type_equal(pointer, other));
  CHECK(!fc_type_equal(pointer, to_void));
  CHECK(fc_type_equal(to_void, fc_type_scalar(FC_POINTER)));
  CHECK_POINTER(NULL, fc_type_element(to_void));
  CHECK_CONTAINS("*", fc_type_name(pointer));
  CHECK_CONTAINS("double", fc_type_name(other));
  fc_type_free(pointer);
  fc_type_free(pointer_again);
  fc_type_free(other);
  fc_type_free(to_void);
}

static void arrays(void) {
  fc_type *row = NULL, *matrix = NULL;
  CHECK_STATUS(FC_OK, fc_type_array(fc_type_scalar(FC_F32), 3, &row));
  CHECK_STATUS(FC_OK, fc_type_array(row, 5, &matrix));
  CHECK_INT(FC_ARRAY, fc_type_kind(matrix));
  CHECK_SIZE(sizeof(float[5][3]), fc_type_size(matrix));
  CHECK_SIZE(_Alignof(float[5][3]), fc_type_align(matrix));
  CHECK_SIZE(5, fc_type_length(matrix));
  CHECK(fc_type_equal(row, fc_type_element(matrix)));
  CHECK_STRING("float[5][3]", fc_type_name(matrix));
  fc_type_free(row);
  CHECK_SIZE(3, fc_type_length(fc_type_element(matrix)));
  fc_type_free(matrix);
}

typedef float float_by_4 __attribute__((vector_size(16)));
typedef uint8_t byte_by_8 __attribute__((vector_size(8)));

static void vectors(void) {
  fc_type *floats = NULL, *bytes = NULL;
  CHECK_STATUS(FC_OK, fc_type_vector(fc_type_scalar(FC_F32), 4, &floats));
  CHECK_STATUS(FC_OK, fc_type_vector(fc_type_scalar(FC_U8), 8, &bytes));
  CHECK_INT(FC_VECTOR, fc_type_kind(floats));
  CHECK_SIZE(sizeof(float_by_4), fc_type_size(floats));
  CHECK_SIZE(_Alignof(float_by_4), fc_type_align(floats));
  CHECK_SIZE(sizeof(byte_by_8), fc_type_size(bytes));
  CHECK_SIZE(_Alignof(byte_by_8), fc_type_align(bytes));
  CHECK_SIZE(4, fc_type_length(floats));
  CHECK_INT(FC_F32, fc_type_kind(fc_type_element(floats)));
  CHECK(!fc_type_equal(floats, bytes));
  fc_type_free(floats);
  fc_type_free(bytes);
}

static void what_no_array_can_hold(void) {
  fc_type *out = NULL;
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_type_array(fc_type_scalar(FC_VOID), 4, &out));
  CHECK_MESSAGE("void");
  CHECK_FAILS(fc_type_array(fc_type_scalar(FC_I64), SIZE_MAX, &out));
  CHECK_FAILS(fc_type_array(fc_type_scalar(FC_I64), SIZE_MAX / 8, &out));
  CHECK_POINTER(NULL, out);
}

static void what_no_vector_can_be(void) {
  fc_type *out = NULL, *array = NULL;
  CHECK_STATUS(FC_OK, fc_type_array(fc_type_scalar(FC_I8), 4, &array));
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_type_vector(fc_type_scalar(FC_VOID), 4, &out));
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_type_vector(array, 4, &out));
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_type_vector(fc_type_scalar(FC_F32), 0, &out));
  CHECK_MESSAGE("lanes");
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_type_vector(fc_type_scalar(FC_F32), 3, &out));
  CHECK_FAILS(fc_type_vector(fc_type_scalar(FC_F32), SIZE_MAX / 2 + 1, &out));
  CHECK_POINTER(NULL, out);
  fc_type_free(array);
}

int main(void) {
  RUN(scalars_are_as_the_compiler_has_them);
  RUN(a_scalar_is_static);
  RUN(void_is_a_type_without_a_value);
  RUN(other_kinds_are_no_scalars);
  RUN(scalar_names_are_c_text);
  RUN(equality);
  RUN(pointers);
  RUN(arrays);
  RUN(vectors);
  RUN(what_no_array_can_hold);
  RUN(what_no_vector_can_be);
  return harness_end();
}
