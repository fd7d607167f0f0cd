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

#endif
