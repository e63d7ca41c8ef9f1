#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Results in files of HDF5 with an XDMF file have the cells and values of the mesh at each time, as the library
# itself, h5py and meshio read them; files of several ranks are those of one process, byte for byte.
# OP2_TEST_PYTHON is a Python with h5py.
set -u
. "$(dirname "$0")/../support/tap.sh"

make=$build/test/vtkhdf_make
if [ -z "$build" ] || [ ! -x "$make" ]; then
  skip "this build has no HDF5"
  done_testing
fi
for python in "${OP2_TEST_PYTHON:-python3}" /usr/bin/python3 ''; do
  [ -z "$python" ] || ! "$python" -c 'import h5py' 2>"$tmp/err" || break
done
[ -n "$python" ] || skip "no Python with h5py: $(tail -n 1 "$tmp/err")"

# shown FILE: prints nodes and cells as the library reads them, without names and groups
shown() { "$build/test/mesh_show" 0 "$1" | grep -e '^mesh ' -e '^x ' -e '^c '; }
checked() { "$python" "$src/test/support/xdmf_check.py" "$@"; }
for mesh in plane-4b.msh solid-2.msh plane-order2.msh; do
  shown "$src/test/mesh/meshes/$mesh" >"$tmp/expected"
  for ranks in 0 1 3; do
    mkdir -p "$tmp/$mesh-$ranks"
    runs "$mesh, $ranks ranks: files are written" "$make" $ranks "$src/test/mesh/meshes/$mesh" \
      "$tmp/$mesh-$ranks/out" 2
    for file in out.h5 out-0000.h5 out-0001.h5 out.xdmf; do
      cmp "$tmp/$mesh-0/$file" "$tmp/$mesh-$ranks/$file" >/dev/null || diag "$file is another"
    done >"$tmp/others"
    runs "they are those of one process" test ! -s "$tmp/others"
  done
  shown "$tmp/$mesh-3/out.xdmf" >"$tmp/found"
  runs "$mesh: the library reads nodes and cells ($(sed -n 's/^mesh //p' "$tmp/found"))" \
    cmp "$tmp/expected" "$tmp/found"
  [ -n "$python" ] || continue
  # shellcheck disable=SC2046 # two numbers
  checked "$tmp/$mesh-3/out" 2 $(sed -n 's/^mesh [0-9]* [0-9]* //p' "$tmp/expected") >"$tmp/out" 2>"$tmp/err"
  results "$mesh" $?
done

"$make" 0 "$src/test/mesh/meshes/plane-4b.msh" "$tmp/a & <b>" 1
shown "$tmp/a & <b>.xdmf" >"$tmp/found"
runs "a name with letters that XML escapes is read" grep -q -x 'mesh 2 2 32 35' "$tmp/found"
if [ -n "$python" ]; then
  checked "$tmp/a & <b>" 1 32 35 >"$tmp/out" 2>"$tmp/err"
  results "letters that XML escapes" $?
fi
if localedef -i de_DE -f UTF-8 "$tmp/de_DE.UTF-8" >"$tmp/out" 2>&1; then
  LOCPATH=$tmp LC_ALL=de_DE.UTF-8 "$make" 0 "$src/test/mesh/meshes/plane-4b.msh" "$tmp/comma" 2
  runs "a time has a point where the locale has a comma" grep -q -F '<Time Value="0.5"/>' "$tmp/comma.xdmf"
  runs "so it has in a series of VTU" grep -q -F 'timestep="0.5"' "$tmp/comma.pvd"
else
  skip "localedef makes no locale whose decimal point is a comma"
fi
mkdir "$tmp/taken" "$tmp/taken/out.xdmf"
"$make" 0 "$src/test/mesh/meshes/plane-4b.msh" "$tmp/taken/out" 1 >"$tmp/out" 2>&1
catches "a folder that has the file's name" 'out.xdmf: ' cat "$tmp/out"
runs "no part is left" test ! -e "$tmp/taken/out.xdmf.op2-part"
if [ -n "$python" ]; then
  "$python" -c 'import h5py, sys
with h5py.File(sys.argv[1], "r+") as file: file["corner"][3, 0] += 1' "$tmp/plane-4b.msh-3/out-0001.h5"
  catches "another value" '^not ok' checked "$tmp/plane-4b.msh-3/out" 2 32 35
fi
done_testing
