/* A function that the program has too. Which of the two is called is the loader's choice. */
int farcall_shadowed(void);
int farcall_shadowed(void) { return 2; }
