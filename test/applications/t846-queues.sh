#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The benchmark of queues that differ from step to step: it prints a line for each kind of queue,
# with ratios that are not checked here; the bits are the same with and without fusion, with a cold
# cache and a warm one; wrong options are refused.
set -u
. "$(dirname "$0")/../support/tap.sh"

queues=$build/bench/queues/queues
if [ -z "$build" ] || [ ! -x "$queues" ]; then
  skip "no build with benchmarks"
  done_testing
fi

# The benchmark ignores the environment's setting of fusion.
OP2_FUSE=0 "$queues" --rounds 1 --loops 300 --length 3000 --steps 30 --size 20 --dats 8 >"$tmp/out" 2>"$tmp/why"
result $? "it runs, and the bits are the same"
[ ! -s "$tmp/why" ] || diag "$(cat "$tmp/why")"
sed 's/^/# /' "$tmp/out"
for queue in random full anew pool; do
  awk -v queue=$queue '
    $1 == queue { for (i = 2; i <= 9; i++) if ($i !~ /^[0-9.]+$/) bad = 1; n += $10 " " $11 == "same bits" }
    END { exit n != 1 || bad }' "$tmp/out"
  result $? "$queue: four times, two ratios and memory"
done
awk '$1 == "random" { r = $3 / $2; exit !($2 > 0 && r > $4 - 0.05 - 0.01 * r && r < $4 + 0.05 + 0.01 * r) }' "$tmp/out"
result $? "the ratio is that of the times beside it"

"$queues" --rounds 1 --loops 40 --queue random --backend sequential >"$tmp/out" 2>&1
[ $? -eq 0 ] && [ "$(grep -c 'same bits' "$tmp/out")" -eq 1 ]
result $? "--queue shows one"
"$queues" --help >"$tmp/out"
grep -q -e '^  --backend' "$tmp/out" && grep -q -e '^  --threads' "$tmp/out"
result $? "it is told where to run"

refuses() { # OPTION...
  "$queues" "$@" >"$tmp/out" 2>&1
  [ $? -eq 2 ]
  result $? "$*: refused"
}
refuses --loops 0
refuses --loops
refuses --length 0
refuses --dats 1
refuses --nonsense 3
refuses --queue nonsense
refuses --threads x
refuses --eager

done_testing
