/* A signal, SIGTRAP, before each single instruction, from start_steps to stop_steps. */
#ifndef SINGLE_STEP_H
#define SINGLE_STEP_H

#include "harness.h"

#include <signal.h>
#include <ucontext.h>

/* Whether code is to be stopped in; what it calls elsewhere runs on until it returns. */
static bool is_stepped(const void *instruction);
/* What is done before an instruction. */
static void at_step(const void *instruction);

static volatile bool stepping;

static inline void stop_steps(void) { stepping = false; }

#if defined(__x86_64__)

enum { TRAP_FLAG = 0x100 };

/* Inlined, so that its caller is where the signals begin. */
static inline void start_steps(void) {
  stepping = true;
  __asm__ volatile("pushfq\n\torl %0, (%%rsp)\n\tpopfq" ::"i"(TRAP_FLAG) : "memory", "cc");
}

static void stopped(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info;
  ucontext_t *at = (ucontext_t *)context;
  const void *instruction = (const void *)(uintptr_t)at->uc_mcontext.gregs[REG_RIP];
  if (!stepping)
    at->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
  else if (is_stepped(instruction))
    at_step(instruction);
}

#elif defined(__aarch64__)

#include <sys/mman.h>
#include <unistd.h>

/* Programs cannot ask for steps here: the instruction that comes next is a breakpoint. */
static uint32_t *breakpoint, replaced;
static const uint32_t brk_0 = 0xd4200000;

static inline void start_steps(void) {
  stepping = true;
  __asm__ volatile("brk #0" ::: "memory");
}

static void write_instruction(uint32_t *at, uint32_t instruction) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  mprotect((void *)((uintptr_t)at & ~(page - 1)), page, PROT_READ | PROT_WRITE | PROT_EXEC);
  *at = instruction;
  __builtin___clear_cache((char *)at, (char *)(at + 1));
}

static bool condition_holds(uint32_t condition, uint64_t flags) {
  const bool n = flags >> 31 & 1, z = flags >> 30 & 1, c = flags >> 29 & 1, v = flags >> 28 & 1;
  const bool holds[] = {z, c, n, v, c && !z, n == v, n == v && !z, true};
  return holds[condition >> 1] != ((condition & 1) && condition != 15);
}

/* The signed number of instructions that a branch has in some bits, in bytes. */
static int64_t distance(uint32_t instruction, int lowest, int count) {
  const int32_t top = (int32_t)(instruction << (32 - lowest - count));
  return (int64_t)(top >> (32 - count)) * 4;
}

static uint64_t after(const mcontext_t *at, uint32_t instruction) {
  const uint64_t value = (instruction & 31) == 31 ? 0 : at->regs[instruction & 31];
  const bool is_not = instruction >> 24 & 1;
  /* b, bl */
  if ((instruction & 0x7c000000) == 0x14000000)
    return at->pc + (uint64_t)distance(instruction, 0, 26);
  /* b.cond */
  if ((instruction & 0xff000000) == 0x54000000 && condition_holds(instruction & 15, at->pstate))
    return at->pc + (uint64_t)distance(instruction, 5, 19);
  /* cbz, cbnz */
  if ((instruction & 0x7e000000) == 0x34000000) {
    const bool is_zero = (instruction >> 31 ? value : (uint32_t)value) == 0;
    return at->pc + (is_zero != is_not ? (uint64_t)distance(instruction, 5, 19) : 4);
  }
  /* tbz, tbnz */
  if ((instruction & 0x7e000000) == 0x36000000) {
    const uint32_t bit = (instruction >> 26 & 32) | (instruction >> 19 & 31);
    const bool is_zero = (value >> bit & 1) == 0;
    return at->pc + (is_zero != is_not ? (uint64_t)distance(instruction, 5, 14) : 4);
  }
  /* br, blr, ret */
  if ((instruction & 0xff9ffc1f) == 0xd61f0000)
    return at->regs[instruction >> 5 & 31];
  return at->pc + 4;
}

/* Between a load and a store that are exclusive no signal may come: they are done here, as is right
 * for one thread. */
static bool run_exclusive(mcontext_t *at, uint32_t instruction) {
  const bool is_load = (instruction & 0x3fff7c00) == 0x085f7c00;
  if (!is_load && (instruction & 0x3fe07c00) != 0x08007c00)
    return false;
  const size_t size = (size_t)1 << (instruction >> 30);
  const uint32_t base = instruction >> 5 & 31, number = instruction & 31;
  void *const memory = (void *)(uintptr_t)(base == 31 ? at->sp : at->regs[base]);
  uint64_t value = number == 31 ? 0 : at->regs[number];
  if (is_load) {
    value = 0;
    memcpy(&value, memory, size);
    if (number != 31)
      at->regs[number] = value;
  } else {
    memcpy(memory, &value, size);
    if ((instruction >> 16 & 31) != 31)
      at->regs[instruction >> 16 & 31] = 0;
  }
  at->pc += 4;
  return true;
}

static bool is_call(uint32_t instruction) {
  return (instruction & 0xfc000000) == 0x94000000 || (instruction & 0xfffffc1f) == 0xd63f0000;
}

static void stopped(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info;
  mcontext_t *at = &((ucontext_t *)context)->uc_mcontext;
  if (breakpoint)
    write_instruction(breakpoint, replaced);
  else
    at->pc += 4;
  breakpoint = NULL;
  if (!stepping)
    return;
  uint32_t instruction;
  do {
    at_step((const void *)(uintptr_t)at->pc);
    instruction = *(const uint32_t *)(uintptr_t)at->pc;
  } while (run_exclusive(at, instruction));
  uint64_t next = after(at, instruction);
  if (!is_stepped((const void *)(uintptr_t)next))
    next = is_call(instruction) ? at->pc + 4 : at->regs[30];
  breakpoint = (uint32_t *)(uintptr_t)next;
  replaced = *breakpoint;
  write_instruction(breakpoint, brk_0);
}

#endif

/* SIGTRAP's handler as long as there are steps. */
static inline void handle_steps(struct sigaction *before) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = stopped;
  action.sa_flags = SA_SIGINFO;
  CHECK_INT(0, sigaction(SIGTRAP, &action, before));
}

#endif
