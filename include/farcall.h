/* farcall: calls any C function from any language.
 *
 * This file is made from the documentation comments in src/capi by `make header`; do not edit it.
 *
 * What holds for every function:
 *  - It returns fc_status unless it cannot fail. On failure nothing is written to its out pointers,
 *    nothing is leaked, and fc_error_message() says on the same thread what was wrong, which
 *    argument, what was expected and what was got.
 *  - Handles (fc_type, fc_signature, ...) are opaque, reference counted inside, and may be shared
 *    between threads. Freeing a handle gives up the caller's reference only: what was made from it
 *    keeps it alive. Freeing NULL does nothing.
 *  - "Borrowed" pointers are not freed; each function says how long they live.
 *  - A NULL handle or out pointer is FC_ERR_ARGUMENT, never a crash; where a function returns no
 *    status it is 0, NULL, false or FC_VOID. Pointers marked (optional) may be NULL. Only fc_invoke,
 *    fc_invoke_slots and the entries check nothing.
 *  - A handle that is not NULL must be one that the library gave and that has not been freed.
 *  - Option structs begin with `size`, which the caller sets to the sizeof of the struct after zeroing
 *    it. A smaller size means defaults for what is missing. A larger one is accepted if what this
 *    version does not know is zero, and is FC_ERR_ARGUMENT if not. NULL means all defaults. Unknown
 *    bits of flags are FC_ERR_ARGUMENT.
 *  - Strings are UTF-8 and end in NUL; those that are handed in are copied.
 *  - Sizes, offsets and alignments are in bytes.
 *  - FC_ERR_MEMORY is for executable memory. Where the ordinary heap has nothing left, the process
 *    ends. Reading C text takes up to 128 KiB of stack.
 *  - In a signal handler may be called: fc_invoke and fc_invoke_slots of functions that exist, entries that exist
 *    (fc_function_entry makes one when it is first asked), the code of callbacks, as far as what they call
 *    may be called there; fc_captured_errno, fc_callback_code, fc_callback_late_calls, fc_status_name, fc_version
 *    and fc_abi_version. What makes, frees, binds, parses or explains takes locks and memory and must not be: it
 *    may wait for ever for what the handler has interrupted. fc_invoke_checked may be called if the thread
 *    has made a protected call before (FC_PROTECT), and then takes memory only for the message of a failure.
 *    Functions that go through libffi (fc_function_path) may be called there too.
 *  - A child of fork may use everything that its parent had made.
 *  - Once loaded, the library stays loaded (-z nodelete).
 */


#ifndef FARCALL_H
#define FARCALL_H



#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Casts between object and function pointers. ISO C has none (C11, 6.3.2.3); the compilers that farcall
 * supports do, and POSIX asks for it (dlsym).
 */
#define FC_AS_FUNCTION(type, code) (__extension__ (type)(code))
#define FC_AS_ADDRESS(function) (__extension__ (void *)(function))

/** In fc_field.bits: a bit-field of no width (int : 0), which ends a run of bit-fields. */
#define FC_BITS_ZERO UINT32_MAX


/**
 * What a call came to. Only FC_OK and FC_DONE are no failures.
 */
typedef enum fc_status {
  /**
   * It has done what it is for.
   */
  FC_OK = 0,
  /**
   * An argument is NULL, out of range or contradicts another.
   */
  FC_ERR_ARGUMENT = 1,
  /**
   * A declaration does not parse; the message has line and column, and shows the place.
   */
  FC_ERR_SYNTAX = 2,
  /**
   * There is no such library, symbol, type or name.
   */
  FC_ERR_NOT_FOUND = 3,
  /**
   * The file is there and the system's loader refuses it; the message says why.
   */
  FC_ERR_LOAD = 4,
  /**
   * This target, calling convention or build cannot do it.
   */
  FC_ERR_UNSUPPORTED = 5,
  /**
   * The policy forbids it.
   */
  FC_ERR_DENIED = 6,
  /**
   * The object is not in a state in which this can be done, or belongs to another thread.
   */
  FC_ERR_STATE = 7,
  /**
   * The time is over.
   */
  FC_ERR_TIMEOUT = 8,
  /**
   * It was cancelled.
   */
  FC_ERR_CANCELLED = 9,
  /**
   * Out of memory, stacks or executable memory.
   */
  FC_ERR_MEMORY = 10,
  /**
   * A system call failed; fc_error_os has its error number.
   */
  FC_ERR_SYSTEM = 11,
  /**
   * An address that cannot be read or written.
   */
  FC_ERR_FAULT = 12,
  /**
   * A bug in farcall, caught before it could reach the caller. Please report it.
   */
  FC_ERR_INTERNAL = 13,
  /**
   * A documented limit is reached: a queue, a count, a depth, a size.
   */
  FC_ERR_LIMIT = 14,
  /**
   * Not a failure: nothing more will come.
   */
  FC_DONE = 100,
} fc_status;

/**
 * What a declaration declares.
 */
typedef enum fc_decl_kind {
  /**
   * A type: a typedef's name, or a tag, as "struct point".
   */
  FC_DECL_TYPE = 1,
  /**
   * A function.
   */
  FC_DECL_FUNCTION = 2,
  /**
   * A variable.
   */
  FC_DECL_VARIABLE = 3,
  /**
   * An enumerator, or a macro that is an integer constant.
   */
  FC_DECL_CONSTANT = 4,
} fc_decl_kind;

/**
 * The kind of a type. The numbers never change; scalars are below 64.
 */
typedef enum fc_kind {
  /**
   * No value.
   */
  FC_VOID = 0,
  /**
   * _Bool, one byte.
   */
  FC_BOOL = 1,
  /**
   * A signed integer of 8 bits.
   */
  FC_I8 = 2,
  /**
   * An unsigned integer of 8 bits.
   */
  FC_U8 = 3,
  /**
   * A signed integer of 16 bits.
   */
  FC_I16 = 4,
  /**
   * An unsigned integer of 16 bits.
   */
  FC_U16 = 5,
  /**
   * A signed integer of 32 bits.
   */
  FC_I32 = 6,
  /**
   * An unsigned integer of 32 bits.
   */
  FC_U32 = 7,
  /**
   * A signed integer of 64 bits.
   */
  FC_I64 = 8,
  /**
   * An unsigned integer of 64 bits.
   */
  FC_U64 = 9,
  /**
   * __int128.
   */
  FC_I128 = 10,
  /**
   * unsigned __int128.
   */
  FC_U128 = 11,
  /**
   * _Float16.
   */
  FC_F16 = 16,
  /**
   * float.
   */
  FC_F32 = 17,
  /**
   * double.
   */
  FC_F64 = 18,
  /**
   * _Float128.
   */
  FC_F128 = 19,
  /**
   * long double, in the target's format.
   */
  FC_LONG_DOUBLE = 20,
  /**
   * float _Complex.
   */
  FC_COMPLEX_F32 = 24,
  /**
   * double _Complex.
   */
  FC_COMPLEX_F64 = 25,
  /**
   * long double _Complex.
   */
  FC_COMPLEX_LONG_DOUBLE = 26,
  /**
   * A pointer; as a scalar it is void *, fc_type_pointer makes typed ones.
   */
  FC_POINTER = 32,
  /**
   * A struct.
   */
  FC_STRUCT = 64,
  /**
   * A union.
   */
  FC_UNION = 65,
  /**
   * An array.
   */
  FC_ARRAY = 66,
  /**
   * A vector, as GNU C's vector_size attribute makes them.
   */
  FC_VECTOR = 67,
  /**
   * A function.
   */
  FC_FUNCTION = 68,
  /**
   * An enumeration.
   */
  FC_ENUM = 69,
} fc_kind;

/**
 * A calling convention. A signature may have any; fc_function_new refuses those of another processor
 * than the one that runs (FC_ERR_UNSUPPORTED).
 */
