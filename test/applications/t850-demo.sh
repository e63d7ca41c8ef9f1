#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The demonstration in its quick form succeeds and writes its pictures, which are not blank;
# progress reaches 100 %; the table of times adds up; and if a part does not show what it should,
# the demonstration fails. The scripts of bench/ and doc/ answer --help.
set -u
. "$(dirname "$0")/../support/tap.sh"

for script in bench/demo.sh bench/compare.sh bench/record.sh bench/scaling.sh doc/pictures/make.sh; do
  help=$(sh "$src/$script" --help 2>"$tmp/why") && [ ! -s "$tmp/why" ] &&
    printf '%s\n' "$help" | grep -q "^ *$script"
  result $? "$script --help says how it is called"
  ! printf '%s\n' "$help" | grep -q -e '^#' -e '^set ' -e SPDX
  result $? "$script --help is text, not source"
done
for script in bench/demo.sh bench/compare.sh bench/record.sh bench/scaling.sh; do
  ! sh "$src/$script" --nonsense >"$tmp/out" 2>&1 && grep -q 'unknown option --nonsense' "$tmp/out"
  result $? "$script refuses an option that there is not"
done

airfoil=$build/bench/airfoil/airfoil
if [ -z "$build" ] || [ ! -x "$airfoil" ]; then
  skip "no build with benchmarks"
  done_testing
fi
if ! command -v dot >/dev/null 2>&1; then
  skip "no Graphviz: the demonstration draws graphs"
  done_testing
fi
if ! "$airfoil" --mesh 8x12 --iterations 0 --picture "$tmp/plain.png" >/dev/null 2>"$tmp/why"; then
  grep -q 'built without libpng' "$tmp/why"
  result $? "no picture only for lack of libpng"
  skip "built without libpng: the demonstration draws pictures"
  done_testing
fi

# These switches change what the demonstration shows.
unset OP2_EAGER OP2_QUEUE_MAX OP2_FUSE OP2_REPLAY OP2_GRAPH OP2_BACKEND OP2_VERIFY

demo() { (cd "$tmp" && sh "$src/bench/demo.sh" --quick --no-build --build "$build" "$@") >"$tmp/out" 2>"$tmp/err"; }
demo
result $? "it ends well"
grep -v -e '^airfoil: ' -e '^tsunami: ' "$tmp/err" >"$tmp/noise"
[ ! -s "$tmp/noise" ]
result $? "nothing but progress on stderr"
[ ! -s "$tmp/noise" ] || diag "$(cat "$tmp/noise")"
files=$tmp/op2-demo

# ---- pictures ----

# bytes FILE prints the size of a file, and field FILE BYTE a number of four bytes in a PNG's
# header.
bytes() { wc -c <"$1" | tr -d ' '; }
field() { od -An -v -t u1 -j "$2" -N 4 "$1" | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }'; }

for picture in flow wave; do
  [ "$(head -c 8 "$files/$picture.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] &&
    [ "$(field "$files/$picture.png" 16)" -ge 1000 ] && [ "$(field "$files/$picture.png" 20)" -ge 700 ]
  result $? "$picture.png is a PNG of more than 1000 x 700 pixels"
done
# A field without variation gives a small file.
"$build/bench/tsunami/tsunami" --mesh 64x64 --hump 0 --iterations 4 --every 0 --picture "$tmp/rest.png" >/dev/null 2>&1
[ "$(bytes "$files/flow.png")" -gt $((3 * $(bytes "$tmp/plain.png"))) ]
result $? "flow.png shows a flow ($(bytes "$files/flow.png") bytes, nothing yet: $(bytes "$tmp/plain.png"))"
[ "$(bytes "$files/wave.png")" -gt $((3 * $(bytes "$tmp/rest.png"))) ]
result $? "wave.png shows a wave ($(bytes "$files/wave.png") bytes, a sea at rest: $(bytes "$tmp/rest.png"))"

# ---- graphs ----

# loops FILE: counts the nodes of loops in a DOT text
loops() { grep -c '^ *loop[0-9]* \[' "$1"; }
for when in before after; do
  [ "$(loops "$files/graph-$when.dot")" -eq 18 ]
  result $? "graph-$when: two time steps of nine loops"
  grep -q '</svg>' "$files/graph-$when.svg" && grep -q '>Legend<' "$files/graph-$when.svg" &&
    grep -q 'RAW: reads what the<' "$files/graph-$when.svg"
  result $? "graph-$when.svg is drawn, with a legend"
done
! grep -q cluster_fused "$files/graph-before.dot" && grep -q '>waits to be run<' "$files/graph-before.svg"
result $? "before: loops wait, and none is fused"
grep -q cluster_fused "$files/graph-after.dot" && grep -q '>loops that were fused<' "$files/graph-after.svg"
result $? "after: boxes, which the legend explains"

