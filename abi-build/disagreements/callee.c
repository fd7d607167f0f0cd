#include "library.h"
typedef struct { long a; __int128 b : 6; } __attribute__((packed)) S;
int f(long a, S s) { return s.a; }
