/* Calls a function and tells what it did not give back: callee-saved registers, the stack
 * pointer, and the processor's modes (on x86-64 the direction flag, the control bits of MXCSR
 * and the x87, and an empty x87 stack; on AArch64 FPCR). */
#ifndef FCG_CANARY_H
#define FCG_CANARY_H
#include <stdbool.h>
#include <stdint.h>

void canary_call(void (*fn)(void), uintptr_t a, uintptr_t b, uintptr_t c);
/* NULL, or the first thing that the last call left changed, as text. */
const char *canary_fault(void);

/* The same for compiled functions that call a function pointer themselves: what they are to be
 * given in place of `fn`. It has the arguments and the result go by untouched, and puts junk in
 * registers that carry none. `is_ms`: fn is of Microsoft's convention. One call at a time. */
void (*canary_between(void (*fn)(void), bool is_ms))(void);
/* NULL, or the first thing that fn left changed since then. */
const char *canary_between_fault(void);
#endif
