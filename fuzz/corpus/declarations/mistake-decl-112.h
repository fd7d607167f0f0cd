#define S "x"
int x[S];