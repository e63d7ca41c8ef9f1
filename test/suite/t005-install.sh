#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The files that `meson install` installs suffice: the README's program is built outside the tree,
# in C and in C++, with the flags of pkg-config alone, links to the shared library under its SONAME
# and runs.
set -u
. "$(dirname "$0")/../support/tap.sh"

if [ -z "$build" ]; then
  skip "no build folder: nothing to install"
  done_testing
fi
if [ ! -e "$build/libop2.so" ]; then
  skip "no shared library was built: the static one is tried by t009-use"
  done_testing
fi
# Programs outside the build would have to load the sanitizer's run-time library first.
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
LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PKG_CONFIG_PATH LD_LIBRARY_PATH

# The stage is a prefix that was moved: the files say where they are, not where they were to be.
runs "op2.pc goes with its prefix" test -e "$(pkg-config --variable=includedir op2)/op2.h"
runs "op2.pc states version $version" test "$(pkg-config --modversion op2)" = "$version"
soname=$(readelf -d "$lib/libop2.so" | sed -n 's/.*SONAME.*\[\(.*\)\].*/\1/p')
runs "the SONAME is libop2.so.$major" test "$soname" = "libop2.so.$major"
module=
for try in mpi openmpi mpich; do
  [ ! -e "$lib/libop2-$try.so" ] || module=op2-$try
done
without=/mpi.h$
[ -z "$module" ] || without=/none$
headers() { # prints public headers that are in only one of the two folders
  (cd "$src/include" && find . -name '*.h' | grep -v "$without" | sort) >"$tmp/have"
  (cd "$(dirname "$(find "$stage" -name op2.h)")" && find . -path './op2*' -name '*.h' | sort) \
    >"$tmp/installed"
  diff "$tmp/have" "$tmp/installed"
}
clean "all public headers are installed" headers
internal() { find "$stage" -name '*.a' -o -name '*internal*' -o -name 'config.h'; }
clean "nothing internal is installed" internal

# This is the program that the README shows.
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

# A program over MPI is built with the flags in the companion's own pkg-config file.
if [ -n "$module" ]; then
  soname=$(readelf -d "$lib/lib$module.so" | sed -n 's/.*SONAME.*\[\(.*\)\].*/\1/p')
  runs "the SONAME is lib$module.so.$major" test "$soname" = "lib$module.so.$major"
  runs "$module.pc states version $version" test "$(pkg-config --modversion $module)" = "$version"
  flags=$(pkg-config --cflags --libs $module)
  runs "lib$module.so finds libop2 beside it" env LD_LIBRARY_PATH= sh -c "! ldd '$lib/lib$module.so' | grep 'libop2.*not found'"
  runs "a program over MPI builds by pkg-config" \
    sh -c "${CC:-cc} -std=c11 -Wall -Wextra -Werror -o '$tmp/user' '$src/test/support/mpi_use.c' $flags"
  sh "$src/test/mpirun.sh" "${OP2_TEST_MPI:-none}" 120 2 "$tmp/user" >"$tmp/out" 2>"$tmp/err"
  status=$?
  if [ $status -eq 77 ]; then
    skip "$(cat "$tmp/err")"
  else
    runs "two ranks of it run" test "$status $(tail -n 1 "$tmp/out")" = "0 sum 6, 0 wrong"
  fi
else
  skip "this build has no MPI: no program over it"
fi

done_testing
