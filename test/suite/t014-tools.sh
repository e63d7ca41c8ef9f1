#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The programs that are installed beside the library: what they print, what they remove, what they
# refuse, and their manual pages.
set -u
. "$(dirname "$0")/../support/tap.sh"

tools=$src/tools
info=${build:+$build/tools/op2-info}
cache=$tools/op2-cache
airfoil=${build:+$build/bench/airfoil/airfoil}

says() { # PATTERN: checks that the last command printed a match
  grep -q -e "$1" "$tmp/said" || { cat "$tmp/said"; return 1; }
}
refused() { # PATTERN COMMAND...: checks that the command fails with such words
  pattern=$1
  shift
  ! "$@" >"$tmp/said" 2>&1 && says "$pattern"
}

# ---- op2-info ----

if [ -n "$info" ] && [ -x "$info" ]; then
  version=$(awk '/define OP2_VERSION_M|define OP2_VERSION_P/ { printf "%s%s", dot, $3; dot = "." }' \
    "$src/include/op2/version.h")
  OP2_BACKEND=sequential "$info" >"$tmp/said" 2>&1
  result $? "op2-info ends well"
  runs "it tells the version" says "^op2 $version\$"
  runs "the backend that is used" says "sequential can be used, and is used unless another one"
  runs "every backend" test "$(grep -c 'can be used\|cannot be used: .' "$tmp/said")" -eq 8
  runs "the machine" says "^machine: [0-9]* of [0-9]* processing units"
  runs "the version alone" test "$("$info" --version)" = "$version"
  "$info" --environment >"$tmp/said"
  runs "variables" says "^OP2_BACKEND "
  "$info" --help >"$tmp/said"
  runs "help" says "op2-info --environment"
  runs "an unknown argument is refused" refused "unknown argument --sing" "$info" --sing
  OP2_BACKEND=abacus runs "a backend that is none ends it" \
    refused "op2-info: OP2_BACKEND is 'abacus'" env OP2_BACKEND=abacus "$info"
else
  skip "op2-info is not built"
fi

# ---- op2-cache ----

for wrong in '' 'prune' 'prune --days' 'prune --days x' 'list more' 'burn' '--folder'; do
  # shellcheck disable=SC2086 # the words of the command
  runs "op2-cache $wrong is refused" refused '^op2-cache: ' "$cache" $wrong
done
runs "a folder that is not there is refused" refused "no folder $tmp/none" "$cache" \
  --folder "$tmp/none" list
runs "help" sh -c "'$cache' --help | grep -q '^  clear  *remove all'"

if [ -n "$airfoil" ] && [ -x "$airfoil" ]; then
  folder="$tmp/a folder"
  fill() {
    OP2_CACHE_DIR=$folder "$airfoil" --mesh 16x24 --iterations "$1" --backend sequential \
      >"$tmp/said" 2>&1
  }
  entries() { "$cache" --folder "$folder" size | sed 's/ .*//'; }
  runs "a program fills its folder" fill 4
  all=$(entries)
  runs "entries are counted once" test "$all" -ge 1
  "$cache" --folder "$folder" list >"$tmp/said"
  runs "all are listed" test "$(wc -l <"$tmp/said")" -eq "$all"
  runs "with the kernels in them" says 'res_calc'
  one=$(find "$folder" -name '*.so' | head -n 1)
  number=$(stat -c %i "$one")
  find "$folder" -inum "$number" -exec touch -d '40 days ago' {} +
  runs "old ones are removed" "$cache" --folder "$folder" prune --days 30
  runs "and no others" test "$(entries)" -eq $((all - 1))
  runs "under all of their names" test -z "$(find "$folder" -inum "$number")"
  runs "few megabytes are enough" "$cache" --folder "$folder" prune --megabytes 1000
  runs "so that nothing is removed" test "$(entries)" -eq $((all - 1))
  OP2_CACHE_DIR=$folder "$cache" prune --megabytes 0
  runs "none are allowed" test "$(entries)" -eq 0
  runs "the program compiles again" fill 4
  runs "all that was there" test "$(entries)" -eq "$all"
  touch "$folder/mine.c"
  runs "all are removed" "$cache" --folder "$folder" clear
  runs "but other files" test "$(entries) $(ls "$folder" | grep mine)" = "0 mine.c"
