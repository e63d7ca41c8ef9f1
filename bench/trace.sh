#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the timeline of OP2_TRACE costs: pairs of runs, one after the other, in turn in either order.
#   bench/trace.sh [--build DIR] [--against DIR] [--pairs N] [--backend NAME] [--threads N]
#                  [--seconds S] [--sizes "SIZE..."] [PART...]
# PARTs, those that are possible if none is named:
#   on    with OP2_TRACE, against the same without
#   off   without OP2_TRACE, against the build --against, of a commit that has no timeline; its
#         sources have to be where Meson built it from
#   counts like off, in instructions that Valgrind counts: they are the same in each run, whatever
#         else the machine does
#   noise the same as off, of the build against itself: what such a comparison is worth here
# SIZEs, all by default: short (2,000 loops of 64 elements), 100x150 and 400x600 (airfoil of 45,000
# and of 720,000 cells, for about S seconds, 2 by default). A line has the median of the ratios of so many
# pairs (20), their quartiles, the least and the greatest, and an interval that has the median of all
# such pairs with a probability of 95 %, by the order of the ratios. Nothing is asserted: timings
# belong to the machine and the moment.
set -eu

say() { echo "trace: $*" >&2; }
die() { say "$*"; exit 1; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build against= pairs=20 backend=openmp threads=1 seconds=2 parts=
sizes="short 100x150 400x600" # a mesh has three cells per point
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '3,/^set /s/^# \{0,1\}//p' "$0"; exit 0 ;;
    on | off | counts | noise) parts="$parts $1"; shift; continue ;;
    --*) [ $# -gt 1 ] || die "a value is missing after $1" ;;
    *) die "there is no part $1 (--help lists them)" ;;
  esac
  case $1 in
    --build) build=$2 ;;
    --against) against=$2 ;;
    --pairs) pairs=$2 ;;
    --backend) backend=$2 ;;
    --threads) threads=$2 ;;
    --seconds) seconds=$2 ;;
    --sizes) sizes=$2 ;;
    *) die "unknown option $1 (--help lists them)" ;;
  esac
  shift 2
done
for number in "$pairs" "$threads" "$seconds"; do
  case $number in
    '' | 0 | *[!0-9]*) die "not a positive number: $number" ;;
  esac
done
[ -n "$parts" ] || parts="on${against:+ off} noise"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
OP2_CACHE_DIR=$folder/cache OP2_THREADS=$threads
export OP2_CACHE_DIR OP2_THREADS

# source_of BUILD: prints the folder that Meson built it from
source_of() { grep -o '"source": "[^"]*"' "$1/meson-info/meson-info.json" | cut -d'"' -f4 | head -n 1; }

# short_of BUILD NAME: compiles the program of short loops with this build, in $folder/NAME
short_of() {
  source=$(source_of "$1")
  ${CC:-cc} -O2 -I "$source/include" -o "$folder/$2" "$root/bench/overhead/short.c" \
    -L "$1" -lop2 "-Wl,-rpath,$1" || die "cannot compile a program with $1"
}

# airfoil BUILD MESH ITERATIONS: prints the milliseconds of an iteration
airfoil() {
  "$1/bench/airfoil/airfoil" --mesh "$2" --iterations "$3" --every 0 --warmup $(($3 / 4)) \
    --backend "$backend" --threads "$threads" >"$folder/out" 2>&1 || {
    cat "$folder/out" >&2
    die "airfoil fails"
  }
  sed -n 's/^time_per_iteration_ms //p' "$folder/out"
}

# traced COMMAND...: runs it with a timeline
traced() { (OP2_TRACE=$folder/trace.json; export OP2_TRACE; "$@"); }

# short PROGRAM: prints the microseconds of 2,000 loops
short() { "$folder/$1" "$backend" 100 | sed -n 's/^time_us //p'; }

