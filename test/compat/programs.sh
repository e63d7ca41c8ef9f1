# SPDX-License-Identifier: BSD-3-Clause
# What the tests of programs for OP2 share. Sourced behind tap.sh, not run.

# The programs of this folder, each of which compares itself with plain loops over its kernels. In
# those of `as_text` every kernel can be taken as text.
programs="jacobi reductions extremes airfoil aero multigrid limiter temporaries files from_one
  optional numbers"
as_text="extremes airfoil aero multigrid limiter temporaries files from_one optional numbers"

cxx=${CXX:-c++}
here=$src/test/compat
library=$build/compat/libop2-compat.so
# Loops of a program are compiled once for a test, without much optimisation.
OP2_CACHE_DIR=$tmp/cache
OP2_CFLAGS=-O1
export OP2_CACHE_DIR OP2_CFLAGS
mkdir -m 700 "$OP2_CACHE_DIR"

# skip_all REASON: ends the test
skip_all() {
  skip "$@"
  done_testing
}
if [ -z "$build" ] || [ ! -e "$library" ]; then
  skip_all "libop2-compat was not built as a shared library"
fi
command -v "$cxx" >/dev/null 2>&1 || skip_all "there is no C++ compiler"

# The flags of both libraries; with `ranks` those of the one over MPI, if it was built.
alone="-I$src/include/op2-compat -I$src/include -L$build/compat -L$build -Wl,-rpath,$build/compat
  -Wl,-rpath,$build -lop2-compat -lop2"
over_mpi=
for module in op2-compat-mpi op2-compat-openmpi op2-compat-mpich; do
  [ -e "$build/compat/lib$module.so" ] || continue
  over_mpi="$(PKG_CONFIG_PATH=$build/meson-uninstalled pkg-config --cflags --libs $module \
    2>"$tmp/why") -Wl,-rpath,$build/compat -Wl,-rpath,$build"
done
mpi=${OP2_TEST_MPI:-none}

# needs_ranks: skips all checks without an MPI that starts ranks
needs_ranks() {
  sh "$src/test/mpirun.sh" "$mpi" 60 2 true >/dev/null 2>>"$tmp/why" || over_mpi=
  [ -n "$over_mpi" ] ||
    skip_all "no ranks: this needs libop2-compat over MPI, pkg-config and mpirun ($(head -n 1 "$tmp/why"))"
}

# compiled plain|stored NAME FLAG...: makes $tmp/NAME, without or with op2-c++
compiled() {
  wrapper=$cxx
  [ "$1" = plain ] || wrapper="sh $build/compat/op2-c++ $cxx"
  name=$2
  shift 2
  [ "$name" != files ] || set -- "$@" -lop2-compat-hdf5
  # shellcheck disable=SC2086 # a command of words
  $wrapper -std=c++17 -O1 -Wall -Wextra -Werror -o "$tmp/$name" "$here/$name.cpp" "$@"
}

# there NAME: whether this build has what the program needs
there() { [ "$1" != files ] || [ -e "$build/compat/libop2-compat-hdf5.so" ]; }

# mesh: makes the one that airfoil reads
mesh() {
  "$build/bench/airfoil/airfoil" --mesh 8x12 --iterations 1 --write-mesh "$tmp/new_grid.dat" \
    >/dev/null 2>&1 || :
  runs "there is a mesh for airfoil" test -s "$tmp/new_grid.dat"
}

# on RANKS PROGRAM ARGUMENT...: runs a program, over ranks of MPI unless RANKS is `alone`. Each rank
# prints into a file of its own, since mpirun may put a part of a line into another rank's.
cat >"$tmp/apart" <<'END'
out=$1.${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}
shift
exec "$@" >"$out"
END
on() {
  count=$1
  shift
  if [ "$count" = alone ]; then
    "$@" >"$tmp/out" 2>"$tmp/err"
    return
  fi
  rm -f "$tmp"/out.*
  sh "$src/test/mpirun.sh" "$mpi" 120 "$count" sh "$tmp/apart" "$tmp/out" "$@" 2>"$tmp/err"
  over=$?
  cat "$tmp"/out.* >"$tmp/out"
  return $over
}

# The lines that a kernel has printed are those of the plain loop, each of them once. The checked
# mode applies kernels several times.
lines() {
  if [ "$OP2_BACKEND" = check ]; then once=-u; else once=; fi
  sed -n "s/^$1 //p" "$tmp/out" | sort $once
}
same_lines() { [ "$(lines wanted)" != "" ] && [ "$(lines printed)" = "$(lines wanted)" ]; }
turned() { ! grep 'called by its address' "$tmp/err"; }

# tried LABEL RANKS NAME: runs a program as it has to be run, and repeats its checks
tried() {
  label="$1, $2: $3"
  case $3 in
    airfoil) on "$2" "$tmp/airfoil" "$tmp/new_grid.dat" 2 ;;
    files)
      rm -f "$tmp/mesh.h5" "$tmp/values.h5"
      on "$2" "$tmp/files" "$tmp/mesh.h5" "$tmp/values.h5" write
      results "$label, written" $?
      on "$2" "$tmp/files" "$tmp/mesh.h5" "$tmp/values.h5" read ;;
    features | ranks) on "$2" "$tmp/$3" "$tmp/values" ;;
    *) on "$2" "$tmp/$3" ;;
  esac
  results "$label" $?
  [ "$3" != jacobi ] || runs "$label: lines are printed once" same_lines
  case " $as_text ${OP_COMPAT_KERNELS-}" in
    *address) catches "$label" 'called by its address' cat "$tmp/err" ;;
    *" $3 "*) clean "$label: all kernels are text" turned ;;
  esac
}

# available: sets `backends` to those of this build and machine, on which from_one runs
available() {
  for backend in sequential openmp starpu check opencl; do
    if OP2_BACKEND=$backend OP2_LOG=1 "$tmp/from_one" 2>&1 | grep -q '^1\.\.'; then
      backends="$backends $backend"
    else
      skip "$backend is not available"
    fi
  done
}