typedef enum fc_abi {
  /**
   * The platform's own: FC_ABI_SYSV64 on Linux on x86-64, FC_ABI_AAPCS64 on Linux on aarch64.
   */
  FC_ABI_DEFAULT = 0,
  /**
   * System V's of x86-64 (x86-64 psABI, section 3.2); in C text __attribute__((sysv_abi)).
   */
  FC_ABI_SYSV64 = 1,
  /**
   * Microsoft's of x86-64 ("x64 calling convention"); in C text __attribute__((ms_abi)). On Linux
   * types are still Linux's: a long has 8 bytes, a long double 16. Values of 1, 2, 4 and 8 bytes
   * travel in registers or slots of 8 bytes, all others by reference to a copy that the call makes
   * and the callee may change. Where compilers
   * disagree it is what gcc does: clang passes and returns long double, _Float16, _Float128, vectors of
   * 4, 8 and 32 bytes and empty structs otherwise. As extra arguments of a variadic function structs of
   * other sizes are of no use: gcc's va_arg does not look where its own calls put them.
   */
  FC_ABI_WIN64 = 2,
  /**
   * Arm's of aarch64 (AAPCS64, section 6).
   */
  FC_ABI_AAPCS64 = 3,
  /**
   * AAPCS64 with Apple's differences ("Writing ARM64 code for Apple platforms"): arguments on the
   * stack stand at their own alignment, the extra ones of a variadic call always there.
   */
  FC_ABI_APPLE64 = 4,
} fc_abi;

/**
 * How a library is opened.
 */
typedef enum fc_open_flags {
  /**
   * Its symbols serve libraries that are loaded later (RTLD_GLOBAL).
   */
  FC_OPEN_GLOBAL = 1,
  /**
   * Functions that it needs are looked up when they are first called (RTLD_LAZY), not now.
   */
  FC_OPEN_LAZY = 2,
  /**
   * It stays loaded for as long as the process runs (RTLD_NODELETE).
   */
  FC_OPEN_NODELETE = 4,
  /**
   * Its own symbols go before those of the program (RTLD_DEEPBIND), where the system can.
   */
  FC_OPEN_DEEPBIND = 8,
} fc_open_flags;

/**
 * How a function is bound.
 */
typedef enum fc_function_flags {
  /**
   * errno (GetLastError on Windows) is kept right after each call: fc_captured_errno.
   */
  FC_CAPTURE_ERRNO = 1,
  /**
   * Calls go through libffi even where a stub is possible.
   */
  FC_FORCE_FALLBACK = 2,
  /**
   * Binding fails with FC_ERR_UNSUPPORTED rather than choose any other path than a stub. Together
   * with FC_FORCE_FALLBACK it is FC_ERR_ARGUMENT.
   */
  FC_REQUIRE_STUB = 4,
  /**
   * A crash inside the callee (SIGSEGV, SIGBUS, SIGFPE, SIGILL) becomes FC_ERR_FAULT, and the process
   * goes on: in fc_invoke_checked, which says more, and nowhere else. fc_invoke, fc_invoke_slots and the
   * entries call such a function unprotected.
   *
   * Binding the first one installs handlers for the four signals, for the whole process. Whatever is no
   * fault inside a protected call goes on to the handlers that were there before, or has the default
   * action as before; so does a signal that was sent (kill, sigqueue, raise). Each binding puts
   * farcall's handlers in front again if others have been installed since: of a program that
   * installs its own later, they must see the signals first. Older handlers are called with their sa_mask
   * and SA_NODEFER, SA_RESETHAND and SA_SIGINFO respected, but on the thread's alternate signal stack if it
   * has one, even those without SA_ONSTACK.
   *
   * It may be combined with all other flags. Calls of other functions cost nothing for it.
   */
  FC_PROTECT = 8,
  /**
   * The function is short, never blocks and never calls back: adapters keep the host's lock.
   */
  FC_TRIVIAL = 16,
} fc_function_flags;

/**
 * On which threads a callback's handler runs.
 */
typedef enum fc_threads {
  /**
   * On whichever thread calls, at once.
   */
  FC_THREADS_ANY = 0,
  /**
   * A foreign caller waits until `owner_loop` has run it. Not in this version: FC_ERR_UNSUPPORTED.
   */
  FC_THREADS_OWNER = 1,
  /**
   * A foreign caller goes on at once; the arguments are copied and the handler runs on `owner_loop`. The
   * result must be void (else FC_ERR_ARGUMENT). Not in this version: FC_ERR_UNSUPPORTED.
   */
  FC_THREADS_POST = 2,
} fc_threads;

/**
 * A C function, made while the program runs, that calls a handler.
 */
typedef struct fc_callback fc_callback;

/**
 * C declarations: typedefs, tags, prototypes, variables, enumerators. They may be read by several
 * threads while one adds to them.
 */
typedef struct fc_decls fc_decls;

/**
 * A function that can be called: a signature and an address.
 */
typedef struct fc_function fc_function;

/**
 * An open library.
 */
typedef struct fc_library fc_library;

/**
 * A loop of tasks. This version has none yet.
 */
typedef struct fc_loop fc_loop;

/**
 * The types of a function's parameters and result, and how it is called. It never changes once it
 * is made, and may be shared between threads.
 */
typedef struct fc_signature fc_signature;

/**
 * A C type. It never changes once it is made, and may be shared between threads.
 */
typedef struct fc_type fc_type;

/**
 * A member of a struct or union.
 */
typedef struct fc_field {
  /**
   * Its name, a C identifier. NULL for an unnamed bit-field and for an anonymous struct or
   * union, whose members are found as if they were the outer one's.
   */
  const char *name;
  /**
   * Its type.
   */
  const struct fc_type *type;
  /**
   * The width of a bit-field in bits; 0: it is none; FC_BITS_ZERO: one without width.
   */
  uint32_t bits;
  /**
   * Its alignment in bytes, as _Alignas gives it, a power of two; 0: its type's.
   */
  uint32_t align;
} fc_field;

/**
 * How a struct or union is laid out. Zero it, then set `size`.
 */
typedef struct fc_record_options {
  /**
   * sizeof(fc_record_options).
   */
  size_t size;
  /**
   * No member is aligned to more than this many bytes, as by #pragma pack(n); a power of two;
   * 0: members have their own alignment.
   */
  uint32_t pack;
  /**
   * The record is aligned to at least this many bytes, as by __attribute__((aligned(n))); a
   * power of two; 0: to its members' alignment.
   */
  uint32_t align;
} fc_record_options;

/**
 * How a library is opened. Zero it, then set `size`.
 */
typedef struct fc_open_options {
  /**
   * sizeof(fc_open_options).
   */
  size_t size;
  /**
   * fc_open_flags.
   */
  uint32_t flags;
  /**
   * Folders that are tried first for a bare name.
   */
  const char *const *search;
  /**
   * Their number.
   */
  size_t search_count;
} fc_open_options;

/**
 * How a function is bound. Zero it, then set `size`.
 */
typedef struct fc_function_options {
  /**
   * sizeof(fc_function_options).
   */
  size_t size;
  /**
   * fc_function_flags.
   */
  uint32_t flags;
} fc_function_options;

/**
 * A function's own code, called with pointers: see fc_invoke.
 */
typedef void (*fc_entry)(void *ret, void *const *args);

/**
 * An argument or a result of at most 8 bytes, or a pointer to a larger one. The value stands in the
 * low bytes; what is above it is not read.
 */
typedef union fc_slot {
  /**
   * A signed integer.
   */
  int64_t i;
  /**
   * An unsigned integer.
   */
  uint64_t u;
  /**
   * A double.
   */
  double f64;
  /**
   * A float.
   */
  float f32;
  /**
   * A pointer, or where a value of more than 8 bytes is.
   */
  void *p;
  /**
   * Any value of at most 8 bytes, a struct too.
   */
  uint8_t bytes[8];
} fc_slot;

/**
 * A function's own code, called with slots: see fc_invoke_slots.
 */
typedef void (*fc_slot_entry)(union fc_slot *ret, const union fc_slot *slots);

