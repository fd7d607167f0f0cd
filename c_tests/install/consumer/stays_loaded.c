/* A library that is loaded stays loaded: what was got from it may be called after dlclose. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const char *(*version)(void) = __extension__(const char *(*)(void)) dlsym(library, "fc_version");
  if (version == NULL || dlclose(library) != 0)
    return 1;
  if (dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) == NULL) {
    fprintf(stderr, "%s was unloaded\n", argv[1]);
    return 1;
  }
  puts(version());
  return 0;
}
