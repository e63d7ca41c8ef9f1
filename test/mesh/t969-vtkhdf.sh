#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Results as VTKHDF have the cells and values of the mesh at each time, alone and on ranks, as h5py reads them,
# and VTK where it is there: there they equal what it reads of VTU files. OP2_TEST_PYTHON is a Python with these.
set -u
. "$(dirname "$0")/../support/tap.sh"

if [ -z "$build" ] || [ ! -x "$build/test/vtkhdf_make" ]; then
  skip "this build has no HDF5"
  done_testing
fi
# The packages of Debian are those of its own Python.
for python in "${OP2_TEST_PYTHON:-python3}" /usr/bin/python3 ''; do
  [ -z "$python" ] || ! "$python" -c 'import h5py' 2>"$tmp/err" || break
done
if [ -z "$python" ]; then
  skip "no Python with h5py: $(tail -n 1 "$tmp/err")"
  done_testing
fi

for mesh in plane-4b.msh solid-2.msh plane-order2.msh; do
  case $mesh in
    plane-4b.msh) nodes=32 cells=35 ;;
    solid-2.msh) nodes=12 cells=5 ;;
    plane-order2.msh) nodes=$(sed -n '/^\$Nodes/{n;s/^[0-9]* \([0-9]*\) .*/\1/p}' "$src/test/mesh/meshes/$mesh")
      cells=$("$build/test/mesh_show" 0 "$src/test/mesh/meshes/$mesh" | sed -n 's/^mesh .* //p') ;;
  esac
  for ranks in 0 1 3; do
    "$build/test/vtkhdf_make" $ranks "$src/test/mesh/meshes/$mesh" "$tmp/out$ranks" 3 2>"$tmp/err"
    status=$?
    result $status "$mesh, $ranks ranks: files are written"
    [ $status -eq 0 ] || diag "$(cat "$tmp/err")"
    "$python" "$src/test/support/vtkhdf_check.py" "$tmp/out$ranks" $ranks 3 $nodes $cells >"$tmp/out" 2>"$tmp/err"
    results "$mesh, $ranks ranks" $?
  done
done

"$build/test/vtkhdf_make" 0 "$src/test/mesh/meshes/plane-4b.msh" "$tmp/none/out" 1 >"$tmp/out" 2>&1
catches "a folder that is not there" 'none/out.hdf: cannot be written' cat "$tmp/out"
# The checks notice another value, and a time that was not finished.
for change in 'file["VTKHDF/CellData/corner"][3, 0] += 1' 'file["VTKHDF/Steps"].attrs["NSteps"] = 2' \
  'file["VTKHDF/Connectivity"][0] += 1'; do
  "$build/test/vtkhdf_make" 3 "$src/test/mesh/meshes/plane-4b.msh" "$tmp/bad" 3
  "$python" -c 'import h5py, sys
with h5py.File(sys.argv[1], "r+") as file: exec(sys.argv[2])' "$tmp/bad.hdf" "$change"
  catches "$change" '^not ok' "$python" "$src/test/support/vtkhdf_check.py" "$tmp/bad" 3 3 32 35
done
done_testing
