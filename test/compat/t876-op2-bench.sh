#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bench/compat.sh runs on a small mesh: its programs compile, all forms have the same results, and
# there is a ratio for each pair of forms.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$src/test/compat/programs.sh"

compared() {
  sh "$src/bench/compat.sh" --build "$build" --pairs 2 --mesh 8x12 --backend openmp >"$tmp/table"
}
runs "the forms are compared" compared
for application in airfoil aero; do
  for pair in 'compat to asks' 'lazy to never' 'compat to never'; do
    runs "$application, $pair" grep -q "^ *[0-9.]* .* 2  $application: $pair\$" "$tmp/table"
  done
done
done_testing
