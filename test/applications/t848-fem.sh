#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Finite elements, whose errors decrease at the expected order: Poisson's problem on every backend
# of the CPU and on 1 to 4 ranks; elasticity, advection and Stokes' equations, by the library's own
# methods and by PETSc's, including multigrid with a near null space and split fields.
# OP2_TEST_FULL=1 has every backend and problem on every number of ranks; OP2_TEST_QUICK=1 has the
# finest mesh on one backend only.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/app.sh"
application fem "--levels 1" 3
mpi=${OP2_TEST_MPI:-none}
OP2_CACHE_DIR=${OP2_TEST_CACHE:-$tmp/cache}
OMP_WAIT_POLICY=passive
export OP2_CACHE_DIR OMP_WAIT_POLICY

# orders COLUMN FROM TO: succeeds if there are $levels lines, and all but the first have an order in
# this interval
orders() {
  grep -E '^[0-9]+ [0-9]' "$tmp/out" | awk -v at="$1" -v from="$2" -v to="$3" -v lines="$levels" '
    NR > 1 && !($at >= from && $at <= to) { print "# " $0; bad = 1 }
    END { exit bad || NR != lines }'
}
fine=4
[ "${OP2_TEST_QUICK:-0}" = 0 ] || fine=3
levels=$fine
starts() { # WHAT STATUS
  if grep -q -e OP2_ERR_UNAVAILABLE "$tmp/why"; then
    skip "$1: $(grep -m 1 OP2_ERR_UNAVAILABLE "$tmp/why")"
    return 1
  fi
  result "$2" "$1"
  [ "$2" -eq 0 ] || said "$tmp/why"
  [ "$2" -eq 0 ]
}
# on RANKS OPTION...: runs with output in $tmp/out; 0 ranks are a run without a launcher
on() {
  n=$1
  shift
  if [ "$n" -eq 0 ]; then
    "$app" "$@" >"$tmp/out" 2>"$tmp/why"
  else
    sh "$src/test/mpirun.sh" "$mpi" 300 "$n" "$app" "$@" >"$tmp/out" 2>"$tmp/why"
  fi
}

# ---- Poisson ----

poisson() { # RANKS BACKEND THREADS
  for element in p1 q1 p2; do
    what="$element, $1 ranks, $2"
    on "$1" --element $element --backend "$2" --threads "$3" --levels $levels
    starts "$what" $? || return
    case $element in
      p2) runs "$what: the order is 3" orders 3 2.9 3.1 ;;
      *) runs "$what: the order is 2" orders 3 1.95 2.05 ;;
    esac
  done
}
levels=4
poisson 0 sequential 2
levels=$fine
for backend in openmp starpu; do
  poisson 0 $backend 2
done
levels=3 # the checked mode runs each element many times
poisson 0 check 2
levels=$fine
on 1 --levels 1
ranks='1 2 3 4'
[ $? -ne 77 ] || { skip "$(cat "$tmp/why")"; ranks=; }
for n in $ranks; do
  case ${OP2_TEST_FULL:-0}$n in
    1?) backends='sequential openmp starpu' ;;
    ?1 | ?4) backends=starpu ;;
    ?2) backends=openmp ;;
    *) backends=sequential ;;
  esac
  for backend in $backends; do
    poisson "$n" $backend 1
  done
done

# ---- the other problems ----

others() { # WHAT RANKS COLUMN FROM TO OPTION...
  what="$1, $2 ranks" n=$2 at=$3 from=$4 to=$5
  shift 5
  on "$n" --levels $levels --threads 1 "$@"
  starts "$what" $? || return
  runs "$what: the order" orders "$at" "$from" "$to"
}
fewer() { # succeeds if the iterations hardly increase with the mesh
  grep -E '^[0-9]+ [0-9]' "$tmp/out" | awk '{ n = $NF } END { exit !(n > 0 && n < 40) }'
}
[ "${OP2_TEST_FULL:-0}" = 0 ] && [ -n "$ranks" ] && some='0 3' || some="0 $ranks"
for n in $some; do
  others elasticity "$n" 3 1.9 2.1 --problem elasticity
  others advection "$n" 3 1.95 2.05 --problem advection
done
"$app" --petsc --levels 1 >"$tmp/out" 2>"$tmp/why"
if grep -q 'built without PETSc' "$tmp/why"; then
  skip "no PETSc in this build"
  done_testing
fi
[ -n "$ranks" ] || { skip "PETSc without a launcher of ranks"; done_testing; }
[ "${OP2_TEST_FULL:-0}" = 0 ] && some=4 || some='1 4'
for n in $some; do
  PETSC_OPTIONS='-ksp_type cg -pc_type gamg -mat_type aij'
  export PETSC_OPTIONS
  others 'elasticity, multigrid' $n 3 1.9 2.1 --problem elasticity --petsc
  runs "elasticity, $n ranks: it knows the body's motions" fewer
  PETSC_OPTIONS='-ksp_type cg -pc_type pbjacobi'
  others 'elasticity, BAIJ' $n 3 1.9 2.1 --problem elasticity --petsc
  PETSC_OPTIONS=
  others 'advection, PETSc' $n 3 1.95 2.05 --problem advection --petsc
  others 'Poisson, PETSc' $n 3 1.95 2.05 --petsc
  levels=3
  split='-pc_type fieldsplit -pc_fieldsplit_type schur -pc_fieldsplit_schur_fact_type full'
  split="$split -pc_fieldsplit_schur_precondition self -fieldsplit_1_pc_type none"
  PETSC_OPTIONS="$split -fieldsplit_0_ksp_type preonly -fieldsplit_0_pc_type redundant"
  others 'Stokes, split into fields' $n 3 2.9 3.1 --problem stokes --petsc
  runs "Stokes, $n ranks: the pressures" orders 5 1.9 4
  runs "Stokes, $n ranks: few iterations" fewer
  levels=$fine
done
unset PETSC_OPTIONS

# ---- refusals ----

refuses 1 'no such problem: heat' --problem heat
refuses 1 'no such element: q2' --element q2
refuses 1 'is for PETSc to solve' --problem stokes
refuses 2 'not a value for --cells' --cells 0
refuses 1 'at most 8000' --cells 9000
done_testing
