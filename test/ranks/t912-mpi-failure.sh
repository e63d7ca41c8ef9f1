#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One of three ranks that are processes of MPI fails, in the ways of t925: all of them end or return
# within 10 s, with the rank and the cause.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/mpi.sh"

needs_program t912-mpi-failure MPI
ranks 300 3
results "every way" $status

# ---- memory: no rank fails, or all ranks fail, or the job ends with a message --------------------

times=10
[ "${OP2_TEST_QUICK:-0}" = 0 ] || times=3
for backend in sequential openmp starpu; do
  failed=0 slowest=0 bad=
  if ! ranks 60 3 $backend 0; then
    skip "$backend: $(head -n 1 "$tmp/err")"
    continue
  fi
  made=$(cat "$tmp/out")
  for i in $(seq 0 $((times - 1))); do
    n=$((1 + i * made / times))
    begun=$(date +%s)
    ranks 30 3 $backend $n
    took=$(($(date +%s) - begun))
    [ $took -le $slowest ] || slowest=$took
    case $status:$(cat "$tmp/out" "$tmp/err") in
      '0:all have failed'* | [!0]*'op2: rank 2 of 3 cannot go on: out of memory'*)
        failed=$((failed + 1)) ;;
      '0:nobody has noticed'*) ;;
      *)
        bad="$bad $n"
        diag "$backend, allocation $n: status $status: $(tail -n 12 "$tmp/out" "$tmp/err")"
        ;;
    esac
  done
  [ -z "$bad" ]
  result $? "$backend: $times of $made allocations fail, of which $failed end all ranks"
  runs "$backend: some are missed" test $failed -gt $((times / 4))
  runs "$backend: within 10 s" test $slowest -le 10
done
done_testing
