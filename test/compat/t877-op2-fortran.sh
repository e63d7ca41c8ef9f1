#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs in OP2's Fortran interface compute what plain loops over the same kernels compute, on every
# backend and over ranks of MPI; kernels are any subroutines, and what is wrong is told.
set -u
. "$(dirname "$0")/../support/tap.sh"

if [ -z "$build" ] || [ ! -e "$build/fortran/compat/libop2-compat-fortran.so" ]; then
  skip "this build has no shared library with OP2's Fortran interface"
  done_testing
  exit
fi
if ! command -v gfortran >/dev/null 2>&1; then
  skip "gfortran is not installed"
  done_testing
  exit
fi
PKG_CONFIG_PATH=$build/meson-uninstalled
OP2_CACHE_DIR=$tmp/cache
export PKG_CONFIG_PATH OP2_CACHE_DIR
mkdir -m 700 "$OP2_CACHE_DIR"
here=$src/test/fortran
examples=$src/fortran/examples
strict="-O2 -std=f2018 -Wall -Wextra -Wno-compare-reals -Wno-missing-include-dirs -Werror"
cd "$tmp" || exit 1

# compiled MODULE PROGRAM FILE...: a program with the flags of a module of pkg-config
compiled() {
  module=$1
  program=$2
  shift 2
  # shellcheck disable=SC2046,SC2086 # several flags
  gfortran $strict $(pkg-config --cflags $module) -o "$program" "$@" $(pkg-config --libs $module) \
    "-Wl,-rpath,$build:$build/compat:$build/fortran/compat"
}
# all_of MODULE SUFFIX: the programs with the flags of a module
all_of() {
  for program in jacobi features; do
    runs "$program is compiled: $1" compiled "$1" $program$2 "$here/op2_check.f90" "$here/op2_$program.f90"
  done
  runs "airfoil is compiled: $1" compiled "$1" airfoil$2 "$here/op2_check.f90" "$examples/mesh_file.f90" \
    "$examples/airfoil_kernels.f90" "$here/op2_airfoil.f90"
}
# tried NAME PROGRAM ARGUMENT...: repeats the checks of a program in the present environment
tried() {
  name=$1
  shift
  "$@" >"$tmp/out" 2>"$tmp/err"
  results "$name" $?
}

turned() { ! grep 'called by its address' "$tmp/err"; }

all_of op2-compat-fortran ''
"$build/bench/airfoil/airfoil" --mesh 8x12 --iterations 1 --write-mesh mesh.dat >/dev/null 2>&1 || :
runs "there is a mesh for airfoil" test -s mesh.dat

for backend in sequential openmp starpu check opencl; do
  OP2_BACKEND=$backend
  export OP2_BACKEND
  if ./features 1 2>&1 | grep -q OP2_ERR_UNAVAILABLE; then
    skip "$backend is not available"
    continue
  fi
  tried "$backend: jacobi" ./jacobi
  tried "$backend: jacobi with texts of its kernels" ./jacobi text
  clean "$backend: all of its kernels are text" turned
  tried "$backend: features, maps from 1" ./features 1
  tried "$backend: features, maps from 0" ./features 0 "$tmp/values"
  tried "$backend: airfoil" ./airfoil mesh.dat 5
done

OP2_BACKEND=openmp OP_PROFILE_LEVEL=1
export OP2_BACKEND OP_PROFILE_LEVEL
OP2_EAGER=1 tried "eager: features" ./features 1
tried "a text that computes something else" ./jacobi wrong
catches "that text" "kernel 'res' is called by its address.*differs" cat "$tmp/err"
runs "a dat as text" test "$(sed -n 1p values)" = "200 1"
# sections FILE: its JSON has these sections, the inner one in the outer one
sections() {
  printf '%s' '{"name": "features", "calls": 1, [{"name": "outer", "calls": 1, ' \
    '[{"name": "inner", "calls": 2, []}]}, {"name": "last", "calls": 1, []}]}' >wanted
  sed 's/"total": [^[]*//g' "$1" | tr -d '\n' | cmp - wanted
}
runs "sections in a file" sections values.json
./features 1 >out 2>&1
runs "sections in a table" test "$(awk '$1 == "outer" || $1 == "inner" { printf "%s ", $2 }' out)" = "1 2 "
tried "maps from 0 by an option behind many letters" ./features 0 '' "$(printf '%090d' 0)OP_MAPS_BASE_INDEX=0"
catches "an option without a number" "OP_MAPS_BASE_INDEX=zero: maps begin with 0 or 1" \
  ./features 1 '' OP_MAPS_BASE_INDEX=zero
runs "kernels have the names of their subroutines" test \
  "$(sed -n 's/^\(reduce\|find\|twenty\) .*/\1/p' out | tr '\n' ' ')" = "reduce find twenty "
runs "lines of C and of Fortran keep their order" test \
  "$(grep -n -m 1 '^ok' out | cut -d: -f1)" -lt "$(grep -n '^# the table' out | cut -d: -f1)"

# ---- files ----

