#!/usr/bin/env bash
# Builds the C and C++ tests with one pair of compilers, and runs them in each way in which farcall makes
# code: once for each word of MODES, which FARCALL_CODE is set to.
#
#   [MODES='stubs none dual'] scripts/ctest.sh BUILD_DIR CC CXX LIB_DIR INCLUDE_DIR [TOOLCHAIN_FILE]
set -euo pipefail
build=$1
cmake -S c_tests -B "$build" -G Ninja -DCMAKE_C_COMPILER="$2" -DCMAKE_CXX_COMPILER="$3" \
  -DFARCALL_LIB_DIR="$(realpath "$4")" -DFARCALL_INCLUDE_DIR="$(realpath "$5")" \
  ${6:+-DCMAKE_TOOLCHAIN_FILE="$(realpath "$6")"} --log-level=NOTICE
cmake --build "$build"
for mode in ${MODES:-stubs none dual}; do
  echo "FARCALL_CODE=$mode"
  FARCALL_CODE=$mode ctest --test-dir "$build" --output-on-failure --no-tests=error -j 2
done