/**
 * What a callback runs. It is called on the thread that calls the callback, perhaps on several at once.
 *
 * @param ret  where the result goes: write exactly as many bytes as its type has, before returning. It is
 *             aligned as the type wants, and what it holds before means nothing. NULL may be handed over
 *             where the result is void.
 * @param args `args[i]` points to the i-th argument, aligned for its type, which the handler may change. The
 *             array and the arguments are there until the handler returns. Where there is no
 *             parameter it means nothing.
 * @param user what fc_callback_new was given.
 *
 * The handler is called as a C function of the platform, whatever convention the callback has. It may
 * call anything, free the callback, and be left by a C++ exception or longjmp, which pass through the
 * callback to whoever called it. Exceptions need the unwinder to be in a shared library, as it is unless
 * the program was linked with -static-libgcc.
 *
 * The arguments that Microsoft's convention passes by reference are where the caller has put them: gcc aligns
 * them to 16 bytes at most, so that a handler of such a callback must not rely on more, whatever their type says.
 *
 * An exception that leaves a callback of Microsoft's convention (__attribute__((ms_abi))) does not
 * restore rdi, rsi and xmm6 to xmm15, which that convention keeps and C functions of the platform may change:
 * unwinders do not know how. The function that catches it still gives them back to its own caller. gcc
 * counts on no more; where clang compiled a function of that convention, its catch blocks and destructors
 * may find other values in variables, be there callbacks or not.
 */
typedef void (*fc_handler)(void *ret, void *const *args, void *user);

/**
 * How a callback is made. Zero it, then set `size`.
 */
typedef struct fc_callback_options {
  /**
   * sizeof(fc_callback_options).
   */
  size_t size;
  /**
   * On which threads the handler runs.
   */
  fc_threads threads;
  /**
   * The loop whose thread the handler runs on; NULL for FC_THREADS_ANY.
   */
  struct fc_loop *owner_loop;
  /**
   * What a caller gets that comes when the callback has been freed, and one that waited in vain: as many
   * bytes as the result has, copied; NULL: zeros.
   */
  const void *default_result;
  /**
   * (optional) Called with `user` exactly once, after fc_callback_free, when no call is inside the
   * handler any more: by fc_callback_free, or by the last call as it leaves, on that one's thread. Without
   * it a call costs less, since nobody has to count.
   *
   * A call that is left by a C++ exception or by the end of its thread has ended. One that is left by
   * longjmp, or by a fault in a protected call (FC_PROTECT), counts as running: the hook of a callback that was
   * left so is not called.
   */
  void (*release)(void *user);
  /**
   * How long a foreign caller waits for the owner, or for room in the queue, in nanoseconds; 0: for ever.
   */
  int64_t owner_timeout_ns;
  /**
   * FC_THREADS_POST: so many calls wait at most; 0: 65,536.
   */
  size_t queue_limit;
} fc_callback_options;

/**
 * The same for a handler that takes slots.
 *
 * @param ret   where the result goes: one of at most 8 bytes is written to the slot, in its low bytes (what is
 *              above them is not read); a larger one to where `ret->p` points. There is a slot where the result
 *              is void too.
 * @param slots the arguments: one of at most 8 bytes stands in its slot, an integer extended to 64 bits, above
 *              others zeros; a larger one is pointed to by its slot. The handler may change them.
 * @param user  what fc_callback_new_slots was given.
 */
typedef void (*fc_slot_handler)(union fc_slot *ret, const union fc_slot *slots, void *user);

/**
 * What executable memory holds. Zero it, then set `size`.
 */
typedef struct fc_code_stats {
  /**
   * sizeof(fc_code_stats).
   */
  size_t size;
  /**
   * Stubs. Each distinct way for arguments to travel has two, for pointers and for slots. Some
   * thousands that no function uses any more are kept for the next.
   */
  size_t stubs;
  /**
   * Bytes of stubs.
   */
  size_t stub_bytes;
  /**
   * Entries of single functions, which fc_function_entry and fc_function_slot_entry make.
   */
  size_t entries;
  /**
   * Bytes of entries.
   */
  size_t entry_bytes;
  /**
   * Bytes of executable memory in all.
   */
  size_t mapped_bytes;
  /**
   * Receivers, which stand between callbacks and their handlers. Each distinct way for arguments to
   * travel has two, for pointers and for slots; they are kept for ever.
   */
  size_t receivers;
  /**
   * Bytes of receivers.
   */
  size_t receiver_bytes;
  /**
   * Callbacks that live, freed ones whose release hook has not run yet among them; and of each thread that
   * has made or freed some up to 64 that it has at hand.
   */
  size_t callbacks;
} fc_code_stats;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Why this thread's last call that failed did so, for a person to read: what was wrong, which
 * argument, what was expected and what was got.
 *
 * @return UTF-8 text; "" if no call of this thread has failed. Never NULL. It belongs to the
 *         library and stays as it is until eight more calls of farcall have failed on this thread,
 *         or the thread ends. A call that succeeds changes nothing.
 *
 * Call it after the call that failed, in a statement of its own: the arguments of one call are
 * evaluated in any order, so that printf("%s: %s", fc_status_name(fc_decls_new(NULL)),
 * fc_error_message()) may print the message of an earlier failure.
 *
 * Any thread may call this; each has its own message.
 */
const char *fc_error_message(void);

/**
 * The system's error number (errno, or GetLastError) of the failure that fc_error_message tells
 * of; 0 if no system call was to blame.
 *
 * Any thread may call this; each has its own number.
 */
int fc_error_os(void);

/**
 * The name of a status: "FC_ERR_SYNTAX".
 *
 * @param status any number.
 * @return a static string; "unknown status" for a number that is none. Never NULL.
 *
 * Any thread may call this.
 */
const char *fc_status_name(fc_status status);

/**
 * The version of the library that is running: "0.1.0".
 *
 * @return a static string. Never NULL.
 *
 * Any thread may call this.
 */
const char *fc_version(void);

/**
 * The version of the binary interface. It grows only when a program that was compiled against an
 * older header must be compiled anew.
 *
 * Any thread may call this.
 */
uint32_t fc_abi_version(void);

/**
 * The static type of a scalar kind.
 *
 * @param kind a kind below 64.
 * @return the type, which is static: it need not be freed, and freeing it does nothing. NULL for a
 *         kind that is no scalar, and for a number that is no kind.
 *
 * Any thread may call this.
 */
const struct fc_type *fc_type_scalar(fc_kind kind);

/**
 * Makes a struct of members in order, laid out as the platform's C compiler does (bit-fields too).
 * A struct without members has size 0, as in GNU C.
 *
 * @param tag     its tag, a C identifier, copied; NULL: none.
 * @param fields  `count` members, copied; NULL only if `count` is 0. Their types are kept alive.
 * @param count   the number of members.
 * @param options alignment; NULL: the defaults.
 * @param out     the type, which the caller frees with fc_type_free.
 *
 * Any thread may call this.
 *
 * @return FC_OK; FC_ERR_ARGUMENT for a NULL that is not allowed, a name that is no identifier, or a keyword, or
 *         is there twice, a member without a size, a bit-field that is wider than its type or of
 *         a type that is no integer, or an alignment that is no power of two; FC_ERR_LIMIT for a
 *         struct of more than 2^56 bytes.
 */
enum fc_status fc_type_struct(const char *tag,
                              const struct fc_field *fields,
                              size_t count,
                              const struct fc_record_options *options,
                              struct fc_type **out);

/**
 * Makes a union, as fc_type_struct makes a struct.
 *
 * @param tag     its tag, a C identifier, copied; NULL: none.
 * @param fields  `count` members, copied; NULL only if `count` is 0. Their types are kept alive.
 * @param count   the number of members.
 * @param options alignment; NULL: the defaults.
 * @param out     the type, which the caller frees with fc_type_free.
 *
 * Any thread may call this.
 *
 * @return as fc_type_struct.
 */
enum fc_status fc_type_union(const char *tag,
                             const struct fc_field *fields,
                             size_t count,
                             const struct fc_record_options *options,
                             struct fc_type **out);

/**
 * Makes an array. It can be a member, and what a pointer points to; as C has it, it is no parameter
 * and no result.
 *
 * @param element the type of an element, which is kept alive.
 * @param length  the number of elements; 0 will do, as in GNU C.
 * @param out     the type, which the caller frees with fc_type_free.
 *
 * Any thread may call this.
 *
 * @return FC_OK; FC_ERR_ARGUMENT for NULL or an element without a size; FC_ERR_LIMIT for an array of
 *         more than 2^56 bytes.
 */
enum fc_status fc_type_array(const struct fc_type *element,
                             size_t length,
                             struct fc_type **out);

/**
 * Makes a vector, as __attribute__((vector_size(lanes * sizeof(element)))) does: __m128 has four
 * lanes of FC_F32.
 *
 * @param element the type of a lane: an integer or floating kind, but not _Bool or long double.
 * @param lanes   the number of lanes, a power of two.
 * @param out     the type, which the caller frees with fc_type_free.
 *
 * Any thread may call this.
 *
 * @return FC_OK; FC_ERR_ARGUMENT for NULL, another element, or another number of lanes.
 */
