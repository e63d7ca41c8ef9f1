#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Time per iteration of an application against hand-written programs, measured in turn in one run.
#   bench/compare.sh [--app airfoil|tsunami|cg|aero|euler|heat] [--mesh M] [--rounds N] [--iterations N] [--warmup N] [--threads N]
#                    [--switches yes] [--numbering yes] [--refine N] [--early yes] [--build DIR]
# --switches also runs op2 with each of SIMD, fusion, replay and teams off in turn; --numbering also on a mesh with
# shuffled numbers, with and without op2_renumber(). Of aero, --iterations are Newton steps, each form is measured, and
# by hand OP2's loops and the best forms known. "SIMD" is a program in vectors by hand, for applications that have one.
# Every round runs every program once; the table gives median and minimum over the rounds, of the time loop alone: the
# warm-up iterations are not in it, and so neither are compilation and plans.
# --early yes, for euler, compares with the OpenMP program alone, at its best size of blocks: steps from the sixtieth
# on, and the first hundred steps together, with an empty cache of compiled loops and all that the library does at
# first, such as renumbering. --refine, for euler, splits all triangles that often.
# Nothing is asserted: timings belong to the machine and the moment. The build folder (default build) is made if it is
# not there.
set -eu

say() { echo "compare: $*" >&2; }
die() { say "$*"; exit 1; }
usage() { sed -n '3,/^set /s/^# \{0,1\}//p' "$0"; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
app=airfoil
mesh=
switches=no
numbering=no
refine=
early=no
rounds=5
iterations=50
warmup=5
threads=2
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --app | --mesh | --switches | --numbering | --refine | --early | --rounds | --iterations | --warmup | --threads | --build) ;;
    *) die "unknown option $1 (--help lists them)" ;;
  esac
  [ $# -gt 1 ] || die "a value is missing after $1"
  case $1 in
    --app) app=$2 ;;
    --mesh) mesh=$2 ;;
    --switches) switches=$2 ;;
    --numbering) numbering=$2 ;;
    --refine) refine=$2 ;;
    --early) early=$2 ;;
    --rounds) rounds=$2 ;;
    --iterations) iterations=$2 ;;
    --warmup) warmup=$2 ;;
    --threads) threads=$2 ;;
    --build) build=$2 ;;
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

programs=$build/bench/$app
case $app in
  airfoil | euler) sequential=$programs/reference_seq openmp=$programs/reference_omp simd=$programs/reference_simd ;;
  tsunami | cg | aero | heat) sequential=$programs/${app}_seq openmp=$programs/${app}_omp simd=$programs/${app}_simd ;;
  *) die "there is no application $app (airfoil, tsunami, cg, aero, euler, heat)" ;;
esac
sizes="768 4096 16384"
[ "$app" != euler ] || sizes="1 $sizes" # edges are badly numbered, so each block has its own colour
case $app in
  cg) plain="--tolerance 0 --check 0" ;;
  aero) plain= ;;
  *) plain="--every 0" ;;
esac
steps=--iterations
[ "$app" != aero ] || steps=--newton
[ -z "$mesh" ] || plain="$plain --mesh $mesh"
[ "$app" = euler ] || [ "$early$refine" = no ] || die "--refine and --early are for euler"
[ -z "$refine" ] || plain="$plain --refine $refine"
[ "$app-$numbering" != aero-yes ] || die "--numbering is not for aero, whose mesh comes as it is"
[ "$app-$numbering" != euler-yes ] || die "--numbering is not for euler, whose meshes come as they are"

[ "$early" = no ] || [ "$iterations" -gt 100 ] || iterations=160

[ -e "$build/build.ninja" ] || meson setup --buildtype release "$build" "$root" >&2
ninja -C "$build" >&2

times=$(mktemp)
trap 'rm -rf "$times" "$times.out" "$times.cache"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# measure NAME COMMAND...: adds a line "NAME|milliseconds" to $times, or none if the backend is not
# available
measure() {
  name=$1
  shift
  if ! "$@" $plain $steps "$iterations" --warmup "$warmup" >"$times.out" 2>&1; then
    grep -q OP2_ERR_UNAVAILABLE "$times.out" || { cat "$times.out" >&2; die "$name failed"; }
    return 0
  fi
  awk -v name="$name" '$1 == "time_per_iteration_ms" { print name "|" $2 }' "$times.out" >>"$times"
}

