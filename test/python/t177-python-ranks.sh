#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A program in Python over ranks of MPI: blocks, a map by global numbers, a partition, loops, calls of
# functions, files and a failure, with the same results on any number of ranks.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$src/test/python/package.sh"
if ! "$python" -c 'import mpi4py, op2._native_mpi, op2._native_hdf5' 2>"$tmp/err"; then
  skip "no ranks: $(tail -n 1 "$tmp/err")"
  done_testing
fi
for ranks in 1 2 3; do
  sh "$src/test/mpirun.sh" "${OP2_TEST_MPI:-openmpi}" 120 $ranks "$python" \
    "$tmp/package/tests/ranks.py" "$tmp/mesh.h5" >"$tmp/out" 2>&1
  status=$?
  if [ $status -eq 77 ]; then
    skip "$(head -n 1 "$tmp/out")"
  else
    grep -q -x "ranks $ranks, 0 wrong, 500 ones" "$tmp/out" && [ $status -eq 0 ]
    result $? "$ranks ranks"
    [ $status -eq 0 ] || diag "$(cat "$tmp/out")"
  fi
done
done_testing
