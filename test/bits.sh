#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compare the bits of results of this build with those of another version: dumps of the applications
# on every host backend, lazily and eagerly, on 1 to 3 ranks, and the values that random programs read.
#   test/bits.sh --against DIR [--build DIR] [--seeds A-B] [--record FILE]
#                [--programs N] [--more N] [--ranks-programs N] [--only WORD]
# DIR is the build folder of the other version; its t600-random and t909-random-ranks must know
# OP2_TEST_DIGESTS. Of each seed (default 1-1), `--more` programs (500) run on starpu and on openmp,
# `--programs` (60) on each other backend, and `--ranks-programs` (300) on 2, 3 and 4 ranks in turn, all
# of them lazily and eagerly. --only takes just the applications or checks whose names contain WORD.
# Checks that the record (default bits-record) holds as equal are not done again, so that a run can be
# continued. Writes TAP.
set -u

say() { echo "bits.sh: $*" >&2; }
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build against= seeds=1-1 record=bits-record programs=60 more=500 ranked=300 only=
while [ $# -gt 0 ]; do
  case $1 in -h | --help) awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;; esac
  [ $# -gt 1 ] || { say "a value is missing after $1"; exit 2; }
  case $1 in
    --against) against=$2 ;;
    --build) build=$2 ;;
    --seeds) seeds=$2 ;;
    --record) record=$2 ;;
    --programs) programs=$2 ;;
    --more) more=$2 ;;
    --ranks-programs) ranked=$2 ;;
    --only) only=$2 ;;
    *) say "unknown option $1 (--help)"; exit 2 ;;
  esac
  shift 2
done
for folder in "$build" "$against"; do
  [ -x "$folder/bench/airfoil/airfoil" ] || { say "'$folder' has no built benchmarks"; exit 2; }
done
build=$(cd "$build" && pwd)
against=$(cd "$against" && pwd)
record=$(cd "$(dirname "$record")" && pwd)/$(basename "$record")
mpi=${OP2_TEST_MPI:-openmpi}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
touch "$record"
count=0 failed=0
OMP_WAIT_POLICY=passive HWLOC_HIDE_ERRORS=2
export OMP_WAIT_POLICY HWLOC_HIDE_ERRORS

# compare NAME FUNCTION ARGUMENT...: the function gets a build folder, a name for what is its own and
# the arguments, and prints what must be equal; it fails if there is nothing
compare() {
  name=$1
  shift
  case $name in *"$only"*) ;; *) return ;; esac
  count=$((count + 1))
  if grep -q -x -F -e "$name" "$record"; then
    echo "ok $count - $name (recorded)"
    return
  fi
  function=$1
  shift
  rm -f "$tmp"/*.out
  if ! "$function" "$build" this "$@" >"$tmp/this.out" 2>"$tmp/this.err"; then
    why="fails: $(tail -n 1 "$tmp/this.err")"
  elif ! "$function" "$against" other "$@" >"$tmp/other.out" 2>"$tmp/other.err"; then
    why="the other version fails: $(tail -n 1 "$tmp/other.err")"
  elif ! cmp -s "$tmp/this.out" "$tmp/other.out"; then
    why=$(diff "$tmp/other.out" "$tmp/this.out" | head -n 4)
  else
    echo "$name" >>"$record"
    echo "ok $count - $name: $(wc -c <"$tmp/this.out") bytes"
    return
  fi
  failed=$((failed + 1))
  echo "not ok $count - $name"
  echo "$why" | sed 's/^/# /'
}

# dump BUILD OWN BACKEND EAGER RANKS APP OPTION...: the last option is completed by the file, or is -,
# if the program prints its results
dump() {
  folder=$1 own=$2 backend=$3 eager=$4 ranks=$5 app=$6
  shift 6
  launch=
  [ "$ranks" -eq 1 ] || launch="sh $root/test/mpirun.sh $mpi 300 $ranks"
  rm -f "$tmp/$own.dump"
  set -- "$@" "$tmp/$own.dump"
  case " $* " in *" - "*) set -- $(echo "$*" | sed 's/ - .*//') ;; esac
  OP2_BACKEND=$backend OP2_EAGER=$eager OP2_THREADS=$((ranks == 1 ? 2 : 1)) \
    OP2_CACHE_DIR=$tmp/cache.$own $launch "$folder/bench/$app/$app" "$@" >"$tmp/$own.shown" || return
  # Lines of results begin with a number; times do not.
  if [ -e "$tmp/$own.dump" ]; then cat "$tmp/$own.dump"; else grep '^[0-9]' "$tmp/$own.shown"; fi
}

# digests BUILD OWN TEST BACKEND COUNT SEED: the digests of random programs
digests() {
  folder=$1 own=$2 test=$3 backend=$4 number=$5 seed=$6
  rm -f "$tmp/$own.digests"
  OP2_TEST_SOURCE=$root OP2_TEST_BUILD=$folder OP2_TEST_BACKEND=$backend OP2_VERIFY=1 \
    OP2_TEST_CACHE=$tmp/cache.$own OP2_TEST_DIGESTS=$tmp/$own.digests \
    "$folder/test/$test" "$number" "$seed" >&2
  sort "$tmp/$own.digests" && [ -s "$tmp/$own.digests" ]
}
mkdir -m 700 "$tmp/cache.this" "$tmp/cache.other"

for backend in sequential openmp starpu check; do
  for eager in 0 1; do
    for ranks in 1 2 3; do
      where="$backend, $([ $eager = 1 ] && echo eager || echo lazy), $ranks ranks"
      on="$backend $eager $ranks"
      # shellcheck disable=SC2086 # words
      {
        compare "airfoil, $where" dump $on airfoil --mesh 80x60 --iterations 30 --every 0 --dump-q
        compare "tsunami, $where" dump $on tsunami --mesh 60x50 --iterations 30 --every 0 --dump-q
        compare "cg, $where" dump $on cg --mesh 80x60 --iterations 200 --dump-x
        compare "aero, $where" dump $on aero --mesh 40x30 --newton 3 --dump-phi
        compare "aero without a matrix, $where" dump $on aero --mesh 40x30 --newton 3 --matrix-free \
          --dump-phi
        compare "heat, $where" dump $on heat --iterations 30 --every 0 --dump-x
        compare "euler, $where" dump $on euler --iterations 20 --every 0 --dump-q
        for problem in poisson elasticity advection; do
          [ "$ranks" -gt 1 ] ||
            compare "fem $problem, $where" dump $on fem --problem $problem --levels 2 -
        done
      }
    done
  done
done
seed=${seeds%-*}
while [ "$seed" -le "${seeds#*-}" ]; do
  for backend in sequential openmp starpu check; do
    case $backend in openmp | starpu) number=$more ;; *) number=$programs ;; esac
    compare "$number random programs of seed $seed, $backend" digests t600-random $backend "$number" \
      "$seed"
    compare "$ranked random programs of seed $seed, $backend, 2 to 4 ranks" digests \
      t909-random-ranks $backend "$ranked" "$seed"
  done
  seed=$((seed + 1))
done
echo "1..$count"
echo "# $failed of $count failed"
[ $count -gt 0 ] && [ $failed -eq 0 ]
