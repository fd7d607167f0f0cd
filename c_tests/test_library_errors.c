/* What is said where a library or a symbol cannot be had. */
#include "folders.h"
#include "harness.h"
#include "pace.h"
#include "restrict.h"

#include <elf.h>
#include <fcntl.h>

typedef int (*function)(void);

static char folder[PATH_MAX];

#if defined(__x86_64__)
#define OWN_MACHINE "x86_64"
enum { OTHER_NUMBER = EM_AARCH64 };
#define OTHER_MACHINE "aarch64"
#else
#define OWN_MACHINE "aarch64"
enum { OTHER_NUMBER = EM_X86_64 };
#define OTHER_MACHINE "x86_64"
#endif

static void refused(fc_status status, const char *path, const char *part) {
  fc_library *library = NULL;
  if (!CHECK_STATUS(status, fc_library_open(path, NULL, &library))) {
    fc_library_free(library);
    return;
  }
  CHECK_MESSAGE(path);
  CHECK_MESSAGE(part);
  CHECK_POINTER(NULL, library);
}

static void load_fails(const char *name, const char *part) {
  refused(FC_ERR_LOAD, in_folder(folder, name), part);
}

static void file_is_refused(const char *name, const void *bytes, size_t length, const char *part) {
  if (put_file(folder, name, bytes, length))
    load_fails(name, part);
}

static Elf64_Ehdr elf_header(int type, int machine) {
  Elf64_Ehdr header;
  memset(&header, 0, sizeof header);
  memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = (Elf64_Half)type;
  header.e_machine = (Elf64_Half)machine;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof header;
  return header;
}

static void a_name_that_is_nowhere(void) {
  static const char *const search[] = {"/no/such/folder", "/tmp"};
  fc_open_options options = {sizeof options, 0, search, 2};
  fc_library *library = NULL;
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_library_open("farcall_nowhere", &options, &library));
  CHECK_MESSAGE("library farcall_nowhere: not found\n");
  CHECK_MESSAGE("names tried: farcall_nowhere, libfarcall_nowhere.so\n");
  CHECK_MESSAGE("the caller's folders: /no/such/folder (no such folder), /tmp\n");
  CHECK_MESSAGE("LD_LIBRARY_PATH: ");
  CHECK_MESSAGE("/etc/ld.so.conf: ");
  CHECK_MESSAGE("the system's folders: /lib/" OWN_MACHINE "-linux-gnu");
  CHECK_MESSAGE("apt-file search libfarcall_nowhere.so");
}

static void names_that_are_near(void) {
  refused(FC_ERR_NOT_FOUND, "libz.so.77", "libz.so.1 in /");
  refused(FC_ERR_NOT_FOUND, "z.so.1", "libz.so.1 in /");
  put_copy(BUILT "/libfarcall_one.so", folder, "libfarcall_near.so.3");
  const char *const search[] = {folder};
  fc_open_options options = {sizeof options, 0, search, 1};
  fc_library *library = NULL;
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_library_open("farcall_naer", &options, &library));
  CHECK_MESSAGE("did you mean libfarcall_near.so.3 in ");
  CHECK_MESSAGE(folder);
}

static void paths_where_nothing_is(void) {
  refused(FC_ERR_NOT_FOUND, "/no/such/folder/lib.so", "no such file: /no does not exist");
  refused(FC_ERR_NOT_FOUND, "./farcall_nowhere.so", "(looked for from /");
  put_copy(BUILT "/libfarcall_one.so", folder, "libfarcall_here.so.3");
  refused(FC_ERR_NOT_FOUND, in_folder(folder, "libfarcall_here.so"),
          "did you mean libfarcall_here.so.3, which is in the same folder?");
  CHECK_INT(0, symlink("gone.so", in_folder(folder, "dangling.so")));
  refused(FC_ERR_NOT_FOUND, in_folder(folder, "dangling.so"),
          "this is a link to gone.so, which is not there");
  put_file(folder, "file", "x", 1);
  refused(FC_ERR_NOT_FOUND, in_folder(folder, "file/lib.so"), "file is no folder");
}

static void other_machines(void) {
  Elf64_Ehdr header = elf_header(ET_DYN, OTHER_NUMBER);
  file_is_refused("libother.so", &header, sizeof header,
                  "ELF shared object for " OTHER_MACHINE ", and this process is " OWN_MACHINE);
  header = elf_header(ET_EXEC, EM_RISCV);
  file_is_refused("libother.so", &header, sizeof header, "ELF executable for riscv64");
  header = elf_header(ET_DYN, EM_386);
  header.e_ident[EI_CLASS] = ELFCLASS32;
  file_is_refused("libother.so", &header, 52, "ELF shared object for i386 (32 bits)");
}

