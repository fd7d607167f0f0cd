#ifdef X
int x;
#endif