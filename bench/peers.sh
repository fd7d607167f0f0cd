#!/bin/sh
# peers.sh FOLDER: fetches and builds the libraries that farcall is compared with and that the
# system does not have. Each comes from a package registry, inside a package that bundles it:
# libffi 3.6.0 from the crate libffi-sys, which farcall depends on anyhow; dyncall 1.1 from the
# npm package sbffi. One that cannot be had is left out.
set -u
folder=${1:?usage: peers.sh FOLDER}
mkdir -p "$folder" && folder=$(cd "$folder" && pwd) || exit 1
here=$(cd "$(dirname "$0")" && pwd)
cc=${CC:-cc}

libffi() {
  crate=libffi-sys-4.2.2
  source=$(find_crate "$crate")
  if [ -z "$source" ]; then
    (cd "$here/.." && cargo fetch --locked) || return 1
    source=$(find_crate "$crate")
  fi
  [ -n "$source" ] || return 1
  rm -rf "$folder/libffi-build" && mkdir -p "$folder/libffi-build" && cd "$folder/libffi-build" || return 1
  # From a copy, and with time stamps made equal, or make wants automake.
  cp -R "$source/libffi" source && find source -exec touch -r source/configure {} + || return 1
  (cd source && sh ./configure --prefix="$folder/libffi" --libdir="$folder/libffi/lib" --disable-shared \
    --with-pic --disable-docs --disable-multi-os-directory CC="$cc" CFLAGS='-O2' &&
    make -j2 && make install) >build.log 2>&1 || return 1
  sed -n 's/^Version: //p' "$folder/libffi/lib/pkgconfig/libffi.pc" >"$folder/libffi/version"
}

find_crate() {
  find "${CARGO_HOME:-$HOME/.cargo}/registry/src" -maxdepth 2 -name "$1" 2>/dev/null | head -n 1
}

dyncall() {
  rm -rf "$folder/dyncall-build" && mkdir -p "$folder/dyncall-build" && cd "$folder/dyncall-build" || return 1
  npm pack --silent sbffi@1.0.4 >build.log 2>&1 && tar xzf sbffi-1.0.4.tgz || return 1
  source=package/deps/dyncall/dyncall
  for file in vector api callvm callvm_base callf struct; do
    $cc -O2 -fPIC -c "$source/dyncall_$file.c" >>build.log 2>&1 || return 1
  done
  $cc -fPIC -c "$source/dyncall_call.S" >>build.log 2>&1 || return 1
  callbacks=package/deps/dyncall/dyncallback
  for file in alloc_wx.c args.c callback.c thunk.c callback_arch.S; do
    $cc -O2 -fPIC "-I$source" -c "$callbacks/dyncall_$file" >>build.log 2>&1 || return 1
  done
  mkdir -p "$folder/dyncall/lib" "$folder/dyncall/include" &&
    ar rcs "$folder/dyncall/lib/libdyncall_s.a" ./*.o &&
    cp "$source"/dyncall*.h "$callbacks"/dyncall*.h "$folder/dyncall/include/" || return 1
  sed -n 's/^Version \([0-9.]*\).*/\1/p' package/deps/dyncall/ChangeLog | head -n 1 >"$folder/dyncall/version"
}

for peer in libffi dyncall; do
  if ($peer); then
    echo "$peer $(cat "$folder/$peer/version"): built"
  else
    rm -rf "${folder:?}/$peer"
    echo "$peer: could not be had or built; $folder/$peer-build/build.log may tell why"
  fi
done
