#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The Fortran modules compile as Fortran 2018 without warnings, and bind every public function or
# list it as left out, with the reason; a planted function is missed. Each binding is called.
set -u
. "$(dirname "$0")/../support/tap.sh"

module=$tmp/op2.f90
headers() { # [BLANKS]: prints the headers of op2, or of op2_hdf5, whose list is indented
  awk -v start="^${1-}foreach name : " '$0 ~ start { inside = 1 } inside { print } inside && /\]/ { exit }' \
    "$src/fortran/meson.build" | grep -o "'[a-z0-9]*'" | tr -d "'" |
    sed "s|.*|$src/include/op2/&.h|"
}
# made HEADER...: writes the module
made() { "$src/fortran/make-module.py" "$src/fortran/op2.f90.in" "$module" "$@"; }
made_hdf5() {
  "$src/fortran/make-module.py" "$src/fortran/op2_hdf5.f90.in" "$tmp/op2_hdf5.f90" $(headers '  ') --uses $(headers)
}
# declared HEADER...: prints the names of public functions
declared() {
  cat "$@" | tr '\n' ' ' | sed 's|/\*\([^*]\|\*[^/]\)*\*/||g' | tr ';' '\n' |
    sed -n 's/.*OP2_API [^(]*[ *]\(op2_[a-z0-9_]*\)(.*/\1/p' | sort -u
}
bound() { # FILE...: prints the names of C functions that have interfaces
  cat "$@" | grep -o 'name="op2_[a-z0-9_]*"' | sed 's/name="//; s/"//' | sort -u
}
# left_out NAME: succeeds if the list has the name, and a reason
left_out() {
  while read -r pattern reason; do
    case $pattern in '#'*) continue ;; esac
    # shellcheck disable=SC2254 # the list has patterns
    case $1 in $pattern) [ -n "$reason" ] && return 0 ;; esac
  done <"$src/fortran/left-out.txt"
  return 1
}
# forgotten FILE HEADER...: prints declared functions that are neither in FILE nor left out
forgotten() {
  list=$1
  shift
  for name in $(declared "$@"); do
    grep -q -x -e "$name" "$list" || left_out "$name" || echo "$name is neither bound nor left out"
  done
}
both() { # prints names that are bound, although the list has them
  while read -r name; do ! left_out "$name" || echo "$name is bound and left out"; done <"$1"
}
unused() { # prints bindings that no procedure calls
  bound "$1" | while read -r name; do
    [ "$(grep -c -E "c_$name\(" "$1")" -ge 2 ] || echo "$name is bound and not called"
  done
}

runs "the module is made" made $(headers)
runs "so is that of libop2-hdf5" made_hdf5
bound "$module" "$tmp/op2_hdf5.f90" "$src/fortran/op2_mpi.f90" >"$tmp/bound"
runs "they bind many functions ($(wc -l <"$tmp/bound" | tr -d ' '))" test "$(wc -l <"$tmp/bound")" -gt 230
clean "every public function is bound or left out" forgotten "$tmp/bound" "$src"/include/op2/*.h
clean "none is both" both "$tmp/bound"
clean "each binding is called" unused "$module"
clean "each of op2_hdf5, too" unused "$tmp/op2_hdf5.f90"
twice() { grep -h -E '^  (type ::|integer\(c_int\), parameter ::)' "$module" "$tmp/op2_hdf5.f90" | sort | uniq -d; }
clean "what op2 has is not made again" twice

printf '/** @brief b */\nOP2_API OP2_NODISCARD op2_status op2_planted(op2_set set);\n' >"$tmp/planted.h"
catches "a function that is not bound" 'op2_planted is neither' forgotten "$tmp/bound" "$tmp/planted.h"
made $(headers) "$tmp/planted.h"
bound "$module" >"$tmp/bound+"
clean "one that the script binds" forgotten "$tmp/bound+" "$tmp/planted.h"
runs "as a procedure" grep -q 'subroutine op2_planted(set, stat)' "$module"
made $(headers)

if ! command -v gfortran >/dev/null 2>&1; then
  skip "gfortran is not installed: the modules are not compiled"
else
  compiled() { (cd "$tmp" && gfortran -std=f2018 -Wall -Wextra -Werror -c "$@"); }
  clean "the module is Fortran 2018" compiled op2.f90
  clean "so is op2_hdf5" compiled op2_hdf5.f90
  for module in base reference; do
    runs "the module of OP2's interface is made: $module" "$src/fortran/compat/make-compat.py" \
      "$src/fortran/compat/$module.f90.in" "$tmp/$module.f90"
  done
  clean "so are those of OP2's interface" compiled base.f90 "$src/fortran/compat/declarations.f90" \
    reference.f90 "$src/fortran/compat/rt_support.f90" "$src/fortran/compat/hdf5.f90" \
    "$src/fortran/compat/hdf5_declarations.f90"
  clean "so is op2_mpi" compiled "$src/fortran/op2_mpi.f90"
  for example in mesh_file airfoil_kernels airfoil heat_kernels heat; do
    clean "so is $example" compiled "$src/fortran/examples/$example.f90"
  done
fi
done_testing
