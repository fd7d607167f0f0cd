/* The rows, their argument arrays and their slots. */
#include "rows.h"
#include "bench.h"
#include <string.h>

#define KIND_OF(index, type, KIND, value) BENCH_##KIND
#define SIZE_OF(index, type, KIND, value) sizeof(type)
#define TEXT_OF(index, type, KIND, value) #type
#define TEXT_COMMA() ", "

#define DEFINE(name, title, type, KIND, PARAMS)                                                    \
  static const enum bench_kind kinds_##name[] = {PARAMS(KIND_OF, BENCH_COMMA)};                    \
  static const size_t sizes_##name[] = {PARAMS(SIZE_OF, BENCH_COMMA)};                             \
  static void *args_##name[sizeof kinds_##name / sizeof *kinds_##name];                            \
  static bench_slot slots_##name[sizeof kinds_##name / sizeof *kinds_##name];
BENCH_CALLEES(DEFINE)

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

#define ROW_OF(part, title, name, type, KIND, PARAMS)                                              \
  {part,                                                                                           \
   title,                                                                                          \
   #type " bench_" #name "(" PARAMS(TEXT_OF, TEXT_COMMA) ")",                                      \
   BENCH_##KIND,                                                                                   \
   sizeof(type),                                                                                   \
   kinds_##name,                                                                                   \
   COUNT_OF(kinds_##name),                                                                         \
   (bench_function)bench_##name,                                                                   \
   args_##name,                                                                                    \
   slots_##name,                                                                                   \
   false,                                                                                          \
   false,                                                                                          \
   BENCH_CALLEE_##name},
#define ROW(name, title, type, KIND, PARAMS) ROW_OF(BENCH_CALLS, title, name, type, KIND, PARAMS)
#define CALLBACK_ROW(name, title, type, KIND, PARAMS)                                              \
  ROW_OF(BENCH_CALLBACKS, title, name, type, KIND, PARAMS)
#define NOTHING(part)                                                                              \
  {part,                                                                                           \
   "void(void)",                                                                                   \
   "void bench_nothing(void)",                                                                     \
   BENCH_VOID,                                                                                     \
   0,                                                                                              \
   NULL,                                                                                           \
   0,                                                                                              \
   bench_nothing,                                                                                  \
   NULL,                                                                                           \
   NULL,                                                                                           \
   false,                                                                                          \
   false,                                                                                          \
   BENCH_CALLEE_nothing}
#define LIFETIME(title, is_released)                                                               \
  {BENCH_LIFETIMES, title,       "int bench_i32_two(int, int)", BENCH_INT,    0,                   \
   kinds_i32_two,   2,           (bench_function)bench_i32_two, args_i32_two, slots_i32_two,       \
   false,           is_released, BENCH_CALLEE_i32_two}

const struct bench_row bench_rows[] = {
    NOTHING(BENCH_CALLS),
    BENCH_ROWS(ROW)
    /* An interpreter has new values for every call; this row has the caller write them. */
    {BENCH_CALLS, "i32(i32, i32), written", "int bench_i32_two(int, int)", BENCH_INT, sizeof(int),
     kinds_i32_two, 2, (bench_function)bench_i32_two, args_i32_two, slots_i32_two, true, false,
     BENCH_CALLEE_i32_two},
    NOTHING(BENCH_CALLBACKS),
    BENCH_CALLBACK_ROWS(CALLBACK_ROW) LIFETIME("create + free", false),
    LIFETIME("create + free, release hook", true),
};
const size_t bench_row_count = COUNT_OF(bench_rows);

/* A value of at most eight bytes stands in its slot, with rubbish above it; a larger one is
 * pointed to. */
static void fill_slots(bench_slot *slots, void *const *args, const size_t *sizes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    memset(&slots[i], 0xA5, sizeof slots[i]);
    if (sizes[i] <= sizeof slots[i]) {
      memcpy(&slots[i], args[i], sizes[i]);
    } else {
      slots[i].p = args[i];
    }
  }
}

void bench_rows_prepare(void) {
#define ARGUMENT(index, type, KIND, value) args[index] = (void *)&values->v##index;
#define FILL(name, title, type, KIND, PARAMS)                                                      \
  {                                                                                                \
    struct bench_values_##name *values = &bench_values_##name;                                     \
    void **args = args_##name;                                                                     \
    PARAMS(ARGUMENT, BENCH_NONE)                                                                   \
    fill_slots(slots_##name, args, sizes_##name, COUNT_OF(sizes_##name));                          \
  }
  BENCH_CALLEES(FILL)
}
