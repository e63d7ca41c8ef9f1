#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Plant faults in a copy of the library and see that tests notice each of them. The faults, and the
# tests that are to fail, are listed in test/mutants.txt. All are compiled into one build, in which
# a variable of the environment switches one on. Takes a quarter of an hour on two cores.
#   test/mutants.sh                    all of them
#   test/mutants.sh 12 40-50           those with these numbers
#   test/mutants.sh fuse.c reader      those in whose entry one of these words occurs
#   test/mutants.sh --list [WORD...]   say which there are
#   test/mutants.sh --check            only see that all can be planted
#   test/mutants.sh --build DIR ...    copy and build in DIR, on top of what is there, and keep it
set -u
# Tests are one folder further down than this script, so the root is not found as for them.
: "${OP2_TEST_SOURCE:=$(cd "$(dirname "$0")/.." && pwd)}"
. "$(dirname "$0")/support/tap.sh"

limit=${OP2_TEST_LIMIT:-300} # seconds that a test may run
table=$src/test/mutants.txt
work=$tmp
list=no
check=no
: >"$tmp/wanted"
while [ $# -gt 0 ]; do
  case $1 in
    --list) list=yes ;;
    --check) check=yes ;;
    --build)
      work=${2:-}
      [ -n "$work" ] || { echo "mutants.sh: a folder is missing after --build" >&2; exit 2; }
      shift
      ;;
    -*) echo "mutants.sh: unknown argument '$1' (--list, --check, --build DIR, --help)" >&2; exit 2 ;;
    *) echo "$1" >>"$tmp/wanted" ;;
  esac
  shift
done

# ---- the table ----

# number ENTRIES: prints a line for each entry: number, file, fault, tests. The lines of all
# entries, each after the number of its entry, go to the file ENTRIES.
number() { # ENTRIES
  awk -v entries="$1" '
    function finish() {
      if (!open) return
      open = 0
      if (place tests == "" && !changes) { n--; return }
      if (title == "" || place == "" || tests == "" || !changes || half) {
        print "mutants.txt:" first ": an entry is what is wrong (#), a file, one or several" \
          " changes (- and +), and tests (!)" >"/dev/stderr"
        bad = 1
      }
      print n "\t" place "\t" title "\t" tests
    }
    /^[ \t]*$/ { finish(); next }
    !open { open = 1; first = NR; n++; title = place = tests = ""; changes = half = 0 }
    { print n "\t" $0 >entries }
    /^# / { title = title (title == "" ? "" : " ") substr($0, 3); next }
    /^! / { tests = tests (tests == "" ? "" : " | ") substr($0, 3); next }
    /^- / { half++; next }
    /^\+ / { half--; changes++; next }
    { place = place (place == "" ? "" : " ") $0 }
    END { finish(); exit bad }
  ' "$table"
}

# pick FILE: prints the entries that the numbers, ranges and words on the command line select, or
# else all.
pick() {
  awk -F '\t' '
    FILENAME == ARGV[1] { want[++n] = $0; next }
    !n { print; next }
    {
      for (i = 1; i <= n; i++) {
        ends = split(want[i], end, "-")
        if (want[i] !~ /^[0-9]+(-[0-9]+)?$/) hit = index($0, want[i])
        else hit = $1 >= end[1] + 0 && $1 <= end[ends] + 0
        if (hit) { print; next }
      }
    }
  ' "$tmp/wanted" "$1"
}

number "$tmp/entries" >"$tmp/all" || exit 2
pick "$tmp/all" >"$tmp/picked"
if [ $list = yes ]; then
  awk -F '\t' '{ printf "%3d  %s: %s\n", $1, $2, $3 }' "$tmp/picked"
  exit 0
fi
[ -s "$tmp/picked" ] || { echo "mutants.sh: no entry of mutants.txt is meant" >&2; exit 2; }
mkdir -p "$work" && work=$(cd "$work" && pwd) || exit 2

# ---- the copy ----

