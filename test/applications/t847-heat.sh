#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The heat application on small meshes: heat is conserved, and it spreads; the changes are those of
# the hand-written programs, on every backend and in every execution mode; the options have the
# documented effect.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/app.sh"
application heat "--mesh 2x2" 1
unset OP2_TEAM OP2_CHUNK_US

# near_value A B WITHIN: succeeds if both numbers exist and their relative difference is at most
# WITHIN
near_value() {
  echo "$1 $2" | awk -v within="$3" '
    { off = $2 != 0 ? $1 / $2 - 1 : 1; if (off < 0) off = -off }
    END { exit !(NF == 2 && off <= within) }'
}

# The changes in each time step and the temperatures are compared with those of the sequential
# program.
sequential=heat_seq parallel="heat_omp heat_simd"
alike() { # NAME COUNT
  near_lines "$tmp/out" "$tmp/reference" 1e-9 "$2"
  result $? "$1: the changes of $2 time steps"
  near_value "$(value hottest "$tmp/out")" "$(value hottest "$tmp/reference")" 1e-11
  result $? "$1: the same temperatures"
}
usable_backends
all_against 60 --mesh 20x15 --every 1 --iterations 60
all_against 40 --mesh 20x15 --shuffle 3 --every 1 --iterations 40
all_against 5 --mesh 2x2 --every 1 --iterations 5

# No heat is lost, and the highest temperature only decreases.
for program in "$app --backend sequential" "$programs/heat_seq"; do
  last=2
  try $program --mesh 12x16 --iterations 0 && all=$(value heat "$tmp/out")
  for steps in 1 10 100 1000; do
    try $program --mesh 12x16 --iterations $steps || continue
    near_value "$(value heat "$tmp/out")" "$all" 1e-12
    result $? "${program##*/}: as much heat after $steps time steps as before ($all)"
    hottest=$(value hottest "$tmp/out")
    echo "$hottest $last" | awk '{ exit !(NF == 2 && $1 > 0 && $1 < $2) }'
    result $? "${program##*/}: the hottest place has cooled ($hottest)"
    last=$hottest
  done
done

# The settings that same_bits() tries and the execution mode do not change the bits.
for way in OP2_TEAM=0 OP2_TEAM=1 OP2_CHUNK_US=0; do
  same_bits 1 4 --mesh 20x15 --iterations 40 --dump-x
done
[ "$(wc -c <"$tmp/first")" -eq $((8 * (61 * 16 + 1))) ]
result $? "the dump holds the temperatures and one change"

# Every time step is a program of its own, since its result is read; the program, of two steps, is
# found again each time.
run() { "$app" --backend sequential "$@" 2>&1; }
if usable openmp; then
  "$app" --backend openmp --mesh 8x12 --iterations 30 --explain "$tmp/explain" >"$tmp/out" 2>&1
  grep -q ' 3 loops in 2 steps, run 30 times' "$tmp/explain" && grep -q 'advance+measure: one loop' "$tmp/explain"
  result $? "one program of two steps for all time steps"
fi
run --mesh 8x12 --iterations 3 >"$tmp/out"
table_has flow advance measure

# These are the conditions for stopping.
run --mesh 8x12 --iterations 45 --every 7 >"$tmp/out"
[ "$(lines "$tmp/out" | cut -d' ' -f1 | tr '\n' ' ')" = "7 14 21 28 35 42 " ]
result $? "--every 7 prints every seventh change"
grep -q '^steps 45, not steady$' "$tmp/out"
result $? "all time steps are made"
grep -Eq '^time_per_iteration_ms [0-9.]+$' "$tmp/out"
result $? "the time per time step is printed"
for program in "$app --backend sequential" "$programs/heat_seq"; do
  $program --mesh 4x6 --tolerance 1e-4 --every 1 --iterations 100000 >"$tmp/out" 2>&1
  grep -Eq '^steps [0-9]+, steady$' "$tmp/out" &&
    lines "$tmp/out" | awk '{ early += last != "" && last < 1e-4; last = $2 } END { exit !(NR > 5 && !early && last < 1e-4) }'
  result $? "${program##*/}: --tolerance stops at the first change that is small enough"
done

# The graph is that of one time step, which is three loops; none of them has run.
run --mesh 8x12 --iterations 3 --graph "$tmp/step.dot" >/dev/null
nodes=$(grep -cE 'label="[0-9]+: (flow|advance|measure)\\nover .*queued' "$tmp/step.dot")
[ "$nodes" -eq 3 ] && [ "$(grep -c 'over .*queued' "$tmp/step.dot")" -eq 3 ]
result $? "the graph has three loops ($nodes)"

# These options are refused.
refuses 2 'unknown option --check' --check 8
refuses 2 'unknown option --block-size' --block-size 7
refuses 2 'a value is missing after --mesh' --mesh
refuses 2 'not a value for --tolerance' --tolerance -1
refuses 2 'not a value for --every' --every -1
refuses 1 'absent: No such file' --mesh "$tmp/absent"
refuses 1 'No such file or directory' --mesh 2x2 --iterations 1 --dump-x "$tmp/absent/x"
refuses 1 'No such file or directory' --mesh 2x2 --iterations 1 --graph "$tmp/absent/graph"
"$app" --help | grep -q -e '--tolerance'
result $? "--help lists the options"
app=$programs/heat_seq
refuses 2 'unknown option --backend' --backend openmp

done_testing
