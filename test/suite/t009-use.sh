#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs find the library in the build folder, under any prefix, as a static library, by CMake,
# and as a Meson subproject, in C and in C++, and programs for OP2 in C++ and Fortran. Each time README's
# program is built and run, or one that computes the same.
set -u
. "$(dirname "$0")/../support/tap.sh"

# Paths that are set in the environment belong to the library under test.
unset PKG_CONFIG_PATH CMAKE_PREFIX_PATH op2_DIR
program "$src/README.md" >"$tmp/program.c"
cp "$tmp/program.c" "$tmp/program.cc"

right() { [ "$("$@")" = "101 11 110" ]; } # COMMAND...: succeeds if the program prints the right numbers
compiled() { compiled_with op2 "$@"; }
compiled_with() { # MODULE COMPILER FILE FLAG...: compiles with pkg-config's flags, outside, without warnings
  module=$1 compiler=$2 file=$3
  shift 3
  flags=$(pkg-config --cflags --libs "$module") || return 1
  # eval is needed because pkg-config quotes blanks in names.
  (cd "$tmp" && eval "$compiler -Wall -Wextra -Werror -o use $file $* $flags")
}
# If there is an MPI, its companion library is built too; two ranks of a program over it print the
# sum 6.
over_mpi() { # PROGRAM
  kind=openmpi
  ! ldd "$1" | grep -q libmpich || kind=mpich
  sh "$src/test/mpirun.sh" $kind 120 2 "$1" >"$tmp/ranks" 2>&1
  case $? in
    77) ;; # there is no mpirun
    *) [ "$(tail -n 1 "$tmp/ranks")" = "sum 6, 0 wrong" ] || { cat "$tmp/ranks"; return 1; } ;;
  esac
}
symbols() { # ARCHIVE: prints names that could belong to other code
  nm -A --defined-only --extern-only "$1" | awk '$NF !~ /^op2i?_/'
}

# ---- from the build folder ----

prefix="$tmp/a prefix"
own=$tmp/own
quiet_setup() { # FOLDER OPTION...
  folder=$1
  shift
  meson setup "$folder" "$@"
}
runs "configure, for a prefix with a space" quiet_setup "$own" "$src" --prefix "$prefix" \
  --buildtype plain -Ddefault_library=both -Dbench=false -Dtests=false
runs "what to set for it is told" grep -q "LD_LIBRARY_PATH *: $prefix/lib" \
  "$own/meson-logs/meson-log.txt"
runs "the library is built" ninja -C "$own"

devenv() { meson devenv -C "$own" -w "$tmp" "$@"; }
runs "meson devenv: pkg-config's word is enough" devenv \
  sh -c 'cc -o use program.c $(pkg-config --cflags --libs op2)'
runs "meson devenv: the program runs" right devenv ./use
runs "meson devenv: variables of op2.pc" devenv \
  sh -c 'pkg-config --variable=parts op2 | grep -q sequential'
PKG_CONFIG_PATH=$own/meson-uninstalled
export PKG_CONFIG_PATH
runs "the uninstalled op2.pc is enough" compiled cc program.c "-Wl,-rpath,$own"
runs "its program runs" right "$tmp/use"
if compiled cc program.c -O1 -fsanitize=address "-Wl,-rpath,$own" >/dev/null 2>&1; then
  ASAN_OPTIONS=detect_leaks=1
  export ASAN_OPTIONS
  runs "objects that a program keeps to its end are not told as leaks" right "$tmp/use"
  unset ASAN_OPTIONS
else
  skip "there is no address sanitizer to look for leaks"
fi

# ---- from a prefix ----

runs "meson install" meson install -C "$own" --no-rebuild --quiet
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
runs "a program finds a prefix with a space" compiled cc program.c "'-Wl,-rpath,$prefix/lib'"
runs "its program runs" right "$tmp/use"
mpi=no
[ ! -e "$prefix/lib/libop2-mpi.so" ] || mpi=yes
cp "$src/test/support/mpi_use.c" "$tmp/mpi_use.c"
if [ $mpi = yes ]; then
  runs "a program over MPI is built" compiled_with op2-mpi cc mpi_use.c "'-Wl,-rpath,$prefix/lib'"
  runs "two ranks of it run" over_mpi "$tmp/use"
