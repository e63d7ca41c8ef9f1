#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The benchmark of the cost of ranks: it prints a table for each of its parts, whose times are not
# checked here, and whose ratios are those of the times beside them; wrong options are refused.
set -u
. "$(dirname "$0")/../support/tap.sh"

if [ -z "$build" ] || [ ! -x "$build/bench/airfoil/airfoil" ]; then
  skip "no build with benchmarks"
  done_testing
fi
sh "$src/test/mpirun.sh" "${OP2_TEST_MPI:-none}" 60 1 true >"$tmp/out" 2>"$tmp/why"
[ $? -ne 77 ] || { skip "$(cat "$tmp/why")"; done_testing; }

measure() { # OPTION...: writes the output to $tmp/out
  sh "$src/bench/ranks.sh" --build "$build" --iterations 8 --mesh 12x18 "$@" >"$tmp/out" 2>"$tmp/why"
}

# The ranks wait for a link that takes two milliseconds, both by the clock and by the library's
# statistics.
measure --rounds 1 --backends "sequential nothing" --link 2000000,0 overlap
[ $? -ne 0 ] && grep -q 'nothing' "$tmp/why"
result $? "an unknown backend is told of"
measure --rounds 1 --backends sequential --link 2000000,0 overlap
result $? "overlap runs"
[ ! -s "$tmp/why" ] || diag "$(cat "$tmp/why")"
sed 's/^/# /' "$tmp/out"
tr -d ';,' <"$tmp/out" | awk '$1 == "sequential" {
    n++
    bad = NF != 9 || $6 < 2 || $9 < 2 || $8 > 2 * $5 # the waiting time is part of the lost time
  }
  END { exit n != 1 || bad }'
result $? "what a slow link costs is what was waited for"

measure --rounds 2 --backends sequential --sizes "10x12 12x18" style
result $? "style runs"
[ ! -s "$tmp/why" ] || diag "$(cat "$tmp/why")"
sed 's/^/# /' "$tmp/out"
awk '$1 == "sequential" {
    n++
    split($9, between, /[(-]/)
    bad = bad || $2 !~ /^[0-9]+x[0-9]+$/ || !($3 > 0) || !($6 > 0) || !($NF != "")
  }
  END { exit n != 2 || bad }' "$tmp/out"
result $? "a line for each size"

refuses() { # OPTION...
  sh "$src/bench/ranks.sh" "$@" >"$tmp/out" 2>&1
  [ $? -eq 1 ]
  result $? "$*: refused"
}
refuses --rounds 0
refuses --rounds
refuses --nonsense 3
refuses nonsense
refuses --build "$tmp"

done_testing
