#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tsunami application on small meshes: the physics holds (a lake at rest, volume, depth,
# energy), every backend computes what the hand-written sequential program does, and so does the
# hand-written OpenMP program.
set -u
. "$(dirname "$0")/tap.sh"

programs=$build/bench/tsunami
tsunami=$programs/tsunami
if [ -z "$build" ] || [ ! -x "$tsunami" ]; then
  skip "no build with benchmarks"
  done_testing
fi

# said FILE: what a program said, if anything
said() { [ ! -s "$1" ] || diag "$(cat "$1")"; }

# usable BACKEND: whether it runs here; if not, says so as a skipped check
usable() {
  "$tsunami" --mesh 1x1 --iterations 0 --backend "$1" >/dev/null 2>"$tmp/why" && return 0
  if grep -q OP2_ERR_UNAVAILABLE "$tmp/why"; then
    skip "$1: $(cat "$tmp/why")"
  else
    result 1 "$1 starts"
    said "$tmp/why"
  fi
  return 1
}

# near FILE FILE TOLERANCE: dumps whose times, and whose values component by component, differ by
# the tolerance at most, relative to the greatest value
near() {
  for dump in "$1" "$2"; do od -An -v -t f8 -w8 "$dump" >"$dump.text"; done
  [ "$(wc -l <"$1.text")" -eq "$(wc -l <"$2.text")" ] || return 1
  paste "$1.text" "$2.text" | awk -v tolerance="$3" '
    function size(v) { return v < 0 ? -v : v }
    function settle(k) {
      if (!(off[k] <= tolerance * most[k])) { print "# component " k " off by " off[k] " of " most[k]; bad = 1 }
    }
    !($1 == $1 + 0 && $2 == $2 + 0) { print "# no numbers: " $0; bad = 1 }
    NR > 1 {
      k = (NR - 2) % 4
      if (size(a - b) > off[k]) off[k] = size(a - b)
      if (size(b) > most[k]) most[k] = size(b)
    }
    { a = $1; b = $2 }
    END {
      for (k = 0; k < 4; k++) settle(k)
      off["time"] = size(a - b)
      most["time"] = b
      settle("time")
      exit bad || NR < 2
    }'
}

# water FILE: the lines "step time volume energy least_depth greatest_speed"
water() { grep -E '^[0-9]+( -?[0-9]\.[0-9]{15}e[-+][0-9]+){5}$' "$1"; }

