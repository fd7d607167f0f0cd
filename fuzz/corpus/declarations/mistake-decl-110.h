#define foo bar
int foo(void);