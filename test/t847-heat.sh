#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Heat on small meshes: none is lost, and it spreads; the changes are those of the hand-written
# programs, on every backend and in every way of running; the options do what they say.
set -u
. "$(dirname "$0")/tap.sh"

programs=$build/bench/heat
heat=$programs/heat
if [ -z "$build" ] || [ ! -x "$heat" ]; then
  skip "no build with benchmarks"
  done_testing
fi
unset OP2_TEAM OP2_CHUNK_US

# said FILE: what a program said, if anything
said() { [ ! -s "$1" ] || diag "$(cat "$1")"; }

# history FILE: the lines "time step, change"
history() { grep -E '^[0-9]+ [0-9]\.[0-9]{15}e[-+][0-9]+$' "$1"; }

# value WORD FILE: what stands behind the word at a line's begin
value() { sed -n "s/^$1 \([^ ,]*\).*/\1/p" "$2"; }

# near A B WITHIN: whether two numbers are there, and differ by no more, in relation
near() {
  echo "$1 $2" | awk -v within="$3" '
    { off = $2 != 0 ? $1 / $2 - 1 : 1; if (off < 0) off = -off }
    END { exit !(NF == 2 && off <= within) }'
}

# usable BACKEND: whether it runs here; if not, says so as a skipped check
usable() {
  "$heat" --mesh 2x2 --iterations 0 --backend "$1" >/dev/null 2>"$tmp/why" && return 0
  if grep -q OP2_ERR_UNAVAILABLE "$tmp/why"; then
    skip "$1: $(cat "$tmp/why")"
  else
    result 1 "$1 starts"
    said "$tmp/why"
  fi
  return 1
}
backends=
for backend in sequential openmp starpu check; do
  usable $backend && backends="$backends $backend"
done

# try PROGRAM OPTION...: runs it into $tmp/out and says so when that fails or it complains
try() {
  "$@" >"$tmp/out" 2>"$tmp/why"
  status=$?
  [ $status -eq 0 ] && [ ! -s "$tmp/why" ] && return 0
  result 1 "$*: status $status"
  said "$tmp/why"
  return 1
}

# same NAME COUNT: $tmp/out against $tmp/reference
same() {
  history "$tmp/reference" >"$tmp/left"
  history "$tmp/out" >"$tmp/right"
  paste "$tmp/left" "$tmp/right" | awk -v count="$2" '
    { off = $4 / $2 - 1; if (off < 0) off = -off }
    $1 != $3 || !($2 > 0) || !(off <= 1e-9) { print "# differs: " $0; bad = 1 }
    END { if (NR != count) { print "# " NR " changes, not " count; bad = 1 }; exit bad }'
  result $? "$1: the changes of $2 time steps"
  near "$(value hottest "$tmp/out")" "$(value hottest "$tmp/reference")" 1e-11
  result $? "$1: the same temperatures"
}

compare() { # COUNT OPTION...
  count=$1
  shift
  set -- "$@" --every 1 --iterations "$count"
  try "$programs/heat_seq" "$@" || return
  mv "$tmp/out" "$tmp/reference"
  for backend in $backends; do
    try "$heat" "$@" --backend $backend --threads 2 && same "heat $backend $*" "$count"
  done
  if [ -x "$programs/heat_omp" ]; then
    for size in 61 4096; do
      try "$programs/heat_omp" "$@" --threads 2 --block-size $size && same "heat_omp $size $*" "$count"
    done
  else
    skip "no OpenMP: no heat_omp"
  fi
}
compare 60 --mesh 20x15
compare 40 --mesh 20x15 --shuffle 3
compare 5 --mesh 2x2

# No heat is lost, and the hottest place only ever cools.
for program in "$heat --backend sequential" "$programs/heat_seq"; do
  last=2
  try $program --mesh 12x16 --iterations 0 && all=$(value heat "$tmp/out")
  for steps in 1 10 100 1000; do
    try $program --mesh 12x16 --iterations $steps || continue
    near "$(value heat "$tmp/out")" "$all" 1e-12
    result $? "${program##*/}: as much heat after $steps time steps as before ($all)"
    hottest=$(value hottest "$tmp/out")
    echo "$hottest $last" | awk '{ exit !(NF == 2 && $1 > 0 && $1 < $2) }'
    result $? "${program##*/}: the hottest place has cooled ($hottest)"
    last=$hottest
  done
done

