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
  case ${test##*/} in
  # They look at the process's own pages, at faults, single steps and late ends of threads, which valgrind has in its own way.
  test_code_modes | test_own_text | test_protect | test_unwind_anywhere | test_thread_end) continue ;;
  esac
  echo "== $test"
  count=$((count + 1))
  # Memory of stubs is reused for other stubs. farcall says so, and valgrind need not look by itself.
  valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
    --suppressions="$suppressions" --smc-check=none "$test" || failed+=("$test")
done
echo "valgrind: $count programs, ${#failed[@]} failed ${failed[*]}"
[ "$count" -gt 0 ] && [ ${#failed[@]} -eq 0 ]
