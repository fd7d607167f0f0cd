#line 7 "a.h"
struct s { int a; };
# 30 "b.h"
struct s { long a; };