#define N 3
#undef N
int x[N];