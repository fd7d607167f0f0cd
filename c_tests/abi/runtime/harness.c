#define _GNU_SOURCE
#include "harness.h"
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

bool library_load(library *l, const char *path) {
  const char *slash = strrchr(path, '/');
  l->path = path;
  snprintf(l->name, sizeof l->name, "%s", slash ? slash + 1 : path);
  char *dot = strchr(l->name, '.');
  if (dot)
    *dot = 0;
  l->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!l->handle) {
    printf("cannot load %s: %s\n", path, dlerror());
    return false;
  }
  l->tables = dlsym(l->handle, "fcg_this_library");
  if (!l->tables || !l->tables->cases) {
    printf("%s holds no tables\n", path);
    return false;
  }
  return true;
}

static bool same_value(const fcg_value *a, const fcg_image *ai, const fcg_value *b,
                       const fcg_image *bi) {
  return a->size == b->size && a->align == b->align && a->kind == b->kind &&
         memcmp(ai->mask, bi->mask, a->size) == 0 && memcmp(ai->bytes, bi->bytes, a->size) == 0;
}

bool same_tables(const library *a, const library *b, uint32_t position) {
  const fcg_case *c = a->tables->cases[position], *d = b->tables->cases[position];
  const fcg_images *ci = &a->tables->images[position], *di = &b->tables->images[position];
  if (!same_value(&c->result, &ci->result, &d->result, &di->result))
    return false;
  for (uint32_t i = 0; i < c->count; i++)
    if (!same_value(&c->params[i], &ci->params[i], &d->params[i], &di->params[i]))
      return false;
  for (uint32_t r = 0; r < c->record_count; r++) {
    const fcg_record *p = &c->records[r], *q = &d->records[r];
    if (p->size != q->size || p->align != q->align)
      return false;
    for (uint32_t f = 0; f < p->field_count; f++)
      if (p->fields[f].offset != q->fields[f].offset || p->fields[f].size != q->fields[f].size)
        return false;
    for (uint32_t n = 0; n < p->path_count; n++)
      if (p->paths[n].offset != q->paths[n].offset)
        return false;
  }
  return true;
}

/* ------------------------------------------------------------- memory */
void *place(unsigned number, const void *bytes, size_t size, size_t slack) {
  static struct {
    unsigned char *end;
    size_t room;
  } places[MAX_ARGUMENTS + 8];
  size_t page = 4096, needed = (size + slack + 64 + page - 1) / page * page;
  if (number >= sizeof places / sizeof *places)
    abort();
  if (places[number].room < needed) {
    if (places[number].end)
      munmap(places[number].end - places[number].room, places[number].room + page);
    unsigned char *base =
        mmap(NULL, needed + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED || mprotect(base + needed, page, PROT_NONE)) {
      perror("mmap");
      exit(3);
    }
    places[number].end = base + needed;
    places[number].room = needed;
  }
  unsigned char *to = places[number].end - slack - size;
  memset(to - 32, 0xee, 32);
  if (size)
    memcpy(to, bytes, size);
  memset(to + size, 0xee, slack);
  return to;
}

enum { ROW = 64 };
static unsigned char *room;
static size_t room_size;
static unsigned char *result_start;

static unsigned char row_byte(size_t i) { return (unsigned char)(0x35 + 7 * i); }

void *result_room(size_t size, size_t align) {
  size_t needed = (size + align * 2 + 2 * ROW + 127) / 64 * 64;
  if (needed > room_size) {
    free(room);
    room_size = needed * 2;
    room = aligned_alloc(64, room_size);
    if (!room)
      abort();
  }
  for (size_t i = 0; i < room_size; i++)
    room[i] = row_byte(i);
  /* `align` off a multiple of twice that, so that a store that wants more alignment faults. */
  uintptr_t start = ((uintptr_t)room + ROW + 2 * align - 1) / (2 * align) * (2 * align) + align;
  if (start + size + ROW > (uintptr_t)room + room_size)
    start -= 2 * align;
  result_start = (unsigned char *)start;
  return result_start;
}

const unsigned char *result_bytes(void) { return result_start; }

const char *result_fault(const fcg_image *expected, size_t size) {
  size_t start = (size_t)(result_start - room);
  for (size_t i = 0; i < room_size; i++) {
    if (i >= start && i < start + size)
      continue;
    if (room[i] != row_byte(i))
      return i < start ? "bytes before the result were written"
                       : "bytes after the result were written";
  }
  if (bytes_differ(expected->bytes, result_start, expected->mask, size))
    return "the result is wrong";
  return NULL;
}

bool bytes_differ(const unsigned char *a, const unsigned char *b, const unsigned char *mask,
                  size_t size) {
  for (size_t i = 0; i < size; i++)
    if ((a[i] ^ b[i]) & mask[i])
      return true;
  return false;
}

void print_bytes(const char *label, const unsigned char *bytes, const unsigned char *mask,
                 size_t size) {
  printf("      %s", label);
  for (size_t i = 0; i < size && i < 80; i++)
    if (mask && !mask[i])
      printf(" ..");
    else
      printf(" %02x", bytes[i]);
  printf("\n");
}

/* -------------------------------------------------------- supervision */
state *shared;

void where(const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  vsnprintf(shared->where, sizeof shared->where, format, ap);
  va_end(ap);
}

void supervise(uint32_t count, void (*one)(uint32_t position),
               void (*crashed)(uint32_t position, const char *how)) {
  shared =
      mmap(NULL, sizeof *shared + count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    perror("mmap");
    exit(3);
  }
  shared->verdicts = (unsigned char *)(shared + 1);
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (uint32_t next = 0; next < count;) {
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) {
      perror("fork");
      exit(3);
    }
    if (child == 0) {
      for (uint32_t p = next; p < count; p++) {
        shared->position = p;
        shared->where[0] = 0;
        alarm(20);
        one(p);
      }
      fflush(stdout);
      _exit(0);
    }
    int status = 0;
    if (waitpid(child, &status, 0) < 0) {
      perror("waitpid");
      exit(3);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      return;
    char how[64];
    if (WIFSIGNALED(status))
      snprintf(how, sizeof how, "%s",
               WTERMSIG(status) == SIGALRM ? "hung for 20 s" : strsignal(WTERMSIG(status)));
    else
      snprintf(how, sizeof how, "ended the process with status %d", WEXITSTATUS(status));
    next = shared->position + 1;
    shared->verdicts[shared->position] = FAILED;
    crashed(shared->position, how);
  }
}
