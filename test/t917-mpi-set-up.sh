#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Calls of MPI that fail while a context is set up are reported, on one rank and on two.
set -u
. "$(dirname "$0")/tap.sh"

program=$build/test/t917-mpi-set-up
if [ -z "$build" ] || [ ! -x "$program" ]; then
  skip "this build has no MPI"
  done_testing
fi
for n in 1 2; do
  sh "$src/test/mpirun.sh" "${OP2_TEST_MPI:-none}" 60 "$n" "$program" >"$tmp/out" 2>"$tmp/err"
  status=$?
  if [ $status -eq 77 ]; then
    skip "$(cat "$tmp/err")"
    done_testing
  fi
  results "$n ranks" $status
done
done_testing
