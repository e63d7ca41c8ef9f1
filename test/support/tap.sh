# SPDX-License-Identifier: BSD-3-Clause
# Test Anything Protocol for the shell checks, and what they share. Sourced, not run. The runner
# sets OP2_TEST_SOURCE and OP2_TEST_BUILD; by hand, the source tree is found from the script and
# checks of the build are skipped.

# A test takes no arguments except --help, with which it prints its purpose like every script.
case ${1:-} in
  -h | --help) awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;;
esac

src=${OP2_TEST_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${OP2_TEST_BUILD:-}
tap_checks=0
tap_failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

diag() { printf '%s\n' "$*" | sed 's/^/# /'; }

# rooms ROOT: prints the folders of the library's sources, from the lowest to the highest
rooms() {
  sed -n "/^op2_rooms = \[/,/^\]/s/^  //p" "$1/meson.build" | tr -d "'," | tr -s ' ' '\n'
}

# result STATUS NAME: prints a check, which passes if the status is 0
result() {
  tap_checks=$((tap_checks + 1))
  if [ "$1" -eq 0 ]; then
    echo "ok $tap_checks - $2"
  else
    tap_failed=$((tap_failed + 1))
    echo "not ok $tap_checks - $2"
  fi
}

skip() {
  tap_checks=$((tap_checks + 1))
  echo "ok $tap_checks # SKIP $*"
}

# clean NAME COMMAND...: checks that the command succeeds without output
clean() {
  name=$1
  shift
  if out=$("$@" 2>&1) && [ -z "$out" ]; then
    result 0 "$name"
  else
    result 1 "$name"
    diag "${out:-the check itself failed}"
  fi
}

# catches NAME PATTERN COMMAND...: checks that the output of the command, given a planted violation,
# matches
catches() {
  name=$1
  pattern=$2
  shift 2
  out=$("$@" 2>&1) || true
  if printf '%s\n' "$out" | grep -q -e "$pattern"; then
    result 0 "planted: $name"
  else
    result 1 "planted: $name"
    diag "expected a line matching '$pattern', got: ${out:-nothing}"
  fi
}

# agree FILE FILE: succeeds if two files of doubles differ by at most 1e-12 of the largest
agree() {
  for dump; do od -An -v -w8 -t f8 "$dump" >"$dump.txt" || return 1; done
  paste "$1.txt" "$2.txt" | awk '
    function size(x) { return x < 0 ? -x : x }
    size($1) > most { most = size($1) }
    size($1 - $2) > off { off = size($1 - $2) }
    NF != 2 || $0 ~ /[a-z]{3}/ { bad = 1 }
    END { if (bad || NR < 100 || off > 1e-12 * most) { print off, "of", most; exit 1 } }' >&2
}

# results NAME STATUS: repeats the checks that a program has printed to $tmp/out, and checks its
# status
results() {
  result "$2" "$1: status $2"
  [ "$2" -eq 0 ] || diag "$(tail -n 20 "$tmp/err")"
  sed -n "s/^\(not \)\{0,1\}ok [0-9]*/\1/p" "$tmp/out" >"$tmp/lines"
  while read -r line; do
    case $line in
      'not '*) result 1 "$1: ${line#*- }" ;;
      *SKIP*) skip "$1: ${line#*SKIP }" ;;
      *) result 0 "$1: ${line#*- }" ;;
    esac
  done <"$tmp/lines"
  runs "$1: checks were made" grep -q '^1\.\.' "$tmp/out"
}

# runs NAME COMMAND...: checks that the command succeeds
runs() {
  name=$1
  shift
  if out=$("$@" 2>&1); then
    result 0 "$name"
  else
    result 1 "$name"
    diag "$out"
  fi
}

done_testing() {
  echo "1..$tap_checks"
  [ $tap_failed -eq 0 ] && [ $tap_checks -gt 0 ]
  exit $?
}

# needs_library NAME: skips all checks if the build folder lacks this library, which programs
# outside the build link to, or if such programs would have to load a sanitizer first
needs_library() {
  if [ -z "$build" ] || [ ! -e "$build/$1" ]; then
    skip "no $1 was built"
    done_testing
  fi
  if nm -D --undefined-only "$build/libop2.so" | grep -q -E '__(asan|tsan|ubsan)_'; then
    skip "programs outside would have to load the sanitizer first"
    done_testing
  fi
}

# program FILE: prints the first program in a page such as the README
program() { awk '/^```$/ && inside { exit } inside { print } /^```c$/ { inside = 1 }' "$1"; }

# code FILE: prints the text without comments and with the contents of strings blanked; line numbers
# do not change
code() { awk -f "$src/test/support/code.awk" "$1"; }
