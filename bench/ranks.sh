#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What ranks cost and what overlap is worth: airfoil on ranks of this machine, in turn in one run.
#   bench/ranks.sh [--build DIR] [--rounds N] [--ranks N] [--mesh M] [--iterations N]
#                  [--link DELAY_NS,NS_PER_BYTE] [--backends "NAME..."] [--sizes "M..."] [PART...]
# PARTs, all three if none is named:
#   overlap  the time that a slow link (--link) costs, with and without OP2_OVERLAP, on each backend;
#            beside it how much longer op2_comm_stats_get() says was waited
#   split    --ranks ranks of one worker each against one rank with as many workers
#   style    exchanges as they are against one message per dat and neighbour that nothing hides
#            (OP2_OVERLAP=0 OP2_MERGE=0), at each of the --sizes
# Runs are of so many iterations, or else of about a second, a quarter of them not timed. Each round
# runs everything once, and every second round in the opposite order. A table gives the median over the
# rounds, in milliseconds per iteration, and medians of ratios within a round, with the least and the
# greatest. Nothing is asserted: timings belong to the machine and the moment.
set -eu

say() { echo "ranks: $*" >&2; }
die() { say "$*"; exit 1; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
rounds=7
ranks=2
mesh=400x600
iterations=
link=100000,150
backends="starpu openmp sequential"
sizes="15x22 32x48 50x100 100x150 200x300 400x600" # each mesh has three cells per point: 990 to 720,000 cells
parts=
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '3,/^set /s/^# \{0,1\}//p' "$0"; exit 0 ;;
    overlap | split | style) parts="$parts $1"; shift; continue ;;
    --*) [ $# -gt 1 ] || die "a value is missing after $1" ;;
    *) die "there is no part $1 (--help lists them)" ;;
  esac
  case $1 in
    --build) build=$2 ;;
    --rounds) rounds=$2 ;;
    --ranks) ranks=$2 ;;
    --mesh) mesh=$2 ;;
    --iterations) iterations=$2 ;;
    --link) link=$2 ;;
    --backends) backends=$2 ;;
    --sizes) sizes=$2 ;;
    *) die "unknown option $1 (--help lists them)" ;;
  esac
  shift 2
done
for number in "$rounds" "$ranks" "${iterations:-1}"; do
  case $number in
    '' | 0 | *[!0-9]*) die "not a positive number: $number" ;;
  esac
done
program=$build/bench/airfoil/airfoil
[ -x "$program" ] || die "$build has no built benchmarks"
mpi=openmpi
! ldd "$build/libop2-mpi.so" 2>/dev/null | grep -q libmpich || mpi=mpich
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
OP2_CACHE_DIR=$folder/cache
export OP2_CACHE_DIR

# steps MESH: prints $iterations, or else the number of iterations that take about a second, at
# least 40
steps() {
  echo "$1" | awk -F x -v told="$iterations" '
    { n = int(12e6 / ($1 * $2) / 2); print told ? told : n < 40 ? 40 : n }'
}

# measure NAME RANKS WORKERS MESH BACKEND [VARIABLE=VALUE...]: adds a line "NAME|ms|ms waited", per
# iteration
measure() {
  name=$1 n=$2 workers=$3 on=$4 backend=$5
  shift 5
  count=$(steps "$on")
  env "$@" sh "$root/test/mpirun.sh" "$mpi" 600 "$n" "$program" --mesh "$on" --every 0 \
    --iterations "$count" --warmup $((count / 4)) --partition coordinates --backend "$backend" \
    --threads "$workers" >"$folder/out" 2>&1 || {
    grep -q OP2_ERR_UNAVAILABLE "$folder/out" || { cat "$folder/out" >&2; die "$name failed"; }
    return 0
  }
  awk -v name="$name" -v count="$count" '
    $1 == "time_per_iteration_ms" { ms = $2 }
    $1 == "halos:" { waited = 1000 * $(NF - 3) / count }
    END { print name "|" ms "|" waited + 0 }' "$folder/out" >>"$folder/times"
}

# in_turn COMMAND...: measures the cases on standard input, one per line, all of them in each round
in_turn() {
  cat >"$folder/cases"
  sed '1!G;h;$!d' "$folder/cases" >"$folder/reversed"
  round=0
  : >"$folder/times"
  while [ $round -le "$rounds" ]; do
    order=$folder/cases
    [ $((round % 2)) -eq 0 ] || order=$folder/reversed
    while read -r case <&3; do eval "measure $case"; done 3<"$order"
    [ $round -gt 0 ] || : >"$folder/times" # the first round only compiles the loops
    round=$((round + 1))
  done
}

