/* What every generated callee library is made of: tables about its functions, the checks that
 * the functions make of their own arguments, and the one object through which a program sees
 * all that. The same header serves the generated files and the programs that load them. */
#ifndef FCG_LIBRARY_H
#define FCG_LIBRARY_H
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __clang__ /* which knows the type by its other name only, or by none */
#ifdef __x86_64__
typedef __float128 _Float128;
#else
typedef long double _Float128;
#endif
#endif

enum fcg_kind {
  FCG_VOID,
  FCG_BOOL,
  FCG_SIGNED,
  FCG_UNSIGNED,
  FCG_POINTER,
  FCG_FLOAT,
  FCG_X87,
  FCG_BITS,
  FCG_OTHER
};
#define FCG_ENUM_KIND(type) ((type) - 1 < (type)1 ? FCG_SIGNED : FCG_UNSIGNED)
#define FCG_CHAR ((char)-1 < (char)1 ? FCG_SIGNED : FCG_UNSIGNED)
#define FCG_LONG_DOUBLE (__LDBL_MANT_DIG__ == 64 ? FCG_X87 : FCG_FLOAT)

enum fcg_mode { FCG_RANDOM, FCG_EXTREMES, FCG_ONES, FCG_SIGN_BITS, FCG_ZEROS, FCG_COUNTING };

/* Significant bytes of a value: `count` elements of `size` bytes from `offset`. A bit-field has
 * no offset in C, so `set` sets all its bits in a zeroed object instead. */
typedef struct fcg_leaf {
  uint32_t offset, size, count, kind;
  void (*set)(void *object);
} fcg_leaf;

typedef struct fcg_value {
  const char *text, *extra_name;
  uint32_t size, align, kind, mode, leaf_count;
  const fcg_leaf *leaves;
  uint64_t seed;
} fcg_value;

typedef struct fcg_field {
  const char *name;
  uint32_t offset, size, bits, is_bits;
  void (*set)(void *object);
} fcg_field;

typedef struct fcg_path {
  const char *path;
  uint32_t offset, size;
} fcg_path;

typedef struct fcg_record {
  const char *name;
  uint32_t size, align, field_count, path_count;
  const fcg_field *fields;
  const fcg_path *paths;
} fcg_record;

typedef struct fcg_case {
  uint32_t index;
  const char *name, *prototype, *declarations, *reasons;
  uint32_t count, fixed, variadic, plain, record_count;
  const fcg_value *params;
  fcg_value result;
  const fcg_record *records;
  void (*call)(void (*fn)(void), void *ret, void *const *args); /* as this compiler calls it */
  void (*call_fixed)(void (*fn)(void)); /* the same with the case's values; none of variadics */
} fcg_case;

/* The bytes that a value has and the mask of those that count; made when the library loads. */
typedef struct fcg_image {
  unsigned char *bytes, *mask;
} fcg_image;
typedef struct fcg_images {
  fcg_image result, *params;
  unsigned char loose[16] __attribute__((aligned(16))); /* read as one register */
} fcg_images;

typedef struct fcg_report {
  uint32_t calls, returns, failures, case_index, first_bad_argument;
  char text[3000];
} fcg_report;

/* How `call_fixed` is to call, set by the program: narrow integers are extended to `width` bits (0:
 * not at all) with junk above, an integer that comes back counts to at least `result_width` bits,
 * and the case's result is expected, or this one. */
typedef struct fcg_manner {
  uint32_t width, result_width;
  const unsigned char *result;
} fcg_manner;

/* What the functions `receive` of the self-check, which stand in for callbacks, hand their
 * arguments to, and what they are to do wrong. */
typedef struct fcg_receiver {
  void (*receive)(const fcg_case *c, void *ret, void *const *args);
  uint64_t flipped; /* of an integer that is returned */
  uint32_t spoils_kept, spoils_state;
} fcg_receiver;

/* The one exported object. A program may set `spoil_case` to have the expected value of argument
 * `spoil_argument` of that case changed in one significant byte (-1: the result's), to see that
 * the checks can fail. */
typedef struct fcg_library {
  const fcg_case *const *cases;
  uint32_t case_count;
  const fcg_images *images;
  fcg_report *report;
  int (*spoil)(uint32_t position, int argument);
  fcg_manner *manner;
  fcg_receiver *receiver;
  uint32_t highest_align; /* of arguments in memory */
} fcg_library;

#define FCG_EXPORT __attribute__((visibility("default")))

/* ------------------------------------------------- called by the callees */
void fcg_enter(const fcg_case *c, const void *frame, int al);
void fcg_word(int argument, long long widened);
void fcg_bytes(int argument, const void *address);
const void *fcg_leave(int loose);
void fcg_poison(void);
void fcg_in_both_registers(int argument); /* of a position, by Microsoft's rule for variadics */
extern fcg_receiver fcg_this_receiver;
extern unsigned char fcg_al;
extern struct fcg_position {
  uint64_t general, vector;
} fcg_positions[4];

/* ------------------------------------------------- and by the callers of function pointers */
/* Where the values are that are to be passed: those of up to 16 bytes have junk behind them. */
void *const *fcg_begin(const fcg_case *c);
void fcg_end(const void *result);
void fcg_end_word(unsigned long long result);
/* What may be passed behind a record of integers that does not fill its registers, for what a
 * callee finds there is the caller's choice. */
#define FCG_PADDING(type) (sizeof(type) <= 16 ? -sizeof(type) % 8 : 0)
#define FCG_MS_PADDING(type)                                                                       \
  (sizeof(type) == 1 || sizeof(type) == 2 || sizeof(type) == 4 ? 8 - sizeof(type) : 0)

/* Microsoft's convention has values of other sizes in memory, where gcc's va_arg does not look. */
#define FCG_MS_VA_ARG(ap, type)                                                                    \
  (sizeof(type) == 1 || sizeof(type) == 2 || sizeof(type) == 4 || sizeof(type) == 8                \
       ? va_arg(ap, type)                                                                          \
       : *va_arg(ap, type *))

typedef long long fcg_v16 __attribute__((vector_size(16)));

#include "machine.h" /* x86_64/ or aarch64/ */

#endif