# ---- progress ----

# progress PROGRAM: checks that there is at most one line per 10 %, ascending, with the time left,
# up to 100 %
progress() {
  sed -n "s/^$1: \([0-9]*\) %.*, [0-9.]* \(s\|min [0-9]* s\) left\$/\1/p; s/^$1: \(100\) % of [0-9]* time steps in .*/\1/p" \
    "$tmp/err" | awk '
      $1 <= last { print "# not forwards: " $1; bad = 1 }
      { last = $1 }
      END { exit bad || NR < 4 || NR > 11 || last != 100 }'
}
for program in airfoil tsunami; do
  progress $program
  result $? "$program tells of its progress, up to 100 %"
done
grep -Eq 'rms of the change fell from [0-9.]+e-0[0-9] in step [0-9]+ to [0-9.]+e-[01][0-9] in step [0-9]+' "$tmp/out"
result $? "it says how far the flow has settled: $(grep 'rms of the change' "$tmp/out")"

# Reporting progress makes no loop run: the same calls run the same loops, with the same bits.
for way in "" --progress; do
  "$airfoil" --mesh 20x30 --iterations 500 --every 200 $way --dump-q "$tmp/q$way" --explain "$tmp/explain" >/dev/null 2>"$tmp/why"
  sed -n '/^what made queued loops run/,/^$/p; /^loops: /p' "$tmp/explain" >"$tmp/forces$way"
done
[ -s "$tmp/why" ] && [ "$(grep -c ' ran ' "$tmp/forces")" -ge 3 ] && cmp -s "$tmp/forces" "$tmp/forces--progress" &&
  cmp -s "$tmp/q" "$tmp/q--progress"
result $? "progress flushes nothing"

# ---- the table ----

# shares FILE: prints the column "%" of each line of the table, which is the last one except for GB
# and GB/s
shares() {
  awk '/^loop +set +calls/ { on = 1; next } !on || !NF { next } /^total / { print $NF, "total"; exit }
    /^[a-z_]+ +(cells|edges|bedges) / { print $5, "loop"; next } { print $NF, "part" }' "$1"
}
shares "$tmp/out" >"$tmp/shares"
awk '$2 == "loop" { loops++ } $2 == "part" { parts++ } $2 == "total" { total = $1; next } { sum += $1 }
  END { if (loops != 5 || parts != 4 || total != 100 || sum < 99.5 || sum > 100.5) {
    print "# " loops " loops and " parts " parts sum to " sum " of " total; exit 1 } }' "$tmp/shares"
result $? "the shares of five loops, waiting, compiling, preparing and the rest are 100 %"
for part in 'waiting for one another' 'compiling ([0-9]* anew, [0-9]* from the cache)' 'preparing loops'; do
  grep -q "^$part  *[0-9]" "$tmp/out"
  result $? "the table has a line for: $part"
done
for file in graph-before.svg graph-after.svg flow.png wave.png; do
  grep -q "$files/$file" "$tmp/out"
  result $? "it names $file at the end"
done

# ---- failures ----

demo --steps 60
[ $? -ne 0 ] && grep -q 'the flow has not settled' "$tmp/err"
result $? "planted: a flow that has not settled"
demo --steps 4x
[ $? -ne 0 ] && grep -q 'not a number of time steps' "$tmp/err"
result $? "planted: no number of time steps"
: >"$tmp/file"
! demo --out "$tmp/file/folder"
result $? "planted: a folder that cannot be"
# ---- on ranks ----

sh "$src/test/mpirun.sh" "${OP2_TEST_MPI:-none}" 60 1 true >"$tmp/out" 2>"$tmp/why"
if [ $? -eq 77 ]; then
  demo --ranks 2
  [ $? -ne 0 ] && grep -q -e '--ranks 2: ' "$tmp/err"
  result $? "without MPI it says so: $(head -n 1 "$tmp/err")"
  done_testing
fi
demo --ranks 2
result $? "on two ranks it ends well"
grep -v -e '^airfoil: ' -e '^tsunami: ' "$tmp/err" >"$tmp/noise"
[ ! -s "$tmp/noise" ] || diag "$(cat "$tmp/noise")"
grep -q 'halos of q, adt' "$files/graph-after.svg" && grep -q '>rows that other ranks own travel' "$files/graph-after.svg" &&
  [ "$(loops "$files/graph-after.dot")" -eq 18 ]
result $? "the picture has what travels, and the legend explains it"
grep -q 'demo: halos travelled [1-9][0-9]* times' "$tmp/out" &&
  grep -q 'demo: [1-9][0-9]* messages of [1-9][0-9]* bytes in [1-9][0-9]* exchanges, .* waited for (rank 0)' "$tmp/out"
result $? "it says how much, and how long that was waited for: $(grep 'waited for' "$tmp/out")"

done_testing
