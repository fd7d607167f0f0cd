#include "fixture.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double length(struct point p) { return sqrt(p.x * p.x + p.y * p.y); }

struct point twice(struct point p) { return (struct point){p.x * 2, p.y * 2}; }

struct line reversed(struct line l) {
  struct line r = l;
  r.from = l.to;
  r.to = l.from;
  return r;
}

double reach(const struct line *line) {
  return length((struct point){line->to.x - line->from.x, line->to.y - line->from.y});
}

enum color next_color(enum color c) { return c == RED ? GREEN : c == GREEN ? BLUE : (enum color)7; }

size other_size(size s) { return s == SMALL ? LARGE : SMALL; }

struct flags same_flags(struct flags f) { return f; }

union number same_number(union number n) { return n; }

struct tagged same_tagged(struct tagged t) { return t; }

struct text measured(struct text t) {
  t.length = t.words ? (int)strlen(t.words) : -1;
  return t;
}

float4 doubled(float4 v) { return v + v; }

char last(const char *text) { return *text ? text[strlen(text) - 1] : '\0'; }

signed char narrow(signed char c) { return c; }

unsigned char wrap(unsigned char c) { return (unsigned char)(c + 1); }

_Bool negated(_Bool b) { return !b; }

long sum(const int *values, int count) {
  long sum = 0;
  for (int i = 0; i < count; i++) sum += values[i];
  return sum;
}

double total(const struct point *points, int count) {
  double total = 0;
  for (int i = 0; i < count; i++) total += points[i].x * 10 + points[i].y;
  return total;
}

int words(const char *const *list) {
  int count = 0;
  while (list[count]) count++;
  return count;
}

void move_by(struct point *p, double dx, double dy) {
  p->x += dx;
  p->y += dy;
}

int squares(int *out, int count) {
  for (int i = 0; i < count; i++) out[i] = i * i + out[i];
  return count;
}

void upper(char *text) {
  for (; *text; text++) *text = (char)toupper((unsigned char)*text);
}

int nodes(const struct node *first) {
  int sum = 0;
  for (; first; first = first->next) sum += first->value;
  return sum;
}

int fill(void *memory, int count, int byte) {
  memset(memory, byte, (size_t)count);
  return count;
}

int open_it(struct opaque *it) { return it != NULL; }

static void handled(void) {}

void (*handler(int which))(void) { return which ? handled : NULL; }

int apply(int (*function)(int), int value) { return function(value); }

int apply_both(pointer *list, int value) { return list[0](value) + list[1](value); }

int dispatch(const struct operations *operations, int value) {
  int sum = operations->run(value);
  for (int i = 0; operations->list[i] != NULL; i++) sum += operations->list[i](value);
  return sum;
}

typedef int comparison(const void *, const void *);

void sort_points(struct point *points, int count,
                 int (*order)(const struct point *, const struct point *)) {
  qsort(points, (size_t)count, sizeof *points, (comparison *)order);
}

int compared(int (*order)(const char *, const char *), const char *a, const char *b) {
  return order(a, b);
}

void visit(void (*visitor)(int, const char *, double, const struct point *)) {
  const struct point p = {1, 2};
  visitor(1, "one", 1.5, &p);
  visitor(2, NULL, -INFINITY, NULL);
}

void talk(void (*listener)(const char *)) {
  puts("before");
  listener("within");
  puts("after");
}

struct point point_of(struct point (*make)(int)) { return make(7); }

int raised(int number, void (*handler)(int)) {
  signal(number, handler);
  return raise(number);
}

int on_a_thread(void *(*start)(int *), int value) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, (void *(*)(void *))start, &value) != 0) return -1;
  return pthread_join(thread, NULL);
}

int called_and_failed(function f) {
  errno = EDOM;
  f(1);
  return -1;
}

int fails_with(int number) {
  errno = number;
  return -1;
}

const char *odd_text(void) { return "a\"\\\n\x01\xff\xc3\xa9"; }

const char *no_text(void) { return (const char *)16; }

__int128 wide(__int128 a, unsigned __int128 b) { return a - (__int128)b; }

int is_aligned(const void *memory, int alignment) {
  return (uintptr_t)memory % (uintptr_t)alignment == 0;
}

int renamed(int a) { return a + 1; }

void crash(void) { *(volatile int *)NULL = 1; }

static char *text_at_exit;

static void check_text(void) {
  if (strcmp(text_at_exit, "kept") != 0) _Exit(9);
}

long kept(char **where, char *text) {
  text_at_exit = text;
  *where = text;
  return atexit(check_text);
}

int a_variable = 1;
__thread int of_each_thread = 1;

int rows(int (*m)[3], int count) {
  int sum = 0;
  for (int row = 0; row < count; row++)
    for (int column = 0; column < 3; column++) sum = sum * 10 + m[row][column];
  return sum;
}

int letters(char names[][8], int count) {
  int sum = 0;
  for (int row = 0; row < count; row++) sum = sum * 10 + (int)strlen(names[row]);
  return sum;
}

_Float16 same_half(_Float16 half) { return half; }
