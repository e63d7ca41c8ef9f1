#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Twelve programs for OP2, each with its kernels as text that op2-c++ has stored, as text that is read
# when the program runs, and by their address; on every backend; alone and on two ranks. All compute
# what plain loops over the same kernels compute, their kernels print each line once, and the backend
# check finds nothing to say.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$src/test/compat/programs.sh"

# everywhere RANKS: each program that was compiled, on every backend
everywhere() {
  for backend in $backends; do
    OP2_BACKEND=$backend
    export OP2_BACKEND
    for program in $programs; do
      ! there "$program" || tried "$mode, $backend" "$1" "$program"
    done
  done
}
# cross RANKS FLAG...: the programs in the three ways
cross() {
  ranks=$1
  shift
  for mode in plain stored; do
    for program in $programs; do
      there "$program" || { skip "this build has no HDF5: $program not tried"; continue; }
      runs "$program is compiled: $mode" compiled $mode "$program" "$@"
    done
    [ "$ranks" != alone ] || [ -n "$backends" ] || available
    everywhere "$ranks"
  done
  mode=address
  OP_COMPAT_KERNELS=address
  export OP_COMPAT_KERNELS
  everywhere "$ranks"
  unset OP_COMPAT_KERNELS
}
mesh
backends=
# shellcheck disable=SC2086 # words
cross alone $alone
needs_ranks
# shellcheck disable=SC2086 # words
cross 2 $over_mpi
done_testing