# holds NAME AWK-CONDITION COUNT: every one of that many lines of water in $tmp/out fulfils the
# condition; the first one's fields are in first[]
holds() {
  water "$tmp/out" | awk -v count="$3" "
    function size(v) { return v < 0 ? -v : v }
    NR == 1 { for (i = 1; i <= NF; i++) first[i] = \$i }
    !($2) { print \"# not so: \" \$0; bad = 1 }
    { time = \$2; energy = \$4 }
    END { if (NR != count) { print \"# \" NR \" lines, not \" count; bad = 1 }; exit bad }"
  result $? "$1"
}

# ---- physics ----

for program in "tsunami --backend sequential" tsunami_seq; do
  "$programs"/$program --mesh 30x25 --hump 0 --iterations 200 --every 20 >"$tmp/out"
  holds "$program: a lake at rest stays at rest" '$6 < 1e-11' 10
  holds "$program: and keeps its volume" 'size($3 - first[3]) <= 1e-12 * first[3]' 10
  "$programs"/$program --mesh 30x25 --hump 500 --iterations 1000 --every 50 >"$tmp/out"
  holds "$program: a wave moves" '$6 > 1' 20
  holds "$program: nothing flows through walls and shores" 'size($3 - first[3]) <= 1e-12 * first[3]' 20
  holds "$program: no depth is negative" '$5 >= 0' 20
  holds "$program: energy is lost, and never gained" 'NR == 1 || $4 < energy' 20
  holds "$program: time goes on" '$2 > time' 20
done

# The shore moves within the steps that are compared below, so that the kernels' branches are taken.
# wet FILE: which cells of a dump are, a digit each; the last number is the time
wet() { od -An -v -t f8 -w32 "$1" | awk 'NF == 4 { printf "%d", ($1 > 1e-3) }'; }
run="--mesh 16x16 --hump 2000"
"$programs/tsunami_seq" $run --iterations 0 --dump-q "$tmp/a" >/dev/null
"$programs/tsunami_seq" $run --iterations 200 --every 0 --dump-q "$tmp/b" >/dev/null
case $(wet "$tmp/a") in *01*) dry=0 ;; *) dry=1 ;; esac
result $dry "some cells are dry, some wet"
[ "$(wet "$tmp/a")" != "$(wet "$tmp/b")" ]
result $? "the shore moves"

# ---- against the hand-written programs ----

# compare COMMAND OPTION...: with the sequential program
compare() {
  command=$1
  shift
  "$programs/tsunami_seq" "$@" --iterations 200 --every 0 --dump-q "$tmp/a" >/dev/null
  "$programs"/$command "$@" --iterations 200 --every 0 --dump-q "$tmp/b" >/dev/null 2>"$tmp/why"
  result $? "$command $*: runs"
  said "$tmp/why"
  near "$tmp/a" "$tmp/b" 1e-12
  result $? "$command $*: q and time of the sequential program"
  rm -f "$tmp/b"
}

for backend in sequential openmp starpu check; do
  usable $backend || continue
  for eager in 0 1; do
    export OP2_EAGER=$eager
    compare "tsunami --backend $backend --threads 2" --mesh 16x16 --hump 2000
  done
  unset OP2_EAGER
  compare "tsunami --backend $backend --threads 2" --mesh 16x16 --hump 2000 --shuffle 3
  compare "tsunami --backend $backend --threads 2" --mesh 2x9 --hump 1000
done
if [ -x "$programs/tsunami_omp" ]; then
  for size in 1 7 50 4096; do
    compare "tsunami_omp --threads 2 --block-size $size" --mesh 16x16 --hump 2000
    compare "tsunami_omp --threads 2 --block-size $size" --mesh 16x16 --hump 2000 --shuffle 3
  done
else
  skip "built without OpenMP"
fi

# Bitwise: neither backend, number of workers nor time of running shows. Small blocks, each of them
# a task.
rm -f "$tmp/first"
for backend in openmp starpu; do
  usable $backend || continue
  for eager in 0 1; do
    for threads in 1 2 3; do
      OP2_CHUNK_US=0 OP2_BLOCK_SIZE=61 OP2_EAGER=$eager "$tsunami" --mesh 40x30 --hump 1000 --iterations 100 --every 0 \
        --backend $backend --threads $threads --dump-q "$tmp/q" >/dev/null 2>"$tmp/why"
      [ -e "$tmp/first" ] || cp "$tmp/q" "$tmp/first"
      cmp -s "$tmp/q" "$tmp/first"
      result $? "$backend: q and time are the same bits, $threads threads, eager $eager"
      said "$tmp/why"
      rm -f "$tmp/q"
    done
  done
done

# The comparison would notice
"$programs/tsunami_seq" --mesh 8x6 --iterations 20 --dump-q "$tmp/a" >/dev/null
"$programs/tsunami_seq" --mesh 8x6 --iterations 21 --dump-q "$tmp/b" >/dev/null
! near "$tmp/a" "$tmp/b" 1e-12 >/dev/null
result $? "planted: one time step more"
"$programs/tsunami_seq" --mesh 8x6 --iterations 20 --hump 5.000001 --dump-q "$tmp/b" >/dev/null
! near "$tmp/a" "$tmp/b" 1e-12 >/dev/null
result $? "planted: another wave"

# ---- what the programs print ----

"$tsunami" --mesh 8x6 --iterations 7 --every 3 --graph "$tmp/step.dot" >"$tmp/out" 2>"$tmp/why"
[ "$(water "$tmp/out" | cut -d' ' -f1 | tr '\n' ' ')" = "3 6 " ]
result $? "--every 3 prints steps 3 and 6 of 7"
[ ! -s "$tmp/why" ]
result $? "nothing on stderr"
for kernel in side_geometry start flux wall time_step predict correct survey; do
  grep -q "^$kernel " "$tmp/out"
  result $? "the table of loops has $kernel"
done
grep -Eq '^time_per_iteration_ms [0-9.]+$' "$tmp/out"
result $? "the time per iteration is printed"
OP2_EAGER=0 "$tsunami" --mesh 8x6 --iterations 3 --graph "$tmp/step.dot" >/dev/null
loops=$(grep -cE 'label="?<?.*: ?(flux|wall|time_step|predict|correct)' "$tmp/step.dot")
[ "$loops" -eq 7 ]
result $? "seven loops wait between two looks at the time step ($loops)"

refuses() { # STATUS PATTERN OPTION...
  want=$1
  pattern=$2
  shift 2
  "$tsunami" "$@" >/dev/null 2>"$tmp/why"
  got=$?
  [ $got -eq "$want" ] && grep -q -e "$pattern" "$tmp/why"
  result $? "$*: status $want and a message"
  [ $got -eq "$want" ] || diag "status $got: $(cat "$tmp/why")"
}
refuses 2 'unknown option --block-size' --block-size 7
refuses 2 'a value is missing after --mesh' --mesh
refuses 2 'not a value for --iterations' --iterations -1
refuses 2 'not a value for --hump' --hump -1
refuses 2 'not a value for --hump' --hump=nan
refuses 2 'not a value for --shuffle' --shuffle x
refuses 1 'a mesh has at least' --mesh 0x4
refuses 1 'not 4x4b' --mesh 4x4b
if "$tsunami" --mesh 8x6 --iterations 3 --picture "$tmp/sea.png" >/dev/null 2>"$tmp/why"; then
  [ "$(head -c 8 "$tmp/sea.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]
  result $? "a picture of three time steps is a PNG"
  refuses 1 'no picture without a time step' --mesh 8x6 --iterations 0 --picture "$tmp/none.png"
  refuses 1 'absent/sea.png' --mesh 8x6 --iterations 1 --picture "$tmp/absent/sea.png"
elif grep -q 'built without libpng' "$tmp/why"; then
  skip "built without libpng"
else
  result 1 "the picture is drawn"
  said "$tmp/why"
fi
refuses 1 'nonsense' --mesh 2x2 --iterations 1 --backend nonsense
refuses 1 'No such file or directory' --mesh 2x2 --iterations 1 --dump-q "$tmp/absent/q"
refuses 1 'No such file or directory' --mesh 2x2 --iterations 1 --graph "$tmp/absent/graph"

done_testing
