#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Matrices with dense rows and columns as Mats of PETSc, and systems of them that PETSc solves, on 1
# to 3 ranks. A time limit ends ranks that wait for each other.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/mpi.sh"

needs_program t946-petsc-dense-rows PETSc
for n in 1 2 3; do
  on_ranks 300 $n
done
done_testing
