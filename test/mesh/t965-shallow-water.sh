#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The example of shallow water round a pier has at most 120 lines, and gives the wave heights of a
# program that reads the mesh, finds edges and groups and writes files by itself: channel.depth has
# those at t = 1, and the volume and the momentum.
set -u
. "$(dirname "$0")/../support/tap.sh"

meshes=$src/test/mesh/meshes
lines=$(wc -l <"$src/examples/shallow_water/shallow_water.c")
runs "the example has $lines lines, of at most 120" test "$lines" -le 120

# apart FILE FILE: prints the lines whose numbers differ in their first six digits, or if there are
# none
apart() {
  paste "$1" "$2" | awk '{ d = $1 - $2; m = $2 < 0 ? -$2 : $2; if (NF != 2 || d > 1e-6 * m || -d > 1e-6 * m) print NR ": " $0 }
    END { if (!NR) print "nothing" }'
}

program=$build/examples/shallow_water
if [ -z "$build" ] || [ ! -x "$program" ]; then
  skip "this build has no examples"
  done_testing
fi
for backend in sequential openmp check; do
  OP2_BACKEND=$backend "$program" "$meshes/channel.msh" 1 "$tmp/$backend.pvd" >"$tmp/out" 2>"$tmp/err"
  status=$?
  if grep -q 'not available\|no openmp' "$tmp/err"; then
    skip "$backend: $(cat "$tmp/err")"
    continue
  fi
  result $status "$backend: the example runs"
  [ $status -eq 0 ] || diag "$(cat "$tmp/err")"
  sed 's/[a-z ]*\([0-9.]*\), [a-z]* \([0-9.]*\)/\1\n\2/' "$tmp/out" >"$tmp/got"
  "$build/test/vtu_show" "$tmp/$backend-0000.vtu" depth >>"$tmp/got"
  clean "$backend: heights, volume and momentum" apart "$tmp/got" "$meshes/channel.depth"
done
sed '5s/.*/1.00001/' "$meshes/channel.depth" >"$tmp/other"
catches "another height" '^5: ' apart "$tmp/other" "$meshes/channel.depth"
# Others' readers, where there is a Python that has them.
"${OP2_TEST_PYTHON:-python3}" "$src/test/support/vtu_readers.py" "$meshes/channel.msh" \
  "$tmp/sequential-0000.vtu" >"$tmp/readers" 2>&1
status=$?
if [ $status -eq 77 ] || [ $status -eq 127 ]; then
  skip "no Python with VTK and meshio ($(tail -n 1 "$tmp/readers")): their readers not tried"
else
  result $status "VTK and meshio read the file"
  [ $status -eq 0 ] || diag "$(cat "$tmp/readers")"
fi
runs "the series lists the file" grep -q 'file="sequential-0000.vtu"' "$tmp/sequential.pvd"

done_testing
