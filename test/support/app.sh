# SPDX-License-Identifier: BSD-3-Clause
# Functions shared by the tests of the applications: they find the programs, compare runs of them,
# and check the form of their output and of their error messages. This file is sourced after tap.sh,
# not run.

# application NAME MESH NUMBERS: sets $app to the program, in the folder $programs; the options MESH
# select its smallest mesh, and each of its lines has a step and NUMBERS numbers. All checks are
# skipped if the program was not built.
application() {
  programs=$build/bench/$1
  app=$programs/$1
  smallest=$2
  numbers=$3
  [ -z "$build" ] || [ ! -x "$app" ] || return 0
  skip "no build with benchmarks"
  done_testing
}

# said FILE: shows the messages of a program, if there are any
said() { [ ! -s "$1" ] || diag "$(cat "$1")"; }

# usable BACKEND: succeeds if the backend runs here, or else prints a skipped check. $none is the
# option for a run that does nothing, by default --iterations 0.
usable() {
  # shellcheck disable=SC2086 # options
  "$app" $smallest ${none:---iterations 0} --backend "$1" >/dev/null 2>"$tmp/why" && return 0
  if grep -q OP2_ERR_UNAVAILABLE "$tmp/why"; then
    skip "$1: $(cat "$tmp/why")"
  else
    result 1 "$1 starts"
    said "$tmp/why"
  fi
  return 1
}

# usable_backends: sets $backends to the backends that run here
usable_backends() {
  backends=
  for backend in sequential openmp starpu check opencl cuda hip; do
    usable $backend && backends="$backends $backend"
  done
}

# try PROGRAM OPTION...: runs the program with its output in $tmp/out; reports a failed check if it
# fails or prints an error
try() {
  "$@" >"$tmp/out" 2>"$tmp/why"
  status=$?
  [ $status -eq 0 ] && [ ! -s "$tmp/why" ] && return 0
  result 1 "$*: status $status"
  said "$tmp/why"
  return 1
}

# ---- numbers ----

# value WORD FILE: prints the value after the word at the beginning of a line
value() { sed -n "s/^$1 \([^ ,]*\).*/\1/p" "$2"; }

# lines FILE: prints the lines of a step and its numbers
lines() { grep -E '^[0-9]+( -?[0-9]\.[0-9]{15}e[-+][0-9]+){'"$numbers"'}$' "$1"; }

# near_lines FILE FILE TOLERANCE COUNT: succeeds if both files have COUNT lines of the same steps,
# whose first numbers have a relative difference of at most TOLERANCE
near_lines() {
  lines "$1" >"$tmp/left"
  lines "$2" >"$tmp/right"
  paste "$tmp/left" "$tmp/right" | awk -v tolerance="$3" -v count="$4" '
    { off = ($2 - $4) / $4; if (off < 0) off = -off }
    $1 != $3 || !($4 > 0) || !(off <= tolerance) { print "# differs: " $0; bad = 1 }
    END { if (NR != count) { print "# " NR " lines, not " count; bad = 1 }; exit bad }'
}

