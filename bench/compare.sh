#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Time per iteration of the airfoil application against hand-written programs, measured in turn in one run.
#   bench/compare.sh [--mesh M] [--rounds N] [--iterations N] [--warmup N] [--threads N] [--build DIR]
# Every round runs every program once; the table gives median and minimum over the rounds, of the time loop alone: the
# warm-up iterations are not in it, and so neither are compilation and plans. Nothing is asserted: timings belong to
# the machine and the moment. The build folder (default build) is made if it is not there.
set -eu

say() { echo "compare: $*" >&2; }
die() { say "$*"; exit 1; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
mesh=classic
rounds=5
iterations=50
warmup=5
threads=2
while [ $# -gt 0 ]; do
  [ $# -gt 1 ] || die "a value is missing after $1"
  case $1 in
    --mesh) mesh=$2 ;;
    --rounds) rounds=$2 ;;
    --iterations) iterations=$2 ;;
    --warmup) warmup=$2 ;;
    --threads) threads=$2 ;;
    --build) build=$2 ;;
    *) die "unknown option $1" ;;
  esac
  shift 2
done
for number in "$rounds" "$iterations" "$threads"; do
  case $number in
    '' | 0 | *[!0-9]*) die "not a positive number: $number" ;;
  esac
done
case $warmup in
  '' | *[!0-9]*) die "not a number: $warmup" ;;
esac

[ -e "$build/build.ninja" ] || meson setup --buildtype release "$build" "$root" >&2
ninja -C "$build" bench/airfoil/airfoil bench/airfoil/reference_seq bench/airfoil/reference_omp >&2

times=$(mktemp)
trap 'rm -f "$times" "$times.out"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# measure NAME COMMAND...: one line "NAME|milliseconds"; a backend that is not there is left out
measure() {
  name=$1
  shift
  if ! "$@" --mesh "$mesh" --every 0 --iterations "$iterations" --warmup "$warmup" >"$times.out" 2>&1; then
    grep -q OP2_ERR_UNAVAILABLE "$times.out" || { cat "$times.out" >&2; die "$name failed"; }
    return 0
  fi
  awk -v name="$name" '$1 == "time_per_iteration_ms" { print name "|" $2 }' "$times.out" >>"$times"
}

programs=$build/bench/airfoil
one_round() {
  measure "op2 starpu, $threads threads" "$programs/airfoil" --backend starpu --threads "$threads"
  for size in 768 4096 16384; do
    measure "hand-written OpenMP, $threads threads, blocks of $size" \
      env OMP_PROC_BIND=true "$programs/reference_omp" --threads "$threads" --block-size $size
  done
  measure "op2 openmp, $threads threads" "$programs/airfoil" --backend openmp --threads "$threads"
  measure "op2 starpu, 1 thread" "$programs/airfoil" --backend starpu --threads 1
  measure "op2 sequential, 1 thread" "$programs/airfoil" --backend sequential --threads 1
  measure "hand-written sequential, 1 thread" "$programs/reference_seq"
}

awk '$1 > 0.5 { exit 1 }' /proc/loadavg 2>/dev/null ||
  say "warning: this machine is busy (load $(cut -d' ' -f1 /proc/loadavg 2>/dev/null)): times will be off"
say "mesh $mesh, $iterations iterations of which $warmup untimed, $rounds rounds"
say "filling the cache of compiled loops"
one_round
: >"$times"
round=0
while [ $round -lt "$rounds" ]; do
  round=$((round + 1))
  say "round $round of $rounds"
  one_round
done

awk -F '|' -v threads="$threads" '
  function median(name,   n, i, j, held, v) {
    n = count[name]
    for (i = 1; i <= n; i++) v[i] = time[name, i]
    for (i = 2; i <= n; i++)
      for (j = i; j > 1 && v[j] < v[j - 1]; j--) { held = v[j]; v[j] = v[j - 1]; v[j - 1] = held }
    least[name] = v[1]
    return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
  }
  function ratio(what, name, base, limit) {
    if (!(name in middle) || base == "") { printf "%s: not measured\n", what; return }
    printf "%s: %.3f of %s (limit %.2f)\n", what, middle[name] / middle[base], base, limit
  }
  { if (!count[$1]++) names[++n] = $1; time[$1, count[$1]] = $2 }
  END {
    printf "%-48s %12s %12s\n", "milliseconds per iteration", "median", "minimum"
    for (i = 1; i <= n; i++) {
      middle[names[i]] = median(names[i])
      printf "%-48s %12.3f %12.3f\n", names[i], middle[names[i]], least[names[i]]
      if (names[i] ~ /^hand-written OpenMP/ && (best == "" || middle[names[i]] < middle[best])) best = names[i]
    }
    print ""
    ratio("op2 starpu, " threads " threads", "op2 starpu, " threads " threads", best, 0.95)
    ratio("op2 starpu, 1 thread", "op2 starpu, 1 thread", "hand-written sequential, 1 thread", 1.02)
    ratio("op2 sequential, 1 thread", "op2 sequential, 1 thread", "hand-written sequential, 1 thread", 1.02)
  }' "$times"
