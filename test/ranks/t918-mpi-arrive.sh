#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks that wait in op2_init_mpi for a rank that does not call it get a warning or an error, on two
# ranks and on three.
set -u
. "$(dirname "$0")/../support/tap.sh"

program=$build/test/t918-mpi-arrive
if [ -z "$build" ] || [ ! -x "$program" ]; then
  skip "this build has no MPI"
  done_testing
fi
for n in 2 3; do
  sh "$src/test/mpirun.sh" "${OP2_TEST_MPI:-none}" 180 "$n" "$program" >"$tmp/out" 2>"$tmp/err"
  status=$?
  if [ $status -eq 77 ]; then
    skip "$(cat "$tmp/err")"
    done_testing
  fi
  results "$n ranks" $status
done
done_testing
