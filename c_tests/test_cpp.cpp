// The API from C++: classes that free handles, references, lambdas and overloads as callees.
#include "paths.h"

#include <memory>
#include <string>
#include <vector>

namespace {

template <typename T, void (*release)(T *)> struct Release {
  void operator()(T *handle) const { release(handle); }
};
using Library = std::unique_ptr<fc_library, Release<fc_library, fc_library_free>>;
using Function = std::unique_ptr<fc_function, Release<fc_function, fc_function_free>>;
using Signature = std::unique_ptr<fc_signature, Release<fc_signature, fc_signature_free>>;
using Decls = std::unique_ptr<fc_decls, Release<fc_decls, fc_decls_free>>;
using Type = std::unique_ptr<fc_type, Release<fc_type, fc_type_free>>;

Decls decls_of(const char *source) {
  fc_decls *out = nullptr;
  CHECK_STATUS(FC_OK, fc_decls_new(&out));
  CHECK_STATUS(FC_OK, fc_decls_add(out, source));
  return Decls(out);
}

void a_call_in_cpp() {
  fc_library *library = nullptr;
  CHECK_STATUS(FC_OK, fc_library_open("m", nullptr, &library));
  Library owned(library);
  double x = 2, y = 10, expected = 1024;
  void *args[] = {&x, &y};
  CHECK_CALL(library, "double pow(double, double)", args, &expected);
}

// A reference is a pointer, and a method takes its object first.
struct Counter {
  int count;
  int add(const int &by) { return count += by; }
};

int add_to(Counter &counter, const int &by) {
  Counter copy = counter;
  return copy.add(by);
}

void references_are_pointers() {
  Counter counter = {40};
  int by = 2, expected = 42;
  Counter *counter_at = &counter;
  int *by_at = &by;
  void *args[] = {&counter_at, &by_at};
  CHECK_CALL_AT(add_to, nullptr, "int f(void *, const int *)", args, &expected);
}

void a_lambda_is_a_function() {
  int (*square)(int) = [](int x) { return x * x; };
  int x = 12, expected = 144;
  void *args[] = {&x};
  CHECK_CALL_AT(square, nullptr, "int f(int)", args, &expected);
}

void symbols_of_cpp_libraries() {
  fc_library *program = nullptr;
  void *address = nullptr;
  CHECK_STATUS(FC_OK, fc_library_open(nullptr, nullptr, &program));
  Library owned(program);
  CHECK_STATUS(FC_OK, fc_library_symbol(program, "_Znwm", &address));
  CHECK(address != nullptr);
}

struct Point {
  double x, y;
};
Point mirrored(Point p) { return Point{-p.x, -p.y}; }

void structs() {
  Decls decls = decls_of("struct Point { double x, y; };");
  Point p = {1, 2}, expected = {-1, -2};
  void *args[] = {&p};
  CHECK_CALL_AT(mirrored, decls.get(), "struct Point f(struct Point)", args, &expected);
}

void names_are_strings() {
  Decls decls = decls_of("typedef struct { int n; char text[12]; } record;");
  fc_type *out = nullptr;
  CHECK_STATUS(FC_OK, fc_decls_type(decls.get(), "record", &out));
  Type type(out);
  std::vector<std::string> names;
  for (size_t i = 0; i < fc_type_field_count(out); i++) {
    fc_field field;
    CHECK_STATUS(FC_OK, fc_type_field(out, i, &field, nullptr, nullptr));
    names.push_back(field.name);
  }
  CHECK_SIZE(2, names.size());
  CHECK_STRING("n", names.front().c_str());
  CHECK_STRING("text", names.back().c_str());
}

void options_start_as_zeros() {
  fc_function_options options = {};
  options.size = sizeof options;
  options.flags = possible_flags(FC_CAPTURE_ERRNO | FC_REQUIRE_STUB);
  fc_signature *signature = nullptr;
  CHECK_STATUS(FC_OK, fc_signature_parse(nullptr, "int(int)", &signature));
  Signature owned(signature);
  fc_function *function = nullptr;
  int (*twice)(int) = [](int x) { return 2 * x; };
  CHECK_STATUS(FC_OK, fc_function_new(signature, ADDRESS_OF(twice), &options, &function));
  Function owned_function(function);
  CHECK_STRING(usual_path(), fc_function_path(function));
}

} // namespace

int main() {
  RUN(a_call_in_cpp);
  RUN(references_are_pointers);
  RUN(a_lambda_is_a_function);
  RUN(symbols_of_cpp_libraries);
  RUN(structs);
  RUN(names_are_strings);
  RUN(options_start_as_zeros);
  return harness_end();
}
