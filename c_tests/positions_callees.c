/* A callee for each type, position and neighbourhood (positions.h). It looks at every parameter as
 * C sees it, which takes for granted what the caller owes: extended integers, aligned memory. */
#include "positions.h"

#include <string.h>

#define PARAMETER_INTS(i) int a##i
#define PARAMETER_DOUBLES(i) double a##i
#define PARAMETER_INTEGERS_FIRST(i) FILLER_INTEGERS_FIRST(i) a##i
#define PARAMETER_FLOATS_FIRST(i) FILLER_FLOATS_FIRST(i) a##i
#define HOLDS_INTS(i) a##i == FILLER_VALUE(int, i)
#define HOLDS_DOUBLES(i) a##i == FILLER_VALUE(double, i)
#define HOLDS_INTEGERS_FIRST(i) a##i == FILLER_VALUE(FILLER_INTEGERS_FIRST(i), i)
#define HOLDS_FLOATS_FIRST(i) a##i == FILLER_VALUE(FILLER_FLOATS_FIRST(i), i)
#define ONLY(M, value) value

#define CALLEE_AT(at, name, type, wide, result, give, layout, position)                            \
  static result name##_##layout##_##position(at(PARAMETER_##layout, type value)) {                 \
    type expected;                                                                                 \
    memcpy(&expected, position_expected, sizeof expected);                                         \
    const wide wide_value = (wide)value, wide_expected = (wide)expected;                           \
    const bool fillers[] = {at(HOLDS_##layout, true)};                                             \
    position_seen(position_same(position_expected, &value, sizeof value, USED_BYTES(type)),        \
                  position_same(&wide_expected, &wide_value, sizeof wide_value, USED_BYTES(wide)), \
                  fillers, sizeof fillers);                                                        \
    return give(value);                                                                            \
  }
#define CALLEE(layout, position, name, type, wide, result, give)                                   \
  CALLEE_AT(AT_##position, name, type, wide, result, give, layout, position)

#define FOR_POSITIONS(M, layout, ...)                                                              \
  M(layout, 0, __VA_ARGS__)                                                                        \
  M(layout, 1, __VA_ARGS__)                                                                        \
  M(layout, 2, __VA_ARGS__)                                                                        \
  M(layout, 3, __VA_ARGS__)                                                                        \
  M(layout, 4, __VA_ARGS__)                                                                        \
  M(layout, 5, __VA_ARGS__)                                                                        \
  M(layout, 6, __VA_ARGS__)                                                                        \
  M(layout, 7, __VA_ARGS__)                                                                        \
  M(layout, 8, __VA_ARGS__)                                                                        \
  M(layout, 9, __VA_ARGS__)                                                                        \
  M(layout, 10, __VA_ARGS__)                                                                       \
  M(layout, 11, __VA_ARGS__)                                                                       \
  M(layout, 12, __VA_ARGS__)
#define FOR_LAYOUTS(M, ...)                                                                        \
  FOR_POSITIONS(M, INTS, __VA_ARGS__)                                                              \
  FOR_POSITIONS(M, DOUBLES, __VA_ARGS__)                                                           \
  FOR_POSITIONS(M, INTEGERS_FIRST, __VA_ARGS__)                                                    \
  FOR_POSITIONS(M, FLOATS_FIRST, __VA_ARGS__)

#define CALLEES(name, type, wide, result, give, text, encoding)                                    \
  CALLEE_AT(ONLY, name, type, wide, result, give, ALONE, 0)                                        \
  FOR_LAYOUTS(CALLEE, name, type, wide, result, give)
POSITION_TYPES(CALLEES)

#define ENTRY(layout, position, name)                                                              \
  {TYPE_##name, layout, position, __extension__(void *) name##_##layout##_##position},
#define ENTRIES(name, type, wide, result, give, text, encoding)                                    \
  ENTRY(ALONE, 0, name) FOR_LAYOUTS(ENTRY, name)

/* BUILD says how this was compiled: O0 or O2. */
#define JOIN(a, b, c) a##b##c
#define TABLE_OF(build) JOIN(callees_of_, build, )
#define COUNT_OF_TABLE(build) JOIN(callees_of_, build, _count)

const position_callee TABLE_OF(BUILD)[] = {POSITION_TYPES(ENTRIES)};
const size_t COUNT_OF_TABLE(BUILD) = sizeof TABLE_OF(BUILD) / sizeof TABLE_OF(BUILD)[0];