else
  skip "there is no MPI: no program over it"
fi
runs "the same in C++" compiled c++ program.cc -std=c++20 "'-Wl,-rpath,$prefix/lib'"
runs "its program runs" right "$tmp/use"

cat >"$tmp/compat.cc" <<'END'
#include <op_seq.h>
void spread(const double *length, double *a, double *b) { *a += *length, *b += *length; }
int main(int argc, char **argv) {
  int ends[] = {0, 1, 1, 2, 2, 0};
  double lengths[] = {1, 10, 100}, sums[3] = {0, 0, 0};
  op_init(argc, argv, 0);
  op_set edges = op_decl_set(3, "edges"), nodes = op_decl_set(3, "nodes");
  op_map map = op_decl_map(edges, nodes, 2, ends, "ends");
  op_dat length = op_decl_dat(edges, 1, "double", lengths, "length");
  op_dat sum = op_decl_dat(nodes, 1, "double", sums, "sum");
  op_par_loop(spread, "spread", edges, op_arg_dat(length, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(sum, 0, map, 1, "double", OP_INC),
              op_arg_dat(sum, 1, map, 1, "double", OP_INC));
  op_fetch_data(sum, sums);
  printf("%g %g %g\n", sums[0], sums[1], sums[2]);
  op_exit();
}
END
cat >"$tmp/compat.f90" <<'END'
program use_compat
  use op2_fortran_declarations
  use op2_fortran_reference
  implicit none
  integer(4) :: ends(6) = [1, 2, 2, 3, 3, 1]
  real(8) :: lengths(3) = [1, 10, 100], sums(3) = 0
  type(op_set) :: edges, nodes
  type(op_map) :: map
  type(op_dat) :: length, total
  call op_init(0)
  call op_decl_set(3, edges, 'edges')
  call op_decl_set(3, nodes, 'nodes')
  call op_decl_map(edges, nodes, 2, ends, map, 'ends')
  call op_decl_dat(edges, 1, 'real(8)', lengths, length, 'length')
  call op_decl_dat(nodes, 1, 'real(8)', sums, total, 'sum')
  call op_par_loop_3(add, edges, op_arg_dat(length, -1, OP_ID, 1, 'real(8)', OP_READ), &
    op_arg_dat(total, 1, map, 1, 'real(8)', OP_INC), op_arg_dat(total, 2, map, 1, 'real(8)', OP_INC))
  call op_fetch_data(total, sums)
  print '(i0, 1x, i0, 1x, i0)', nint(sums)
  call op_exit()
contains
  subroutine add(length, a, b)
    real(8) :: length, a, b
    a = a + length
    b = b + length
  end subroutine
end program
END
cat >"$tmp/files.f90" <<'END'
program use_files
  use op2
  use op2_hdf5
  implicit none
  type(op2_context) :: ctx
  type(op2_file) :: file
  integer :: sums(3)
  call op2_init(ctx)
  call op2_file_open(ctx, 'sums.h5', OP2_FILE_CREATE, file)
  call op2_file_write_const(file, 'sums', [101, 11, 110])
  call op2_file_close(file)
  call op2_file_open(ctx, 'sums.h5', OP2_FILE_READ, file)
  call op2_file_read_const(file, 'sums', sums)
  call op2_file_close(file)
  print '(i0, 1x, i0, 1x, i0)', sums
  call op2_finalize(ctx)
end program
END
files_fortran=no
[ ! -e "$prefix/lib/libop2-hdf5-fortran.so" ] || ! command -v gfortran >/dev/null 2>&1 ||
  files_fortran=yes
if [ $files_fortran = yes ]; then
  runs "a program in Fortran with files is built" compiled_with op2-hdf5-fortran gfortran files.f90 \
    "'-Wl,-rpath,$prefix/lib'"
  runs "its program runs" right "$tmp/use"
else
  skip "there is no Fortran with HDF5: no program with files"
fi
compat_fortran=no
[ ! -e "$prefix/lib/libop2-compat-fortran.so" ] || ! command -v gfortran >/dev/null 2>&1 ||
  compat_fortran=yes
runs "a program for OP2 is built" compiled_with op2-compat c++ compat.cc "'-Wl,-rpath,$prefix/lib'"
runs "its program runs" right "$tmp/use"
if [ $compat_fortran = yes ]; then
  runs "a program for OP2 in Fortran is built" compiled_with op2-compat-fortran gfortran compat.f90 \
    "'-Wl,-rpath,$prefix/lib'" 2>/dev/null
  runs "its program runs" right "$tmp/use"
else
  skip "there is no Fortran: no program for OP2 in it"
fi

# ---- by CMake ----

# This is the user's project: LANGUAGES, FILE, WANTED and TARGET are given on the command line.
mkdir "$tmp/cmake"
cat >"$tmp/cmake/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.10)
project(user ${LANGUAGES})
find_package(op2 ${WANTED} REQUIRED)
find_package(op2 ${WANTED} REQUIRED)
add_executable(user ${FILE})
target_link_libraries(user PRIVATE ${TARGET})
message(STATUS "op2 of ${op2_PARTS}")
END
by_cmake() { # FILE WANTED TARGET: builds the program and runs it
  rm -rf "$tmp/cmake/build"
  language=C
  case $1 in *.cc) language=CXX ;; *.f90) language=Fortran ;; esac
  (cd "$tmp/cmake" && cmake -B build -DLANGUAGES=$language -DFILE="$tmp/$1" -DWANTED="$2" \
    -DTARGET="$3" && cmake --build build) && right "$tmp/cmake/build/user"
}
refused() { # WANTED PATTERN: checks that find_package reports the reason
  rm -rf "$tmp/cmake/build"
  ! (cd "$tmp/cmake" && cmake -B build -DLANGUAGES=C -DFILE=none -DWANTED="$1" -DTARGET=op2::op2) \
    >"$tmp/refused" 2>&1 && tr -s ' \n' ' ' <"$tmp/refused" | grep -q -e "$2"
}
cmake_works() { # WHERE: tries CMake with the paths in CMAKE_PREFIX_PATH or op2_DIR
  runs "CMake$1: C, the shared library" by_cmake program.c 1.0 op2::op2
  runs "CMake$1: C++" by_cmake program.cc 1.0 op2::op2
  runs "CMake$1: the static library" by_cmake program.c "1.0;COMPONENTS;static" op2::op2_static
  runs "CMake$1: it is in the program" sh -c "! ldd '$tmp/cmake/build/user' | grep libop2"
}
if command -v cmake >/dev/null 2>&1; then
  runs "meson devenv: CMake" devenv sh -c 'rm -rf cmake/build; cmake -B cmake/build cmake \
    -DLANGUAGES=C -DFILE=$PWD/program.c -DTARGET=op2::op2 && cmake --build cmake/build'
  runs "its program runs" right "$tmp/cmake/build/user"
  CMAKE_PREFIX_PATH=$prefix
  export CMAKE_PREFIX_PATH
  cmake_works ""
  examples=$prefix/share/doc/op2/examples
  runs "CMake: the installed examples are built" sh -c "cd '$tmp' && cmake -B examples '$examples' && cmake --build examples"
  runs "the first of them runs" sh -c "'$tmp/examples/bin/01-three-edges' | grep -q -x 'sums: 101 11 110'"
  runs "one that reads a mesh runs" sh -c "cd '$tmp/examples/bin' && ./03-mesh | grep -q -x 'area: 2'"
  runs "CMake: no version asked for" by_cmake program.c "" op2::op2
  runs "CMake: a range of versions" by_cmake program.c "0.1...<2" op2::op2
  version=$(pkg-config --modversion op2)
  runs "CMake: this very version" by_cmake program.c "$version;EXACT" op2::op2
  runs "CMake: a later version is refused" refused 1.99 'requested version "1.99"'
  runs "CMake: another major version is refused" refused 2 'requested version "2"'
  runs "CMake: a range that ends before is refused" refused 0.0.1...0.0.9 "requested version"
  if [ $mpi = yes ]; then
    by_cmake_over_mpi() {
      by_cmake mpi_use.c "1.0;COMPONENTS;mpi" op2::mpi >"$tmp/built" 2>&1
      over_mpi "$tmp/cmake/build/user" || { cat "$tmp/built"; return 1; }
    }
    runs "CMake: the component mpi" by_cmake_over_mpi
  fi
  [ $files_fortran = no ] || runs "CMake: the component hdf5-fortran" \
    by_cmake files.f90 "1.0;COMPONENTS;hdf5-fortran" op2::hdf5-fortran
  runs "CMake: the component compat" by_cmake compat.cc "1.0;COMPONENTS;compat" op2::compat
  [ $compat_fortran = no ] || runs "CMake: the component compat-fortran" \
    by_cmake compat.f90 "1.0;COMPONENTS;compat-fortran" op2::compat-fortran
  runs "CMake: a component that is not there is named" refused "1.0;COMPONENTS;none" \
    "no component none"
  mv "$prefix" "$tmp/moved"
  CMAKE_PREFIX_PATH=$tmp/moved
  cmake_works ", a prefix that was moved"
  mv "$tmp/moved/include" "$tmp/gone"
  runs "CMake: lost headers are missed" refused 1.0 "headers in .*: they are gone"
  mv "$tmp/gone" "$tmp/moved/include"
  mv "$tmp/moved" "$prefix"
  CMAKE_PREFIX_PATH=$prefix
