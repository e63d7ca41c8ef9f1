#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Meshes in files of VTK, in all encodings of the format, XDMF, CGNS and Exodus are read as they were written, alone
# and on 3 ranks; short files are errors, and no change of bytes ends the program. HDF5 is loaded when it is needed.
# Quick runs have a sample. OP2_TEST_PYTHON is a Python with meshio, and h5py and netCDF4 for the latter two.
set -u
. "$(dirname "$0")/../support/tap.sh"

many=1
[ "${OP2_TEST_QUICK:-0}" = 0 ] || many=0
if [ -z "$build" ] || [ ! -x "$build/test/mesh_show" ]; then
  skip "no program that shows meshes was built"
  done_testing
fi
"$build/test/mesh_show" 0 "$src/test/mesh/meshes/plane.vtu" >"$tmp/out"
if grep -q 'without Expat' "$tmp/out"; then
  catches "a build without Expat says what it lacks" 'libexpat1-dev' cat "$tmp/out"
  skip "this build has no Expat"
  done_testing
fi
# HDF5 is loaded by the first mesh that needs it.
meshes=$src/test/mesh/meshes
"$build/test/mesh_load" "$meshes/plane.vtu" "$meshes/plane.xdmf" "$meshes/plane-h.xdmf" "$meshes/plane.su2" >"$tmp/out" 2>&1
result $? "a program that is linked to libop2-meshfile alone"
diag "$(cat "$tmp/out")"
runs "XML files do not load HDF5" test "$(grep -c '35 cells, HDF5 is not loaded' "$tmp/out")" = 2
if [ -e "$build/libop2-hdf5.so" ]; then
  runs "XDMF with HDF5 does" grep -q 'plane-h.xdmf: 35 cells, HDF5 is loaded' "$tmp/out"
  mkdir -p "$tmp/alone"
  cp "$build/libop2.so.1" "$build/libop2-meshfile.so.1" "$tmp/alone"
  LD_LIBRARY_PATH=$tmp/alone "$build/test/mesh_load" "$meshes/plane-h.xdmf" >"$tmp/out" 2>&1
else
  cp "$tmp/out" "$tmp/without"
  grep plane-h "$tmp/without" >"$tmp/out"
fi
catches "without libop2-hdf5 the message has its package" 'package libop2-hdf5-1' cat "$tmp/out"
# The packages of Debian are those of its own Python.
for python in "${OP2_TEST_PYTHON:-python3}" /usr/bin/python3 ''; do
  [ -z "$python" ] || ! "$python" -c 'import meshio' 2>"$tmp/err" || break
done
if [ -z "$python" ]; then
  skip "no Python with meshio: $(tail -n 1 "$tmp/err")"
  done_testing
fi

for module in h5py netCDF4; do
  "$python" -c "import $module" 2>/dev/null || skip "Python has no $module: files that it writes are not compared"
done

# formats SHOW: compares what this program shows
formats() {
  mkdir -p "$tmp/files"
  "$python" "$src/test/support/mesh_formats.py" "$1" "$tmp/files" $many 2>"$tmp/err"
}
formats "$build/test/mesh_show" >"$tmp/out"
results "mesh files" $?
diag "$(grep '^# ' "$tmp/out")"

for change in 's/^c 2 /c 3 /' 's/^n 0 /n /' 's/^error.*/mesh 2 2 0 0/'; do
  printf '#!/bin/sh\n"%s" "$@" | sed "%s"\n' "$build/test/mesh_show" "$change" >"$tmp/show"
  chmod +x "$tmp/show"
  catches "$change" '^not ok' formats "$tmp/show"
done
done_testing
