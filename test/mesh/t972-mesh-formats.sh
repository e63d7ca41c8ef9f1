#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Meshes in VTK's XML files, by meshio and in all encodings of the format, are read as they were written, alone and
# on 3 ranks; short files are errors, and no change of bytes ends the program. Quick runs have a sample.
# OP2_TEST_PYTHON is a Python with meshio.
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
# The packages of Debian are those of its own Python.
for python in "${OP2_TEST_PYTHON:-python3}" /usr/bin/python3 ''; do
  [ -z "$python" ] || ! "$python" -c 'import meshio' 2>"$tmp/err" || break
done
if [ -z "$python" ]; then
  skip "no Python with meshio: $(tail -n 1 "$tmp/err")"
  done_testing
fi

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
