#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every header compiles alone and twice: the public ones as C11 and as C++11, pedantically, the
# internal ones as gnu11. Programs compile in other dialects, too, and without the library's own
# macros.
set -u
. "$(dirname "$0")/../support/tap.sh"

strict="-Wall -Wextra -Werror -pedantic -Wshadow -fsyntax-only"
internal="-Wall -Wextra -Werror -Wshadow -fsyntax-only"
for room in $(rooms "$src"); do internal="$internal -iquote $src/$room"; done
# Headers of companion libraries need those of the foreign library. MPI's own headers are system
# headers here, so that their warnings are not reported.
mpi=$(pkg-config --cflags mpi-c 2>/dev/null || pkg-config --cflags mpich 2>/dev/null) &&
  mpi=$(printf '%s' "$mpi" | sed 's/-I/-isystem /g') || mpi=
have_mpi=no
! printf '#include <mpi.h>\n' | ${CC:-cc} -E $mpi - >/dev/null 2>&1 || have_mpi=yes
hdf5=
for module in hdf5-openmpi hdf5-mpich hdf5-serial hdf5; do
  ! pkg-config --exists $module 2>/dev/null || { hdf5=$(pkg-config --cflags $module); break; }
done
hdf5=$(printf '%s' "$hdf5" | sed 's/-I/-isystem /g')
have_hdf5=no
! printf '#include <hdf5.h>\n' | ${CC:-cc} -E $hdf5 - >/dev/null 2>&1 || have_hdf5=yes
petsc=$(pkg-config --variable=includedir petsc 2>/dev/null || pkg-config --variable=includedir PETSc 2>/dev/null) &&
  petsc="-isystem $petsc" || petsc=
have_petsc=no
! printf '#include <petscksp.h>\n' | ${CC:-cc} -E $petsc $mpi - >/dev/null 2>&1 || have_petsc=yes
lacks() { # HEADER: succeeds, with a skipped check, if its library is missing
  case $1 in *hdf5*.h) [ $have_hdf5 = yes ] || { skip "$1: there is no hdf5.h here"; return 0; } ;; esac
  case $1 in *petsc*.h) [ $have_petsc = yes ] || { skip "$1: there is no petscksp.h here"; return 0; } ;; esac
  case $1 in *mpi*.h) ;; *) return 1 ;; esac
  [ $have_mpi = no ] || return 1
  skip "$1: there is no mpi.h here"
}

# alone "COMPILER FLAGS" FOLDER HEADER: prints the compiler's messages. A translation unit must
# declare something, which a header with only macros does not.
alone() {
  printf '#include "%s"\n#include "%s"\ntypedef int op2_test_unit;\n' "$3" "$3" |
    $1 -I "$2" -I "$src/include" -iquote "$2" $mpi $hdf5 $petsc -
}

