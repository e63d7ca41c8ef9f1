#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The classes of op2.hpp: a program that uses them all is compiled without a warning, in C++17 and
# C++20, by each compiler that is there, with exceptions and without, and runs on each backend.
set -u
. "$(dirname "$0")/../support/tap.sh"

if [ -z "$build" ] || [ ! -e "$build/libop2.so" ]; then
  skip "no shared library was built"
  done_testing
fi
if nm -D --undefined-only "$build/libop2.so" | grep -q -E '__(asan|tsan|ubsan)_'; then
  skip "programs outside the build would have to load the sanitizer's library first"
  done_testing
fi
strict="-O1 -Wall -Wextra -Wpedantic -Wconversion -Wold-style-cast -Wzero-as-null-pointer-constant -Werror"
program=$(dirname "$0")/t013-cxx.cc
# passes COMMAND...: a program that writes TAP and succeeds; its failures are shown
passes() { "$@" >"$tmp/tap" 2>&1 && grep -q '^1\.\.[1-9]' "$tmp/tap" || { cat "$tmp/tap" >&2; return 1; }; }

for compiler in "${CXX:-c++}" clang++; do
  if ! command -v "${compiler%% *}" >/dev/null; then
    skip "$compiler is not installed"
    continue
  fi
  for dialect in 17 20; do
    for how in -fexceptions -fno-exceptions; do
      label="$compiler, C++$dialect, $how"
      rm -f "$tmp/program"
      # shellcheck disable=SC2086 # lists of options
      runs "$label: no warning" $compiler -std=c++$dialect $strict $how "-I$src/include" "$program" \
        -o "$tmp/program" "-L$build" -lop2 "-Wl,-rpath,$build"
      [ -x "$tmp/program" ] || continue
      runs "$label: the program passes" passes env OP2_BACKEND=sequential "$tmp/program"
    done
  done
done
[ -x "$tmp/program" ] || done_testing
for backend in openmp starpu check opencl; do
  if OP2_BACKEND=$backend "$tmp/program" 2>&1 | grep -q OP2_ERR_UNAVAILABLE; then
    skip "$backend: it is not there"
    continue
  fi
  for eager in 0 1; do
    runs "$backend, eager $eager" passes env OP2_BACKEND=$backend OP2_EAGER=$eager "$tmp/program"
  done
done
done_testing
