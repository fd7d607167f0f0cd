int f(int a,
		size_tt n);