if [ -e "$build/fortran/compat/libop2-compat-hdf5-fortran.so" ]; then
  runs "files is compiled" compiled op2-compat-hdf5-fortran files "$here/op2_check.f90" "$here/op2_files.f90"
  tried "files that are written" ./files "$tmp/mesh.h5" write
  tried "files that are read" ./files "$tmp/mesh.h5" read
else
  skip "this build has no HDF5: files of OP2 not tried"
fi

# ---- what is told ----

# wrong PATTERN LINE...: a program of these lines ends with the message
wrong() {
  pattern=$1
  shift
  {
    printf '%s\n' 'use op2_fortran_declarations' 'use op2_fortran_reference' 'implicit none' \
      'type(op_set) :: s' 'type(op_map) :: m' 'type(op_dat) :: d' 'type(op_arg) :: a' \
      'real(8) :: v(2) = [1, 2], w = 0' 'integer(4) :: e(2) = [1, 2], i = 0' \
      "call op_init($diags)" "call op_decl_set(2, s, 's')" "call op_decl_map(s, s, 1, e, m, 'm')" \
      "call op_decl_dat(s, 1, 'real(8)', v, d, 'd')" "$@" 'call op_exit()' 'contains' \
      'subroutine k(x, y)' 'real(8) :: x, y' 'y = y + x' 'end subroutine' \
      'subroutine l(x)' 'integer(4) :: x' 'x = x + 1' 'end subroutine' 'end program'
  } >wrong.f90
  # shellcheck disable=SC2046 # several flags
  gfortran -w $(pkg-config --cflags op2-compat-fortran) -o wrong wrong.f90 \
    $(pkg-config --libs op2-compat-fortran) "-Wl,-rpath,$build:$build/compat:$build/fortran/compat" \
    2>wrong.log || cat wrong.log
  catches "$pattern" "$pattern" ./wrong
}
diags=0
wrong "map 'm' has no slot 0" "a = op_arg_dat(d, 0, m, 1, 'real(8)', OP_READ)"
wrong "map 'm' has 1 slots, and slot 2 is asked for" "a = op_arg_idx(2, m)"
wrong "has dim 1, and the argument says 2" "a = op_arg_dat(d, -1, OP_ID, 2, 'real(8)', OP_READ)"
wrong "type \"integer(4)\"\\|says \"integer(4)\"" "a = op_arg_dat(d, -1, OP_ID, 1, 'integer(4)', OP_READ)"
wrong "has 4 bytes, but the pointer leads to values of 8" "a = op_arg_gbl(w, 1, 'real(4)', OP_INC)"
wrong 'type "complex(8)" has no counterpart' "a = op_arg_gbl(w, 1, 'complex(8)', OP_INC)"
wrong "a variable is read" "a = op_arg_gbl(w, 1, 'real(8)', OP_RW)"
wrong "argument 1 belongs to argument 3, which the loop lacks" \
  "call op_par_loop_1(l, s, op_arg_info(i, 1, 'integer(4)', 3))"
wrong "not linked to libop2-compat-mpi" "call op_exit()" "call op_mpi_init(0, 0, 0)"
wrong "kernel 'l' has run already" \
  "call op_par_loop_1(l, s, op_arg_gbl(i, 1, 'integer(4)', OP_INC))" \
  "call op2_kernel_text(l, 'l', 'void l(int *x) { *x += 1; }')"
diags=1
wrong "it gets numbers of elements from 1" "call op2_kernel_text(l, 'l', 'void l(const int *x) { }')" \
  "call op_par_loop_1(l, s, op_arg_idx(-1, OP_ID))"
wrong "is called by its address, as scalar code: it is written in Fortran" \
  "call op_par_loop_2(k, s, op_arg_dat(d, -1, OP_ID, 1, 'real(8)', OP_READ), &" \
  "  op_arg_gbl(w, 1, 'real(8)', OP_INC))"

# ---- ranks ----

mpi=${OP2_TEST_MPI:-none}
module=
for name in op2-compat-mpi-fortran op2-compat-openmpi-fortran op2-compat-mpich-fortran; do
  if pkg-config --exists $name 2>/dev/null; then module=$name; fi
done
sh "$src/test/mpirun.sh" "$mpi" 60 2 true >/dev/null 2>why
started=$?
if [ -z "$module" ] || [ $started -ne 0 ]; then
  skip "no ranks for programs of OP2 in Fortran ($(head -n 1 why))"
else
  all_of "$module" -ranks
  on() { # RANKS PROGRAM ARGUMENT...: the checks of the first rank
    ranks=$1
    shift
    tried "$(basename "$1"), $ranks ranks" sh "$src/test/mpirun.sh" "$mpi" 120 "$ranks" "$@"
  }
  on 2 "$tmp/jacobi-ranks"
  on 2 "$tmp/jacobi-ranks" text
  on 2 "$tmp/features-ranks" 0
  on 3 "$tmp/features-ranks" 1 "$tmp/values"
  on 3 "$tmp/airfoil-ranks" "$tmp/mesh.dat" 3
  runs "the first rank writes all values" test "$(wc -l <values | tr -d ' ')" = 201
fi
done_testing