static void files_that_are_no_libraries(void) {
  const int own = strcmp(OWN_MACHINE, "x86_64") == 0 ? EM_X86_64 : EM_AARCH64;
  Elf64_Ehdr header = elf_header(ET_REL, own);
  file_is_refused("a.o", &header, sizeof header, "relocatable object (.o)");
  header = elf_header(ET_CORE, own);
  file_is_refused("core", &header, sizeof header, "core dump");
  header = elf_header(ET_EXEC, own);
  file_is_refused("old_program", &header, sizeof header, "ELF executable, a program to run");
  put_copy("/proc/self/exe", folder, "program");
  load_fails("program", "ELF executable, a program to run");
  file_is_refused("empty.so", "", 0, "the file is empty");
  file_is_refused("liba.a", "!<arch>\n/        ", 17, "static archive (.a)");
  file_is_refused("lib.dylib", "\xcf\xfa\xed\xfe\x07\0\0\1", 8, "Mach-O");
  file_is_refused("x.dll", "MZ\x90\0", 4, "DOS or Windows");
  file_is_refused("x.so.gz", "\x1f\x8b\x08\0", 4, "compressed (gzip)");
  file_is_refused("x.sh", "#!/bin/sh\nexit\n", 15, "script for /bin/sh");
  file_is_refused("x.txt", "Hello\n", 6, "a text file, not a library; it begins with \"Hello\"");
  file_is_refused("noise", "\1\2\3\xff\xfe", 5, "begins with the bytes 01 02 03 ff fe");
  static const char script[] = "/* GNU ld script */\nGROUP ( /lib/libq.so.6 AS_NEEDED ( x.a ) )\n";
  file_is_refused("libq.so", script, sizeof script - 1, "names /lib/libq.so.6: open that");
  refused(FC_ERR_LOAD, "/tmp", "this is a folder");
  refused(FC_ERR_LOAD, "/dev/null", "this is a device");
  CHECK_INT(0, mkfifo(in_folder(folder, "pipe"), 0600));
  load_fails("pipe", "a pipe");
}

/* The loader itself would let the process die of these. */
static void files_that_are_cut_off(void) {
  size_t length = 0;
  unsigned char *bytes = bytes_of(BUILT "/libfarcall_one.so", &length);
  file_is_refused("cut.so", bytes, length / 2, "cut off: ");
  file_is_refused("cut.so", bytes, 100, "cut off: ");
  file_is_refused("cut.so", bytes, 30, "cut off: only 30 bytes");
  /* Damage in the table of segments. */
  for (size_t at = 64; at < 64 + 56 * 11; at += 8) {
    uint64_t saved, wild = 0xfffffffffffffff0;
    memcpy(&saved, bytes + at, 8);
    memcpy(bytes + at, &wild, 8);
    put_file(folder, "damaged.so", bytes, length);
    fc_library *library = NULL;
    if (at == 64 + 8 || at == 64 + 32) { /* the first segment's place and length in the file */
      CHECK_STATUS(FC_ERR_LOAD, fc_library_open(in_folder(folder, "damaged.so"), NULL, &library));
      CHECK_MESSAGE("cut off");
    }
    memcpy(bytes + at, &saved, 8);
  }
  free(bytes);
}

static void dependencies_that_are_missing(void) {
  put_copy(BUILT "/libfarcall_middle.so", folder, "libfarcall_middle.so");
  load_fails("libfarcall_middle.so", "it needs libfarcall_leaf.so, which is not found in ");
  CHECK_MESSAGE(folder);
  CHECK_MESSAGE("/lib/" OWN_MACHINE "-linux-gnu");
  CHECK_MESSAGE("LD_LIBRARY_PATH");
  put_copy(BUILT "/libfarcall_top.so", folder, "libfarcall_top.so");
  load_fails("libfarcall_top.so", "libfarcall_middle.so needs libfarcall_leaf.so");
  /* The library itself is there, though its name is all that was given. */
  const char *const search[] = {folder};
  fc_open_options options = {sizeof options, 0, search, 1};
  fc_library *library = NULL;
  CHECK_STATUS(FC_ERR_LOAD, fc_library_open("farcall_top", &options, &library));
  CHECK_MESSAGE("libfarcall_middle.so needs libfarcall_leaf.so");
  put_file(folder, "libfarcall_leaf.so", "text", 4);
  load_fails("libfarcall_top.so", "libfarcall_leaf.so: this is a text file");
  Elf64_Ehdr header = elf_header(ET_DYN, OTHER_NUMBER);
  put_file(folder, "libfarcall_leaf.so", &header, sizeof header);
  load_fails("libfarcall_top.so", "ELF shared object for " OTHER_MACHINE);
  put_copy(BUILT "/libfarcall_leaf.so", folder, "libfarcall_leaf.so");
  CHECK_STATUS(FC_OK, fc_library_open(in_folder(folder, "libfarcall_top.so"), NULL, &library));
  void *address = NULL;
  CHECK_STATUS(FC_OK, fc_library_symbol(library, "farcall_top_value", &address));
  CHECK_INT(3, FC_AS_FUNCTION(function, address)());
  fc_library_free(library);
}

