# 1 "<built-in>"
int f(size_tt);