#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What PETSc changed of views for reading, on 1 to 3 ranks: ranks do not go different ways, whichever
# of them changed something. The limit is for ranks that wait for each other.
set -u
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/mpi.sh"

needs_program t945-petsc-views PETSc
for n in 1 2 3; do
  on_ranks 300 $n
done
done_testing
