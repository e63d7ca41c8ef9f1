#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Everything about NVIDIA devices on a node that has one, in two jobs of at most nine minutes: builds,
# compares airfoil with its published figures, looks for errors of memory, measures, and runs the tests
# of loops. Needs a compiler, Meson, Ninja, Python and CUDA's driver and NVRTC, no network.
#   test/gpu.sh [--job 1|2] [--results DIR] [--build DIR] [--libraries DIR] [--minutes N] [PART...]
#   test/gpu.sh --plan      prints all steps of both jobs in their order with the seconds that each is
#                           expected to take; it takes the other options as well
#   test/gpu.sh --sample    a few small steps of each job, in three minutes for both and the build
#   test/gpu.sh --emulated  on the emulated device that the tests have, where there is none
# PARTs, all in this order if none is named:
#   figures    job 1: airfoil's published figures by every strategy for increments
#   sanitizer  job 1: compute-sanitizer over every strategy and over reductions, on a small mesh
#   random     job 1: random programs
#   speed      job 2: bench/gpu.sh
#   tests      job 2: the tests of loops
# --results    whatever is to be kept is written there: what is printed here, figures, times, and what a
#              failed step said (default: results in the folder of the build)
# --build      what was built elsewhere; else it is built here, in the folder build-gpu
# --libraries  the folder with include and lib of what test/gpu-archive.sh packs (default: the folder
#              that holds this source tree, if it has these)
# --minutes    all of it ends after so many (default 9 for each job)
# A step that is expected to take longer than the time that is left is not begun, and one that is still
# running then is ended: both are left out, are named, and do not count as passed. Closes with a line "N
# passed, N failed, N skipped, N left out", and fails if anything did. Without a device it reports that
# and ends with status 77.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
build= results= libraries= minutes= jobs= parts=
plan=no sample=no emulated=no
wrong() { echo "gpu.sh: $*" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;;
    figures | sanitizer | random | speed | tests) parts="$parts $1" ;;
    --plan) plan=yes ;;
    --sample) sample=yes ;;
    --emulated) emulated=yes ;;
    --job | --build | --libraries | --results | --minutes)
      [ $# -gt 1 ] || wrong "a value is missing after $1"
      case $1 in
        --job) jobs="$jobs $2" ;;
        --build) build=$2 ;;
        --libraries) libraries=$2 ;;
        --results) results=$2 ;;
        --minutes) minutes=$2 ;;
      esac
      shift
      ;;
    *) wrong "unknown argument '$1' (--help lists them)" ;;
  esac
  shift
done
case $jobs in '' | ' 1' | ' 2' | ' 1 2') ;; *) wrong "there are the jobs 1 and 2, not$jobs" ;; esac
case $minutes in *[!0-9]* | 0) wrong "not a number of minutes: $minutes" ;; esac
jobs=${jobs:- 1 2}
# Options may be paths relative to where the script is called.
[ -z "$build" ] || build=$(cd "$build" && pwd) || exit 2
ready=$build
build=${build:-$root/build-gpu}
results=${results:-$build/results}

# ---- the steps ----

cores=$(nproc)
at_once=$((cores > 2 ? cores / 2 : cores))
strategies='repeat owner gather staged unstaged atomics'
tools='memcheck racecheck synccheck'
small=$sample
[ $emulated = no ] || small=yes

loop_tests() {
  if [ $sample = yes ]; then
    echo t130-direct
    return
  fi
  ls "$root"/test/devices/t54[03]-devices*.c | sed 's/.*\///; s/\.c$//'
  echo t548-device-meanings
  grep -l 'RUN(' "$root"/test/*/t[1-9]*.c | sed 's/.*\///; s/\.c$//' | grep -v '^t54'
  echo t909-random-ranks
}

# table: prints JOB PART STEP SECONDS for all steps. The seconds are those of a node with an H100 or H200;
# what compiles takes longer with fewer cores, and steps of which several run at a time count in part.
table() {
  compiling=$((sample == 1 ? 0 : 640 / cores))
  shared=$((30 / at_once + 2))
  [ -n "$ready" ] || echo "1 build job-1 $((20 + 300 / cores))"
  for strategy in $strategies; do echo "1 figures $strategy $1"; done
  for tool in $tools; do
    for what in $strategies reductions; do echo "1 sanitizer $tool-$what $2"; done
  done
  echo "1 random t600-random $3"
  [ -n "$ready" ] || echo "2 build job-2 $((20 + 640 / cores))"
  "$root/bench/gpu.sh" --list | while read -r name seconds; do
    [ $small = no ] || seconds=$4
    echo "2 speed $name $seconds"
  done
  for name in $(loop_tests); do echo "2 tests $name $5"; done
}