op2_two="$programs/$app --backend starpu --threads $threads"

hand_written() {
  for size in $sizes; do
    measure "hand-written OpenMP, $threads threads, blocks of $size$1" \
      env OMP_PROC_BIND=true "$openmp" --threads "$threads" --block-size $size $2
  done
}

# by_vectors THREADS SUFFIX OPTIONS: measures the program with vectors by hand, if the application has one
by_vectors() {
  [ -x "$simd" ] || return 0
  case $1 in 1) count="1 thread" ;; *) count="$1 threads" ;; esac
  measure "hand-written SIMD, $count$2" env OMP_PROC_BIND=true "$simd" --threads "$1" $3
}

all_switches() {
  for switch in SIMD FUSE REPLAY; do
    measure "op2 starpu, $threads threads, OP2_$switch=0" env OP2_$switch=0 $op2_two
  done
  measure "op2 starpu, $threads threads, OP2_TEAM=0" env OP2_TEAM=0 $op2_two
  measure "op2 starpu, $threads threads, all three 0" \
    env OP2_SIMD=0 OP2_FUSE=0 OP2_REPLAY=0 $op2_two
}

# Measure an iteration of conjugate gradients in each form.
aero_round() {
  for form in "" " --matrix-free"; do
    measure "op2 starpu, $threads threads$form" $op2_two $form
    measure "op2 openmp, $threads threads$form" "$programs/aero" --backend openmp --threads "$threads" $form
    measure "op2 sequential, 1 thread$form" "$programs/aero" --backend sequential --threads 1 $form
  done
  for form in op2 csr slices cells; do
    measure "hand-written OpenMP, $threads threads, $form" \
      env OMP_PROC_BIND=true "$openmp" --threads "$threads" --form $form
  done
  measure "hand-written sequential, 1 thread" "$sequential"
}

one_round() {
  if [ "$app" = aero ]; then
    aero_round
    return
  fi
  measure "op2 starpu, $threads threads" $op2_two
  hand_written "" ""
  by_vectors "$threads" "" ""
  [ "$switches" = no ] || all_switches
  measure "op2 openmp, $threads threads" "$programs/$app" --backend openmp --threads "$threads"
  measure "op2 starpu, 1 thread" "$programs/$app" --backend starpu --threads 1
  measure "op2 sequential, 1 thread" "$programs/$app" --backend sequential --threads 1
  measure "hand-written sequential, 1 thread" "$sequential"
  [ "$threads" = 1 ] || by_vectors 1 "" ""
  [ "$numbering" = no ] && return
  measure "op2 starpu, shuffled numbers" $op2_two --shuffle 1
  measure "op2 starpu, shuffled and renumbered" $op2_two --shuffle 1 --renumber
  hand_written ", shuffled" "--shuffle 1"
  by_vectors "$threads" ", shuffled" "--shuffle 1"
}

# figures NAME COMMAND...: adds a line "NAME|ms of a step from the sixtieth on|s of the first hundred" to $times
figures() {
  name=$1
  shift
  "$@" $plain --iterations "$iterations" >"$times.out" 2>&1 || { cat "$times.out" >&2; die "$name failed"; }
  awk -v name="$name" '
    $1 == "time_per_iteration_from_60_ms" { settled = $2 }
    $1 == "first_100_iterations_s" { first = substr($3, 2) }
    END { print name "|" settled "|" first }' "$times.out" >>"$times"
}

