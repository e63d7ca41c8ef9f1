#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs for OP2 over ranks of MPI, whose sources are the same, and one that names MPI itself: every
# way to cut a mesh, ranks that declare nothing, kernels that only one rank could take as text, and
# files. A sample of what t874-op2-cross tries.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$src/test/compat/programs.sh"
needs_ranks

for program in ranks jacobi aero temporaries files numbers; do
  there $program || continue
  # shellcheck disable=SC2086 # words
  runs "$program is compiled" compiled stored $program $over_mpi
done

OP2_BACKEND=openmp
export OP2_BACKEND
for ranks in 1 2 3; do
  tried "each way to cut a mesh" $ranks ranks
done
on 3 "$tmp/ranks" "$tmp/values" half
results "two contexts" $?
tried openmp 2 jacobi
tried openmp 3 temporaries
tried openmp 2 numbers
OP2_BACKEND=sequential tried sequential 2 aero
OP2_BACKEND=check tried check 2 temporaries
! there files || tried openmp 2 files

# Only the first rank would take texts.
cat >"$tmp/one.sh" <<'END'
case ${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}} in
  0) ;;
  *) export OP_COMPAT_KERNELS=address ;;
esac
exec "$@"
END
on 2 sh "$tmp/one.sh" "$tmp/temporaries"
results "text on one rank only" $?
catches "a rank cannot use a text that others have" 'another rank cannot use its text' \
  cat "$tmp/err"
OP_COMPAT_KERNELS=address
export OP_COMPAT_KERNELS
tried "address" 2 numbers
unset OP_COMPAT_KERNELS

# An error ends all ranks.
printf '#include "op_lib_mpi.h"\nint main(int argc, char **argv) { op_init(argc, argv, 0); int r;
  op_rank(&r); op_set s = op_decl_set(2, "s"); double v[2] = {1, 2}; op_dat d = op_decl_dat(s, 1, "double", v, "d");
  if (r == 1) op_arg_dat(d, -1, OP_ID, 2, "double", OP_READ);
  op_fetch_data(d, v); op_exit(); }\n' \
  >"$tmp/wrong.cpp"
runs "a program with an error is compiled" "$cxx" -o "$tmp/wrong" "$tmp/wrong.cpp" $over_mpi
catches "an error of one rank" 'dat .d. has dim 1, and the argument says 2' \
  sh "$src/test/mpirun.sh" "$mpi" 60 2 "$tmp/wrong"

done_testing
