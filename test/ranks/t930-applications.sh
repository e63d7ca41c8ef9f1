#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The applications on ranks: started by mpirun they print the output of one rank, and only once,
# however the mesh is partitioned; and a rank that cannot go on ends all. Ranks, partitions and
# backends are combined such that any two values meet. OP2_TEST_FULL=1 takes airfoil's classic mesh
# on 1 to 4 ranks, and 100x150 cells on 7 and 16.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/app.sh"
application airfoil "--mesh 2x2" 1

mpi=${OP2_TEST_MPI:-none}
bench=$build/bench
OP2_CACHE_DIR=${OP2_TEST_CACHE:-$tmp/cache}
OMP_WAIT_POLICY=passive
export OP2_CACHE_DIR OMP_WAIT_POLICY

# ranks N APPLICATION OPTION...: runs with output in $tmp/out and $tmp/why
ranks() {
  n=$1 name=$2
  shift 2
  sh "$src/test/mpirun.sh" "$mpi" 600 "$n" "$bench/$name/$name" "$@" >"$tmp/out" 2>"$tmp/why"
}
ranks 1 airfoil --mesh 2x2 --iterations 0 --backend sequential
case $? in
  0) ;;
  77) skip "$(cat "$tmp/why")"; done_testing ;;
  *) result 1 "airfoil starts on a rank: $(cat "$tmp/why")"; done_testing ;;
esac
usable_backends

# figures FILE: prints the lines of steps and their numbers, and those of results
figures() { grep -E '^([0-9]+|[a-z_]+)( -?[0-9]\.[0-9]{15}e[-+][0-9]+)+$' "$1"; }

# alike NAME COUNT: checks that $tmp/out and $tmp/one have COUNT lines each, whose numbers agree to
# 1e-12
alike() {
  figures "$tmp/out" >"$tmp/left"
  figures "$tmp/one" >"$tmp/right"
  cat "$tmp/right" "$tmp/left" | awk -v count="$2" '
    NR <= count { want[NR] = $0; next }
    {
      fields = split(want[NR - count], w)
      bad = bad || fields != NF || $1 != w[1]
      for (i = 2; i <= NF; i++) {
        off = $i - w[i]
        if (off < 0) off = -off
        if (!(off <= 1e-12 * (w[i] < 0 ? -w[i] : w[i]))) { print "# " $0 " not " w[i]; bad = 1 }
      }
    }
    END {
      if (NR != 2 * count) print "# " NR " lines, not twice " count
      exit bad || NR != 2 * count
    }'
  result $? "$1"
}

# one NAME OPTION...: runs one process without a launcher, with output in $tmp/one
one() {
  name=$1
  shift
  "$bench/$name/$name" "$@" --backend sequential >"$tmp/one" 2>"$tmp/why"
  result $? "$name $* without a launcher"
  said "$tmp/why"
}

# on COUNT RANKS PARTITION BACKEND NAME OPTION...: compares a run on so many ranks with $tmp/one;
# each rank has two workers if there are at most $pairs ranks
on() {
  count=$1 r=$2 partition=$3 backend=$4
  shift 4
  threads=1
  [ "$r" -gt $pairs ] || threads=2
  what="$1, $r ranks, $partition, $backend"
  ranks "$r" "$@" --partition "$partition" --backend "$backend" --threads $threads
  status=$?
  if grep -q OP2_ERR_UNAVAILABLE "$tmp/why"; then
    skip "$what: $(grep OP2_ERR_UNAVAILABLE "$tmp/why" | head -n 1)"
    return
  fi
  [ $status -eq 0 ] || result 1 "$what: status $status"
  said "$tmp/why"
  alike "$what" "$count"
}

