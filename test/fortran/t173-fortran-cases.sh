#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The cases of fortran_cases pass on each backend, lazily and eagerly; an error without stat ends
# the program with the library's message; and the flags of pkg-config are enough to compile one.
set -u
. "$(dirname "$0")/../support/tap.sh"
cases=$build/test/fortran_cases
if [ -z "$build" ] || [ ! -x "$cases" ]; then
  skip "no build with Fortran"
  done_testing
fi
cd "$tmp" || exit 1

cases_pass() { # BACKEND EAGER
  OP2_BACKEND=$1 OP2_EAGER=$2 "$cases" >"$tmp/out" 2>"$tmp/err" && ! grep -q '^not ok' "$tmp/out" &&
    grep -q '^1\.\.[1-9]' "$tmp/out"
}
for backend in sequential openmp starpu check opencl; do
  for eager in 0 1; do
    if cases_pass $backend $eager; then
      result 0 "$backend, OP2_EAGER=$eager: $(sed -n 's/^1\.\.//p' "$tmp/out") checks"
    elif grep -q -e UNAVAILABLE -e 'is not available' -e 'cannot' "$tmp/err" && [ ! -s "$tmp/out" ]; then
      skip "$backend: $(head -n 1 "$tmp/err")"
    else
      result 1 "$backend, OP2_EAGER=$eager"
      diag "$(grep '^not ok' "$tmp/out"; cat "$tmp/err")"
    fi
  done
done

OP2_BACKEND=sequential "$cases" stop >"$tmp/out" 2>"$tmp/err"
runs "an error without stat ends the program" test $? -ne 0
runs "with the message" grep -q "op2: .*nowhere" "$tmp/err"

# The program of doc/fortran.md is compiled as its page says, also with its kernel by address.
if ! command -v gfortran >/dev/null 2>&1; then
  skip "gfortran is not installed: doc/fortran.md's program is not compiled"
  done_testing
fi
needs_library libop2.so
# block I: prints a block of Fortran
block() {
  awk -v wanted="$1" '/^```fortran$/ { inside = ++n == wanted; next } /^```$/ { inside = 0 } inside' \
    "$src/doc/fortran.md"
}
block 1 >text.f90
sed -n '/^    call op2_kernel_create.*length/,/c_funloc/s/^  //p' "$src/doc/fortran.md" >call
{
  block 2
  block 1 | sed -e 's/^  use op2$/  use ring_kernels\n&/' -e '/op2_kernel_create/,/}/{
    /op2_kernel_create/!d
    r call
    d
  }'
} >address.f90
PKG_CONFIG_PATH=$build/meson-uninstalled
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # several flags
by_pkg_config() {
  gfortran -o "$1" "$1.f90" $(pkg-config --cflags --libs op2-fortran) "-Wl,-rpath,$build:$build/fortran"
}
sums() { OP2_BACKEND=sequential "./$1" | awk '{ exit !($1 == 101 && $2 == 11 && $3 == 110) }'; }
for kernel in text address; do
  runs "the flags of op2-fortran.pc are enough: $kernel" by_pkg_config $kernel
  runs "doc/fortran.md's program prints the right sums: $kernel" sums $kernel
done
done_testing
