#define
int x;