# nth NUMBER WORD...: prints a word from a list that is repeated cyclically
nth() {
  shift $(($1 % ($# - 1) + 1))
  echo "$1"
}

# spread COUNT "N..." "PARTITION..." NAME OPTION...: runs on all these numbers of ranks, such that
# each of them is combined with every partition and every backend; with enough numbers of ranks, all
# pairs of a partition and a backend occur too
spread() {
  count=$1 numbers_of_ranks=$2 partitions=$3
  shift 3
  one "$@"
  i=0
  runs_each=$(printf '%s\n%s\n' "$(echo $partitions | wc -w)" "$(echo $backends | wc -w)" |
    sort -n | tail -n 1)
  for number in $numbers_of_ranks; do
    for k in $(seq 0 $((runs_each - 1))); do
      on "$count" "$number" "$(nth $k $partitions)" "$(nth $((i + k)) $backends)" "$@"
    done
    i=$((i + 1))
  done
}

pairs=2
methods="kway coordinates blocks random"
backends=$(echo "$backends" | sed 's/ check//')
if [ "${OP2_TEST_QUICK:-0}" != 0 ]; then
  spread 3 "1 3" "kway random" airfoil --mesh 12x18 --iterations 300
  backends=" sequential"
  spread 5 "4" "coordinates blocks" airfoil --mesh 12x18 --iterations 50 --every 10
  spread 5 "3" "kway" tsunami --mesh 20x20 --iterations 100 --every 20
  spread 9 "2" "random" cg --mesh 20x30 --iterations 60 --check 10
  spread 5 "3" "random" heat --mesh 20x30 --iterations 100 --every 50
  spread 2 "3" "coordinates" euler --size 24x12 --iterations 100 --every 50
else
  # On a mesh of this size rounding errors would soon dominate the rms.
  spread 5 "1 2 3 4" "$methods" airfoil --mesh 40x60 --iterations 500
  some="2 4" others="1 3" few=3
  [ "${OP2_TEST_FULL:-0}" = 0 ] || some="1 2 3 4" others="1 2 3 4" few="2 3"
  spread 5 "$some" "kway random" tsunami --mesh 40x40 --iterations 200 --every 40
  spread 9 "$others" "kway random" cg --mesh 40x60 --iterations 60 --check 10
  backends=" sequential"
  spread 5 "$few" "$methods" heat --mesh 40x60 --iterations 200 --every 100
  spread 4 "$few" "$methods" euler --size 48x24 --iterations 200 --every 50
fi
if [ "${OP2_TEST_FULL:-0}" != 0 ]; then
  usable_backends
  backends=$(echo "$backends" | sed 's/ check//')
  pairs=4
  # Plans and graphs of the classic mesh are not verified, which would take longer than everything
  # else.
  verify=${OP2_VERIFY:-0} OP2_VERIFY=0
  export OP2_VERIFY
  one airfoil --iterations 1000
  on 10 1 blocks starpu airfoil --iterations 1000
  on 10 2 random sequential airfoil --iterations 1000
  on 10 3 kway openmp airfoil --iterations 1000
  on 10 4 coordinates starpu airfoil --iterations 1000
  OP2_VERIFY=$verify
  spread 10 "7 16" "$methods" airfoil --mesh 100x150 --iterations 1000
fi

# ---- ranks with hardly any elements ----

backends=" sequential"
spread 5 "4" "$methods" airfoil --mesh 4x4 --iterations 5 --every 1

# ---- files ----

"$app" --mesh 12x18 --iterations 50 --backend sequential --dump-q "$tmp/a" >"$tmp/one" 2>&1
ranks 3 airfoil --mesh 12x18 --iterations 50 --backend sequential --partition random \
  --dump-q "$tmp/b" --write-mesh "$tmp/grid" --explain "$tmp/explained" --graph "$tmp/graph"
result $? "three ranks write files"
said "$tmp/why"
near "$tmp/a" "$tmp/b" 4 1e-12
result $? "q comes out in the mesh's order"
[ "$(grep -c '^rank 0 of 3' "$tmp/explained")" -eq 1 ] && [ -s "$tmp/graph" ]
result $? "rank 0 explains, and draws the graph"
ranks 2 airfoil --mesh "$tmp/grid" --iterations 50 --backend sequential --dump-q "$tmp/b"
near "$tmp/a" "$tmp/b" 4 1e-12
result $? "a mesh that was written is read by ranks"

# ---- messages ----

"$app" --help >"$tmp/one"
ranks 3 airfoil --help
[ $? -eq 0 ] && cmp "$tmp/out" "$tmp/one"
result $? "help is printed once"
said "$tmp/why"
ranks 3 airfoil --partition best
[ $? -ne 0 ] && [ ! -s "$tmp/out" ] &&
  [ "$(grep -c 'not a value for --partition' "$tmp/why")" -eq 1 ]
result $? "a wrong option is refused once"
refuses 2 'not a value for --partition' --partition best
refused() { # NAME PATTERN OPTION...: checks that ranks end within 10 s with a matching message
  what=$1 pattern=$2
  shift 2
  begun=$(date +%s)
  ranks 3 airfoil --mesh 12x18 --iterations 5 --backend sequential "$@"
  [ $? -ne 0 ] && grep -q -e "$pattern" "$tmp/why" && [ $(($(date +%s) - begun)) -le 10 ]
  result $? "$what"
}
refused "what rank 0 alone cannot do ends all" 'none/graph: No such file' --graph "$tmp/none/graph"
refused "a picture that cannot be drawn" 'none/flow.png\|libpng' --picture "$tmp/none/flow.png"
refused "a mesh that is not there" 'none: No such file' --mesh "$tmp/none"
ranks 3 airfoil --mesh 12x18 --iterations 5 --backend sequential
grep -q '^backend sequential, 1 worker, rank 0 of 3$' "$tmp/out" &&
  [ "$(grep -c '^total_time_s' "$tmp/out")" -eq 1 ]
result $? "the table says whose it is"
"$app" --mesh 12x18 --iterations 5 --backend sequential --explain - >"$tmp/out" 2>&1
! grep -q 'ranks\{0,1\}: \|on rank' "$tmp/out"
result $? "without a launcher there are no ranks"
done_testing