# Print the ratios of the OpenMP program to the library for early and for later steps.
early_steps() {
  export OMP_PROC_BIND=true
  for size in $sizes; do
    figures "$size" "$openmp" --threads "$threads" --block-size "$size"
  done
  best=$(sort -t '|' -k 2,2n "$times" | head -n 1 | cut -d '|' -f 1)
  say "blocks of $best are the best of $(echo $sizes) for the OpenMP program"
  : >"$times"
  round=0
  while [ $round -lt "$rounds" ]; do
    round=$((round + 1))
    say "round $round of $rounds"
    rm -rf "$times.cache"
    figures op2 env -u OMP_PROC_BIND OP2_CACHE_DIR="$times.cache" CCACHE_DISABLE=1 $op2_two
    figures by_hand "$openmp" --threads "$threads" --block-size "$best"
  done
  awk -F '|' -v threads="$threads" -v rounds="$rounds" '
    function show(title, unit, column,   i, k, held, ratio, op2, by_hand) {
      for (i = 1; i <= rounds; i++) {
        op2 = value["op2", i, column]
        by_hand = value["by_hand", i, column]
        printf "%-44s round %d: op2 %10.3f %s, hand-written OpenMP %10.3f %s\n", title, i, op2, unit, by_hand, unit
        ratio[i] = by_hand / op2
      }
      for (i = 2; i <= rounds; i++)
        for (k = i; k > 1 && ratio[k] < ratio[k - 1]; k--) {
          held = ratio[k]; ratio[k] = ratio[k - 1]; ratio[k - 1] = held
        }
      line[column] = sprintf("%-44s op2 is %.2f times as fast (median; %.2f to %.2f)", title,
        rounds % 2 ? ratio[(rounds + 1) / 2] : (ratio[rounds / 2] + ratio[rounds / 2 + 1]) / 2, ratio[1], ratio[rounds])
    }
    { n[$1]++; value[$1, n[$1], 2] = $2; value[$1, n[$1], 3] = $3 }
    END {
      show("a step from the 60th on, " threads " threads", "ms", 2)
      show("the first 100 steps and the setup", "s ", 3)
      print ""
      print line[2]
      print line[3]
    }' "$times"
}

awk '$1 > 0.5 { exit 1 }' /proc/loadavg 2>/dev/null ||
  say "warning: this machine is busy (load $(cut -d' ' -f1 /proc/loadavg 2>/dev/null)): times will be off"
say "$app, mesh ${mesh:-default}, $iterations iterations of which $warmup untimed, $rounds rounds"
if [ "$early" != no ]; then
  early_steps
  exit 0
fi
say "filling the cache of compiled loops"
one_round
: >"$times"
round=0
while [ $round -lt "$rounds" ]; do
  round=$((round + 1))
  say "round $round of $rounds"
  one_round
done

awk -F '|' -v threads="$threads" -v app="$app" '
  function median(name,   n, i, j, held, v) {
    n = count[name]
    for (i = 1; i <= n; i++) v[i] = time[name, i]
    for (i = 2; i <= n; i++)
      for (j = i; j > 1 && v[j] < v[j - 1]; j--) { held = v[j]; v[j] = v[j - 1]; v[j - 1] = held }
    least[name] = v[1]
    return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
  }
  function ratio(name, base) {
    if (!(name in middle) || !(base in middle)) return
    printf "%-48s %6.3f times as fast as %s\n", name, middle[base] / middle[name], base
  }
  { if (!count[$1]++) names[++n] = $1; time[$1, count[$1]] = $2 }
  END {
    printf "%-60s %12s %12s\n", "milliseconds per iteration", "median", "minimum"
    for (i = 1; i <= n; i++) {
      middle[names[i]] = median(names[i])
      printf "%-60s %12.4f %12.4f\n", names[i], middle[names[i]], least[names[i]]
      if (names[i] ~ /^hand-written OpenMP/ && names[i] !~ /shuffled/ &&
          (best == "" || middle[names[i]] < middle[best])) best = names[i]
    }
    print ""
    for (i = 1; i <= n; i++)
      if (app == "aero" && names[i] ~ /^op2.*threads/) {
        by_hand = "hand-written OpenMP, " threads " threads, "
        ratio(names[i], by_hand (names[i] ~ /matrix-free/ ? "cells" : "csr"))
        if (names[i] !~ /matrix-free/) ratio(names[i], by_hand "slices")
        ratio(names[i], by_hand "op2")
      } else if (names[i] ~ /^op2/) {
        one = names[i] ~ /1 thread$/
        ratio(names[i], one ? "hand-written sequential, 1 thread" : best)
        if (names[i] ~ /(threads?|numbers|renumbered)$/)
          ratio(names[i], "hand-written SIMD, " (one || threads == 1 ? "1 thread" : threads " threads") \
            (names[i] ~ /shuffled/ ? ", shuffled" : ""))
      }
    if ("op2 starpu, shuffled and renumbered" in middle)
      printf "shuffled and renumbered takes %.3f of the time on the natural numbering\n",
        middle["op2 starpu, shuffled and renumbered"] / middle["op2 starpu, " threads " threads"]
  }' "$times"
