#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks that are processes of MPI: messages and random programs on 2, 3 and 4 ranks, and how a job
# ends when one of them is killed, cannot go on, or has ended MPI too early.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/mpi.sh"

mpi=${OP2_TEST_MPI:-none}
needs_program t910-mpi-ranks MPI
ranks 60 1 latency-of-none
for n in 2 3 4; do
  on_ranks 600 $n
done
mkdir -m 700 "$tmp/code"
OP2_TEST_FOLDER=$tmp/code ranks 120 4 code
results 'code of 4 ranks' $status
ranks 120 3 options
results 'options of 3 ranks' $status

said() { cat "$tmp/out" "$tmp/err" | tr -s ' \n' ' ' | grep -q -i -e "$1"; }
says() { # WHAT PATTERN
  runs "$1" said "$2"
  said "$2" || diag "$(tail -n 12 "$tmp/out" "$tmp/err")"
}
ends_badly() { # WHAT: checks that the job fails within 10 s
  begun=$(date +%s)
  ranks 30 3 "$1"
  status=$?
  runs "$1: the job fails" test $status -ne 0 -a $status -ne 124
  runs "$1: within 10 s" test $(($(date +%s) - begun)) -le 10
  runs "$1: nobody goes on" sh -c "! grep -q 'went on' '$tmp/out'"
}
ends_badly kill
says "kill: the message names the signal" 'signal.*9\|exit code: 9\|killed'
ends_badly abandon
says "abandon: the message names rank and cause" \
  'op2: rank 1 of 3 cannot go on: this is the cause'

ranks 60 2 late
runs "MPI finalized too early: no crash" test $? -eq 0
says "what needs messages fails" 'op2_dat_get_halo: .*MPI was finalized before the context'
says "its communicator is not there" 'op2_mpi_comm: MPI is finalized'
says "a context is not begun" 'op2_init_mpi: MPI is finalized'
says "the rest ends" 'ended, 0 wrong'
ranks 60 1 alone
says "MPI not initialised" 'op2_init_mpi: MPI is not initialised: call MPI_Init'

for n in 2 3 4; do
  ranks 60 $n kway
  runs "a ring is cut well for $n ranks" test $? -eq 0
done
if ldd "$program" | grep -q libptscotch; then
  says "PT-Scotch cut it" 'cut by PT-Scotch: '
else
  skip "no PT-Scotch for this MPI: graphs are gathered"
fi

OP2_LINK=3000000,1 ranks 60 2 link
says "OP2_LINK slows messages down" '^ *slow'
ranks 60 2 link
says "and is not there otherwise" '^ *fast'
for bad in x 5 5, ,5 -1,2 1,-2 1,2x 1e3,2; do
  OP2_LINK=$bad ranks 60 2 link
  says "OP2_LINK=$bad is refused" "rank 0 of 2: environment variable OP2_LINK is '$bad': expected"
done

# ---- cores of a node ----

unset OMP_NUM_THREADS OMP_PROC_BIND OMP_PLACES GOMP_CPU_AFFINITY
all_cpus() { sed -n 's/^CPUs\([0-9 ]*\);.*/\1/p' "$tmp/out" | tr ' ' '\n' | grep .; }
apart() { [ -n "$(all_cpus)" ] && [ -z "$(all_cpus | sort | uniq -d)" ]; }
lines() { [ "$(grep -c -e "$1" "$tmp/out")" -eq "$2" ] || { cat "$tmp/out" "$tmp/err"; return 1; }; }
warned() { # LINES [PATTERN]
  [ "$(grep -c -e "of its node.*${2-}" "$tmp/err")" -eq "$1" ] || { cat "$tmp/out" "$tmp/err"; return 1; }
}
# Each rank runs COMMAND, which then executes the program.
ranks_by() { # RANKS COMMAND...
  n=$1
  shift
  sh "$src/test/mpirun.sh" "$mpi" 60 "$n" "$@" "$program" cores >"$tmp/out" 2>"$tmp/err"
}
cpus=$(nproc)
if [ "$cpus" -lt 2 ]; then
  skip "one core only: there is nothing to share out"
else
  ranks 60 2 cores
  runs "two ranks have no CPU in common" apart
  runs "nothing is warned of" warned 0
  runs "it is told why" lines 'on this node, with [0-9]* of the [0-9]* cores that 2 ranks may use' 2
  OP2_TEST_BEFORE=sequential ranks 60 2 cores
  runs "also after a context alone that computes in the calling thread" apart
  OP2_TEST_BEFORE=openmp ranks 60 2 cores
  runs "but not after one that has workers" lines 'first context of this process has settled it' 2
  OP2_TEST_WORKERS=1 ranks 60 2 cores
  runs "so it is with a worker each" apart
  runs "that were asked for" lines '; 1 workers;' 2
  OMP_NUM_THREADS=1 ranks 60 2 cores
  runs "OMP_NUM_THREADS is obeyed" lines '; 1 workers;' 2
  OMP_NUM_THREADS=7 OP2_TEST_WORKERS=1 ranks 60 2 cores
  runs "OP2_THREADS comes before it" lines '; 1 workers;' 2
  ranks 60 1 cores
  runs "a rank alone has all" lines 'no other rank is on this node' 1
  openmp=no
  grep -q "; $cpus workers;" "$tmp/out" && openmp=yes
  if [ $openmp = yes ]; then
    OP2_TEST_WORKERS=$cpus ranks 60 2 cores
    runs "more workers than that have all cores" lines "$cpus workers; .*more than its share" 2
    runs "which is warned of once" warned 1 'more workers than its share'
  else
    skip "more workers than cores: this build has no OpenMP"
  fi
  ranks 60 $((cpus + 1)) cores
  runs "more ranks than cores have one each" lines '; 1 workers; .*not one each' $((cpus + 1))
  runs "which nothing can be done about" warned 0
  if [ $openmp = yes ]; then
    OMP_PROC_BIND=true OMP_PLACES=cores ranks 60 2 cores
    runs "places of OpenMP are left to it" lines 'the environment gives OpenMP its places' 2
    runs "which is warned of once" warned 1 'unset these'
  else
    skip "places of OpenMP: this build has none"
  fi
  bind='--bind-to core'
  [ "$mpi" = openmpi ] || bind='-bind-to core'
  OP2_TEST_BIND=$bind ranks 60 2 cores
  runs "a launcher's binding is obeyed" lines 'the launcher has bound each rank' 2
  runs "and nothing is wrong with it" warned 0
  if command -v taskset >/dev/null 2>&1; then
    cpu=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
    ranks_by 2 taskset -c "$cpu"
    runs "ranks that are bound to one core are warned of once" warned 1 'cores enough for all'
    ranks_by 2 sh -c 'case ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} in
      0) exec "$@" ;; *) exec taskset -c '"$cpu"' "$@" ;; esac' sh
    runs "and those of which one is bound" warned 1 'cores enough for all'
  else
    skip "bound ranks: there is no taskset"
  fi
fi

ranks 60 2 latency
says "an exchange is timed: $(cat "$tmp/out")" 'us: op2'

done_testing
