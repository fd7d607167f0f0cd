int f(int);
int f;