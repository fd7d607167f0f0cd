/* What fc_signature_explain says on aarch64, for test_explain.c. */
#ifndef EXPLAIN_AARCH64_H
#define EXPLAIN_AARCH64_H

#define OTHER_CONVENTION FC_ABI_SYSV64
#define OTHER_CONVENTION_PROTOTYPE "int (int) __attribute__((sysv_abi))"
#define OTHER_CONVENTION_NAME "sysv64"

static const char text_of_pow[] = "double pow(double, double)\n"
                                  "  parameter 1  double  d0\n"
                                  "  parameter 2  double  d1\n"
                                  "  result       double  d0\n"
                                  "  stack        0 bytes, aligned to 16\n"
                                  "  path         stub\n";

static const char text_of_narrow_integers[] =
    "short f(signed char, unsigned short, _Bool, unsigned int, long, const char *, int, long, "
    "char, int)\n"
    "  parameter 1   signed char     w0, sign-extended to 32 bits\n"
    "  parameter 2   unsigned short  w1, zero-extended to 32 bits\n"
    "  parameter 3   _Bool           w2, zero-extended to 32 bits\n"
    "  parameter 4   unsigned int    w3\n"
    "  parameter 5   long            x4\n"
    "  parameter 6   const char *    x5\n"
    "  parameter 7   int             w6\n"
    "  parameter 8   long            x7\n"
    "  parameter 9   char            stack bytes 0-0, zero-extended to 32 bits\n"
    "  parameter 10  int             stack bytes 8-11\n"
    "  result        short           w0\n"
    "  stack         16 bytes, aligned to 16\n"
    "  path          stub\n";

static const char text_of_wide_scalars[] =
    "long double _Complex f(double _Complex, __int128, long double, _Float128)\n"
    "  parameter 1  double _Complex       bytes 0-7 in d0, bytes 8-15 in d1\n"
    "  parameter 2  __int128              bytes 0-7 in x0, bytes 8-15 in x1\n"
    "  parameter 3  long double           q2\n"
    "  parameter 4  _Float128             q3\n"
    "  result       long double _Complex  bytes 0-15 in q0, bytes 16-31 in q1\n"
    "  stack        0 bytes, aligned to 16\n"
    "  path         stub\n";

static const char text_of_structs[] =
    "struct big f(struct point, struct mixed, struct empty, int, struct wide)\n"
    "  parameter 1  struct point (12 bytes)  bytes 0-3 in s0, bytes 4-7 in s1, bytes 8-11 in s2\n"
    "  parameter 2  struct mixed (16 bytes)  bytes 0-7 in x0, bytes 8-15 in x1\n"
    "  parameter 3  struct empty (0 bytes)   nothing\n"
    "  parameter 4  int                      w2\n"
    "  parameter 5  struct wide (32 bytes)   the address of a copy, aligned to 32, in x3\n"
    "  result       struct big (40 bytes)    memory, its address in x8\n"
    "  stack        0 bytes, aligned to 16\n"
    "  path         stub\n";

static const char text_of_ten_parameters[] =
    "void f(long, long, long, long, long, long, long, float, long, float)\n"
    "  parameter 1   long   x0\n"
    "  parameter 2   long   x1\n"
    "  parameter 3   long   x2\n"
    "  parameter 4   long   x3\n"
    "  parameter 5   long   x4\n"
    "  parameter 6   long   x5\n"
    "  parameter 7   long   x6\n"
    "  parameter 8   float  s0\n"
    "  parameter 9   long   x7\n"
    "  parameter 10  float  s1\n"
    "  result        void   nothing\n"
    "  stack         0 bytes, aligned to 16\n"
    "  path          stub\n";

static const char text_of_printf[] = "int printf(const char *, ...)\n"
                                     "  parameter 1       const char *  x0\n"
                                     "  extra argument 2  double        d0\n"
                                     "  extra argument 3  int           w1\n"
                                     "  result            int           w0\n"
                                     "  stack             0 bytes, aligned to 16\n"
                                     "  path              stub\n";

#endif
