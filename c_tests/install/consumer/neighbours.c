/* The static library in one program with another libffi and another library in Rust, both of which
 * have symbols of the same names as what is inside of farcall. */
#include <farcall.h>
#include <ffi.h>
#include <math.h>
#include <stdio.h>

int neighbour_in_rust(int value);

int main(void) {
  ffi_type *parameters[] = {&ffi_type_double, &ffi_type_double};
  double base = 2, exponent = 10, result = 0;
  void *args[] = {&base, &exponent};
  ffi_cif cif;
  if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, 2, &ffi_type_double, parameters) != FFI_OK)
    return 1;
  ffi_call(&cif, FFI_FN(pow), &result, args);
  printf("%g libffi\n", result);

  fc_function_options options = {sizeof options, FC_FORCE_FALLBACK};
  fc_signature *signature = NULL;
  fc_function *function = NULL;
  if (fc_signature_parse(NULL, "double pow(double, double)", &signature) != FC_OK ||
      fc_function_new(signature, FC_AS_ADDRESS(pow), &options, &function) != FC_OK)
    return 1;
  result = 0;
  fc_invoke(function, &result, args);
  printf("%g farcall\n", result);
  printf("%d Rust\n", neighbour_in_rust(-1));

  fc_function_free(function);
  fc_signature_free(signature);
  return 0;
}
