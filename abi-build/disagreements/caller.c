#include "library.h"
typedef struct { long a; __int128 b : 6; } __attribute__((packed)) S;
int f(long a, S s);
static int right(void) { S s = {3, 1}; return f(0, s) == 3; }
int main(void) { return right() ? 0 : 7; }
