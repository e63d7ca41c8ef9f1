#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tsunami application on small meshes: the physics holds (a lake at rest, volume, depth,
# energy), and every backend and the hand-written programs for OpenMP and in vectors compute the
# results of the hand-written sequential program.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/app.sh"
# The numbers are time, volume, energy, least depth and greatest speed.
application tsunami "--mesh 1x1" 5
sequential=tsunami_seq steps=200 components=4 tolerance=1e-12

# ---- physics ----

for program in "tsunami --backend sequential" tsunami_seq; do
  "$programs"/$program --mesh 30x25 --hump 0 --iterations 200 --every 20 >"$tmp/out"
  holds "$program: a lake at rest stays at rest" '$6 < 1e-11' 10
  holds "$program: and keeps its volume" 'size($3 - first[3]) <= 1e-12 * first[3]' 10
  "$programs"/$program --mesh 30x25 --hump 500 --iterations 1000 --every 50 >"$tmp/out"
  holds "$program: a wave moves" '$6 > 1' 20
  holds "$program: nothing flows through walls and shores" 'size($3 - first[3]) <= 1e-12 * first[3]' 20
  holds "$program: no depth is negative" '$5 >= 0' 20
  holds "$program: energy is lost, and never gained" 'NR == 1 || $4 < last[4]' 20
  holds "$program: time goes on" '$2 > last[2]' 20
done

# The shore moves within the steps that are compared below, so that all branches of the kernels are
# taken. wet FILE prints a digit for each cell of a dump, 1 if it is wet; the last number of a dump
# is the time.
wet() { od -An -v -t f8 -w32 "$1" | awk 'NF == 4 { printf "%d", ($1 > 1e-3) }'; }
run="--mesh 16x16 --hump 2000"
"$programs/tsunami_seq" $run --iterations 0 --dump-q "$tmp/a" >/dev/null
"$programs/tsunami_seq" $run --iterations 200 --every 0 --dump-q "$tmp/b" >/dev/null
case $(wet "$tmp/a") in *01*) dry=0 ;; *) dry=1 ;; esac
result $dry "some cells are dry, some wet"
[ "$(wet "$tmp/a")" != "$(wet "$tmp/b")" ]
result $? "the shore moves"

# ---- against the hand-written programs ----

for backend in sequential openmp starpu check opencl cuda hip; do
  usable $backend || continue
  for eager in 0 1; do
    export OP2_EAGER=$eager
    compare "tsunami --backend $backend --threads 2" --mesh 16x16 --hump 2000
  done
  unset OP2_EAGER
  compare "tsunami --backend $backend --threads 2" --mesh 16x16 --hump 2000 --shuffle 3
  compare "tsunami --backend $backend --threads 2" --mesh 2x9 --hump 1000
done
for by_hand in tsunami_omp tsunami_simd; do
  [ -x "$programs/$by_hand" ] || {
    skip "built without OpenMP: no $by_hand"
    continue
  }
  for size in 1 7 50 4096; do
    compare "$by_hand --threads 2 --block-size $size" --mesh 16x16 --hump 2000
    compare "$by_hand --threads 2 --block-size $size" --mesh 16x16 --hump 2000 --shuffle 3
  done
  compare "$by_hand --threads 1" --mesh 15x13 --hump 2000
done

same_bits 1 3 --mesh 40x30 --hump 1000 --iterations 100 --every 0 --dump-q

# The comparison must detect these differences.
"$programs/tsunami_seq" --mesh 8x6 --iterations 20 --dump-q "$tmp/a" >/dev/null
"$programs/tsunami_seq" --mesh 8x6 --iterations 21 --dump-q "$tmp/b" >/dev/null
! near "$tmp/a" "$tmp/b" 4 1e-12 >/dev/null
result $? "planted: one time step more"
"$programs/tsunami_seq" --mesh 8x6 --iterations 20 --hump 5.000001 --dump-q "$tmp/b" >/dev/null
! near "$tmp/a" "$tmp/b" 4 1e-12 >/dev/null
result $? "planted: another wave"

# ---- output of the programs ----

"$app" --mesh 8x6 --iterations 7 --every 3 --graph "$tmp/step.dot" >"$tmp/out" 2>"$tmp/why"
[ "$(lines "$tmp/out" | cut -d' ' -f1 | tr '\n' ' ')" = "3 6 " ]
result $? "--every 3 prints steps 3 and 6 of 7"
[ ! -s "$tmp/why" ]
result $? "nothing on stderr"
table_has side_geometry start flux wall time_step predict correct survey
grep -Eq '^time_per_iteration_ms [0-9.]+$' "$tmp/out"
result $? "the time per iteration is printed"
OP2_EAGER=0 "$app" --mesh 8x6 --iterations 3 --graph "$tmp/step.dot" >/dev/null
loops=$(grep -cE 'label="?<?.*: ?(flux|wall|time_step|predict|correct)' "$tmp/step.dot")
[ "$loops" -eq 7 ]
result $? "seven loops wait between two looks at the time step ($loops)"

refuses 2 'unknown option --block-size' --block-size 7
refuses 2 'a value is missing after --mesh' --mesh
refuses 2 'not a value for --iterations' --iterations -1
refuses 2 'not a value for --hump' --hump -1
refuses 2 'not a value for --hump' --hump=nan
refuses 2 'not a value for --shuffle' --shuffle x
refuses 1 'a mesh has at least' --mesh 0x4
refuses 1 'not 4x4b' --mesh 4x4b
if "$app" --mesh 8x6 --iterations 3 --picture "$tmp/sea.png" >/dev/null 2>"$tmp/why"; then
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
