# 1 "<built-in>"
# 7 "dir/a.h"


int f(size_tt);
# 9 "b.h"