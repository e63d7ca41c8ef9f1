#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A program in Fortran over ranks of MPI: blocks, a map by global numbers, a partition, a loop.
set -u
. "$(dirname "$0")/../support/tap.sh"
program=$build/test/fortran_ranks
if [ -z "$build" ] || [ ! -x "$program" ]; then
  skip "no build with Fortran and MPI"
  done_testing
fi
for ranks in 1 2 3; do
  sh "$src/test/mpirun.sh" "${OP2_TEST_MPI:-openmpi}" 120 $ranks "$program" >"$tmp/out" 2>&1
  status=$?
  if [ $status -eq 77 ]; then
    skip "$(head -n 1 "$tmp/out")"
  else
    # The lengths 1 to 1000 are added to two nodes each; there are 2000 elements.
    grep -q -x "ranks $ranks, sum 1001000.0, 0 wrong, 2000 owned" "$tmp/out" && [ $status -eq 0 ]
    result $? "$ranks ranks"
    [ $status -eq 0 ] || diag "$(cat "$tmp/out")"
  fi
done
done_testing
