#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each application in Python (python/examples) beside its program in C, in pairs of runs:
#   bench/python.sh [--build DIR] [--pairs N] [--threads N] [--backend NAME] [--python NAME] [--site DIR]
#                   [--small yes] [APP...]
# The applications are heat, airfoil, cg, aero, tsunami, poisson and poisson-petsc, with the same meshes and as many
# steps. Both programs run once in each pair, and the order changes from pair to pair. The ratio is that of the times
# per step, Python to C: the geometric mean over the pairs, and its 95 % interval. A step in Python may take 1.05 of the
# time in C, and 20 us more for each loop that it queues. So the ratio is printed once more after 20 us for each loop
# were subtracted from the time in Python, with the loops of a step, which a run with bench/python/loops.py counts. It
# "holds" if the interval of that ratio ends below 1.05, is "MISSED" if the interval begins above, and is open
# otherwise: more pairs may decide. Compilation and plans are not in the times, except for those of poisson, whose steps
# are meshes; its programs are in the cache. The last line is the time of a loop queued from Python.
# --site is a folder with the package; without it the package is built. --small yes runs small meshes, to try the
# script. Nothing is asserted: timings belong to the machine and the moment.
set -eu

say() { echo "python: $*" >&2; }
die() { say "$*"; exit 1; }

root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/bench/common/interval.sh"
most=1.05 each_us=20 # what Python may take of the time in C, and for each loop
build=$root/build
pairs=11
threads=2
backend=openmp
python=python3
site=
small=no
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '3,/^set /s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --build | --pairs | --threads | --backend | --python | --site | --small) [ $# -gt 1 ] || die "a value is missing after $1" ;;
    -*) die "unknown option $1 (--help lists them)" ;;
    *) break ;;
  esac
  case $1 in
    --build) build=$(cd "$2" && pwd) ;;
    --pairs) pairs=$2 ;;
    --threads) threads=$2 ;;
    --backend) backend=$2 ;;
    --python) python=$2 ;;
    --site) site=$(cd "$2" && pwd) ;;
    --small) small=$2 ;;
  esac
  shift 2
done
for number in "$pairs" "$threads"; do
  case $number in
    '' | 0 | *[!0-9]*) die "not a positive number: $number" ;;
  esac
done
[ "$pairs" -gt 1 ] || die "--pairs $pairs: expected a number of 2 or more"
[ $# -gt 0 ] || set -- heat airfoil cg aero tsunami poisson poisson-petsc
bench=$build/bench
[ -x "$bench/airfoil/airfoil" ] || die "$build has no built benchmarks"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cp -R "$root/python" "$folder/package" # setuptools writes beside the sources
if [ -z "$site" ]; then
  site=$folder/site
  PKG_CONFIG_PATH=$build/meson-uninstalled "$python" -m pip install -q --no-build-isolation --no-deps --no-index \
    --root-user-action=ignore --target "$site" "$folder/package" >&2
fi
export PYTHONPATH="$site" OP2_BACKEND="$backend" OP2_THREADS="$threads" EXAMPLE_WARMUP=3
# PETSc's default method, GMRES, stagnates above the tolerance of 1e-12 on fine meshes.
export PETSC_OPTIONS="-ksp_type cg"
cd "$folder"

# sizes APP: sets the mesh, and the number of steps; with --small yes those to try the script with
sizes() {
  case $1 in
    heat) mesh=400x300 steps=300 ;;
    airfoil) mesh=400x600 steps=60 ;;
    cg) mesh=400x600 steps=200 ;;
    aero) mesh=400x300 steps=5 ;;
    tsunami) mesh=300x300 steps=90 ;;
    poisson | poisson-petsc) mesh=128 steps=1 ;;
    *) die "there is no application $1 (--help lists them)" ;;
  esac
  [ "$small" = no ] || case $1 in
    poisson*) mesh=6 ;;
    *) mesh=24x18 steps=20 ;;
  esac
}
in_c() {
  case $1 in
    poisson) "$bench/fem/fem" --element p2 --cells $mesh --levels $steps ;;
    poisson-petsc) "$bench/fem/fem" --element p2 --cells $mesh --levels $steps --petsc ;;
    tsunami) "$bench/tsunami/tsunami" --mesh $mesh --iterations $steps --warmup $EXAMPLE_WARMUP ;;
    aero) "$bench/aero/aero" --mesh mesh.dat --newton $steps --warmup $EXAMPLE_WARMUP ;;
    cg) "$bench/cg/cg" --mesh mesh.dat --iterations $steps --warmup $EXAMPLE_WARMUP --check 0 --tolerance 0 ;;
    *) "$bench/$1/$1" --mesh mesh.dat --iterations $steps --warmup $EXAMPLE_WARMUP ;;
  esac
}
in_python() {
  case $1 in
    poisson) "$python" ${before:+"$before"} package/examples/poisson.py $mesh $steps ;;
    poisson-petsc) "$python" ${before:+"$before"} package/examples/poisson.py --petsc $mesh $steps ;;
    tsunami) "$python" ${before:+"$before"} package/examples/tsunami.py $mesh $steps ;;
    *) "$python" ${before:+"$before"} "package/examples/$1.py" mesh.dat $steps ;;
  esac
}
# milliseconds WAY APP: prints the time of a step
milliseconds() {
  "$1" "$2" >out 2>&1 || { cat out >&2; die "$2 failed ($1)"; }
  awk '$1 == "time_per_iteration_ms" { print $2; found = 1 } END { exit !found }' out ||
    die "$2 prints no time ($1)"
}

