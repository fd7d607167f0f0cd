/* A program outside of farcall's tree: a call by a stub, and one through libffi, which is inside of
 * the library. */
#include <farcall.h>
#include <stdio.h>

static int call(uint32_t flags) {
  fc_library *library = NULL;
  fc_function *function = NULL;
  fc_function_options options = {sizeof options, flags};
  double base = 2, exponent = 10, result;
  void *args[] = {&base, &exponent};
  if (fc_library_open("m", NULL, &library) != FC_OK ||
      fc_bind(library, NULL, "double pow(double, double)", &options, &function) != FC_OK) {
    fprintf(stderr, "%s\n", fc_error_message());
    return 1;
  }
  fc_invoke(function, &result, args);
  printf("%g %.6s\n", result, fc_function_path(function));
  fc_function_free(function);
  fc_library_free(library);
  return 0;
}

int main(void) {
  fc_function *missing = NULL;
  if (call(0) != 0 || call(FC_FORCE_FALLBACK) != 0)
    return 1;
  printf("%s\n", fc_status_name(fc_bind(NULL, NULL, "int f(void)", NULL, &missing)));
  return 0;
}
