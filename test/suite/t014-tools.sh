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
  runs "every backend" test "$(grep -c 'can be used\|cannot be used: .' "$tmp/said")" -eq 7
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
