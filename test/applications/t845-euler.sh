#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The Euler application on a small channel and on a small SU2 file: mass is conserved and uniform
# flow stays uniform; every backend and the hand-written OpenMP program compute the results of the
# hand-written sequential program; refinement has the right counts; faulty files are refused with
# the line.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/app.sh"
# The numbers are the residual's rms, mass and dye.
application euler "--size 1x1" 3
sequential=reference_seq steps=100 components=5 tolerance=1e-10
square=$src/test/applications/t845-euler.su2

# ---- physics ----

for program in "euler --backend sequential" reference_seq; do
  for mesh in "--size 24x8" "--mesh $square --refine 2"; do
    name="$program ${mesh##*/}"
    "$programs"/$program $mesh --farfield none --iterations 200 --every 20 >"$tmp/out"
    holds "$name: nothing flows through walls" 'size($3 - first[3]) <= 1e-13 * first[3] && $4 == 0' 10
    holds "$name: but there is flow" '$2 > 1e-3' 10
    "$programs"/$program $mesh --farfield none --mach 0 --iterations 50 --every 10 >"$tmp/out"
    holds "$name: gas at rest stays at rest" '$2 < 1e-12' 5
  done
  "$programs"/$program --size 24x8 --iterations 600 --every 50 >"$tmp/out"
  holds "$program: the dye comes in and spreads" 'NR == 1 || $4 > last[4]' 12
  "$programs"/$program --size 24x8 --iterations 4000 --every 1000 >"$tmp/out"
  holds "$program: the flow settles" 'NR == 1 || $2 < 0.01 * last[2] || $2 < 1e-12' 4
  "$programs"/$program --mesh "$square" --refine 2 --farfield Farfield_west,walls,opening \
    --iterations 50 --every 10 >"$tmp/out"
  holds "$program: uniform flow stays uniform" '$2 < 1e-12 && $4 > 0' 5
done

# ---- against the hand-written programs ----

for backend in sequential openmp starpu check; do
  usable $backend || continue
  for eager in 0 1; do
    export OP2_EAGER=$eager
    compare "euler --backend $backend --threads 2" --size 12x5
    compare "euler --backend $backend --threads 2" --mesh "$square" --refine 1
  done
  unset OP2_EAGER
  compare "euler --backend $backend --threads 2" --mesh "$square"
  compare "euler --backend $backend --threads 2" --size 4x2 --refine 2 --farfield none
  compare "euler --backend $backend --threads 2" --size 3x2 --refine 1 --mach 1.5
  compare "euler --backend $backend --threads 2" --mesh random:60 --refine 2
done
if OP2_LOG=0 "$app" --size 1x1 --iterations 0 --renumber >/dev/null 2>"$tmp/why"; then
  compare "euler --threads 2 --renumber" --size 4x2 --refine 2
elif grep -q OP2_ERR_UNAVAILABLE "$tmp/why"; then
  skip "$(cat "$tmp/why")"
else
  result 1 "--renumber"
  said "$tmp/why"
fi
if [ -x "$programs/reference_omp" ]; then
  for size in 1 7 50 4096; do
    compare "reference_omp --threads 2 --block-size $size" --size 12x5
    compare "reference_omp --threads 2 --block-size $size" --mesh "$square" --refine 2
    compare "reference_omp --threads 2 --block-size $size" --mesh random:60 --refine 2
  done
else
  skip "built without OpenMP"
fi

# The multigrid method converges faster than its smoother, a cycle costs less than three steps of it,
# and its results are those of the same loops in OP2's form.
for mesh in "--size 12x4" "--mesh random:100"; do
  "$programs/multigrid_op2" $mesh --iterations 60 --every 20 --dump-q "$tmp/a" >"$tmp/out"
  "$programs/reference_seq" $mesh --refine 2 --iterations 180 --every 60 >"$tmp/reference"
  fine=$(sed -n 's/^180 \([^ ]*\) .*/\1/p' "$tmp/reference") cycles=$(sed -n 's/^60 //p' "$tmp/out")
  echo "$cycles $fine" | awk '{ exit !(NF == 2 && $1 > 0 && $1 < $2) }'
  result $? "multigrid $mesh: a smaller residual after 60 cycles than after 180 steps ($cycles, $fine)"
  for backend in sequential openmp starpu check; do
    usable $backend || continue
    "$programs/multigrid" $mesh --iterations 60 --every 0 --backend $backend --threads 2 --dump-q "$tmp/b" \
      >/dev/null 2>"$tmp/why"
    result $? "multigrid $mesh, $backend: runs"
    said "$tmp/why"
    near "$tmp/a" "$tmp/b" "$components" "$tolerance"
    result $? "multigrid $mesh, $backend: q and rms of OP2's form"
    rm -f "$tmp/b"
  done
