#!/usr/bin/env bash
# Makes a Debian 12 machine that has cargo and gcc ready. Installs only what is missing, and
# needs neither network nor root when nothing is.
#
#   scripts/setup.sh         all that `make test` and `make bench` need
#   scripts/setup.sh demo    what `make demo` needs
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:-all}

case "$what" in
  demo)
    packages=(gcc g++ libc6-dev make python3 zlib1g libsqlite3-0)
    arm64_packages=()
    ;;
  all)
    packages=(gcc g++ clang-19 clang-format-19 cmake ninja-build make pkg-config python3 python3-venv
      binutils zlib1g-dev libsqlite3-dev libsdl2-dev libpng-dev libffi-dev libffcall-dev libcurl4
      valgrind luajit gdb
      libc++-19-dev libc++abi-19-dev libunwind-19-dev libclang-rt-19-dev
      gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)
    # Debian's own Rust has a standard library for aarch64 in a package.
    packages+=(rustc-web cargo-web)
    arm64_packages=(libstd-rust-web-dev libc6 libstdc++6 zlib1g libsqlite3-0 libcurl4 libffi-dev)
    # Node is often there from elsewhere than Debian, with npm in the same package.
    command -v node >/dev/null || packages+=(nodejs)
    command -v npm >/dev/null || packages+=(npm)
    ;;
  *)
    echo "usage: $0 [all|demo]" >&2
    exit 2
    ;;
esac

fail() {
  echo "setup: $1" >&2
  exit 1
}

# Elsewhere than on Debian the packages have other names, so that only what can be seen to be
# lacking is an error.
without_dpkg() {
  local lacking=() tool
  for tool in "${packages[@]}"; do
    case "$tool" in
      lib* | zlib* | ninja-build | binutils | python3-venv) continue ;;
      nodejs) tool=node ;;
      rustc-web) tool=rustc ;;
      cargo-web) tool=cargo ;;
      qemu-user) tool=qemu-aarch64 ;;
      gcc-aarch64-linux-gnu) tool=aarch64-linux-gnu-gcc ;;
      g++-aarch64-linux-gnu) tool=aarch64-linux-gnu-g++ ;;
    esac
    command -v "$tool" >/dev/null || lacking+=("$tool")
  done
  [ ${#lacking[@]} -eq 0 ] || fail "not a Debian system; please install: ${lacking[*]}"
  echo "setup: not a Debian system; taking it that these are there: ${packages[*]}"
}

install_packages() {
  local installed missing=() package as_root=()
  installed=$(dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' "${packages[@]}" \
    2>/dev/null | sed -n 's/^installed //p') || installed=${installed:-}
  for package in "${packages[@]}"; do
    grep -qxF -- "$package" <<<"$installed" || missing+=("$package")
  done
  for package in "${arm64_packages[@]}"; do
    dpkg-query --show --showformat='${db:Status-Status}\n' "$package:arm64" 2>/dev/null |
      grep -qx installed || missing+=("$package:arm64")
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      fail "not root and no sudo; please have these packages installed: ${missing[*]}"
    as_root=(sudo)
  fi
  echo "setup: installing ${missing[*]}"
  [ ${#arm64_packages[@]} -eq 0 ] || "${as_root[@]}" dpkg --add-architecture arm64
  "${as_root[@]}" apt-get update -qq ||
    fail "apt-get update failed; these packages are lacking: ${missing[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    fail "apt-get install failed; these packages are lacking: ${missing[*]}"
}

install_nextest() {
  [ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo-nextest" ] && return 0
  command -v cargo-nextest >/dev/null && return 0
  echo "setup: installing cargo-nextest (takes some minutes)"
  cargo install --locked cargo-nextest || fail "cargo-nextest could not be installed"
}

# koffi loads farcall in examples/from_node.mjs. Its version and its digest are in the lock file; its
# scripts would build what it has already built.
install_koffi() {
  local folder=build/koffi
  cmp -s examples/package-lock.json "$folder/package-lock.json" &&
    [ -f "$folder/node_modules/.package-lock.json" ] && return 0
  echo "setup: installing koffi for Node"
  mkdir -p "$folder"
  rm -rf "$folder/node_modules" "$folder/package-lock.json"
  cp examples/package.json "$folder"
  cp examples/package-lock.json "$folder/package-lock.json"
  npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null ||
    fail "koffi could not be installed by npm"
}

# unicorn emulates the processors on which c_tests/emulator runs stubs. Its version and its digests are
# in the file of requirements.
install_unicorn() {
  local folder=build/unicorn requirements=c_tests/emulator/requirements.txt
  cmp -s "$requirements" "$folder/requirements.txt" && return 0
  echo "setup: installing unicorn for Python"
  rm -rf "$folder"
  python3 -m venv "$folder" || fail "python3 can make no environment (Debian: python3-venv)"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes \
    --only-binary :all: --requirement "$requirements" || fail "unicorn could not be installed by pip"
  cp "$requirements" "$folder/requirements.txt"
}

command -v cargo >/dev/null || fail "cargo is lacking: see https://rustup.rs, or apt-get install cargo"
if command -v dpkg-query >/dev/null; then install_packages; else without_dpkg; fi
if [ "$what" = all ]; then
  install_nextest
  install_koffi
  install_unicorn
fi
