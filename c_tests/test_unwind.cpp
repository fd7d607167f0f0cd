// What leaves a callee by another way than a return: exceptions, longjmp and the end of a thread
// pass through farcall to its caller, on every path. Destructors on both sides run, and backtraces
// go on.
#include "harness.h"
#include "pace.h"

#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <execinfo.h>
#include <memory>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Counted {
  int &count;
  explicit Counted(int &where) : count(where) {}
  Counted(const Counted &) = delete;
  Counted &operator=(const Counted &) = delete;
  ~Counted() { count++; }
};

// What the callee does, and how many callees were left.
void (*action)();
int left;

struct Point {
  double x, y;
};
struct Large {
  long values[9];
};
struct alignas(64) Aligned {
  long values[8];
};

void arguments_in_registers(int, int) {
  Counted here(left);
  action();
}

int result_in_register(int a, int b) {
  Counted here(left);
  action();
  return a + b;
}

Point two_registers(Point a, Point b) {
  Counted here(left);
  action();
  return {a.x + b.x, a.y + b.y};
}

Large in_memory(Large a, double, double, double, double, double, double, double, double, double b,
                long, long, long, long, long, long, long, long c) {
  Counted here(left);
  action();
  a.values[0] += c + static_cast<long>(b);
  return a;
}

long aligned_on_the_stack(Aligned a, long b) {
  Counted here(left);
  action();
  return a.values[0] + b;
}

long double widest(long double a, long double b) {
  Counted here(left);
  action();
  return a + b;
}

int variadic(int a, ...) {
  Counted here(left);
  action();
  return a;
}

// A callee, and arguments of its parameters' sizes, all zeros.
struct Shape {
  const char *prototype;
  void *address;
  std::vector<size_t> sizes;
  bool without_libffi;
};

const std::vector<Shape> &shapes() {
  static const size_t eight = 8;
  static const std::vector<Shape> all = {
      {"void f(int, int)", ADDRESS_OF(arguments_in_registers), {4, 4}, false},
      {"int f(int, int)", ADDRESS_OF(result_in_register), {4, 4}, false},
      {"struct {double x, y;} f(struct {double x, y;}, struct {double x, y;})",
       ADDRESS_OF(two_registers),
       {16, 16},
       false},
      {"struct {long v[9];} f(struct {long v[9];}, double, double, double, double, double, double, "
       "double, double, double, long, long, long, long, long, long, long, long)",
       ADDRESS_OF(in_memory),
       std::vector<size_t>{72, eight, eight, eight, eight, eight, eight, eight, eight, eight, eight,
                           eight, eight, eight, eight, eight, eight, eight},
       false},
      {"long f(struct __attribute__((aligned(64))) {long v[8];}, long)",
       ADDRESS_OF(aligned_on_the_stack),
       {64, 8},
       true},
      {"long double f(long double, long double)", ADDRESS_OF(widest), {16, 16}, false},
      {"int f(int, ...)", ADDRESS_OF(variadic), {4, 8, 4}, false},
  };
  return all;
}

enum Way { INVOKE, CHECKED, SLOTS, ENTRY, SLOT_ENTRY, WAYS };
const char *const way_names[] = {"fc_invoke", "fc_invoke_checked", "fc_invoke_slots", "fc_entry",
                                 "fc_slot_entry"};

// A bound function with all that a call of it needs.
class Call {
public:
  Call(const Shape &shape, uint32_t flags) : name(shape.prototype) {
    fc_signature *signature = nullptr;
    CHECK_STATUS(FC_OK, fc_signature_parse(nullptr, shape.prototype, &signature));
    if (std::strstr(shape.prototype, "...")) {
      fc_signature *open = signature;
      const fc_type *extra[] = {fc_type_scalar(FC_F64), fc_type_scalar(FC_I32)};
      CHECK_STATUS(FC_OK, fc_signature_variadic(open, extra, 2, &signature));
      fc_signature_free(open);
    }
    fc_function_options options;
    std::memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.flags = flags;
    const fc_status status = fc_function_new(signature, shape.address, &options, &function);
    refused = status == FC_ERR_UNSUPPORTED && shape.without_libffi &&
              ((flags & FC_FORCE_FALLBACK) || !makes_stubs());
    CHECK(refused || status == FC_OK);
    fc_signature_free(signature);
    for (size_t size : shape.sizes) {
      fc_slot slot;
      std::memset(&slot, 0, sizeof slot);
      args.push_back(value);
      if (size > sizeof slot)
        slot.p = value;
      slots.push_back(slot);
    }
  }
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;
  ~Call() { fc_function_free(function); }

