#define API extern
API int f(void);