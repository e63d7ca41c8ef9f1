#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each application in Python (python/examples) beside its program in C, in pairs of runs:
#   bench/python.sh [--build DIR] [--pairs N] [--threads N] [--backend NAME] [--python NAME] [--small yes] [APP...]
# The applications are heat, airfoil, cg, aero, tsunami, poisson and poisson-petsc, with the same meshes and as many
# steps. Both programs run once in each pair, and the order changes from pair to pair. The ratio is that of the times
# per step, Python to C: the median of the pairs, with the least and the greatest. Compilation and plans are not in
# the times, except for those of poisson, whose steps are meshes; its programs are in the cache. The last line is the
# time of a loop queued from Python. --small yes runs small meshes, to try the script. Nothing is asserted: timings
# belong to the machine and the moment.
set -eu

say() { echo "python: $*" >&2; }
die() { say "$*"; exit 1; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
pairs=11
threads=2
backend=openmp
python=python3
small=no
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '3,/^set /s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --build | --pairs | --threads | --backend | --python | --small) [ $# -gt 1 ] || die "a value is missing after $1" ;;
    -*) die "unknown option $1 (--help lists them)" ;;
    *) break ;;
  esac
  case $1 in
    --build) build=$(cd "$2" && pwd) ;;
    --pairs) pairs=$2 ;;
    --threads) threads=$2 ;;
    --backend) backend=$2 ;;
    --python) python=$2 ;;
    --small) small=$2 ;;
  esac
  shift 2
done
for number in "$pairs" "$threads"; do
  case $number in
    '' | 0 | *[!0-9]*) die "not a positive number: $number" ;;
  esac
done
[ $# -gt 0 ] || set -- heat airfoil cg aero tsunami poisson poisson-petsc
bench=$build/bench
[ -x "$bench/airfoil/airfoil" ] || die "$build has no built benchmarks"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cp -R "$root/python" "$folder/package" # setuptools writes beside the sources
PKG_CONFIG_PATH=$build/meson-uninstalled "$python" -m pip install -q --no-build-isolation --no-deps --no-index \
  --root-user-action=ignore --target "$folder/site" "$folder/package" >&2
export PYTHONPATH="$folder/site" OP2_BACKEND="$backend" OP2_THREADS="$threads" EXAMPLE_WARMUP=3
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
    poisson) "$python" package/examples/poisson.py $mesh $steps ;;
    poisson-petsc) "$python" package/examples/poisson.py --petsc $mesh $steps ;;
    tsunami) "$python" package/examples/tsunami.py $mesh $steps ;;
    *) "$python" "package/examples/$1.py" mesh.dat $steps ;;
  esac
}
# milliseconds WAY APP: prints the time of a step
milliseconds() {
  "$1" "$2" >out 2>&1 || { cat out >&2; die "$2 failed ($1)"; }
  awk '$1 == "time_per_iteration_ms" { print $2; found = 1 } END { exit !found }' out ||
    die "$2 prints no time ($1)"
}

echo "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1), $backend, $threads threads, $pairs pairs"
printf '%-14s %-9s %11s %11s %7s %17s  %s\n' application mesh "C ms" "Python ms" ratio "least, greatest" "at most"
for app; do
  sizes "$app"
  case $app in
    aero) "$bench/aero/aero" --mesh $mesh --newton 1 --write-mesh mesh.dat >out ;;
    heat | airfoil | cg) "$bench/airfoil/airfoil" --mesh $mesh --iterations 0 --write-mesh mesh.dat >out ;;
  esac
  milliseconds in_c "$app" >ignored
  milliseconds in_python "$app" >ignored
  : >times
  pair=0
  while [ $pair -lt "$pairs" ]; do
    if [ $((pair % 2)) -eq 0 ]; then
      c=$(milliseconds in_c "$app")
      p=$(milliseconds in_python "$app")
    else
      p=$(milliseconds in_python "$app")
      c=$(milliseconds in_c "$app")
    fi
    echo "$c $p" >>times
    pair=$((pair + 1))
  done
  awk '{ printf "%.6f %s %s\n", $2 / $1, $1, $2 }' times | sort -n | awk -v app="$app" -v mesh=$mesh '
    { ratio[NR] = $1; c += $2; p += $3 }
    END {
      middle = NR % 2 ? ratio[(NR + 1) / 2] : (ratio[NR / 2] + ratio[NR / 2 + 1]) / 2
      printf "%-14s %-9s %11.4f %11.4f %7.3f %8.3f %8.3f  1.05%s\n", app, mesh, c / NR, p / NR,
        middle, ratio[1], ratio[NR], middle <= 1.05 ? "" : "  MISSED"
    }'
done
"$python" "$root/bench/python/queued.py" 1000 | awk '
  $1 == "queued_us" { queued = $2 }
  $1 == "run_us" {
    printf "a loop of four arguments: %.2f us until it is queued, %.2f us until it has run  at most 20 us%s\n",
      queued, $2, queued <= 20 ? "" : "  MISSED"
  }'
