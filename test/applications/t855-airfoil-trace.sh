#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The timeline of airfoil, on each backend and on two ranks: it keeps the rules of the trace event
# format, its loops take the time that the report has, within 2 %, and damaged ones are noticed.
# OP2_TEST_FULL=1 has the mesh of 45,000 cells, too.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/app.sh"
application airfoil "--mesh 2x2" 1

check=$build/test/trace_check
OP2_CACHE_DIR=${OP2_TEST_CACHE:-$tmp/cache}
OP2_FUSE=0
export OP2_CACHE_DIR OP2_FUSE
meshes="20x30"
[ "${OP2_TEST_FULL:-0}" = 0 ] || meshes="$meshes 100x150"

# judged WHAT TRACE REPORT: checks a trace by the report of its run
judged() {
  "$check" "$2" "$3" >"$tmp/out" 2>&1
  result $? "$1: the trace keeps the rules, and its loops take the report's time"
  diag "$1: $(cat "$tmp/out")"
}

# has PATTERN FILE
has() { grep -q -e "$1" "$2"; }

for backend in sequential openmp starpu opencl; do
  usable $backend || continue
  for mesh in $meshes; do
    OP2_TRACE=$tmp/$backend.json OP2_REPORT=$tmp/$backend-report.json \
      "$app" --mesh "$mesh" --iterations 40 --every 20 --backend $backend --threads 2 \
      >"$tmp/out" 2>"$tmp/why"
    result $? "$backend, $mesh: runs"
    said "$tmp/why"
    judged "$backend, $mesh" "$tmp/$backend.json" "$tmp/$backend-report.json"
    runs "$backend, $mesh: forces have their cause" has '"name":"run the queue".*"cause":"' \
      "$tmp/$backend.json"
  done
done

# The checks notice what is wrong.
refused() { # SED-SCRIPT
  sed -e "$1" "$tmp/sequential.json" >"$tmp/damaged.json"
  ! cmp -s "$tmp/damaged.json" "$tmp/sequential.json" || return 1
  "$check" "$tmp/damaged.json" "$tmp/sequential-report.json" >"$tmp/out" 2>&1
  [ $? -eq 1 ]
}
runs "an unknown kind of event is refused" refused '0,/"ph":"X"/s//"ph":"Q"/'
runs "a slice without a duration" refused '0,/"dur":[0-9.]*,/s///'
runs "a begin without an end" refused '0,/"ph":"X"/s//"ph":"B"/'
runs "an end without a begin" refused '0,/"ph":"X"/s//"ph":"E"/'
runs "an arrow from nowhere" refused '0,/"ph":"X"/s//"ph":"f","id":"1"/'
runs "a slice that leaves its parent" refused '/"name":"program"/s/"dur":[0-9.]*/"dur":1.000/'
runs "a loop that took longer" refused '/"name":"res_calc"/s/"dur":/&1/'
runs "a track without a name" refused '/thread_name/d'

# ranks N: a trace and a report of each, and the merged trace
ranks() {
  OP2_TRACE=$tmp/rank-%r.json OP2_REPORT=$tmp/rank-%r-report.json \
    sh "$src/test/mpirun.sh" "${OP2_TEST_MPI:-none}" 300 "$1" "$app" --mesh 20x30 --iterations 40 \
    --every 20 --backend openmp --threads 1 >"$tmp/out" 2>"$tmp/why"
}
ranks 2
status=$?
if [ $status -eq 77 ]; then
  skip "two ranks: $(cat "$tmp/why")"
  done_testing
fi
result $status "two ranks: run"
said "$tmp/why"
for rank in 0 1; do
  # Arrows have an end on each rank: here they are descriptions instead, and are judged below.
  sed 's/"ph":"[sf]"/"ph":"M"/' "$tmp/rank-$rank.json" >"$tmp/alone.json"
  judged "rank $rank" "$tmp/alone.json" "$tmp/rank-$rank-report.json"
done
if command -v python3 >/dev/null 2>&1; then
  runs "the traces are merged" python3 "$src/tools/op2-trace" -o "$tmp/merged.json" \
    "$tmp/rank-0.json" "$tmp/rank-1.json"
  runs "the merged trace keeps the rules" "$check" "$tmp/merged.json"
  runs "it has arrows" has '"ph":"s"' "$tmp/merged.json"
else
  skip "op2-trace needs Python"
fi
done_testing
