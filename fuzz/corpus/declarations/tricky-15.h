typedef int t151a[3]; typedef t151a t151t[2];
typedef short t152r[3]; struct t152 { char a; const t152r b; };
typedef struct t153 *t153t, **t153u, t153v; struct t153 { int x; };
typedef struct t154 *t154t, **t154u, t154v; struct t154 { t154t x[2]; };
typedef long t155T; struct t155 { char int_; t155T T; };
struct t156 { struct t156 *s; union t156u *t; };
extern int t157x __asm__("x_v2") __attribute__((weak));
static inline struct t158 { char a[7]; } *t158f(void) { struct t158 x = { "}" }; return (void)x, (struct t158 *)0; /* } */ }
struct t159 { void *(*f)(void *restrict, const struct t159 *, union { int a; } *); };
struct t160 { int (*f)(int n, int a[n], int b[static 3], int (*c)[*], char d[const]); };
