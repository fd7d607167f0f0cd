/* What fc_signature_explain says on x86-64, for test_explain.c. */
#ifndef EXPLAIN_X86_64_H
#define EXPLAIN_X86_64_H

#define OTHER_CONVENTION FC_ABI_AAPCS64
#define OTHER_CONVENTION_PROTOTYPE "int (int)"
#define OTHER_CONVENTION_NAME "aapcs64"

static const char text_of_pow[] = "double pow(double, double)\n"
                                  "  parameter 1  double  xmm0\n"
                                  "  parameter 2  double  xmm1\n"
                                  "  result       double  xmm0\n"
                                  "  stack        0 bytes, aligned to 16\n"
                                  "  path         stub\n";

static const char text_of_narrow_integers[] =
    "short f(signed char, unsigned short, _Bool, unsigned int, long, const char *, int, long, "
    "char, int)\n"
    "  parameter 1   signed char     rdi, sign-extended to 32 bits\n"
    "  parameter 2   unsigned short  rsi, zero-extended to 32 bits\n"
    "  parameter 3   _Bool           rdx, zero-extended to 32 bits\n"
    "  parameter 4   unsigned int    rcx\n"
    "  parameter 5   long            r8\n"
    "  parameter 6   const char *    r9\n"
    "  parameter 7   int             stack bytes 0-3\n"
    "  parameter 8   long            stack bytes 8-15\n"
    "  parameter 9   char            stack bytes 16-16, sign-extended to 32 bits\n"
    "  parameter 10  int             stack bytes 24-27\n"
    "  result        short           rax\n"
    "  stack         32 bytes, aligned to 16\n"
    "  path          stub\n";

static const char text_of_wide_scalars[] =
    "long double _Complex f(double _Complex, __int128, long double, _Float128)\n"
    "  parameter 1  double _Complex       bytes 0-7 in xmm0, bytes 8-15 in xmm1\n"
    "  parameter 2  __int128              bytes 0-7 in rdi, bytes 8-15 in rsi\n"
    "  parameter 3  long double           stack bytes 0-15\n"
    "  parameter 4  _Float128             xmm2\n"
    "  result       long double _Complex  bytes 0-9 in st(0), bytes 16-25 in st(1)\n"
    "  stack        16 bytes, aligned to 16\n"
    "  path         stub\n";

static const char text_of_structs[] =
    "struct big f(struct point, struct mixed, struct empty, int, struct wide)\n"
    "  parameter 1  struct point (12 bytes)  bytes 0-7 in xmm0, bytes 8-11 in xmm1\n"
    "  parameter 2  struct mixed (16 bytes)  bytes 0-7 in xmm2, bytes 8-15 in rsi\n"
    "  parameter 3  struct empty (0 bytes)   nothing\n"
    "  parameter 4  int                      rdx\n"
    "  parameter 5  struct wide (32 bytes)   stack bytes 0-31\n"
    "  result       struct big (40 bytes)    memory, its address in rdi, given back in rax\n"
    "  stack        32 bytes, aligned to 32\n"
    "  path         stub\n";

static const char text_of_ten_parameters[] =
    "void f(long, long, long, long, long, long, long, float, long, float)\n"
    "  parameter 1   long   rdi\n"
    "  parameter 2   long   rsi\n"
    "  parameter 3   long   rdx\n"
    "  parameter 4   long   rcx\n"
    "  parameter 5   long   r8\n"
    "  parameter 6   long   r9\n"
    "  parameter 7   long   stack bytes 0-7\n"
    "  parameter 8   float  xmm0\n"
    "  parameter 9   long   stack bytes 8-15\n"
    "  parameter 10  float  xmm1\n"
    "  result        void   nothing\n"
    "  stack         16 bytes, aligned to 16\n"
    "  path          stub\n";

static const char text_of_printf[] = "int printf(const char *, ...)\n"
                                     "  parameter 1       const char *  rdi\n"
                                     "  extra argument 2  double        xmm0\n"
                                     "  extra argument 3  int           rsi\n"
                                     "  result            int           rax\n"
                                     "  stack             0 bytes, aligned to 16\n"
                                     "  variadic          al = 1 vector registers\n"
                                     "  path              stub\n";

#endif
