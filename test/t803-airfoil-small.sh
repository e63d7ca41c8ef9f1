#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The airfoil application on small meshes: its numbers are those of the hand-written sequential
# program, on every backend; its options do what they say; wrong ones are refused.
set -u
. "$(dirname "$0")/tap.sh"

programs=$build/bench/airfoil
airfoil=$programs/airfoil
if [ -z "$build" ] || [ ! -x "$airfoil" ]; then
  skip "no build with benchmarks"
  done_testing
fi

# rms_lines FILE: the lines "iteration rms"
rms_lines() { grep -E '^[0-9]+ [0-9]\.[0-9]{15}e[-+][0-9]+$' "$1"; }

# near FILE FILE TOLERANCE COUNT: the same iterations with rms that differ by the tolerance at most,
# relatively
near() {
  rms_lines "$1" >"$tmp/left"
  rms_lines "$2" >"$tmp/right"
  paste "$tmp/left" "$tmp/right" | awk -v tolerance="$3" -v count="$4" '
    { off = ($2 - $4) / $4; if (off < 0) off = -off }
    $1 != $3 || !($4 > 0) || !(off <= tolerance) { print "# differs: " $0; bad = 1 }
    END { if (NR != count) { print "# " NR " lines of rms, not " count; bad = 1 }; exit bad }'
}

# said FILE: what a program said, if anything
said() { [ ! -s "$1" ] || diag "$(cat "$1")"; }

# usable BACKEND: whether it runs here; if not, says so as a skipped check
usable() {
  "$airfoil" --mesh 2x2 --iterations 0 --backend "$1" >/dev/null 2>"$tmp/why" && return 0
  if grep -q OP2_ERR_UNAVAILABLE "$tmp/why"; then
    skip "$1: $(cat "$tmp/why")"
  else
    result 1 "$1 starts"
    said "$tmp/why"
  fi
  return 1
}

compare() { # BACKEND MESH-OPTIONS...: against the reference program
  backend=$1
  shift
  "$programs/reference_seq" "$@" --iterations 60 --every 7 >"$tmp/reference"
  "$airfoil" "$@" --iterations 60 --every 7 --backend "$backend" --threads 2 >"$tmp/got" 2>"$tmp/why"
  result $? "$backend $*: runs"
  said "$tmp/why"
  near "$tmp/got" "$tmp/reference" 1e-11 8
  result $? "$backend $*: the rms of the reference"
}

for backend in sequential openmp starpu check; do
  usable $backend || continue
  compare $backend --mesh 8x12
  compare $backend --mesh 8x12 --shuffle 3
  compare $backend --mesh 5x4
done

# Bitwise: backend, number of workers and time of running must not show, five times over. Small
# blocks, each of them a task, so that there is something to do for all.
for backend in openmp starpu; do
  usable $backend || continue
  for eager in 0 1; do
    for threads in 1 2 3 4; do
      same=0
      for repeat in 1 2 3 4 5; do
        OP2_CHUNK_US=0 OP2_BLOCK_SIZE=61 OP2_EAGER=$eager "$airfoil" --mesh 40x30 --iterations 20 --backend $backend \
          --threads $threads --dump-q "$tmp/q" >/dev/null 2>"$tmp/why"
        [ -e "$tmp/first" ] || cp "$tmp/q" "$tmp/first"
        cmp -s "$tmp/q" "$tmp/first" && same=$((same + 1))
        rm -f "$tmp/q"
      done
      [ $same -eq 5 ]
      result $? "$backend: q and rms are the same bits 5 times of 5 ($same), $threads threads, eager $eager"
      said "$tmp/why"
    done
  done
done
size=$(wc -c <"$tmp/first")
[ "$size" -eq $((8 * (4 * 3 * 40 * 30 + 1))) ]
result $? "the dump holds q and one rms"