else
  skip "airfoil is not built: no folder to list"
fi

# ---- op2-graph ----

graph=$tools/op2-graph
check=$tools/op2-check
python=no
python3 -c pass 2>/dev/null && python=yes
if [ $python = no ]; then
  skip "op2-graph and op2-check need Python"
else
  printf 'digraph op2 {\n' >"$tmp/half.dot"
  printf 'digraph g {\n}\n' >"$tmp/other.dot"
  runs "op2-graph: no file" refused "none.dot: No such file" "$graph" "$tmp/none.dot"
  runs "another graph" refused "not written by OP2_GRAPH" "$graph" "$tmp/other.dot"
  runs "half a graph" refused "no whole graph" "$graph" "$tmp/half.dot"
  runs "an unknown option" refused "unknown option --png" "$graph" --png "$tmp/other.dot"
  runs "no name for the picture" refused "needs the name of a file" "$graph" --svg "$tmp/other.dot"
  runs "help" sh -c "'$graph' --help | grep -q 'svg OUT.svg'"
fi
if [ $python = yes ] && [ -n "$airfoil" ] && [ -x "$airfoil" ]; then
  for costs in 0 1; do
    OP2_CACHE_DIR=$tmp/cache OP2_GRAPH=$tmp/graph-$costs.dot OP2_GRAPH_COSTS=$costs \
      "$airfoil" --mesh 6x8 --iterations 2 --backend sequential >"$tmp/said" 2>&1
  done
  runs "a graph is text" sh -c "'$graph' '$tmp/graph-0.dot' >'$tmp/said'"
  runs "with all loops" says '^loops and calls 9, of which one waits for another 19 times'
  runs "where they were queued" says '^    12  res_calc   over edges, airfoil.c:[0-9]*$'
  runs "what they wait for" says '^        after 11: adt RAW$'
  runs "and no times" sh -c "! grep -q ' ms' '$tmp/said'"
  runs "a graph with costs" sh -c "'$graph' '$tmp/graph-1.dot' >'$tmp/said'"
  runs "has the times" says '^    12 \*  *[0-9.]* ms res_calc'
  runs "and their sums" says '^together [0-9.]* ms, on the critical path (\*) [0-9.]* ms'
  OP2_CACHE_DIR=$tmp/cache OP2_GRAPH=$tmp/fused.dot OP2_FUSE=2 \
    "$airfoil" --mesh 6x8 --iterations 2 --backend openmp >"$tmp/said" 2>&1
  if grep -q cluster_fused1 "$tmp/fused.dot" 2>/dev/null; then
    "$graph" "$tmp/fused.dot" >"$tmp/said"
    runs "fused loops are named" says 'adt_calc  *over cells, airfoil.c:[0-9]*, fused with 10$'
  else
    skip "loops are not fused without OpenMP"
  fi
  if command -v dot >/dev/null; then
    runs "a graph is a picture" "$graph" --svg "$tmp/graph.svg" "$tmp/graph-1.dot"
    runs "with a loop" grep -q '>12: res_calc<' "$tmp/graph.svg"
  else
    skip "there is no dot to make a picture"
  fi
else
  skip "airfoil or Python is not here: no graph to show"
fi

# ---- op2-check ----

if [ $python = yes ]; then
  runs "op2-check: no program" refused "which program" "$check" --sample 3
  runs "no number" refused "needs a number" "$check" --sample x true
  runs "an unknown option" refused "unknown option --all" "$check" --all
  runs "no such program" refused "$tmp/none: No such file" "$check" "$tmp/none"
  runs "a program without the library" refused "made no context" "$check" true
  "$check" false 2>"$tmp/said"
  runs "the status is the program's" test $? -eq 1
  runs "help" sh -c "'$check' --help | grep -q 'sample N'"
