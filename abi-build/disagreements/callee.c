#include "library.h"
typedef struct { int : 20; } S;
int f(S s, int a) { return a; }
