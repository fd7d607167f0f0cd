#define X 3
int x;