/* A function whose version a map names. */
int farcall_aging_value(void);
int farcall_aging_value(void) { return 1; }
