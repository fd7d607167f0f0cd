#include "library.h"
typedef struct { int : 20; } S;
int f(S s, int a);
static int right(void) { S s; return f(s, 3) == 3; }
int main(void) { return right() ? 0 : 7; }
