#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The program's floating-point modes over ranks of MPI, and in files: in a context without ranks,
# and on 1 and 2 ranks.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/mpi.sh"

needs_program t622-fp-ranks "HDF5 with its MPI"
# Leaks are not checked: MPI's libraries have some if they are not initialised.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 \
  timeout 300 "$program" "$tmp" alone >"$tmp/out" 2>"$tmp/err"
results "alone" $?
for n in 1 2; do
  on_ranks 300 $n "$tmp"
done
done_testing