enum fc_status fc_type_vector(const struct fc_type *element, size_t lanes, struct fc_type **out);

/**
 * Makes a pointer that knows what it points to.
 *
 * @param pointee any type, functions and void too; it is kept alive.
 * @param out     the type, which the caller frees with fc_type_free.
 *
 * Any thread may call this.
 *
 * @return FC_OK; FC_ERR_ARGUMENT for NULL.
 */
enum fc_status fc_type_pointer(const struct fc_type *pointee, struct fc_type **out);

/**
 * One more reference to a type, so that what is borrowed can be kept.
 *
 * @return the same type, to be freed once more with fc_type_free; NULL for NULL.
 *
 * Any thread may call this.
 */
struct fc_type *fc_type_retain(const struct fc_type *type);

/**
 * Gives a reference to a type back. Whatever was made from the type keeps it alive.
 *
 * @param type what fc_type_struct and its like, fc_decls_type or fc_type_retain gave; NULL and
 *             static types do nothing. Not a borrowed type.
 *
 * Any thread may call this.
 */
void fc_type_free(struct fc_type *type);

/**
 * The kind of a type; FC_VOID for NULL.
 *
 * Any thread may call this.
 */
fc_kind fc_type_kind(const struct fc_type *type);

/**
 * The size of a type in bytes: what C's sizeof says. 0 for void, functions, incomplete types and
 * NULL.
 *
 * Any thread may call this.
 */
size_t fc_type_size(const struct fc_type *type);

/**
 * The alignment of a type in bytes: what C's _Alignof says. 1 for void, functions and incomplete
 * types, 0 for NULL.
 *
 * Any thread may call this.
 */
size_t fc_type_align(const struct fc_type *type);

/**
 * What a type is made from: a pointer's pointee, an array's element, a vector's lane, an
 * enumeration's integer type.
 *
 * @return the type, borrowed: it lives as long as `type`. NULL for a pointer to void or to what is
 *         not known, for other kinds, and for NULL.
 *
 * Any thread may call this.
 */
const struct fc_type *fc_type_element(const struct fc_type *type);

/**
 * The number of elements of an array, or of lanes of a vector; 0 for other types, for an array
 * whose length is not known, and for NULL.
 *
 * Any thread may call this.
 */
size_t fc_type_length(const struct fc_type *type);

/**
 * A type as C text: "struct point", "const char *", "int (*)(double)". Very long ones are cut with "...".
 *
 * @return UTF-8 text that lives as long as the type; NULL for NULL.
 *
 * Any thread may call this.
 */
const char *fc_type_name(const struct fc_type *type);

/**
 * Whether two types are the same: structure and tags, with the qualifiers of what pointers point
 * to. Scalars are the same if their kinds are: long and long long are, where both have 64 bits.
 *
 * @return false if one of them is NULL.
 *
 * Any thread may call this.
 */
bool fc_type_equal(const struct fc_type *a, const struct fc_type *b);

/**
 * The number of members of a struct or union, unnamed bit-fields included; 0 for other types and
 * NULL.
 *
 * Any thread may call this.
 */
size_t fc_type_field_count(const struct fc_type *type);

/**
 * A member of a struct or union by its number.
 *
 * @param type       a struct or union.
 * @param index      the member's number, from 0.
 * @param out        the member. Name and type are borrowed: they live as long as `type`.
 * @param offset     (optional) where it begins in the record, in bytes.
 * @param bit_offset (optional) a bit-field's first bit, counted from the lowest bit of the byte at
 *                   `*offset`: its position in the record is *offset * 8 + *bit_offset bits. 0 for
 *                   other members.
 *
 * Any thread may call this.
 *
 * @return FC_OK; FC_ERR_ARGUMENT for NULL, a type that has no members, or a number past the last
 *         one.
 */
enum fc_status fc_type_field(const struct fc_type *type,
                             size_t index,
                             struct fc_field *out,
                             size_t *offset,
                             uint32_t *bit_offset);

/**
 * What a path leads to in a struct, union, array or vector: "pos.xy[1]". Members of anonymous
 * structs and unions are found as if they were the outer one's (C11, 6.7.2.1p13).
 *
 * @param type   where the path begins.
 * @param path   names with dots between them, and indexes in brackets.
 * @param out    the type of what it leads to, borrowed: it lives as long as `type`.
 * @param offset where that begins in `type`, in bytes.
 *
 * Any thread may call this.
 *
 * @return FC_OK; FC_ERR_ARGUMENT for NULL, a path that is malformed or leads into what has no
 *         members, or a bit-field; FC_ERR_NOT_FOUND for a name that is not there or an index past
 *         the end.
 */
enum fc_status fc_type_field_named(const struct fc_type *type,
                                   const char *path,
                                   const struct fc_type **out,
                                   size_t *offset);

/**
 * Makes an empty collection of declarations. The names of <stdint.h> and <stddef.h>, and ssize_t,
 * are known in it from the start.
 *
 * @param out the collection, which the caller frees with fc_decls_free.
 *
 * Any thread may call this.
 *
 * @return FC_OK; FC_ERR_ARGUMENT for NULL.
 */
enum fc_status fc_decls_new(struct fc_decls **out);

/**
 * Adds declarations in C: all of them, or on failure none.
 *
 * @param decls    the collection.
 * @param c_source UTF-8 text of C11 with GNU's additions, of at most 16 MiB; it is not kept. Types
 *                 that it names must be declared in it or before it. Bodies of functions and values
 *                 of variables are passed over. A type that was declared before its members were
 *                 known, and gets them here, has them for later uses; pointers to it that were
 *                 declared earlier go on pointing to an unknown type.
 *
 * The text should be what the preprocessor writes (gcc -E FILE.h). In text that it has not been over,
 * this much is understood: #define of an integer constant expression, which declares a constant, so
 * that gcc -E -dD gives the constants of a whole library; #define of nothing, which is passed over
 * where it is used; all other macros as long as none is used; #undef; #pragma; #include of <stddef.h>,
 * <stdint.h>, <stdbool.h> and <stdarg.h>, whose types are known; the guard of a header, which is an
 * #ifndef right before its #define; #ifdef __cplusplus and #ifndef __cplusplus, in C. Any other
 * directive is an error. An #undef is for what is in the same text.
 *
 * An empty list of parameters, as in int f(), stands for none.
 *
 * Any thread may call this; others that use the collection meanwhile wait.
 *
 * @return FC_OK; FC_ERR_ARGUMENT for NULL and text that is no UTF-8; FC_ERR_SYNTAX for what does not parse
 *         or what C does not allow: the message gives line and column in the text, and behind
 *         them the file and line that a line marker names ("812:5 (zlib.h:33): ..."), says what was
 *         expected, and shows the line; FC_ERR_LIMIT for a text of more than 16 MiB, for nesting of
 *         more than 256 levels, of which a type within another takes four, and an expression in
 *         parentheses two, and for what fc_type_struct and fc_signature_new limit.
 */
enum fc_status fc_decls_add(struct fc_decls *decls,
                            const char *c_source);

/**
 * The type that a C type name stands for: "struct point", "uint32_t", "const char *[3]", and for a
 * variable that is declared, "typeof(variable)".
 *
 * @param decls     the collection.
 * @param type_name the type, as C would write it in a cast.
 * @param out       the type, which the caller frees with fc_type_free. It outlives the collection.
 *
 * Any thread may call this.
 *
 * @return FC_OK; FC_ERR_ARGUMENT for NULL or text that is no UTF-8; FC_ERR_NOT_FOUND for a name that
 *         is not declared; FC_ERR_SYNTAX for what is no type name.
 */
enum fc_status fc_decls_type(const struct fc_decls *decls,
                             const char *type_name,
                             struct fc_type **out);

/**
 * The value of an enumerator, or of a macro that is an integer constant.
 *
 * @param decls the collection.
 * @param name  the constant's name.
 * @param out   its value; one above INT64_MAX wraps around.
 *
 * Any thread may call this.
 *
 * @return FC_OK; FC_ERR_ARGUMENT for NULL or text that is no UTF-8; FC_ERR_NOT_FOUND for a name that
 *         is no constant.
 */
