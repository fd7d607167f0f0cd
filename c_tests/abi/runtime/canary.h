/* Calls a function and tells what it did not give back: callee-saved registers, the stack
 * pointer, and the processor's modes (on x86-64 the direction flag, the control bits of MXCSR
 * and the x87, and an empty x87 stack; on AArch64 FPCR). */
#ifndef FCG_CANARY_H
#define FCG_CANARY_H
#include <stdint.h>

void canary_call(void (*fn)(void), uintptr_t a, uintptr_t b, uintptr_t c);
/* NULL, or the first thing that the last call left changed, as text. */
const char *canary_fault(void);
#endif
