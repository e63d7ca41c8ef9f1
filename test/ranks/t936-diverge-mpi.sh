#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks of MPI that make different calls, or leave each other waiting, get an error within 10 s.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/mpi.sh"

needs_program t936-diverge-mpi MPI
ranks 3000 2
results "every call" $status
[ $status -eq 0 ] || diag "$(grep '^#' "$tmp/out")"

# ---- a rank that the other one waits for in vain ----

ends_quietly() { # HOW
  [ "${OP2_TEST_MPI:-none}:$1" = mpich:exit ] || [ "${OP2_TEST_MPI:-none}:$1" = mpich:_exit ]
}

# left HOW PATTERN: checks that the other rank or the launcher reports it within 10 s, plus the time
# that a loaded machine takes to start a job
left() {
  begun=$(date +%s)
  : >"$tmp/told"
  ranks 60 2 "$1" "$tmp/told"
  took=$(($(date +%s) - begun))
  if [ $status -eq 0 ] && [ ! -s "$tmp/told" ] && [ ! -s "$tmp/err" ] && ends_quietly "$1"; then
    skip "$1: MPICH's launcher ends a job at once, and quietly, where a rank ends with success"
    return
  fi
  runs "$1: the job does not succeed" test $status -ne 0
  runs "$1: it is told" grep -q -e "$2" "$tmp/told" "$tmp/out" "$tmp/err"
  grep -q -e "$2" "$tmp/told" "$tmp/out" "$tmp/err" ||
    diag "$(tail -n 20 "$tmp/told" "$tmp/out" "$tmp/err")"
  runs "$1: after $took s" test $took -le 40
}
# A launcher may end the job before the waiting rank has printed a message.
launcher='rank 1 with PID\|BAD TERMINATION\|terminated'
left exit "rank 0 is told: rank 1 of 2 has ended by exit() without op2_finalize\|$launcher"
left _exit "$launcher"
left finalize 'rank 0 is told: .*rank 0 of 2 has op2_flush, rank 1 has MPI_Finalize'
OP2_WAIT_MAX=5 left silent \
  'rank 0 is told: rank 0 of 2 has waited 5 s for rank 1 in call 3, op2_flush: .*OP2_WAIT_MAX'
done_testing
