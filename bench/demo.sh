#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# From a clone to a flow: installs what is missing (Debian 12, as root or with sudo), builds into the folder build, and
# runs the airfoil application on the classic mesh of 720,000 cells for 100 time steps. Leaves airfoil.dot and
# airfoil.svg, the graph of one time step, and airfoil.png, the flow, in the current folder. Fails if the result is not
# the published one.
set -eu

say() { echo "demo: $*"; }
die() { echo "demo: $*" >&2; exit 1; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
published=5.02186e-04 # rms after 100 steps, as OP2's own sequential build gives it

sh "$root/test/deps.sh" build demo
if [ -e "$build/build.ninja" ]; then
  meson setup --reconfigure -Dbench=true "$build" "$root" # finds what was installed since
else
  meson setup --buildtype release "$build" "$root"
fi
ninja -C "$build" bench/airfoil/airfoil

say "running 100 time steps on 720,000 cells"
rm -f airfoil.dot airfoil.svg airfoil.png
log=$build/airfoil.log
{ "$build/bench/airfoil/airfoil" --mesh classic --iterations 100 --every 20 --graph airfoil.dot --picture airfoil.png &&
  echo "the run ended well"; } | tee "$log"
grep -q '^the run ended well$' "$log" || die "the run failed"
rms=$(awk '$1 == 100 && NF == 2 { printf "%.5e", $2 }' "$log")
dot -Tsvg -o airfoil.svg airfoil.dot
for file in airfoil.dot airfoil.svg airfoil.png; do
  [ -s $file ] || die "$file was not made"
done

echo
say "rms after 100 steps: $rms, published: $published"
say "graph of one time step: $PWD/airfoil.dot, $PWD/airfoil.svg"
say "Mach number round the section: $PWD/airfoil.png"
[ "$rms" = "$published" ] || die "the rms is not the published one"
