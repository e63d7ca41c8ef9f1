#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs with files are built as users build them, in C and in C++, with the libraries of the
# build folder and by CMake from a prefix. They need not initialise MPI, and programs without files
# load no library of HDF5.
set -u
. "$(dirname "$0")/../support/tap.sh"

needs_library libop2-hdf5.so

OP2_CACHE_DIR=${OP2_TEST_CACHE:-$tmp/cache}
OP2_BACKEND=sequential
PKG_CONFIG_PATH=$build/meson-uninstalled
export OP2_CACHE_DIR OP2_BACKEND PKG_CONFIG_PATH
compiled() { # COMPILER FILE MODULE FOLDER
  flags=$(pkg-config --cflags --libs "$3") || return 1
  # shellcheck disable=SC2086 # flags
  $1 -Wall -Wextra -Werror -o "$tmp/use" "$2" "-Wl,-rpath,$4" $flags
}
loads() { ldd "$tmp/use" | sed -n '/libhdf5\|libmpi\|libop2-/p'; }
right() { [ "$("$1" "$tmp/file.h5")" = "7 1 0.5" ]; }

program "$src/README.md" >"$tmp/program.c"
runs "a program without files is built" compiled "${CC:-cc}" "$tmp/program.c" op2 "$build"
clean "it loads nothing of HDF5" loads
cp "$src/test/support/files_use.c" "$tmp/use.c"
cp "$src/test/support/files_use.c" "$tmp/use.cc"
runs "C: a program with files is built" compiled "${CC:-cc} -std=c11" "$tmp/use.c" op2-hdf5 "$build"
catches "it loads HDF5" libhdf5 loads
runs "it runs without MPI_Init" right "$tmp/use"
if command -v "${CXX:-c++}" >/dev/null 2>&1; then
  runs "C++: a program with files is built" compiled "${CXX:-c++} -std=c++11" "$tmp/use.cc" \
    op2-hdf5 "$build"
  runs "it runs" right "$tmp/use"
else
  skip "there is no C++ compiler"
fi

prefix=$tmp/prefix
installed() {
  DESTDIR=$prefix meson install -C "$build" --no-rebuild --quiet
}
if ! command -v cmake >/dev/null 2>&1; then
  skip "cmake is not installed: its package is not tried"
  done_testing
fi
runs "meson install" installed
config=$(find "$prefix" -name op2-config.cmake)
mkdir "$tmp/cmake"
cat >"$tmp/cmake/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.10)
project(user C)
find_package(op2 1.0 REQUIRED COMPONENTS hdf5)
add_executable(user ../use.c)
target_link_libraries(user PRIVATE op2::hdf5)
END
unset PKG_CONFIG_PATH
by_cmake() {
  (cd "$tmp/cmake" && cmake -B build -Dop2_DIR="${config%/*}" && cmake --build build)
}
runs "CMake: the component hdf5" by_cmake
runs "its program runs" right "$tmp/cmake/build/user"

done_testing
