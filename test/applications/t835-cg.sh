#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Conjugate gradients on small meshes: known solutions are found, at second order or exactly; the
# residuals are those of the hand-written programs, on every backend; the options have the
# documented effect.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/app.sh"
application cg "--mesh 2x2" 1

# between VALUE LOW HIGH: succeeds if the value is a number in this interval
between() {
  echo "$1" | awk -v low="$2" -v high="$3" '
    { good = $1 ~ /^[0-9]/ && $1 >= low && $1 <= high } END { exit !good }'
}

usable_backends

# The residuals of the first iterations and the solution are compared with those of the sequential
# program.
sequential=cg_seq parallel="cg_omp cg_simd"
alike() { # NAME COUNT
  near_lines "$tmp/out" "$tmp/reference" 1e-10 "$2"
  result $? "$1: the residuals of $2 iterations"
  echo "$(value solution_rms "$tmp/out") $(value solution_rms "$tmp/reference")" | awk '
    { off = $1 / $2 - 1 }
    END { exit !(NF == 2 && $2 > 0 && off <= 1e-10 && off >= -1e-10) }'
  result $? "$1: the same solution"
}

all_against 51 --mesh 20x15 --tolerance 0 --check 1 --iterations 50
all_against 51 --mesh 20x15 --shuffle 3 --tolerance 0 --check 1 --iterations 50
all_against 31 --mesh 8x12 --problem wave --tolerance 0 --check 1 --iterations 30
all_against 11 --mesh 5x4 --problem linear --tolerance 0 --check 1 --iterations 10

# These solutions are known. A linear one is exact on any mesh, even across its cut; this mesh has a
# single free node, and one of its cells has the opposite orientation.
cat >"$tmp/square" <<END
9 4 4 8
0 0  1 0  2 0
0 1  0.7 1.2  2 1
0 2  1 2  2 2
0 3 4 1  1 4 5 2  3 6 7 4  4 5 8 7
1 4 0 1  3 4 0 2  4 5 1 3  4 7 2 3
0 1 0 2  1 2 1 2  2 5 1 2  5 8 3 2  8 7 3 1  7 6 2 1  6 3 2 1  3 0 0 1
END
linear() { # NAME PROGRAM OPTION...
  name=$1
  shift
  try "$@" --problem linear --tolerance 1e-13 --iterations 2000 || return
  largest=$(value largest_error "$tmp/out")
  grep -q '^iterations [0-9]*, converged' "$tmp/out" && between "$largest" 0 1e-10
  result $? "$name: 1 + 2 x - 3 y is found ($largest)"
}
for program in "$app --backend sequential" "$programs/cg_seq"; do
  for mesh in 2x2 8x12 16x24 "$tmp/square"; do
    linear "${program##*/} ${mesh##*/}" $program --mesh "$mesh"
  done
  linear "${program##*/} 16x24 shuffled" $program --mesh 16x24 --shuffle 5
done

error() { # PROGRAM MESH: prints the largest error
  $1 --problem wave --mesh "$2" --tolerance 1e-11 --iterations 2000 >"$tmp/out" 2>&1
  value largest_error "$tmp/out"
}
for program in "$app --backend sequential" "$programs/cg_seq"; do
  coarse=$(error "$program" 16x24)
  fine=$(error "$program" 32x48)
  ratio=$(echo "$coarse $fine" | awk '{ if (NF == 2 && $2 > 0) print $1 / $2 }')
  between "$ratio" 3.8 4.2
  result $? "${program##*/}: half the width, a quarter of the error ($coarse, $fine)"
done

