/* What the tests of the program call. It needs no preprocessor. */
struct point {
  double x, y;
};

struct line {
  struct point from, to;
  char name[8];
};

enum color { RED, GREEN = 5, BLUE };

typedef enum { SMALL = -1, LARGE = 1 } size;

struct flags {
  unsigned mode : 3;
  int level : 5;
  unsigned : 2;
  _Bool on : 1;
  enum color color : 4;
};

union number {
  int i;
  float f;
  unsigned char bytes[4];
};

struct tagged {
  int kind;
  union {
    long whole;
    double real;
  };
  struct {
    short a, b;
  } pair[2];
};

struct text {
  const char *words;
  int length;
};

struct node {
  struct node *next;
  int value;
};

struct opaque;

typedef float float4 __attribute__((vector_size(16)));

double length(struct point p);
struct point twice(struct point p);
struct line reversed(struct line l);
double reach(const struct line *line);
enum color next_color(enum color c);
size other_size(size s);
struct flags same_flags(struct flags f);
union number same_number(union number n);
struct tagged same_tagged(struct tagged t);
struct text measured(struct text t);
float4 doubled(float4 v);
char last(const char *text);
signed char narrow(signed char c);
unsigned char wrap(unsigned char c);
_Bool negated(_Bool b);
long sum(const int *values, int count);
double total(const struct point *points, int count);
int words(const char *const *list);
void move_by(struct point *p, double dx, double dy);
int squares(int *out, int count);
void upper(char *text);
int nodes(const struct node *first);
int fill(void *memory, int count, int byte);
int open_it(struct opaque *it);
void (*handler(int which))(void);
int apply(int (*function)(int), int value);
typedef int function(int);
typedef int (*pointer)(int);
struct operations {
  const char *name;
  pointer run;
  function *list[3];
};
int apply_both(pointer *list, int value);
int dispatch(const struct operations *operations, int value);
void sort_points(struct point *points, int count, int (*order)(const struct point *, const struct point *));
int compared(int (*order)(const char *, const char *), const char *a, const char *b);
void visit(void (*visitor)(int, const char *, double, const struct point *));
void talk(void (*listener)(const char *));
struct point point_of(struct point (*make)(int));
int raised(int signal, void (*handler)(int));
int on_a_thread(void *(*start)(int *), int value);
int called_and_failed(function f);
int fails_with(int number);
const char *odd_text(void);
const char *no_text(void);
__int128 wide(__int128 a, unsigned __int128 b);
int is_aligned(const void *memory, int alignment);
int renamed(int a) __asm__("actual_name");
void crash(void);
long kept(char **where, char *text);
int rows(int m[2][3], int count);
int letters(char names[2][8], int count);
_Float16 same_half(_Float16 half);