# holds NAME AWK-CONDITION COUNT: checks that $tmp/out has COUNT lines, which all fulfil the
# condition; first[] has the fields of the first line, last[] those of the previous one
holds() {
  lines "$tmp/out" | awk -v count="$3" "
    function size(v) { return v < 0 ? -v : v }
    NR == 1 { for (i = 1; i <= NF; i++) first[i] = \$i }
    !($2) { print \"# not so: \" \$0; bad = 1 }
    { for (i = 1; i <= NF; i++) last[i] = \$i }
    END { if (NR != count) { print \"# \" NR \" lines, not \" count; bad = 1 }; exit bad }"
  result $? "$1"
}

# near FILE FILE COMPONENTS TOLERANCE: succeeds if the values of two dumps, component by component,
# and their last numbers differ by at most TOLERANCE, relative to the greatest value
near() {
  for dump in "$1" "$2"; do od -An -v -t f8 -w8 "$dump" >"$dump.text"; done
  [ "$(wc -l <"$1.text")" -eq "$(wc -l <"$2.text")" ] || return 1
  paste "$1.text" "$2.text" | awk -v components="$3" -v tolerance="$4" '
    function size(v) { return v < 0 ? -v : v }
    function settle(k) {
      if (off[k] <= tolerance * most[k]) return
      print "# component " k " off by " off[k] " of " most[k]
      bad = 1
    }
    !($1 == $1 + 0 && $2 == $2 + 0) { print "# no numbers: " $0; bad = 1 }
    NR > 1 {
      k = (NR - 2) % components
      if (size(a - b) > off[k]) off[k] = size(a - b)
      if (size(b) > most[k]) most[k] = size(b)
    }
    { a = $1; b = $2 }
    END {
      for (k = 0; k < components; k++) settle(k)
      off["last"] = size(a - b)
      most["last"] = b
      settle("last")
      exit bad || NR < 2
    }'
}

# compare COMMAND OPTION...: compares the dump of the command's program after $steps steps with that
# of the program $sequential, by near() with $components and $tolerance
compare() {
  command=$1
  shift
  "$programs/$sequential" "$@" --iterations "$steps" --every 0 --dump-q "$tmp/a" >/dev/null
  # shellcheck disable=SC2086 # options
  "$programs"/$command "$@" --iterations "$steps" --every 0 --dump-q "$tmp/b" \
    >/dev/null 2>"$tmp/why"
  result $? "$command $*: runs"
  said "$tmp/why"
  near "$tmp/a" "$tmp/b" "$components" "$tolerance"
  result $? "$command $*: q and the last number of the sequential program"
  rm -f "$tmp/b"
}

# all_against COUNT OPTION...: compares the output of the application on each of $backends, and of
# the programs $parallel, with that of the program $sequential. The test defines alike(), which gets
# a name and the count, and compares $tmp/out with $tmp/reference.
all_against() {
  count=$1
  shift
  try "$programs/$sequential" "$@" || return
  mv "$tmp/out" "$tmp/reference"
  for backend in $backends; do
    try "$app" "$@" --backend "$backend" --threads 2 && alike "$backend $*" "$count"
  done
  for by_hand in $parallel; do
    [ -x "$programs/$by_hand" ] || {
      skip "no OpenMP: no $by_hand"
      continue
    }
    for size in 61 4096; do
      try "$programs/$by_hand" "$@" --threads 2 --block-size $size &&
        alike "$by_hand $size $*" "$count"
    done
  done
}

# same_bits TIMES THREADS OPTION...: checks that backend, number of workers (up to THREADS) and
# eager or lazy execution do not change the file that the last option dumps, in TIMES repetitions.
# Blocks are small, and each of them is a task unless the setting $way says otherwise, so that all
# workers have work.
same_bits() {
  times=$1
  most=$2
  shift 2
  for backend in openmp starpu; do
    usable $backend || continue
    for eager in 0 1; do
      for threads in $(seq "$most"); do
        same=0
        for repeat in $(seq "$times"); do
          env "${way:-OP2_CHUNK_US=0}" OP2_BLOCK_SIZE=61 OP2_EAGER=$eager "$app" --backend $backend \
            --threads "$threads" "$@" "$tmp/bits" >/dev/null 2>"$tmp/why"
          [ -e "$tmp/first" ] || cp "$tmp/bits" "$tmp/first"
          cmp -s "$tmp/bits" "$tmp/first" && same=$((same + 1))
          rm -f "$tmp/bits"
        done
        [ $same -eq "$times" ]
        result $? "$backend: the same bits $same times of $times, $threads threads, eager $eager${way:+, $way}"
        said "$tmp/why"
      done
    done
  done
}

# ---- output and refusals of programs ----

# table_has KERNEL...: checks that each kernel has a line in the table of loops in $tmp/out
table_has() {
  for kernel in "$@"; do
    sed '1,/^loop /d' "$tmp/out" | grep -q "^$kernel "
    result $? "the table of loops has $kernel"
  done
}

# refuses STATUS PATTERN OPTION...: checks that $app ends with this status and a message that
# matches
refuses() {
  want=$1
  pattern=$2
  shift 2
  "$app" "$@" >/dev/null 2>"$tmp/why"
  got=$?
  [ $got -eq "$want" ] && grep -q -e "$pattern" "$tmp/why"
  bad=$?
  result $bad "$(echo "$*" | sed "s|$tmp/||g"): status $want and a message"
  [ $bad -eq 0 ] || diag "status $got: $(cat "$tmp/why")"
}
