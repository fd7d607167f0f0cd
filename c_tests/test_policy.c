/* The policy. It holds for a whole process and for good, so that each test is a child. */
#include "folders.h"
#include "harness.h"
#include "pace.h"
#include "restrict.h"

#include <pthread.h>
#include <stdatomic.h>

typedef int (*function)(void);

/* A folder with good/lib.so, which tells that it is one, and bad/lib.so, which tells that it is
 * two. */
static char folder[PATH_MAX];

static const char *at(const char *path) { return in_folder(folder, path); }

static bool make_libraries(void) {
  if (!make_folder(folder))
    return false;
  return CHECK_INT(0, chmod(folder, 0755)) && CHECK_INT(0, mkdir(at("good"), 0755)) &&
         CHECK_INT(0, mkdir(at("bad"), 0755)) &&
         put_copy(BUILT "/libfarcall_one.so", folder, "good/lib.so") &&
         put_copy(BUILT "/libfarcall_two.so", folder, "bad/lib.so") &&
         put_copy(BUILT "/libfarcall_one.so", folder, "good/libfarcall_bare.so") &&
         put_copy(BUILT "/libfarcall_two.so", folder, "bad/libfarcall_bare.so");
}

static void opens(const char *path, int which) {
  fc_library *library = NULL;
  void *address = NULL;
  if (!CHECK_STATUS(FC_OK, fc_library_open(path, NULL, &library)))
    return;
  CHECK_STATUS(FC_OK, fc_library_symbol(library, "farcall_which", &address));
  CHECK_INT(which, FC_AS_FUNCTION(function, address)());
  fc_library_free(library);
}

static void denied(const char *path, const char *part) {
  fc_library *library = NULL;
  if (CHECK_STATUS(FC_ERR_DENIED, fc_library_open(path, NULL, &library))) {
    CHECK_MESSAGE("the policy forbids it: ");
    CHECK_MESSAGE(path);
    CHECK_MESSAGE(part);
  }
  CHECK_POINTER(NULL, library);
}

static void not_allowed(const char *path, const char *part) {
  CHECK_STATUS(FC_ERR_DENIED, fc_policy_allow(path));
  CHECK_MESSAGE(path);
  CHECK_MESSAGE(part);
}

static void bad_was_never_loaded(void) { CHECK_POINTER(NULL, getenv("FARCALL_TWO_WAS_LOADED")); }

static void folder_is_allowed(void) {
  CHECK_STATUS(FC_OK, fc_policy_allow(at("good")));
  opens(at("good/lib.so"), 1);
  opens(at("bad/../good/lib.so"), 1);
  denied(at("bad/lib.so"), "which is not allowed (allowed: ");
  CHECK_MESSAGE(at("good"));
  CHECK_MESSAGE("allow it with fc_policy_allow");
  denied(at("good/../bad/lib.so"), at("bad/lib.so"));
  denied("libz.so.1", "which is not allowed");
  bad_was_never_loaded();
  CHECK_STATUS(FC_OK, fc_policy_allow(at("bad")));
  opens(at("bad/lib.so"), 2);
  opens(at("good/lib.so"), 1);
}

static void file_is_allowed(void) {
  CHECK_STATUS(FC_OK, fc_policy_allow(at("good/lib.so")));
  CHECK_STATUS(FC_OK, fc_policy_allow(at("good/lib.so")));
  opens(at("good/lib.so"), 1);
  denied(at("good/libfarcall_bare.so"), "which is not allowed");
}

static void relative_paths_are_resolved_at_once(void) {
  CHECK_INT(0, chdir(at("good")));
  CHECK_STATUS(FC_OK, fc_policy_allow("."));
  opens("./lib.so", 1);
  CHECK_INT(0, chdir(at("bad")));
  denied("./lib.so", at("bad/lib.so"));
  opens("../good/lib.so", 1);
  bad_was_never_loaded();
}