enum fc_status fc_decls_constant(const struct fc_decls *decls,
                                 const char *name,
                                 int64_t *out);

/**
 * The number of names that the texts declared; those that are known from the start do not count.
 * 0 for NULL.
 *
 * Any thread may call this.
 */
size_t fc_decls_count(const struct fc_decls *decls);

/**
 * A declared name, in the order of the text.
 *
 * @param decls the collection.
 * @param index the name's number, from 0.
 * @param kind  what it names.
 * @param name  the name; a tag comes with its keyword, as "struct point". It belongs to
 *              the collection and lives as long.
 *
 * Any thread may call this.
 *
 * @return FC_OK; FC_ERR_ARGUMENT for NULL or a number past the last name.
 */
enum fc_status fc_decls_at(const struct fc_decls *decls,
                           size_t index,
                           enum fc_decl_kind *kind,
                           const char **name);

/**
 * Frees a collection. Types and signatures that came from it live on, and with them the other types of
 * the text that declared them.
 *
 * @param decls the collection; NULL does nothing.
 *
 * Any thread may call this, when no other uses the collection any more.
 */
void fc_decls_free(struct fc_decls *decls);

/**
 * Makes a signature of types.
 *
 * @param abi    the calling convention.
 * @param result the type of the result; fc_type_scalar(FC_VOID) for none.
 * @param params the types of the parameters; NULL only if `count` is 0. All types are kept alive.
 * @param count  their number, at most 65,536.
 * @param fixed  `count` for a function that is not variadic. If less, it is one call of a variadic
 *               function: the first `fixed` types are those of its named parameters, the rest those
 *               of the call's extra arguments, after C's default argument promotions
 *               (C11, 6.5.2.2p6).
 * @param out    the signature, which the caller frees with fc_signature_free.
 *
 * Any thread may call this.
 *
 * @return FC_OK; FC_ERR_ARGUMENT for NULL, an unknown convention, `fixed` above `count`, a type that
 *         no parameter or result can have (void, arrays, functions, incomplete types), and an extra
 *         argument that C promotes: the message names the promoted type; FC_ERR_LIMIT for too many
 *         parameters.
 */
enum fc_status fc_signature_new(fc_abi abi,
                                const struct fc_type *result,
                                const struct fc_type *const *params,
                                size_t count,
                                size_t fixed,
                                struct fc_signature **out);

/**
 * Makes a signature of a C prototype: "double pow(double, double)".
 *
 * @param decls     (optional) where its types are declared; those of <stdint.h> and <stddef.h> are
 *                  known without.
 * @param prototype UTF-8 text; the function's name is optional, and so is a semicolon at the end. A
 *                  prototype that ends in ", ..." must be completed with fc_signature_variadic before
 *                  it is called. As in compilers, attributes that are not known are ignored, so that a
 *                  misspelt convention is none: fc_signature_explain shows which one is meant.
 * @param out       the signature, which the caller frees with fc_signature_free. It outlives `decls`.
 *
 * Any thread may call this.
 *
 * @return FC_OK; FC_ERR_ARGUMENT for NULL, text that is no UTF-8, and a function of `decls` with a parameter
 *         or result of an incomplete type; FC_ERR_SYNTAX for what does not parse or what C does not
 *         allow; FC_ERR_NOT_FOUND where only a name was given and `decls` has no function of that name;
 *         FC_ERR_LIMIT for too many parameters, and as fc_decls_add.
 */
enum fc_status fc_signature_parse(const struct fc_decls *decls,
                                  const char *prototype,
                                  struct fc_signature **out);

/**
 * Completes the signature of a variadic function with the types of one call's extra arguments.
 *
 * @param prototype a signature that is variadic; if it is complete already, its extra arguments are
 *                  replaced.
 * @param extra     the types of the extra arguments, after C's default argument promotions
 *                  (C11, 6.5.2.2p6): double for float, int for what is narrower; NULL only if
 *                  `count` is 0.
 * @param count     their number, which may be 0.
 * @param out       the signature, which the caller frees with fc_signature_free.
 *
 * Any thread may call this.
 *
 * @return FC_OK; FC_ERR_ARGUMENT for NULL, a signature that is not variadic, a type that no argument
 *         can have, and one that C promotes: the message names the promoted type; FC_ERR_LIMIT for too
 *         many parameters.
 */
enum fc_status fc_signature_variadic(const struct fc_signature *prototype,
                                     const struct fc_type *const *extra,
                                     size_t count,
                                     struct fc_signature **out);

/**
 * The number of parameters, extra arguments of a variadic call included; 0 for NULL.
 *
 * Any thread may call this.
 */
size_t fc_signature_param_count(const struct fc_signature *signature);

/**
 * The type of a parameter.
 *
 * @param signature the signature.
 * @param index     the parameter's number, from 0; extra arguments follow the named ones.
 * @return the type, borrowed: it lives as long as the signature. NULL for a number past the last
 *         parameter, and for NULL.
 *
 * Any thread may call this.
 */
const struct fc_type *fc_signature_param(const struct fc_signature *signature, size_t index);

/**
 * The type of the result.
 *
 * @return the type, borrowed: it lives as long as the signature. NULL for NULL.
 *
 * Any thread may call this.
 */
const struct fc_type *fc_signature_result(const struct fc_signature *signature);

/**
 * The name of the function that a prototype declares.
 *
 * @return UTF-8 text that lives as long as the signature; "" if it has no name, NULL for NULL.
 *
 * Any thread may call this.
 */
const char *fc_signature_name(const struct fc_signature *signature);

/**
 * The calling convention; where none was asked for, the platform's own by its name.
 *
 * @return never FC_ABI_DEFAULT, but for NULL.
 *
 * Any thread may call this.
 */
fc_abi fc_signature_abi(const struct fc_signature *signature);

/**
 * Whether the function is variadic: its prototype ends in ", ...", or it was made with extra
 * arguments. false for NULL.
 *
 * Any thread may call this.
 */
bool fc_signature_is_variadic(const struct fc_signature *signature);

/**
 * The signature of a function type, or of a pointer to a function.
 *
 * @return the signature, borrowed: it lives as long as the type. NULL for other types and for NULL.
 *
 * Any thread may call this.
 */
const struct fc_signature *fc_type_signature(const struct fc_type *type);

/**
 * Where every byte of a call travels, as text for people: the prototype, then one line for each
 * parameter, then the result, the stack bytes and the path that calls take.
 *
 * @param signature the signature.
 * @param buffer    where the text goes, ending in NUL and cut if need be; NULL only if `length` is 0.
 * @param length    the bytes that may be written there.
 * @return the length of the whole text in bytes without the NUL, as snprintf returns it. Where the
 *         signature cannot be called, the text says why. 0 for NULL.
 *
 * Any thread may call this.
 */
size_t fc_signature_explain(const struct fc_signature *signature,
                            char *buffer,
                            size_t length);

/**
 * Gives a signature back. Functions that were made with it keep it alive.
 *
 * @param signature what fc_signature_new, fc_signature_parse or fc_signature_variadic gave; NULL
 *                  does nothing. Not a borrowed signature.
 *
 * Any thread may call this.
 */
void fc_signature_free(struct fc_signature *signature);

/**
 * Opens a library.
 *
 * @param path    NULL: the running program and all that it has loaded. With a slash: that file, for a
 *                relative path counted from the current folder. A bare name is tried in the folders
 *                of `options`, in their order, then as given, then in the platform's forms: "m" is
 *                looked for as libm.so.6 and libm.so. In each folder a version's file will do
 *                ("z" is libz.so.1.3), the newest first.
 * @param options flags and folders; NULL: the defaults, which are symbols that are looked up at once
 *                and serve no other library.
 * @param out     the library, which the caller frees with fc_library_free.
 *
 * Opening what is open already gives another reference to it. Any thread may call this. The library's
 * initializers run on it. Where there is no library of a bare name, folders are read for the message:
 * that takes milliseconds.
 *
 * @return FC_OK;
 *         FC_ERR_ARGUMENT for NULL in `out` or among the folders, unknown flags, or an empty name;
 *         FC_ERR_NOT_FOUND if there is no such file: the message names what was tried, every folder
 *         that was looked in, and what comes near the name;
 *         FC_ERR_LOAD if the file is there and cannot be loaded: it is for another machine or no
 *         library at all, it is cut off, it may not be read, it needs a library, a version or a symbol
 *         that is not there; the message says which and how to mend it;
 *         FC_ERR_DENIED if the policy (fc_policy_allow) forbids it;
 *         FC_ERR_MEMORY or FC_ERR_SYSTEM if memory or descriptors have run out.
 */