done

same_bits 1 3 --size 8x4 --refine 1 --iterations 60 --every 0 --dump-q

# Flushes do not change the bits either when the library renumbers automatically: it does so between
# the same two loops.
for backend in openmp starpu; do
  usable $backend || continue
  rm -f "$tmp/first"
  for how in "" --flush --eager "--flush --eager"; do
    OP2_RENUMBER=1 "$programs/euler" --mesh "$square" --refine 3 --iterations 60 --every 0 --threads 2 \
      --backend $backend $how --explain "$tmp/why" --dump-q "$tmp/q" >/dev/null 2>&1
    [ -e "$tmp/first" ] || cp "$tmp/q" "$tmp/first"
    cmp -s "$tmp/q" "$tmp/first"
    result $? "$backend, OP2_RENUMBER=1 ${how:-lazily}: q and rms are the same bits"
    flushes=$(sed -n 's/^what made queued loops run (\(the last 16 of \)*\([0-9]*\)).*/\2/p' "$tmp/why")
    case $how in "") [ "$flushes" -lt 60 ] ;; *) [ "$flushes" -ge 60 ] ;; esac
    result $? "$backend ${how:-lazily}: made to run $flushes times"
    rm -f "$tmp/q"
  done
done

# The comparison must detect these differences.
"$programs/reference_seq" --size 8x6 --iterations 20 --every 0 --dump-q "$tmp/a" >/dev/null
"$programs/reference_seq" --size 8x6 --iterations 21 --every 0 --dump-q "$tmp/b" >/dev/null
! near "$tmp/a" "$tmp/b" 5 1e-10 >/dev/null
result $? "planted: one time step more"
"$programs/reference_seq" --size 8x6 --iterations 20 --every 0 --mach 0.400001 --dump-q "$tmp/b" >/dev/null
! near "$tmp/a" "$tmp/b" 5 1e-10 >/dev/null
result $? "planted: another Mach number"

# ---- meshes ----

# counts NAME NUMBERS OPTION...: checks the numbers of nodes, triangles, edges and boundary edges,
# and of boundary edges that are far field
counts() {
  name=$1
  want=$2
  shift 2
  got=$("$programs/reference_seq" "$@" --iterations 0 | sed -n '1s/^.*: \([0-9]* nodes\)/\1/p' | tr -cd '0-9 ')
  [ "$(echo $got)" = "$want" ]
  result $? "$name: $want"
  [ "$(echo $got)" = "$want" ] || diag "found $got"
}
counts "the file" "9 8 16 8 2" --mesh "$square"
counts "refined" "25 32 56 16 4" --mesh "$square" --refine 1
counts "refined twice" "81 128 208 32 8" --mesh "$square" --refine 2
counts "the far field by --farfield" "9 8 16 8 4" --mesh "$square" --farfield walls
counts "two of them" "9 8 16 8 6" --mesh "$square" --farfield walls,opening
counts "none" "9 8 16 8 0" --mesh "$square" --farfield none
counts "the channel" "15 16 30 12 4" --size 4x2
# A triangulation of n nodes, b of them on the boundary, has 2 n - b - 2 triangles; Euler's formula
# gives the edges.
counts "a random triangulation" "1003 1868 2870 136 34" --mesh random:1100
counts "the smallest" "11 12 22 8 2" --mesh random:16
counts "refined" "3873 7472 11344 272 68" --mesh random:1100 --refine 1
awk '{ printf "%s\r\n", $0 }' "$square" >"$tmp/dos.su2"
awk '/=/ { inside = /^NPOIN/ } { print $0 (inside && !/=/ && !/%/ ? " " 100 - NR : "") }' "$square" >"$tmp/numbers.su2"
counts "points with numbers, whatever they are" "9 8 16 8 2" --mesh "$tmp/numbers.su2"
counts "lines that end as on other systems" "9 8 16 8 2" --mesh "$tmp/dos.su2"

