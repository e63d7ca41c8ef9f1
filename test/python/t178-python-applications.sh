#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Heat, airfoil, cg and aero in Python, with kernels in Python, compute the bits of the programs in C,
# on each backend.
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

in_c() { # APPLICATION STEPS
  case $1 in
    heat) "$bench/heat/heat" --mesh mesh.dat --iterations "$2" --dump-x c.bin ;;
    airfoil) "$bench/airfoil/airfoil" --mesh mesh.dat --iterations "$2" --dump-q c.bin ;;
    cg) "$bench/cg/cg" --mesh mesh.dat --iterations "$2" --check 0 --tolerance 0 --dump-x c.bin ;;
    aero) "$bench/aero/aero" --mesh elements.dat --newton "$2" --dump-phi c.bin ;;
  esac >c.out 2>&1
}
in_python() { # APPLICATION STEPS
  mesh=mesh.dat
  [ "$1" != aero ] || mesh=elements.dat
  "$python" "$tmp/package/examples/$1.py" $mesh "$2" p.bin >p.out 2>&1 || { cat p.out; false; }
}
# alike APPLICATION STEPS: succeeds if both programs write the same bytes
alike() { in_c "$1" "$2" && in_python "$1" "$2" && [ "$(wc -c <p.bin)" -gt 1000 ] && cmp c.bin p.bin >&2; }
for backend in sequential openmp starpu check opencl; do
  OP2_BACKEND=$backend
  export OP2_BACKEND
  if in_c heat 1; then
    runs "$backend: heat, 30 steps" alike heat 30
    [ $backend != opencl ] || continue # most of the time there is spent in compilers
    runs "$backend: airfoil, 20 steps" alike airfoil 20
    runs "$backend: cg, 20 iterations" alike cg 20
    runs "$backend: aero, 2 steps" alike aero 2
  else
    skip "$backend: $(tail -n 1 c.out)"
  fi
done
OP2_BACKEND=sequential
runs "heat needs two arguments" eval '! "$python" "$tmp/package/examples/heat.py" mesh.dat 2>/dev/null'
in_c heat 30
in_python heat 31
catches "another number of steps" 'differ' cmp c.bin p.bin
done_testing
