#!/usr/bin/env bash
# Calls into libraries that every Debian has, from the command line, C, C++ and Python.
#
#   scripts/demo.sh [LIB_DIR]
set -euo pipefail
cd "$(dirname "$0")/.."
lib_dir=${1:-target/release}
PATH=$(realpath "$lib_dir"):$PATH

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

mkdir -p build/demo
link=("-L$lib_dir" -lfarcall "-Wl,-rpath,$(realpath "$lib_dir")")
show cc -Iinclude examples/quickstart.c "${link[@]}" -o build/demo/quickstart-c
show build/demo/quickstart-c
show c++ -Iinclude examples/quickstart.cpp "${link[@]}" -o build/demo/quickstart-cpp
show build/demo/quickstart-cpp
show python3 examples/from_python.py "$lib_dir/libfarcall.so"
