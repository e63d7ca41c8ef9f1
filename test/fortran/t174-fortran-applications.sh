#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Heat and airfoil in Fortran compute the bits of the programs in C, on each backend, and with kernels
# by address the same to 1e-12 of the largest value.
set -u
. "$(dirname "$0")/../support/tap.sh"
airfoil=$build/bench/airfoil/airfoil heat=$build/bench/heat/heat
if [ -z "$build" ] || [ ! -x "$build/fortran/examples/heat_fortran" ] || [ ! -x "$airfoil" ]; then
  skip "no build with benchmarks and Fortran"
  done_testing
fi
cd "$tmp" || exit 1
runs "a mesh for both" "$airfoil" --mesh 24x18 --iterations 0 --write-mesh mesh.dat

# alike APPLICATION STEPS: succeeds if both programs write the same bytes, to c.bin and f.bin
alike() {
  case $1 in
    heat) "$heat" --mesh mesh.dat --iterations "$2" --dump-x c.bin ;;
    airfoil) "$airfoil" --mesh mesh.dat --iterations "$2" --dump-q c.bin ;;
  esac >c.out 2>&1 || return 1
  "$build/fortran/examples/${1}_fortran" mesh.dat "$2" f.bin >f.out 2>&1 || return 1
  [ "$(wc -c <f.bin)" -gt 1000 ] && cmp c.bin f.bin >&2
}
# near APPLICATION STEPS: succeeds if the program with kernels by address writes the values of f.bin
near() {
  "$build/fortran/examples/${1}_fortran" mesh.dat "$2" a.bin address >a.out 2>&1 && agree f.bin a.bin
}
for backend in sequential openmp starpu check opencl; do
  OP2_BACKEND=$backend
  export OP2_BACKEND
  if "$heat" --mesh mesh.dat --iterations 1 >c.out 2>&1; then
    for steps in 1 60; do
      for application in heat airfoil; do
        runs "$backend: $application, $steps steps" alike $application $steps
        [ $steps = 1 ] || runs "$backend: $application by address" near $application $steps
      done
    done
  else
    skip "$backend: $(tail -n 1 c.out)"
  fi
done
OP2_BACKEND=sequential
runs "heat needs two arguments" eval '! "$build/fortran/examples/heat_fortran" mesh.dat 2>/dev/null'
"$heat" --mesh mesh.dat --iterations 60 --dump-x c.bin >c.out
"$build/fortran/examples/heat_fortran" mesh.dat 61 f.bin >f.out
catches "another number of steps" 'differ' cmp c.bin f.bin
catches "another number of steps, by address" ' of ' near heat 60
done_testing
