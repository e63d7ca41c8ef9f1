# SPDX-License-Identifier: BSD-3-Clause
# Functions shared by the tests over ranks of MPI: they find the program and run it. This file is
# sourced after tap.sh, not run.

# needs_program NAME WHAT: $program is that of the tests; without it, as in a build without WHAT,
# nothing is tested
needs_program() {
  program=$build/test/$1
  [ -z "$build" ] || [ ! -x "$program" ] || return 0
  skip "this build has no $2"
  done_testing
}

# ranks LIMIT RANKS ARGUMENT...: runs $program for LIMIT seconds at most. Its status is in $status, too,
# and what it says in $tmp/out and $tmp/err. Nothing is tested where ranks cannot be started.
ranks() {
  ranks_limit=$1 ranks_n=$2
  shift 2
  sh "$src/test/mpirun.sh" "${OP2_TEST_MPI:-none}" "$ranks_limit" "$ranks_n" "$program" "$@" \
    >"$tmp/out" 2>"$tmp/err"
  status=$?
  [ $status -ne 77 ] || { skip "$(cat "$tmp/err")"; done_testing; }
  return $status
}

# on_ranks LIMIT RANKS ARGUMENT...: each check of the program is one of the test
on_ranks() {
  ranks "$@"
  results "$2 ranks" $status
}
