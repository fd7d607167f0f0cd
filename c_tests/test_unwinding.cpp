// C++ exceptions and longjmp pass through a call, on every path, and the next call still works.
#include "harness.h"

#include <csetjmp>
#include <stdexcept>
#include <string>

namespace {

struct Block {
  long numbers[16];
};

std::jmp_buf target;

// Frames of several shapes: arguments in registers, on the stack, and a large result.
extern "C" long throws_or_adds(long number) {
  if (number < 0)
    throw std::runtime_error("number " + std::to_string(number));
  return number + 1;
}
extern "C" double throws_on_stack(double a, double b, double c, double d, double e, double f,
                                  double g, double h, double i, long number) {
  return a + b + c + d + e + f + g + h + i + static_cast<double>(throws_or_adds(number));
}
extern "C" Block throws_block(Block block, long number) {
  block.numbers[0] = throws_or_adds(number);
  return block;
}
extern "C" long jumps_or_adds(long number) {
  if (number < 0)
    std::longjmp(target, 1);
  return number + 1;
}

enum Way { INVOKE, ENTRY, CHECKED, SLOTS, SLOT_ENTRY, WAYS };

void call(const fc_function *function, Way way, void *ret, void **args, fc_slot *slots) {
  fc_slot result;
  result.p = ret;
  if (way == INVOKE)
    fc_invoke(function, ret, args);
  else if (way == ENTRY)
    fc_function_entry(function)(ret, args);
  else if (way == CHECKED)
    CHECK_STATUS(FC_OK, fc_invoke_checked(function, ret, args));
  else if (way == SLOTS)
    fc_invoke_slots(function, &result, slots);
  else
    fc_function_slot_entry(function)(&result, slots);
}

fc_function *function_at(void *address, const char *prototype, uint32_t flags) {
  static fc_decls *decls = nullptr;
  if (!decls) {
    CHECK_STATUS(FC_OK, fc_decls_new(&decls));
    CHECK_STATUS(FC_OK, fc_decls_add(decls, "struct Block { long numbers[16]; };"));
  }
  fc_function_options options = {};
  options.size = sizeof options;
  options.flags = flags;
  fc_signature *signature = nullptr;
  fc_function *function = nullptr;
  CHECK_STATUS(FC_OK, fc_signature_parse(decls, prototype, &signature));
  CHECK_STATUS(FC_OK, fc_function_new(signature, address, &options, &function));
  fc_signature_free(signature);
  return function;
}

const uint32_t all_flags[] = {0, FC_CAPTURE_ERRNO, FC_FORCE_FALLBACK,
                              FC_FORCE_FALLBACK | FC_CAPTURE_ERRNO};

// A destructor between the throw's caller and its handler must run.
struct Witness {
  int *runs;
  ~Witness() { ++*runs; }
};

bool throws(const fc_function *function, Way way, void *ret, void **args, fc_slot *slots) {
  int runs = 0;
  try {
    Witness witness = {&runs};
    call(function, way, ret, args, slots);
  } catch (const std::runtime_error &error) {
    CHECK_STRING("number -5", error.what());
    CHECK_INT(1, runs);
    return true;
  }
  return false;
}

void exceptions_from_a_plain_call() {
  for (uint32_t flags : all_flags) {
    fc_function *function = function_at(ADDRESS_OF(throws_or_adds), "long f(long)", flags);
    for (int way = 0; way < WAYS; way++) {
      long number = -5, result = 0;
      void *args[] = {&number};
      fc_slot slots[1];
      slots[0].i = number;
      CHECK(throws(function, Way(way), &result, args, slots));
      slots[0].i = number = 1;
      CHECK(!throws(function, Way(way), &result, args, slots));
    }
    fc_function_free(function);
  }
}

void exceptions_past_stack_arguments() {
  for (uint32_t flags : all_flags) {
    fc_function *function = function_at(
        ADDRESS_OF(throws_on_stack),
        "double f(double, double, double, double, double, double, double, double, double, long)",
        flags);
    for (int way = 0; way < WAYS; way++) {
      double x = 1, result = 0;
      long number = -5;
      void *args[] = {&x, &x, &x, &x, &x, &x, &x, &x, &x, &number};
      fc_slot slots[10];
      for (fc_slot &slot : slots)
        slot.f64 = x;
      slots[9].i = number;
      CHECK(throws(function, Way(way), &result, args, slots));
      number = 5;
      fc_invoke(function, &result, args);
      CHECK_DOUBLE(15, result);
    }
    fc_function_free(function);
  }
}

void exceptions_past_large_structs() {
  for (uint32_t flags : all_flags) {
    fc_function *function =
        function_at(ADDRESS_OF(throws_block), "struct Block f(struct Block, long)", flags);
    for (int way = 0; way < WAYS; way++) {
      Block block = {{1, 2, 3}}, result = {};
      long number = -5;
      void *args[] = {&block, &number};
      fc_slot slots[2];
      slots[0].p = &block;
      slots[1].i = number;
      CHECK(throws(function, Way(way), &result, args, slots));
      number = 5;
      fc_invoke(function, &result, args);
      CHECK_INT(6, result.numbers[0]);
      CHECK_INT(3, result.numbers[2]);
    }
    fc_function_free(function);
  }
}

void longjmp_out_of_a_call() {
  for (uint32_t flags : all_flags) {
    fc_function *function = function_at(ADDRESS_OF(jumps_or_adds), "long f(long)", flags);
    for (volatile int way = 0; way < WAYS; way = way + 1) {
      long number = -5, result = 0;
      void *args[] = {&number};
      fc_slot slots[1];
      slots[0].i = number;
      volatile bool came_back = false;
      if (setjmp(target) == 0) {
        call(function, Way(int(way)), &result, args, slots);
        came_back = true;
      }
      CHECK(!came_back);
    }
    fc_function_free(function);
  }
}

} // namespace

int main() {
  RUN(exceptions_from_a_plain_call);
  RUN(exceptions_past_stack_arguments);
  RUN(exceptions_past_large_structs);
  RUN(longjmp_out_of_a_call);
  return harness_end();
}
