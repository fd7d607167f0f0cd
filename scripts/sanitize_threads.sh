#!/usr/bin/env bash
# Builds the library and its tests of threads with ThreadSanitizer, and runs them; then one with a race on
# purpose, which it must find. Rust's own library is as it is, without: see thread_sanitizer.supp.
#
#   [MODES='stubs none'] scripts/sanitize_threads.sh BUILD_DIR TARGET_DIR
set -euo pipefail
build=$1
target=$2
triple=x86_64-unknown-linux-gnu
RUSTC_BOOTSTRAP=1 RUSTFLAGS='-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer' \
  "${CARGO:-cargo}" rustc --release --lib --no-default-features --crate-type cdylib \
  --target "$triple" --target-dir "$target"
libraries=$(realpath "$target/$triple/release")
ln -sf libfarcall.so "$libraries/libfarcall.so.0"
mkdir -p "$build"

symbolizer=$(command -v llvm-symbolizer-19 || command -v llvm-symbolizer)
suppressions=$(realpath "$(dirname "$0")/thread_sanitizer.supp")
export TSAN_OPTIONS="suppressions=$suppressions:external_symbolizer_path=$symbolizer:exitcode=66"
for test in callback_threads callback_lifetime threads; do
  "${CLANG:-clang-19}" -fsanitize=thread -std=gnu11 -O1 -g -Iinclude "c_tests/test_$test.c" \
    -o "$build/test_$test" -L"$libraries" -Wl,-rpath,"$libraries" -lfarcall -pthread -lm
  for mode in ${MODES:-stubs none}; do
    echo "== test_$test, FARCALL_CODE=$mode"
    FARCALL_CODE=$mode "$build/test_$test"
  done
done
FARCALL_CODE=stubs "$build/test_callback_threads" "${SANITIZE_SECONDS:-20}"

echo 'with a race on purpose'
found=0
"$build/test_callback_threads" 1 race >"$build/race" 2>&1 || found=$?
if [ "$found" != 66 ] || ! grep -q 'data race' "$build/race"; then
  cat "$build/race"
  echo 'sanitize_threads: the race was not found'
  exit 1
fi
