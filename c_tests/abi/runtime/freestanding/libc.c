/* As much of a C library as library.c and the compilers need where there is none: in the emulator.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int errno;

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
  unsigned char *out = to;
  const unsigned char *in = from;
  for (; size >= 8; size -= 8, out += 8, in += 8)
    *(uint64_t *)out = *(const uint64_t *)in;
  for (; size; size--)
    *out++ = *in++;
  return to;
}

void *memset(void *to, int byte, size_t size) {
  unsigned char *out = to;
  uint64_t word = 0x0101010101010101u * (unsigned char)byte;
  for (; size >= 8; size -= 8, out += 8)
    *(uint64_t *)out = word;
  for (; size; size--)
    *out++ = (unsigned char)byte;
  return to;
}

void bzero(void *to, size_t size) { memset(to, 0, size); }

size_t strlen(const char *text) {
  size_t length = 0;
  while (text[length])
    length++;
  return length;
}

void abort(void) {
  for (;;)
    __builtin_trap();
}

/* Never given back: the emulator begins anew with each block of signatures. */
void *aligned_alloc(size_t align, size_t size) {
  static unsigned char heap[16 << 20];
  static size_t used;
  size_t start = (((uintptr_t)heap + used + align - 1) / align * align) - (uintptr_t)heap;
  if (start + size > sizeof heap)
    abort();
  used = start + size;
  return heap + start;
}

void *calloc(size_t count, size_t size) {
  void *made = aligned_alloc(16, count * size);
  memset(made, 0, count * size);
  return made;
}

/* %d, %u, %s, %p, %x, %02x and %#llx. */
int vsnprintf(char *to, size_t room, const char *format, va_list ap) {
  size_t length = 0;
#define PUT(c) (length + 1 < room ? (void)(to[length++] = (char)(c)) : (void)0)
  for (; *format; format++) {
    if (*format != '%') {
      PUT(*format);
      continue;
    }
    int longs = 0, width = 1;
    uint64_t value;
    const char *text;
    for (format++; strchr("#0l", *format) || (*format >= '1' && *format <= '9'); format++) {
      longs += *format == 'l';
      if (*format >= '1' && *format <= '9')
        width = *format - '0';
    }
    switch (*format) {
    case 's':
      for (text = va_arg(ap, const char *); *text; text++)
        PUT(*text);
      break;
    case 'p':
      longs = 2;
      /* fall through */
    case 'x':
      value = longs ? va_arg(ap, uint64_t) : va_arg(ap, unsigned);
      for (int digit = 15; digit >= 0; digit--)
        if (digit < width || value >> (4 * digit))
          PUT("0123456789abcdef"[value >> (4 * digit) & 15]);
      break;
    default:
      value = va_arg(ap, unsigned);
      if (*format == 'd' && (int)value < 0) {
        PUT('-');
        value = (uint64_t)-(int64_t)(int)value;
      }
      for (uint64_t power = 1000000000; power; power /= 10)
        if (power == 1 || value >= power)
          PUT('0' + value / power % 10);
    }
  }
  if (room)
    to[length] = 0;
  return (int)length;
}

char *strchr(const char *text, int c) {
  for (;; text++) {
    if (*text == (char)c)
      return (char *)text;
    if (!*text)
      return 0;
  }
}
