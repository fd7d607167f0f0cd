# 12 "foo.h" 3 4
int f(size_tt);