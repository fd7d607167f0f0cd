;;; struct t211 { ; char x;; int a; ; }; ;
__extension__ struct t212 { __extension__ char x; __extension__ long long a; };
struct t213 { bool a; size_t b; }; static_assert(sizeof(bool) == 1, "");
struct t214 { int8_t a; uint_fast16_t b; wchar_t c; ptrdiff_t d; };
struct t215 { char a; va_list b; char c; };
