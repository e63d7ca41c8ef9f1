#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs in OP2's C++ interface are compiled as they are and compute what plain loops over the
# same kernels compute: on every host backend, with kernels as text and by their address, with text
# that was stored by op2-c++ and with text that is read at run time.
set -u
. "$(dirname "$0")/../support/tap.sh"

cxx=${CXX:-c++}
library=$build/compat/libop2-compat.so
if [ -z "$build" ] || [ ! -e "$library" ]; then
  skip "libop2-compat was not built as a shared library"
  done_testing
  exit
fi
if ! command -v "$cxx" >/dev/null 2>&1; then
  skip "there is no C++ compiler"
  done_testing
  exit
fi
flags="-std=c++17 -O2 -Wall -Wextra -Werror -I$src/include/op2-compat -I$src/include"
links="-L$build/compat -L$build -Wl,-rpath,$build/compat -Wl,-rpath,$build -lop2-compat -lop2"
here=$src/test/compat
OP2_CACHE_DIR=$tmp/cache
export OP2_CACHE_DIR
mkdir -m 700 "$OP2_CACHE_DIR"

plain() { $cxx $flags -o "$tmp/$1" "$here/$1.cpp" $links; }
stored() { sh "$src/compat/op2-c++" "$cxx" $flags -o "$tmp/$1-stored" "$here/$1.cpp" $links; }
# tried NAME PROGRAM ARGUMENT...: repeats the checks of a program in the present environment
tried() {
  name=$1
  shift
  "$@" >"$tmp/out" 2>"$tmp/err"
  results "$name" $?
}
turned() { ! grep 'called by its address' "$tmp/err"; }

for program in jacobi reductions features multigrid airfoil; do
  runs "$program is compiled" plain $program
  runs "$program is compiled with op2-c++" stored $program
done
"$build/bench/airfoil/airfoil" --mesh 8x12 --iterations 1 --write-mesh "$tmp/new_grid.dat" \
  >/dev/null 2>&1 || :
runs "there is a mesh for airfoil" test -s "$tmp/new_grid.dat"

for backend in sequential openmp starpu check; do
  OP2_BACKEND=$backend
  export OP2_BACKEND
  if OP2_LOG=1 "$tmp/features" 2>&1 | grep -q OP2_ERR_UNAVAILABLE; then
    skip "$backend is not available"
    continue
  fi
  steps=10
  [ $backend != check ] || steps=1
  tried "$backend: jacobi" "$tmp/jacobi"
  tried "$backend: reductions" "$tmp/reductions"
  tried "$backend: features" "$tmp/features" "$tmp/values"
  tried "$backend: multigrid" "$tmp/multigrid"
  clean "$backend: all kernels of multigrid are text" turned
  tried "$backend: airfoil" "$tmp/airfoil" "$tmp/new_grid.dat" $steps
  clean "$backend: all kernels of airfoil are text" turned
  for program in reductions multigrid; do
    OP_COMPAT_KERNELS=address
    export OP_COMPAT_KERNELS
    tried "$backend: $program by address" "$tmp/$program"
    unset OP_COMPAT_KERNELS
  done
done

OP2_BACKEND=openmp
export OP2_BACKEND
runs "a dat as text" test "$(head -n 2 "$tmp/values" | tr '\n' ';')" = \
  "100 1; +0.000000000000000E+00;"
(cd / && OP_COMPAT_CXX=false "$tmp/multigrid-stored") >"$tmp/out" 2>"$tmp/err"
results "stored text, without sources" $?
clean "stored text of multigrid" turned
OP_COMPAT_CXX=false "$tmp/multigrid" >"$tmp/out" 2>"$tmp/err"
results "neither stored text nor a preprocessor" $?
catches "a kernel without text is told" 'called by its address' cat "$tmp/err"
OP2_EAGER=1 tried "eager: airfoil" "$tmp/airfoil" "$tmp/new_grid.dat" 2

# ---- files ----

if [ -e "$build/compat/libop2-compat-hdf5.so" ]; then
  files() {
    $cxx $flags -o "$tmp/files" "$here/files.cpp" $links -lop2-compat-hdf5
  }
  runs "files is compiled" files
  tried "files that are written" "$tmp/files" "$tmp/mesh.h5" "$tmp/values.h5" write
  tried "files that are read" "$tmp/files" "$tmp/mesh.h5" "$tmp/values.h5" read
else
  skip "this build has no HDF5: files of OP2 not tried"
fi

# ---- what is refused ----

refused() { # PATTERN TEXT: the program does not compile, with this message
  printf '#include "op_seq.h"\n%s\n' "$2" >"$tmp/refused.cpp"
  catches "$1" "$1" $cxx $flags -c -o "$tmp/refused.o" "$tmp/refused.cpp"
}
refused 'use op_fetch_data' 'int main() { return op_mpi_get_data(0) != 0; }'
refused 'as many arguments as the kernel has parameters' \
  'void k(double *, double *); int main() { op_par_loop(k, "k", 0, op_arg_idx(0, OP_ID)); }'
wrong() { # PATTERN TEXT: the program ends with this message
  printf '#include "op_seq.h"\n%s\n' "$2" >"$tmp/wrong.cpp"
  $cxx $flags -o "$tmp/wrong" "$tmp/wrong.cpp" $links
  catches "$1" "$1" "$tmp/wrong"
}
begin='int main(int argc, char **argv) { op_init(argc, argv, 0); op_set s = op_decl_set(2, "s"); (void)s; double v[2] = {1, 2};'
wrong 'dat .d. has dim 1, and the argument says 2' "$begin
  op_dat d = op_decl_dat(s, 1, \"double\", v, \"d\"); op_arg_dat(d, -1, OP_ID, 2, \"double\", OP_READ); }"
wrong 'type "struct" has no counterpart' "$begin op_decl_dat(s, 1, \"struct\", v, \"d\"); }"
wrong 'values of 8' "$begin op_decl_dat(s, 1, \"float\", v, \"d\"); }"
wrong 'a variable is read' "$begin op_arg_gbl(v, 2, \"double\", OP_RW); }"

done_testing
