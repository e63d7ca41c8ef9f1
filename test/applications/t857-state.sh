#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The state of every application at the end of a small run, in a file (--dump-state): written on 1 to
# 3 ranks, read and written again by another number of ranks, the file is the same byte for byte.
# OP2_TEST_FULL=1 has all pairs of these numbers.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/app.sh"

mpi=${OP2_TEST_MPI:-none}
bench=$build/bench
copy=$build/test/state_copy
OP2_CACHE_DIR=${OP2_TEST_CACHE:-$tmp/cache}
OMP_WAIT_POLICY=passive
export OP2_CACHE_DIR OMP_WAIT_POLICY
if [ -z "$build" ] || [ ! -x "$copy" ] || [ ! -x "$bench/heat/heat" ]; then
  skip "this build has no applications, or no HDF5 with its MPI"
  done_testing
fi

# ranks N PROGRAM ARGUMENT...
ranks() {
  n=$1
  shift
  sh "$src/test/mpirun.sh" "$mpi" 300 "$n" "$@" >"$tmp/out" 2>"$tmp/why"
}
ranks 1 "$copy"
if [ $? -eq 77 ]; then
  skip "$(cat "$tmp/why")"
  done_testing
fi

# back WHAT RANKS: the state in $tmp/state.h5 is read and written again
back() {
  rm -f "$tmp/again.h5"
  ranks "$2" "$copy" "$tmp/state.h5" "$tmp/again.h5"
  result $? "$1: read on $2 ranks and written again"
  said "$tmp/why"
  runs "$1: the file from $2 ranks is the same" cmp "$tmp/state.h5" "$tmp/again.h5"
}

# objects WORD...: $tmp/state.h5 lists an object of each of these kinds
objects() {
  for word; do
    runs "$what: it has a $word" grep -q -a "^$word$tab" "$tmp/state.h5"
  done
}
tab=$(printf '\t')

# state "KIND..." NAME OPTION...: the state of an application has these kinds of objects besides
# sets, maps and dats
round=0
state() {
  kinds=$1 application=$2
  shift 2
  round=$((round + 1))
  if [ "${OP2_TEST_FULL:-0}" = 0 ]; then numbers=$((round % 3 + 1)); else numbers="1 2 3"; fi
  for number in $numbers; do
    what="$application${problem:+ $problem} on $number ranks"
    rm -f "$tmp/state.h5"
    ranks "$number" "$bench/$application/$application" "$@" --backend sequential --partition random \
      --dump-state "$tmp/state.h5"
    result $? "$what: the state is written"
    said "$tmp/why"
    objects set map dat $kinds
    if [ "${OP2_TEST_FULL:-0}" = 0 ]; then
      back "$what" $(((number + round / 3 % 2) % 3 + 1)) # never the same number
    else
      for other in 1 2 3; do
        [ $other -eq $number ] || back "$what" $other
      done
    fi
  done
}

problem=
state "global constant" airfoil --mesh 12x18 --iterations 10
state "global constant" tsunami --mesh 12x14 --iterations 10
state global cg --mesh 12x18 --iterations 10
state "global sparsity matrix" aero --mesh 12x18 --newton 1
state global aero --mesh 12x18 --newton 1 --matrix-free
state "global constant" euler --size 16x8 --iterations 10
state global heat --mesh 12x18 --iterations 20
for problem in poisson elasticity advection; do
  state "subset sparsity matrix" fem --problem $problem --cells 6 --levels 1
done
problem=stokes
"$bench/fem/fem" --problem stokes --petsc --cells 1 --levels 1 >"$tmp/out" 2>"$tmp/why"
if grep -q 'without PETSc' "$tmp/why"; then
  skip "Stokes' equations: op2 was built without PETSc"
else
  # Any solver will do, even one that takes few steps.
  PETSC_OPTIONS='-pc_type none -ksp_max_it 30 -ksp_convergence_test skip'
  export PETSC_OPTIONS
  state "subset sparsity matrix" fem --problem stokes --petsc --cells 6 --levels 1
  unset PETSC_OPTIONS
fi
problem=

# ---- checkpoints ----

# interrupted RANKS NAME DUMP OPTION...: a run that ends early goes on with the same bits
interrupted() {
  number=$1 application=$2 dump=$3
  what="$2 on $1 ranks"
  shift 3
  rm -f "$tmp"/kept.*
  for part in whole:30 first:17 second:30; do
    set -- "$@" "--$dump" "$tmp/${part%:*}" --iterations "${part#*:}"
    [ "$part" = whole:30 ] || set -- "$@" --checkpoint "$tmp/kept" --checkpoint-seconds 0.000001
    ranks "$number" "$bench/$application/$application" "$@"
    result $? "$what: the $(echo "${part%:*}" | sed 's/whole/only/') part"
    said "$tmp/why"
  done
  runs "$what: the last part goes on where the first one was kept" grep -q "goes on after" "$tmp/out"
  runs "$what: the results are the same" cmp "$tmp/whole" "$tmp/second"
}
interrupted 1 airfoil dump-q --mesh 12x18 --every 0
interrupted 2 airfoil dump-q --mesh 12x18 --every 0 --partition blocks
interrupted 2 cg dump-x --mesh 12x18 --tolerance 0 --check 0 --partition blocks

# ---- without ranks, and what is refused ----

"$bench/heat/heat" --mesh 12x18 --iterations 20 --backend sequential \
  --dump-state "$tmp/state.h5" >"$tmp/out" 2>"$tmp/why"
result $? "heat without a launcher: the state is written"
said "$tmp/why"
back "heat without a launcher" 2
"$bench/heat/heat" --mesh 12x18 --iterations 2 --backend sequential \
  --dump-state "$tmp/none/state.h5" >"$tmp/out" 2>"$tmp/why"
[ $? -ne 0 ] && grep -q "none/state.h5" "$tmp/why"
result $? "a folder that is not there: the message has the file's name"
done_testing
