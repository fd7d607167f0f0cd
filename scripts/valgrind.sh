#!/usr/bin/env bash
# Runs the C tests of one build folder under valgrind.
#
#   scripts/valgrind.sh BUILD_DIR
set -euo pipefail
build=$1
suppressions=$(dirname "$0")/valgrind.supp
count=0
failed=()
for test in "$build"/test_*; do
  [ -x "$test" ] && [ -f "$test" ] || continue
  echo "== $test"
  count=$((count + 1))
  # Memory of stubs is reused for other stubs. farcall says so, and valgrind need not look by itself.
  valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
    --suppressions="$suppressions" --smc-check=none "$test" || failed+=("$test")
done
echo "valgrind: $count programs, ${#failed[@]} failed ${failed[*]}"
[ "$count" -gt 0 ] && [ ${#failed[@]} -eq 0 ]
