#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Heat, airfoil, cg, aero, tsunami and Poisson's equation in Python, with kernels in Python, compute the
# bits of the programs in C, on each backend; the last one also by PETSc's solvers. With
# OP2_TEST_QUICK=1 each runs on every second backend, and each backend has every second application.
# bench/python.sh counts their loops and compares their times.
set -u
. "$(dirname "$0")/../support/tap.sh"
bench=$build/bench
if [ -z "$build" ] || [ ! -x "$bench/airfoil/airfoil" ]; then
  skip "no build with benchmarks"
  done_testing
fi
. "$src/test/python/package.sh"
runs "a mesh" "$bench/airfoil/airfoil" --mesh 24x18 --iterations 0 --write-mesh mesh.dat
runs "a mesh of elements" "$bench/aero/aero" --mesh 24x18 --newton 1 --write-mesh elements.dat

in_c() { # APPLICATION STEPS, or LEVELS
  case $1 in
    heat) "$bench/heat/heat" --mesh mesh.dat --iterations "$2" --dump-x c.bin ;;
    airfoil) "$bench/airfoil/airfoil" --mesh mesh.dat --iterations "$2" --dump-q c.bin ;;
    cg) "$bench/cg/cg" --mesh mesh.dat --iterations "$2" --check 0 --tolerance 0 --dump-x c.bin ;;
    aero) "$bench/aero/aero" --mesh elements.dat --newton "$2" --dump-phi c.bin ;;
    tsunami) "$bench/tsunami/tsunami" --mesh 24x18 --iterations "$2" --dump-q c.bin ;;
    poisson*) "$bench/fem/fem" --element p2 --cells 6 --levels "$2" --dump-x c.bin ${1#poisson} ;;
  esac >c.out 2>&1
}
in_python() { # APPLICATION STEPS, or LEVELS
  case $1 in
    aero) mesh=elements.dat ;;
    tsunami) mesh=24x18 ;;
    poisson*) mesh="${1#poisson} 6" ;;
    *) mesh=mesh.dat ;;
  esac
  # shellcheck disable=SC2086 # there can be an option before the size
  "$python" "$tmp/package/examples/${1%% *}.py" $mesh "$2" p.bin >p.out 2>&1 || { cat p.out; false; }
}
# alike APPLICATION STEPS: succeeds if both programs write the same bytes
alike() {
  rm -f c.bin p.bin
  in_c "$1" "$2" && in_python "$1" "$2" && [ "$(wc -c <p.bin)" -gt 1000 ] && cmp c.bin p.bin >&2
}
# tried APPLICATION STEPS NAME: checks it on this backend, if it is the pair's turn
tried() {
  pair=$((pair + 1))
  [ $((pair % 2)) -eq 0 ] && [ "${OP2_TEST_QUICK:-0}" != 0 ] || runs "$backend: $3" alike "$1" "$2"
}
pair=0 # there are 7 for each backend, an odd number
petsc=no
! "$python" -c 'import op2.petsc' 2>/dev/null || ! "$bench/fem/fem" --petsc --levels 1 >/dev/null 2>&1 ||
  petsc=yes
for backend in sequential openmp starpu check opencl; do
  OP2_BACKEND=$backend
  export OP2_BACKEND
  if in_c heat 1; then
    tried heat 30 "heat, 30 steps"
    [ $backend != opencl ] || continue # most of the time there is spent in compilers
    tried airfoil 20 "airfoil, 20 steps"
    tried cg 20 "cg, 20 iterations"
    tried aero 2 "aero, 2 steps"
    tried tsunami 20 "tsunami, 20 steps"
    tried poisson 2 "Poisson's equation, 2 levels"
    if [ $petsc = yes ]; then
      tried "poisson --petsc" 2 "Poisson's equation by PETSc"
    else
      skip "$backend: there is no PETSc"
      pair=$((pair + 1))
    fi
  else
    skip "$backend: $(tail -n 1 c.out)"
  fi
done
OP2_BACKEND=sequential
runs "heat needs two arguments" eval '! "$python" "$tmp/package/examples/heat.py" mesh.dat 2>/dev/null'
in_c heat 30
in_python heat 31
catches "another number of steps" 'differ' cmp c.bin p.bin

# loops NUMBER PROGRAM ARGUMENT...: succeeds if the program queues so many loops in a step
loops() {
  number=$1 program=$2
  shift 2
  "$python" "$src/bench/python/loops.py" "$tmp/package/examples/$program.py" "$@" >p.out 2>&1 || cat p.out
  grep -q "^time_per_iteration_ms $number\$" p.out
}
runs "heat queues 3 loops in a step" loops 3.000000 heat mesh.dat 5
runs "airfoil queues 9" loops 9.000000 airfoil mesh.dat 5
runs "tsunami queues 7" loops 7.000000 tsunami 24x18 5
runs "cg queues 8 operations" loops 8.000000 cg mesh.dat 5
runs "Poisson's equation is 6 operations" loops 6.000000 poisson 6 2
compared() {
  sh "$src/bench/python.sh" --build "$build" --python "$python" --site "$site" --pairs 2 --small yes \
    --backend sequential heat >table && cat table >&2
}
runs "bench/python.sh compares the programs" compared
runs "it prints the loops and what is allowed" \
  grep -q '^heat *24x18 .* 3\.0  .* at most 1\.05: [a-zA-Z]*$' table
runs "it prints the time of a loop that is queued" grep -q '^a loop of four arguments: .* at most 20 us' table
done_testing