static void links_are_resolved(void) {
  CHECK_INT(0, symlink(at("good"), at("to_good")));
  CHECK_INT(0, symlink(at("bad/lib.so"), at("good/to_bad.so")));
  CHECK_INT(0, symlink("gone.so", at("good/dangling.so")));
  CHECK_STATUS(FC_OK, fc_policy_allow(at("to_good")));
  opens(at("to_good/lib.so"), 1);
  opens(at("good/lib.so"), 1);
  denied(at("good/to_bad.so"), at("bad/lib.so"));
  /* What the link leads to afterwards is another folder. */
  CHECK_INT(0, unlink(at("to_good")));
  CHECK_INT(0, symlink(at("bad"), at("to_good")));
  denied(at("to_good/lib.so"), at("bad/lib.so"));
  bad_was_never_loaded();
  fc_library *library = NULL;
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_library_open(at("good/dangling.so"), NULL, &library));
  CHECK_MESSAGE("not there");
}

static fc_library *open_bare(const char *search, fc_status expected) {
  const char *const folders[] = {search};
  fc_open_options options = {sizeof options, 0, folders, 1};
  fc_library *library = NULL;
  CHECK_STATUS(expected, fc_library_open("farcall_bare", &options, &library));
  return library;
}

static void bare_names_are_looked_for_first(void) {
  CHECK_STATUS(FC_OK, fc_policy_allow(at("good")));
  fc_library *library = open_bare(at("good"), FC_OK);
  CHECK_STRING(at("good/libfarcall_bare.so"), fc_library_path(library));
  fc_library_free(library);
  open_bare(at("bad"), FC_ERR_DENIED);
  CHECK_MESSAGE(at("bad/libfarcall_bare.so"));
  open_bare("/no/such/folder", FC_ERR_NOT_FOUND);
  CHECK_MESSAGE("names tried: ");
  bad_was_never_loaded();
}

static void the_system_folders(void) {
  char libm[PATH_MAX];
  fc_library *library = NULL;
  CHECK_STATUS(FC_OK, fc_library_open("m", NULL, &library));
  CHECK(realpath(fc_library_path(library), libm) != NULL);
  /* It is loaded, and stays so: that does not make it allowed. */
  CHECK_STATUS(FC_OK, fc_policy_allow(at("good")));
  denied("m", libm);
  denied("libm.so.6", libm);
  denied(fc_library_path(library), libm);
  void *address = NULL;
  CHECK_STATUS(FC_OK, fc_library_symbol(library, "cos", &address));
  fc_library_free(library);
  CHECK_STATUS(FC_OK, fc_policy_allow(libm));
  library = NULL;
  CHECK_STATUS(FC_OK, fc_library_open("m", NULL, &library));
  CHECK_STATUS(FC_OK, fc_library_symbol(library, "cos", &address));
  fc_library_free(library);
}

static void the_program_is_not_asked_about(void) {
  CHECK_STATUS(FC_OK, fc_policy_seal());
  fc_library *library = NULL;
  void *address = NULL;
  CHECK_STATUS(FC_OK, fc_library_open(NULL, NULL, &library));
  CHECK_STATUS(FC_OK, fc_library_symbol(library, "malloc", &address));
  fc_library_free(library);
}

static void what_is_needed_is_not_asked_about(void) {
  put_copy(BUILT "/libfarcall_top.so", folder, "good/libfarcall_top.so");
  put_copy(BUILT "/libfarcall_middle.so", folder, "good/libfarcall_middle.so");
  CHECK_INT(0, symlink(BUILT "/libfarcall_leaf.so", at("good/libfarcall_leaf.so")));
  CHECK_STATUS(FC_OK, fc_policy_allow(at("good")));
  fc_library *library = NULL;
  void *address = NULL;
  CHECK_STATUS(FC_OK, fc_library_open(at("good/libfarcall_top.so"), NULL, &library));
  CHECK_STATUS(FC_OK, fc_library_symbol(library, "farcall_top_value", &address));
  CHECK_INT(3, FC_AS_FUNCTION(function, address)());
  fc_library_free(library);
}

static void sealing_is_for_good(void) {
  CHECK_STATUS(FC_OK, fc_policy_allow(at("good")));
  CHECK_STATUS(FC_OK, fc_policy_seal());
  CHECK_STATUS(FC_OK, fc_policy_seal());
  not_allowed(at("bad"), "the policy is sealed");
  not_allowed(at("good"), "the policy is sealed");
  denied(at("bad/lib.so"), "the policy is sealed, so that nothing more can be allowed");
  opens(at("good/lib.so"), 1);
}

