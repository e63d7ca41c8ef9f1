#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# README's installation and its first program, word by word, in a bare Debian: the commands are
# extracted from README and run by root in a clone. Needs root, debootstrap and the network, and
# takes minutes: it runs only if OP2_TEST_BARE=1, as in test/run.sh --long.
set -u
. "$(dirname "$0")/../support/tap.sh"

# block SECTION: prints the first indented block under this heading, without its indentation
block() {
  awk -v heading="## $1" '
    /^```/ { fenced = !fenced }
    /^#/ && !fenced { here = $0 == heading }
    here && !fenced && /^    / { print substr($0, 5); shown = 1; next }
    shown { exit }' "$readme"
}

readme=$tmp/planted.md
printf '%s\n' '# a' '' '## Other' '' '    no' '## Here' 'text' '' \
  '```c' '#include <x>' '    int x;' '```' '' '```c' 'not this' '```' '' \
  '    one' '    two' '' 'text' '' '    three' >"$readme"
runs "planted: the first block of a section" test "$(block Here | tr '\n' ' ')" = "one two "
runs "planted: the program" test "$(program "$readme" | tail -n 1)" = "    int x;"

readme=$src/README.md
block Building >"$tmp/install"
block "A program" >"$tmp/compile"
program "$readme" >"$tmp/program.c"
expected=$(sed -n 's|.*printf.*/\* \([0-9 ]*\) \*/$|\1|p' "$tmp/program.c")
runs "README installs" grep -q -x "meson install -C build" "$tmp/install"
runs "README compiles a program" grep -q "^cc program.c " "$tmp/compile"
runs "README tells what the program prints" test -n "$expected"

if [ "${OP2_TEST_BARE:-0}" != 1 ]; then
  skip "not tried in a bare Debian: OP2_TEST_BARE=1 is not set (test/run.sh --long sets it)"
  done_testing
fi
if ! git -C "$src" rev-parse --git-dir >/dev/null 2>&1; then
  skip "not tried in a bare Debian: this is no clone, or git is missing"
  done_testing
fi
{
  echo "set -ex"
  cat "$tmp/install"
  echo "cat >program.c <<'END OF PROGRAM'"
  cat "$tmp/program.c"
  echo "END OF PROGRAM"
  cat "$tmp/compile"
} >"$tmp/script"
sh "$src/test/chroot.sh" --tree sh -c "$(cat "$tmp/script")" </dev/null \
  >"$tmp/out" 2>"$tmp/log"
status=$?
if [ $status -eq 77 ]; then
  skip "not tried in a bare Debian: $(grep '^chroot: ' "$tmp/log" | tail -n 1)"
else
  result $status "README's lines work in a bare Debian"
  [ $status -eq 0 ] || diag "$(tail -n 40 "$tmp/log")"
  printed=$(tail -n 1 "$tmp/out")
  runs "the program prints $expected" test "$printed" = "$expected"
  [ "$printed" = "$expected" ] || diag "it prints: $printed"
fi

done_testing
