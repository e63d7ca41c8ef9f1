#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The airfoil application on small meshes: its numbers are those of the hand-written sequential
# program, on every backend, and so are those of the programs by hand for OpenMP and for vectors; its
# options have the documented effect; wrong ones are refused.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/app.sh"
application airfoil "--mesh 2x2" 1

against() { # BACKEND MESH-OPTIONS...: compares the application with the reference program
  backend=$1
  shift
  "$programs/reference_seq" "$@" --iterations 60 --every 7 >"$tmp/reference"
  "$app" "$@" --iterations 60 --every 7 --backend "$backend" --threads 2 >"$tmp/got" 2>"$tmp/why"
  result $? "$backend $*: runs"
  said "$tmp/why"
  near_lines "$tmp/got" "$tmp/reference" 1e-11 8
  result $? "$backend $*: the rms of the reference"
}

for backend in sequential openmp starpu check opencl cuda hip; do
  usable $backend || continue
  against $backend --mesh 8x12
  against $backend --mesh 8x12 --shuffle 3
  against $backend --mesh 5x4
done

# The program in vectors has pieces of the edges, or sums by cells where these need many colours.
for by_hand in reference_omp reference_simd; do
  if [ ! -x "$programs/$by_hand" ]; then
    skip "built without OpenMP: no $by_hand"
    continue
  fi
  for mesh in "--mesh 8x12" "--mesh 9x13 --shuffle 3" "--mesh 5x4"; do
    "$programs/reference_seq" $mesh --iterations 60 --every 7 >"$tmp/reference"
    for size in 7 61 4096; do
      for threads in 1 3; do
        "$programs/$by_hand" $mesh --iterations 60 --every 7 --threads $threads --block-size $size >"$tmp/got" 2>"$tmp/why"
        result $? "$by_hand $mesh, blocks of $size, threads $threads: runs"
        said "$tmp/why"
        near_lines "$tmp/got" "$tmp/reference" 1e-11 8
        result $? "$by_hand $mesh, blocks of $size, threads $threads: the rms of the reference"
        [ "$by_hand" = reference_omp ] || cat "$tmp/got" >>"$tmp/by-vectors"
      done
    done
  done
done
if [ -e "$tmp/by-vectors" ]; then
  grep -q 'sums by cells' "$tmp/by-vectors" && grep '^threads' "$tmp/by-vectors" | grep -vq 'sums by cells'
  result $? "edges were added in pieces, and summed up by cells"
fi

same_bits 5 4 --mesh 40x30 --iterations 20 --dump-q
size=$(wc -c <"$tmp/first")
[ "$size" -eq $((8 * (4 * 3 * 40 * 30 + 1))) ]
result $? "the dump holds q and one rms"

# A mesh that is written and read again gives the same run, and so does a shuffled one.
run() { "$app" --backend sequential "$@" 2>&1; }
run --mesh 8x12 --shuffle 9 --iterations 10 --dump-q "$tmp/a" --write-mesh "$tmp/grid" >/dev/null
run --mesh "$tmp/grid" --iterations 10 --dump-q "$tmp/b" >/dev/null
cmp -s "$tmp/a" "$tmp/b"
result $? "a written mesh gives the same run"
run --mesh 8x12 --iterations 10 --dump-q "$tmp/b" >/dev/null
! cmp -s "$tmp/a" "$tmp/b"
result $? "and another numbering other bits"

# The output is checked.
run --mesh 8x12 --iterations 5 --every 2 >"$tmp/out"
[ "$(lines "$tmp/out" | cut -d' ' -f1 | tr '\n' ' ')" = "2 4 " ]
result $? "--every 2 prints steps 2 and 4 of 5"
table_has save_soln adt_calc res_calc bres_calc update
grep -Eq '^time_per_iteration_ms [0-9.]+$' "$tmp/out"
result $? "the time per iteration is printed"
[ -z "$("$app" --mesh 8x12 --iterations 5 --backend sequential 2>&1 >/dev/null)" ]
result $? "nothing on stderr when it is no terminal"
[ -z "$(run --mesh 8x12 --iterations 5 --every 0 | grep -E '^[0-9]+ ')" ]
result $? "--every 0 prints no rms"

# The graph is that of one time step, which is nine loops.
run --mesh 8x12 --iterations 3 --graph "$tmp/step.dot" >/dev/null
nodes=$(grep -cE 'label="?<?.*(save_soln|adt_calc|res_calc|bres_calc|update)' "$tmp/step.dot")
[ "$nodes" -eq 9 ]
result $? "the graph has nine loops ($nodes)"
if command -v dot >/dev/null 2>&1; then
  runs "Graphviz draws it" dot -Tsvg -o "$tmp/step.svg" "$tmp/step.dot"
else
  skip "no Graphviz"
fi

# The picture is checked.
if run --mesh 8x12 --iterations 3 --picture "$tmp/flow.png" >"$tmp/out"; then
  [ "$(head -c 8 "$tmp/flow.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]
  result $? "the picture is a PNG"
elif grep -q 'built without libpng' "$tmp/out"; then
  skip "built without libpng"
else
  result 1 "the picture is drawn"
  said "$tmp/out"
fi

# These options are refused.
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
"$app" --help | grep -q -e '--write-mesh'
result $? "--help lists the options"

done_testing
