// What leaves a handler by another way than a return: exceptions, longjmp and the end of a thread
// pass through the callback, and through the C function that called it, to the C++ caller.
// Destructors on both sides run, release hooks too, and backtraces go on behind callbacks.
#include "harness.h"

#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <execinfo.h>
#include <pthread.h>
#include <stdexcept>
#include <string>

namespace {

struct Counted {
  int &count;
  explicit Counted(int &where) : count(where) {}
  Counted(const Counted &) = delete;
  Counted &operator=(const Counted &) = delete;
  ~Counted() { count++; }
};

void (*action)();
int left_handlers, left_callers, releases;

void release(void *) { releases++; }

void handler(void *ret, void *const *args, void *) {
  Counted here(left_handlers);
  action();
  int order = **static_cast<int **>(args[0]) - **static_cast<int **>(args[1]);
  std::memcpy(ret, &order, sizeof order);
}

void slot_handler(fc_slot *ret, const fc_slot *slots, void *) {
  Counted here(left_handlers);
  action();
  ret->i = *static_cast<int *>(slots[0].p) - *static_cast<int *>(slots[1].p);
}

struct Large {
  long values[9];
};

void large_handler(void *ret, void *const *args, void *) {
  Counted here(left_handlers);
  action();
  std::memcpy(ret, args[0], sizeof(Large));
}

enum Form { POINTERS, SLOTS, COUNTED, COUNTED_SLOTS, FORMS };

struct Callback {
  fc_callback *callback = nullptr;

  Callback(const char *prototype, fc_handler pointers, fc_slot_handler slots, Form form) {
    fc_signature *signature = nullptr;
    fc_callback_options options = {};
    options.size = sizeof options;
    if (form == COUNTED || form == COUNTED_SLOTS)
      options.release = release;
    CHECK_STATUS(FC_OK, fc_signature_parse(nullptr, prototype, &signature));
    if (form == SLOTS || form == COUNTED_SLOTS)
      CHECK_STATUS(FC_OK, fc_callback_new_slots(signature, slots, nullptr, &options, &callback));
    else
      CHECK_STATUS(FC_OK, fc_callback_new(signature, pointers, nullptr, &options, &callback));
    fc_signature_free(signature);
  }
  Callback(const Callback &) = delete;
  Callback &operator=(const Callback &) = delete;
  ~Callback() { fc_callback_free(callback); }

