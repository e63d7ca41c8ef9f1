#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The package for Python is built by pip against the library, its examples in docstrings and pages
# are right, its own tests pass (python/tests), and doc/from-pyop2.md leaves out no name.
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

# program PAGE: the program of a page, as page.py
program() {
  awk '/^```python$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$src/doc/$1" >page.py
}
program python.md
runs "the program of doc/python.md runs" "$python" page.py
prints() { OP2_BACKEND=sequential "$python" page.py | grep -q -x "$1"; }
runs "and prints the right sums" prints '\[101.  11. 110.\]'
program from-pyop2.md
runs "the program of doc/from-pyop2.md prints the right values" prints '\[2.   2.25 2.75\] 16.625'
if command -v mypy >/dev/null; then
  runs "the annotations of types are right" mypy --config-file "$src/python/pyproject.toml" \
    --cache-dir "$tmp/mypy" "$src/python/src/op2"
else
  skip "the annotations of types: mypy is not installed (test/deps.sh test)"
fi
runs "doc/from-pyop2.md has every name of op2.pyop2" "$python" "$src/test/python/names.py" \
  "$src/doc/from-pyop2.md"
done_testing
