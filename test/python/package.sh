# SPDX-License-Identifier: BSD-3-Clause
# The package for Python, built by pip from the sources against the library in the build folder, for
# the tests in this folder, which share it there. Sourced after tap.sh, not run. It skips all checks
# where something is missing, sets `python`, and leaves the test in $tmp.
python=${OP2_TEST_PYTHON:-}
if [ -z "$python" ]; then
  skip "no Python with cffi, numpy, setuptools and pytest was found (test/deps.sh test)"
  done_testing
fi
needs_library libop2.so

sum=$(find "$src/python" "$src/include" -type f ! -name '*.pyc' | sort | xargs cat | cksum | tr ' ' -)
site=$build/test/python-$sum
# The sources are copied, since setuptools writes beside them.
cp -R "$src/python" "$tmp/package"
PKG_CONFIG_PATH=$build/meson-uninstalled
PYTHONPATH=$site
PYTHONDONTWRITEBYTECODE=1
export PKG_CONFIG_PATH PYTHONPATH PYTHONDONTWRITEBYTECODE
installed() {
  "$python" -m pip install -q --no-build-isolation --no-deps --no-index --root-user-action=ignore \
    --target "$tmp/site" "$tmp/package" || return 1
  for old in "$build"/test/python-[0-9]*; do
    [ "$old" = "$site" ] || rm -rf "$old"
  done
  # Another test may have put it there in the meantime.
  mkdir -p "$build/test"
  [ -d "$site/op2" ] || mv "$tmp/site" "$site"
}
[ -d "$site/op2" ] || runs "pip builds and installs the package" installed
[ "$tap_failed" -eq 0 ] || done_testing
cd "$tmp" || exit 1
