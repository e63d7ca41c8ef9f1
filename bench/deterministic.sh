#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What deterministic mode costs: airfoil and cg with and without it on ranks of this machine, in turn.
#   bench/deterministic.sh [--build DIR] [--rounds N] [--ranks N] [--mesh M] [--iterations N]
# Each round runs both applications both ways, and every second round in the opposite order. A table
# gives milliseconds per iteration, the median and the least of the rounds, and the median of ratios
# within a round with the least and the greatest. Nothing is asserted: timings belong to the machine
# and the moment.
set -eu

say() { echo "deterministic: $*" >&2; }
die() { say "$*"; exit 1; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
rounds=7
ranks=2
mesh=400x600 # three cells per point: 720,000
iterations=100
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '3,/^set /s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --*) [ $# -gt 1 ] || die "a value is missing after $1" ;;
    *) die "there is no argument $1 (--help lists them)" ;;
  esac
  case $1 in
    --build) build=$2 ;;
    --rounds) rounds=$2 ;;
    --ranks) ranks=$2 ;;
    --mesh) mesh=$2 ;;
    --iterations) iterations=$2 ;;
    *) die "unknown option $1 (--help lists them)" ;;
  esac
  shift 2
done
for number in "$rounds" "$ranks" "$iterations"; do
  case $number in
    '' | 0 | *[!0-9]*) die "not a positive number: $number" ;;
  esac
done
[ -x "$build/bench/cg/cg" ] || die "$build has no built benchmarks"
mpi=openmpi
! ldd "$build/libop2-mpi.so" 2>/dev/null | grep -q libmpich || mpi=mpich
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
OP2_CACHE_DIR=$folder/cache
export OP2_CACHE_DIR

# measure ROUND APPLICATION MODE: adds a line "application mode round ms"
measure() {
  case $2 in
    airfoil) quiet=--every ;;
    *) quiet=--check ;;
  esac
  OP2_DETERMINISTIC=$3 sh "$root/test/mpirun.sh" "$mpi" 600 "$ranks" "$build/bench/$2/$2" \
    --mesh "$mesh" "$quiet" 0 --iterations "$iterations" --warmup $((iterations / 4)) \
    --threads 1 >"$folder/out" 2>&1 || { cat "$folder/out" >&2; die "$2 failed"; }
  awk -v key="$2 $3 $1" '$1 == "time_per_iteration_ms" { print key, $2 }' "$folder/out" >>"$folder/times"
}

round=0
while [ $round -le "$rounds" ]; do # the first round only compiles the loops
  order="0 1"
  [ $((round % 2)) -eq 0 ] || order="1 0"
  for application in airfoil cg; do
    for mode in $order; do measure $round $application $mode; done
  done
  [ $round -gt 0 ] || : >"$folder/times"
  round=$((round + 1))
done

awk -v title="$mesh, $ranks ranks of one worker, $rounds rounds" '
  function sort(v, n,   i, j, held) {
    for (i = 2; i <= n; i++)
      for (j = i; j > 1 && v[j] < v[j - 1]; j--) { held = v[j]; v[j] = v[j - 1]; v[j - 1] = held }
  }
  function median(v, n) { sort(v, n); return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2 }
  { t[$1, $2, $3] = $4; if ($3 > n) n = $3 }
  END {
    print title
    printf "%-9s %18s %18s   %s\n", "", "without, ms", "with, ms", "ratio"
    for (k = split("airfoil cg", names, " "); k > 0; k--) {
      a = names[3 - k]
      for (m = 0; m < 2; m++) {
        for (i = 1; i <= n; i++) v[i] = t[a, m, i]
        middle[m] = median(v, n); least[m] = v[1]
      }
      for (i = 1; i <= n; i++) v[i] = t[a, 1, i] / t[a, 0, i]
      r = median(v, n)
      printf "%-9s %9.3f %8.3f %9.3f %8.3f   %.3f (%.3f-%.3f)\n", a, middle[0], least[0], middle[1], least[1], r, v[1], v[n]
    }
  }' "$folder/times"
