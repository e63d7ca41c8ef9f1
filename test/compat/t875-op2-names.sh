#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every name of OP2's headers (op2-names.txt) is in those of libop2-compat, or refused there by a
# message of the compiler, and stands in doc/from-op2.md; so does every name that our headers have.
set -u
. "$(dirname "$0")/../support/tap.sh"

here=$src/test/compat
headers=$src/include/op2-compat
page=$src/doc/from-op2.md
cxx=${CXX:-c++}

grep -v '^#' "$here/op2-names.txt" | tr -s ' ' '\n' | grep . >"$tmp/names"
for header in "$headers"/*.h; do code "$header"; done | grep -o '[A-Za-z_][A-Za-z_0-9]*' | sort -u \
  >"$tmp/words"
# What our headers have: names that begin as OP2's do. Tags of structures are not for programs.
grep '^[oO][pP]_[a-zA-Z]' "$tmp/words" | grep -v '_$\|^op_[a-z]*_core$' >"$tmp/ours"
grep -o '`[^`]*`' "$page" | grep -o '[A-Za-z_][A-Za-z_0-9]*' | sort -u >"$tmp/page"

# lack LIST WORDS: prints the names of a list that are not among words
lack() { sort -u "$1" | comm -23 - "$2"; }
runs "there are names" test "$(wc -l <"$tmp/names")" -gt 150 -a "$(wc -l <"$tmp/ours")" -gt 150
clean "every name of OP2 is in the headers" lack "$tmp/names" "$tmp/words"
clean "every name of OP2 is in the page" lack "$tmp/names" "$tmp/page"
clean "every name of the headers is in the page" lack "$tmp/ours" "$tmp/page"
echo op_forgotten >"$tmp/planted"
catches "a name that is nowhere" '^op_forgotten$' lack "$tmp/planted" "$tmp/page"

# Programs that use all names that are refused.
functions=$(sed -n 's/^OP2_COMPAT_\(REFUSED\|GENERATED\)_(\([A-Za-z_0-9]*\).*/\2/p' \
  "$headers/op2_compat_refused.h")
variables=$(sed -n 's/^OP2_COMPAT_NO_VARIABLE_([^,]*, \([A-Za-z_0-9]*\),.*/\1/p' \
  "$headers/op2_compat_refused.h")
if ! command -v "$cxx" >/dev/null 2>&1; then
  skip "there is no C++ compiler: what is refused not tried"
  done_testing
fi
# compiled: adds what the compiler says of a program on stdin. Functions are refused where a call is
# translated, which an error before prevents.
compiled() {
  cat >"$tmp/refused.cpp"
  "$cxx" -std=c++17 -I"$headers" -O0 -c -o "$tmp/refused.o" "$tmp/refused.cpp" 2>>"$tmp/errors"
}
{
  printf '#include "op_seq.h"\n#include "op_profile.h"\n'
  echo 'void by_class() { op_profile::instance(); }'
  for name in $functions; do echo "void call_$name(op_set s) { $name(s, 1, 2.0); }"; done
} | compiled
{
  printf '#include "op_seq.h"\n'
  for name in $variables; do echo "void look_$name() { (void)$name; }"; done
} | compiled
refused() { # NAME: whether the compiler names it and says more
  grep -q "[‘'\`]\(op2_compat_nothing \)\{0,1\}$1\((...)\)\{0,1\}['’].*[:(] *[a-zA-Z]" "$tmp/errors"
}
for name in $functions $variables; do runs "$name is refused" refused "$name"; done
runs "the class of profiles is refused" grep -q 'use op_profile_enter() and its like' "$tmp/errors"
done_testing