# The initial densities add up to the area of the square.
"$programs/reference_seq" --mesh "$square" --refine 1 --farfield none --mach 0 --iterations 1 --every 1 >"$tmp/out"
holds "the dual cells have the area of the square" 'size($3 - 4) < 1e-14' 1

# ---- refusals ----

# spoilt SED-SCRIPT PATTERN: checks that the file changed by the script is refused with a matching
# message
spoilt() {
  sed "$1" "$square" >"$tmp/bad.su2"
  cmp -s "$square" "$tmp/bad.su2" && result 1 "$1 changes the file"
  "$app" --mesh "$tmp/bad.su2" --iterations 1 >/dev/null 2>"$tmp/why"
  status=$?
  [ $status -eq 1 ] && grep -q -e "bad.su2:$2" "$tmp/why"
  result $? "refused: $2"
  [ $status -eq 1 ] && grep -q -e "bad.su2:$2" "$tmp/why" || diag "$1: status $status: $(cat "$tmp/why")"
}
line() { grep -n -e "$1" "$square" | head -n 1 | cut -d: -f1; }
points=$(line '^NPOIN') cells=$(line '^NELEM') last=$(grep -c '' "$square")
spoilt 's/NDIME= 2/NDIME= 3/' "$(line NDIME): NDIME must be an integer from 2 to 2, not \"3\""
spoilt '/NDIME/d' "[0-9]*: the file ends without NDIME= 2"
spoilt '/NPOIN/d' "[0-9]*: the file ends without NPOIN"
spoilt '/NELEM/d' "[0-9]*: the file ends without NELEM"
spoilt '/NMARK/d' "[0-9]*: the file ends without NMARK"
spoilt 's/NMARK= 3/NMARK= 4/' "$last: NMARK is 4, and the file has 3 markers"
spoilt '0,/^MARKER_TAG/{/^MARKER_TAG/d}' "4: MARKER_ELEMS without a MARKER_TAG before it"
spoilt '0,/^MARKER_ELEMS/{/^MARKER_ELEMS/d}' "[0-9]*: marker 'Farfield_west' is without MARKER_ELEMS"
spoilt 's/^MARKER_TAG= walls/MARKER_TAG=/' "$(line 'TAG= walls'): a marker without a name"
spoilt 's/^AOA.*/NELEM= 1/' "$cells: a second NELEM"
spoilt 's/NELEM= 6/NELEM= 7/' "$last: NELEM is 7, and 6 rows follow it"
spoilt 's/NELEM= 6/NELEM= 5/' "$last: NELEM is 5, and more rows follow it"
spoilt 's/NELEM= 6/NELEM= 300000000/' "$cells: NELEM is 300000000, and the file is too short"
spoilt 's/NELEM= 6/NELEM= six/' "$cells: NELEM must be an integer from 1 to [0-9]*, not \"six\""
spoilt 's/NPOIN= 9/NPOIN= 10/' "$((points + 10)): NPOIN is 10, and 9 rows follow it"
spoilt 's/^2\. 0/2. zero/' "$((points + 3)): a coordinate must be a finite number, not \"zero\""
spoilt 's/^2\. 0/2./' "$((points + 3)): the line ends before a coordinate"
spoilt 's/^2\. 0/2. 0 x/' "$((points + 3)): the point's number must be an integer from 0 to [0-9]*, not \"x\""
spoilt 's/^2\. 0/2. nan/' "$((points + 3)): a coordinate must be a finite number, not \"nan\""
spoilt 's/^5 4 5 8/5 4 5 9/' "$((cells + 5)): a node must be an integer from 0 to 8, not \"9\""
spoilt 's/^5 4 5 8/5 4 5/' "$((cells + 5)): the line ends before a node"
spoilt 's/^5 4 5 8/5 4 4 8/' "$((cells + 5)): the element has no area, or crosses itself"
spoilt 's/^5 4 5 8/10 4 5 8/' "$((cells + 5)): elements are triangles (5) and quadrilaterals (9), not 10"
spoilt 's/^9 0 1 4 3/9 0 4 1 3/' "$((cells + 1)): the element has no area, or crosses itself"
spoilt 's/^3 6 3/9 6 3/' "6: boundary elements are lines (3), not 9"
spoilt 's/^5 4 5 8/5 4 8 7/' " two cells lie on the same side of the edge between nodes"
spoilt 's/^3 6 3/3 6 4/' " marker 'Farfield_west': the line between nodes 6 and 4 is inside the mesh"
spoilt 's/^3 6 3/3 6 0/' " marker 'Farfield_west': the line between nodes 6 and 0 is no side of a cell"
spoilt 's/^3 6 3/3 3 0/' " marker 'Farfield_west': the line between nodes [03] and [03] is in a marker already"
spoilt 's/ELEMS= 2   %.*/ELEMS= 1/;/^3 6 3/d' " the side between nodes 3 and 6 has a cell on one side only"
spoilt 's/^2 2$/2 2\n9 9/;s/NPOIN= 9/NPOIN= 10/' " no cell has node 9"
: >"$tmp/bad.su2"
refuses 1 'bad.su2:0: the file ends without NDIME' --mesh "$tmp/bad.su2"
refuses 1 'absent.su2: No such file' --mesh "$tmp/absent.su2"
refuses 1 "it has no marker 'inlet' for --farfield" --mesh "$square" --farfield walls,inlet
refuses 1 'from 16 to 10000000 nodes' --mesh random:15
refuses 1 'is, say, 27000, not 3x' --mesh random:3x
refuses 1 'is for the channel, not for a file' --mesh "$square" --size 3x3
refuses 1 'at least 1x1' --size 0x4
refuses 1 'not 4x4b' --size 4x4b
refuses 1 'too many cells' --size 99999x99999
refuses 1 'refined 20 times it has more than' --size 1x1 --refine 20
refuses 2 'not a value for --iterations' --iterations -1
refuses 2 'not a value for --mach' --mach -1
refuses 2 'unknown option --block-size' --block-size 7
refuses 2 'a value is missing after --mesh' --mesh
refuses 1 'nonsense' --size 2x2 --iterations 1 --backend nonsense
refuses 1 'No such file or directory' --size 2x2 --iterations 1 --dump-q "$tmp/absent/q"
refuses 1 'No such file or directory' --size 2x2 --iterations 1 --graph "$tmp/absent/graph"
refuses 1 'the residual is no number after step' --size 8x4 --mach 1e200 --iterations 10 --every 1

