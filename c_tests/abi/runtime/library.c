/* The checks behind library.h, linked into every callee library. */
#include "library.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

extern const fcg_case *const fcg_cases[];
extern const unsigned fcg_case_count;

static fcg_images *images;
static fcg_report report;
static const fcg_case *current;
static const fcg_images *current_images;
unsigned char fcg_al;
struct fcg_position fcg_positions[4];
static fcg_manner manner;
fcg_receiver fcg_this_receiver;

static uint64_t next(uint64_t *state) { /* splitmix64 */
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static void fill_random(unsigned char *to, size_t size, uint64_t *state) {
  for (size_t i = 0; i < size; i++)
    to[i] = (unsigned char)(next(state) >> 24);
}

/* One element at an end of its range, or a float that arithmetic would not leave as it is. */
static void extreme(unsigned char *to, const fcg_leaf *leaf, uint64_t *state) {
  static const unsigned char f16[][2] = {{0, 0x7c}, {1, 0x7d}, {0, 0x80}, {1, 0}, {0xff, 0xff}};
  static const uint32_t f32[] = {0x7f800000, 0x7fa12345, 0x80000000, 1, 0xffc00001, 0xff7fffff};
  static const uint64_t f64[] = {0x7ff0000000000000, 0x7ff4000012345678, 0x8000000000000000, 1,
                                 0xfff8000000000001, 0xffefffffffffffff};
  uint64_t pick = next(state);
  size_t n = leaf->size;
  if (leaf->kind == FCG_FLOAT && n == 2) {
    memcpy(to, f16[pick % 5], 2);
    return;
  }
  if (leaf->kind == FCG_FLOAT && n == 4) {
    memcpy(to, &f32[pick % 6], 4);
    return;
  }
  if (leaf->kind == FCG_FLOAT && n == 8) {
    memcpy(to, &f64[pick % 6], 8);
    return;
  }
  if (leaf->kind == FCG_X87) {
    static const uint64_t mantissa[] = {
        0x8000000000000000, 0xa000000012345678, 0xc000000000000001, 1, 0x4000000000000000, 0};
    static const uint16_t exponent[] = {0x7fff, 0xffff, 0, 0x8000, 0x3fff, 0x7ffe};
    memcpy(to, &mantissa[pick % 6], 8);
    memcpy(to + 8, &exponent[(pick >> 8) % 6], 2);
    return;
  }
  int high = 0, low = 0;
  switch (pick % 6) {
  case 0:
    high = 0x80;
    break; /* lowest signed */
  case 1:
    high = 0x7f;
    low = 0xff;
    break; /* highest signed */
  case 2:
    high = low = 0xff;
    break;
  case 3:
    break;
  case 4:
    memset(to, 0, n);
    to[0] = 1;
    return;
  default:
    memset(to, 0xff, n);
    to[0] = 0x7f;
    to[n - 1] |= 0x80;
    return;
  }
  memset(to, low, n);
  to[n - 1] = (unsigned char)high;
}

static void make_image(fcg_image *image, const fcg_value *v) {
  size_t room = ((size_t)v->size + 127) / 64 * 64;
  image->bytes = aligned_alloc(64, room);
  image->mask = aligned_alloc(64, room);
  if (!image->bytes || !image->mask)
    abort();
  uint64_t state = v->seed;
  memset(image->mask, 0, room);
  switch (v->mode) {
  case FCG_ONES:
    memset(image->bytes, 0xff, room);
    break;
  case FCG_ZEROS:
    memset(image->bytes, 0, room);
    break;
  case FCG_SIGN_BITS:
    memset(image->bytes, 0x80, room);
    break;
  case FCG_COUNTING:
    for (size_t i = 0; i < room; i++)
      image->bytes[i] = (unsigned char)(0xa1 + i);
    break;
  default:
    fill_random(image->bytes, room, &state);
  }
  for (uint32_t l = 0; l < v->leaf_count; l++) {
    const fcg_leaf *leaf = &v->leaves[l];
    if (leaf->set) {
      leaf->set(image->mask);
      continue;
    }
    size_t counts = leaf->kind == FCG_X87 ? 10 : leaf->size;
    for (uint32_t i = 0; i < leaf->count; i++) {
      size_t at = leaf->offset + (size_t)i * leaf->size;
      memset(image->mask + at, 0xff, counts);
      if (v->mode == FCG_EXTREMES)
        extreme(image->bytes + at, leaf, &state);
    }
  }
  /* A _Bool holds 0 or 1, whatever else shares its place in a union. */
  for (uint32_t l = 0; l < v->leaf_count; l++) {
    const fcg_leaf *leaf = &v->leaves[l];
    if (leaf->kind != FCG_BOOL)
      continue;
    for (uint32_t i = 0; i < leaf->count; i++)
      image->bytes[leaf->offset + i] &= 1;
  }
}

static int spoil(uint32_t position, int argument) {
  fcg_image *image = argument < 0 ? &images[position].result : &images[position].params[argument];
  uint32_t size =
      argument < 0 ? fcg_cases[position]->result.size : fcg_cases[position]->params[argument].size;
  for (uint32_t i = size; i-- > 0;) {
    if (!image->mask[i])
      continue;
    image->bytes[i] ^= image->mask[i] & -image->mask[i];
    return 1;
  }
  return 0;
}

FCG_EXPORT fcg_library fcg_this_library;

__attribute__((constructor)) static void make_images(void) {
  images = calloc(fcg_case_count + 1, sizeof *images);
  if (!images)
    abort();
  for (unsigned p = 0; p < fcg_case_count; p++) {
    const fcg_case *c = fcg_cases[p];
    images[p].params = calloc(c->count + 1, sizeof(fcg_image));
    if (!images[p].params)
      abort();
    for (uint32_t i = 0; i < c->count; i++)
      make_image(&images[p].params[i], &c->params[i]);
    make_image(&images[p].result, &c->result);
    uint64_t state = c->result.seed ^ 0x5555;
    fill_random(images[p].loose, sizeof images[p].loose, &state);
  }
  fcg_this_library = (fcg_library){fcg_cases, fcg_case_count,     images,           &report, spoil,
                                   &manner,   &fcg_this_receiver, FCG_HIGHEST_ALIGN};
}

static void append(const char *format, ...) {
  size_t used = strlen(report.text);
  va_list ap;
  va_start(ap, format);
  vsnprintf(report.text + used, sizeof report.text - used, format, ap);
  va_end(ap);
}

static void append_bytes(const unsigned char *bytes, const unsigned char *mask, size_t size) {
  for (size_t i = 0; i < size && i < 80; i++)
    append(mask && !mask[i] ? " .." : " %02x", bytes[i]);
  append("\n");
}

static void fail(int argument) {
  if (report.failures++ == 0)
    report.first_bad_argument = (uint32_t)argument;
}

/* Indexes rise by one from case to case, but where cases were left out. */
static uint32_t position_of(const fcg_case *c) {
  uint32_t position = c->index - fcg_cases[0]->index;
  if (position >= fcg_case_count)
    position = fcg_case_count - 1;
  while (fcg_cases[position] != c)
    position--;
  return position;
}

void fcg_enter(const fcg_case *c, const void *frame, int al) {
  current = c;
  current_images = &images[position_of(c)];
  report.calls++;
  report.case_index = c->index;
  if ((uintptr_t)frame % 16) {
    fail(-1);
    append("    the stack was misaligned at the call: frame at %p\n", frame);
  }
  if (al > 8) {
    fail(-1);
    append("    al was %d at a variadic call; at most 8 is allowed\n", al);
  }
}

void fcg_word(int argument, long long widened) {
  const fcg_value *v = &current->params[argument];
  const unsigned char *bytes = current_images->params[argument].bytes;
  long long expected = 0;
  if (v->kind == FCG_SIGNED && bytes[v->size - 1] & 0x80)
    expected = -1;
  memcpy(&expected, bytes, v->size);
  if (expected == widened)
    return;
  fail(argument);
  append("    argument %d (%s): expected %#llx got %#llx\n", argument, v->text, expected, widened);
}

void fcg_bytes(int argument, const void *address) {
  const fcg_value *v = &current->params[argument];
  const fcg_image *image = &current_images->params[argument];
  const unsigned char *got = address;
  /* Conventions align an argument in memory to no more than this, whatever its type asks for. */
  uint32_t align = v->align < FCG_HIGHEST_ALIGN ? v->align : FCG_HIGHEST_ALIGN;
  if (v->size && (uintptr_t)address % align) {
    fail(argument);
    append("    argument %d (%s): at %p, not aligned to %u\n", argument, v->text, address, align);
  }
  int bad = 0;
  for (uint32_t i = 0; i < v->size; i++)
    bad |= (image->bytes[i] ^ got[i]) & image->mask[i];
  if (!bad)
    return;
  fail(argument);
  append("    argument %d (%s):\n      expected", argument, v->text);
  append_bytes(image->bytes, image->mask, v->size);
  append("      got     ");
  append_bytes(got, image->mask, v->size);
}

void fcg_in_both_registers(int argument) {
  uint64_t expected;
  memcpy(&expected, current_images->params[argument].bytes, sizeof expected);
  /* The address of a result in memory takes the first position. */
  for (int shift = 0; shift < 2; shift++) {
    const struct fcg_position *at = &fcg_positions[argument + shift];
    if (at->general == expected && at->vector == expected)
      return;
  }
  fail(argument);
  append("    argument %d (%s): not in both registers of its position\n", argument,
         current->params[argument].text);
}

static int is_integer(uint32_t kind) {
  return kind == FCG_SIGNED || kind == FCG_UNSIGNED || kind == FCG_BOOL;
}

void *const *fcg_begin(const fcg_case *c) {
  enum { MOST = 128, ROOM = 64 };
  static unsigned char copies[MOST][ROOM] __attribute__((aligned(ROOM)));
  static void *arguments[MOST];
  current = c;
  current_images = &images[position_of(c)];
  uint64_t state = c->result.seed ^ 0xca11;
  for (uint32_t i = 0; i < c->count; i++) {
    const fcg_value *v = &c->params[i];
    arguments[i] = current_images->params[i].bytes;
    if (v->size > 16)
      continue;
    fill_random(copies[i], ROOM, &state);
    memcpy(copies[i], arguments[i], v->size);
    arguments[i] = copies[i];
    if (!is_integer(v->kind) || !v->size)
      continue;
    int is_negative = v->kind == FCG_SIGNED && copies[i][v->size - 1] & 0x80;
    for (uint32_t at = v->size; at < manner.width / 8; at++)
      copies[i][at] = is_negative ? 0xff : 0;
  }
  return arguments;
}

void fcg_end_word(unsigned long long got) {
  const fcg_value *v = &current->result;
  const unsigned char *bytes = manner.result ? manner.result : current_images->result.bytes;
  unsigned long long expected = 0;
  report.returns++;
  if (v->kind == FCG_SIGNED && bytes[v->size - 1] & 0x80)
    expected = ~0ull;
  memcpy(&expected, bytes, v->size);
  uint32_t width = v->size * 8 > manner.result_width ? v->size * 8 : manner.result_width;
  if (!((expected ^ got) << (64 - width)))
    return;
  fail(-1);
  append("    the result: expected %#llx got %#llx, of which %u bits count\n", expected, got,
         width);
}

void fcg_end(const void *result) {
  const fcg_image *image = &current_images->result;
  const unsigned char *expected = manner.result ? manner.result : image->bytes, *got = result;
  int bad = 0;
  report.returns++;
  for (uint32_t i = 0; i < current->result.size; i++)
    bad |= (expected[i] ^ got[i]) & image->mask[i];
  if (!bad)
    return;
  fail(-1);
  append("    the result:\n      expected");
  append_bytes(expected, image->mask, current->result.size);
  append("      got     ");
  append_bytes(got, image->mask, current->result.size);
}

const void *fcg_leave(int loose) {
  errno = 2000 + (int)(current->index % 1000);
  if (!loose)
    return current_images->result.bytes;
  /* Every bit of the register is then the callee's choice: the value below, junk above. */
  memcpy(((fcg_images *)current_images)->loose, current_images->result.bytes, current->result.size);
  return current_images->loose;
}