# The flow round a symmetric section is symmetric; node (i, j) has number i + j (3 I + 1).
try "$app" --mesh 16x24 --backend sequential --tolerance 1e-13 --iterations 2000 --dump-x "$tmp/x"
[ "$(wc -c <"$tmp/x")" -eq $((8 * (49 * 25 + 1))) ]
result $? "the dump holds the solution and one residual"
od -An -v -t f8 -w8 "$tmp/x" | awk '
  { u[NR - 1] = $1 }
  END {
    for (j = 0; j < 25; j++)
      for (i = 0; i < 49; i++) {
        off = u[i + 49 * j] - u[48 - i + 49 * j]
        if (off > 1e-9 || off < -1e-9) bad++
      }
    if (NR != 49 * 25 + 1 || bad) { print "# " NR " values, " bad + 0 " not symmetric"; exit 1 }
  }'
result $? "and the solution is symmetric"

same_bits 1 4 --mesh 20x15 --iterations 40 --dump-x

# These are the conditions for stopping.
run() { "$app" --backend sequential "$@" 2>&1; }
run --mesh 8x12 --tolerance 1e-3 --check 7 >"$tmp/out"
[ "$(lines "$tmp/out" | cut -d' ' -f1 | tr '\n' ' ')" = "0 7 14 21 28 " ]
result $? "--check 7 looks at every seventh residual, until --tolerance 1e-3 is met"
grep -q '^iterations 28, converged$' "$tmp/out"
result $? "and says so"
run --mesh 8x12 --tolerance 0 --iterations 45 >"$tmp/out"
grep -q '^iterations 45, not converged$' "$tmp/out"
result $? "--tolerance 0 makes all iterations"
run --mesh 8x12 --tolerance 1e-3 --check 0 --iterations 45 >"$tmp/out"
[ -z "$(lines "$tmp/out")" ] && grep -q '^iterations 45, not converged$' "$tmp/out"
result $? "--check 0 looks at none"
grep -Eq '^time_per_iteration_ms [0-9.]+$' "$tmp/out"
result $? "the time per iteration is printed"
table_has stiffness load spmv fix fill copy dot axpy aypx
for program in "$app --backend sequential" "$programs/cg_seq"; do
  $program --mesh 2x2 --tolerance 0 --iterations 300 --problem linear >"$tmp/out" 2>&1
  between "$(value largest_error "$tmp/out")" 0 1e-12
  result $? "${program##*/}: iterations past an exact solution leave it alone"
done

# The graph is that of one iteration, which is eight loops; none of them has run.
run --mesh 8x12 --iterations 3 --graph "$tmp/step.dot" >/dev/null
nodes=$(grep -cE 'label="[0-9]+: (fill|spmv|fix|dot|axpy|aypx)\\nover .*queued' "$tmp/step.dot")
all=$(grep -c 'over .*queued' "$tmp/step.dot")
[ "$nodes" -eq 8 ] && [ "$all" -eq 8 ]
result $? "the graph has eight loops ($nodes of $all)"

# These options are refused.
refuses 2 'unknown option --every' --every 8
refuses 2 'unknown option --block-size' --block-size 7
refuses 2 'a value is missing after --mesh' --mesh
refuses 2 'not a value for --tolerance' --tolerance -1
refuses 2 'not a value for --tolerance' --tolerance nan
refuses 2 'not a value for --tolerance' --tolerance 1e-8x
refuses 2 'not a value for --check' --check -1
refuses 2 'not a value for --shuffle' --shuffle -1
refuses 2 'not a value for --threads' --threads=
refuses 1 'no problem is named heat' --mesh 2x2 --problem heat
refuses 1 'absent: No such file' --mesh "$tmp/absent"
refuses 1 'No such file or directory' --mesh 2x2 --iterations 1 --dump-x "$tmp/absent/x"
refuses 1 'No such file or directory' --mesh 2x2 --iterations 1 --graph "$tmp/absent/graph"
sed 's/^0 1  0.7 1.2/0 0  1 0/' "$tmp/square" >"$tmp/flat"
refuses 1 'the residual is no number after iteration 0' --mesh "$tmp/flat" --iterations 1
"$app" --help | grep -q -e '--tolerance'
result $? "--help lists the options"
app=$programs/cg_seq
refuses 2 'unknown option --backend' --backend openmp
refuses 1 'no problem is named heat' --mesh 2x2 --problem heat

done_testing
