#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The package for Python is built by pip against the library, its examples in docstrings and in
# doc/python.md are right, and its own tests pass (python/tests).
set -u
. "$(dirname "$0")/../support/tap.sh"
python=${OP2_TEST_PYTHON:-}
if [ -z "$python" ]; then
  skip "no Python with cffi, numpy, setuptools and pytest was found (test/deps.sh test)"
  done_testing
fi
needs_library libop2.so

# The package is built from a copy, since setuptools writes beside the sources.
cp -R "$src/python" "$tmp/package"
PKG_CONFIG_PATH=$build/meson-uninstalled
PYTHONPATH=$tmp/site
PYTHONDONTWRITEBYTECODE=1
export PKG_CONFIG_PATH PYTHONPATH PYTHONDONTWRITEBYTECODE
installed() {
  "$python" -m pip install -q --no-build-isolation --no-deps --no-index --root-user-action=ignore \
    --target "$tmp/site" "$tmp/package"
}
runs "pip builds and installs the package" installed
[ "$tap_failed" -eq 0 ] || done_testing
cd "$tmp" || exit 1

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
