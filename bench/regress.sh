#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Whether this build is slower than another one, in pairs of runs.
#   bench/regress.sh --against DIR [--build DIR] [--pairs N] [--width W] [--threads N]
#                    [--backend NAME] [--case "APP OPTION..."]
# DIR is the build folder of another version. The applications (airfoil, tsunami, cg, aero, heat; or
# the cases given, each with --case) run once with either build, in turn, and the order within a pair
# changes from pair to pair. For each, the ratio of the times per iteration, this build to the other:
# the geometric mean over the pairs, and its 95 % interval by Student's t on the logarithms. With
# --width, from 20 pairs on a case ends once its interval is narrower than W, or after N pairs. Loops
# are compiled, and plans made, before the time is taken. "overhead recording" and "overhead replay"
# are cases, too. Nothing is asserted: the table is for people.
set -eu

say() { echo "regress: $*" >&2; }
die() { say "$*"; exit 1; }

root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/bench/common/interval.sh"
build=$root/build
against=
pairs=20
width=0
threads=2
backend=starpu
cases=
while [ $# -gt 0 ]; do
  case $1 in -h | --help) sed -n '3,13s/^# //p' "$0"; exit 0 ;; esac
  [ $# -gt 1 ] || die "a value is missing after $1"
  case $1 in
    --against) against=$2 ;;
    --build) build=$2 ;;
    --pairs) pairs=$2 ;;
    --width) width=$2 ;;
    --threads) threads=$2 ;;
    --backend) backend=$2 ;;
    --case) cases="$cases$2
" ;;
    *) die "unknown option $1" ;;
  esac
  shift 2
done
case $pairs in
  '' | 0 | 1 | *[!0-9]*) die "--pairs $pairs: expected a number of 2 or more" ;;
esac
[ -n "$against" ] || die "against which build? (--against DIR)"
for folder in "$build" "$against"; do
  [ -x "$folder/bench/airfoil/airfoil" ] || die "$folder has no built benchmarks"
done
# Each run takes some seconds on two cores.
[ -n "$cases" ] || cases="airfoil --every 0 --iterations 68 --warmup 34
airfoil --mesh 100x150 --every 0 --iterations 600 --warmup 200
tsunami --every 0 --iterations 60 --warmup 20
cg --tolerance 0 --check 0 --iterations 120 --warmup 40
aero --newton 2 --warmup 1
aero --newton 2 --warmup 1 --matrix-free
heat --every 0 --iterations 1000 --warmup 300
overhead recording --batches 5
overhead replay --batches 5
"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Of bench/overhead, the medians of its rows together: those of recording a loop, and for replay those
# of loops over one element, each in a flush of its own and many in one. In milliseconds, as others.
recording='/^Recording/ { rows = 1; next } /^Running/ { rows = 0 } rows && $1 + 0 { sum += $2 }
  END { print sum / 1e6; exit !sum }'
replay='/^backend/ { rows = 1; next } rows && $2 == 1 { sum += $8 + $10 }
  END { print sum / 1e6; exit !sum }'

# measure BUILD CACHE CASE: prints the milliseconds per iteration
measure() {
  app=${3%% *}
  options=${3#"$app"}
  time='$1 == "time_per_iteration_ms" { print $2; found = 1 } END { exit !found }'
  case $3 in
    'overhead recording'*) time=$recording options=${options#*recording} ;;
    'overhead replay'*) time=$replay options=${options#*replay} ;;
    *) options="--threads $threads $options" ;;
  esac
  # shellcheck disable=SC2086 # options are words
  OP2_CACHE_DIR=$folder/$2 "$1/bench/$app/$app" --backend "$backend" $options \
    >"$folder/out" 2>&1 || { cat "$folder/out" >&2; die "$1: $3 failed"; }
  awk "$time" "$folder/out" || die "$1: $3 printed no time per iteration"
}

# narrow TIMES: whether there are enough pairs for an interval of --width
narrow() {
  [ $pair -ge 20 ] && interval "$1" | awk -v width="$width" '{ exit !($5 - $4 < width) }'
}

mkdir -m 700 "$folder/this" "$folder/other"
say "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1), $backend, $threads threads," \
  "$pairs pairs"
printf '%10s %10s %8s %17s %5s  %s\n' "this ms" "other ms" "ratio" "95 % interval" "pairs" "case"
printf '%s' "$cases" | while read -r case; do
  [ -n "$case" ] || continue
  measure "$build" this "$case" >"$folder/ignored"
  measure "$against" other "$case" >"$folder/ignored"
  : >"$folder/times"
  pair=0
  while [ $pair -lt "$pairs" ]; do
    if [ $((pair % 2)) -eq 0 ]; then
      mine=$(measure "$build" this "$case")
      theirs=$(measure "$against" other "$case")
    else
      theirs=$(measure "$against" other "$case")
      mine=$(measure "$build" this "$case")
    fi
    echo "$mine $theirs" >>"$folder/times"
    pair=$((pair + 1))
    ! narrow "$folder/times" || break
  done
  printf '%s %5d  %s\n' "$(interval "$folder/times")" $pair "$case"
done
