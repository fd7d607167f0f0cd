// Opens libraries that this program was not linked with, and calls their functions, from C++11.
//
//   c++ quickstart.cpp $(pkg-config --cflags --libs farcall) -o quickstart
#include <farcall.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <stdexcept>

namespace {

void check(fc_status status) {
  if (status != FC_OK)
    throw std::runtime_error(fc_error_message());
}

struct Free {
  void operator()(fc_library *library) const { fc_library_free(library); }
  void operator()(fc_decls *decls) const { fc_decls_free(decls); }
  void operator()(fc_function *function) const { fc_function_free(function); }
};
template <typename Handle> using Owned = std::unique_ptr<Handle, Free>;

// Declarations, as C text.
class Decls {
public:
  explicit Decls(const char *source) {
    fc_decls *decls;
    check(fc_decls_new(&decls));
    handle.reset(decls);
    check(fc_decls_add(decls, source));
  }
  const fc_decls *get() const { return handle.get(); }

private:
  Owned<fc_decls> handle;
};

// A C function as a callable object: Function<double(double, double)>.
template <typename Signature> class Function;
template <typename Result, typename... Args> class Function<Result(Args...)> {
public:
  explicit Function(fc_function *function) : handle(function) {}
  Result operator()(Args... args) const {
    Result result;
    void *pointers[] = {&args..., nullptr};
    fc_invoke(handle.get(), &result, pointers);
    return result;
  }

private:
  Owned<fc_function> handle;
};

class Library {
public:
  explicit Library(const char *name) {
    fc_library *library;
    check(fc_library_open(name, nullptr, &library));
    handle.reset(library);
  }
  // The prototype is for farcall and the Signature for the compiler: they say the same.
  template <typename Signature>
  Function<Signature> bind(const char *prototype, const fc_decls *decls = nullptr) const {
    fc_function *function;
    check(fc_bind(handle.get(), decls, prototype, nullptr, &function));
    return Function<Signature>(function);
  }

private:
  Owned<fc_library> handle;
};

void run() {
  Library m("m"), c("c"), sqlite3("sqlite3");

  auto pow = m.bind<double(double, double)>("double pow(double, double)");
  for (double exponent : {10, 1, 2, 3})
    std::cout << "pow(2, " << exponent << ") = " << pow(2, exponent) << '\n';

  Decls decls("typedef struct { int quot, rem; } div_t; div_t div(int, int);");
  auto div = c.bind<div_t(int, int)>("div", decls.get());
  div_t quotient = div(17, 5);
  std::cout << "17 = " << quotient.quot << " * 5 + " << quotient.rem << '\n';

  auto strlen = c.bind<size_t(const char *)>("size_t strlen(const char *)");
  std::cout << "strlen(\"farcall\") = " << strlen("farcall") << '\n';

  auto version = sqlite3.bind<const char *()>("const char *sqlite3_libversion(void)");
  std::cout << "sqlite3 " << version() << '\n';

  try {
    m.bind<double(double, double)>("double power(double, double)");
  } catch (const std::runtime_error &error) {
    std::cout << "error: " << error.what() << '\n';
  }
}

} // namespace

int main() {
  try {
    run();
  } catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
