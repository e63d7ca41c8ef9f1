#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks of MPI that make different calls, or leave each other alone, are told so within 10 s.
set -u
. "$(dirname "$0")/tap.sh"

program=$build/test/t936-diverge-mpi
ranks() { # LIMIT ARGUMENT...
  limit=$1
  shift
  sh "$src/test/mpirun.sh" "${OP2_TEST_MPI:-none}" "$limit" 2 "$program" "$@" \
    >"$tmp/out" 2>"$tmp/err"
}

if [ -z "$build" ] || [ ! -x "$program" ]; then
  skip "this build has no MPI"
  done_testing
fi
ranks 3000
status=$?
if [ $status -eq 77 ]; then
  skip "$(cat "$tmp/err")"
  done_testing
fi
results "every call" $status
[ $status -eq 0 ] || diag "$(grep '^#' "$tmp/out")"
done_testing