# pair NAME "COMMAND" "COMMAND": prints the ratios of the first to the second
pair() {
  what=$1
  $2 >/dev/null # compiles the loops
  $3 >/dev/null
  n=0
  : >"$folder/ratios"
  while [ $n -lt "$pairs" ]; do
    if [ $((n % 2)) -eq 0 ]; then a=$($2) b=$($3); else b=$($3) a=$($2); fi
    echo "$a $b" | awk '{ print $1 / $2 }' >>"$folder/ratios"
    n=$((n + 1))
  done
  sort -g "$folder/ratios" | awk -v what="$what" '
    { v[NR] = $1 }
    function at(p,   x, i) {
      x = 1 + p * (NR - 1); i = int(x)
      return v[i] + (x - i) * (v[i < NR ? i + 1 : i] - v[i])
    }
    END {
      # ranks between which the median is: a binomial with p = 1/2
      low = 1; sum = 0; term = 0.5 ^ NR
      for (k = 0; k < NR; k++) {
        sum += term
        if (sum > 0.025) { low = k > 0 ? k : 1; break }
        term *= (NR - k) / (k + 1)
      }
      printf "%-42s %.4f  95%% %.4f-%.4f  quartiles %.4f-%.4f  all %.4f-%.4f\n", what, at(0.5),
        v[low], v[NR + 1 - low], at(0.25), at(0.75), v[1], v[NR]
    }'
}

# steps MESH: prints the iterations of about $seconds seconds, by the second of two short runs
steps() {
  airfoil "$build" "$1" 40 >/dev/null
  ms=$(airfoil "$build" "$1" 40)
  awk -v ms="$ms" -v s="$seconds" 'BEGIN { n = int(1000 * s / ms); print n < 8 ? 8 : n }'
}

on() {
  short_of "$build" short-new
  for size in $sizes; do
    if [ "$size" = short ]; then
      pair "2,000 loops of 64 elements: on/off" "traced short short-new" "short short-new"
    else
      n=$(steps "$size")
      pair "airfoil $size, $n steps: on/off" "traced airfoil $build $size $n" \
        "airfoil $build $size $n"
    fi
  done
}

# compare BUILD NAME: $build without a timeline against this one
compare() {
  short_of "$build" short-new
  short_of "$1" short-old
  for size in $sizes; do
    if [ "$size" = short ]; then
      pair "2,000 loops of 64 elements: $2" "short short-new" "short short-old"
    else
      n=$(steps "$size")
      pair "airfoil $size, $n steps: $2" "airfoil $build $size $n" "airfoil $1 $size $n"
    fi
  done
}

off() {
  [ -n "$against" ] || die "the part off needs --against"
  [ -x "$against/bench/airfoil/airfoil" ] || die "$against has no built airfoil"
  compare "$against" "new/old"
}

# instructions COMMAND...: prints how many a run has
instructions() {
  OP2_TRIAL=0 valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" >"$folder/out" 2>&1 || {
    cat "$folder/out" >&2
    die "$1 fails under Valgrind"
  }
  sed -n 's/^.*Collected : //p' "$folder/out"
}

# counted COMMAND...: prints the instructions of one of the repetitions whose number is the last
# argument: a first run compiles, and 20 repetitions more than another 20 are 20
counted() {
  instructions "$@" 20 >/dev/null
  first=$(instructions "$@" 20)
  echo $((($(instructions "$@" 40) - first) / 20))
}

counted_airfoil() {
  counted "$1/bench/airfoil/airfoil" --mesh "$2" --every 0 --warmup 2 --backend "$backend" \
    --threads "$threads" --iterations
}

counts() {
  [ -n "$against" ] || die "the part counts needs --against"
  command -v valgrind >/dev/null || die "the part counts needs valgrind"
  short_of "$build" short-new
  short_of "$against" short-old
  for size in $sizes; do
    if [ "$size" = short ]; then
      what="2,000 loops of 64 elements"
      new=$(counted "$folder/short-new" "$backend") old=$(counted "$folder/short-old" "$backend")
    else
      what="airfoil $size, a step"
      new=$(counted_airfoil "$build" "$size") old=$(counted_airfoil "$against" "$size")
    fi
    echo "$what, instructions new, old: $new $old" | awk '{ print $0 ", ratio", sprintf("%.5f", $(NF - 1) / $NF) }'
  done
}

noise() { compare "$build" "the same twice"; }

[ -x "$build/bench/airfoil/airfoil" ] || die "$build has no built benchmarks"
echo "backend $backend, threads $threads, $pairs pairs," \
  "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1)"
for part in $parts; do "$part"; done