else
  skip "cmake is not installed: its package is not tried"
fi

# ---- without the shared library ----

runs "ninja uninstall" ninja -C "$own" uninstall
left() { [ ! -e "$prefix" ] || find "$prefix" ! -type d; }
clean "nothing is left of it" left
runs "configure a static library" meson configure "$own" -Ddefault_library=static
runs "it is built" ninja -C "$own"
runs "it is installed" meson install -C "$own" --no-rebuild --quiet
shared() { find "$prefix" -name '*.so*'; }
clean "no shared library is" shared
runs "it holds its objects" sh -c "head -c 7 '$prefix/lib/libop2.a' | grep -q '!<arch>'"
clean "its names begin with op2" symbols "$prefix/lib/libop2.a"
echo 'int status(void) { return 0; }' >"$tmp/planted.c"
cc -c -o "$tmp/planted.o" "$tmp/planted.c" && ar rc "$tmp/planted.a" "$tmp/planted.o"
catches "a name that may be somebody else's" 'status$' symbols "$tmp/planted.a"
runs "a C program links to it" compiled cc program.c -s
runs "it needs no shared library of ours" sh -c "! ldd '$tmp/use' | grep libop2"
for backend in sequential openmp starpu check; do
  OP2_BACKEND=$backend runs "its program runs, backend $backend" right "$tmp/use"
