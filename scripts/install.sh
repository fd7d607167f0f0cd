#!/usr/bin/env bash
# Installs library, header, program and pkg-config file.
#
#   scripts/install.sh LIB_DIR PREFIX        (DESTDIR is put before PREFIX when set)
set -euo pipefail
cd "$(dirname "$0")/.."
from=$1
prefix=$2
root=${DESTDIR:-}$prefix
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
soname=$(readelf --dynamic "$from/libfarcall.so" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[ -n "$soname" ] || { echo "install: libfarcall.so has no SONAME" >&2; exit 1; }

install -D -m 755 "$from/libfarcall.so" "$root/lib/$soname"
ln -sf "$soname" "$root/lib/libfarcall.so"
install -D -m 644 "$from/libfarcall.a" "$root/lib/libfarcall.a"
install -D -m 644 include/farcall.h "$root/include/farcall.h"
install -D -m 755 "$from/farcall" "$root/bin/farcall"
mkdir -p "$root/lib/pkgconfig"
cat >"$root/lib/pkgconfig/farcall.pc" <<PC
prefix=$prefix
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: farcall
Description: Call any C function from any language
Version: $version
Libs: -L\${libdir} -lfarcall
Cflags: -I\${includedir}
PC
echo "installed farcall $version below $root"
