#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The benchmark of assembly: PETSc's matrix, the library's and the one by hand are equal, also if
# blocks of cells end within a vector; the script prints a line for each ratio, which is that of the
# times beside it.
set -u
. "$(dirname "$0")/../support/tap.sh"

program=${build:-.}/bench/fem/assembly
if [ -z "$build" ] || [ ! -x "$program" ]; then
  skip "no build with benchmarks and PETSc"
  done_testing
fi

# The numbers of cells, 37 * 37 and 101 * 101, are not multiples of eight; the hand-written assembly
# cuts the latter into three blocks.
for problem in poisson elasticity; do
  for cells in 37 101; do
    for backend in sequential openmp; do
      "$program" --problem $problem --cells $cells --rounds 1 --backend $backend --threads 2 >"$tmp/out" 2>"$tmp/why"
      result $? "$problem on $cells * $cells cells, $backend: all matrices are the same"
      [ ! -s "$tmp/why" ] || diag "$(cat "$tmp/why")"
    done
  done
done

# Both runs of GMRES must have the same residuals, or the program fails.
sh "$src/bench/solve.sh" --build "$build" --rounds 3 --cells "20 31" >"$tmp/out" 2>"$tmp/why"
result $? "the script for solves runs"
[ ! -s "$tmp/why" ] || diag "$(cat "$tmp/why")"
sed 's/^/# /' "$tmp/out"
[ "$(grep -c -E ' rows, in (slices|rows) .*ratio +[0-9.]+ .*at most 1.3' "$tmp/out")" -eq 4 ]
result $? "a line for each size and form of the matrix"

sh "$src/test/mpirun.sh" "${OP2_TEST_MPI:-none}" 60 1 true >"$tmp/out" 2>"$tmp/why"
[ $? -ne 77 ] || { skip "$(cat "$tmp/why")"; done_testing; }
sh "$src/bench/assembly.sh" --build "$build" --rounds 1 --cells 40 >"$tmp/out" 2>"$tmp/why"
result $? "the script runs"
[ ! -s "$tmp/why" ] || diag "$(cat "$tmp/why")"
sed 's/^/# /' "$tmp/out"
[ "$(grep -c -E '(at least|at most) [0-9]' "$tmp/out")" -eq 14 ]
result $? "a line for each ratio"
# Ratios are printed before the times of their run.
awk '
  function near(a, b) { return a > 0.97 * b && a < 1.03 * b }
  /as fast as/ { petsc = $NF == "MISSED" ? $(NF - 4) : $(NF - 3) }
  $1 == "assembly_ms" { ours = $2 }
  $1 == "assembly_petsc_ms" && petsc { n++; bad = bad || !near(petsc, $4); petsc = 0 }
  END { exit n != 4 || bad || !(ours > 0) }' "$tmp/out"
result $? "which is that of its run"

script=assembly
refuses() { # OPTION...
  sh "$src/bench/$script.sh" "$@" >"$tmp/out" 2>&1
  [ $? -eq 1 ]
  result $? "$script.sh $*: refused"
}
refuses --rounds 0
refuses --cells
refuses --nonsense 3
refuses --build "$tmp"
script=solve
refuses --restart 0
refuses --cells
refuses --nonsense 3
refuses --build "$tmp"

done_testing
