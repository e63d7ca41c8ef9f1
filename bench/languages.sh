#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Time per step of airfoil and heat in Fortran and C++ beside the programs in C, with kernels as text and
# by address, in pairs of runs.
#   bench/languages.sh [--build DIR] [--mesh IxJ] [--pairs N] [--iterations N] [--backend NAME] [--threads N]
#                      [FORM...]
# Both programs run once in each pair, and the order changes from pair to pair. The ratio is that of the
# times per step, of the form to the program in C: the geometric mean over the pairs, and its 95 %
# interval. The first two steps, in which loops are compiled, do not count. Before that each form runs once
# to write its results, and "bits" says whether they are those of the program in C. The forms are
# fortran-text, fortran-address, c++-text and c++-address; those whose programs are not built are left out.
# A build folder without the programs (default build) is built first. Nothing is asserted: timings belong
# to the machine and the moment.
set -eu

say() { echo "languages: $*" >&2; }
die() { say "$*"; exit 1; }

root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/bench/common/interval.sh"
build=$root/build mesh=600x1200 pairs=20 iterations=50 backend=starpu threads=2
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '3,/^set /s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --build | --mesh | --pairs | --iterations | --backend | --threads)
      [ $# -gt 1 ] || die "a value is missing after $1" ;;
    -*) die "unknown option $1 (--help lists them)" ;;
    *) break ;;
  esac
  case $1 in
    --build) build=$2 ;;
    --mesh) mesh=$2 ;;
    --pairs) pairs=$2 ;;
    --iterations) iterations=$2 ;;
    --backend) backend=$2 ;;
    --threads) threads=$2 ;;
  esac
  shift 2
done
for number in "$pairs" "$iterations" "$threads"; do
  case $number in
    '' | 0 | *[!0-9]*) die "not a positive number: $number" ;;
  esac
done
[ "$pairs" -gt 1 ] || die "--pairs $pairs: expected a number of 2 or more"
[ $# -gt 0 ] || set -- fortran-text fortran-address c++-text c++-address
OP2_BACKEND=$backend OP2_THREADS=$threads
export OP2_BACKEND OP2_THREADS

if [ ! -x "$build/bench/heat/heat" ]; then
  [ -e "$build/build.ninja" ] || meson setup --buildtype release "$build" "$root" >&2
  ninja -C "$build" >&2
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
"$build/bench/airfoil/airfoil" --mesh "$mesh" --iterations 0 --write-mesh "$work/mesh.dat" >/dev/null

# measure APPLICATION FORM [FILE]: prints the milliseconds that a step takes; results go into the file
measure() {
  program=$(program "$1" "$2")
  case $2 in
    fortran-text) set -- "$1" "$program" "$work/mesh.dat" "$iterations" "${3-}" ;;
    fortran-address) set -- "$1" "$program" "$work/mesh.dat" "$iterations" "${3-}" address ;;
    *) set -- "$1" "$program" --mesh "$work/mesh.dat" --iterations "$iterations" ${3:+"$(dump "$1")" "$3"} ;;
  esac
  shift
  "$@" >"$work/out" 2>&1 || { cat "$work/out" >&2; die "$1 failed"; }
  awk '$1 == "time_per_iteration_ms" { print $2; found = 1 } END { exit !found }' "$work/out" ||
    die "$1 prints no time"
}
program() { # APPLICATION FORM: prints the path of the program
  case $2 in
    c) echo "$build/bench/$1/$1" ;;
    fortran-*) echo "$build/fortran/examples/${1}_fortran" ;;
    c++-text) echo "$build/bench/$1/${1}_cxx" ;;
    c++-address) echo "$build/bench/$1/${1}_cxx_address" ;;
    *) die "there is no form $2 (--help lists them)" ;;
  esac
}
dump() { # APPLICATION: prints the option that writes results
  case $1 in
    airfoil) echo --dump-q ;;
    heat) echo --dump-x ;;
  esac
}
bits() { # APPLICATION FORM: prints whether the results have the bits of those in C
  measure "$1" c "$work/c.bin" >"$work/ignored"
  measure "$1" "$2" "$work/form.bin" >"$work/ignored"
  cmp -s "$work/c.bin" "$work/form.bin" && echo same || echo others
}
compare() { # APPLICATION FORM
  bits=$(bits "$1" "$2")
  in_pairs "$work/times" "$pairs" "$1" "$2" c
  printf '%s %5d %6s  %s, %s\n' "$(interval "$work/times")" "$pairs" "$bits" "$1" "$2"
}

say "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1), $backend, $threads threads," \
  "mesh $mesh, $iterations steps, $pairs pairs"
printf '%10s %10s %8s %17s %5s %6s  %s\n' "ms" "C ms" "ratio" "95 % interval" "pairs" "bits" "application and form"
for application in airfoil heat; do
  for form; do
    file=$(program "$application" "$form")
    if [ -x "$file" ]; then
      compare "$application" "$form"
    else
      say "$application, $form is left out: there is no $file"
    fi
  done
done
