#ifdef __cplusplus
int x;