enum fc_status fc_library_open(const char *path,
                               const struct fc_open_options *options,
                               struct fc_library **out);

/**
 * Opens a library that is in memory, as if its bytes were a file. Each call makes a library of its
 * own, with its own variables.
 *
 * @param image  the bytes of a shared library. They are copied, and may be freed after the call.
 * @param length their number.
 * @param out    the library, which the caller frees with fc_library_free.
 *
 * Its symbols are looked up at once and serve no other library, as with NULL for the options of
 * fc_library_open. It has no folder: $ORIGIN in what it needs means nothing. fc_library_path, debuggers
 * and /proc/self/maps show it by a name of the system's choice. As with a file, what is loaded later and
 * needs a library of its DT_SONAME gets this one. It holds a descriptor, which is closed
 * with it and on exec. Any thread may call this. The library's initializers run on it.
 *
 * @return FC_OK;
 *         FC_ERR_ARGUMENT for NULL, or more bytes than memory can hold;
 *         FC_ERR_LOAD if these are no bytes of a library that this process can load, none at all
 *         among them: the message says what they are instead, or what the library needs;
 *         FC_ERR_FAULT if some of the bytes cannot be read;
 *         FC_ERR_DENIED if there is a policy (fc_policy_allow), which allows files only;
 *         FC_ERR_MEMORY, FC_ERR_SYSTEM or FC_ERR_LIMIT if the system has no room or no descriptor for
 *         the copy, or if very many libraries from memory stayed loaded after they were closed.
 */
enum fc_status fc_library_open_bytes(const void *image,
                                     size_t length,
                                     struct fc_library **out);

/**
 * The address of a function or variable in a library, or in a library that it needs.
 *
 * @param library the library.
 * @param name    the symbol's name. "name@VERSION" asks for one version of it, and "name@@VERSION" for
 *                the version that the name alone means.
 * @param out     its address. It is good for as long as the library is open. Of a thread-local
 *                variable it is the calling thread's.
 *
 * Any thread may call this. Where there is no such symbol, files are read for the message: a look-up
 * that fails takes milliseconds.
 *
 * @return FC_OK;
 *         FC_ERR_ARGUMENT for NULL, an empty name or version, or text that is no UTF-8;
 *         FC_ERR_NOT_FOUND if there is no such symbol: the message has the nearest names, or the
 *         versions that there are, or says that the library keeps it for itself.
 */
enum fc_status fc_library_symbol(const struct fc_library *library,
                                 const char *name,
                                 void **out);

/**
 * The file of a library as the system's loader resolved it; of the running program, its own file. It
 * does not depend on the current folder.
 *
 * @return the path, which lives as long as the library; NULL for NULL.
 *
 * Any thread may call this.
 */
const char *fc_library_path(const struct fc_library *library);

/**
 * Gives a library back. It is closed when nothing that was bound from it is left either.
 *
 * @param library what fc_library_open gave; NULL does nothing.
 *
 * Any thread may call this. The library's finalizers may run on it.
 */
void fc_library_free(struct fc_library *library);

/**
 * Allows a file, or a folder and all below it, to be opened by fc_library_open. The first call puts the
 * policy in force, for the whole process: from then on only what was allowed may be opened, and no
 * bytes (fc_library_open_bytes). A call that fails does so too, unless `path` is NULL: whoever
 * overlooks the failure has a policy that allows nothing, and not none.
 *
 * Links and ".." are resolved when something is allowed and when it is opened, and exactly the file
 * that a name is resolved to is opened. Nobody but root and the user that the process runs as (its
 * effective user) may own or write the file, its folder, or a folder above: what others can write is
 * refused, here and when it is opened. Above the allowed file or folder a sticky folder such as /tmp
 * will do. Group members are others.
 *
 * A bare name is looked for before it is asked about. A library that is loaded already is asked about
 * like any other. The program itself (NULL), and what the system's loader brings in for an allowed
 * library, are not asked about; neither are libraries that were opened before.
 *
 * The policy decides which files fc_library_open opens, and nothing else: it is no sandbox. The symbols
 * of a library include those of the libraries that it needs, and the program has those of libc. Code
 * that can bind any function of theirs (dlopen, mmap, execve) is not held by it. A host that runs
 * declarations or names that it does not trust must also choose which symbols it binds.
 *
 * @param path the file or folder, which must exist. It is copied. Allowing it again does nothing.
 *
 * Any thread may call this. What is opened at the same time may still be opened without being asked
 * about.
 *
 * @return FC_OK;
 *         FC_ERR_ARGUMENT for NULL, an empty path, or what is neither file nor folder;
 *         FC_ERR_NOT_FOUND if there is no such file or folder;
 *         FC_ERR_DENIED if others can write it, or after fc_policy_seal: the message says what is in
 *         the way and how to mend it;
 *         FC_ERR_SYSTEM if the path cannot be resolved.
 */
enum fc_status fc_policy_allow(const char *path);

/**
 * Seals the policy for as long as the process runs: every later fc_policy_allow is FC_ERR_DENIED. If
 * nothing was allowed, nothing may be opened any more but the program itself (NULL). Sealing again does
 * nothing. A child of fork has the policy of its parent.
 *
 * Any thread may call this.
 *
 * @return FC_OK.
 */
enum fc_status fc_policy_seal(void);

/**
 * Makes the function at an address callable.
 *
 * @param signature its signature, which is kept alive.
 * @param address   where it is. The caller sees to it that it stays there for as long as it is called;
 *                  fc_bind does that by itself.
 * @param options   flags; NULL: none.
 * @param out       the function, which the caller frees with fc_function_free.
 *
 * Any thread may call this. Functions whose arguments travel alike share their code.
 *
 * @return FC_OK; FC_ERR_ARGUMENT for NULL, unknown or contradicting flags, and a variadic prototype that
 *         is not completed (fc_signature_variadic); FC_ERR_UNSUPPORTED for a convention or a flag that
 *         this version does not know, and for a type that the path cannot pass: a stub passes no
 *         vectors of 64 bytes, libffi none at all, nor _Float128 in registers, nor on the stack what is
 *         aligned to more than 16 bytes;
 *         FC_ERR_LIMIT if the arguments need more than 256 MiB of stack; FC_ERR_SYSTEM if the system
 *         refuses signal handlers (FC_PROTECT). Where there is no
 *         memory for code, or the system forbids it, calls go through libffi.
 */
enum fc_status fc_function_new(const struct fc_signature *signature,
                               void *address,
                               const struct fc_function_options *options,
                               struct fc_function **out);

/**
 * Makes a function of a library callable, in one step.
 *
 * @param library   the library, which is kept open for as long as the function lives.
 * @param decls     (optional) where the types are declared.
 * @param prototype "double pow(double, double)", or the name of a function in `decls`. Its name is the
 *                  symbol that is looked up, or its __asm__ label if the declaration has one.
 * @param options   flags; NULL: none.
 * @param out       the function, which the caller frees with fc_function_free.
 *
 * Any thread may call this.
 *
 * @return FC_OK; what fc_signature_parse, fc_library_symbol and fc_function_new return, for the same
 *         reasons; FC_ERR_ARGUMENT for a prototype without a name.
 */
enum fc_status fc_bind(const struct fc_library *library,
                       const struct fc_decls *decls,
                       const char *prototype,
                       const struct fc_function_options *options,
                       struct fc_function **out);

/**
 * The signature of a function.
 *
 * @return the signature, borrowed: it lives as long as the function. NULL for NULL.
 *
 * Any thread may call this.
 */
const struct fc_signature *fc_function_signature(const struct fc_function *function);

/**
 * The address that a function calls; NULL for NULL.
 *
 * Any thread may call this.
 */
void *fc_function_address(const struct fc_function *function);

/**
 * How calls of a function are made: "stub", or "libffi: " and why no stub is used.
 *
 * @return text that lives as long as the function; NULL for NULL.
 *
 * Any thread may call this.
 */