# Change the files in FOLDER by one entry after the other: the text to replace must occur exactly
# once, within one line. M in a replacement is true if the fault is on.
plant() { # FOLDER
  awk -v folder="$1" '
    function load(   line) {
      text[file] = ""
      while ((getline line <(folder "/" file)) > 0) text[file] = text[file] line "\n"
      close(folder "/" file)
    }
    function switched(line,   out, c, before, i) {
      out = before = ""
      for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "M" && before !~ /[A-Za-z0-9_]/ && substr(line, i + 1, 1) !~ /[A-Za-z0-9_]/) {
          out = out "op2i_mutant(" n ")"
          switches[n]++
        } else out = out c
        before = c
      }
      return out
    }
    function wrong(what) {
      print "mutants.txt, entry " n (file ? " (" file ")" : "") ": " what >"/dev/stderr"
      bad = 1
    }
    {
      n = substr($0, 1, index($0, "\t") - 1)
      rest = substr($0, index($0, "\t") + 1)
      switches[n] += 0
    }
    rest ~ /^[#!]/ { next }
    rest ~ /^- / { old = substr(rest, 3); next }
    rest ~ /^\+ / {
      at = index(text[file], old)
      if (!at) wrong("not there: " old)
      else if (index(substr(text[file], at + 1), old)) wrong("there more than once: " old)
      else
        text[file] = substr(text[file], 1, at - 1) switched(substr(rest, 3)) \
          substr(text[file], at + length(old))
      next
    }
    {
      file = rest
      if (!(file in text)) load()
      if (text[file] == "") wrong("there is no such file")
    }
    END {
      file = ""
      for (n in switches) if (!switches[n]) wrong("M is missing")
      for (file in text) {
        printf "%s", text[file] >(folder "/" file)
        close(folder "/" file)
      }
      exit bad
    }
  ' "$tmp/entries"
}

# An unchanged file keeps its modification time, so that it is not compiled again.
copy_tree() {
  (cd "$src" && git ls-files -c -o --exclude-standard) | while read -r file; do
    [ ! -f "$src/$file" ] || echo "$file"
  done >"$tmp/files"
  rm -rf "$work/new" && mkdir -p "$work/new" "$work/source" || return 1
  tar cf - -C "$src" -T "$tmp/files" | tar xf - -C "$work/new" || return 1
  plant "$work/new" || return 1
  while read -r file; do
    cmp -s "$work/new/$file" "$work/source/$file" && continue
    mkdir -p "$work/source/$(dirname "$file")" && cp -p "$work/new/$file" "$work/source/$file" &&
      touch "$work/source/$file" || return 1
  done <"$tmp/files"
  rm -rf "$work/new"
}

# This header is included before the first line of every source, so it may include no system header.
switch_header() {
  cat <<'END'
#ifndef OP2I_MUTANT_H
#define OP2I_MUTANT_H
extern char *getenv(const char *name);
extern int atoi(const char *text);
static inline int op2i_mutant(int n) {
  static int on = -1;
  if (on < 0) on = getenv("OP2_TEST_MUTANT") ? atoi(getenv("OP2_TEST_MUTANT")) : 0;
  return on == n;
}
#endif
END
}

make_build() {
  switch_header >"$tmp/mutant.h"
  cmp -s "$tmp/mutant.h" "$work/mutant.h" || cp "$tmp/mutant.h" "$work/mutant.h" || return 1
  if [ ! -e "$work/build/build.ninja" ]; then
    meson setup "$work/build" "$work/source" --buildtype=debugoptimized -Dtests=true -Dbench=false \
      "-Dc_args=-include $work/mutant.h" || return 1
  fi
  cut -f 4 "$tmp/picked" | tr ' ' '\n' |
    sed -n -e '/^t620-/{h;s|.*|test/libop2-test-fpmodes.so|p;g}' -e 's|^t[0-9]|test/&|p' \
      -e 's|^ON=answers$|test/answers/libOpenCL.so.1|p' \
      -e 's|^ON=emulation$|test/emulation/libcuda.so.1 test/emulation/libnvrtc.so.13|p' | sort -u |
    xargs ninja -C "$work/build" ${OP2_TEST_JOBS:+-j "$OP2_TEST_JOBS"}
}

