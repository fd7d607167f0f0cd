#!/usr/bin/env bash
# Installs farcall, or takes away what was installed: libraries, header, program, what pkg-config and
# CMake find it by, and licenses.
#
#   scripts/install.sh install TARGET_DIR      (where cargo has built: target/release)
#   scripts/install.sh uninstall
#
# The environment says where to:
#   PREFIX    /usr/local
#   LIBDIR    lib; below PREFIX unless it begins with a slash
#   DESTDIR   put before both, for those who make packages
# and CC, AR, NM, OBJCOPY, READELF and STRIP name other tools than the machine's own.
set -euo pipefail
cd "$(dirname "$0")/.."

prefix=$(realpath --no-symlinks --canonicalize-missing "${PREFIX:-/usr/local}")
libdir=${LIBDIR:-lib}
case $libdir in /*) ;; *) libdir=$prefix/$libdir ;; esac
libdir=$(realpath --no-symlinks --canonicalize-missing "$libdir")
bin=${DESTDIR:-}$prefix/bin
include=${DESTDIR:-}$prefix/include
lib=${DESTDIR:-}$libdir
doc=${DESTDIR:-}$prefix/share/doc/farcall

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
soname=libfarcall.so.0

fail() {
  echo "install: $1" >&2
  exit 1
}

# The file has the version's name; programs look for the SONAME, and linkers for libfarcall.so.
install_shared() {
  "${READELF:-readelf}" --dynamic "$1" | grep -qF "[$soname]" || fail "$1 has not the SONAME $soname"
  install -D -m 755 "$1" "$lib/libfarcall.so.$version"
  "${STRIP:-strip}" --strip-unneeded "$lib/libfarcall.so.$version"
  ln -sfn "libfarcall.so.$version" "$lib/$soname"
  ln -sfn "$soname" "$lib/libfarcall.so"
}

# cargo's archive has the symbols of libffi, of Rust's runtime and of every crate beside farcall's, and a
# program that has its own libffi or another Rust library could not be linked with it. The installed
# one is a single object, in which only what the shared library exports to programs is global (what it
# exports to debuggers they find all the same).
install_static() {
  local functions=$scratch/functions object=$scratch/farcall.o
  "${NM:-nm}" --dynamic --defined-only --format=posix "$2" | cut -d ' ' -f 1 |
    grep -v '^__jit_debug_' >"$functions"
  "${CC:-cc}" -r -nostdlib -Wl,--force-group-allocation \
    $(sed 's/^/-Wl,--undefined=/' "$functions") "$1" -o "$object"
  "${OBJCOPY:-objcopy}" --strip-debug --keep-global-symbols="$functions" \
    --remove-section=.llvmbc --remove-section=.llvmcmd "$object"
  rm -f "$lib/libfarcall.a"
  "${AR:-ar}" crsD "$scratch/libfarcall.a" "$object"
  install -D -m 644 "$scratch/libfarcall.a" "$lib/libfarcall.a"
}

# fill_in TEMPLATE FILE: both are found from the file's own place, so that the prefix may be moved.
fill_in() {
  local folder
  folder=$(dirname "${2#"${DESTDIR:-}"}")
  sed -e "s|@version@|$version|g" \
    -e "s|@soname@|$soname|g" \
    -e "s|@prefix@|$(realpath --no-symlinks -m --relative-to="$folder" "$prefix")|g" \
    -e "s|@libdir@|$(realpath --no-symlinks -m --relative-to="$prefix" "$libdir")|g" \
    "scripts/install/$1" >"$scratch/$1"
  install -D -m 644 "$scratch/$1" "$2"
}

# The system's loader looks up its folders in a cache. Not for packages: these bring their own triggers.
refresh_loader() {
  [ -z "${DESTDIR:-}" ] && [ "$(id -u)" -eq 0 ] || return 0
  ldconfig -N -X -v 2>/dev/null | grep -q "^$libdir\(:\| (\)" || return 0
  ldconfig
}

install_all() {
  local from=$1
  for file in libfarcall.so libfarcall.a farcall; do
    [ -e "$from/$file" ] || fail "$from/$file has not been built: make build"
  done
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  install_shared "$from/libfarcall.so"
  install_static "$from/libfarcall.a" "$from/libfarcall.so"
  install -D -m 644 include/farcall.h "$include/farcall.h"
  install -D -m 755 "$from/farcall" "$bin/farcall"
  "${STRIP:-strip}" "$bin/farcall"
  fill_in farcall.pc "$lib/pkgconfig/farcall.pc"
  fill_in farcall-config.cmake "$lib/cmake/farcall/farcall-config.cmake"
  fill_in farcall-config-version.cmake "$lib/cmake/farcall/farcall-config-version.cmake"
  install -D -m 644 -t "$doc" LICENSE-*
  refresh_loader
  echo "installed farcall $version below ${DESTDIR:-}$prefix"
}

uninstall_all() {
  rm -f "$lib/libfarcall.so" "$lib/$soname" "$lib/libfarcall.so.$version" "$lib/libfarcall.a" \
    "$include/farcall.h" "$bin/farcall" "$lib/pkgconfig/farcall.pc"
  rm -rf "$lib/cmake/farcall" "$doc"
  refresh_loader
  echo "removed farcall from ${DESTDIR:-}$prefix"
}

case "${1:-} $#" in
  'install 2') install_all "$2" ;;
  'uninstall 1') uninstall_all ;;
  *)
    echo "usage: $0 install TARGET_DIR | uninstall" >&2
    exit 2
    ;;
esac
