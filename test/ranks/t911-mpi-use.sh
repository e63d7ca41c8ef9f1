#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs over MPI are built as users build them, in C and in C++, with the libraries of the build
# folder; programs without MPI load none of its libraries.
set -u
. "$(dirname "$0")/../support/tap.sh"

mpi=${OP2_TEST_MPI:-none}
needs_library libop2.so

# ---- programs without MPI ----

PKG_CONFIG_PATH=$build/meson-uninstalled
export PKG_CONFIG_PATH
compiled() { # COMPILER FILE MODULE
  flags=$(pkg-config --cflags --libs "$3") || return 1
  # shellcheck disable=SC2086 # flags
  $1 -Wall -Wextra -Werror -o "$tmp/use" "$2" "-Wl,-rpath,$build" $flags
}
loads_mpi() { ldd "$tmp/use" | sed -n '/libmpi\|libmpich\|libop2-/p'; }
program "$src/README.md" >"$tmp/program.c"
runs "a program without MPI is built" compiled "${CC:-cc}" "$tmp/program.c" op2
clean "it loads nothing of MPI" loads_mpi

# ---- programs with MPI ----

module=
for try in mpi openmpi mpich; do
  [ ! -e "$build/libop2-$try.so" ] || module=op2-$try
done
if [ -z "$module" ]; then
  skip "this build has no MPI"
  done_testing
fi
cp "$src/test/support/mpi_use.c" "$tmp/use.c"
cp "$src/test/support/mpi_use.c" "$tmp/use.cc"
OP2_CACHE_DIR=${OP2_TEST_CACHE:-$tmp/cache}
OP2_THREADS=1
export OP2_CACHE_DIR OP2_THREADS
ranks() { # RANKS PROGRAM
  sh "$src/test/mpirun.sh" "$mpi" 120 "$@" >"$tmp/out" 2>"$tmp/err"
}
for compiler in "${CC:-cc} -std=c11" "${CXX:-c++} -std=c++11"; do
  file=$tmp/use.c
  case $compiler in *c++1*) file=$tmp/use.cc ;; esac
  command -v "${compiler%% *}" >/dev/null 2>&1 || { skip "${compiler%% *} is missing"; continue; }
  runs "$compiler builds a program by $module.pc" compiled "$compiler" "$file" "$module"
  catches "it loads MPI: $compiler" 'libmpi' loads_mpi
  for n in 1 2 3 4; do
    ranks $n "$tmp/use"
    status=$?
    if [ $status -eq 77 ]; then
      skip "$(cat "$tmp/err")"
      continue
    fi
    last=$((n * (n + 1) / 2))
    runs "$compiler: $n ranks" test "$status $(tail -n 1 "$tmp/out")" = \
      "0 sum $((last * (last + 1) / 2)), 0 wrong"
    [ $status -eq 0 ] || diag "$(cat "$tmp/out" "$tmp/err")"
  done
done
done_testing
