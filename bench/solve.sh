#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# An iteration of the library's own GMRES beside PETSc's, both preconditioned by the diagonal, one rank of one worker:
#   bench/solve.sh [--build DIR] [--rounds N] [--cells N...] [--restart N] [--backend NAME]
# Poisson's problem on 60 * 60 and 300 * 300 bilinear cells, so 3,721 and 90,601 rows, or as many as are given. Each
# round has a solve of 120 iterations by both, in turn; the ratio is the median of the rounds (41). Once as
# matrices are by default, in slices, and once in rows, as they are where PETSc solves as well. Nothing is
# asserted: timings belong to the machine and the moment.
set -eu

say() { echo "solve: $*" >&2; }
die() { say "$*"; exit 1; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
rounds=41
cells='60 300'
restart=30
backend=openmp
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '3,/^set /s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --build | --rounds | --cells | --restart | --backend) [ $# -gt 1 ] || die "a value is missing after $1" ;;
    *) die "unknown option $1 (--help lists them)" ;;
  esac
  case $1 in
    --build) build=$2 ;;
    --rounds) rounds=$2 ;;
    --cells) cells=$2 ;;
    --restart) restart=$2 ;;
    --backend) backend=$2 ;;
  esac
  shift 2
done
for number in "$rounds" "$restart" $cells; do
  case $number in
    '' | 0 | *[!0-9]*) die "not a positive number: $number" ;;
  esac
done
program=$build/bench/fem/gmres
[ -x "$program" ] || die "$build has no built benchmarks with PETSc"
out=$(mktemp)
trap 'rm -f "$out"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

echo "GMRES($restart), $backend, $rounds rounds"
echo "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1), $(nproc) processing units"
for side in $cells; do
  for slices in 1 0; do
    how=rows
    [ $slices = 0 ] || how=slices
    OP2_SLICES=$slices "$program" --cells "$side" --rounds "$rounds" --restart "$restart" --backend "$backend" \
      --threads 1 >"$out" 2>&1 || { cat "$out" >&2; die "$side * $side cells failed"; }
    awk -v rows=$(((side + 1) * (side + 1))) -v how=$how '
      $1 == "gmres_us" { ours = $2 }
      $1 == "gmres_petsc_us" { sub(/,$/, "", $2); petsc = $2 }
      $1 == "gmres_ratio" { ratio = $2; sub(/^[^(]*/, ""); middle = $0 }
      END {
        printf "%8d rows, in %-7s %9.2f us an iteration, PETSc %9.2f (the best), ratio %6.3f %s  at most 1.3%s\n",
          rows, how, ours, petsc, ratio, middle, ratio <= 1.3 ? "" : "  MISSED"
      }' "$out"
  done
done
