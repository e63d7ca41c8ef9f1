#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tests of the package for Python once more: with a collection of garbage for each new object
# that can be in a cycle, and with the library and the package built for the address sanitizer.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$src/test/python/package.sh"

# passes WORD...: runs the package's tests, in this environment
passes() {
  env "$@" "$python" -m pytest -p no:cacheprovider -q --tb=short --color=no \
    --rootdir "$tmp/package" "$tmp/package/tests" -k "not opencl" >"$tmp/out" 2>&1
  status=$?
  diag "$(tail -n 1 "$tmp/out")"
  [ $status -eq 0 ] || diag "$(grep -v '^\.*\( *\[.*\]\)\{0,1\}$' "$tmp/out" | tail -n 60)"
  return $status
}
runs "the package's tests pass while garbage is collected" passes OP2_TEST_COLLECT=1

# The interpreter is not built for the sanitizer, so this has to be loaded before it.
sanitizer=$("${CC:-cc}" -print-file-name=libasan.so 2>/dev/null)
if [ ! -e "$sanitizer" ] || ! env LD_PRELOAD="$sanitizer" ASAN_OPTIONS=detect_leaks=0 "$python" -c '' \
  2>"$tmp/err"; then
  skip "no address sanitizer for $python: $(head -n 1 "$tmp/err" 2>/dev/null)"
  done_testing
fi
if ! command -v meson >/dev/null 2>&1; then
  skip "meson is missing"
  done_testing
fi
built() {
  meson setup "$tmp/build" "$src" --buildtype=debug -Doptimization=1 -Dc_args=-g1 -Db_sanitize=address \
    -Dbench=false -Dcompat=false -Dfortran=disabled -Dtests=false &&
    ninja -C "$tmp/build" &&
    env PKG_CONFIG_PATH="$tmp/build/meson-uninstalled" CFLAGS="-g1 -fsanitize=address" \
      LDFLAGS=-fsanitize=address "$python" -m pip install -q --no-build-isolation --no-deps --no-index \
      --root-user-action=ignore --target "$tmp/sanitized" "$tmp/package"
}
runs "the library and the package are built for the address sanitizer" built
[ "$tap_failed" -eq 0 ] || done_testing
# Leaks are those of the interpreter, which keeps much until it ends.
sanitized="LD_PRELOAD=$sanitizer ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc PYTHONPATH=$tmp/sanitized"
cat >beyond.py <<'END'
import op2
from op2._native import ffi, lib
with op2.Context("sequential") as context:
    x = op2.Dat(op2.Set(context, 3), dim=1000)
    lib.op2_dat_get(x._p, ffi.new("double[]", 2999))
END
# shellcheck disable=SC2086 # these are words
catches "a copy beyond the end of memory" "heap-buffer-overflow" env $sanitized "$python" beyond.py
# shellcheck disable=SC2086
runs "the package's tests pass under the address sanitizer" passes $sanitized OP2_SHADOW=1
done_testing