# ---- output of the programs ----

OP2_EAGER=0 "$app" --size 8x6 --iterations 207 --every 3 --graph "$tmp/step.dot" --explain - >"$tmp/out" 2>"$tmp/why"
[ "$(lines "$tmp/out" | sed -n '1p;2p;$p' | cut -d' ' -f1 | tr '\n' ' ')" = "3 6 207 " ]
result $? "--every 3 prints steps 3, 6, ... 207 of 207"
[ ! -s "$tmp/why" ]
result $? "nothing on stderr"
said "$tmp/why"
table_has start save time_step flux boundary stage last_stage survey
for program in "$tmp/out" reference_seq; do
  [ "$program" = "$tmp/out" ] || "$programs/$program" --size 8x6 --iterations 207 >"$tmp/out"
  for figure in time_per_iteration_ms setup_s first_100_iterations_s first_200_iterations_s \
    time_per_iteration_from_60_ms time_per_iteration_from_100_ms; do
    grep -Eq "^$figure [0-9.]+" "$tmp/out"
    result $? "${program##*/}: $figure is printed"
  done
done
loops=$(grep -cE 'label="?<?.*: ?(save|time_step|flux|boundary|stage|last_stage)' "$tmp/step.dot")
[ "$loops" -eq 11 ]
result $? "a time step is eleven loops ($loops)"

done_testing
