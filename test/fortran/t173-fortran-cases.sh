#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The cases of fortran_cases pass on each backend, lazily and eagerly, and so do those of fortran_meshes;
# an error without stat ends the program with the library's message. t022 compiles what the pages show of Fortran.
set -u
. "$(dirname "$0")/../support/tap.sh"
cases=$build/test/fortran_cases
if [ -z "$build" ] || [ ! -x "$cases" ]; then
  skip "no build with Fortran"
  done_testing
fi
cd "$tmp" || exit 1

cases_pass() { # PROGRAM [ARGUMENT]
  "$@" >"$tmp/out" 2>"$tmp/err" && ! grep -q '^not ok' "$tmp/out" && grep -q '^1\.\.[1-9]' "$tmp/out"
}
tried() { # NAME PROGRAM [ARGUMENT]
  label="$OP2_BACKEND, OP2_EAGER=$OP2_EAGER, $1"
  shift
  if cases_pass "$@"; then
    result 0 "$label: $(sed -n 's/^1\.\.//p' "$tmp/out") checks"
  elif grep -q -e UNAVAILABLE -e 'is not available' -e 'cannot' "$tmp/err" && [ ! -s "$tmp/out" ]; then
    skip "$label: $(head -n 1 "$tmp/err")"
  else
    result 1 "$label"
    diag "$(grep '^not ok' "$tmp/out"; cat "$tmp/err")"
  fi
}
export OP2_BACKEND OP2_EAGER
for OP2_BACKEND in sequential openmp starpu check opencl; do
  for OP2_EAGER in 0 1; do
    tried cases "$cases"
    tried meshes "$build/test/fortran_meshes" "$src/examples/channel.msh"
  done
done

OP2_BACKEND=sequential "$cases" stop >"$tmp/out" 2>"$tmp/err"
runs "an error without stat ends the program" test $? -ne 0
runs "with the message" grep -q "op2: .*nowhere" "$tmp/err"

done_testing