# A mesh written and read again is the same run; so is a shuffled one.
run() { "$airfoil" --backend sequential "$@" 2>&1; }
run --mesh 8x12 --shuffle 9 --iterations 10 --dump-q "$tmp/a" --write-mesh "$tmp/grid" >/dev/null
run --mesh "$tmp/grid" --iterations 10 --dump-q "$tmp/b" >/dev/null
cmp -s "$tmp/a" "$tmp/b"
result $? "a written mesh gives the same run"
run --mesh 8x12 --iterations 10 --dump-q "$tmp/b" >/dev/null
! cmp -s "$tmp/a" "$tmp/b"
result $? "and another numbering other bits"

# Output
run --mesh 8x12 --iterations 5 --every 2 >"$tmp/out"
[ "$(rms_lines "$tmp/out" | cut -d' ' -f1 | tr '\n' ' ')" = "2 4 " ]
result $? "--every 2 prints steps 2 and 4 of 5"
for kernel in save_soln adt_calc res_calc bres_calc update; do
  grep -q "$kernel" "$tmp/out"
  result $? "the table of loops has $kernel"
done
grep -Eq '^time_per_iteration_ms [0-9.]+$' "$tmp/out"
result $? "the time per iteration is printed"
[ -z "$("$airfoil" --mesh 8x12 --iterations 5 --backend sequential 2>&1 >/dev/null)" ]
result $? "nothing on stderr when it is no terminal"
[ -z "$(run --mesh 8x12 --iterations 5 --every 0 | grep -E '^[0-9]+ ')" ]
result $? "--every 0 prints no rms"

# The graph: of one time step, which is nine loops
run --mesh 8x12 --iterations 3 --graph "$tmp/step.dot" >/dev/null
nodes=$(grep -cE 'label="?<?.*(save_soln|adt_calc|res_calc|bres_calc|update)' "$tmp/step.dot")
[ "$nodes" -eq 9 ]
result $? "the graph has nine loops ($nodes)"
if command -v dot >/dev/null 2>&1; then
  runs "Graphviz draws it" dot -Tsvg -o "$tmp/step.svg" "$tmp/step.dot"
else
  skip "no Graphviz"
fi

# The picture
if run --mesh 8x12 --iterations 3 --picture "$tmp/flow.png" >"$tmp/out"; then
  [ "$(head -c 8 "$tmp/flow.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]
  result $? "the picture is a PNG"
elif grep -q 'built without libpng' "$tmp/out"; then
  skip "built without libpng"
else
  result 1 "the picture is drawn"
  said "$tmp/out"
fi

# Refusals: status and words
refuses() { # STATUS PATTERN OPTION...
  want=$1
  pattern=$2
  shift 2
  "$airfoil" "$@" >/dev/null 2>"$tmp/why"
  got=$?
  [ $got -eq "$want" ] && grep -q -e "$pattern" "$tmp/why"
  result $? "$*: status $want and a message"
  [ $got -eq "$want" ] || diag "status $got: $(cat "$tmp/why")"
}
refuses 2 'unknown option --meshes' --meshes 8x12
refuses 2 'unknown option 8x12' 8x12
refuses 2 'unknown option --block-size' --block-size 7
refuses 2 'a value is missing after --mesh' --mesh
refuses 2 'not a value for --iterations' --iterations -1
refuses 2 'not a value for --iterations' --iterations 5x
refuses 2 'not a value for --shuffle' --shuffle -1
refuses 2 'not a value for --threads' --threads=
refuses 1 'absent: No such file' --mesh "$tmp/absent"
refuses 1 'at least 2x2' --mesh 1x1
refuses 1 'nonsense' --mesh 2x2 --iterations 1 --backend nonsense
refuses 1 'No such file or directory' --mesh 2x2 --iterations 1 --dump-q "$tmp/absent/q"
refuses 1 'No such file or directory' --mesh 2x2 --iterations 1 --graph "$tmp/absent/graph"
head -c 1000 "$tmp/grid" >"$tmp/short"
refuses 1 "short:" --mesh "$tmp/short"
"$airfoil" --help | grep -q -e '--write-mesh'
result $? "--help lists the options"

done_testing
