/* Children of this process that the system forbids a call, as containers and sandboxes do. */
#ifndef RESTRICT_H
#define RESTRICT_H

#include "harness.h"
#include "pace.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* valgrind makes system calls of its own, and an emulator gives no filter of them to what it runs.
 */
static inline bool can_forbid_calls(void) { return !under_valgrind() && !emulated(); }

/* From now on these system calls fail with this error number. */
static inline bool forbid(const long *calls, size_t count, int error) {
  struct sock_filter filter[32];
  size_t length = 0;
  filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                                  (uint32_t)offsetof(struct seccomp_data, nr));
  for (size_t i = 0; i < count; i++) {
    filter[length++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i], 0, 1);
    filter[length++] =
        (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error);
  }
  filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {(unsigned short)length, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* From now on this system call fails where this flag is in this argument. */
static inline bool forbid_flag(long call, unsigned argument, uint32_t flag, int error) {
  const uint32_t number = (uint32_t)offsetof(struct seccomp_data, nr);
  const uint32_t value = (uint32_t)(offsetof(struct seccomp_data, args) + 8 * argument);
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, value),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flag, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {(unsigned short)(sizeof filter / sizeof *filter), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* What systemd's MemoryDenyWriteExecute= forbids: memory that is writable and executable, and to
 * make memory executable later. */
static inline bool forbid_write_then_execute(void) {
#define RETURN(action) ((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action))
#define LOAD(field)                                                                                \
  ((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,                                          \
                                (uint32_t)offsetof(struct seccomp_data, field)))
#define SKIP_IF(test, value, if_so, if_not)                                                        \
  ((struct sock_filter)BPF_JUMP(BPF_JMP | (test) | BPF_K, (uint32_t)(value), if_so, if_not))
  enum { WRITE = 2, EXECUTE = 4, ATTACH_EXECUTE = 0100000 };
  struct sock_filter filter[] = {
      LOAD(nr),
      SKIP_IF(BPF_JEQ, SYS_mmap, 3, 0),
      SKIP_IF(BPF_JEQ, SYS_shmat, 6, 0),
      SKIP_IF(BPF_JEQ, SYS_mprotect, 7, 0),
      SKIP_IF(BPF_JEQ, SYS_pkey_mprotect, 6, 8),
      LOAD(args[2]),
      (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, WRITE | EXECUTE),
      SKIP_IF(BPF_JEQ, WRITE | EXECUTE, 6, 5),
      RETURN(SECCOMP_RET_ALLOW),
      LOAD(args[2]),
      SKIP_IF(BPF_JSET, ATTACH_EXECUTE, 3, 2),
      LOAD(args[2]),
      SKIP_IF(BPF_JSET, EXECUTE, 1, 0),
      RETURN(SECCOMP_RET_ALLOW),
      RETURN(SECCOMP_RET_ERRNO | EPERM),
  };
#undef RETURN
#undef LOAD
#undef SKIP_IF
  struct sock_fprog program = {(unsigned short)(sizeof filter / sizeof *filter), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Runs a test in a child, whose failures become one of the parent's. */
static inline void in_child(void (*test)(void)) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    const int before = harness.failures;
    test();
    fflush(stdout);
    _exit(harness.failures == before ? 0 : 1);
  }
  int status = -1;
  CHECK_INT(child, waitpid(child, &status, 0));
  CHECK(WIFEXITED(status));
  CHECK_INT(0, WEXITSTATUS(status));
}

/* RUN, in a child. */
static inline void run_in_child(void (*test)(void), const char *name) {
  const int before = harness.failures;
  in_child(test);
  const bool failed = harness.failures != before;
  harness.tests++;
  harness.failed_tests += failed;
  printf("%s %s\n", failed ? "FAILED" : "ok    ", name);
  fflush(stdout);
}

#define RUN_IN_CHILD(test) run_in_child(test, #test)

#endif
