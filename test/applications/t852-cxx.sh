#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Airfoil and heat in C++ compute the bits of the programs in C, on each backend, lazily and eagerly, and
# with kernels by address the same to 1e-12 of the largest value. bench/languages.sh compares them.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/app.sh"

application airfoil "--mesh 20x30" 1
if [ ! -x "${app}_cxx" ]; then
  skip "no compiler for C++"
  done_testing
fi

# same NAME OPTION...: both programs print the same figures and write the same values
same() {
  one=$1
  shift
  for program in "$one" "${one}_cxx"; do
    "$build/bench/$one/$program" --backend "$backend" --mesh 20x30 "$@" "$tmp/$program" \
      >"$tmp/out" || return 1
    grep '^[0-9][0-9]* ' "$tmp/out" >"$tmp/$program.figures"
  done
  [ -s "$tmp/$one.figures" ] && cmp "$tmp/$one.figures" "$tmp/${one}_cxx.figures" &&
    cmp "$tmp/$one" "$tmp/${one}_cxx"
}

# near NAME OPTION...: the program with kernels by address writes the values that the last one wrote
near() {
  one=$1
  shift
  "$build/bench/$one/${one}_cxx_address" --backend "$backend" --mesh 20x30 "$@" "$tmp/address" \
    >"$tmp/out" && agree "$tmp/$one" "$tmp/address"
}

for backend in sequential openmp starpu check opencl; do
  usable $backend || continue
  for eager in 0 1; do
    export OP2_EAGER=$eager
    runs "airfoil, $backend, eager $eager" same airfoil --iterations 50 --every 10 --dump-q
    runs "heat, $backend, eager $eager" same heat --iterations 200 --every 20 --dump-x
  done
  OP2_EAGER=0
  runs "airfoil by address, $backend" near airfoil --iterations 50 --dump-q
  runs "heat by address, $backend" near heat --iterations 200 --dump-x
done

compared() {
  sh "$src/bench/languages.sh" --build "$build" --pairs 2 --mesh 8x12 --iterations 4 --backend sequential \
    c++-text c++-address >"$tmp/table"
}
runs "bench/languages.sh compares the programs" compared
for one in airfoil heat; do
  runs "$one, as text: the same bits" grep -q "^ *[0-9.]* .* 2   same  $one, c++-text\$" "$tmp/table"
  runs "$one, by address" grep -q "^ *[0-9.]* .* 2 .*  $one, c++-address\$" "$tmp/table"
done
catches "a form that there is not" 'there is no form c++' sh "$src/bench/languages.sh" --build "$build" c++
done_testing