static void versions_that_are_missing(void) {
  put_copy(BUILT "/libfarcall_modern.so", folder, "libfarcall_modern.so");
  put_copy(BUILT "/libfarcall_older.so", folder, "libfarcall_aging.so.1");
  load_fails("libfarcall_modern.so",
             "it needs version FARCALL_1.10 of libfarcall_aging.so.1, and ");
  CHECK_MESSAGE("does not have it (it has up to FARCALL_1.9)");
  put_copy(BUILT "/libfarcall_newer.so", folder, "libfarcall_aging.so.1");
  fc_library *library = NULL;
  CHECK_STATUS(FC_OK, fc_library_open(in_folder(folder, "libfarcall_modern.so"), NULL, &library));
  fc_library_free(library);
}

static void symbols_that_nobody_defines(void) {
  refused(FC_ERR_LOAD, BUILT "/libfarcall_undefined.so",
          "it needs the symbol farcall_provided_value, and it was linked with no library "
          "that could have it");
  CHECK_MESSAGE("FC_OPEN_GLOBAL");
  refused(
      FC_ERR_LOAD, BUILT "/libfarcall_unprovided.so",
      "it needs the symbol farcall_provided_value, and neither the program nor what it was linked "
      "with has it (libfarcall_leaf.so");
}

static void the_loader_speaks_another_language(void) {
  /* Where no translation is installed this is the same test once more. */
  setenv("LANGUAGE", "de", 1);
  symbols_that_nobody_defines();
  a_name_that_is_nowhere();
  unsetenv("LANGUAGE");
}

static void as_nobody(void) {
  if (geteuid() == 0 && !CHECK_INT(0, setuid(65534)))
    return;
  load_fails("secret.so", "permission denied: this process may not read the file (mode 0000");
  load_fails("closed/lib.so", "permission denied: this process may not search the folder ");
  CHECK_MESSAGE("closed (mode 0000");
}

static void files_that_may_not_be_read(void) {
  put_copy(BUILT "/libfarcall_one.so", folder, "secret.so");
  CHECK_INT(0, chmod(in_folder(folder, "secret.so"), 0));
  CHECK_INT(0, mkdir(in_folder(folder, "closed"), 0755));
  put_copy(BUILT "/libfarcall_one.so", folder, "closed/lib.so");
  CHECK_INT(0, chmod(in_folder(folder, "closed"), 0));
  CHECK_INT(0, chmod(folder, 0755));
  in_child(as_nobody);
  CHECK_INT(0, chmod(in_folder(folder, "closed"), 0755));
}

static void names_that_a_terminal_could_not_bear(void) {
  static char name[1000001];
  fc_library *library = NULL;
  void *address = NULL;
  memset(name, 'x', 5000);
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_library_open(name, NULL, &library));
  CHECK_MESSAGE("library xxx");
  CHECK_MESSAGE("xxx\xe2\x80\xa6xxx");
  CHECK(strlen(fc_error_message()) < 4000);
  name[0] = '/';
  CHECK(fc_library_open(name, NULL, &library) != FC_OK);
  CHECK_MESSAGE("xxx\xe2\x80\xa6xxx");
  CHECK(strlen(fc_error_message()) < 4000);
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_library_open("a\x1b[31m", NULL, &library));
  CHECK_MESSAGE("library a\\x1b[31m: ");
  CHECK(strchr(fc_error_message(), 0x1b) == NULL);
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_library_open("/a\x1b[31m/b.so", NULL, &library));
  CHECK_MESSAGE("library /a\\x1b[31m/b.so: no such file: /a\\x1b[31m does not exist");
  CHECK(strchr(fc_error_message(), 0x1b) == NULL);
  CHECK_STATUS(FC_OK, fc_library_open("libm.so.6", NULL, &library));
  memset(name, 'x', sizeof name - 1);
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_library_symbol(library, name, &address));
  CHECK_MESSAGE("symbol xxx");
  CHECK(strlen(fc_error_message()) < 4000);
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_library_symbol(library, "a\x1b[31m", &address));
  CHECK_MESSAGE("symbol a\\x1b[31m: not found");
  fc_library_free(library);
}

static void names_of_library(void) {
  fc_library *library = NULL;
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_library_open("", NULL, &library));
  CHECK_MESSAGE("library: expected a path or a name, got \"\"");
}

static fc_library *symbols_library;

