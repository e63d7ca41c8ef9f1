#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One of three ranks that are processes of MPI fails, in the ways of t925: all of them end or return
# within 10 s, with the rank and the cause.
set -u
. "$(dirname "$0")/tap.sh"

program=$build/test/t912-mpi-failure
ranks() { # LIMIT ARGUMENT...
  limit=$1
  shift
  sh "$src/test/mpirun.sh" "${OP2_TEST_MPI:-none}" "$limit" 3 "$program" "$@" \
    >"$tmp/out" 2>"$tmp/err"
}

if [ -z "$build" ] || [ ! -x "$program" ]; then
  skip "this build has no MPI"
  done_testing
fi
ranks 300
status=$?
if [ $status -eq 77 ]; then
  skip "$(cat "$tmp/err")"
  done_testing
fi
results "every way" $status

# ---- memory: either nobody notices, or all have failed, or the job ends with a message ----

times=10
[ "${OP2_TEST_QUICK:-0}" = 0 ] || times=3
for backend in sequential openmp starpu; do
  failed=0 slowest=0 bad=
  if ! ranks 60 $backend 0; then
    skip "$backend: $(head -n 1 "$tmp/err")"
    continue
  fi
  made=$(cat "$tmp/out")
  for i in $(seq 0 $((times - 1))); do
    n=$((1 + i * made / times))
    begun=$(date +%s)
    ranks 30 $backend $n
    status=$?
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
