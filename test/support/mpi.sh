# SPDX-License-Identifier: BSD-3-Clause
# Functions shared by the tests over ranks of MPI: they find the program and run it. This file is
# sourced after tap.sh, not run.

# needs_program NAME WHAT: sets $program to the program of the tests; all checks are skipped without
# it, as in a build without WHAT
needs_program() {
  program=$build/test/$1
  [ -z "$build" ] || [ ! -x "$program" ] || return 0
  skip "this build has no $2"
  done_testing
}

# ranks LIMIT RANKS ARGUMENT...: runs $program for at most LIMIT seconds. $status has its status,
# and $tmp/out and $tmp/err its output. All checks are skipped where ranks cannot be started.
ranks() {
  ranks_limit=$1 ranks_n=$2
  shift 2
  sh "$src/test/mpirun.sh" "${OP2_TEST_MPI:-none}" "$ranks_limit" "$ranks_n" "$program" "$@" \
    >"$tmp/out" 2>"$tmp/err"
  status=$?
  [ $status -ne 77 ] || { skip "$(cat "$tmp/err")"; done_testing; }
  return $status
}

# on_ranks LIMIT RANKS ARGUMENT...: runs $program and makes each of its checks a check of the test
on_ranks() {
  ranks "$@"
  results "$2 ranks" $status
}
