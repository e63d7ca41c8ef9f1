#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Seconds that airfoil takes in the checked mode, of a sample of the elements and of all of them.
#   bench/check.sh [--build DIR] [--mesh MESH] [--iterations N] [--sample N] [--runs N] [--whole yes|no]
# Each line is one run of the whole program, from its start to its end, with code that was compiled
# before; `sequential` runs the same steps without checks. The runs take turns. "bits" says whether the
# results are those of `sequential`. Without --whole yes the checked mode of all elements, which takes
# minutes on the default mesh of 720,000 cells, is left out. A build folder without the program (default
# build) is built first. Nothing is asserted: timings belong to the machine and the moment.
set -eu

say() { echo "check: $*" >&2; }
die() { say "$*"; exit 1; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build mesh=classic iterations=10 sample=1000 runs=3 whole=no
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '3,/^set /s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --build | --mesh | --iterations | --sample | --runs | --whole)
      [ $# -gt 1 ] || die "a value is missing after $1" ;;
    *) die "unknown option $1 (--help lists them)" ;;
  esac
  case $1 in
    --build) build=$2 ;;
    --mesh) mesh=$2 ;;
    --iterations) iterations=$2 ;;
    --sample) sample=$2 ;;
    --runs) runs=$2 ;;
    --whole) whole=$2 ;;
  esac
  shift 2
done
for number in "$iterations" "$sample" "$runs"; do
  case $number in
    '' | 0 | *[!0-9]*) die "not a positive number: $number" ;;
  esac
done
case $whole in
  yes | no) ;;
  *) die "--whole $whole: expected yes or no" ;;
esac

airfoil=$build/bench/airfoil/airfoil
if [ ! -x "$airfoil" ]; then
  [ -e "$build/build.ninja" ] || meson setup --buildtype release "$build" "$root" >&2
  ninja -C "$build" bench/airfoil/airfoil >&2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
OP2_CACHE_DIR=$work/cache
export OP2_CACHE_DIR

# run BACKEND SAMPLE MESH: runs the program; its results are in $work/BACKEND.bin
run() {
  OP2_BACKEND=$1 OP2_CHECK_SAMPLE=$2 "$airfoil" --mesh "$3" --iterations "$iterations" \
    --dump-q "$work/$1.bin" >"$work/out" 2>&1 || { cat "$work/out" >&2; die "airfoil failed on $1"; }
}
# line NAME BACKEND SAMPLE: runs the program and prints how long it took
line() {
  start=$(date +%s%N)
  run "$2" "$3" "$mesh"
  stop=$(date +%s%N)
  bits=same
  cmp -s "$work/sequential.bin" "$work/$2.bin" || bits=others
  awk -v name="$1" -v ns=$((stop - start)) -v bits="$bits" \
    'BEGIN { printf "%10.2f %6s  %s\n", ns * 1e-9, bits, name }'
}

say "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1), mesh $mesh, $iterations steps"
for backend in sequential check; do run $backend 1 8x8; done
printf '%10s %6s  %s\n' seconds bits "airfoil"
i=0
while [ $i -lt "$runs" ]; do
  line "without checks" sequential 0
  line "a sample of $sample" check "$sample"
  [ "$whole" = no ] || line "all elements" check 0
  i=$((i + 1))
done