# These functions of awk use t[name, round], waited[name, round] and rounds: middle(name) is a
# median, and between(a, b) the median of the ratios of a to b within a round.
statistics='
  function sort(v, n,   i, j, held) {
    for (i = 2; i <= n; i++)
      for (j = i; j > 1 && v[j] < v[j - 1]; j--) { held = v[j]; v[j] = v[j - 1]; v[j - 1] = held }
  }
  function median(v, n) { sort(v, n); return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2 }
  function middle(name,   v, i) { for (i = 1; i <= seen[name]; i++) v[i] = t[name, i]; return median(v, seen[name]) }
  function waits(name,   v, i) { for (i = 1; i <= seen[name]; i++) v[i] = waited[name, i]; return median(v, seen[name]) }
  function between(a, b,   v, i, m) {
    for (i = 1; i <= seen[a]; i++) v[i] = t[a, i] / t[b, i]
    m = median(v, seen[a])
    return sprintf("%.3f (%.3f-%.3f)", m, v[1], v[seen[a]])
  }
  BEGIN { FS = "|" }
  { if (!seen[$1]++) names[++n] = $1; t[$1, seen[$1]] = $2; waited[$1, seen[$1]] = $3 }'

overlap() {
  printf '\n## overlap: %s, %s ranks of one worker, OP2_LINK=%s\n\n' "$mesh" "$ranks" "$link"
  printf '%-11s %9s %9s %9s %9s   %s\n' backend "fast, ms" "hidden" "apart" "lost" \
    "lost apart; the ratio; waited longer by op2_comm_stats, of both"
  for backend in $backends; do
    in_turn <<END
fast $ranks 1 $mesh $backend
hidden $ranks 1 $mesh $backend OP2_LINK=$link
fast_apart $ranks 1 $mesh $backend OP2_OVERLAP=0
apart $ranks 1 $mesh $backend OP2_OVERLAP=0 OP2_LINK=$link
END
    awk -v backend="$backend" "$statistics"'
      function lost(slow, fast,   v, i) {
        for (i = 1; i <= seen[slow]; i++) v[i] = t[slow, i] - t[fast, i]
        return median(v, seen[slow])
      }
      END {
        if (!n) { printf "%-11s is not in this build\n", backend; exit }
        with = lost("hidden", "fast"); without = lost("apart", "fast_apart")
        printf "%-11s %9.3f %9.3f %9.3f %9.3f   %.3f; %.3f; %.3f, %.3f\n", backend, middle("fast"),
          middle("hidden"), middle("apart"), with, without, with / without,
          waits("hidden") - waits("fast"), waits("apart") - waits("fast_apart")
      }' "$folder/times"
  done
}

split() {
  printf '\n## split: %s, %s ranks of one worker and one rank of %s\n\n' "$mesh" "$ranks" "$ranks"
  for backend in $backends; do
    [ "$backend" != sequential ] || continue
    in_turn <<END
ranks $ranks 1 $mesh $backend
workers 1 $ranks $mesh $backend
END
    awk -v backend="$backend" "$statistics"'
      END {
        if (n) printf "%-11s %9.3f ms, one rank %9.3f ms, ratio %s\n", backend, middle("ranks"),
          middle("workers"), between("ranks", "workers")
      }' "$folder/times"
  done
}

style() {
  printf '\n## style: as it is, and OP2_OVERLAP=0 OP2_MERGE=0, %s ranks of one worker\n\n' "$ranks"
  for backend in $backends; do
    for size in $sizes; do
      in_turn <<END
ours $ranks 1 $size $backend
style $ranks 1 $size $backend OP2_OVERLAP=0 OP2_MERGE=0
END
      awk -v backend="$backend" -v size="$size" "$statistics"'
        END {
          if (n) printf "%-11s %-9s %9.4f ms, against %9.4f ms, ratio %s\n", backend, size,
            middle("ours"), middle("style"), between("ours", "style")
        }' "$folder/times"
    done
  done
}

echo "airfoil, $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1), $(nproc) processing" \
  "units, $mpi, $rounds rounds"
for part in ${parts:-overlap split style}; do "$part"; done
