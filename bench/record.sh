#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# All comparisons with the hand-written programs, one after the other, as a record for bench/results:
#   bench/record.sh [--build DIR] [--rounds N] > bench/results/DATE-MACHINE.txt
set -eu

usage() { sed -n '3,/^set /s/^# \{0,1\}//p' "$0"; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
rounds=3
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --build | --rounds) ;;
    *) echo "record: unknown option $1 (--help lists them)" >&2; exit 1 ;;
  esac
  [ $# -gt 1 ] || { echo "record: a value is missing after $1" >&2; exit 1; }
  case $1 in
    --build) build=$2 ;;
    --rounds) rounds=$2 ;;
  esac
  shift 2
done

# compare TITLE OPTION...: prints a title and the table of bench/compare.sh
compare() {
  printf '\n## %s\n\nbench/compare.sh --rounds %s' "$1" "$rounds"
  shift
  printf ' %s' "$@"
  printf '\n\n'
  sh "$root/bench/compare.sh" --build "$build" --rounds "$rounds" "$@"
}

echo "date:     $(date +%Y-%m-%d)"
echo "commit:   $(git -C "$root" log -1 --format=%h 2>/dev/null || echo unknown)"
echo "machine:  $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1), $(nproc) processing units"
echo "compiler: $(cc --version | head -1)"

# The queue is flushed after 34 iterations and at the end: this makes four runs of one program of 17
# iterations, of which the first two are not timed.
compare "Airfoil, 720,000 cells" --switches yes --iterations 68 --warmup 34
compare "Airfoil, 45,000 cells" --mesh 100x150 --switches yes --iterations 600 --warmup 200
compare "Airfoil, 2,880,000 cells" --mesh 800x1200 --switches yes --iterations 68 --warmup 34
compare "Airfoil, 1,152 cells" --mesh 16x24 --iterations 20000 --warmup 5000
compare "Airfoil, shuffled numbers" --numbering yes --iterations 20 --warmup 5
compare "Shallow water, 500,000 cells" --app tsunami --switches yes --iterations 60 --warmup 20
compare "Conjugate gradients, 720,000 cells" --app cg --switches yes --iterations 120 --warmup 40
compare "Potential flow, 720,000 cells" --app aero --iterations 3 --warmup 1
for mesh in 22x30 40x58 72x102 125x187; do # the meshes have 2,000, 7,000, 22,000 and 70,000 nodes
  compare "Heat, $mesh" --app heat --mesh $mesh --iterations 3000 --warmup 500
done

# started MESH: prints how runs start with an empty cache of compiled loops, and then with a filled
# one
started() {
  printf '\nairfoil --mesh %s --iterations 10, with an empty cache and with a filled one\n\n' "$1"
  cache=$(mktemp -d)
  for _ in 1 2 3 4 5 6 7 8; do
    OP2_CACHE_DIR=$cache "$build/bench/airfoil/airfoil" --mesh "$1" --iterations 10 --every 0 \
      --explain - | grep -E '^(code|start):'
  done
  rm -rf "$cache"
}
printf '\n## Start\n'
started 16x24
started 100x150
started classic

printf '\n## Renumbering\n\nairfoil --shuffle 1 --renumber --iterations 20\n\n'
"$build/bench/airfoil/airfoil" --shuffle 1 --renumber --iterations 20 --every 0 | grep -i number

printf '\n## Overhead\n\n'
"$build/bench/overhead/overhead"

printf '\n## Kernels\n\nbench/kernels.sh\n\n'
sh "$root/bench/kernels.sh" --build "$build"
