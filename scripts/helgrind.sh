#!/usr/bin/env bash
# Runs the test of callbacks and threads under valgrind's helgrind, with a library whose locks helgrind
# knows; then with a race on purpose, which it must find.
#
#   scripts/helgrind.sh BUILD_DIR TARGET_DIR SECONDS
set -euo pipefail
build=$1
target=$2
seconds=$3
"${CARGO:-cargo}" rustc --release --lib --no-default-features --crate-type cdylib --target-dir "$target" -- \
  --cfg helgrind
libraries=$(realpath "$target/release")
ln -sf libfarcall.so "$libraries/libfarcall.so.0"
mkdir -p "$build"
program=$build/test_callback_threads
"${CC:-gcc}" -std=gnu11 -O1 -g -Iinclude c_tests/test_callback_threads.c -o "$program" \
  -L"$libraries" -Wl,-rpath,"$libraries" -lfarcall -pthread -lm

# Memory of stubs is reused for other stubs. farcall says so, and valgrind need not look by itself.
helgrind() {
  valgrind --tool=helgrind --error-exitcode=99 --smc-check=none --fair-sched=yes \
    --suppressions="$(dirname "$0")/helgrind.supp" "$program" "$@"
}

for mode in ${MODES:-stubs}; do
  echo "FARCALL_CODE=$mode"
  FARCALL_CODE=$mode helgrind "$seconds"
done
echo 'with a race on purpose'
found=0
helgrind 1 race >"$build/race" 2>&1 || found=$?
if [ "$found" != 99 ] || ! grep -q 'Possible data race' "$build/race"; then
  cat "$build/race"
  echo 'helgrind: the race was not found'
  exit 1
fi
echo 'helgrind: no race but the one on purpose'
