#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What programs that were compiled with 1.0 rely on is still there: doc/abi/1.0.txt has functions with
# their types, layouts of structs, values of enumerators and macros, symbols with versions, and
# SONAMEs. Additions are allowed. Planted changes of each kind are found. OP2_TEST_UPDATE=1 writes
# the file anew, which is for the time before 1.0 is released only.
set -u
. "$(dirname "$0")/../support/tap.sh"

dump=$src/doc/abi/1.0.txt
LC_ALL=C
export LC_ALL

python=
for try in python3 /usr/bin/python3; do
  [ -n "$python" ] || ! "$try" -c 'import elftools' 2>/dev/null || python=$try
done
if [ -z "$python" ]; then
  skip "python3-pyelftools is not installed: the ABI is not compared"
  done_testing
fi
case $(uname -m) in
  x86_64 | aarch64) ;;
  *) skip "layouts are compared on 64-bit machines only"; done_testing ;;
esac
facts() { "$python" "$src/test/support/abi_facts.py" "$@"; }

# Types of MPI and PETSc are those of what is installed; of the interface they are names.
mkdir "$tmp/foreign"
echo 'typedef struct foreign_comm *MPI_Comm; typedef int MPI_Fint;' >"$tmp/foreign/mpi.h"
cat >"$tmp/foreign/petscksp.h" <<'END_HEADER'
#include <mpi.h>
typedef struct foreign_mat *Mat;
typedef struct foreign_vec *Vec;
typedef struct foreign_ksp *KSP;
typedef const char *MatType;
END_HEADER

# all_headers DIR: prints a source with all headers and, for each function in them, a variable of
# its type
all_headers() {
  echo '#include <op2.h>'
  for companion in checkpoint io meshfile mpi petsc vtkhdf xdmf; do echo "#include <op2/$companion.h>"; done
  for header in "$1"/op2/*.h; do
    code "$header" | sed '/^[ \t]*#/d' | tr '\n' ' ' | tr ';' '\n' |
      sed -n 's/.*OP2_API[ \t][^(]*[ *]\([A-Za-z_][A-Za-z0-9_]*\)[ \t]*(.*/__typeof__(\1) *of_\1;/p'
  done
}
# header_facts DIR: prints the facts of the headers in a folder
header_facts() {
  all_headers "$1" >"$tmp/all.c" &&
    ${CC:-cc} -I "$1" -I "$tmp/foreign" -gdwarf-4 -O0 -fno-eliminate-unused-debug-types \
      -c "$tmp/all.c" -o "$tmp/all.o" &&
    ${CC:-cc} -I "$1" -I "$tmp/foreign" -E -dM "$tmp/all.c" >"$tmp/macros" &&
    facts --object "$tmp/all.o" --include "$1" --macros "$tmp/macros"
}
# lost KIND...: prints the facts of these kinds that 1.0 has and the present list, from stdin, lacks
lost() {
  for kind; do grep "^$kind " "$dump"; done | sort >"$tmp/was"
  sort | comm -23 "$tmp/was" - | sed 's/^/1.0 has: /'
}

header_kinds='enum function macro struct typedef'
libraries=
if [ -n "$build" ]; then
  for library in "$build"/libop2*.so "$build"/compat/libop2*.so; do
    [ ! -e "$library" ] || libraries="$libraries $library"
  done
fi

if [ "${OP2_TEST_UPDATE:-0}" = 1 ]; then
  # shellcheck disable=SC2086 # words
  { header_facts "$src/include"; facts $libraries; } >"$tmp/new" && mkdir -p "$src/doc/abi" &&
    sort "$tmp/new" >"$dump"
fi

# ---- what is there ----

header_facts "$src/include" >"$tmp/now"
result $? "the headers have $(wc -l <"$tmp/now" | tr -d ' ') facts"
for kind in $header_kinds; do
  runs "1.0 has some of the kind $kind" grep -q "^$kind " "$dump"
  clean "those of 1.0 are there: $kind" lost "$kind" <"$tmp/now"
done
[ -n "$libraries" ] || skip "no shared library was built: symbols are not compared"
library_lost() { facts "$1" | lost "library $(basename "$1"):"; }
for library in $libraries; do
  name=$(basename "$library")
  case $name in
    libop2-openmpi.so | libop2-mpich.so | libop2-compat-openmpi.so | libop2-compat-mpich.so)
      continue ;;
  esac
  runs "1.0 has $name" grep -q "^library $name: SONAME" "$dump"
  clean "symbols of 1.0 are there: $name" library_lost "$library"
done

# Before the release functions are added to 1.0 without further ado; in the released file they are.
version=$(awk '/define OP2_VERSION_M|define OP2_VERSION_P/ { printf "%s%s", dot, $3; dot = "." }' \
  "$src/include/op2/version.h")
added() { comm -13 "$dump" "$tmp/now" | sed 's/^/1.0 lacks: /'; }
if grep -q "^## $version, unreleased" "$src/CHANGELOG.md"; then
  skip "$version is not released: its file need not be complete"
else
  [ "$version" != 1.0.0 ] || clean "the file of the release is complete" added
fi

# ---- planted changes ----

planted=$tmp/planted
# plants NAME KIND PATTERN FILE SCRIPT: checks that a change of a header, by sed, is found
plants() {
  rm -rf "$planted"
  cp -R "$src/include" "$planted"
  sed -i "$5" "$planted/$4"
  if cmp -s "$src/include/$4" "$planted/$4"; then
    result 1 "planted: $1"
    diag "$4 has not changed"
  else
    changed() { header_facts "$planted" | lost "$2"; }
    catches "$1" "^1.0 has: $3" changed "$1" "$2"
  fi
}
plants "a parameter's type" function 'function op2_set_create: op2_status (op2_context, int64_t,' \
  op2/mesh.h '/op2_status op2_set_create(/s/int64_t/int32_t/'
