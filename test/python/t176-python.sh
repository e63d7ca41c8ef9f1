#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The package for Python is built by pip against the library, its examples in docstrings and pages
# are right (test/support/blocks.py), its own tests pass (python/tests), and doc/from-pyop2.md leaves out no name.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$src/test/python/package.sh"

# cases NAME ARGUMENT...: repeats the checks of pytest
cases() {
  name=$1
  shift
  "$python" -m pytest -p no:cacheprovider -v --tb=short --color=no "$@" >"$tmp/out" 2>&1
  status=$?
  grep -E '^[^ ]+ (PASSED|FAILED|ERROR|SKIPPED)' "$tmp/out" | sed 's/ *\[ *[0-9]*%\]$//' >"$tmp/lines"
  while read -r case outcome reason; do
    case $outcome in
      PASSED) result 0 "${case##*/}" ;;
      SKIPPED) skip "${case##*/}: $reason" ;;
      *) result 1 "${case##*/}" ;;
    esac
  done <"$tmp/lines"
  result $status "$name"
  [ $status -eq 0 ] || diag "$(sed -n '/^=.* FAILURES/,$p' "$tmp/out"; tail -n 3 "$tmp/out")"
}
cases "the examples in docstrings are right" --doctest-modules --pyargs op2
cases "the package's tests pass" --rootdir "$tmp/package" "$tmp/package/tests"

# The blocks of Python on the pages.
OP2_BACKEND=sequential "$python" "$src/test/support/blocks.py" --only python --python "$python" \
  "$src/README.md" "$src"/doc/*.md >"$tmp/checks" 2>&1
while read -r line; do
  case $line in
    'ok - '*) result 0 "${line#ok - }" ;;
    'ok # SKIP '*) skip "${line#ok # SKIP }" ;;
    '#'*) echo "$line" ;;
    *) result 1 "${line#not ok - }" ;;
  esac
done <"$tmp/checks"
advection() { "$python" "$src/examples/advection/advection.py" | grep -q -x 'sum 0.000000, energy 0.906014'; }
runs "examples/advection prints the right numbers" advection

# Shallow water on a mesh of Gmsh, as the example in C: channel.depth begins with its numbers.
water() { # STATE [STEPS]
  "$python" "$tmp/package/examples/shallow_water.py" "$src/test/mesh/meshes/channel.msh" 1 wave.pvd "$@"
}
if "$python" -c 'import op2._native_hdf5, op2._native_meshfile' 2>"$tmp/err"; then
  water whole >"$tmp/whole" || cat "$tmp/whole"
  runs "examples/shallow_water.py computes the numbers of the example in C" \
    awk 'NR <= 2 && FILENAME == ARGV[1] { right[NR] = $1 }
      FILENAME == ARGV[2] && /^volume/ { seen = 1; bad = $2 / right[1] - 1; worse = $4 / right[2] - 1 }
      END { exit !(seen && bad * bad < 1e-20 && worse * worse < 1e-20) }' \
    "$src/test/mesh/meshes/channel.depth" "$tmp/whole"
  runs "it writes results" grep -q 'file="wave-0000.vtu"' wave.pvd
  water parts 40 >"$tmp/parts"
  catches "40 steps are not all" '^> volume' diff "$tmp/whole" "$tmp/parts"
  water parts >"$tmp/parts"
  runs "it goes on from a checkpoint" grep -q -x 'from step 25' "$tmp/parts"
  sed 1d "$tmp/parts" >"$tmp/numbers"
  runs "and computes the same numbers" cmp "$tmp/whole" "$tmp/numbers"
else
  skip "examples/shallow_water.py: $(tail -n 1 "$tmp/err")"
fi
runs "pages have programs of Python" grep -q '^ok - python.md:.* runs and prints' "$tmp/checks"
if command -v mypy >/dev/null; then
  runs "the annotations of types are right" mypy --config-file "$src/python/pyproject.toml" \
    --cache-dir "$tmp/mypy" "$src/python/src/op2"
else
  skip "the annotations of types: mypy is not installed (test/deps.sh test)"
fi
runs "doc/from-pyop2.md has every name of op2.pyop2" "$python" "$src/test/python/names.py" \
  "$src/doc/from-pyop2.md"
done_testing
