#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What PETSc changed of views for reading, on 1 to 3 ranks: ranks do not go different ways, whichever
# of them changed something. The limit is for ranks that wait for each other.
set -u
. "$(dirname "$0")/tap.sh"

program=$build/test/t945-petsc-views
if [ -z "$build" ] || [ ! -x "$program" ]; then
  skip "this build has no PETSc"
  done_testing
fi
for n in 1 2 3; do
  sh "$src/test/mpirun.sh" "${OP2_TEST_MPI:-none}" 300 "$n" "$program" >"$tmp/out" 2>"$tmp/err"
  status=$?
  if [ $status -eq 77 ]; then
    skip "$(cat "$tmp/err")"
    done_testing
  fi
  results "$n ranks" $status
done
done_testing