  explicit operator bool() const { return !refused; }

  // Where no code is made, there may be no entries.
  bool has(Way way) const {
    if (way == ENTRY)
      return fc_function_entry(function) != nullptr;
    return way != SLOT_ENTRY || fc_function_slot_entry(function) != nullptr;
  }

  void by(Way way) {
    fc_slot slot;
    slot.p = result;
    switch (way) {
    case INVOKE:
      fc_invoke(function, result, args.data());
      break;
    case CHECKED:
      fc_invoke_checked(function, result, args.data());
      break;
    case SLOTS:
      fc_invoke_slots(function, &slot, slots.data());
      break;
    case ENTRY:
      fc_function_entry(function)(result, args.data());
      break;
    default:
      fc_function_slot_entry(function)(&slot, slots.data());
      break;
    }
  }

  std::string name;

private:
  fc_function *function = nullptr;
  bool refused = false;
  std::vector<void *> args;
  std::vector<fc_slot> slots;
  alignas(64) unsigned char value[128] = {};
  alignas(64) unsigned char result[128] = {};
};

// Runs a test for every path, shape and way to call.
template <typename Test> void on_every_path(Test test) {
  const uint32_t paths[] = {0, FC_CAPTURE_ERRNO, FC_FORCE_FALLBACK,
                            FC_FORCE_FALLBACK | FC_CAPTURE_ERRNO};
  for (uint32_t flags : paths)
    for (const Shape &shape : shapes()) {
      Call call(shape, flags);
      if (!call)
        continue;
      const bool needed = makes_stubs();
      for (int number = 0; number < WAYS; number++) {
        const Way way = static_cast<Way>(number);
        if (!call.has(way)) {
          CHECK(!needed);
          continue;
        }
        const int before = harness.failures;
        left = 0;
        test(call, way);
        if (harness.failures != before)
          printf("  %s by %s, flags %u\n", call.name.c_str(), way_names[way], flags);
      }
    }
}

void throw_runtime_error() { throw std::runtime_error("thrown by the callee"); }

void exceptions_reach_the_caller() {
  action = throw_runtime_error;
  on_every_path([](Call &call, Way way) {
    int caller_left = 0;
    std::string message;
    try {
      Counted here(caller_left);
      call.by(way);
    } catch (const std::runtime_error &error) {
      message = error.what();
    }
    CHECK_STRING("thrown by the callee", message.c_str());
    CHECK_INT(1, left);
    CHECK_INT(1, caller_left);
  });
}

void exceptions_of_any_type() {
  action = [] { throw 42; };
  on_every_path([](Call &call, Way way) {
    int caught = 0;
    try {
      call.by(way);
    } catch (const std::exception &) {
      caught = -1;
    } catch (int number) {
      caught = number;
    }
    CHECK_INT(42, caught);
  });
}

void throw_again() {
  try {
    throw_runtime_error();
  } catch (...) {
    throw;
  }
}

void exceptions_that_are_thrown_again() {
  action = throw_again;
  on_every_path([](Call &call, Way way) {
    int caught = 0;
    try {
      try {
        call.by(way);
      } catch (const std::exception &) {
        caught++;
        throw;
      }
    } catch (const std::runtime_error &) {
      caught++;
    }
    CHECK_INT(2, caught);
    CHECK_INT(1, left);
  });
}

// Each callee calls the next function in another way; the last one throws.
Call *nested_call;
int depth;
const int DEEPEST = 40;

void call_deeper_and_throw_at_the_end() {
  if (++depth == DEEPEST)
    throw depth;
  const Way way = static_cast<Way>(depth % WAYS);
  nested_call->by(nested_call->has(way) ? way : INVOKE);
}

void exceptions_through_many_calls() {
  action = call_deeper_and_throw_at_the_end;
  on_every_path([](Call &call, Way way) {
    nested_call = &call;
    depth = 0;
    int caught = 0;
    try {
      call.by(way);
    } catch (int number) {
      caught = number;
    }
    CHECK_INT(DEEPEST, caught);
    CHECK_INT(DEEPEST, left);
  });
}

void exceptions_that_the_callee_handles() {
  action = [] {
    try {
      throw_runtime_error();
    } catch (const std::exception &) {
    }
  };
  on_every_path([](Call &call, Way way) {
    call.by(way);
    CHECK_INT(1, left);
  });
}

std::jmp_buf target;

// No destructor is between the two: C++ has no meaning for a jump over one.
int jump_from_the_callee(int, int) { std::longjmp(target, 7); }

