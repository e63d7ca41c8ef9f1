#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Assembly of matrices and their products, beside PETSc and beside what is written by hand for bilinear elements:
#   bench/assembly.sh [--build DIR] [--rounds N] [--cells N] [--backend NAME]
# Poisson's problem and elasticity on N * N cells (1000): one rank of two workers, of one worker, and two ranks of one
# worker each. Each round of a run does everything once, in turn, with the same element matrices; times are the best
# of the rounds. Behind each ratio stands what it is held against (bench/results/README.md). Nothing is asserted:
# timings belong to the machine and the moment.
set -eu

say() { echo "assembly: $*" >&2; }
die() { say "$*"; exit 1; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
rounds=10
cells=1000
backend=openmp
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '3,/^set /s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --build | --rounds | --cells | --backend) [ $# -gt 1 ] || die "a value is missing after $1" ;;
    *) die "unknown option $1 (--help lists them)" ;;
  esac
  case $1 in
    --build) build=$2 ;;
    --rounds) rounds=$2 ;;
    --cells) cells=$2 ;;
    --backend) backend=$2 ;;
  esac
  shift 2
done
for number in "$rounds" "$cells"; do
  case $number in
    '' | 0 | *[!0-9]*) die "not a positive number: $number" ;;
  esac
done
program=$build/bench/fem/assembly
[ -x "$program" ] || die "$build has no built benchmarks with PETSc"
mpi=openmpi
! ldd "$build/libop2-mpi.so" 2>/dev/null | grep -q libmpich || mpi=mpich
out=$(mktemp)
trap 'rm -f "$out"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# run PROBLEM WORKERS [COMMAND...]: puts the program's output into $out
run() {
  problem=$1 workers=$2
  shift 2
  "$@" "$program" --problem "$problem" --cells "$cells" --rounds "$rounds" --backend "$backend" \
    --threads "$workers" >"$out" 2>&1 || { cat "$out" >&2; die "$problem failed"; }
}

# show PROBLEM HOW RATIO>LEAST|RATIO<MOST...: prints a line for each ratio, and the times
show() {
  problem=$1 how=$2
  shift 2
  awk -v problem="$problem" -v how="$how" -v asked="$*" '
    $1 == "assembly_petsc_ms" { sub(/,$/, "", $3); ratio["petsc"] = $4
      what["petsc"] = "assembly, times as fast as " substr($3, 2, length($3) - 2) }
    $1 == "assembly_by_hand_ms" { ratio["hand"] = $4; what["hand"] = "assembly, as a multiple of that by hand" }
    $1 == "mult_petsc_ms" { ratio["mult"] = $4; what["mult"] = "product, as a multiple of MatMult" }
    $1 == "matrix_bytes" { ratio["bytes"] = $3; what["bytes"] = "bytes, as a multiple of the compressed rows" }
    END {
      n = split(asked, limit, " ")
      for (i = 1; i <= n; i++) {
        split(limit[i], at, /[<>]/)
        least = limit[i] ~ />/
        good = least ? ratio[at[1]] >= at[2] : ratio[at[1]] <= at[2]
        printf "%-11s %-12s %-48s %7.3f  %s %s%s\n", problem, how, what[at[1]], ratio[at[1]],
          least ? "at least" : "at most", at[2], good ? "" : "  MISSED"
      }
    }' "$out"
  sed 's/^/    /' "$out" | grep -E '_ms '
}

echo "assembly, $cells * $cells bilinear cells, $backend, best of $rounds rounds"
echo "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1), $(nproc) processing units, $mpi"
for problem in poisson elasticity; do
  least=4
  [ "$problem" = poisson ] || least=8
  echo
  run $problem 2
  show $problem "two workers" "petsc>$least" "hand<1.2" "bytes<1.7"
  run $problem 1
  show $problem "one worker" "mult<1.1"
  run $problem 1 sh "$root/test/mpirun.sh" "$mpi" 600 2
  show $problem "two ranks" "petsc>1.5" "mult<1.1" "bytes<1.7"
done
