// Exceptions that leave a protected call, and such as do not.
#include "protect.h"

#include <stdexcept>
#include <string>

namespace {

int destroyed;

struct Destroyed {
  ~Destroyed() { destroyed++; }
};

fc_function *inner;

} // namespace

EXPORTED void throw_text(const char *text) {
  Destroyed one;
  throw std::runtime_error(text);
}

// Room where nothing is written, as large as the frames that the exception has left.
EXPORTED int deep_peek(const int *address) {
  volatile char unused[8192];
  unused[0] = 0;
  return *const_cast<const volatile int *>(address) + unused[0];
}

namespace {

std::string thrown_by(const fc_function *function, const char *text) {
  try {
    call_with(function, nullptr, text);
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "nothing was thrown";
}

} // namespace

// Catches what the inner call throws, then reads.
EXPORTED int catch_and_read(const int *address) {
  return thrown_by(inner, "inner") == "inner" ? deep_peek(address) : -1;
}

// Throws and catches within one call.
EXPORTED int throw_and_read(const int *address) {
  try {
    throw_text("own");
  } catch (const std::exception &) {
  }
  return deep_peek(address);
}

EXPORTED void own_and_poke(int *address) {
  Destroyed one;
  poke(address);
}

// Lets what the inner call throws pass.
EXPORTED void let_pass(const char *text) {
  Destroyed one;
  call_with(inner, nullptr, text);
}

namespace {

const uint32_t paths[] = {FC_PROTECT, FC_PROTECT | FC_FORCE_FALLBACK};

fc_function *thrower(uint32_t flags) {
  return function_at("void throw_text(const char *)", ADDRESS_OF(throw_text), flags);
}

void an_exception_reaches_the_caller() {
  for (uint32_t flags : paths) {
    fc_function *function = thrower(flags);
    fc_function *poker = PROTECTED("void poke(int *)", poke);
    for (int round = 0; round < 100; round++) {
      destroyed = 0;
      CHECK_STRING("through", thrown_by(function, "through").c_str());
      CHECK_INT(1, destroyed);
      CHECK_STATUS(FC_ERR_FAULT, call_with(poker, nullptr, nullptr));
    }
    fc_function_free(function);
    fc_function_free(poker);
  }
}

int fault_after(uint32_t flags) {
  expect_unprotected();
  fc_function *function = thrower(flags);
  if (thrown_by(function, "before") != "before")
    return 1;
  return deep_peek(static_cast<const int *>(UNPROTECTED));
}

int fault_after_an_exception() { return fault_after(FC_PROTECT); }

int fault_after_an_exception_through_libffi() {
  return fault_after(FC_PROTECT | FC_FORCE_FALLBACK);
}

// The call is over: a fault is none of its.
void protection_ends_with_an_exception() {
  CHECK_INT(UNPROTECTED_ENDS, child_ends(fault_after_an_exception));
  CHECK_INT(UNPROTECTED_ENDS, child_ends(fault_after_an_exception_through_libffi));
}

void check_reader(int (*reader)(const int *), const char *prototype, const char *name) {
  fc_function *outer = function_at(prototype, ADDRESS_OF(reader), FC_PROTECT);
  const int value = 42;
  for (int round = 0; round < 3; round++) {
    int result = 0;
    CHECK_STATUS(FC_OK, call_with(outer, &result, &value));
    CHECK_INT(42, result);
    CHECK_STATUS(FC_ERR_FAULT, call_with(outer, &result, nullptr));
    CHECK_MESSAGE(name);
    CHECK_MESSAGE("in deep_peek+0x");
  }
  fc_function_free(outer);
}

void the_call_outside_is_protected_again() {
  for (uint32_t flags : paths) {
    inner = thrower(flags);
    check_reader(catch_and_read, "int catch_and_read(const int *)", "catch_and_read: SIGSEGV");
    fc_function_free(inner);
  }
}

void a_call_that_catches_its_own_stays_protected() {
  check_reader(throw_and_read, "int throw_and_read(const int *)", "throw_and_read: SIGSEGV");
}

void an_exception_passes_several_calls() {
  inner = thrower(FC_PROTECT);
  fc_function *outer = PROTECTED("void let_pass(const char *)", let_pass);
  fc_function *poker = PROTECTED("void poke(int *)", poke);
  for (int round = 0; round < 3; round++) {
    destroyed = 0;
    CHECK_STRING("far", thrown_by(outer, "far").c_str());
    CHECK_INT(2, destroyed);
    CHECK_STATUS(FC_ERR_FAULT, call_with(poker, nullptr, nullptr));
  }
  fc_function_free(poker);
  fc_function_free(outer);
  fc_function_free(inner);
}

// A fault is no exception: nothing runs that the callee had still to do, as the header says.
void faults_run_no_destructors() {
  fc_function *function = PROTECTED("void own_and_poke(int *)", own_and_poke);
  int number = 0;
  destroyed = 0;
  CHECK_STATUS(FC_OK, call_with(function, nullptr, &number));
  CHECK_INT(1, destroyed);
  CHECK_STATUS(FC_ERR_FAULT, call_with(function, nullptr, nullptr));
  CHECK_INT(1, destroyed);
  fc_function_free(function);
}

} // namespace

int main() {
  RUN(an_exception_reaches_the_caller);
  RUN(protection_ends_with_an_exception);
  RUN(the_call_outside_is_protected_again);
  RUN(a_call_that_catches_its_own_stays_protected);
  RUN(an_exception_passes_several_calls);
  RUN(faults_run_no_destructors);
  return harness_end();
}