// Again and again: the stack is as it was each time.
void jump_often(Call &call, Way way) {
  volatile int rounds = 0;
  if (setjmp(target) != 0)
    rounds = rounds + 1;
  if (rounds < 1000)
    call.by(way);
  CHECK_INT(1000, rounds);
}

void longjmp_leaves_the_callee() {
  const Shape shape = {"int f(int, int)", ADDRESS_OF(jump_from_the_callee), {4, 4}, false};
  for (uint32_t flags : {uint32_t(0), uint32_t(FC_FORCE_FALLBACK)}) {
    Call call(shape, flags);
    for (int number = 0; number < WAYS; number++)
      if (call.has(static_cast<Way>(number)))
        jump_often(call, static_cast<Way>(number));
  }
}

#ifndef WITHOUT_FORCED_UNWINDING
struct Ended {
  Call *call;
  Way way;
  int caller_left;
};

void *end_in_the_callee(void *data) {
  Ended *ended = static_cast<Ended *>(data);
  Counted here(ended->caller_left);
  ended->call->by(ended->way);
  return nullptr;
}

void threads_that_end_in_the_callee() {
  action = [] { pthread_exit(&left); };
  on_every_path([](Call &call, Way way) {
    Ended ended = {&call, way, 0};
    pthread_t thread;
    void *result = nullptr;
    CHECK_INT(0, pthread_create(&thread, nullptr, end_in_the_callee, &ended));
    CHECK_INT(0, pthread_join(thread, &result));
    CHECK_POINTER(&left, result);
    CHECK_INT(1, left);
    CHECK_INT(1, ended.caller_left);
  });
}

void threads_that_are_cancelled_in_the_callee() {
  action = [] {
    pthread_cancel(pthread_self());
    pthread_testcancel();
  };
  on_every_path([](Call &call, Way way) {
    Ended ended = {&call, way, 0};
    pthread_t thread;
    void *result = nullptr;
    CHECK_INT(0, pthread_create(&thread, nullptr, end_in_the_callee, &ended));
    CHECK_INT(0, pthread_join(thread, &result));
    CHECK(result == PTHREAD_CANCELED);
    CHECK_INT(1, left);
    CHECK_INT(1, ended.caller_left);
  });
}
#endif

const int MOST_FRAMES = 64;
void *inner[MOST_FRAMES];
int inner_count;

// All frames of the caller, but the one that it is in itself, are frames of the callee too.
void backtraces_show_both_sides() {
  action = [] { inner_count = backtrace(inner, MOST_FRAMES); };
  on_every_path([](Call &call, Way way) {
    void *outer[MOST_FRAMES];
    inner_count = 0;
    call.by(way);
    const int outer_count = backtrace(outer, MOST_FRAMES);
    CHECK(outer_count > 3);
    CHECK(inner_count > outer_count + 1);
    // AddressSanitizer has a backtrace of its own, which begins with itself.
    const int own = address_sanitized() ? 2 : 1;
    for (int i = 1; i <= outer_count - own; i++)
      CHECK_POINTER(outer[outer_count - i], inner[inner_count > i ? inner_count - i : 0]);
  });
}

// Code is all over the memory that is reserved for it, some of it anew.
void exceptions_through_much_code() {
  action = throw_runtime_error;
  std::vector<std::unique_ptr<Call>> calls;
  for (int i = 0; i < 6000; i++) {
    calls.push_back(std::unique_ptr<Call>(new Call(shapes()[1], 0)));
    calls.back()->has(ENTRY);
    calls.back()->has(SLOT_ENTRY);
  }
  for (size_t i = 0; i < calls.size(); i += 97)
    for (Way way : {ENTRY, SLOT_ENTRY}) {
      if (!calls[i]->has(way))
        continue;
      bool caught = false;
      try {
        calls[i]->by(way);
      } catch (const std::runtime_error &) {
        caught = true;
      }
      CHECK(caught);
    }
}

} // namespace

int main() {
  RUN(exceptions_reach_the_caller);
  RUN(exceptions_of_any_type);
  RUN(exceptions_that_are_thrown_again);
  RUN(exceptions_through_many_calls);
  RUN(exceptions_that_the_callee_handles);
  RUN(longjmp_leaves_the_callee);
#ifndef WITHOUT_FORCED_UNWINDING
  RUN(threads_that_end_in_the_callee);
  RUN(threads_that_are_cancelled_in_the_callee);
#endif
  RUN(backtraces_show_both_sides);
  RUN(exceptions_through_much_code);
  return harness_end();
}
