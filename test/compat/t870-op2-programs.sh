#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs in OP2's C++ interface are compiled as they are and compute what plain loops over the
# same kernels compute: a sample of what t874-op2-cross tries, in which each program is compiled
# once and each backend comes up. What is refused is refused with the reason.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$src/test/compat/programs.sh"

mesh
backends=
# sample plain|stored NAME BACKEND [address]
sample() {
  there "$2" || { skip "this build has no HDF5: $2 not tried"; return; }
  # shellcheck disable=SC2086 # words
  runs "$2 is compiled: $1" compiled "$1" "$2" $alone
  OP2_BACKEND=$3
  export OP2_BACKEND
  [ -n "$backends" ] || available
  case $backends in
    *" $3"*) tried "$1, $3" alone "$2" ;;
    *) skip "$3 is not available" ;;
  esac
  [ $# -gt 3 ] || return 0
  OP_COMPAT_KERNELS=address
  export OP_COMPAT_KERNELS
  tried "address, $3" alone "$2"
  unset OP_COMPAT_KERNELS
}
# shellcheck disable=SC2086 # words
sample plain from_one openmp
sample stored jacobi openmp
sample stored reductions starpu
sample stored extremes sequential
sample plain airfoil openmp address
sample stored aero starpu
sample stored multigrid check address
sample plain limiter sequential
sample stored temporaries openmp
sample stored files starpu
sample stored optional check
sample stored numbers opencl
sample plain features openmp

OP2_BACKEND=openmp
export OP2_BACKEND
runs "a dat as text" test "$(head -n 2 "$tmp/values" | tr '\n' ';')" = \
  "100 1; +0.000000000000000E+00;"
(cd / && OP_COMPAT_CXX=false "$tmp/multigrid") >"$tmp/out" 2>"$tmp/err"
results "stored text, without sources" $?
clean "stored text of multigrid" turned
OP_COMPAT_CXX=false "$tmp/limiter" >"$tmp/out" 2>"$tmp/err"
results "neither stored text nor a preprocessor" $?
catches "a kernel without text is told" 'called by its address' cat "$tmp/err"
OP2_EAGER=1 tried "eager" alone airfoil

# ---- what is refused ----

flags="-std=c++17 -I$src/include/op2-compat"
refused() { # PATTERN TEXT: the program does not compile, with this message
  printf '#include "op_seq.h"\n%s\n' "$2" >"$tmp/refused.cpp"
  catches "$1" "$1" "$cxx" $flags -c -o "$tmp/refused.o" "$tmp/refused.cpp"
}
refused 'use op_fetch_data' 'int main() { op_dat d = op_mpi_get_data(0); return d == NULL; }'
refused 'as many arguments as the kernel has parameters' \
  'void k(double *, double *); int main() { op_par_loop(k, "k", 0, op_arg_idx(0, OP_ID)); }'
cat >"$tmp/wrong.cpp" <<'END'
#include "op_seq.h"
int main(int argc, char **argv) {
  double v[2] = {1, 2};
  op_init(argc, argv, 0);
  op_set s = op_decl_set(2, "s");
  op_dat d = op_decl_dat(s, 1, "double", v, "d");
  switch (atoi(argv[1])) {
  case 1: op_arg_dat(d, -1, OP_ID, 2, "double", OP_READ); break;
  case 2: op_decl_dat(s, 1, "struct", v, "e"); break;
  case 3: op_decl_dat(s, 1, "float", v, "e"); break;
  case 4: op_arg_gbl(v, 2, "double", OP_RW); break;
  }
}
END
# shellcheck disable=SC2086 # words
runs "a program with errors is compiled" "$cxx" $flags -o "$tmp/wrong" "$tmp/wrong.cpp" $alone
catches "another dim" 'dat .d. has dim 1, and the argument says 2' "$tmp/wrong" 1
catches "a structure" 'type "struct" has no counterpart' "$tmp/wrong" 2
catches "another type" 'values of 8' "$tmp/wrong" 3
catches "a variable that is written" 'a variable is read' "$tmp/wrong" 4

done_testing
