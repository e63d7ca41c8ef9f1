#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs with checkpoints are killed at random moments, again and again, alone and over ranks of
# MPI, of which one is killed: each run begins with the state that a run without interruption has
# after the same step, never with an earlier one than the run before it, and the last state is the
# same, bit for bit. Twelve kills in quick runs, forty in others, 200 with OP2_TEST_FULL=1. Then SIGTERM,
# calls of the system that fail, and a full disk.
set -u
. "$(dirname "$0")/../support/tap.sh"

# Every checkpoint waits for the disk, so files are on a file system in memory if there is one.
folder=$tmp
if [ -d /dev/shm ] && [ -w /dev/shm ]; then
  folder=$(mktemp -d /dev/shm/op2-test-XXXXXX) || exit 1
  trap 'rm -rf "$tmp" "$folder"' EXIT
fi

mpi=${OP2_TEST_MPI:-none}
program=$build/test/t959-checkpoint-kill
on() { # RANKS WHAT ARGUMENT...; 0 ranks are a program without MPI
  n=$1 what=$2
  shift 2
  if [ "$n" = 0 ]; then
    timeout 120 "$program" "$what" alone "$@" >"$tmp/out" 2>&1
  else
    sh "$src/test/mpirun.sh" "$mpi" 120 "$n" "$program" "$what" ranks "$@" >"$tmp/out" 2>&1
  fi
}
show() { diag "status $status: $(tail -n 20 "$tmp/out")"; }

if [ -z "$build" ] || [ ! -x "$program" ]; then
  skip "this build has no HDF5 or no MPI"
  done_testing
fi

# draw MOST: a number below MOST in $drawn, the same ones in every run
state=1
draw() {
  state=$(((state * 1103515245 + 12345) % 2147483648))
  drawn=$((state / 65536 % $1))
}

# number WORD: prints the number in the line that begins with the word
number() { sed -n "s/^$1 //p" "$tmp/out"; }

# kills RANKS TIMES: a program is killed so often, and goes on each time
kills() {
  ranks=$1 left=$2 last=0 ended=0
  rm -f "$folder"/kill.*
  while [ "$left" -gt 0 ] || [ $ended = 0 ]; do
    draw 60000
    micros=$((drawn + 500)) which=0
    [ "$ranks" -lt 2 ] || { draw "$ranks"; which=$drawn; }
    [ "$left" -gt 0 ] || micros=100000000
    on "$ranks" run "$tmp/reference" "$folder/kill" $which $micros 9
    status=$?
    from=$(number from)
    if grep -q wrong "$tmp/out" || [ -z "$from" ] || [ "$from" -lt $last ]; then
      diag "from step ${from:-none}, after $last"
      show
      return 1
    fi
    last=$from
    if [ $status = 0 ]; then
      ended=$((ended + 1)) last=0
      rm -f "$folder"/kill.*
    else
      left=$((left - 1))
    fi
  done
  diag "$ranks ranks: killed $2 times, ended $ended times"
}

# Numbers of ranks, and of kills.
counts='0:20 1:4 2:10 3:6'
[ "${OP2_TEST_QUICK:-0}" != 1 ] || counts='0:6 2:3 3:3'
[ "${OP2_TEST_FULL:-0}" != 1 ] || counts='0:80 1:30 2:30 3:30 4:30'
for count in $counts; do
  n=${count%:*}
  on "$n" reference "$tmp/reference"
  status=$?
  [ $status -ne 77 ] || { skip "$(cat "$tmp/out")"; continue; }
  result $status "$n ranks: a run that is not interrupted"
  [ $status -eq 0 ] || show
  kills "$n" "${count#*:}"
  result $? "$n ranks: killed ${count#*:} times, it goes on with the same bits"

  # SIGTERM comes to one rank.
  rm -f "$folder"/term.*
  on "$n" run "$tmp/reference" "$folder/term" $((n > 1)) 20000 15
  status=$?
  stopped=$(number stopped)
  runs "$n ranks: SIGTERM asks the program to stop" test "$status:${stopped:-0}" != "$status:0"
  [ -n "$stopped" ] || show
  on "$n" run "$tmp/reference" "$folder/term"
  status=$?
  runs "$n ranks: it goes on where it stopped" \
    test "$status $(number from) $(number ended)" = "0 $stopped 40"
  [ $status -eq 0 ] || show

  on "$n" fail "$tmp/reference" "$folder/fail"
  status=$?
  result $status "$n ranks: calls that fail leave the last checkpoint"
  [ $status -eq 0 ] || show
  diag "$(grep calls "$tmp/out" | head -n 1)"
done

# This test mounts a file system of its own, in a namespace that ends with the test's process.
mkdir "$tmp/small"
mounted() {
  unshare -Urm sh -c 'mount -t tmpfs -o size=1m none "$0" && shift 0 && exec "$@"' "$tmp/small" "$@"
}
if mounted true >/dev/null 2>&1; then
  for n in 0 2; do
    on "$n" reference "$tmp/reference" || continue
    if [ "$n" = 0 ]; then
      mounted timeout 60 "$program" full alone "$tmp/reference" "$tmp/small/x" \
        "$tmp/small/ballast" >"$tmp/out" 2>&1
    else
      mounted sh "$src/test/mpirun.sh" "$mpi" 60 "$n" "$program" full ranks "$tmp/reference" \
        "$tmp/small/x" "$tmp/small/ballast" >"$tmp/out" 2>&1
    fi
    status=$?
    result $status "$n ranks: a full disk"
    [ $status -eq 0 ] || show
  done
else
  skip "nothing may be mounted here: a full disk is only simulated"
fi

done_testing