const char *fc_function_path(const struct fc_function *function);

/**
 * Gives a function back. Its entries are no longer to be called once nobody holds it.
 *
 * @param function what fc_function_new or fc_bind gave; NULL does nothing.
 *
 * Any thread may call this, but not while the last reference's function is running.
 */
void fc_function_free(struct fc_function *function);

/**
 * Calls a function. NOTHING IS CHECKED: not the function, not the pointers, nor that the thread's stack has
 * room for the arguments.
 *
 * @param function the function.
 * @param ret      memory for the result: exactly as many bytes as its type has are written. It is
 *                 aligned as the type wants, and is no part of what the callee can see by other
 *                 pointers. It may be NULL where the result is void.
 * @param args     `args[i]` points to the i-th argument, of which exactly as many bytes as its type has
 *                 are read; it need not be aligned. It may be NULL where there is no parameter.
 *
 * Any thread may call this. It takes no lock and no memory. A C++ exception of the callee reaches the
 * caller of this, a longjmp and the end of the thread (pthread_exit, pthread_cancel) leave it as they
 * leave any C function. Exceptions need the unwinder to be in a shared library, as it is unless the
 * program was linked with -static-libgcc.
 */
void fc_invoke(const struct fc_function *function,
               void *ret,
               void *const *args);

/**
 * The function's own code, which saves fc_invoke's look at the function. It is made when it is first
 * asked for and lives as long as the function. It is called as fc_invoke is, and checks as little.
 *
 * @return NULL for NULL, and with a message where there is no memory for it: fc_invoke works there all
 *         the same. Where no code may be made fc_callback_new says what entries need.
 *
 * Any thread may call this.
 */
fc_entry fc_function_entry(const struct fc_function *function);

/**
 * Calls a function with its arguments in 8-byte slots, as interpreters have them. NOTHING IS CHECKED.
 *
 * @param function the function.
 * @param ret      a slot for the result. One of at most 8 bytes is written to it: an integer extended
 *                 to 64 bits, anything else with zeros above it. A larger one is written to where
 *                 ret->p points, which is aligned as its type wants. It may be one of `slots`, and may
 *                 be NULL where the result is void.
 * @param slots    one slot for each argument: a value of at most 8 bytes, structs too, stands in its low
 *                 bytes, and what is above it is not read; a larger one is pointed to. It may be NULL
 *                 where there is no parameter.
 *
 * Any thread may call this. It takes no lock and no memory. Exceptions, longjmp and the end of a thread
 * are as with fc_invoke.
 */
void fc_invoke_slots(const struct fc_function *function,
                     union fc_slot *ret,
                     const union fc_slot *slots);

/**
 * The function's own code for slots, as fc_function_entry. It is called as fc_invoke_slots is, and checks
 * as little.
 *
 * @return NULL for NULL, and with a message where there is no memory for it: fc_invoke works there all
 *         the same. Where no code may be made fc_callback_new says what entries need.
 *
 * Any thread may call this.
 */
fc_slot_entry fc_function_slot_entry(const struct fc_function *function);

/**
 * Calls a function as fc_invoke does, after looking at the pointers, and survives a crash of a function that
 * was bound with FC_PROTECT.
 *
 * @param function the function, with or without FC_PROTECT.
 * @param ret      memory for the result, as for fc_invoke.
 * @param args     pointers to the arguments, as for fc_invoke.
 *
 * With FC_PROTECT, SIGSEGV, SIGBUS, SIGFPE and SIGILL that this thread's code causes before the callee has
 * returned end the call with FC_ERR_FAULT. A stack overflow does too: each thread gets an alternate
 * signal stack at its first such call, unless it has one that is large enough, and loses it when it
 * ends. An `args` that cannot be read is caught as well (the function is not called then), and so are pointers
 * in it that cannot be read and a `ret` that cannot be written. The
 * message names the function, the signal and what it means, the address, whether it was read from,
 * written to or executed where the machine tells, and where the code was: "poke: SIGSEGV (no memory is
 * mapped there) on writing to 0x10, in poke+0x4 of ./libpoke.so".
 *
 * After a fault the caller's registers, floating-point modes and flags are as they were before the call, and
 * the signal mask is as it was where the fault happened. `ret` has not been written to, but a struct that the
 * callee builds in place may be there in part. fc_captured_errno is as it was.
 *
 * WHAT THE CALLEE HAD BEGUN STAYS BEGUN: locks that it held stay held (those of malloc and of stdio too),
 * memory that it allocated is leaked, files stay open, data may be half changed, destructors of its frames
 * do not run, and a signal mask that it set stays set. That holds for all frames that are left: if the
 * callee had called back into the program, for those of the program too, so a callback that
 * must clean up should make a protected call of its own. A protected call inside another ends at the inner one.
 * A program that goes on should do no more than it must with what the callee has touched.
 *
 * Not caught: abort, debug traps (SIGTRAP), faults of other threads, faults while the thread blocks the
 * signal, and a stack overflow on a thread that has taken its alternate signal stack away since its first
 * protected call.
 *
 * The callee may leave a protected call by longjmp of glibc; other ways to jump out of it (another C library,
 * __builtin_longjmp, a switch of stacks) may leave the protection behind for as long as the caller's stack
 * has not been used anew.
 *
 * Any thread may call this; several may fault at once.
 *
 * @return FC_OK: it was called; FC_ERR_ARGUMENT if the function is NULL, `ret` is although there is a
 *         result, `args` or one of its pointers is although there is such a parameter: it was not
 *         called then; FC_ERR_MEMORY and FC_ERR_SYSTEM if there is no memory for the alternate
 *         signal stack, or the system refuses it: it was not called either; FC_ERR_FAULT: it was called
 *         and crashed, or `args` itself cannot be read.
 */
enum fc_status fc_invoke_checked(const struct fc_function *function,
                                 void *ret,
                                 void *const *args);

/**
 * errno (GetLastError on Windows) right after this thread's last call of a function that was bound with
 * FC_CAPTURE_ERRNO; 0 before the first.
 *
 * Any thread may call this; each has its own.
 */
int fc_captured_errno(void);

/**
 * Makes a callback: a C function of a signature, which calls a handler. qsort with one, errors left out:
 *
 *     static void compare(void *ret, void *const *args, void *user) {
 *       const int *a = *(const int *const *)args[0], *b = *(const int *const *)args[1];
 *       *(int *)ret = (*a > *b) - (*a < *b);
 *       ++*(int *)user;
 *     }
 *
 *     int list[] = {3, 1, 2}, calls = 0;
 *     fc_signature *signature;
 *     fc_callback *callback;
 *     fc_signature_parse(NULL, "int compare(const void *, const void *)", &signature);
 *     fc_callback_new(signature, compare, &calls, NULL, &callback);
 *     fc_signature_free(signature);
 *     qsort(list, 3, sizeof list[0],
 *           FC_AS_FUNCTION(int (*)(const void *, const void *), fc_callback_code(callback)));
 *     fc_callback_free(callback);
 *
 * @param signature its signature, of which nothing is needed later: it may be freed at once.
 * @param handler   what calls of it run.
 * @param user      handed to the handler as it is; (optional).
 * @param options   threads, default result, release hook; NULL: the defaults.
 * @param out       the callback, which the caller frees with fc_callback_free. fc_callback_code is the
 *                  function.
 *
 * Any thread may call this, and any thread may call the callback, one that was not made by this program
 * too. All types may be parameters and results that functions may have, and conventions: a callback of
 * __attribute__((ms_abi)) is called as such. Callbacks whose arguments travel alike share their code,
 * which is kept for ever; what is particular to one takes 96 bytes.
 *
 * Where no code may be made (fc_code_status), the library has room for 4,096 callbacks (and for the entries of
 * 1,024 functions), and maps its own text again for more. For that it needs its file and /proc/self/maps when
 * the first callback is made, or the first entry where no code may be made, and nothing later: a program
 * that goes behind a chroot, gives up its descriptors, begins to refuse code, or may have the library replaced
 * while it runs should make a callback before. If the file could not be
 * had then, or under valgrind and emulators, it is looked for again for each few thousand. It is compared with
 * what was loaded before it is used.
 *
 * @return FC_OK; FC_ERR_ARGUMENT for NULL, a number that is no fc_threads, a negative timeout,
 *         FC_THREADS_ANY with an `owner_loop`, and FC_THREADS_POST with a result; FC_ERR_UNSUPPORTED for a variadic signature, a convention of another
 *         processor, a type that functions cannot pass, FC_THREADS_OWNER and FC_THREADS_POST; FC_ERR_LIMIT if the
 *         arguments need more than 256 MiB of stack; FC_ERR_MEMORY and FC_ERR_SYSTEM if there is no
 *         memory for the code, or, where no code may be made, the library's file cannot be mapped again: the
 *         message says why not.
 */
