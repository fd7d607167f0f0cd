#pragma pack(3)
int x;