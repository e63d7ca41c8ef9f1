#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The applications run while invalid operations, overflow and division by zero trap, which a library
# that is loaded before them enables: they print and write the same bits as without. Each runs on every
# second backend, and each backend has every second application; OP2_TEST_FULL=1 tries all pairs.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/app.sh"
application heat "--mesh 2x2" 1
unset OP2_TEAM OP2_CHUNK_US
modes=$build/test/libop2-test-fpmodes.so
traps=1 # FP_TRAPS of fp_case.h

if [ "$(uname -m)" != x86_64 ]; then
  skip "traps: not every processor but x86-64 has them"
  done_testing
fi

# Check that the library is loaded and traps: the code of this application divides by zero.
printf 'int main(int n, char **v) { (void)v; volatile double a = n - 1; return 1 / a > 0 ? 0 : 1; }\n' \
  > "$tmp/divide.c"
"${CC:-cc}" -o "$tmp/divide" "$tmp/divide.c" && "$tmp/divide" &&
  ! (LD_PRELOAD=$modes OP2_TEST_MODES=$traps "$tmp/divide") 2> "$tmp/err"
result $? "the library traps divisions by zero"

# figures FILE: prints the lines of numbers that a run printed, and the line with its status
figures() { grep -E '^[0-9 ]*[0-9.]|^exit' "$1"; }

# trapped BACKEND NAME PROGRAM ARGUMENT...: runs the program without traps and with them, and
# compares the results
trapped() {
  pair=$((pair + 1))
  [ $((pair % 2)) -eq 0 ] || [ "${OP2_TEST_FULL:-0}" = 1 ] || return 0
  on=$1 what=$2 run=$build/bench/$3/$3
  shift 3
  for t in 0 $traps; do
    files=
    [ -z "$dump" ] || files="$dump $tmp/bits$t"
    rm -f "$tmp/bits$t"
    # shellcheck disable=SC2086 # the option and its file
    OP2_BACKEND=$on LD_PRELOAD=$modes OP2_TEST_MODES=$t timeout 300 "$run" "$@" $files \
      > "$tmp/out$t" 2> "$tmp/err$t"
    echo "exit $?" >> "$tmp/out$t"
    figures "$tmp/out$t" > "$tmp/figures$t"
    [ -n "$dump" ] || : > "$tmp/bits$t"
  done
  grep -q '^exit 0$' "$tmp/out0" && cmp -s "$tmp/figures0" "$tmp/figures$traps" &&
    cmp -s "$tmp/bits0" "$tmp/bits$traps"
  result $? "$what on $on: the same with traps" || said "$tmp/err$traps"
}

all_on() { # BACKEND
  dump=--dump-q
  trapped "$1" airfoil airfoil --mesh 16x24 --iterations 10 --every 5
  trapped "$1" tsunami tsunami --mesh 12x12 --iterations 10 --every 5
  trapped "$1" euler euler --size 12x6 --iterations 10 --every 5
  dump=--dump-x
  trapped "$1" cg cg --mesh 16x24 --iterations 50
  trapped "$1" heat heat --mesh 16x24 --iterations 10
  dump=--dump-phi
  trapped "$1" aero aero --mesh 8x12 --newton 2
  dump=
  for problem in poisson elasticity advection; do # PETSc solves the others, and its code may trap
    trapped "$1" "fem, $problem," fem --problem $problem --levels 1 --cells 4
  done
}

usable_backends
pair=0 # there are 9 for each backend
for backend in $backends; do all_on "$backend"; done
done_testing
