#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Views for reading that PETSc changed, on 1 to 3 ranks: all ranks behave alike, whichever of them
# changed something. A time limit ends ranks that wait for each other.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/mpi.sh"

needs_program t945-petsc-views PETSc
for n in 1 2 3; do
  on_ranks 300 $n
done
done_testing
