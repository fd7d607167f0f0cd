#if X
int x;
#endif