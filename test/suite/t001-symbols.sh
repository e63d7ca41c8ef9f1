#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The shared library exports what the public headers declare with OP2_API, and nothing else except
# one table for its companion libraries; each of these exports what its own header declares.
set -u
. "$(dirname "$0")/../support/tap.sh"

# declared HEADER...: prints the names of functions declared with OP2_API
declared() {
  for header; do
    code "$header" | sed '/^[ \t]*#/d' | tr '\n' ' ' | tr ';' '\n' |
      sed -n 's/.*OP2_API[ \t][^(]*[ *]\([A-Za-z_][A-Za-z0-9_]*\)[ \t]*(.*/\1/p'
  done | sort -u
}

# undeclared HEADER...: prints functions declared with a semicolon but without OP2_API, except the
# inline definitions of functions that are declared with it
undeclared() {
  for header; do
    code "$header" | sed '/^[ \t]*#/d;/\\$/d' | tr '\n' ' ' | tr ';{}' '\n\n\n' |
      grep -v -e OP2_API -e OP2_INLINE_ |
      sed -n -e '/^[ \t]*\(return\|typedef\) /d' \
        -e 's/^[ \t]*[A-Za-z_][A-Za-z0-9_ *]*[ *]\(op2_[A-Za-z0-9_]*\)[ \t]*(.*)[ \t]*$/\1/p' |
      sed "s|$|: declared without OP2_API in ${header##*/}|"
  done
}

# exported LIBRARY: prints exported names, and the kind of those that are not functions. Versions are
# another test's (t015-abi-dump). Sanitizers add names of their own, and so does the linker if another
# library refers to them.
exported() {
  nm -D --defined-only "$1" | awk '$2 == "A" && $NF ~ /^OP2_/ { next }
    { sub(/@.*/, "", $NF) }
    $NF ~ /^(__(asan|odr_asan|ubsan|tsan).*|__bss_start|_edata|_end)$/ { next }
    { print ($2 == "T" ? $NF : $NF " (kind " $2 ")") }' | sort -u
}

compare() { # DECLARED EXPORTED
  comm -23 "$1" "$2" | sed 's/$/: declared, not exported/'
  comm -13 "$1" "$2" | sed 's/$/: exported, not declared/'
}

LC_ALL=C
export LC_ALL
# Headers of companion libraries are left out; the table for companions is added below.
headers() { ls "$src"/include/op2/*.h | grep -v -e '/mpi\.h$' -e '/io\.h$' -e '/checkpoint\.h$' -e '/vtkhdf\.h$' -e '/xdmf\.h$' -e '/meshfile\.h$' -e '/petsc\.h$'; }
declared $(headers) >"$tmp/declared"
clean "every public function is marked OP2_API" undeclared "$src"/include/op2/*.h
runs "the headers declare something" test -s "$tmp/declared"
grep -v '^op2_' "$tmp/declared" >"$tmp/odd"
clean "public names begin with op2_" cat "$tmp/odd"
declared $(headers) "$src/scheduler/queue/companion.h" >"$tmp/declared"
runs "the table for companions is one more" test "$(grep -v '^op2_' "$tmp/declared")" = op2i_companion

if [ -z "$build" ]; then
  skip "no build folder: exported symbols not compared"
elif [ ! -e "$build/libop2.so" ]; then
  skip "no shared library was built: exported symbols not compared"
elif ! command -v nm >/dev/null 2>&1; then
  skip "nm is not installed: exported symbols not compared"
else
  exported "$build/libop2.so" >"$tmp/exported"
  clean "declared and exported functions are the same ($(wc -l <"$tmp/declared" | tr -d ' '))" \
    compare "$tmp/declared" "$tmp/exported"

  companion() { # HEADER... LIBRARY
    for against; do :; done
    declared $(printf '%s\n' "$@" | sed '$d') >"$tmp/companion"
    exported "$against" >"$tmp/companion+"
    compare "$tmp/companion" "$tmp/companion+"
  }
  found=no
  for library in "$build"/libop2-mpi.so "$build"/libop2-openmpi.so "$build"/libop2-mpich.so; do
    [ -e "$library" ] || continue
    found=yes
    clean "$(basename "$library") exports what op2/mpi.h declares" \
      companion "$src/include/op2/mpi.h" "$library"
  done
  [ $found = yes ] || skip "this build has no MPI: op2/mpi.h not compared"
  if [ -e "$build/libop2-hdf5.so" ]; then
    clean "libop2-hdf5.so exports what op2/io.h, checkpoint.h, vtkhdf.h and xdmf.h declare" \
      companion "$src/include/op2/io.h" "$src/include/op2/checkpoint.h" "$src/include/op2/vtkhdf.h" "$src/include/op2/xdmf.h" \
        "$src/lib/meshfile/meshfile_tree.h" "$build/libop2-hdf5.so"
  else
    skip "this build has no HDF5: op2/io.h not compared"
  fi
  clean "libop2-meshfile.so exports what op2/meshfile.h declares" \
    companion "$src/include/op2/meshfile.h" "$build/libop2-meshfile.so"
  if [ -e "$build/libop2-petsc.so" ]; then
    clean "libop2-petsc.so exports what op2/petsc.h declares" \
      companion "$src/include/op2/petsc.h" "$build/libop2-petsc.so"
  else
    skip "this build has no PETSc: op2/petsc.h not compared"
  fi
  needs_petsc() { readelf -d "$1" | sed -n '/NEEDED.*petsc/p'; }
  clean "libop2.so needs nothing of PETSc" needs_petsc "$build/libop2.so"
  needs_hdf5() { readelf -d "$1" | sed -n '/NEEDED.*hdf5/p'; }
  clean "libop2.so needs nothing of HDF5" needs_hdf5 "$build/libop2.so"
  needs_mpi() { readelf -d "$1" | sed -n '/NEEDED.*mpi/p'; }
  clean "libop2.so needs nothing of MPI" needs_mpi "$build/libop2.so"

  printf '%s\n' 'OP2_API op2_status' 'op2_planted(const double *x,' 'int n);' \
    '/* OP2_API void op2_not(void); */' >"$tmp/planted.h"
  declared $(headers) "$src/scheduler/queue/companion.h" "$tmp/planted.h" >"$tmp/declared+"
  catches "declared, not defined" '^op2_planted: declared, not exported' \
    compare "$tmp/declared+" "$tmp/exported"
  printf 'int op2i_planted(void) { return 1; }\nint op2_datum;\n' >"$tmp/planted.c"
  ${CC:-cc} -shared -fPIC -o "$tmp/planted.so" "$tmp/planted.c"
  exported "$tmp/planted.so" | sort -u - "$tmp/exported" >"$tmp/exported+"
  catches "exported, not declared" '^op2i_planted: exported, not declared' \
    compare "$tmp/declared" "$tmp/exported+"
  catches "exported data" '^op2_datum (kind' compare "$tmp/declared" "$tmp/exported+"
fi
printf 'int op2_planted(const double *x,\n  int n);\n' >"$tmp/planted.h"
catches "a function without OP2_API" 'op2_planted' undeclared "$tmp/planted.h"

done_testing