done
runs "OpenMP is not switched on for its users" sh -c "! pkg-config --cflags op2 | grep openmp"
runs "a C++ program links to it" compiled c++ program.cc
runs "its program runs" right "$tmp/use"
if command -v clang >/dev/null 2>&1; then
  runs "clang links to it" compiled clang program.c
  runs "its program runs" right "$tmp/use"
else
  skip "clang is not installed: it links to nothing"
fi
if [ $mpi = yes ]; then
  clean "names of the library for MPI begin with op2" symbols "$prefix/lib/libop2-mpi.a"
  runs "a program over MPI is built of archives" compiled_with op2-mpi cc mpi_use.c
  runs "two ranks of it run" over_mpi "$tmp/use"
fi
runs "a shared library may hold it" compiled cc program.c -fPIC -shared -Wl,-z,defs
if command -v cmake >/dev/null 2>&1; then
  runs "CMake: op2::op2 is the static library where there is no other" \
    by_cmake program.cc 1.0 op2::op2
fi

# ---- as a subproject ----

parent=$tmp/parent
mkdir -p "$parent/subprojects/op2"
(cd "$src" && cp -R meson.build meson_options.txt include lib codegen backends scheduler tools \
  compat fortran bench examples test "$parent/subprojects/op2")
cp "$tmp/program.cc" "$parent"
cat >"$parent/told.c" <<'END'
#include <op2.h>
#include <stdio.h>
int main(void) { return op2_environment_write(stdout) != OP2_SUCCESS; }
END
cat >"$parent/meson.build" <<'END'
project('parent', 'c', 'cpp', default_options: ['warning_level=3', 'werror=true', 'c_std=c11'])
op2 = dependency('op2', version: '>= 1.0', fallback: 'op2')
executable('program', 'program.cc', dependencies: op2)
executable('told', 'told.c', dependencies: subproject('op2').get_variable('op2_dep'))
assert(op2.get_variable('parts').contains('sequential'))
END
targets() { # FOLDER: prints the targets of the build
  meson introspect --targets "$1" | tr ',' '\n' | sed -n 's/.*"name": "\([^"]*\)".*/\1/p' |
    sort | tr '\n' ' '
}
verifies() { # VALUE: checks what the program told prints about the verifiers
  "$parent/build/told" | grep -q "^OP2_VERIFY *$1 "
}
unset PKG_CONFIG_PATH
runs "a strict debug parent is configured" quiet_setup "$parent/build" "$parent" \
  --buildtype debug --wrap-mode forcefallback
