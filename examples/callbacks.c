/* Makes a C function while the program runs, and hands it to one of a library that calls it back.
 *
 *   cc callbacks.c $(pkg-config --cflags --libs farcall) -o callbacks
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

/* What the handler knows besides its arguments: no global variable, no lock. */
struct order {
  int sign, calls;
};

/* The arguments are pointed to, and so is the result. An argument here is a pointer itself. */
static void compare(void *ret, void *const *args, void *user) {
  struct order *order = (struct order *)user;
  int a = **(const int **)args[0], b = **(const int **)args[1];
  *(int *)ret = order->sign * ((a > b) - (a < b));
  order->calls++;
}

static void print(const char *title, const int *numbers, size_t count) {
  printf("%s:", title);
  for (size_t i = 0; i < count; i++)
    printf(" %d", numbers[i]);
  printf("\n");
}

int main(void) {
  fc_library *c;
  fc_function *qsort;
  check(fc_library_open("c", NULL, &c));
  check(fc_bind(c, NULL,
                "void qsort(void *, size_t, size_t, int (*compare)(const void *, const void *))",
                NULL, &qsort));

  /* The prototype says which function qsort wants. */
  const fc_type *pointer = fc_signature_param(fc_function_signature(qsort), 3);
  const fc_signature *comparison = fc_type_signature(pointer);
  printf("qsort's fourth parameter: %s\n", fc_type_name(pointer));

  struct order up = {1, 0}, down = {-1, 0};
  fc_callback *ascending, *descending;
  check(fc_callback_new(comparison, compare, &up, NULL, &ascending));
  check(fc_callback_new(comparison, compare, &down, NULL, &descending));

  int numbers[] = {3, 1, 4, 1, 5, 9, 2, 6}, *base = numbers;
  size_t count = sizeof numbers / sizeof *numbers, size = sizeof *numbers;
  void *code = fc_callback_code(ascending);
  void *args[] = {&base, &count, &size, &code};
  fc_invoke(qsort, NULL, args);
  print("ascending", numbers, count);
  code = fc_callback_code(descending);
  fc_invoke(qsort, NULL, args);
  print("descending", numbers, count);
  printf("both were called: %s\n", up.calls > 0 && down.calls > 0 ? "yes" : "no");

  /* It is a function like any other. */
  int (*function)(const void *, const void *) =
      FC_AS_FUNCTION(int (*)(const void *, const void *), fc_callback_code(ascending));
  int two = 2, three = 3;
  printf("2 <=> 3: %d\n", function(&two, &three));

  fc_callback_free(ascending);
  fc_callback_free(descending);
  fc_function_free(qsort);
  fc_library_free(c);
  return 0;
}