public() { # LANGUAGE-NAME "COMPILER FLAGS"
  if ! command -v "${2%% *}" >/dev/null 2>&1; then
    skip "${2%% *} is not installed: headers not tried as $1"
    return
  fi
  for header in op2.h $(cd "$src/include" && ls op2/*.h); do
    lacks "$header" || clean "$header alone, as $1 by ${2%% *}" alone "$2" "$src/include" "$header"
  done
}

cc=${CC:-cc}
cxx=${CXX:-c++}
public C11 "$cc -std=c11 $strict -Wstrict-prototypes -x c"
public C++11 "$cxx -std=c++11 $strict -x c++"
public C11 "clang -std=c11 $strict -Wstrict-prototypes -x c"
public C++11 "clang++ -std=c++11 $strict -x c++"
# Programs for OP2 are C++, and of some dialect of GNU's.
if command -v "${cxx%% *}" >/dev/null 2>&1; then
  for header in op2_compat.h op2_compat_fortran.h op2_compat_mpi.h op_seq.h op_lib_cpp.h op_hdf5.h; do
    clean "$header alone, as C++11" alone "$cxx -std=c++11 $strict -x c++" "$src/include/op2-compat" "$header"
  done
fi
clean "op2_compat.h alone, as C" alone "$cc -std=gnu11 $strict -x c" "$src/include/op2-compat" op2_compat.h

cat >"$tmp/caller" <<'END'
#include "op2.h"
op2_status queue(op2_kernel k, op2_set s, op2_dat d, op2_map m, op2_gbl g);
op2_status queue(op2_kernel k, op2_set s, op2_dat d, op2_map m, op2_gbl g) {
  const double v[2] = {1, 2};
  return op2_par_loop(k, s, op2_arg_direct(d, OP2_READ), op2_arg_dat(d, 0, m, OP2_INC),
                      op2_arg_gbl(g, OP2_INC), op2_arg_info(g, 2), op2_arg_val(v, 2, OP2_F64), op2_arg_idx(),
                      op2_arg_map_idx(m, 1));
}
int look(void *data, void *const *values);
void end(void *data);
op2_status call(op2_context c, op2_dat d, op2_gbl g);
op2_status call(op2_context c, op2_dat d, op2_gbl g) {
  const op2_status status = op2_call(c, look, &g);
  if (status || op2_call_owned(c, look, &g, end)) return status;
  if (op2_call_owned(c, look, &g, end, op2_arg_direct(d, OP2_RW))) return status;
  return op2_call(c, look, &g, op2_arg_direct(d, OP2_RW), op2_arg_gbl(g, OP2_READ));
}
END

# caller "COMPILER FLAGS" [FILE]: prints the compiler's messages, and the functions it generated
# whose names begin with op2_
caller() {
  $1 -fPIC -I "$src/include" -c "${2:-$tmp/caller}" -o "$tmp/caller.o" &&
    nm --defined-only "$tmp/caller.o" | sed -n '/ op2_/p'
}

callers() { # COMPILER LANGUAGE "FLAGS" DIALECT...
  compiler=$1 language=$2 flags=$3
  shift 3
  if ! command -v "$compiler" >/dev/null 2>&1; then
    skip "$compiler is not installed: no callers tried"
    return
  fi
  for dialect; do
    for level in -O0 -O2; do
      clean "a caller, -std=$dialect $level, by $compiler" \
        caller "$compiler -x $language -std=$dialect $flags $level"
    done
  done
}

strictest="-Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -pedantic"
for compiler in "$cc" clang; do
  callers "$compiler" c "$strictest" c99 c11 gnu17
  callers "$compiler" c -Wall gnu89
done
for compiler in "$cxx" clang++; do
  callers "$compiler" c++ "$strictest -Wold-style-cast -Wzero-as-null-pointer-constant" c++11 c++17
done
sed 's/queue/op2_queue/' "$tmp/caller" >"$tmp/planted"
catches "a caller that defines a name of the library" op2_queue \
  caller "$cc -x c -std=c11" "$tmp/planted"
sed 's/op2_arg_direct(d, OP2_READ)/d/' "$tmp/caller" >"$tmp/planted"
catches "a handle for an argument" 'pointer type' caller "$cc -x c -std=c11" "$tmp/planted"

for room in $(rooms "$src"); do
  for header in $(cd "$src/$room" && ls | grep '\.h$'); do
    lacks "$header" || clean "$room/$header alone" alone "$cc -std=gnu11 $internal -x c" "$src/$room" "$header"
  done
done

mkdir "$tmp/op2"
printf '#ifndef P\n#define P\nint64_t op2_planted(void);\n#endif\n' >"$tmp/op2/planted.h"
catches "a header that needs another" int64_t alone "$cc -std=c11 $strict -x c" "$tmp" op2/planted.h
printf 'struct op2_planted { int a; };\n' >"$tmp/op2/planted.h"
catches "a header without a guard" redefinition \
  alone "$cc -std=c11 $strict -x c" "$tmp" op2/planted.h
printf '#ifndef P\n#define P\nint op2_planted(int class);\n#endif\n' >"$tmp/op2/planted.h"
clean "the next one is C" alone "$cc -std=c11 $strict -x c" "$tmp" op2/planted.h
if command -v "$cxx" >/dev/null 2>&1; then
  catches "a header that is no C++" class \
    alone "$cxx -std=c++11 $strict -x c++" "$tmp" op2/planted.h
else
  skip "$cxx is not installed: no header planted for it"
fi

done_testing