static void sealing_with_nothing_allowed(void) {
  CHECK_STATUS(FC_OK, fc_policy_seal());
  denied(at("good/lib.so"), "(allowed: nothing is)");
}

static void others_can_write_it(void) {
  static const unsigned modes[] = {0775, 0757, 0777, 01777, 0020 | 0755};
  for (size_t i = 0; i < COUNT_OF(modes); i++) {
    CHECK_INT(0, chmod(at("good"), modes[i]));
    not_allowed(at("good"), "can be written by others");
    CHECK_MESSAGE(modes[i] & 01000 ? "put the library in a folder of its own" : "chmod go-w ");
  }
  not_allowed(at("good/lib.so"), "good can be written by others (mode 0775)");
  CHECK_INT(0, chmod(at("good"), 0755));
  CHECK_INT(0, chmod(at("good/lib.so"), 0664));
  not_allowed(at("good/lib.so"), "lib.so can be written by others (mode 0664)");
  denied(at("bad/lib.so"), "(allowed: nothing is)");
  CHECK_STATUS(FC_OK, fc_policy_allow(at("good")));
  denied(at("good/lib.so"), "lib.so can be written by others (mode 0664)");
  CHECK_INT(0, chmod(at("good/lib.so"), 0644));
  opens(at("good/lib.so"), 1);
  CHECK_INT(0, mkdir(at("good/inner"), 0755));
  put_copy(BUILT "/libfarcall_one.so", folder, "good/inner/lib.so");
  opens(at("good/inner/lib.so"), 1);
  CHECK_INT(0, chmod(at("good/inner"), 01777));
  denied(at("good/inner/lib.so"), "inner can be written by others (mode 1777)");
  CHECK_INT(0, chmod(folder, 0777));
  denied(at("good/lib.so"), "can be written by others (mode 0777)");
  CHECK_INT(0, chmod(folder, 01777));
  opens(at("good/lib.so"), 1);
  CHECK_INT(0, chmod(folder, 0755));
}

static void others_own_it(void) {
  if (geteuid() != 0)
    return;
  CHECK_INT(0, chown(at("good/lib.so"), 65534, 65534));
  not_allowed(at("good/lib.so"), "lib.so belongs to user 65534, who can replace it");
  CHECK_STATUS(FC_OK, fc_policy_allow(at("good")));
  denied(at("good/lib.so"), "lib.so belongs to user 65534");
  CHECK_MESSAGE("copy the library to a folder of user 0's own");
  CHECK_INT(0, chown(at("good/lib.so"), 0, 0));
  opens(at("good/lib.so"), 1);
  CHECK_INT(0, chown(folder, 65534, 65534));
  denied(at("good/lib.so"), "belongs to user 65534");
  CHECK_INT(0, chown(folder, 0, 0));
}

static void what_cannot_be_allowed(void) {
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_policy_allow(""));
  CHECK_MESSAGE("fc_policy_allow: path is empty");
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_policy_allow("/dev/null"));
  CHECK_MESSAGE("expected a file or a folder");
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_policy_allow("/no/such/folder"));
  CHECK_MESSAGE("policy: /no/such/folder: there is no ");
  CHECK_STATUS(FC_ERR_SYSTEM, fc_policy_allow(at("good/lib.so/x")));
  CHECK_MESSAGE("policy: ");
}

/* Whoever overlooks the failure is left with a policy that allows nothing. */
static const char *cannot_be_allowed;

static void one_failure(void) {
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_policy_allow(NULL));
  opens(at("good/lib.so"), 1); /* NULL has put no policy in force. */
  CHECK(fc_policy_allow(cannot_be_allowed) != FC_OK);
  denied(at("bad/lib.so"), "(allowed: nothing is)");
  CHECK_STATUS(FC_OK, fc_policy_allow(at("good")));
  opens(at("good/lib.so"), 1);
  bad_was_never_loaded();
}

static void failures_put_it_in_force(void) {
  const char *const paths[] = {"", "/dev/null", "/no/such/folder", "/tmp", at("good/lib.so/x")};
  for (size_t i = 0; i < COUNT_OF(paths); i++) {
    cannot_be_allowed = paths[i];
    in_child(one_failure);
  }
}