static void no_symbol(const char *name, const char *part) {
  void *address = symbols_library;
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_library_symbol(symbols_library, name, &address));
  char beginning[100];
  snprintf(beginning, sizeof beginning, "symbol %s: not found in ", name);
  CHECK_MESSAGE(beginning);
  CHECK_MESSAGE("libfarcall_symbols.so");
  CHECK_MESSAGE(part);
  CHECK_POINTER(symbols_library, address);
}

static void symbols_that_are_near(void) {
  no_symbol("farcall_plian", "did you mean farcall_plain?");
  no_symbol("FARCALL_PLAIN", "did you mean farcall_plain?");
  no_symbol("strlne", "did you mean strlen"); /* of the C library, which every library needs */
  no_symbol("int farcall_plain(void)", "a symbol is a name only, not a declaration");
}

static void symbols_of_cpp(void) {
  no_symbol("farcall_add", "there is _Z11farcall_addii, a C++ function or variable: declare it "
                           "extern \"C\"");
  no_symbol("grow", "there is _ZN7farcall5Table4growEi, a C++");
}

static void symbols_that_are_kept(void) {
  no_symbol("farcall_hidden", "has it for itself only, as static or hidden");
  no_symbol("farcall_static", "has it for itself only, as static or hidden");
}

static void symbols_of_other_libraries(void) {
  fc_library *other = NULL;
  CHECK_STATUS(FC_OK, fc_library_open("libm.so.6", NULL, &other));
  no_symbol("fc_version", "libfarcall.so");
  CHECK_MESSAGE(" has it: open that library");
  fc_library_free(other);
}

static void versions_of_symbols(void) {
  void *address = NULL;
  no_symbol("farcall_versioned@FARCALL_3", "it has FARCALL_1, FARCALL_2 (the default)");
  no_symbol("farcall_versioned@@FARCALL_1",
            "its default version is FARCALL_2; farcall_versioned@FARCALL_1 asks for the other");
  CHECK_STATUS(FC_OK, fc_library_symbol(symbols_library, "farcall_versioned@FARCALL_1", &address));
  CHECK_INT(1, FC_AS_FUNCTION(function, address)());
  CHECK_STATUS(FC_OK, fc_library_symbol(symbols_library, "farcall_versioned@@FARCALL_2", &address));
  CHECK_INT(2, FC_AS_FUNCTION(function, address)());
  CHECK_STATUS(FC_OK, fc_library_symbol(symbols_library, "farcall_versioned", &address));
  CHECK_INT(2, FC_AS_FUNCTION(function, address)());
}

static void names_that_are_no_names(void) {
  static const char *const names[] = {"", "@", "@@V", "name@", "name@@"};
  void *address = NULL;
  for (size_t i = 0; i < COUNT_OF(names); i++) {
    CHECK_STATUS(FC_ERR_ARGUMENT, fc_library_symbol(symbols_library, names[i], &address));
    CHECK_MESSAGE("symbol: expected a name or name@VERSION, got ");
  }
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_library_symbol(symbols_library, "\xff", &address));
  CHECK_MESSAGE("UTF-8");
}

static void each_thread_has_its_own(void) {
  void *address = NULL;
  CHECK_STATUS(FC_OK, fc_library_symbol(symbols_library, "farcall_of_thread", &address));
  CHECK_INT(5, *(int *)address);
}

static int open_descriptors(void) {
  int count = 0;
  for (int number = 0; number < 256; number++)
    count += fcntl(number, F_GETFD) != -1;
  return count;
}

int main(void) {
  if (!make_folder(folder))
    return 1;
  const int before = open_descriptors();
  RUN(a_name_that_is_nowhere);
  RUN(names_that_are_near);
  RUN(paths_where_nothing_is);
  RUN(other_machines);
  RUN(files_that_are_no_libraries);
  RUN(files_that_are_cut_off);
  RUN(dependencies_that_are_missing);
  RUN(versions_that_are_missing);
  RUN(symbols_that_nobody_defines);
  RUN(the_loader_speaks_another_language);
  if (!under_valgrind())
    RUN(files_that_may_not_be_read);
  RUN(names_that_a_terminal_could_not_bear);
  RUN(names_of_library);
  if (CHECK_STATUS(FC_OK,
                   fc_library_open(BUILT "/libfarcall_symbols.so", NULL, &symbols_library))) {
    RUN(symbols_that_are_near);
    RUN(symbols_of_cpp);
    RUN(symbols_that_are_kept);
    RUN(symbols_of_other_libraries);
    RUN(versions_of_symbols);
    RUN(names_that_are_no_names);
    RUN(each_thread_has_its_own);
    fc_library_free(symbols_library);
  }
  CHECK_INT(before, open_descriptors());
  remove_folder(folder);
  return harness_end();
}
