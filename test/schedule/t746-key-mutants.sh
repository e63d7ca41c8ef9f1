#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every field of every key is left out in turn: its comparison is removed in a copy of the source,
# which is compiled and linked to a test in place of the library's own. The test must fail. Fields
# that are not left out here follow from other fields, or only narrow a search: hashes, the size of
# blocks (from the set), one end of a range (the other distinguishes ranges), the number of dats of
# a fused loop (from its members), the set of a dat's footprint (from the map).
. "${OP2_TEST_SOURCE:-$(dirname "$0")/../..}/test/support/tap.sh"

if [ -z "$build" ] || ! command -v ninja >/dev/null 2>&1; then
  skip "needs a build folder and ninja"
  done_testing
fi
if [ ! -x "$build/test/t745-keys" ]; then
  skip "t745-keys, which is to fail, is not built"
  done_testing
fi
export OP2_TEST_CACHE="$tmp/cache" OP2_TEST_QUICK=1 OP2_VERIFY=1
# The quality of generated code does not matter here, but the number of compilations does.
export OP2_TEST_CFLAGS="-O0 -fno-math-errno -ffp-contract=off"

# compile SOURCE FOLDER COPY OBJECT: compiles the copy with the command that compiled the library's
# own source
compile() {
  object=$(echo "$1" | tr / _).o
  command=$(cd "$build" && ninja -t commands libop2-internal.a | grep -F " -c ../$1" || true)
  [ -n "$command" ] ||
    command=$(cd "$build" && ninja -t commands test/t745-keys | grep -F "$object -c " | head -n 1)
  [ -n "$command" ] || return 2
  flags=${command%% -MD *}
  (cd "$build" && $flags -iquote "$src/${1%/*}" -o "$3" -c "$2")
}

# link TEST OBJECT PROGRAM: links the object before the archive that contains the library's own
# object
link() {
  command=$(cd "$build" && ninja -t commands "test/$1" | tail -n 1)
  (cd "$build" && $(echo "$command" | sed -e "s| -o test/$1 | -o $3 |" -e "s| -Wl,--start-group | $2&|"))
}

# forgets KEY SOURCE BACKEND SED: checks that t745 fails with this edit
forgets() {
  copy=$tmp/${2##*/}
  sed -e "$4" "$src/$2" >"$copy"
  if cmp -s "$src/$2" "$copy"; then
    result 1 "$1: the edit changes nothing; has $2 been rewritten?"
  elif ! compile "$2" "$copy" "$tmp/mutant.o" >"$tmp/out" 2>&1 ||
    ! link t745-keys "$tmp/mutant.o" "$tmp/mutant" >>"$tmp/out" 2>&1; then
    result 1 "$1: compiles with the edit"
    tail -n 5 "$tmp/out" | sed 's/^/# /'
  else
    OP2_TEST_BACKEND=$3 timeout 300 "$tmp/mutant" >"$tmp/out" 2>&1
    code=$?
    [ $code -ne 0 ] && [ $code -ne 124 ]
    result $? "$1 forgotten: t745-keys fails on $3"
    grep '^not ok' "$tmp/out" | head -n 1 | sed 's/^/# /'
  fi
}

# The test passes when it is linked in this way, so failures are due to the edits.
for backend in sequential openmp starpu; do
  compile lib/op/loop.c "$src/lib/op/loop.c" "$tmp/mutant.o" >"$tmp/out" 2>&1 &&
    link t745-keys "$tmp/mutant.o" "$tmp/mutant" >>"$tmp/out" 2>&1 &&
    OP2_TEST_BACKEND=$backend "$tmp/mutant" >>"$tmp/out" 2>&1
  good=$?
  result $good "t745-keys passes with the sources as they are on $backend"
  [ $good -eq 0 ] || tail -n 5 "$tmp/out" | sed 's/^/# /'
  cp "$tmp/out" "$tmp/$backend"
done

# ---- interned loops: field by field of an argument, and the rest of the call ----

call() { forgets "loops: $1" lib/op/loop_table.c sequential "$2"; }
field() {
  call "$1" "/^static inline bool same_args/,/^}/ {
    s/n++) {/n++) { op2_arg x = a[n]; x.$1 = b[n].$1;/
    s/&a\[n\]/\&x/g
  }"
}
for name in tag object map idx dim type access; do field $name; done
call kernel 's/loop->kernel == kernel && //
  s/(uintptr_t)kernel \* golden ^ //'
