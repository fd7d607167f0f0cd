
#pragma pack(push, 1)
 union t091 { char a[3]; int b; }; 
#pragma pack(pop)


#pragma pack(push, 4)
 
#pragma pack(push, 1)
 struct t092i { char x; long y; }; 
#pragma pack(pop)
 struct t092 { char a; struct t092i b; long c; }; 
#pragma pack(pop)

struct t093 { char a; int b; } __attribute__((aligned(16)));
struct t094 { char a; int b; } __attribute__((aligned));
struct t095 { char a; int b __attribute__((aligned(16))); char c; };
struct t096 { char a; _Alignas(8) char b; _Alignas(double) char c; };
struct t097 { char a; __attribute__((aligned(8))) char b, c; };
struct t098 { char a; char b __attribute__((aligned(8))), c; };
typedef int t099t __attribute__((aligned(16))); struct t099 { char a; t099t b; char c; };
typedef int t100t __attribute__((aligned(16)));
