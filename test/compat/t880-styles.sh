#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Kernels in the styles of applications of OP2: each is vector code of its text, or called by its
# address for a reason that is true. Copies without contraction are there for all, by gcc and clang.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$src/test/compat/programs.sh"
OP2_BACKEND=openmp
export OP2_BACKEND
flags=
! grep -q -w fma /proc/cpuinfo || flags=-mfma

by_address() { # KERNEL REASON
  grep -F "kernel '$1' is called by its address, as scalar code: $2" "$tmp/err" >/dev/null
}
is_text() {
  ! grep "kernel '$1' is called by its address" "$tmp/err" &&
    sed -n "/^  $1 over /,/^  [a-z]/p" "$tmp/out" | grep -q '^    vector code'
}
forms() {
  sed -n 's/^form //p' "$tmp/out" >"$tmp/forms"
  runs "$label: there are forms" test "$(wc -l <"$tmp/forms")" -ge 25
  while read -r kernel form; do
    if [ "$form" = text ]; then
      runs "$label: $kernel is vector code" is_text "$kernel"
    else
      runs "$label: $kernel, by its address" by_address "$kernel" "$form"
    fi
  done <"$tmp/forms"
}
for compiler in "$cxx" clang++; do
  command -v "${compiler%% *}" >/dev/null || { skip "$compiler is not installed"; continue; }
  label=$compiler
  # shellcheck disable=SC2086 # words
  runs "$label: the program is compiled" sh "$build/compat/op2-c++" $compiler -std=c++17 -O2 $flags \
    -Wall -Wextra -Wno-unused-parameter -Werror -o "$tmp/styles" "$here/styles.cpp" $alone
  on alone "$tmp/styles"
  results "$label" $?
  forms
done
label="without the wrapper"
# shellcheck disable=SC2086 # words
runs "$label: the program is compiled" $cxx -std=c++17 -O2 $flags -o "$tmp/styles" "$here/styles.cpp" $alone
on alone "$tmp/styles"
results "$label" $?
forms
done_testing
