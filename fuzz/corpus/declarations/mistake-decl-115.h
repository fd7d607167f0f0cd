#ifndef X
int x;
#endif