/* A function that adds one to what the next library's gives. */
int OWN(void);

#ifdef NEXT
int NEXT(void);
int OWN(void) { return 1 + NEXT(); }
#else
int OWN(void) { return 1; }
#endif
