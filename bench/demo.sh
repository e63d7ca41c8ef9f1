#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# From a clone to pictures of two flows, in about a minute beyond installing and building.
#   bench/demo.sh [--quick] [--steps N] [--ranks N] [--out DIR] [--build DIR] [--no-build]
# Installs what is missing (Debian 12, as root or with sudo), builds into the folder build, and
# leaves in the folder op2-demo, or the one that --out names:
#   graph-before.svg  the loops of two time steps of airfoil, as they were queued
#   graph-after.svg   the same loops as they ran, with boxes round those that became one
#   flow.png          the flow round the section when it has settled, on 45,000 cells
#   wave.png          a tsunami at four times, on 51,200 cells
# and what the applications said, in .txt files. Before that it checks that 100 time steps of
# airfoil on the classic mesh of 720,000 cells give the published result. At the end stands a table
# of where the time of airfoil went.
#   --quick     small meshes, few time steps, and no check against the published result
#   --steps N   time steps of the flow round the section (4000, or 1500 if quick)
#   --ranks N   on so many ranks of MPI: graph-after.svg then has what travels between them, and the
#               table how long that was waited for
#   --out DIR   where the pictures go
#   --build DIR, --no-build   another build folder; take it as it is, and install nothing
set -eu

say() { echo "demo: $*"; }
die() { echo "demo: $*" >&2; exit 1; }
usage() { sed -n '3,/^set /s/^# \{0,1\}//p' "$0"; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
out=op2-demo
steps=
ranks=
quick=no
make=yes
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --quick) quick=yes ;;
    --no-build) make=no ;;
    --steps | --ranks | --out | --build)
      [ $# -gt 1 ] && [ -n "$2" ] || die "a value is missing after $1"
      case $1 in
        --steps) steps=$2 ;;
        --ranks) ranks=$2 ;;
        --out) out=$2 ;;
        --build) build=$2 ;;
      esac
      shift ;;
    *) die "unknown option $1 (--help lists them)" ;;
  esac
  shift
done
if [ $quick = yes ]; then
  mesh=32x48 steps=${steps:-1500} sea=64x64 sea_steps=1000
else
  mesh=100x150 steps=${steps:-4000} sea=160x160 sea_steps=2400
fi
case $steps in
  '' | 0 | *[!0-9]*) die "not a number of time steps: $steps" ;;
esac
case ${ranks:-1} in
  0 | *[!0-9]*) die "not a number of ranks: $ranks" ;;
esac
airfoil=$build/bench/airfoil/airfoil
tsunami=$build/bench/tsunami/tsunami

stage=0
stages=4
[ $make = no ] || stages=$((stages + 2))
[ $quick = no ] || stages=$((stages - 1))
begins() {
  stage=$((stage + 1))
  echo
  say "[$stage/$stages] $*"
}

# run NAME COMMAND...: writes the output to a file; progress is shown here
run() {
  name=$1
  shift
  [ -z "$ranks" ] || set -- sh "$root/test/mpirun.sh" "$mpi" 3600 "$ranks" "$@"
  "$@" >"$out/$name.txt" || {
    tail -n 20 "$out/$name.txt" >&2
    die "$1 failed; $out/$name.txt has what it printed"
  }
}

if [ $make = yes ]; then
  begins "installing what is missing"
  sh "$root/test/deps.sh" build demo ${ranks:+mpi}
  begins "building into $build"
  if [ -e "$build/build.ninja" ]; then
    meson setup --reconfigure -Dbench=true "$build" "$root" # finds what was installed since then
  else
    meson setup --buildtype release "$build" "$root"
  fi
  ninja -C "$build" bench/airfoil/airfoil bench/tsunami/tsunami
fi
for program in "$airfoil" "$tsunami"; do
  [ -x "$program" ] || die "$program is not built"