# Bitwise: backend, number of workers, time of running and way of running must not show.
for backend in openmp starpu; do
  case " $backends " in *" $backend "*) ;; *) continue ;; esac
  for way in OP2_TEAM=0 OP2_TEAM=1 OP2_CHUNK_US=0; do
    for threads in 1 2 4; do
      for eager in 0 1; do
        env $way OP2_BLOCK_SIZE=61 OP2_EAGER=$eager "$heat" --mesh 20x15 --iterations 40 \
          --backend $backend --threads $threads --dump-x "$tmp/x" >/dev/null 2>"$tmp/why"
        [ -e "$tmp/first" ] || cp "$tmp/x" "$tmp/first"
        cmp -s "$tmp/x" "$tmp/first"
        result $? "$backend: the same bits, $threads threads, eager $eager, $way"
        said "$tmp/why"
        rm -f "$tmp/x"
      done
    done
  done
done
[ "$(wc -c <"$tmp/first")" -eq $((8 * (61 * 16 + 1))) ]
result $? "the dump holds the temperatures and one change"

# Every time step is a program of its own, since it is looked at: found again, in two steps.
run() { "$heat" --backend sequential "$@" 2>&1; }
if usable openmp; then
  "$heat" --backend openmp --mesh 8x12 --iterations 30 --explain "$tmp/explain" >"$tmp/out" 2>&1
  grep -q ' 3 loops in 2 steps, run 30 times' "$tmp/explain" && grep -q 'advance+measure: one loop' "$tmp/explain"
  result $? "one program of two steps for all time steps"
fi
for kernel in flow advance measure; do
  run --mesh 8x12 --iterations 3 | sed '1,/^loop /d' | grep -qw "$kernel"
  result $? "the table of loops has $kernel"
done

# Stopping
run --mesh 8x12 --iterations 45 --every 7 >"$tmp/out"
[ "$(history "$tmp/out" | cut -d' ' -f1 | tr '\n' ' ')" = "7 14 21 28 35 42 " ]
result $? "--every 7 prints every seventh change"
grep -q '^steps 45, not steady$' "$tmp/out"
result $? "all time steps are made"
grep -Eq '^time_per_iteration_ms [0-9.]+$' "$tmp/out"
result $? "the time per time step is printed"
for program in "$heat --backend sequential" "$programs/heat_seq"; do
  $program --mesh 4x6 --tolerance 1e-4 --every 1 --iterations 100000 >"$tmp/out" 2>&1
  grep -Eq '^steps [0-9]+, steady$' "$tmp/out" &&
    history "$tmp/out" | awk '{ early += last != "" && last < 1e-4; last = $2 } END { exit !(NR > 5 && !early && last < 1e-4) }'
  result $? "${program##*/}: --tolerance stops at the first change that is small enough"
done

# The graph: of one time step, which is three loops; nothing has forced any of them.
run --mesh 8x12 --iterations 3 --graph "$tmp/step.dot" >/dev/null
nodes=$(grep -cE 'label="[0-9]+: (flow|advance|measure)\\nover .*queued' "$tmp/step.dot")
[ "$nodes" -eq 3 ] && [ "$(grep -c 'over .*queued' "$tmp/step.dot")" -eq 3 ]
result $? "the graph has three loops ($nodes)"

# Refusals: status and words
refuses() { # STATUS PATTERN PROGRAM OPTION...
  want=$1
  pattern=$2
  shift 2
  "$@" >/dev/null 2>"$tmp/why"
  got=$?
  program=$1
  shift
  [ $got -eq "$want" ] && grep -q -e "$pattern" "$tmp/why"
  result $? "${program##*/} $*: status $want and a message"
  [ $got -eq "$want" ] || diag "status $got: $(cat "$tmp/why")"
}
refuses 2 'unknown option --check' "$heat" --check 8
refuses 2 'unknown option --block-size' "$heat" --block-size 7
refuses 2 'unknown option --backend' "$programs/heat_seq" --backend openmp
refuses 2 'a value is missing after --mesh' "$heat" --mesh
refuses 2 'not a value for --tolerance' "$heat" --tolerance -1
refuses 2 'not a value for --every' "$heat" --every -1
refuses 1 'absent: No such file' "$heat" --mesh "$tmp/absent"
refuses 1 'No such file or directory' "$heat" --mesh 2x2 --iterations 1 --dump-x "$tmp/absent/x"
refuses 1 'No such file or directory' "$heat" --mesh 2x2 --iterations 1 --graph "$tmp/absent/graph"
"$heat" --help | grep -q -e '--tolerance'
result $? "--help lists the options"

done_testing
