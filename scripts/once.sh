#!/usr/bin/env bash
# Runs a command unless it has passed before with exactly these inputs.
#
#   scripts/once.sh STAMP INPUT... -- COMMAND...
#
# An input is a file or a folder (all files below it). The stamp holds a digest of their names
# and contents, of the command, and of the compilers' versions, so that nothing depends on
# clocks. FORCE=1 runs the command whatever the stamp says.
set -euo pipefail
shopt -s inherit_errexit

stamp=$1
shift
inputs=()
while [ "$1" != -- ]; do
  inputs+=("$1")
  shift
done
shift

digest() {
  {
    find "${inputs[@]}" -name __pycache__ -prune -o -type f -print0 | sort -z |
      xargs -0 sha256sum
    printf '%s\0' "$@"
    rustc --version
    gcc --version
    clang-19 --version
  } | sha256sum
}

before=$(digest "$@")
if [ "${FORCE:-}" != 1 ] && [ -f "$stamp" ] && [ "$before" = "$(cat "$stamp")" ]; then
  echo "unchanged since it passed, not run again (FORCE=1 runs it): $*"
  exit 0
fi
mkdir -p "$(dirname "$stamp")"
rm -f "$stamp"
"$@"
printf '%s\n' "$before" >"$stamp"
