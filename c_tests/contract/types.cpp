// C++ can also print types, so that it sees a field, a parameter or an enum whose size is right
// and whose type is not.
#include "layout.h"

#include <string.h>
#include <type_traits>

template <typename T> static void print_type(const char *name) {
  // "... [with T = int]" with gcc, "... [T = int]" with clang.
  printf("%s is %s\n", name, strstr(__PRETTY_FUNCTION__, "T = "));
}

#define ENUM(name)                                                                                 \
  print_type<name>(#name);                                                                         \
  print_type<std::underlying_type<name>::type>("  whose numbers");                                 \
  printf("%s %s an enum\n", #name, std::is_enum<name>::value ? "is" : "is not");
#define ENUMERATOR(name) print_type<decltype(name)>(#name);
#define CONSTANT(name) print_type<decltype(name)>(#name);
#define RECORD(name)                                                                               \
  print_type<name>(#name);                                                                         \
  printf("%s %s a union\n", #name, std::is_union<name>::value ? "is" : "is not");
#define FIELD(record, name) print_type<decltype(record::name)>(#record "." #name);
#define OPAQUE(name) print_type<name *>(#name);
#define POINTER(name) print_type<name>(#name);
#define FUNCTION(name) print_type<decltype(&name)>(#name);

static void print_types() {
#include "items.inc"
}

int main() {
  print_layout();
  print_types();
  return 0;
}