static void shared_folders_stay_as_they_are(void) {
  static const char *const shared[] = {"/tmp", "/var/tmp", "/dev/shm"};
  for (size_t i = 0; i < COUNT_OF(shared); i++) {
    struct stat status;
    if (stat(shared[i], &status) != 0 || (status.st_mode & S_ISVTX) == 0)
      continue;
    not_allowed(shared[i], "put the library in a folder of its own");
    CHECK(strstr(fc_error_message(), "chmod") == NULL);
  }
}

static void errors_are_those_of_other_files(void) {
  put_file(folder, "good/text.so", "text", 4);
  CHECK_INT(0, chmod(at("good/text.so"), 0644));
  CHECK_STATUS(FC_OK, fc_policy_allow(at("good")));
  fc_library *library = NULL;
  CHECK_STATUS(FC_ERR_LOAD, fc_library_open(at("good/text.so"), NULL, &library));
  CHECK_MESSAGE("this is a text file");
  CHECK_STATUS(FC_ERR_NOT_FOUND, fc_library_open(at("good/gone.so"), NULL, &library));
  CHECK_MESSAGE("no such file");
  CHECK_STATUS(FC_ERR_LOAD, fc_library_open(at("good"), NULL, &library));
  CHECK_MESSAGE("this is a folder");
  CHECK_INT(0, symlink("/dev/null", at("good/device.so")));
  CHECK_STATUS(FC_ERR_LOAD, fc_library_open(at("good/device.so"), NULL, &library));
  CHECK_MESSAGE("this is a device, a pipe or a socket");
}

/* Links that lead here and there in turn. */
static atomic_bool stop;

static void put_link(const char *target, const char *link) {
  char spare[PATH_MAX];
  if (snprintf(spare, sizeof spare, "%s.new", link) >= PATH_MAX)
    abort();
  CHECK_INT(0, symlink(target, spare));
  CHECK_INT(0, rename(spare, link));
}

static void *swap_links(void *unused) {
  char good[PATH_MAX], bad[PATH_MAX], good_file[PATH_MAX], bad_file[PATH_MAX];
  char folder_link[PATH_MAX], file_link[PATH_MAX];
  strcpy(good, at("good"));
  strcpy(bad, at("bad"));
  strcpy(good_file, at("good/lib.so"));
  strcpy(bad_file, at("bad/lib.so"));
  strcpy(folder_link, at("folder"));
  strcpy(file_link, at("file.so"));
  for (unsigned turn = 0; !atomic_load(&stop); turn++) {
    put_link(turn % 2 ? good : bad, folder_link);
    put_link(turn % 3 ? bad_file : good_file, file_link);
  }
  return unused;
}

static void race(void) {
  const int rounds = under_valgrind() ? 50 : 3000;
  CHECK_STATUS(FC_OK, fc_policy_allow(at("good")));
  put_link(at("good"), at("folder"));
  put_link(at("good/lib.so"), at("file.so"));
  char paths[3][PATH_MAX];
  strcpy(paths[0], at("folder/lib.so"));
  strcpy(paths[1], at("file.so"));
  strcpy(paths[2], at("good/../folder/lib.so"));
  pthread_t thread;
  CHECK_INT(0, pthread_create(&thread, NULL, swap_links, NULL));
  int opened = 0, refused = 0;
  for (int round = 0; round < rounds; round++) {
    fc_library *library = NULL;
    void *address = NULL;
    fc_status status = fc_library_open(paths[round % 3], NULL, &library);
    if (status != FC_OK) {
      CHECK_STATUS(FC_ERR_DENIED, status);
      refused++;
      continue;
    }
    opened++;
    CHECK_STATUS(FC_OK, fc_library_symbol(library, "farcall_which", &address));
    CHECK_INT(1, FC_AS_FUNCTION(function, address)());
    fc_library_free(library);
  }
  atomic_store(&stop, true);
  pthread_join(thread, NULL);
  bad_was_never_loaded();
  /* Both have happened, or there was no race. */
  CHECK(opened > 0);
  CHECK(refused > 0);
}

static void give_to_nobody(const char *path) { CHECK_INT(0, lchown(path, 65534, 65534)); }

