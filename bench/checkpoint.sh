#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What checkpoints cost: the time of the iterations of airfoil (720,000 cells) and cg with checkpoints,
# divided by the time without them, in rounds of runs in turn; the medians are compared.
#   bench/checkpoint.sh [--seconds S] [--folder DIR] [--rounds N] [--ranks N] [--mesh M] [--build DIR]
#                       [--iterations "AIRFOIL CG"] [--mpi openmpi|mpich]
# S seconds lie between checkpoints (default 5), which are written to a folder in DIR (default: the working
# directory; a file system in memory tells nothing of disks). There are N rounds (default 3) on N ranks
# (default 2), with M a mesh as airfoil takes it (default classic). A ratio above 1.3 makes the status 1.
set -eu

say() { echo "checkpoint: $*" >&2; }
die() { say "$*"; exit 2; }
usage() { sed -n '3,/^set /s/^# \{0,1\}//p' "$0"; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build seconds=5 folder=. rounds=3 ranks=2 mesh=classic iterations="600 1500" mpi=openmpi
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --seconds | --folder | --rounds | --ranks | --mesh | --build | --iterations | --mpi) ;;
    *) die "unknown option $1 (--help lists them)" ;;
  esac
  [ $# -gt 1 ] && [ -n "$2" ] || die "a value is missing after $1"
  case $1 in
    --seconds) seconds=$2 ;;
    --folder) folder=$2 ;;
    --rounds) rounds=$2 ;;
    --ranks) ranks=$2 ;;
    --mesh) mesh=$2 ;;
    --build) build=$2 ;;
    --iterations) iterations=$2 ;;
    --mpi) mpi=$2 ;;
  esac
  shift 2
done
for number in $iterations "$rounds" "$ranks"; do
  case $number in
    '' | 0 | *[!0-9]*) die "not a positive number: $number" ;;
  esac
done
work=$(mktemp -d)
states=$(mktemp -d "$folder/op2-checkpoint-XXXXXX") || die "nothing can be written to $folder"
trap 'rm -rf "$work" "$states"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# run NAME OPTION...: adds the seconds of the time loop to $work/NAME
run() {
  times=$1
  shift
  status=0
  OMP_WAIT_POLICY=passive sh "$root/test/mpirun.sh" "$mpi" 600 "$ranks" "$@" \
    >"$work/out" 2>"$work/err" || status=$?
  [ $status -ne 77 ] || { say "$(cat "$work/err")"; exit 77; }
  [ $status -eq 0 ] || { cat "$work/out" "$work/err" >&2; die "$* failed"; }
  sed -n 's/^total_time_s .*\(time loop\|iterations\) \([0-9.]*\))$/\2/p' "$work/out" >>"$work/$times"
  grep '^checkpoints:' "$work/out" >>"$work/$times.written" || true
}
median() { sort -n "$1" | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'; }

# application NAME ITERATIONS OPTION...
worst=0
application() {
  name=$1 n=$2
  shift 2
  # The first run fills the cache of compiled loops.
  run "$name-first" "$build/bench/$name/$name" --mesh "$mesh" --iterations 20 "$@"
  round=0
  while [ $round -lt "$rounds" ]; do
    run "$name-without" "$build/bench/$name/$name" --mesh "$mesh" --iterations "$n" "$@"
    rm -f "$states"/*
    run "$name-with" "$build/bench/$name/$name" --mesh "$mesh" --iterations "$n" "$@" \
      --checkpoint "$states/$name" --checkpoint-seconds "$seconds"
    round=$((round + 1))
  done
  without=$(median "$work/$name-without") with=$(median "$work/$name-with")
  awk -v name="$name" -v a="$without" -v b="$with" -v n="$n" -v of="$(tail -n 1 "$work/$name-with.written")" \
    'BEGIN { printf "%-8s %d iterations: %.2f s without, %.2f s with, ratio %.3f (%s)\n", name, n, a, b, b / a, of
             exit b > 1.3 * a }' || worst=1
}

echo "$ranks ranks, a checkpoint every $seconds s, mesh $mesh, medians of $rounds rounds"
application airfoil "${iterations% *}" --every 0
application cg "${iterations#* }" --tolerance 0 --check 0
exit $worst
