/* Opens libraries that this program was not linked with, and calls their functions.
 *
 *   cc quickstart.c $(pkg-config --cflags --libs farcall) -o quickstart
 */
#include <farcall.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program if a function of farcall has failed. */
static void check(fc_status status) {
  if (status == FC_OK)
    return;
  fprintf(stderr, "%s: %s\n", fc_status_name(status), fc_error_message());
  exit(1);
}

int main(void) {
  /* Numbers: an array points to the arguments. */
  fc_library *m;
  fc_function *pow;
  check(fc_library_open("m", NULL, &m));
  check(fc_bind(m, NULL, "double pow(double, double)", NULL, &pow));

  double base = 2, exponent = 10, power;
  void *numbers[] = {&base, &exponent};
  fc_invoke(pow, &power, numbers);
  printf("pow(2, 10) = %g\n", power);

  /* A function's own code, for calls that are made often; NULL if the system forbids new code. */
  fc_entry pow_entry = fc_function_entry(pow);
  for (exponent = 1; pow_entry != NULL && exponent <= 3; exponent++) {
    pow_entry(&power, numbers);
    printf("pow(2, %g) = %g\n", exponent, power);
  }

  /* Structs by value: their declarations are C text, as gcc -E writes it. */
  fc_library *c;
  fc_decls *decls;
  fc_function *div;
  check(fc_library_open("c", NULL, &c));
  check(fc_decls_new(&decls));
  check(fc_decls_add(decls, "typedef struct { int quot, rem; } div_t; div_t div(int, int);"));
  check(fc_bind(c, decls, "div", NULL, &div));

  int numerator = 17, denominator = 5;
  div_t quotient;
  fc_invoke(div, &quotient, (void *[]){&numerator, &denominator});
  printf("17 = %d * 5 + %d\n", quotient.quot, quotient.rem);

  /* Strings are pointers. */
  fc_function *strlen;
  check(fc_bind(c, NULL, "size_t strlen(const char *)", NULL, &strlen));
  const char *text = "farcall";
  size_t length;
  fc_invoke(strlen, &length, (void *[]){&text});
  printf("strlen(\"%s\") = %zu\n", text, length);

  fc_library *sqlite3;
  fc_function *libversion;
  check(fc_library_open("sqlite3", NULL, &sqlite3));
  check(fc_bind(sqlite3, NULL, "const char *sqlite3_libversion(void)", NULL, &libversion));
  const char *version;
  fc_invoke(libversion, &version, NULL);
  printf("sqlite3 %s\n", version);

  /* What fails says what was wrong. */
  fc_function *missing;
  if (fc_bind(m, NULL, "double power(double, double)", NULL, &missing) != FC_OK)
    printf("error: %s\n", fc_error_message());

  /* In any order: a function keeps its library open. */
  fc_library_free(m);
  fc_library_free(c);
  fc_library_free(sqlite3);
  fc_decls_free(decls);
  fc_function_free(pow);
  fc_function_free(div);
  fc_function_free(strlen);
  fc_function_free(libversion);
  return 0;
}
