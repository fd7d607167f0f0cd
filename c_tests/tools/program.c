/* A program for tools to look at. It prints what they should find:
 *
 *   pid NUMBER
 *   entry ADDRESS BYTES...    where a function's entry is, and its first bytes
 *   child NUMBER              the same for a child of fork, which makes code of its own
 *   child-entry ADDRESS BYTES...
 *
 *   program             prints the above
 *   program link FILE   makes the file of names for perf a link to FILE before there is code */
#include "harness.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where a debugger stops. */
__attribute__((noinline)) int callee(int a, int b) { return a + b; }

static int other(double a, int b) { return (int)a + b; }

static fc_function *function_of(const char *prototype, void *address) {
  fc_signature *signature = NULL;
  fc_function *function = NULL;
  CHECK_STATUS(FC_OK, fc_signature_parse(NULL, prototype, &signature));
  CHECK_STATUS(FC_OK, fc_function_new(signature, address, NULL, &function));
  fc_signature_free(signature);
  return function;
}

static void print_entry(const char *title, fc_entry entry) {
  const unsigned char *bytes = (const unsigned char *)FC_AS_ADDRESS(entry);
  printf("%s %" PRIxPTR, title, (uintptr_t)bytes);
  for (int i = 0; i < 16; i++)
    printf(" %02x", bytes[i]);
  printf("\n");
  fflush(stdout);
}

__attribute__((noinline)) static int caller_of_stub(const fc_function *function, void **args) {
  int result = 0;
  fc_invoke(function, &result, args);
  return result + 1;
}

__attribute__((noinline)) static int caller_of_entry(fc_entry entry, void **args) {
  int result = 0;
  entry(&result, args);
  return result + 1;
}

int main(int argc, char **argv) {
  printf("pid %d\n", (int)getpid());
  fflush(stdout);
  if (argc == 3) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    CHECK_INT(0, symlink(argv[2], path));
  }
  fc_function *freed = function_of("int freed(int, int)", FC_AS_ADDRESS(callee));
  CHECK(fc_function_entry(freed) != NULL);
  fc_function_free(freed);
  fc_function *function = function_of("int callee(int, int)", FC_AS_ADDRESS(callee));
  const fc_entry entry = fc_function_entry(function);
  int a = 40, b = 2;
  void *args[] = {&a, &b};
  CHECK_INT(43, caller_of_stub(function, args));
  CHECK_INT(43, caller_of_entry(entry, args));
  print_entry("entry", entry);
  const pid_t child = fork();
  if (child == 0) {
    printf("child %d\n", (int)getpid());
    fc_function *second = function_of("int other(double, int)", FC_AS_ADDRESS(other));
    print_entry("child-entry", fc_function_entry(second));
    fc_function_free(second);
    _exit(0);
  }
  int status = -1;
  CHECK_INT(child, waitpid(child, &status, 0));
  CHECK_INT(0, status);
  fc_function_free(function);
  return harness_end();
}
