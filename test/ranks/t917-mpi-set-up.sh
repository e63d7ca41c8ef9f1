#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Calls of MPI that fail while a context is set up are reported, on one rank and on two.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/mpi.sh"

needs_program t917-mpi-set-up MPI
for n in 1 2; do
  on_ranks 60 $n
done
done_testing