static void race_of_an_ordinary_user(void) {
  if (geteuid() != 0)
    return;
  static const char *const all[] = {"", "good", "bad", "good/lib.so", "bad/lib.so"};
  for (size_t i = 0; i < COUNT_OF(all); i++)
    give_to_nobody(at(all[i]));
  if (CHECK_INT(0, setuid(65534)))
    race();
}

/* Threads that open while another thread allows and seals. */
static void *open_until_stopped(void *unused) {
  char good[PATH_MAX], bad[PATH_MAX];
  strcpy(good, at("good/lib.so"));
  strcpy(bad, at("bad/lib.so"));
  while (!atomic_load(&stop)) {
    fc_library *library = NULL;
    fc_status status = fc_library_open(good, NULL, &library);
    if (status != FC_OK)
      return unused;
    fc_library_free(library);
    library = NULL;
    status = fc_library_open(bad, NULL, &library);
    if (status == FC_OK)
      fc_library_free(library);
    else if (status != FC_ERR_DENIED)
      return unused;
  }
  return NULL;
}

static void policy_that_changes(void) {
  pthread_t threads[3];
  for (size_t i = 0; i < COUNT_OF(threads); i++)
    CHECK_INT(0, pthread_create(&threads[i], NULL, open_until_stopped, folder));
  CHECK_STATUS(FC_OK, fc_policy_allow(at("good")));
  for (unsigned i = 0; i < 100; i++) {
    char name[32];
    snprintf(name, sizeof name, "good/%u", i);
    CHECK_INT(0, mkdir(at(name), 0755));
    CHECK_STATUS(FC_OK, fc_policy_allow(at(name)));
    denied(at("bad/lib.so"), "not allowed");
  }
  CHECK_STATUS(FC_OK, fc_policy_seal());
  denied(at("bad/lib.so"), "sealed");
  atomic_store(&stop, true);
  for (size_t i = 0; i < COUNT_OF(threads); i++) {
    void *failed = NULL;
    pthread_join(threads[i], &failed);
    CHECK(failed == NULL);
  }
}

static void grandchild(void) {
  opens(at("good/lib.so"), 1);
  denied(at("bad/lib.so"), "sealed");
  not_allowed(at("bad"), "sealed");
}

static void children_inherit_it(void) {
  CHECK_STATUS(FC_OK, fc_policy_allow(at("good")));
  CHECK_STATUS(FC_OK, fc_policy_seal());
  in_child(grandchild);
}

static void in_a_child(void (*test)(void)) {
  if (!make_libraries())
    return;
  in_child(test);
  remove_folder(folder);
}

#define RUN_WITH_LIBRARIES(test)                                                                   \
  do {                                                                                             \
    child_test = test;                                                                             \
    harness_run(run_child_test, #test);                                                            \
  } while (0)

static void (*child_test)(void);

static void run_child_test(void) { in_a_child(child_test); }

int main(void) {
  umask(022);
  RUN_WITH_LIBRARIES(folder_is_allowed);
  RUN_WITH_LIBRARIES(file_is_allowed);
  RUN_WITH_LIBRARIES(relative_paths_are_resolved_at_once);
  RUN_WITH_LIBRARIES(links_are_resolved);
  RUN_WITH_LIBRARIES(bare_names_are_looked_for_first);
  RUN_WITH_LIBRARIES(the_system_folders);
  RUN_WITH_LIBRARIES(the_program_is_not_asked_about);
  RUN_WITH_LIBRARIES(what_is_needed_is_not_asked_about);
  RUN_WITH_LIBRARIES(sealing_is_for_good);
  RUN_WITH_LIBRARIES(sealing_with_nothing_allowed);
  RUN_WITH_LIBRARIES(others_can_write_it);
  RUN_WITH_LIBRARIES(others_own_it);
  RUN_WITH_LIBRARIES(what_cannot_be_allowed);
  RUN_WITH_LIBRARIES(failures_put_it_in_force);
  RUN_WITH_LIBRARIES(shared_folders_stay_as_they_are);
  RUN_WITH_LIBRARIES(errors_are_those_of_other_files);
  RUN_WITH_LIBRARIES(race);
  if (!under_valgrind())
    RUN_WITH_LIBRARIES(race_of_an_ordinary_user);
  RUN_WITH_LIBRARIES(policy_that_changes);
  RUN_WITH_LIBRARIES(children_inherit_it);
  return harness_end();
}
