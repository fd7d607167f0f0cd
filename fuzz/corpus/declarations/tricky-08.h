enum __attribute__((packed)) t081e { t081A = 1000 }; struct t081 { char a; enum t081e b; };
_Pragma("pack(1)") struct t082 { char a; int b; double c; }; _Pragma("pack()")
_Pragma("pack(push, 2)") struct t083 { char a; int b; double c; }; _Pragma("pack(pop)")
_Pragma("pack(push, 4)") struct t084 { char a; double b; _Alignas(8) char c; }; _Pragma("pack(pop)")
_Pragma("pack(push, 1)") struct t085i { char x; int y; }; _Pragma("pack(pop)") struct t085 { char a; struct t085i b; };
_Pragma("pack(push)") _Pragma("pack(1)") struct t086i { char x; int y; }; _Pragma("pack(pop)") struct t086 { char a; int b; };
_Pragma("pack(push, 1)") struct t087 { int a : 5; int b : 30; short c; }; _Pragma("pack(pop)")
_Pragma("pack(push, 2)") struct t088 { char a : 5; long b : 30; short c; }; _Pragma("pack(pop)")
_Pragma("pack(push, 1)") struct t089 { char a; long b; } __attribute__((aligned(8))); _Pragma("pack(pop)")
_Pragma("pack(push, 16)") struct t090 { char a; long double b; }; _Pragma("pack(pop)")
