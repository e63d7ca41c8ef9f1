#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Files whose disk fails while they are written: whichever call fails on whichever rank, and
# whichever rank is killed, no rank reports success, and the former file is unchanged. The test runs
# in a context without ranks and on 2 and 3 ranks. Without ranks each call fails in turn, and the
# program is killed at each; over ranks of MPI only some calls fail, as that takes long, and each
# with OP2_TEST_FULL=1.
set -u
. "$(dirname "$0")/../support/tap.sh"

# Every close waits for the disk, so files are on a file system in memory if there is one.
folder=$tmp
if [ -d /dev/shm ] && [ -w /dev/shm ]; then
  folder=$(mktemp -d /dev/shm/op2-test-XXXXXX) || exit 1
  trap 'rm -rf "$tmp" "$folder"' EXIT
fi

mpi=${OP2_TEST_MPI:-none}
program=$build/test/t951-files-faults
on() { # RANKS WHAT ARGUMENT...; 0 ranks are a program without MPI
  n=$1 what=$2
  shift 2
  if [ "$n" = 0 ]; then
    timeout 120 "$program" "$what" alone "$@" >"$tmp/out" 2>&1
  else
    sh "$src/test/mpirun.sh" "$mpi" 120 "$n" "$program" "$what" ranks "$@" >"$tmp/out" 2>&1
  fi
}
good() { # TEXT RANKS WHAT ARGUMENT...
  text=$1
  shift
  on "$@"
  status=$?
  result $status "$text"
  [ $status -eq 0 ] || diag "status $status: $(tail -n 20 "$tmp/out")"
}

if [ -z "$build" ] || [ ! -x "$program" ]; then
  skip "this build has no HDF5 or no MPI"
  done_testing
fi
file=$folder/file.h5
on 1 make 1 "$file"
status=$?
[ $status -ne 77 ] || { skip "$(cat "$tmp/out")"; done_testing; }
cp "$file" "$tmp/former.h5"
on 0 make 2 "$tmp/later.h5"

kills() { # RANKS RANK: succeeds if the former file was unchanged at every call
  call=1 kills=0 step=1
  # The first rank makes three times as many calls as the others.
  if [ "$1" != 0 ] && [ "${OP2_TEST_FULL:-0}" != 1 ]; then
    step=12
    [ "$2" != 0 ] || step=25
  fi
  while :; do
    if on "$1" kill "$2" "$call" "$file"; then
      cmp -s "$file" "$tmp/later.h5" || return 1
      cp "$tmp/former.h5" "$file"
      diag "$1 ranks, rank $2: killed $kills times"
      [ $kills -ge 3 ]
      return
    fi
    kills=$((kills + 1))
    cmp -s "$file" "$tmp/former.h5" || { diag "killed at call $call: another file"; return 1; }
    call=$((call + step))
  done
}

for n in 0 2 3; do
  good "$n ranks: calls that fail" "$n" fail "$file"
  diag "$(grep calls "$tmp/out" | tr -d '#' | tr '\n' ';')"
  good "$n ranks: a context that has ended" "$n" late "$file"
  cp "$tmp/former.h5" "$file"
  rank=0
  while [ $rank -lt "$n" ] || [ $rank = 0 ]; do
    kills "$n" $rank
    result $? "$n ranks: rank $rank is killed and the former file is what it was"
    rank=$((rank + 1))
  done
  on "$n" make 2 "$file"
  runs "$n ranks: what a killed program left is replaced" cmp "$file" "$tmp/later.h5"
  runs "$n ranks: and nothing of it stays" test ! -e "$file.op2-part"
  cp "$tmp/former.h5" "$file"
done

# This test mounts a file system of 1 MB of its own, in a namespace that ends with the test's
# process.
mkdir "$tmp/small"
mounted() {
  unshare -Urm sh -c 'mount -t tmpfs -o size=1m none "$0" && shift 0 && exec "$@"' "$tmp/small" "$@"
}
if mounted true >/dev/null 2>&1; then
  for n in 0 2 3; do
    if [ "$n" = 0 ]; then
      mounted timeout 60 "$program" full alone "$tmp/small/x.h5" >"$tmp/out" 2>&1
    else
      mounted sh "$src/test/mpirun.sh" "$mpi" 60 "$n" "$program" full ranks "$tmp/small/x.h5" \
        >"$tmp/out" 2>&1
    fi
    status=$?
    result $status "$n ranks: a full disk"
    [ $status -eq 0 ] || diag "status $status: $(tail -n 20 "$tmp/out")"
  done
else
  skip "nothing may be mounted here: a full disk is only simulated"
fi

done_testing
