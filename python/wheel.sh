#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Build a wheel that carries the library, with the backends sequential, openmp and check:
#   python/wheel.sh [--build DIR] [--python NAME] [OUT]
# The wheel goes into the folder OUT (the present one), for the Python of this name (python3) and
# machines like this one. It needs cffi and NumPy, and a C compiler when programs run. The library is
# built in DIR, or in a folder that is deleted afterwards. What it takes here: test/deps.sh build python
set -eu

say() { echo "wheel: $*" >&2; }
die() { say "$*"; exit 1; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=
python=python3
out=.
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;;
    --build | --python)
      [ $# -gt 1 ] || die "a value is missing after $1"
      [ "$1" = --build ] && build=$2 || python=$2
      shift
      ;;
    -*) die "unknown option $1 (--help lists them)" ;;
    *) out=$1 ;;
  esac
  shift
done
mkdir -p "$out"
out=$(cd "$out" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
[ -n "$build" ] || build=$tmp/build

# The library contains what it needs of xxHash, so that the wheel depends on the system's C library
# and the compiler's own libraries alone.
[ -f "$build/build.ninja" ] || meson setup "$build" "$root" --prefix="$tmp/library" --libdir=lib \
  --buildtype=release --strip -Dc_args=-DXXH_INLINE_ALL -Dauto_features=disabled -Dopenmp=enabled \
  -Dverify=false -Dbench=false -Dcompat=false -Dtests=false >&2
meson install -C "$build" --destdir "$tmp/installed" --quiet >&2
library=$(find "$tmp/installed" -name 'libop2.so.[0-9]')
[ -n "$library" ] || die "$build has no shared library"

# pkg-config has names of installed files, which are in another place here.
sed "s|^prefix=.*|prefix=${library%/lib/*}|" "${library%/*}/pkgconfig/op2.pc" >"$tmp/op2.pc"
cp -R "$root/python" "$tmp/package" # setuptools writes beside the sources
OP2_WHEEL_LIBRARY=$library PKG_CONFIG_PATH=$tmp \
  "$python" -m pip wheel -q --no-build-isolation --no-deps --no-index --wheel-dir "$out" \
  "$tmp/package" >&2
find "$out" -name 'op2-*.whl' -newer "$tmp/op2.pc"
