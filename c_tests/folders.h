/* Folders for one test, and the files in them.
 *
 *   char folder[PATH_MAX];
 *   if (!make_folder(folder))
 *     return;
 *   put_copy(BUILT "/libfarcall_one.so", folder, "libx.so");
 *   ...
 *   remove_folder(folder); */
#ifndef FOLDERS_H
#define FOLDERS_H

#include "harness.h"

#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static inline bool make_folder(char *folder) {
  strcpy(folder, "/tmp/farcall-test-XXXXXX");
  return CHECK(mkdtemp(folder) != NULL);
}

static inline int remove_one(const char *path, const struct stat *status, int kind,
                             struct FTW *place) {
  (void)status, (void)kind, (void)place;
  return remove(path);
}

static inline void remove_folder(const char *folder) {
  CHECK_INT(0, nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS));
}

/* The path of a file in a folder, in one of a few buffers that take turns. */
static inline const char *in_folder(const char *folder, const char *name) {
  static char paths[8][PATH_MAX];
  static unsigned turn;
  char *path = paths[turn++ % 8];
  if (snprintf(path, PATH_MAX, "%s/%s", folder, name) >= PATH_MAX)
    abort();
  return path;
}

static inline bool put_file(const char *folder, const char *name, const void *bytes,
                            size_t length) {
  FILE *file = fopen(in_folder(folder, name), "wb");
  if (!CHECK(file != NULL))
    return false;
  bool written = CHECK_SIZE(length, fwrite(bytes, 1, length, file));
  return CHECK_INT(0, fclose(file)) && written;
}

/* The bytes of a file, which the caller frees. */
static inline unsigned char *bytes_of(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!CHECK(file != NULL))
    return NULL;
  fseek(file, 0, SEEK_END);
  *length = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = (unsigned char *)malloc(*length);
  CHECK_SIZE(*length, fread(bytes, 1, *length, file));
  fclose(file);
  return bytes;
}

static inline bool put_copy(const char *from, const char *folder, const char *name) {
  size_t length = 0;
  unsigned char *bytes = bytes_of(from, &length);
  bool put = bytes && put_file(folder, name, bytes, length) &&
             CHECK_INT(0, chmod(in_folder(folder, name), 0755));
  free(bytes);
  return put;
}

#endif