enum fc_status fc_callback_new(const struct fc_signature *signature,
                               fc_handler handler,
                               void *user,
                               const struct fc_callback_options *options,
                               struct fc_callback **out);

/**
 * The same for a handler that takes slots, as interpreters like it.
 *
 * @param signature as for fc_callback_new.
 * @param handler   what calls of it run.
 * @param user      as for fc_callback_new.
 * @param options   as for fc_callback_new.
 * @param out       as for fc_callback_new.
 *
 * Any thread may call this.
 *
 * @return as fc_callback_new.
 */
enum fc_status fc_callback_new_slots(const struct fc_signature *signature,
                                     fc_slot_handler handler,
                                     void *user,
                                     const struct fc_callback_options *options,
                                     struct fc_callback **out);

/**
 * The C function that a callback is, to be handed to whoever takes a function pointer, or written to a struct's
 * member, an array or a variable: FC_AS_FUNCTION casts it.
 *
 * @return the function, which can be called until the callback is freed. It stays in place afterwards: what
 *         then calls it gets the default result, for as long as its memory has not been given to
 *         another callback. NULL for NULL.
 *
 * Any thread may call this, and the function.
 */
void *fc_callback_code(const struct fc_callback *callback);

/**
 * How often freed callbacks have been called since the start, as far as their memory had not been given to
 * other callbacks. A number that grows tells of a library that still calls what it was to forget.
 *
 * Any thread may call this.
 */
uint64_t fc_callback_late_calls(void);

/**
 * Keeps the callback's `owner_loop` alive, counted. It does nothing for FC_THREADS_ANY.
 *
 * @param callback the callback; NULL does nothing.
 *
 * Any thread may call this.
 */
void fc_callback_ref(struct fc_callback *callback);

/**
 * Lets the callback's `owner_loop` end, as at the beginning. It does nothing for FC_THREADS_ANY.
 *
 * @param callback the callback; NULL does nothing.
 *
 * Any thread may call this.
 */
void fc_callback_unref(struct fc_callback *callback);

/**
 * Frees a callback. Whoever calls it later gets the default result, and is counted
 * (fc_callback_late_calls), until its memory is given to another callback, which happens as late as
 * possible: what is freed last is used last, and never less than 512 callbacks later as long as there
 * is memory.
 *
 * @param callback what fc_callback_new gave; NULL does nothing.
 *
 * Any thread may call this, from inside the handler too, and while other threads are inside: their calls end
 * as if nothing had happened. It does not wait for them: options.release tells when they are gone.
 */
void fc_callback_free(struct fc_callback *callback);

/**
 * Copies memory to the caller, for hosts that have no pointers of their own. An address that cannot
 * be read is an error, not a crash: the system copies, at the price of a system call
 * (half a microsecond or so).
 *
 * @param address where to read; any alignment. NULL will do where `length` is 0.
 * @param out     `length` bytes that the caller can write. After FC_ERR_FAULT the first of them may
 *                have been written, as many as the message says.
 * @param length  how many bytes.
 *
 * Any thread may call this. What other threads write meanwhile may be read in part.
 *
 * @return FC_OK; FC_ERR_ARGUMENT for NULL; FC_ERR_FAULT if some of the bytes cannot be read, or `out`
 *         cannot be written, or if the range wraps around the end of memory: the message has the
 *         address and how many bytes before it were fine; FC_ERR_SYSTEM if the system forbids it altogether.
 */
enum fc_status fc_memory_read(const void *address,
                              void *out,
                              size_t length);

/**
 * Copies bytes of the caller's to memory. An address that cannot be written is an error, not a crash,
 * and what is read-only stays as it is. It costs a system call (half a
 * microsecond or so).
 *
 * @param address where to write; any alignment. NULL will do where `length` is 0. After FC_ERR_FAULT
 *                the first bytes may have been written, as many as the message says.
 * @param bytes   what to write: `length` bytes that the caller can read.
 * @param length  how many bytes.
 *
 * Any thread may call this. Other threads may see a part of the bytes before the rest.
 *
 * @return FC_OK; FC_ERR_ARGUMENT for NULL; FC_ERR_FAULT if some of the bytes cannot be written, or
 *         `bytes` cannot be read, or if the range wraps around the end of memory: the message has the
 *         address and how many bytes before it were fine; FC_ERR_SYSTEM if the system forbids it
 *         altogether.
 */
enum fc_status fc_memory_write(void *address,
                               const void *bytes,
                               size_t length);

/**
 * The length of a string at an address, without its NUL. An address that cannot be read is an error,
 * not a crash.
 *
 * @param address where the string begins. NULL will do where `limit` is 0.
 * @param limit   how many bytes to look at, at most; SIZE_MAX: all that are there.
 * @param length  the length; `limit` if there is no NUL before it.
 *
 * Nothing behind the NUL is asked for: a string may end right before memory that cannot be read. It
 * costs a system call (half a microsecond or so) for each 4096 bytes.
 *
 * Any thread may call this.
 *
 * @return FC_OK; FC_ERR_ARGUMENT for NULL; FC_ERR_FAULT if memory that cannot be read comes before a NUL
 *         and before the limit: the message has the address and how many bytes before it were fine;
 *         FC_ERR_SYSTEM if the system forbids it altogether.
 */
enum fc_status fc_memory_string(const char *address,
                                size_t limit,
                                size_t *length);

/**
 * How code is made in this process: "stubs", or "static: " and why no code is made. In the second case
 * calls are made through code that the library brings with it and through libffi, with the same results.
 *
 * It is decided when code is first needed, or asked for here. The environment variable FARCALL_CODE is
 * read then:
 *  - "none": no code is made, and the system is not asked whether it would let it;
 *  - "dual": code is made in memory of a file without a name (memfd_create) that is mapped twice, to
 *    write and to run, for systems that refuse nothing but pages that were writable before. Where it
 *    cannot be had, no code is made;
 *  - not set, or anything else: code is made in private pages if the system lets one be made executable
 *    after it was written, which is tried once. SELinux, PR_SET_MDWE and systemd's
 *    MemoryDenyWriteExecute= do not.
 *
 * Nothing is ever writable and executable at once. A program that runs with more rights than its user
 * (setuid) does not look at the variable.
 *
 * Where a system begins to refuse later, what was made before stays in use, and the text changes. It changes
 * for a while where there is no memory for code just now, or, with "dual", no file descriptor or too small
 * a limit of file sizes (RLIMIT_FSIZE): each time that code is wanted the library tries again to make it, and
 * this function tries too.
 *
 * Debuggers and profilers are told what code is called if the environment variable FARCALL_DEBUG names them,
 * with commas between; it is read once too:
 *  - "gdb": gdb's interface for code of compilers in the process; the more code, the slower;
 *  - "perf": names in /tmp/perf-PID.map, where perf report looks for them;
 *  - "dump": names and code in jit-PID.dump, in the folder that JITDUMPDIR names or the current one, for
 *    perf record -k mono and perf inject --jit.
 *
 * Unwinders, and valgrind, are always told of code, without names. Without "gdb" gdb walks through frames of
 * stubs all the same, but may show the name of another function for them, the nearest that it knows
 * before the address.
 *
 * @return "stubs" or "static: ...": text that lives for ever. Never NULL.
 *
 * Any thread may call this.
 */
const char *fc_code_status(void);

/**
 * Tells what executable memory holds at the moment.
 *
 * @param out what it holds; its `size` is set by the caller, and no more than that is written.
 *
 * Any thread may call this.
 *
 * @return FC_OK; FC_ERR_ARGUMENT for NULL or a size that is too small to hold itself.
 */
enum fc_status fc_code_statistics(struct fc_code_stats *out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* FARCALL_H */
