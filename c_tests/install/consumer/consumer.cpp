// As consumer.c, in C++.
#include <farcall.h>

#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

void check(fc_status status) {
  if (status != FC_OK)
    throw std::runtime_error(fc_error_message());
}

void call(uint32_t flags) {
  fc_library *library;
  check(fc_library_open("m", nullptr, &library));
  std::unique_ptr<fc_library, void (*)(fc_library *)> m(library, fc_library_free);

  fc_function_options options = {sizeof options, flags};
  fc_function *function;
  check(fc_bind(library, nullptr, "double pow(double, double)", &options, &function));
  std::unique_ptr<fc_function, void (*)(fc_function *)> pow(function, fc_function_free);

  double base = 2, exponent = 10, result;
  void *args[] = {&base, &exponent};
  fc_invoke(function, &result, args);
  std::cout << result << ' ' << std::string(fc_function_path(function)).substr(0, 6) << '\n';
}

} // namespace

int main() {
  try {
    call(0);
    call(FC_FORCE_FALLBACK);
  } catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  fc_function *missing;
  std::cout << fc_status_name(fc_bind(nullptr, nullptr, "int f(void)", nullptr, &missing)) << '\n';
}