fi
seeing=${build:+$build/examples/06-seeing}
if [ $python = yes ] && [ -n "$seeing" ] && [ -x "$seeing" ]; then
  OP2_CACHE_DIR=$tmp/cache
  export OP2_CACHE_DIR
  "$check" "$seeing" >"$tmp/out" 2>"$tmp/said"
  runs "a right program ends well" test $? -eq 0
  runs "what was checked is listed" says '^op2-check: 2 kernels checked in 20 loops.*: halve, square$'
  runs "nothing was found" says '^op2-check: no mistakes$'
  runs "messages for information are not shown" sh -c "! grep -q 'op2 info' '$tmp/said'"
  "$check" --sample 2 "$seeing" wrong >"$tmp/out" 2>"$tmp/said"
  runs "a wrong one does not" test $? -eq 1
  runs "its mistake is listed once" says '^op2-check: 1 mistake:$'
  runs "with the loop, argument and element" \
    says "^  .*06-seeing.c:[0-9]*: loop 'wrong' .*argument 1 .*element 0 .*(and 9 times more)$"
else
  skip "the example 06-seeing or Python is not here: no program to check"
fi
if [ $python = yes ] && [ -n "$airfoil" ] && [ -x "$airfoil" ]; then
  "$check" "$airfoil" --mesh 4x6 --iterations 1 --backend sequential >"$tmp/out" 2>"$tmp/said"
  runs "a program with a backend of its own has another status" test $? -eq 3
  runs "and is named" says 'chose the backend sequential itself'
fi

# ---- manual pages ----

for page in "$tools"/man/*.1; do
  name=$(basename "$page" .1)
  script=$tools/$name
  [ "$name" != op2-c++ ] || script=$src/compat/$name
  [ -e "$script" ] || script=$script.c
  runs "$name is a program" test -f "$script"
  if command -v groff >/dev/null; then
    clean "$name.1 is without warnings" sh -c "groff -man -ww -Tutf8 '$page' 2>&1 >/dev/null"
  else
    skip "there is no groff to read $name.1"
  fi
  for option in $(sed 's/\\-/-/g' "$page" | grep -o -e '--[a-z]*' | sort -u); do
    runs "$name takes $option" grep -q -F -e "$option" "$script"
  done
done

# ---- completion ----

# completes TOOL WORD...: prints what bash offers for the last word
completes() {
  bash -c '. "$0" && words=("$@") && _op2_tool "$1" "${words[-1]}" "${words[-2]}" &&
    printf "%s\n" "${COMPREPLY[@]}"' "$tools/completion.bash" "$@"
}
if ! command -v bash >/dev/null; then
  skip "there is no bash to complete words"
else
  for page in "$tools"/man/*.1; do
    name=$(basename "$page" .1)
    program=$tools/$name
    [ "$name" != op2-c++ ] || program=$src/compat/$name
    [ "$name" != op2-info ] || program=$info
    runs "bash completes words of $name" grep -q "^complete .* $name\( \|\$\)" "$tools/completion.bash"
    [ -x "$program" ] || { skip "$name is not built"; continue; }
    "$program" --help >"$tmp/said"
    completes "$program" - >"$tmp/offered"
    { grep -o -e '[[ (]--*[a-z][a-z-]*' "$tmp/said" | tr -d ' [('
      sed 's/\\-/-/g' "$page" | grep -o -e '--[a-z]*'; } >"$tmp/options"
    for option in $(sort -u "$tmp/options"); do
      runs "$name: bash offers $option" grep -q -x -F -e "$option" "$tmp/offered"
    done
  done
  runs "it offers commands" test "$(completes "$cache" '' | tr '\n' ' ')" = "clear list prune size "
  runs "of which one is chosen" test "$(completes "$cache" pr)" = prune
  mkdir -p "$tmp/some/folder"
  runs "it offers folders" test "$(completes "$cache" --folder "$tmp/some/f")" = "$tmp/some/folder"
fi

done_testing
