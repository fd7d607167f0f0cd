#!/usr/bin/env bash
# Builds the C and C++ tests with AddressSanitizer, and runs them with the library as it is. clang's: the
# allocator of gcc's, as late as gcc 12, may be locked for ever in the child of a fork.
#
#   [MODES='stubs none'] scripts/sanitize_address.sh BUILD_DIR LIB_DIR
set -euo pipefail
build=$1
cmake -S c_tests -B "$build" -G Ninja -DCMAKE_C_COMPILER="${CLANG:-clang-19}" -DCMAKE_CXX_COMPILER="${CLANGXX:-clang++-19}" \
  -DFARCALL_SANITIZE=address -DFARCALL_LIB_DIR="$(realpath "$2")" \
  -DFARCALL_INCLUDE_DIR="$(realpath include)" --log-level=NOTICE
cmake --build "$build"

# Protected calls have handlers of their own for these. What tests leave behind is for valgrind to say, which
# also looks into the library.
export ASAN_OPTIONS=handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:detect_leaks=0
for mode in ${MODES:-stubs none}; do
  echo "FARCALL_CODE=$mode"
  # The others are not test programs in C, and have nothing of AddressSanitizer.
  FARCALL_CODE=$mode ctest --test-dir "$build" --output-on-failure --no-tests=error -j 2 \
    -E '^(header|contract|tools)'
done

# It finds what there is to be found.
"${CLANG:-clang-19}" -fsanitize=address -g -x c - -o "$build/fault" <<'END'
#include <stdlib.h>
int main(int argc, char **argv) {
  volatile char *bytes = (volatile char *)malloc(3);
  (void)argv;
  return bytes[2 + argc];
}
END
if "$build/fault" 2>/dev/null; then
  echo 'sanitize_address: a read behind the end was not found'
  exit 1
fi
