/* Every scalar type at its extremes, in every position of a parameter list and as a result, between
 * neighbours of every kind, on every path. The callees are in positions_callees.c. */
#include "positions.h"

#include "pace.h"
#include "paths.h"

typedef enum encoding { BOOLEAN, INTEGER, F16, F32, F64, F128, X87 } encoding;

typedef struct position_type {
  const char *name, *text, *result;
  encoding encoding;
  size_t size;
} position_type;

#define TEXT_SAME(text) text
#define TEXT_SEVEN(text) "int"
#define TYPE_ROW(name, type, wide, result, give, text, encoding)                                   \
  {#name, text, TEXT_##give(text), encoding, sizeof(type)},
static const position_type types[] = {POSITION_TYPES(TYPE_ROW)};

/* Fillers: their types for farcall, and their values. */
typedef struct filler {
  const char *type;
  const void *value;
} filler;

#define TEXT_OF(type) #type
#define FILLER(type, i)                                                                            \
  {                                                                                                \
    TEXT_OF(type), &(const type) { FILLER_VALUE(type, i) }                                         \
  }
#define FILLERS(M)                                                                                 \
  {FILLER(M(0), 0),   FILLER(M(1), 1),   FILLER(M(2), 2),  FILLER(M(3), 3), FILLER(M(4), 4),       \
   FILLER(M(5), 5),   FILLER(M(6), 6),   FILLER(M(7), 7),  FILLER(M(8), 8), FILLER(M(9), 9),       \
   FILLER(M(10), 10), FILLER(M(11), 11), FILLER(M(12), 12)}
static const filler fillers[LAYOUTS][POSITIONS] = {[INTS] = FILLERS(FILLER_INTS),
                                                   [DOUBLES] = FILLERS(FILLER_DOUBLES),
                                                   [INTEGERS_FIRST] =
                                                       FILLERS(FILLER_INTEGERS_FIRST),
                                                   [FLOATS_FIRST] = FILLERS(FILLER_FLOATS_FIRST)};
static const char *const layout_names[] = {"alone", "between ints", "between doubles",
                                           "after integers first", "after floats first"};

/* What the callees report. */
const unsigned char *position_expected;
static unsigned calls_seen, wrong_values, wrong_widened, wrong_fillers;

bool position_same(const void *expected, const void *got, size_t size, size_t used) {
  return same_value(expected, got, size, used);
}

void position_seen(bool value, bool widened, const bool *holds, size_t count) {
  calls_seen++;
  wrong_values += !value;
  wrong_widened += !widened;
  for (size_t i = 0; i < count; i++)
    wrong_fillers += !holds[i];
}

/* Values, as bytes. */
enum { LARGEST = 32, MOST_VALUES = 16 };
typedef struct values {
  size_t count;
  _Alignas(16) unsigned char bytes[MOST_VALUES][LARGEST];
} values;

static void add_value(values *list, uint128 bits, size_t size) {
  memcpy(list->bytes[list->count++], &bits, size);
}

static void add_integers(values *list, size_t size) {
  const uint128 ones = ~(uint128)0, top = (uint128)1 << (size * 8 - 1);
  const uint128 pattern = (uint128)0x0123456789ABCDEFu << 64 | 0xFEDCBA9876543210u;
  const uint128 bits[] = {0, ones, top, top - 1, 1, pattern, ~pattern, top + 1};
  for (size_t i = 0; i < COUNT_OF(bits); i++)
    add_value(list, bits[i], size);
}

/* Sign, exponent and fraction put together; a long double has its leading 1 in the open. */
static uint128 floating(encoding encoding, bool negative, unsigned exponent, uint128 fraction) {
  static const struct {
    unsigned exponent_bits, fraction_bits;
  } formats[] = {
      [F16] = {5, 10}, [F32] = {8, 23}, [F64] = {11, 52}, [F128] = {15, 112}, [X87] = {15, 63}};
  const unsigned width = formats[encoding].fraction_bits, all = formats[encoding].exponent_bits;
  const uint128 leading = encoding == X87 && exponent > 0 ? (uint128)1 << 63 : 0;
  const unsigned above = width + (encoding == X87);
  const uint128 sign = (uint128)negative << (above + all);
  return sign | (uint128)(exponent & ((1u << all) - 1)) << above | leading |
         (fraction & (((uint128)1 << width) - 1));
}

static void floating_values(encoding encoding, uint128 bits[11]) {
  static const unsigned exponents[] = {
      [F16] = 31, [F32] = 255, [F64] = 2047, [F128] = 32767, [X87] = 32767};
  static const unsigned fractions[] = {
      [F16] = 10, [F32] = 23, [F64] = 52, [F128] = 112, [X87] = 63};
  const unsigned most = exponents[encoding];
  const uint128 ones = ~(uint128)0, quiet = (uint128)1 << (fractions[encoding] - 1);
  bits[0] = floating(encoding, false, 0, 0);
  bits[1] = floating(encoding, true, 0, 0);
  bits[2] = floating(encoding, false, most / 2, 0); /* 1 */
  bits[3] = floating(encoding, true, most - 1, ones);
  bits[4] = floating(encoding, false, 1, 0); /* the least that is normal */
  bits[5] = floating(encoding, false, 0, 1); /* denormal */
  bits[6] = floating(encoding, true, 0, ones);
  bits[7] = floating(encoding, true, most, 0); /* infinity */
  bits[8] = floating(encoding, false, most, quiet | 0x2A);
  bits[9] = floating(encoding, true, most, 0x155); /* a signalling NaN */
  bits[10] = floating(encoding, true, most, ones);
}

/* valgrind computes with doubles where a long double is asked for. */
static bool is_lost_under_valgrind(encoding encoding, uint128 bits) {
  return encoding == X87 && under_valgrind() && bits << 64 != 0 && bits << 64 != (uint128)1 << 127;
}

static void add_floating(values *list, encoding encoding, size_t size) {
  static const size_t sizes[] = {[F16] = 2, [F32] = 4, [F64] = 8, [F128] = 16, [X87] = 16};
  const size_t part = sizes[encoding];
  uint128 bits[11];
  floating_values(encoding, bits);
  for (size_t i = 0; i < COUNT_OF(bits); i++)
    if (is_lost_under_valgrind(encoding, bits[i]))
      bits[i] = bits[1];
  for (size_t i = 0; i < COUNT_OF(bits); i++) {
    add_value(list, bits[i], part);
    if (size > part) /* complex */
      memcpy(list->bytes[list->count - 1] + part, &bits[COUNT_OF(bits) - 1 - i], part);
  }
}

static values values_of(const position_type *type) {
  values list;
  memset(&list, 0, sizeof list);
  if (type->encoding == BOOLEAN) {
    add_value(&list, 0, 1);
    add_value(&list, 1, 1);
  } else if (type->encoding == INTEGER)
    add_integers(&list, type->size);
  else
    add_floating(&list, type->encoding, type->size);
  return list;
}

static fc_signature *signature_of(const fc_decls *decls, const position_callee *to) {
  const position_type *type = &types[to->type];
  char text[512];
  size_t length =
      (size_t)snprintf(text, sizeof text, "%s %s_at_%d(", type->result, type->name, to->position);
  const int count = to->layout == ALONE ? 1 : POSITIONS;
  for (int i = 0; i < count; i++) {
    const char *param = i == to->position ? type->text : fillers[to->layout][i].type;
    length +=
        (size_t)snprintf(text + length, sizeof text - length, "%s%s", i > 0 ? ", " : "", param);
  }
  snprintf(text + length, sizeof text - length, ")");
  fc_signature *signature = NULL;
  CHECK_STATUS(FC_OK, fc_signature_parse(decls, text, &signature));
  return signature;
}

/* A _Float128 is in a register unless eight doubles were there before it, or it comes back. libffi
 * can move it there on aarch64, where it is a long double. */
static bool is_beyond_libffi(const position_callee *to) {
#if defined(__aarch64__)
  (void)to;
  return false;
#else
  if (types[to->type].encoding != F128)
    return false;
  return to->type == TYPE_f128 || to->layout != DOUBLES || to->position < 8;
#endif
}

/* Where one general register is left, an __int128 goes to the stack and leaves it to the next
 * integer (x86-64 psABI, 3.2.3); clang counts it as used. Its callees are no measure there. */
static bool is_misread_by_clang(const position_callee *to) {
#if defined(__clang__) && defined(__x86_64__)
  int integers = 0;
  for (int i = 0; i < to->position; i++) {
    const char *type = fillers[to->layout][i].type;
    integers += strcmp(type, "float") != 0 && strcmp(type, "double") != 0;
  }
  return (to->type == TYPE_i128 || to->type == TYPE_u128) && integers == 5;
#else
  (void)to;
  return false;
#endif
}

static void check_value(const position_callee *to, const callee *target, unsigned char *value) {
  const int seven = 7;
  void *args[POSITIONS];
  for (int i = 0; i < POSITIONS; i++) {
    /* Nothing writes to them; an array of arguments just has no const in it. */
    const void *filler =
        i == to->position || to->layout == ALONE ? value : fillers[to->layout][i].value;
    memcpy(&args[i], &filler, sizeof filler);
  }
  const bool gives_seven = to->type == TYPE_f128_given;
  calls_seen = 0;
  position_expected = value;
  check_call(target, args, gives_seven ? (const void *)&seven : value, __FILE__, __LINE__);
  CHECK(calls_seen > 0);
}

static void check_callee(const position_callee *to, const fc_signature *signature, values *list,
                         size_t step) {
  callee target = {NULL, to->address, signature, NULL, NULL, is_beyond_libffi(to)};
  for (size_t i = 0; i < list->count; i += step) {
    const int before = harness.failures;
    wrong_values = wrong_widened = wrong_fillers = 0;
    check_value(to, &target, list->bytes[i]);
    CHECK_INT(0, wrong_values);
    CHECK_INT(0, wrong_widened);
    CHECK_INT(0, wrong_fillers);
    if (harness.failures > before) {
      printf("  that was %s %s, position %d\n", types[to->type].text, layout_names[to->layout],
             to->position);
      harness_print_bytes("value", list->bytes[i], types[to->type].size);
    }
  }
}

/* Both tables are of the same callees in the same order. */
static void check_type(int type) {
  const bool is_slow = under_valgrind() || emulated();
  values list = values_of(&types[type]);
  fc_decls *decls = NULL;
  CHECK_STATUS(FC_OK, fc_decls_new(&decls));
  CHECK_STATUS(FC_OK, fc_decls_add(decls, SIDE_TEXT));
  CHECK_SIZE(callees_of_O0_count, callees_of_O2_count);
  for (size_t i = 0; i < callees_of_O2_count; i++) {
    const position_callee *of_O0 = &callees_of_O0[i], *of_O2 = &callees_of_O2[i];
    if (of_O2->type != type || (is_slow && i % 3 != 0) || is_misread_by_clang(of_O2))
      continue;
    fc_signature *signature = signature_of(decls, of_O2);
    if (signature && !is_slow)
      check_callee(of_O0, signature, &list, 1);
    if (signature)
      check_callee(of_O2, signature, &list, is_slow ? 5 : 1);
    fc_signature_free(signature);
  }
  fc_decls_free(decls);
}

#define TEST(name, type, wide, result, give, text, encoding)                                       \
  static void name##_in_every_position(void) { check_type(TYPE_##name); }
POSITION_TYPES(TEST)

int main(void) {
#define RUN_TEST(name, type, wide, result, give, text, encoding) RUN(name##_in_every_position);
  POSITION_TYPES(RUN_TEST)
  return harness_end();
}
