#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What `meson install` leaves is enough: the README's program, outside the tree, in C and in C++, is
# built by pkg-config's word alone, links to the shared library under its SONAME and runs.
set -u
. "$(dirname "$0")/tap.sh"

if [ -z "$build" ]; then
  skip "no build folder: nothing to install"
  done_testing
fi
if [ ! -e "$build/libop2.so" ]; then
  skip "no shared library was built: the static one is tried by t009-use"
  done_testing
fi
# Programs outside would have to load the sanitizer's run-time library first.
if nm -D --undefined-only "$build/libop2.so" | grep -q -E '__(asan|tsan|ubsan)_'; then
  skip "a sanitizer build is not for installing"
  done_testing
fi

stage=$tmp/stage
runs "meson install" meson install -C "$build" --no-rebuild --quiet --destdir "$stage"
pc=$(find "$stage" -name op2.pc)
runs "op2.pc is installed" test -f "$pc"
lib=$(dirname "$(dirname "$pc")")
version=$(awk '/define OP2_VERSION_M|define OP2_VERSION_P/ { printf "%s%s", dot, $3; dot = "." }' \
  "$src/include/op2/version.h")
major=${version%%.*}

PKG_CONFIG_PATH=$(dirname "$pc")
PKG_CONFIG_SYSROOT_DIR=$stage
LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR LD_LIBRARY_PATH

runs "op2.pc states version $version" test "$(pkg-config --modversion op2)" = "$version"
soname=$(readelf -d "$lib/libop2.so" | sed -n 's/.*SONAME.*\[\(.*\)\].*/\1/p')
runs "the SONAME is libop2.so.$major" test "$soname" = "libop2.so.$major"
headers() { # public headers that are in one place and not in the other
  (cd "$src/include" && find . -name '*.h' | sort) >"$tmp/have"
  (cd "$(dirname "$(find "$stage" -name op2.h)")" && find . -path './op2*' -name '*.h' | sort) \
    >"$tmp/installed"
  diff "$tmp/have" "$tmp/installed"
}
clean "all public headers are installed" headers
internal() { find "$stage" -name '*.a' -o -name '*internal*' -o -name 'config.h'; }
clean "nothing internal is installed" internal

# The program that the README shows.
program "$src/README.md" >"$tmp/user.c"
cp "$tmp/user.c" "$tmp/user.cc"

flags="-O1 -Wall -Wextra -Werror"
user() { # LANGUAGE COMPILER-AND-FLAGS FILE
  runs "a $1 program builds by pkg-config" \
    sh -c "$2 $flags -o '$tmp/user' '$3' \$(pkg-config --cflags --libs op2)"
  runs "the $1 program runs" sh -c "'$tmp/user' >'$tmp/out'"
  runs "the $1 program's numbers are right" test "$(cat "$tmp/out")" = "101 11 110"
  rm -f "$tmp/user" "$tmp/out"
}
user C "${CC:-cc} -std=c11" "$tmp/user.c"
for compiler in "${CXX:-c++}" clang++; do
  if command -v "$compiler" >/dev/null 2>&1; then
    for dialect in 11 14 17 20; do
      user "C++$dialect, $compiler" "$compiler -std=c++$dialect" "$tmp/user.cc"
    done
  else
    skip "$compiler is not installed: no C++ program by it"
  fi
done

done_testing
