/* Prints what a header says of every item in items.inc. Two programs are made of it, one with
 * contract.h and one with farcall.h as HEADER, and what they print must be the same. */
#ifndef LAYOUT_H
#define LAYOUT_H

#include HEADER

#include <stdio.h>

#ifdef __cplusplus
#define ALIGN_OF(type) alignof(type)
#else
#define ALIGN_OF(type) _Alignof(type)
#endif

/* Of the integer type behind an enum. */
#define IS_SIGNED(type) ((__typeof__(+(type)0))-1 < (__typeof__(+(type)0))1)

#define ENUM(name)                                                                                 \
  printf("enum %s: size %zu, align %zu, %s\n", #name, sizeof(name), ALIGN_OF(name),                \
         IS_SIGNED(name) ? "signed" : "unsigned");
#define ENUMERATOR(name) printf("  %s = %lld\n", #name, (long long)(name));
#define CONSTANT(name) printf("%s = %lld, size %zu\n", #name, (long long)(name), sizeof(name));
#define RECORD(name) printf("%s: size %zu, align %zu\n", #name, sizeof(name), ALIGN_OF(name));
#define FIELD(record, name)                                                                        \
  printf("  %s: offset %zu, size %zu\n", #name, offsetof(record, name),                            \
         sizeof(((record *)0)->name));
#define OPAQUE(name) printf("%s: pointer of %zu\n", #name, sizeof(name *));
#define POINTER(name) printf("%s: size %zu\n", #name, sizeof(name));
#define FUNCTION(name) printf("%s: pointer of %zu\n", #name, sizeof(&name));

static inline void print_layout(void) {
#include "items.inc"
}

#undef ENUM
#undef ENUMERATOR
#undef CONSTANT
#undef RECORD
#undef FIELD
#undef OPAQUE
#undef POINTER
#undef FUNCTION

#endif
