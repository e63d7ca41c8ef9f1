#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The graph of one airfoil time step has nine loops, the edges of a list made by hand, and the
# golden text, and can be rendered.
. "${OP2_TEST_SOURCE:-$(dirname "$0")/../..}/test/support/tap.sh"
golden=$src/test/golden
airfoil=${build:-.}/bench/airfoil/airfoil
work=$tmp

if [ ! -x "$airfoil" ]; then
  skip "airfoil is not built"
  done_testing
fi

"$airfoil" --mesh 8x12 --iterations 1 --backend sequential --graph "$work/a.dot" >"$work/out" 2>&1
result "$?" "airfoil writes its graph"
"$airfoil" --mesh 16x24 --iterations 2 --backend openmp --graph "$work/b.dot" >"$work/out" 2>&1
cmp -s "$work/a.dot" "$work/b.dot"
result "$?" "the text depends neither on mesh nor on backend"

# Line numbers are removed from call sites, so that the golden text survives edits of the
# application.
sed 's/\(airfoil\.c\):[0-9][0-9]*/\1:LINE/' "$work/a.dot" >"$work/masked.dot"
diff "$golden/airfoil.dot" "$work/masked.dot" >"$work/diff"
result "$?" "golden text"
sed 's/^/# /' "$work/diff"

loops=$(grep -c 'over .*queued' "$work/a.dot")
[ "$loops" -eq 9 ]
result "$?" "nine loops (found $loops)"
grep -q 'airfoil\.c:[1-9]' "$work/a.dot"
result "$?" "call sites are named"

# Edges such as "loop1 -> loop2 [label="q RAW"" become "kernel@1 kernel@2 q RAW".
awk '
  match($0, /^ *loop[0-9]+ \[label="[0-9]+: [a-z_]+/) {
    split(substr($0, RSTART, RLENGTH), part, /[ "]+/); sub(/:/, "", part[4]); name[part[4]] = part[5]
  }
  / -> / {
    split($0, part, /[ "]+/); from = part[2]; to = part[4]; sub(/loop/, "", from); sub(/loop/, "", to)
    print name[from] "@" from, name[to] "@" to, part[6], part[7]
  }' "$work/a.dot" | sort >"$work/edges"
grep -v '^#' "$golden/airfoil-edges.txt" | sort >"$work/expected"
diff "$work/expected" "$work/edges" >"$work/diff"
result "$?" "the edges are those of the list made by hand ($(wc -l <"$work/expected") edges)"
sed 's/^/# /' "$work/diff"

# The legend explains only what the graph contains: no loop has run, and no dat is overwritten
# unread.
legend=$(sed -n '/subgraph cluster_legend/,/^  }/p' "$work/a.dot")
for words in 'waits to be run' 'RAW: reads what the' 'WAR: overwrites what the'; do
  printf '%s' "$legend" | grep -q "$words"
  result "$?" "the legend says: $words"
done
! printf '%s' "$legend" | grep -q -e 'has run' -e WAW -e fused -e halo
result "$?" "the legend is silent about what is not there"

# A graph may have more time steps, but no more than the run has.
for steps in 2 9; do
  OP2_EAGER=0 "$airfoil" --mesh 8x12 --iterations 2 --warmup 0 --graph "$work/c.dot" --graph-steps $steps >"$work/out" 2>&1
  [ "$(grep -c 'over .*queued' "$work/c.dot")" -eq 18 ]
  result "$?" "--graph-steps $steps of a run of two time steps: 18 loops"
done

if command -v dot >/dev/null; then
  dot -Tsvg "$work/a.dot" -o "$work/a.svg" && grep -q '</svg>' "$work/a.svg"
  result "$?" "Graphviz renders it"
else
  skip "Graphviz is not installed"
fi
done_testing
