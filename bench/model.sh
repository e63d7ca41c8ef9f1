#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A model of dispatch beside measurements (doc/dev/dispatch-model.md). The constants come from this run: those of the
# machine are measured, and those of loops come from runs with one worker on small meshes.
#   bench/model.sh [--parts "times schedules far"] [--rounds N] [--threads "4 16 64 128"] [--vain N] [--build DIR]
#                 [--keep DIR]
# times: predicted and measured milliseconds of an iteration of airfoil (720,000 cells), tsunami, cg and euler with 1 and
# 2 workers; N rounds of all measurements (default 5), whose medians count.
# schedules: airfoil with more threads than cores: rounds, stolen blocks and idle shares, as recorded and by the model.
# far: predicted speed-ups of airfoil, 720,000 cells with 64 workers and 2.88 million with 128, with the costs of
# dispatch as measured and doubled, and with blocks that are cut into parts.
# Runs that other processes disturb are made again, N times at most (default 5).
# --keep leaves records and the list for the program `model` in a folder. All runs use the backend openmp, and the
# machine should be quiet. The status is 77, with a reason, where there is no OpenMP.
set -eu

say() { echo "model: $*" >&2; }
die() { say "$*"; exit 2; }
usage() { sed -n '3,/^set /s/^# \{0,1\}//p' "$0"; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build parts="times schedules far" rounds=5 vain=5
threads="4 16 64 128" keep=
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --parts | --rounds | --threads | --vain | --build | --keep) ;;
    *) die "unknown option $1 (--help lists them)" ;;
  esac
  [ $# -gt 1 ] && [ -n "$2" ] || die "a value is missing after $1"
  case $1 in
    --parts) parts=$2 ;;
    --rounds) rounds=$2 ;;
    --threads) threads=$2 ;;
    --vain) vain=$2 ;;
    --build) build=$2 ;;
    --keep) keep=$2 ;;
  esac
  shift 2
done
for number in $threads "$rounds" "$vain"; do
  case $number in
    '' | 0 | *[!0-9]*) die "not a positive number: $number" ;;
  esac
done
if [ ! -x "$build/bench/model/model" ]; then
  say "skipped: $build has no bench/model/model (it needs OpenMP)"
  exit 77
fi
if [ -n "$keep" ]; then
  mkdir -p "$keep"
  work=$keep
else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi
trap 'exit 130' INT
trap 'exit 143' TERM

# of NAME: sets what an application is run with, on a small mesh and on the one that is predicted,
# and a loop that comes `times` in an iteration
of() {
  fixed="--every 0"
  case $1 in
    airfoil) small="--mesh 100x150" large="--mesh 400x600" marker=res_calc times=2 ;;
    tsunami) small="--mesh 100x100" large="--mesh 500x500" marker=flux times=2 ;;
    cg) small="--mesh 100x150" large="--mesh 400x600" marker=spmv times=1 fixed="--check 0 --tolerance 0" ;;
    euler) small="--size 96x32" large="--size 192x64" marker=flux times=3 ;;
  esac
}

# busy: prints the CPU seconds that all processes have used; mine: those of this script's processes
busy() { awk '$1 == "cpu" { print ($2 + $3 + $4 + $7 + $8) / 100 }' /proc/stat; }
mine() {
  times >"$work/cpu"
  awk 'NR == 2 { gsub(/[ms]/, " "); print $1 * 60 + $2 + $3 * 60 + $4 }' "$work/cpu"
}

# quietly COMMAND...: runs it, and again if other processes have used more than 0.15 of a core meanwhile; of the runs
# in vain, which are $vain at most, nothing is left
disturbed=0
quietly() {
  tries=0
  while :; do
    used=$(busy) begin=$(date +%s.%N)
    mine >"$work/before"
    "$@" >"$work/out" 2>"$work/why" || { cat "$work/why" >&2; die "$* failed"; }
    mine >"$work/after"
    others=$(awk -v a="$used" -v b="$(busy)" -v c="$(cat "$work/before")" -v d="$(cat "$work/after")" \
      -v t0="$begin" -v t1="$(date +%s.%N)" 'BEGIN { printf "%.2f", (b - a - (d - c)) / (t1 - t0) }')
    tries=$((tries + 1))
    awk -v o="$others" 'BEGIN { exit !(o < 0.15) }' && return
    if [ $tries -ge "$vain" ]; then
      disturbed=$((disturbed + 1))
      say "others used $others of a core during: $*"
      return
    fi
    sleep 2
  done
}

# run NAME THREADS ITERATIONS OPTION...
run() {
  name=$1 workers=$2 iterations=$3
  shift 3
  quietly "$build/bench/$name/$name" $fixed --backend openmp --threads "$workers" --iterations "$iterations" \
    --warmup $((iterations / 2)) "$@"
}

has() { case " $parts " in *" $1 "*) true ;; *) false ;; esac; }

# record NAME FILE THREADS ITERATIONS OPTION...
record() {
  export OP2_SCHEDULE="$work/$2"
  name=$1 workers=$3 iterations=$4
  shift 4
  run "$name" "$workers" "$iterations" "$@"
  unset OP2_SCHEDULE
}

measure() { "$build/bench/model/model" <"$work/list"; }
applications=airfoil
! has times || applications="airfoil tsunami cg euler"
round=0 all=
while [ $round -lt "$rounds" ]; do
  round=$((round + 1))
  all="$all $round"
  echo "measure $work/machine-$round" >"$work/list"
  quietly measure
  for name in $applications; do
    of $name
    record $name $name-small-$round 1 100 $small
    record $name $name-1-$round 1 40 $large
    ! has times || record $name $name-2-$round 2 40 $large
  done
done
if has schedules; then
  of airfoil
  for p in $threads; do OMP_WAIT_POLICY=passive record airfoil airfoil-$p "$p" 20 $large; done
fi
if has far; then
  of airfoil
  record airfoil airfoil-far 1 6 --mesh 800x1200
fi

# files NAME: prints the files of all rounds
files() { for round in $all; do printf ' %s' "$work/$1-$round"; done; }

{
  echo "machine $work/airfoil-small-1$(files machine)"
  for name in $applications; do
    of $name
    echo "program $name $marker $times $work/$name-1-1$(files $name-small)"
    ! has times || printf '%s\n' "measured$(files $name-1)" "measured$(files $name-2)"
    [ $name = airfoil ] || continue
    ! has far || printf '%s\n' "far 64 $work/airfoil-1-1" "far 128 $work/airfoil-far"
    ! has schedules || for p in $threads; do
      printf '%s\n' "schedule $work/airfoil-$p" "rehearse $p $work/rehearsal-$p"
    done
  done
} >"$work/list"
"$build/bench/model/model" <"$work/list"
[ $disturbed -eq 0 ] || say "$disturbed of the runs were disturbed by other processes"
