#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Mesh files that meshio and Gmsh have made, of all formats, kinds of elements and orders, have the points, cells
# and groups that meshio reads of them, alone and on 3 ranks; damaged ones are refused. Quick runs
# have a sample of the 60 files by meshio, with those in test/mesh/meshes, which are Gmsh's; 80 more are made where
# Python has Gmsh. OP2_TEST_PYTHON is a Python with meshio.
set -u
. "$(dirname "$0")/../support/tap.sh"

many=1
[ "${OP2_TEST_QUICK:-0}" = 0 ] || many=0
if [ -z "$build" ] || [ ! -x "$build/test/mesh_show" ]; then
  skip "no program that shows meshes was built"
  done_testing
fi
# The packages of Debian are those of its own Python.
for python in "${OP2_TEST_PYTHON:-python3}" /usr/bin/python3 ''; do
  [ -z "$python" ] || ! "$python" -c 'import meshio' 2>"$tmp/err" || break
done
if [ -z "$python" ]; then
  skip "no Python with meshio: $(tail -n 1 "$tmp/err")"
  done_testing
fi

# others SHOW: compares what this program shows
others() {
  mkdir -p "$tmp/files"
  "$python" "$src/test/support/mesh_others.py" "$1" "$tmp/files" $many "$src"/test/mesh/meshes/*.msh \
    "$src"/test/mesh/meshes/*.su2 2>"$tmp/err"
}
others "$build/test/mesh_show" >"$tmp/out"
results "mesh files" $?
diag "$(grep '^# ' "$tmp/out")"

for change in 's/^c 2 /c 3 /' 's/^n 0 /n /' 's/^g 1 12 /g 1 11 /' 's/^x 1 /x 1.0000000000000002 /' \
  's/^error.*/mesh 2 2 0 0/'; do
  printf '#!/bin/sh\n"%s" "$@" | sed "%s"\n' "$build/test/mesh_show" "$change" >"$tmp/show"
  chmod +x "$tmp/show"
  catches "$change" '^not ok' others "$tmp/show"
done
done_testing
