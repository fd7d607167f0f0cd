/* Calls a function of a library that this program was not linked with.
 *
 *   cc examples/pow.c -Iinclude -Ltarget/release -lfarcall -Wl,-rpath,target/release -o pow
 */
#include <farcall.h>
#include <stdio.h>

int main(void) {
  fc_library *library = NULL;
  fc_function *function = NULL;
  if (fc_library_open("m", NULL, &library) != FC_OK ||
      fc_bind(library, NULL, "double pow(double, double)", NULL, &function) != FC_OK) {
    fprintf(stderr, "%s\n", fc_error_message());
    fc_library_free(library);
    return 1;
  }

  double base = 2, exponent = 10, result;
  void *args[] = {&base, &exponent};
  fc_invoke(function, &result, args);
  printf("pow(%g, %g) = %g\n", base, exponent, result);

  /* The function's own code, for calls that are made often. */
  fc_entry pow_entry = fc_function_entry(function);
  for (exponent = 1; exponent <= 3; exponent++) {
    pow_entry(&result, args);
    printf("pow(%g, %g) = %g\n", base, exponent, result);
  }

  fc_function_free(function);
  fc_library_free(library);
  return 0;
}
