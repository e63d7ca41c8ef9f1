#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The programs of t870 over ranks of MPI, whose sources are the same, and one that names MPI itself:
# every way to cut a mesh, ranks that declare nothing, kernels that only one rank could take as text,
# and files.
set -u
. "$(dirname "$0")/../support/tap.sh"

cxx=${CXX:-c++}
mpi=${OP2_TEST_MPI:-none}
flags=
for module in op2-compat-mpi op2-compat-openmpi op2-compat-mpich; do
  [ -e "$build/compat/lib$module.so" ] || continue
  flags=$(PKG_CONFIG_PATH=$build/meson-uninstalled pkg-config --cflags --libs $module 2>"$tmp/why")
done
sh "$src/test/mpirun.sh" "$mpi" 60 2 true >/dev/null 2>>"$tmp/why"
started=$?
if [ -z "$flags" ] || [ $started -ne 0 ] || ! command -v "$cxx" >/dev/null 2>&1; then
  skip "no ranks for programs of OP2: this needs libop2-compat over MPI, pkg-config, a C++ compiler and mpirun ($(head -n 1 "$tmp/why"))"
  done_testing
  exit
fi
flags="-std=c++17 -O2 -Wall -Wextra -Werror $flags -Wl,-rpath,$build/compat -Wl,-rpath,$build"
here=$src/test/compat
OP2_CACHE_DIR=$tmp/cache
export OP2_CACHE_DIR
mkdir -m 700 "$OP2_CACHE_DIR"

compiled() { # NAME [LIBRARY...]
  program=$1
  shift
  sh "$src/compat/op2-c++" "$cxx" -o "$tmp/$program" "$here/$program.cpp" "$@" $flags
}
# tried NAME RANKS PROGRAM ARGUMENT...: repeats the checks that the first rank prints
tried() {
  name=$1
  ranks=$2
  shift 2
  sh "$src/test/mpirun.sh" "$mpi" 120 "$ranks" "$@" >"$tmp/out" 2>"$tmp/err"
  results "$name, $ranks ranks" $?
}
turned() { ! grep 'called by its address' "$tmp/err"; }

for program in ranks jacobi reductions features multigrid airfoil; do
  runs "$program is compiled" compiled $program
done
"$build/bench/airfoil/airfoil" --mesh 8x12 --iterations 1 --write-mesh "$tmp/new_grid.dat" \
  >/dev/null 2>&1 || :
runs "there is a mesh for airfoil" test -s "$tmp/new_grid.dat"

OP2_BACKEND=openmp
export OP2_BACKEND
for ranks in 1 2 3; do
  tried "each way to cut a mesh" $ranks "$tmp/ranks" "$tmp/values"
done
tried "two contexts" 3 "$tmp/ranks" "$tmp/values" half
tried "jacobi" 2 "$tmp/jacobi"
tried "reductions" 2 "$tmp/reductions"
tried "features" 2 "$tmp/features"
tried "multigrid" 3 "$tmp/multigrid"
clean "all kernels of multigrid are text" turned
tried "airfoil" 2 "$tmp/airfoil" "$tmp/new_grid.dat" 5
clean "all kernels of airfoil are text" turned
OP2_BACKEND=sequential tried "sequential: features" 2 "$tmp/features"
OP2_BACKEND=check tried "check: multigrid" 2 "$tmp/multigrid"

# Only the first rank would take texts.
cat >"$tmp/one.sh" <<'END'
case ${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}} in
  0) ;;
  *) export OP_COMPAT_KERNELS=address ;;
esac
exec "$@"
END
tried "text on one rank only" 2 sh "$tmp/one.sh" "$tmp/multigrid"
catches "a rank cannot use a text that others have" 'another rank cannot use its text' \
  cat "$tmp/err"
OP_COMPAT_KERNELS=address
export OP_COMPAT_KERNELS
tried "reductions by address" 2 "$tmp/reductions"
unset OP_COMPAT_KERNELS

# An error ends all ranks.
printf '#include "op_lib_mpi.h"\nint main(int argc, char **argv) { op_init(argc, argv, 0); int r;
  op_rank(&r); op_set s = op_decl_set(2, "s"); double v[2] = {1, 2}; op_dat d = op_decl_dat(s, 1, "double", v, "d");
  if (r == 1) op_arg_dat(d, -1, OP_ID, 2, "double", OP_READ);
  op_fetch_data(d, v); op_exit(); }\n' \
  >"$tmp/wrong.cpp"
runs "a program with an error is compiled" "$cxx" -o "$tmp/wrong" "$tmp/wrong.cpp" $flags
catches "an error of one rank" 'dat .d. has dim 1, and the argument says 2' \
  sh "$src/test/mpirun.sh" "$mpi" 60 2 "$tmp/wrong"

if [ -e "$build/compat/libop2-compat-hdf5.so" ]; then
  runs "files is compiled" compiled files -L"$build/compat" -lop2-compat-hdf5
  tried "files that are written" 2 "$tmp/files" "$tmp/mesh.h5" "$tmp/values.h5" write
  tried "files that are read" 3 "$tmp/files" "$tmp/mesh.h5" "$tmp/values.h5" read
else
  skip "this build has no HDF5: files of OP2 not tried"
fi

done_testing
