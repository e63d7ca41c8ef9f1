# SPDX-License-Identifier: BSD-3-Clause
# The package for Python, built by pip from the sources against the library in the build folder, for
# the tests in this folder. Sourced after tap.sh, not run. It skips all checks where something is
# missing, sets `python`, and leaves the test in $tmp.
python=${OP2_TEST_PYTHON:-}
if [ -z "$python" ]; then
  skip "no Python with cffi, numpy, setuptools and pytest was found (test/deps.sh test)"
  done_testing
fi
needs_library libop2.so

# The sources are copied, since setuptools writes beside them.
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
