struct s f(struct s);

int 