done
mpi=openmpi
! ldd "$build/libop2-mpi.so" 2>/dev/null | grep -q libmpich || mpi=mpich
if [ -n "$ranks" ]; then
  [ -e "$build/libop2-mpi.so" ] || die "--ranks $ranks: this build has no MPI"
  sh "$root/test/mpirun.sh" "$mpi" 60 1 true || die "--ranks $ranks: nothing can be started on ranks"
fi
mkdir -p "$out"
out=$(cd "$out" && pwd)
rm -f "$out"/graph-before.* "$out"/graph-after.* "$out"/flow.* "$out"/wave.* "$out"/check.* \
  "$out"/graph.txt

begins "two time steps of airfoil: the graph of their loops before the passes and after"
OP2_GRAPH="$out/graph-after.dot" run graph "$airfoil" --mesh 20x30 --iterations 2 --warmup 0 \
  --every 0 --graph "$out/graph-before.dot" --graph-steps 2
for when in before after; do
  dot -Tsvg -o "$out/graph-$when.svg" "$out/graph-$when.dot"
done
say "$(grep -c '^ *loop[0-9]* \[' "$out/graph-before.dot") loops were queued, of which" \
  "$(sed -n '/cluster_fused/,/^  }/p' "$out/graph-after.dot" | grep -c 'loop[0-9]* \[') ran as" \
  "$(grep -c 'cluster_fused' "$out/graph-after.dot")"

if [ -n "$ranks" ]; then
  exchanges=$(grep -c '^ *exchange[0-9]* \[' "$out/graph-after.dot") || die "nothing travels between $ranks ranks"
  say "halos travelled $exchanges times, in the picture from the loops that made them to the one that waits"
fi

if [ $quick = no ]; then
  published=5.02186e-04 # rms after 100 steps, as computed by OP2's own sequential build
  begins "airfoil on the classic mesh of 720,000 cells, against the published result"
  run check "$airfoil" --mesh classic --iterations 100 --every 20 --progress
  rms=$(awk '$1 == 100 && NF == 2 { printf "%.5e", $2 }' "$out/check.txt")
  say "rms of the change after 100 time steps: $rms, published: $published"
  [ "$rms" = "$published" ] || die "the rms is not the published one"
fi

begins "airfoil until the flow has settled: $mesh, $steps time steps"
run flow "$airfoil" --mesh $mesh --iterations "$steps" --every 50 --progress \
  --picture "$out/flow.png"
# The lines are "step rms"; the flow has settled when the change in a step is a hundredth of the
# change in the first one.
awk 'NF == 2 && $1 ~ /^[0-9]+$/ { if (!n++) { step = $1; first = $2 } last = $2; at = $1 }
  END {
    if (n < 2 || !(last > 0)) {
      print "demo: too few time steps to tell whether the flow has settled"
      exit 1
    }
    printf "demo: rms of the change fell from %.1e in step %d to %.1e in step %d\n", first, step,
      last, at
    exit !(last < first / 100)
  }' "$out/flow.txt" || die "the flow has not settled"

[ -z "$ranks" ] || say "$(sed -n 's/^halos: //p' "$out/flow.txt") (rank 0)"

begins "a tsunami: $sea rectangles of two triangles, $sea_steps time steps"
run wave "$tsunami" --mesh $sea --iterations $sea_steps --every 100 --progress \
  --picture "$out/wave.png"
say "$(awk 'NF == 6 && $1 ~ /^[0-9]+$/ { time = $2; if (!v) v = $3; off = ($3 - v) / v }
  END {
    printf "%.0f seconds of the wave; the volume of the water has kept to %.0e", time,
      off < 0 ? -off : off
  }' \
  "$out/wave.txt")"

for file in graph-before.svg graph-after.svg flow.png wave.png; do
  [ -s "$out/$file" ] || die "$out/$file was not made"
done
echo
say "where the time of airfoil went ($out/wave.txt has that of the tsunami):"
echo
sed -n '/^loop  *set/,$p' "$out/flow.txt"
echo
say "the graph of two time steps, as queued and as run: $out/graph-before.svg, $out/graph-after.svg"
say "Mach number round the section: $out/flow.png"
say "the wave at four times: $out/wave.png"
