#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs with a real-time priority, which the system does not interrupt for another thread of the
# same priority: they take no longer than without it, since waiting threads soon sleep.
set -u
. "${OP2_TEST_SOURCE:-$(dirname "$0")/../..}/test/support/tap.sh"

airfoil=$build/bench/airfoil/airfoil
if [ -z "$build" ] || [ ! -x "$airfoil" ]; then
  skip "airfoil was not built"
  done_testing
fi
if ! command -v chrt >"$tmp/out" 2>&1; then
  skip "there is no chrt"
  done_testing
fi
if ! chrt -f 10 true >"$tmp/out" 2>&1; then
  skip "real-time priorities are not permitted: $(head -n 1 "$tmp/out")"
  done_testing
fi
OP2_CACHE_DIR=${OP2_TEST_CACHE:-$tmp/cache}
export OP2_CACHE_DIR
# OpenMP's library decides how long its threads spin, as it does for other programs.
unset OMP_WAIT_POLICY OP2_VERIFY

milliseconds() { date +%s%N | sed 's/......$//'; }

# timed LIMIT BACKEND MESH COMMAND...: runs airfoil by COMMAND; $took has its milliseconds
timed() {
  limit=$1 backend=$2 mesh=$3
  shift 3
  begin=$(milliseconds)
  timeout -s KILL "$limit" "$@" "$airfoil" --mesh "$mesh" --iterations "$iterations" --every 0 \
    --backend "$backend" --dump-q "$tmp/q" >"$tmp/out" 2>"$tmp/err"
  status=$?
  took=$(($(milliseconds) - begin))
  return $status
}

# A process that hangs is stopped after twice the normal time and ten seconds, since other tests may
# have the same priority on some machines.
compare() {
  name="$1 cells, $2${OP2_CHUNK_US:+, a task for each block}${OP2_TEAM:+, OP2_TEAM=$OP2_TEAM}"
  timed 600 "$2" "$1" env
  result $? "$name: runs"
  mv "$tmp/q" "$tmp/normal"
  normal=$took
  timed $((10 + 2 * normal / 1000)) "$2" "$1" chrt -f 10
  result $? "$name: ends with a real-time priority"
  [ "$took" -le $((2 * normal + 1000)) ]
  result $? "$name: in twice the time at most"
  diag "$took ms, $normal ms without"
  cmp -s "$tmp/q" "$tmp/normal"
  result $? "$name: with the same bits"
}

# built BACKEND: compiles the loops of all meshes and backends into the cache
built() {
  "$airfoil" --mesh 24x48 --iterations 3 --backend "$1" >"$tmp/out" 2>&1 && return 0
  grep -q 'is not available' "$tmp/out" || return 0
  skip "$(grep 'is not available' "$tmp/out")"
  return 1
}

iterations=200
for backend in sequential openmp starpu; do
  built "$backend" || continue
  for mesh in 24x48 100x150; do compare "$mesh" "$backend"; done
done
if built starpu; then
  OP2_CHUNK_US=0
  export OP2_CHUNK_US
  compare 24x48 starpu
  unset OP2_CHUNK_US
  for OP2_TEAM in 0 1; do
    export OP2_TEAM
    compare 100x150 starpu
  done
fi
done_testing