runs "the faults can be planted" copy_tree
[ "$tap_failed" -eq 0 ] && [ $check = no ] || done_testing
runs "the library with all of them is built" make_build
[ "$tap_failed" -eq 0 ] || done_testing

# ---- running ----

# The environment is the one in which meson runs tests.
export OP2_VERIFY=1 OP2_TEST_QUICK=1 OMP_WAIT_POLICY=passive HWLOC_HIDE_ERRORS=2
export OP2_TEST_SOURCE="$work/source" OP2_TEST_BUILD="$work/build" XDG_CACHE_HOME="$tmp/xdg"
mkdir -p "$work/cache" && chmod 700 "$work/cache" || exit 2
: >"$tmp/good"
: >"$tmp/poor"

# run_test NUMBER CACHE [NAME=VALUE...] TEST: runs the test with this fault on and its output in
# $tmp/out. ON=emulation and ON=answers select the libraries of test/emulation and test/answers.
run_test() {
  fault=$1
  kept=$2
  settings=
  shift 2
  while [ $# -gt 1 ]; do
    case $1 in
      ON=answers) settings="$settings LD_LIBRARY_PATH=$work/build/test/answers" ;;
      ON=emulation)
        there=$work/build/test/emulation
        settings="$settings LD_LIBRARY_PATH=$there CUDA_HOME=$there CUDA_PATH=$there" ;;
      *) settings="$settings $1" ;;
    esac
    shift
  done
  # shellcheck disable=SC2086 # values have no blanks
  env OP2_TEST_MUTANT="$fault" OP2_TEST_CACHE="$kept" $settings \
    timeout -k 10 "$limit" "$work/build/test/$1" >"$tmp/out" 2>&1 </dev/null
}

first_failure() { grep -a -m 1 '^not ok' "$tmp/out" | cut -c 1-200; }

# passes TEST...: succeeds if the test passes with no fault on; each test is tried once
passes() {
  grep -q -x -F -e "$*" "$tmp/good" && return 0
  grep -q -x -F -e "$*" "$tmp/poor" && return 1
  if run_test 0 "$work/cache" "$@"; then
    echo "$*" >>"$tmp/good"
    return 0
  fi
  echo "$*" >>"$tmp/poor"
  result 1 "without a fault $* passes"
  diag "$(first_failure)"
  return 1
}

# noticed NUMBER CACHE FILE: succeeds if one of the tests in the file, one per line, fails; `said`
# has the failure
noticed() {
  said=
  while read -r line; do
    # shellcheck disable=SC2086 # words
    passes $line || continue
    # shellcheck disable=SC2086 # words
    run_test "$1" "$2" $line
    code=$?
    [ $code -ne 0 ] || continue
    said="$line: $(first_failure)"
    [ -n "$(first_failure)" ] || said="$line: ended with status $code"
    [ $code -ne 124 ] && [ $code -ne 137 ] || said="$line: did not end in $limit s"
    return 0
  done <"$3"
  return 1
}

tab=$(printf '\t')
found=0
while IFS=$tab read -r number place title tests; do
  echo "$tests" | tr '|' '\n' | sed 's/^ *//; s/ *$//' >"$tmp/tests"
  # All tests share compiled loops, except where the fault may be in code that stores them.
  cache=$work/cache
  case $place in *backends/*) cache=$tmp/cache$number && mkdir -m 700 "$cache" ;; esac
  noticed "$number" "$cache" "$tmp/tests"
  answer=$?
  result $answer "$number $place: $title"
  [ $answer -ne 0 ] || found=$((found + 1))
  diag "${said:-none of these noticed: $tests}"
  rm -rf "$tmp/cache$number"
done <"$tmp/picked"
diag "$found of $(wc -l <"$tmp/picked") noticed"
done_testing
