#ifndef X
#define X
int x;