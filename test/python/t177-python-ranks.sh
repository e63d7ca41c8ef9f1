#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A program in Python over ranks of MPI: blocks, a map by global numbers, a partition, loops, calls of
# functions, files and a failure, with the same results on any number of ranks, on each backend, lazily
# and eagerly. With OP2_TEST_QUICK=1 each backend is tried in one of the six combinations of these.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$src/test/python/package.sh"
if ! "$python" -c 'import mpi4py, op2._native_mpi, op2._native_hdf5, op2._native_meshfile' 2>"$tmp/err"; then
  skip "no ranks: $(tail -n 1 "$tmp/err")"
  done_testing
fi
export OP2_BACKEND OP2_EAGER
on_ranks() {
  label="$OP2_BACKEND, eager $OP2_EAGER, $1 ranks"
  sh "$src/test/mpirun.sh" "${OP2_TEST_MPI:-openmpi}" 120 "$1" "$python" \
    "$tmp/package/tests/ranks.py" "$tmp/mesh.h5" >"$tmp/out" 2>&1
  status=$?
  if [ $status -eq 77 ]; then
    skip "$label: $(head -n 1 "$tmp/out")"
  else
    grep -q -x "ranks $1, 0 wrong, 500 ones" "$tmp/out" && [ $status -eq 0 ]
    status=$?
    result $status "$label"
    [ $status -eq 0 ] || diag "$(cat "$tmp/out")"
  fi
}
number=0
for OP2_BACKEND in sequential openmp starpu check opencl; do
  number=$((number + 1))
  reason=$("$python" -c "import op2; print(op2.unavailable('$OP2_BACKEND') or '')" 2>&1)
  if [ -n "$reason" ]; then
    skip "$OP2_BACKEND: $reason"
    continue
  fi
  for ranks in 1 2 3; do
    for OP2_EAGER in 0 1; do
      [ "${OP2_TEST_QUICK:-0}" != 0 ] && [ $(((2 * ranks + OP2_EAGER + number) % 6)) -ne 0 ] ||
        on_ranks $ranks
    done
  done
done
done_testing