plants "one more parameter" function 'function op2_workers:' op2/context.h \
  's/op2_workers(op2_context ctx)/op2_workers(op2_context ctx, int which)/'
plants "a result's type" function 'function op2_workers: int ' op2/context.h \
  's/int op2_workers(/long op2_workers(/'
plants "a function that is gone" function 'function op2_backend_name:' op2/context.h \
  '/op2_backend_name(op2_context ctx);/d'
plants "a parameter that became const" function 'function op2_finalize:' op2/context.h \
  's/op2_finalize(op2_context \*ctx)/op2_finalize(const op2_context *ctx)/'
plants "a field in the middle" struct 'struct op2_arg.map: at 16' op2/loop.h \
  's/^  op2_map map;/  void *planted; op2_map map;/'
plants "a field at the end" struct 'struct op2_object: ' \
  op2/query.h 's/^} op2_object;/  void *planted; &/'
plants "fields in another order" struct 'struct op2_arg.idx: at 32' op2/loop.h \
  's/^  int32_t idx;/  int32_t other;/; s/^  int32_t idx2;/  int32_t idx;/; s/other;/idx2;/'
plants "a field's type, of the same width" struct 'struct op2_arg.dim: at 40, int32_t' op2/loop.h \
  's/^  int32_t dim;/  float dim;/'
plants "a field's name" struct 'struct op2_arg.dim: at 40' op2/loop.h \
  's/^  int32_t dim;/  int32_t width;/'
plants "an enumerator in the middle" enum 'enum op2_access: OP2_INC = 4' op2/types.h \
  's/^  OP2_INC\>/  OP2_PLANTED, OP2_INC/'
plants "an enumerator's value" enum 'enum op2_type: OP2_F64 = 1' op2/types.h \
  's/OP2_F64 = 1/OP2_F64 = 21/'
plants "the width of an enumeration" enum 'enum op2_type: 4 bytes' op2/types.h \
  's/^  OP2_U64 /  OP2_U64, OP2_PLANTED = 0x100000000 /'
plants "a typedef" typedef 'typedef op2_set: struct op2_set_s \*' op2/types.h \
  's/^typedef struct op2_set_s \*op2_set;/typedef long op2_set;/'
plants "a function type" typedef 'typedef op2_monitor_function: void (\*)(void \*, int, double)' \
  op2/solve.h '/op2_monitor_function)(/s/double/float/'
plants "a macro's value" macro 'macro OP2_ALL: (-1)' op2/loop.h 's/^\(#define OP2_ALL *\).*/\1(-2)/'

# A library of the same symbols has other changes.
sed -n 's/^library libop2.so: \(op2_[a-z_0-9]*\), .*/void \1(void) {}/p' "$dump" >"$tmp/stub.c"
stub() { # SONAME FLAG...: makes a library from stub.c, and prints what it has lost
  name=$1
  shift
  rm -f "$tmp/libop2.so"
  ${CC:-cc} -w -shared -fPIC -fno-builtin -Wl,-soname,"$name" "$@" -o "$tmp/libop2.so" \
    "$tmp/stub.c" && library_lost "$tmp/libop2.so"
}
versions=-Wl,--version-script=$src/lib/install/op2.map
echo 'void op2i_companion(void) {}' >>"$tmp/stub.c"
clean "a library of these symbols is that of 1.0" stub libop2.so.1 "$versions"
echo 'void op2_added(void) {}' >>"$tmp/stub.c"
printf 'OP2_1.1 { op2_added; };\n' | cat "$src/lib/install/op2.map" - >"$tmp/added.map"
clean "and may have more of them" stub libop2.so.1 -Wl,--version-script="$tmp/added.map"
catches "another SONAME" '^1.0 has: library libop2.so: SONAME libop2.so.1' stub libop2.so.2 "$versions"
catches "symbols without a version" 'library libop2.so: op2_init, OP2_1.0' stub libop2.so.1
sed 's/OP2_1.0/OP2_2.0/' "$src/lib/install/op2.map" >"$tmp/changed.map"
catches "symbols of another version" 'library libop2.so: op2_init, OP2_1.0' \
  stub libop2.so.1 -Wl,--version-script="$tmp/changed.map"
catches "a symbol that is gone" 'library libop2.so: op2_init, OP2_1.0' \
  stub libop2.so.1 "$versions" -Wl,--defsym=op2_planted=op2_finalize -Dop2_init=op2i_init
catches "a symbol that is renamed" 'library libop2.so: op2_flush, OP2_1.0' \
  stub libop2.so.1 "$versions" -Dop2_flush=op2_flush_all

# These are no changes of what there was.
added_headers() {
  rm -rf "$planted"
  cp -R "$src/include" "$planted"
  sed -i 's/^  OP2_U64 .*/  OP2_U64, OP2_PLANTED/' "$planted/op2/types.h"
  sed -i 's/^  \(.*\)reserved_numbers\[9\];/  \1planted; \1reserved_numbers[8];/
    s/^OP2_API int op2_workers/OP2_API int op2_planted(op2_context ctx);\n&/' "$planted/op2/context.h"
  header_facts "$planted" >"$tmp/more" || return 1
  # shellcheck disable=SC2086 # words
  lost $header_kinds <"$tmp/more"
}
clean "what was added is no change" added_headers
for fact in 'function op2_planted: int (op2_context)' 'enum op2_type: OP2_PLANTED = 11' \
  'struct op2_options.planted: '; do
  runs "it was added: ${fact%%:*}" grep -q -F "$fact" "$tmp/more"
done

done_testing
