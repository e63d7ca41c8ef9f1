#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Time per step of airfoil and heat in Fortran and C++ against the programs in C, with kernels as text and
# by address, measured in pairs: each form right after the program in C.
#   bench/languages.sh [--mesh IxJ] [--rounds N] [--iterations N] [--backend NAME] [--threads N] [--build DIR]
# The table has the least time of each form, and the median over the rounds of its ratio to the program in C
# in the same pair. The first two steps, in which loops are compiled, do not count. Nothing is asserted:
# timings belong to the machine and the moment. The build folder (default build) is made if it is not there.
set -eu

say() { echo "languages: $*" >&2; }
die() { say "$*"; exit 1; }
usage() { sed -n '3,/^set /s/^# \{0,1\}//p' "$0"; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
mesh=600x1200
rounds=5
iterations=50
backend=starpu
threads=2
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --mesh | --rounds | --iterations | --backend | --threads | --build) ;;
    *) die "unknown option $1 (--help lists them)" ;;
  esac
  [ $# -gt 1 ] || die "a value is missing after $1"
  case $1 in
    --mesh) mesh=$2 ;;
    --rounds) rounds=$2 ;;
    --iterations) iterations=$2 ;;
    --backend) backend=$2 ;;
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
OP2_BACKEND=$backend
OP2_THREADS=$threads
export OP2_BACKEND OP2_THREADS

[ -e "$build/build.ninja" ] || meson setup --buildtype release "$build" "$root" >&2
ninja -C "$build" >&2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
"$build/bench/airfoil/airfoil" --mesh "$mesh" --iterations 0 --write-mesh "$work/mesh.dat" >/dev/null

# timed COMMAND...: prints the milliseconds that a step takes
timed() {
  "$@" >"$work/out" 2>&1 || { cat "$work/out" >&2; die "$1 failed"; }
  awk '$1 == "time_per_iteration_ms" { print $2; found = 1 } END { exit !found }' "$work/out" ||
    die "$1 prints no time"
}
# pair APPLICATION FORM COMMAND...: adds a line "APPLICATION|FORM|C's milliseconds|the form's"
pair() {
  application=$1 form=$2
  shift 2
  in_c=$(timed "$build/bench/$application/$application" --mesh "$work/mesh.dat" --iterations "$iterations")
  other=$(timed "$@")
  echo "$application|$form|$in_c|$other" >>"$work/times"
}
one_round() { # APPLICATION
  fortran=$build/fortran/examples/${1}_fortran
  cxx=$build/bench/$1/${1}_cxx
  if [ -x "$fortran" ]; then
    pair "$1" "Fortran, text" "$fortran" "$work/mesh.dat" "$iterations"
    pair "$1" "Fortran, address" "$fortran" "$work/mesh.dat" "$iterations" '' address
  fi
  if [ -x "$cxx" ]; then
    pair "$1" "C++, text" "$cxx" --mesh "$work/mesh.dat" --iterations "$iterations"
    pair "$1" "C++, address" "${cxx}_address" --mesh "$work/mesh.dat" --iterations "$iterations"
  fi
}

for round in $(seq "$rounds"); do
  say "round $round of $rounds"
  one_round airfoil
  one_round heat
done

echo "mesh $mesh, backend $backend, $threads threads, $iterations steps, $rounds rounds"
printf '%-9s %-18s %12s %12s %10s\n' application form 'C ms/step' 'ms/step' 'ratio'
cut -d'|' -f1,2 "$work/times" | sort -u | while IFS='|' read -r application form; do
  awk -F'|' -v a="$application" -v f="$form" '
    $1 == a && $2 == f { print $4 / $3, $3, $4 }' "$work/times" | sort -n >"$work/form"
  awk -v a="$application" -v f="$form" '
    { ratio[NR] = $1 }
    NR == 1 || $2 < c { c = $2 }
    NR == 1 || $3 < other { other = $3 }
    END {
      median = NR % 2 ? ratio[(NR + 1) / 2] : (ratio[NR / 2] + ratio[NR / 2 + 1]) / 2
      printf "%-9s %-18s %12.4f %12.4f %10.3f\n", a, f, c, other, median
    }' "$work/form"
done