call set 's/loop->set == set && //
  s/ ^ (uintptr_t)set \* other//'
call "number of arguments" 's/ && loop->nargs == nargs && *$/ \&\&/
  s/same_args(nargs,/same_args(nargs < loop->nargs ? nargs : loop->nargs,/'
constants() { forgets "loops: $1" lib/op/loop.c sequential "$2"; }
constants "number of constants" 's/  if (loop->nconsts != kernel->nconsts) return false;//'
constants "identity of constants" 's/if (loop->consts\[c\].id != kernel->consts\[c\]->obj.id) return false;/;/'

if ! grep -q '(openmp' "$tmp/openmp"; then
  skip "plans, fused loops, programs and footprints: openmp, to try them on, is not built"
  done_testing
fi

# ---- plans ----

plan() { forgets "plans: $1" scheduler/plans/plancache.c openmp "$2"; }
plan set 's/key\[KEY_SET\] = .*/key[KEY_SET] = 0;/'
plan range 's/key\[KEY_\(LO\|HI\)\] = .*/key[KEY_\1] = 0;/'
plan order 's/key\[KEY_ORDERED\] = .*/key[KEY_ORDERED] = 0;/'
plan parts 's/key\[KEY_PARTS\] = .*/key[KEY_PARTS] = 0;/'
plan dat 's/word\[ARG_DAT\] = .*/word[ARG_DAT] = 0;/'
plan map 's/word\[ARG_MAP\] = .*/word[ARG_MAP] = 0;/'
plan slot 's/word\[ARG_SLOT\] = .*/word[ARG_SLOT] = 0;/'
plan "modified or not" 's/word\[ARG_MODIFIES\] = .*/word[ARG_MODIFIES] = 0;/'
plan injective 's/word\[ARG_INJECTIVE\] = .*/word[ARG_INJECTIVE] = 0;/'
plan "the same values" 's/word\[ARG_SAME\] = .*/word[ARG_SAME] = 0;/'
plan "bytes of a row" 's/word\[ARG_ROW_BYTES\] = .*/word[ARG_ROW_BYTES] = 0;/'

# ---- fused loops, programs, footprints ----

fused() { forgets "fused loops: $1" scheduler/compile/fuse_group.c openmp "$2"; }
fused members 's/words\[n++\] = r.origins\[m\]->op.id;/words[n++] = 0;/'
fused "dropped stores" 's/words\[n++\] = r.dropped\[d\];/words[n++] = 0;/'
fused "shared globals" 's/words\[n++\] = r.globals\[g++\];/words[n++] = 0;/'
program() { forgets "programs: $1" scheduler/run/program.c openmp "$2"; }
program operations 's/if (program->ops\[i\] != nodes\[i\]->op) return false;/;/
  s/hash = op2i_hash_word(hash, (uintptr_t)nodes\[i\]->op);/;/'
program "shared globals" 's/  return same_versions(program, nodes) && /  return /'
print() { forgets "footprints: $1" scheduler/plans/footprint.c openmp "$2"; }
print map 's/return a->map == b->map && /return /'
print kind 's/ && a->kind == b->kind && / \&\& /'
print slot 's/ || a->slot == b->slot)/ || true)/'
print "the first of two ways" 's/covered(loop, d, dat) &&/true \&\&/'
print "the second of two ways" 's/ *covered(loop, dat, d))$/ true)/'
done_testing