  template <typename Function> Function *code() const {
    return FC_AS_FUNCTION(Function *, fc_callback_code(callback));
  }
};

typedef int comparison(const void *, const void *);
const char *const comparison_text = "int compare(const void *, const void *)";

void sort(const Callback &callback) {
  Counted here(left_callers);
  int values[] = {3, 1, 2};
  std::qsort(values, 3, sizeof values[0], callback.code<comparison>());
}

void throw_error() { throw std::runtime_error("from the handler"); }

#ifdef __x86_64__
#define MICROSOFT __attribute__((ms_abi))
typedef int MICROSOFT microsoft(int);

void microsoft_handler(void *, void *const *, void *) {
  Counted here(left_handlers);
  action();
}

MICROSOFT __attribute__((noinline)) int caught(microsoft *code) {
  Counted here(left_callers);
  try {
    return code(1);
  } catch (const std::runtime_error &) {
    return 77;
  }
}

// Registers that functions of Microsoft's convention keep, and others may change.
struct Kept {
  long rdi, rsi;
  double xmm6, xmm15;
};

int call_with(Kept &kept, microsoft *code) {
  int result;
  register Kept *values __asm__("rbx") = &kept;
  __asm__ volatile("mov %%rsp, %%r12\n\t"
                   "sub $192, %%rsp\n\t"
                   "and $-16, %%rsp\n\t"
                   "mov (%[values]), %%rdi\n\t"
                   "mov 8(%[values]), %%rsi\n\t"
                   "movsd 16(%[values]), %%xmm6\n\t"
                   "movsd 24(%[values]), %%xmm15\n\t"
                   "call *%%rax\n\t"
                   "mov %%rdi, (%[values])\n\t"
                   "mov %%rsi, 8(%[values])\n\t"
                   "movsd %%xmm6, 16(%[values])\n\t"
                   "movsd %%xmm15, 24(%[values])\n\t"
                   "mov %%r12, %%rsp"
                   : "=a"(result), "+c"(code)
                   : [values] "r"(values), "a"(&caught)
                   : "rdx", "rdi", "rsi", "r8", "r9", "r10", "r11", "r12", "xmm0", "xmm1", "xmm2",
                     "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                     "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
  return result;
}

// The function that catches gives its own caller all registers back.
void exceptions_reach_callers_of_microsofts_convention() {
  action = throw_error;
  left_handlers = left_callers = 0;
  Callback callback("__attribute__((ms_abi)) int f(int)", microsoft_handler, nullptr, POINTERS);
  for (int round = 1; round <= 3; round++) {
    Kept kept = {11, 12, 13, 14};
    CHECK_INT(77, call_with(kept, callback.code<microsoft>()));
    CHECK_INT(11, kept.rdi);
    CHECK_INT(12, kept.rsi);
    CHECK_DOUBLE(13, kept.xmm6);
    CHECK_DOUBLE(14, kept.xmm15);
    CHECK_INT(round, left_handlers);
    CHECK_INT(round, left_callers);
  }
}
#endif

void exceptions_pass_through_qsort() {
  for (int form = 0; form < FORMS; form++) {
    left_handlers = left_callers = releases = 0;
    action = throw_error;
    {
      Callback callback(comparison_text, handler, slot_handler, static_cast<Form>(form));
      for (int round = 0; round < 3; round++) {
        std::string message;
        try {
          sort(callback);
        } catch (const std::runtime_error &error) {
          message = error.what();
        }
        CHECK_STRING("from the handler", message.c_str());
      }
      CHECK_INT(0, releases);
    }
    CHECK_INT(3, left_handlers);
    CHECK_INT(3, left_callers);
    // A call that an exception left has ended.
    CHECK_INT(form >= COUNTED, releases);
  }
}

// Values in memory, aligned frames and results by a pointer.
void exceptions_pass_through_large_frames() {
  for (int form = 0; form < FORMS; form++) {
    if (form == SLOTS || form == COUNTED_SLOTS)
      continue;
    left_handlers = releases = 0;
    action = throw_error;
    Callback callback("struct {long v[9];} f(struct {long v[9];}, struct {double a, b;} "
                      "__attribute__((aligned(16))))",
                      large_handler, nullptr, static_cast<Form>(form));
    struct alignas(16) Pair {
      double a, b;
    };
    Large large = {};
    bool caught = false;
    try {
      Counted here(left_callers);
      callback.code<Large(Large, Pair)>()(large, Pair{1, 2});
    } catch (const std::exception &) {
      caught = true;
    }
    CHECK(caught);
    CHECK_INT(1, left_handlers);
  }
}

// Through a callback, farcall's own call of a C function, and another callback.
const Callback *inner;
fc_function *sorting;

void sort_again() {
  int values[] = {2, 1};
  void *array = values;
  size_t count = 2, size = sizeof values[0];
  void *code = fc_callback_code(inner->callback);
  void *args[] = {&array, &count, &size, &code};
  Counted here(left_callers);
  action = throw_error;
  fc_invoke(sorting, nullptr, args);
}

void exceptions_pass_through_calls_and_callbacks_in_turn() {
  fc_signature *signature = nullptr;
  CHECK_STATUS(FC_OK, fc_signature_parse(nullptr,
                                         "void qsort(void *, unsigned long, unsigned long, void *)",
                                         &signature));
  CHECK_STATUS(FC_OK, fc_function_new(signature, ADDRESS_OF(std::qsort), nullptr, &sorting));
  left_handlers = left_callers = releases = 0;
  {
    Callback outer(comparison_text, handler, slot_handler, COUNTED);
    Callback second(comparison_text, handler, slot_handler, SLOTS);
    inner = &second;
    action = sort_again;
    bool caught = false;
    try {
      sort(outer);
    } catch (const std::runtime_error &) {
      caught = true;
    }
    CHECK(caught);
  }
  CHECK_INT(2, left_handlers);
  CHECK_INT(2, left_callers);
  CHECK_INT(1, releases);
  fc_function_free(sorting);
  fc_signature_free(signature);
}

std::jmp_buf back;

void jump() { std::longjmp(back, 7); }

// No destructor may stand between: it would be left out.
void jumping_handler(void *, void *const *, void *) { action(); }
void jumping_slot_handler(fc_slot *, const fc_slot *, void *) { action(); }

void jump_over(Form form) {
  static int values[] = {2, 1};
  static volatile int rounds;
  Callback callback(comparison_text, jumping_handler, jumping_slot_handler, form);
  rounds = 0;
  const int how = setjmp(back);
  CHECK_INT(rounds == 0 ? 0 : 7, how);
  rounds = rounds + 1;
  if (rounds < 4)
    std::qsort(values, 2, sizeof values[0], callback.code<comparison>());
  CHECK_INT(4, rounds);
}

void longjmp_passes() {
  action = jump;
  jump_over(POINTERS);
  jump_over(SLOTS);
}

#ifndef WITHOUT_FORCED_UNWINDING
void end() { pthread_exit(nullptr); }

void *sort_on_thread(void *callback) {
  sort(*static_cast<const Callback *>(callback));
  return callback;
}

void ends_of_threads_pass() {
  for (int form = 0; form < FORMS; form++) {
    left_handlers = left_callers = releases = 0;
    action = end;
    {
      Callback callback(comparison_text, handler, slot_handler, static_cast<Form>(form));
      pthread_t thread;
      void *result = &callback;
      CHECK_INT(0, pthread_create(&thread, nullptr, sort_on_thread, &callback));
      CHECK_INT(0, pthread_join(thread, &result));
      CHECK(result == nullptr);
    }
    CHECK_INT(1, left_handlers);
    CHECK_INT(1, left_callers);
    CHECK_INT(form >= COUNTED, releases);
  }
}

#endif

int frames;
void *addresses[64];

void look_back() { frames = backtrace(addresses, 64); }

__attribute__((noinline)) void sort_from_here(const Callback &callback) {
  sort(callback);
  asm volatile("" ::: "memory");
}

bool is_in(const void *address, const void *function) {
  const char *start = static_cast<const char *>(function);
  return address > start && address < start + 400;
}

void backtraces_go_on() {
  for (int form = 0; form < FORMS; form++) {
    action = look_back;
    Callback callback(comparison_text, handler, slot_handler, static_cast<Form>(form));
    sort_from_here(callback);
    bool found = false;
    for (int i = 0; i < frames; i++)
      found = found || is_in(addresses[i], ADDRESS_OF(sort_from_here));
    CHECK(frames > 5);
    CHECK(found);
  }
}

} // namespace

int main() {
  RUN(exceptions_pass_through_qsort);
#ifdef __x86_64__
  RUN(exceptions_reach_callers_of_microsofts_convention);
#endif
  RUN(exceptions_pass_through_large_frames);
  RUN(exceptions_pass_through_calls_and_callbacks_in_turn);
  RUN(longjmp_passes);
#ifndef WITHOUT_FORCED_UNWINDING
  RUN(ends_of_threads_pass);
#endif
  RUN(backtraces_go_on);
  return harness_end();
}
