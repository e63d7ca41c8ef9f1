#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How many files one more kind of something takes (doc/dev/adding.md). test/additions has a patch for
# each kind and a program that uses what the patch adds. All patches are applied to a copy of the
# sources, which is built; then each program succeeds, and with the library as it is it fails.
set -u
. "$(dirname "$0")/../support/tap.sh"

# The most files of the library that each kind may take; new and changed ones count, meson.build does
# not.
most='option 1
pass 3
method 3
access-mode 8
scalar-type 12
argument-kind 10
device-kind 4
file-format 2'

if ! command -v git >/dev/null; then
  skip "git, which applies patches, is not installed"
  done_testing
fi

patches=$src/test/additions
tree=$tmp/tree
mkdir "$tree"
(cd "$src" && cp -R lib include codegen backends scheduler meson.build meson_options.txt README.md \
  LICENSE CHANGELOG.md "$tree/")
for folder in compat python fortran examples tools doc; do
  [ ! -d "$src/$folder" ] || cp -R "$src/$folder" "$tree/"
done

# touched KIND: prints the files of the library that its patch makes or changes
touched() {
  sed -n 's|^+++ b/||p' "$patches/$1.patch" | grep -E '^(lib|include|codegen|backends|scheduler)/' |
    grep -v 'meson\.build$' | sort -u
}
applied() { (cd "$tree" && git apply "$patches/$1.patch"); }
few() { # KIND MOST
  touched "$1" >"$tmp/touched"
  [ "$(wc -l <"$tmp/touched")" -le "$2" ] || { cat "$tmp/touched"; false; }
}

kinds=
while read -r kind limit; do
  if [ ! -f "$patches/$kind.patch" ]; then
    skip "$kind: there is no patch for it yet"
    continue
  fi
  runs "$kind: its patch applies" applied "$kind"
  runs "$kind: at most $limit files" few "$kind" "$limit"
  kinds="$kinds $kind"
done <<EOF
$most
EOF

configure() {
  meson setup "$tree/build" "$tree" --buildtype debug -Doptimization=0 -Dtests=false -Dbench=false \
    -Dmpi=disabled -Dpetsc=disabled
}
runs "the copy with all of them is configured" configure
builds() {
  ninja -C "$tree/build" >"$tmp/log" 2>&1 || { grep -A 8 -E 'warning:|error:' "$tmp/log"; false; }
}
runs "and built" builds
runs "without a warning" sh -c "! grep 'warning:' '$tmp/log'"

# uses KIND ROOT BUILD: builds the program of a kind with a library, and runs it; the status is 77 if
# the machine lacks what the program needs
uses() {
  library=
  if [ "$1" = file-format ]; then
    library=-lop2-hdf5
    [ -e "$3/libop2-hdf5.so" ] || { echo "there is no HDF5"; return 77; }
  fi
  ${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -I "$2/include" "$patches/$1.c" -o "$tmp/$1" \
    -L "$3" -Wl,-rpath-link,"$3" ${library:+"$library"} -lop2 -lm &&
    LD_LIBRARY_PATH=$3${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} OP2_CACHE_DIR="$tmp" "$tmp/$1"
}
for kind in $kinds; do
  uses "$kind" "$tree" "$tree/build" >"$tmp/out" 2>&1
  status=$?
  if [ $status -eq 77 ]; then
    skip "$kind: its program cannot run here: $(cat "$tmp/out")"
    continue
  fi
  result $status "$kind: its program succeeds"
  [ $status -eq 0 ] || diag "$(head -n 20 "$tmp/out")"
  if [ -z "$build" ]; then
    skip "$kind: no build without it to try the program with"
  elif uses "$kind" "$src" "$build" >"$tmp/out" 2>&1; then
    result 1 "$kind: without its patch the program fails"
  else
    result 0 "$kind: without its patch the program fails"
  fi
done

done_testing
