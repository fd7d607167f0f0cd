#!/usr/bin/env bash
# Calls into libraries that every Debian has, from the command line and from C.
#
#   scripts/demo.sh [LIB_DIR]
set -euo pipefail
cd "$(dirname "$0")/.."
lib_dir=${1:-target/release}
PATH=$PWD/$lib_dir:$PATH

show() {
  printf '\n$'
  local word
  for word in "$@"; do
    case "$word" in
      *[!A-Za-z0-9_./=,+:@-]* | '') printf " '%s'" "$word" ;;
      *) printf ' %s' "$word" ;;
    esac
  done
  printf '\n'
  "$@"
}

show farcall call libm.so.6 'double pow(double, double)' 2 10
show farcall call libm.so.6 'float hypotf(float, float)' 3 4
show farcall call libz.so.1 'const char *zlibVersion(void)'
show farcall call libz.so.1 'unsigned long crc32(unsigned long, const char *, unsigned)' 0 123456789 9
show farcall call libsqlite3.so.0 'const char *sqlite3_libversion(void)'
show farcall call libsqlite3.so.0 'int sqlite3_complete(const char *)' 'SELECT 1;'

if [ -f examples/pow.c ]; then
  mkdir -p build/demo
  show cc -Iinclude examples/pow.c -o build/demo/pow "-L$lib_dir" -lfarcall "-Wl,-rpath,$PWD/$lib_dir"
  show build/demo/pow
fi
