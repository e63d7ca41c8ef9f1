#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks of MPI take the devices of their node in turn, those that OP2_DEVICE lists, or those that
# CUDA_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES leave them.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/mpi.sh"

needs_program t543-devices-mpi MPI
export LD_LIBRARY_PATH="$build/test/emulation${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
OP2_TEST_BACKEND=cuda on_ranks 120 4
OP2_TEST_BACKEND=hip on_ranks 120 4
done_testing
