#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A model of dispatch beside measurements (doc/dev/dispatch-model.md). The constants come from this run: those of the
# machine are measured, and those of loops come from runs with one worker on small meshes.
#   bench/model.sh [--parts "times schedules far"] [--rounds N] [--threads "4 16 64 128"] [--vain N] [--build DIR]
#                 [--keep DIR]
# times: predicted and measured milliseconds of an iteration of airfoil (720,000 cells), tsunami, cg and euler with 1
# and 2 workers; N rounds of all measurements (default 5), whose medians count.
# schedules: airfoil with more threads than cores: rounds, stolen blocks and idle shares, as recorded and by the model.
# far: predicted speed-ups of airfoil, 720,000 cells with 64 workers and 2.88 million with 128, with the costs of
# dispatch as measured and doubled, and with what dispatch could be.
# Runs that other processes disturb are made again, N times at most (--vain, default 5); those that stay disturbed do
# not count where there are others. --keep leaves records and the list for the program `model` in a folder. All runs
# use the backend openmp. The status is 77, with a reason, where there is no OpenMP.
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

# quietly FILE COMMAND...: runs it, which makes this file, and again if other processes have used more than 0.15 of a
# core meanwhile, so often as --vain says. Then the file is renamed to FILE.disturbed.
quietly() {
  file=$work/$1 tries=0
  shift
  rm -f "$file" "$file.disturbed"
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
      say "others used $others of a core during: $*"
      mv "$file" "$file.disturbed"
      return
    fi
    sleep 2
  done
}

has() { case " $parts " in *" $1 "*) true ;; *) false ;; esac; }

# record NAME FILE THREADS ITERATIONS OPTION...
record() {
  export OP2_SCHEDULE="$work/$2"
  name=$1 made=$2 workers=$3 iterations=$4
  shift 4
  quietly "$made" "$build/bench/$name/$name" $fixed --backend openmp --threads "$workers" --iterations "$iterations" \
    --warmup $((iterations / 2)) "$@"
  unset OP2_SCHEDULE
}

# files NAME: prints the files of all rounds, without those that were disturbed if there are others
files() {
  for end in '' .disturbed; do
    found=
    for file in "$work/$1-"[0-9]"$end" "$work/$1-"[0-9][0-9]"$end"; do
      [ ! -e "$file" ] || found="$found $file"
    done
    [ -z "$found" ] || break
  done
  [ -z "$end" ] || say "all runs of $1 were disturbed"
  echo "$found"
}
# first NAME: the first of these; only NAME: a file that is made once
first() { files "$1" | awk '{ print $1 }'; }
only() { [ -e "$work/$1" ] && echo "$work/$1" || echo "$work/$1.disturbed"; }

measure() { "$build/bench/model/model" <"$work/list"; }
applications=airfoil
! has times || applications="airfoil tsunami cg euler"
round=0
while [ $round -lt "$rounds" ]; do
  round=$((round + 1))
  echo "measure $work/machine-$round" >"$work/list"
  quietly machine-$round measure
  for name in $applications; do
    of $name
    record $name $name-small-$round 1 100 $small
    record $name $name-1-$round 1 40 $large
    ! has times || record $name $name-2-$round 2 40 $large
  done
done
if has schedules; then
  of airfoil
  for p in $threads; do OMP_WAIT_POLICY=passive record airfoil airfoil-on-$p "$p" 20 $large; done
fi
if has far; then
  of airfoil
  record airfoil airfoil-far 1 6 --mesh 800x1200
fi

{
  echo "machine $(first airfoil-small)$(files machine)"
  for name in $applications; do
    of $name
    echo "program $name $marker $times $(first $name-1)$(files $name-small)"
    ! has times || printf '%s\n' "measured$(files $name-1)" "measured$(files $name-2)"
    [ $name = airfoil ] || continue
    ! has far || printf '%s\n' "far 64 $(first airfoil-1)" "far 128 $(only airfoil-far)"
    ! has schedules || for p in $threads; do
      printf '%s\n' "schedule $(only airfoil-on-$p)" "rehearse $p $work/rehearsal-$p"
    done
  done
} >"$work/list"
"$build/bench/model/model" <"$work/list"
