#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Debian packages are built from this tree, lintian finds nothing, and on a bare Debian `apt install`
# takes them; then README's program, each command of the tutorial, the examples by pkg-config, CMake
# and Meson, Python and Fortran work, and nothing is left when they are removed. Needs root,
# debootstrap, debhelper, lintian and the network, and takes ten minutes: it runs only if
# OP2_TEST_BARE=1, as in test/run.sh --long. piuparts tries the packages where it is installed.
set -u
. "$(dirname "$0")/../support/tap.sh"

if [ "${OP2_TEST_BARE:-0}" != 1 ]; then
  skip "packages are not built: OP2_TEST_BARE=1 is not set (test/run.sh --long sets it)"
  done_testing
fi
for tool in dh lintian chrpath dpkg-buildpackage; do
  if ! command -v $tool >/dev/null 2>&1; then
    skip "packages are not built: $tool is missing (apt-get install debhelper lintian chrpath dh-python)"
    done_testing
  fi
done

packages=$tmp/packages
DEB_BUILD_OPTIONS=noautodbgsym sh "$src/packaging/deb.sh" --lintian "$packages" >"$tmp/log" 2>&1
result $? "packages are built, and lintian finds nothing"
diag "$(grep -E '^[EWIPX]: ' "$tmp/log" || tail -n 3 "$tmp/log")"
runs "there are seventeen" test "$(ls "$packages" | grep -c '\.deb$')" -eq 17

(cd "$packages" && tar -c -f "$tmp/op2-packages.tar" ./*.deb)
sh "$src/test/chroot.sh" --tree --add "$tmp/op2-packages.tar" \
  sh test/support/try_packages.sh op2-packages.tar </dev/null >"$tmp/out" 2>"$tmp/err"
status=$?
if [ $status -eq 77 ]; then
  skip "packages are not tried in a bare Debian: $(grep '^chroot: ' "$tmp/err" | tail -n 1)"
else
  result $status "they work in a bare Debian"
  [ $status -eq 0 ] || diag "$(tail -n 20 "$tmp/out" "$tmp/err")"
  runs "to the end" grep -q '^all steps have ended well$' "$tmp/out"
  diag "$(grep '^+' "$tmp/out")"
fi

if ! command -v piuparts >/dev/null 2>&1; then
  skip "piuparts is not installed"
elif [ "$(id -u)" != 0 ]; then
  skip "piuparts needs root"
else
  mirror=$(apt-get indextargets --no-release-info --format '$(RELEASE) $(REPO_URI)' |
    awk '$1 == "bookworm" { print $2; exit }')
  piuparts --distribution=bookworm --mirror="$mirror main" --no-eatmydata \
    --warn-on-leftovers-after-purge "$packages"/*.deb >"$tmp/log" 2>&1
  result $? "piuparts finds nothing"
  grep -q 'PASS: All tests' "$tmp/log" || diag "$(grep -e ERROR -e FAIL "$tmp/log" || tail -n 20 "$tmp/log")"
fi

done_testing
