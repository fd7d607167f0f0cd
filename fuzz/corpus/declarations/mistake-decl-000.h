int f(int a;
