#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A model of dispatch beside measurements (doc/dev/dispatch-model.md). The constants come from this run: those of the
# machine are measured, and those of loops come from runs with one worker on small meshes.
#   bench/model.sh [--parts "times schedules far"] [--rounds N] [--threads "4 16 64 128"] [--build DIR] [--keep DIR]
# times: predicted and measured milliseconds of an iteration of airfoil (720,000 cells), tsunami, cg and euler with 1 and
# 2 workers; of N times twenty iterations (default 5) the least times count.
# schedules: airfoil with more threads than cores: rounds, stolen blocks and idle shares, as recorded and by the model.
# far: predicted speed-ups of airfoil, 720,000 cells with 64 workers and 2.88 million with 128, with the costs of
# dispatch as measured and doubled, and with blocks that are cut into parts.
# --keep leaves records and the list for the program `model` in a folder. All runs use the backend openmp, and the
# machine should be quiet. The status is 77, with a reason, where there is no OpenMP.
set -eu

say() { echo "model: $*" >&2; }
die() { say "$*"; exit 2; }
usage() { sed -n '3,/^set /s/^# \{0,1\}//p' "$0"; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build parts="times schedules far" rounds=5 threads="4 16 64 128" keep=
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --parts | --rounds | --threads | --build | --keep) ;;
    *) die "unknown option $1 (--help lists them)" ;;
  esac
  [ $# -gt 1 ] && [ -n "$2" ] || die "a value is missing after $1"
  case $1 in
    --parts) parts=$2 ;;
    --rounds) rounds=$2 ;;
    --threads) threads=$2 ;;
    --build) build=$2 ;;
    --keep) keep=$2 ;;
  esac
  shift 2
done
for number in $threads "$rounds"; do
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

# run NAME THREADS ITERATIONS OPTION...: prints the milliseconds of an iteration
run() {
  name=$1 workers=$2 iterations=$3
  shift 3
  "$build/bench/$name/$name" $fixed --backend openmp --threads "$workers" --iterations "$iterations" \
    --warmup $((iterations / 2)) "$@" >"$work/out" 2>"$work/why" || { cat "$work/why" >&2; die "$name failed"; }
  awk '$1 == "time_per_iteration_ms" { print $2 }' "$work/out"
}

least() { sort -n "$1" | head -n 1; }
has() { case " $parts " in *" $1 "*) true ;; *) false ;; esac; }

# record NAME FILE THREADS ITERATIONS OPTION...: of several runs keeps the record of the fastest
record() {
  name=$1 file=$2 workers=$3 iterations=$4
  shift 4
  : >"$work/times"
  rm -f "$work/$file"
  for again in 1 2 3; do
    OP2_SCHEDULE=$work/again run "$name" "$workers" "$iterations" "$@" >"$work/ms"
    [ -e "$work/$file" ] && [ "$(sort -n "$work/times" "$work/ms" | head -n 1)" != "$(cat "$work/ms")" ] ||
      mv "$work/again" "$work/$file"
    cat "$work/ms" >>"$work/times"
  done
}

of airfoil
record airfoil airfoil-small 1 200 $small
: >"$work/times"
for again in 1 2 3; do run airfoil 1 400 $small >>"$work/times"; done # without a record
echo "machine $work/airfoil-small $marker $times $(least "$work/times")" >"$work/list"
for name in airfoil tsunami cg euler; do
  has times || [ $name = airfoil ] || continue
  of $name
  [ $name = airfoil ] || record $name $name-small 1 200 $small
  OP2_SCHEDULE=$work/$name-large run $name 1 20 $large >/dev/null
  echo "program $name $marker $times $work/$name-small $work/$name-large" >>"$work/list"
  if has times; then
    for p in 1 2; do
      OP2_SCHEDULE=$work/$name-on-$p run $name $p $((rounds * 40)) $large >/dev/null
      echo "measured $work/$name-on-$p" >>"$work/list"
    done
  fi
  [ $name = airfoil ] || continue
  if has schedules; then
    for p in $threads; do
      OMP_WAIT_POLICY=passive OP2_SCHEDULE=$work/airfoil-$p run airfoil $p 20 $large >/dev/null
      echo "schedule $work/airfoil-$p" >>"$work/list"
      echo "rehearse $p $work/rehearsal-$p" >>"$work/list"
    done
  fi
  if has far; then
    OP2_SCHEDULE=$work/airfoil-far run airfoil 1 6 --mesh 800x1200 >/dev/null
    echo "far 64 $work/airfoil-large" >>"$work/list"
    echo "far 128 $work/airfoil-far" >>"$work/list"
  fi
done
"$build/bench/model/model" <"$work/list"