runs "only the library is built for it" \
  test "$(targets "$parent/build" | sed 's/op2-mpi-internal //;s/op2-mpi //' |
    sed 's/op2-hdf5-internal //;s/op2-hdf5 //;s/op2-petsc-internal //;s/op2-petsc //' |
    sed 's/op2-meshfile-internal //;s/op2-meshfile //')" = \
  "op2 op2-internal program told "
runs "the parent is built" ninja -C "$parent/build"
runs "its program runs" right "$parent/build/program"
runs "the verifiers stay off" verifies 0
runs "a parent with a static library" meson configure "$parent/build" \
  -Ddefault_library=static -Dop2:default_library=static
runs "is built, too" ninja -C "$parent/build"
runs "its program runs" right "$parent/build/program"
runs "the library is in it" sh -c "! ldd '$parent/build/program' | grep libop2"
runs "what is asked for is built" \
  meson configure "$parent/build" -Dop2:verify=true -Dop2:bench=true -Dop2:tests=true
runs "the parent is built again" ninja -C "$parent/build" told
runs "now the verifiers are on" verifies 1
asked() { targets "$parent/build" | grep -q '\bairfoil .* t100-init '; }
runs "applications and tests are among the targets" asked

# A debug build of the library itself has verifiers on, unless an option turns them off.
defined() { # yes|no OPTION...: a main project of these options has verifiers on
  wanted=$1
  shift
  rm -rf "$tmp/main"
  meson setup "$tmp/main" "$src" -Dbench=false -Dtests=false "$@" >/dev/null || return 1
  found=no
  ! grep -q -e '-DOP2_VERIFY_DEFAULT' "$tmp/main/compile_commands.json" || found=yes
  [ $found = "$wanted" ]
}
runs "a debug build verifies" defined yes --buildtype debug
runs "a release build does not" defined no
runs "a release build that is asked to does" defined yes -Dverify=true
runs "packagers' options change nothing" defined no -Dauto_features=enabled

# Parts that are disabled are left out, even if their libraries are installed.
without() { # PART...: the library is configured with each of these parts disabled, and has none
  rm -rf "$tmp/main"
  # shellcheck disable=SC2046 # words
  meson setup "$tmp/main" "$src" -Dbench=false -Dtests=false $(printf -- '-D%s=disabled ' "$@") \
    >/dev/null || return 1
  for part; do
    grep -q -x "#define OP2_HAVE_$(echo "$part" | tr '[:lower:]' '[:upper:]') 0" \
      "$tmp/main/lib/config.h" || { echo "$part is there"; return 1; }
  done
}
runs "parts that are disabled are left out" without starpu hwloc openmp scotch

done_testing