# allowed LOOPS: reads the times in Python and C of each pair, and subtracts from the first what the loops may take. Of
# less than that a hundredth of the time in C is left, because the logarithm of the ratio is taken.
allowed() {
  awk -v loops="$1" -v each=$each_us '{
    left = $1 - 1e-3 * each * loops
    print (left > 0.01 * $2 ? left : 0.01 * $2), $2
  }'
}

echo "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1), $backend, $threads threads, $pairs pairs"
printf '%-14s %-9s %10s %10s %6s %8s %17s %9s %17s\n' application mesh "Python ms" "C ms" loops ratio \
  "95 % interval" "less $each_us us" "95 % interval"
for app; do
  sizes "$app"
  before=
  case $app in
    aero) "$bench/aero/aero" --mesh $mesh --newton 1 --write-mesh mesh.dat >out ;;
    heat | airfoil | cg) "$bench/airfoil/airfoil" --mesh $mesh --iterations 0 --write-mesh mesh.dat >out ;;
  esac
  milliseconds in_c "$app" >ignored
  milliseconds in_python "$app" >ignored
  before=$root/bench/python/loops.py
  loops=$(milliseconds in_python "$app")
  before=
  : >times.txt
  pair=0
  while [ $pair -lt "$pairs" ]; do
    if [ $((pair % 2)) -eq 0 ]; then
      c=$(milliseconds in_c "$app")
      p=$(milliseconds in_python "$app")
    else
      p=$(milliseconds in_python "$app")
      c=$(milliseconds in_c "$app")
    fi
    echo "$p $c" >>times.txt
    pair=$((pair + 1))
  done
  allowed "$loops" <times.txt >less.txt
  echo "$(interval times.txt) $(interval less.txt)" | awk -v app="$app" -v mesh=$mesh -v loops="$loops" -v most=$most '{
    printf "%-14s %-9s %10.4f %10.4f %6.1f %8.3f %8.3f %8.3f %9.3f %8.3f %8.3f  at most %s: %s\n", app, mesh, $1, $2,
      loops, $3, $4, $5, $8, $9, $10, most, ($10 <= most ? "holds" : $9 > most ? "MISSED" : "open")
  }'
done
"$python" "$root/bench/python/queued.py" 100 | awk -v most=$each_us '
  $1 == "queued_us" { queued = $2 }
  $1 == "run_us" {
    printf "a loop of four arguments: %.2f us until it is queued, %.2f us until it has run  at most %s us: %s\n",
      queued, $2, most, (queued <= most ? "holds" : "MISSED")
  }'
