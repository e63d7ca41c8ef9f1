#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The package for Python is built by pip against the library, its examples in docstrings and in
# doc/python.md are right, and its own tests pass (python/tests).
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

awk '/^```python$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$src/doc/python.md" >page.py
runs "the program of doc/python.md runs" "$python" page.py
prints() { OP2_BACKEND=sequential "$python" page.py | grep -q -x '\[101.  11. 110.\]'; }
runs "and prints the right sums" prints
done_testing
