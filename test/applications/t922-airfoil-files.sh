#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The airfoil application on a mesh in HDF5: the file has OP2's names, and the results are those
# with new_grid.dat, bit for bit.
set -u
. "$(dirname "$0")/../support/tap.sh"

airfoil=$build/bench/airfoil/airfoil
if [ -z "$build" ] || [ ! -x "$airfoil" ]; then
  skip "airfoil was not built"
  done_testing
fi
OP2_CACHE_DIR=${OP2_TEST_CACHE:-$tmp/cache}
export OP2_CACHE_DIR
made() { "$airfoil" --iterations 0 --mesh "$1" --write-mesh "$2"; }
made 12x8 "$tmp/grid.h5" >"$tmp/out" 2>&1 || true
if grep -q 'without HDF5' "$tmp/out"; then
  skip "this build has no HDF5"
  done_testing
fi
runs "new_grid.dat is written" made 12x8 "$tmp/grid.dat"
runs "and converted" made "$tmp/grid.dat" "$tmp/grid.h5"
runs "and back" made "$tmp/grid.h5" "$tmp/back.dat"
runs "which is the same file" cmp "$tmp/grid.dat" "$tmp/back.dat"
runs "converted twice" made "$tmp/grid.dat" "$tmp/twice.h5"
runs "both files are the same" cmp "$tmp/grid.h5" "$tmp/twice.h5"

for backend in sequential openmp; do
  for kind in dat h5; do
    OP2_BACKEND=$backend OP2_THREADS=2 runs "50 steps with the .$kind, $backend" "$airfoil" \
      --iterations 50 --every 10 --mesh "$tmp/grid.$kind" --dump-q "$tmp/q.$kind"
  done
  runs "the same bits, $backend" cmp "$tmp/q.dat" "$tmp/q.h5"
done

if command -v h5dump >/dev/null 2>&1; then
  h5dump -A "$tmp/grid.h5" >"$tmp/dump"
  for name in nodes edges bedges cells pedge pecell pbedge pbecell pcell p_bound p_x p_q p_qold \
    p_adt p_res gam gm1 cfl eps mach alpha qinf; do
    runs "h5dump shows $name" grep -q "^ *DATASET \"$name\"" "$tmp/dump"
  done
else
  skip "h5dump is not installed: names not looked at"
fi

refused() { # PATTERN MESH
  ! "$airfoil" --iterations 1 --mesh "$2" >"$tmp/out" 2>&1 && grep -q -e "$1" "$tmp/out"
}
runs "no such file" refused 'none.h5: cannot be opened' "$tmp/none.h5"
cp "$tmp/grid.dat" "$tmp/text.h5"
runs "a text file" refused 'text.h5: cannot be opened as an HDF5 file' "$tmp/text.h5"
head -c 3000 "$tmp/grid.h5" >"$tmp/short.h5"
runs "a truncated file" refused 'short.h5: cannot be opened.*truncated' "$tmp/short.h5"
done_testing
