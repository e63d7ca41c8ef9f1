#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What OP2's interface costs, in pairs of runs.
#   bench/compat.sh [--build DIR] [--pairs N] [--threads N] [--backend NAME] [--mesh IxJ]
# Airfoil and aero (bench/compat) run through libop2-compat (compat: results of reductions are there at
# once; lazy: they are put off) and through op2's own calls, where the program asks for the same results
# at the same points (asks) or for the last one only (never). Kernels and meshes are the same. For each
# pair of forms, the ratio of the times per iteration: the geometric mean over the pairs of runs, and
# its 95 % interval. The order within a pair changes from pair to pair, loops are compiled before the
# time is taken, and results must be equal. Times are for people, who need a quiet machine.
set -eu

say() { echo "compat: $*" >&2; }
die() { say "$*"; exit 1; }

root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/bench/common/interval.sh"
build=$root/build pairs=20 threads=2 backend=starpu mesh=150x240
while [ $# -gt 0 ]; do
  case $1 in -h | --help) sed -n '3,11s/^# //p' "$0"; exit 0 ;; esac
  [ $# -gt 1 ] || die "a value is missing after $1"
  case $1 in
    --build) build=$2 ;;
    --pairs) pairs=$2 ;;
    --threads) threads=$2 ;;
    --backend) backend=$2 ;;
    --mesh) mesh=$2 ;;
    *) die "unknown option $1" ;;
  esac
  shift 2
done
case $pairs in
  '' | 0 | 1 | *[!0-9]*) die "--pairs $pairs: expected a number of 2 or more" ;;
esac
[ -e "$build/compat/libop2-compat.so" ] || die "$build has no libop2-compat"
[ -x "$build/bench/aero/aero" ] || die "$build has no built benchmarks"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir -m 700 "$folder/cache"
OP2_CACHE_DIR=$folder/cache OP2_BACKEND=$backend OP2_THREADS=$threads
export OP2_CACHE_DIR OP2_BACKEND OP2_THREADS

prepare() { # APPLICATION OPTION: compiles its forms, and writes its mesh
  sh "$build/compat/op2-c++" "${CXX:-c++}" -std=c++17 -O3 -I"$root/bench" -I"$root/bench/compat" \
    -I"$root/include/op2-compat" -I"$root/include" -o "$folder/$1" \
    "$root/bench/compat/$1_forms.cpp" -L"$build/compat" -L"$build" -Wl,-rpath,"$build/compat" \
    -Wl,-rpath,"$build" -lop2-compat -lop2
  "$build/bench/$1/$1" --mesh "$mesh" "$2" 1 --write-mesh "$folder/$1.dat" >/dev/null
}

# measure APPLICATION FORM: prints the milliseconds per iteration, and keeps the result
measure() {
  case $1 in
    airfoil) set -- "$1" "$2" 300 100 ;;
    aero) set -- "$1" "$2" 9 3 ;;
  esac
  "$folder/$1" "$2" "$folder/$1.dat" "$3" "$4" >"$folder/out" 2>"$folder/err" ||
    { cat "$folder/err" >&2; die "$1, $2 failed"; }
  ! grep 'called by its address' "$folder/err" >&2 || die "$1, $2: a kernel has no text"
  awk '$1 == "result" { print $2 }' "$folder/out" >>"$folder/results"
  awk '$1 == "time_per_iteration_ms" { print $2 }' "$folder/out"
}

# agree APPLICATION: all results that were kept are the same but for rounding
agree() {
  awk 'NR == 1 { first = $1 } { off = $1 - first; if (off < 0) off = -off }
    off > 1e-9 * (first < 0 ? -first : first) + 1e-14 { exit 1 }' "$folder/results" ||
    die "$1: results differ: $(sort -u "$folder/results" | tr '\n' ' ')"
}

compare() { # APPLICATION FORM OTHER
  in_pairs "$folder/times" "$pairs" "$@"
  printf '%s %5d  %s: %s to %s\n' "$(interval "$folder/times")" "$pairs" "$1" "$2" "$3"
}

say "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1), $backend, $threads threads," \
  "mesh $mesh, $pairs pairs"
prepare airfoil --iterations
prepare aero --newton
printf '%10s %10s %8s %17s %5s  %s\n' "first ms" "second ms" "ratio" "95 % interval" "pairs" "case"
for application in airfoil aero; do
  : >"$folder/results"
  for form in compat lazy asks never; do measure $application $form >"$folder/ignored"; done
  compare $application compat asks
  compare $application lazy never
  compare $application compat never
  agree $application
done
