# The same tests with LLVM's C++ library and unwinder. They are beside GCC's unwinder in the process then,
# with which the library is linked.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang OR CMAKE_CROSSCOMPILING)
  return()
endif()
set(llvm -stdlib=libc++ -unwindlib=libunwind --rtlib=compiler-rt)
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -stdlib=libc++)
set(CMAKE_REQUIRED_LINK_OPTIONS ${llvm})
check_cxx_source_compiles("#include <vector>
int main() { throw std::vector<int>(1); }" HAS_LLVM_UNWINDER)
unset(CMAKE_REQUIRED_FLAGS)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
if(NOT HAS_LLVM_UNWINDER)
  message(NOTICE "skipped: tests of unwinding with LLVM's unwinder, which is not installed (scripts/setup.sh)")
  return()
endif()
foreach(test IN ITEMS unwind callback_unwind)
  farcall_test(${test}_llvm test_${test}.cpp)
  set_target_properties(test_${test}_llvm PROPERTIES CXX_STANDARD 17)
  target_compile_options(test_${test}_llvm PRIVATE -stdlib=libc++)
  target_link_options(test_${test}_llvm PRIVATE ${llvm})
  # With this unwinder a thread that ends in a function with destructors crashes, with or without farcall:
  # the C library unwinds it with GCC's.
  target_compile_definitions(test_${test}_llvm PRIVATE WITHOUT_FORCED_UNWINDING)
endforeach()
