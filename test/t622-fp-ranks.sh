#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Floating-point modes of the program over ranks of MPI, and in files: alone, and on 1 and 2 ranks.
set -u
. "$(dirname "$0")/tap.sh"

program=$build/test/t622-fp-ranks
if [ -z "$build" ] || [ ! -x "$program" ]; then
  skip "this build has no HDF5 with its MPI"
  done_testing
fi
# What MPI's libraries lose without being initialised is not ours.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 \
  timeout 300 "$program" "$tmp" alone >"$tmp/out" 2>"$tmp/err"
results "alone" $?
for n in 1 2; do
  sh "$src/test/mpirun.sh" "${OP2_TEST_MPI:-none}" 300 "$n" "$program" "$tmp" >"$tmp/out" 2>"$tmp/err"
  status=$?
  if [ $status -eq 77 ]; then
    skip "$(cat "$tmp/err")"
    done_testing
  fi
  results "$n ranks" $status
done
done_testing
