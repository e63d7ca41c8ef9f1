#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Everything about NVIDIA devices on a machine that has one: builds, runs the tests of loops on it, compares
# airfoil with its published figures, looks for errors of memory, and measures. Needs a compiler and the
# CUDA toolkit (or NVRTC alone), no network.
#   test/gpu.sh [--build DIR] [--archive FILE] [--results DIR] [--minutes N] [PART...]
# PARTs, all in this order if none is named:
#   figures    airfoil's published figures by every strategy for increments
#   sanitizer  compute-sanitizer over every strategy and over reductions, on a small mesh
#   random     random programs
#   speed      bench/gpu.sh
#   tests      the tests of loops
# --build     what was built elsewhere, tests and benchmarks included; else it is built here, which takes
#             Meson and Ninja, in the folder build-gpu
# --archive   of the libraries that are needed, as test/gpu-archive.sh makes it
# --results   where DATE-CHIP.txt is written (default bench/results), and what a failed test said
# --minutes   no further part or test is begun after so many (default 8); all of it ends a minute later
# A job of ten minutes has room for the first three, and a second one for the others.
# Closes with a line "N passed, N failed, N skipped", and fails if anything did. Without a device it says
# so and ends with status 77.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
build=
archive=
results=$root/bench/results
minutes=8
parts=
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;;
    figures | sanitizer | random | speed | tests) parts="$parts $1" ;;
    --build | --archive | --results | --minutes)
      [ $# -gt 1 ] || { echo "gpu.sh: a value is missing after $1" >&2; exit 2; }
      case $1 in
        --build) build=$2 ;;
        --archive) archive=$2 ;;
        --results) results=$2 ;;
        --minutes) minutes=$2 ;;
      esac
      shift
      ;;
    *) echo "gpu.sh: unknown argument '$1' (--help lists them)" >&2; exit 2 ;;
  esac
  shift
done
case $minutes in
  '' | *[!0-9]*) echo "gpu.sh: not a number of minutes: $minutes" >&2; exit 2 ;;
esac

begin=$(date +%s)
took() { echo $(($(date +%s) - begin)); }
say() { printf '%5s s  %s\n' "$(took)" "$*"; }
over() { [ "$(took)" -ge $((60 * minutes)) ]; }
left() { echo $((60 * (minutes + 1) - $(took))); }
# within SECONDS COMMAND...: runs the command for at most SECONDS and at most the remaining time;
# the status is 124 if that was too short
within() {
  most=$(left)
  [ "$most" -gt 0 ] || return 124
  [ "$most" -lt "$1" ] || most=$1
  shift
  timeout "$most" "$@"
}
cores=$(nproc)
at_once=$((cores > 2 ? cores / 2 : 1))
cut_short() { [ "$1" -eq 124 ] && [ "$(left)" -le 0 ]; } # STATUS: the command ran out of time
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0 skipped=0
count() { # STATUS NAME
  if [ "$1" -eq 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    say "FAILED: $2"
  fi
}
skip() {
  skipped=$((skipped + 1))
  say "skipped: $*"
}
end() {
  echo "$passed passed, $failed failed, $skipped skipped"
  [ $failed -eq 0 ]
  exit
}

# ---- the device ----

chip=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1)
if [ -z "$chip" ]; then
  echo "gpu.sh: there is no NVIDIA device here (nvidia-smi names none)" >&2
  exit 77
fi
say "$chip, driver $(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)"

if [ -n "$archive" ]; then
  mkdir "$tmp/archive" && tar -xf "$archive" -C "$tmp/archive" || exit 1
  unpacked=$tmp/archive/op2-gpu
  [ -d "$unpacked/include" ] || { echo "gpu.sh: no folder op2-gpu in $archive" >&2; exit 2; }
  CPATH=$unpacked/include:$unpacked/include/starpu/1.3
  LIBRARY_PATH=$unpacked/lib
  LD_LIBRARY_PATH=$unpacked/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export CPATH LIBRARY_PATH LD_LIBRARY_PATH
fi

if [ -z "$build" ]; then
  build=$root/build-gpu
  say "building"
  if [ ! -e "$build/build.ninja" ]; then
    meson setup "$build" "$root" --buildtype=release -Dmpi=disabled -Dhdf5=disabled -Dfortran=disabled -Dcompat=false >"$tmp/setup.log" 2>&1
    status=$?
    count $status "configure"
    [ $status -eq 0 ] || { tail -n 20 "$tmp/setup.log"; end; }
  fi
  ninja -C "$build" >"$tmp/build.log" 2>&1
  status=$?
  count $status "compile"
  [ $status -eq 0 ] || { tail -n 20 "$tmp/build.log"; end; }
fi
[ -x "$build/test/t130-direct" ] || { echo "gpu.sh: $build has no tests" >&2; exit 2; }
LD_LIBRARY_PATH=$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
mkdir -m 700 "$tmp/cache"
OP2_TEST_SOURCE=$root OP2_CACHE_DIR=$tmp/cache OP2_TEST_CACHE=$tmp/cache OP2_TEST_QUICK=1 OP2_VERIFY=1
export LD_LIBRARY_PATH OP2_TEST_SOURCE OP2_CACHE_DIR OP2_TEST_CACHE OP2_TEST_QUICK OP2_VERIFY


# ---- programs ----

# took_part NAME STATUS: counts each check of a test program that has run
took_part() {
  out=$tmp/$1.out
  cut_short "$2" && { skip "$1: all the time is over"; return; }
  passes=$(grep -c '^ok' "$out")
  skips=$(grep -c '^ok.*# SKIP' "$out")
  fails=$(grep -c '^not ok' "$out")
  if ! grep -q '^1\.\.' "$out" && [ "$fails" -eq 0 ]; then fails=1; fi
  passed=$((passed + passes - skips)) failed=$((failed + fails)) skipped=$((skipped + skips))
  say "$1: $((passes - skips)) passed, $fails failed, $skips skipped"
  [ "$fails" -eq 0 ] && [ "$2" -eq 0 ] && return
  [ "$fails" -gt 0 ] || { failed=$((failed + 1)); say "FAILED: $1 ends with status $2"; }
  grep '^not ok' "$out" | head -n 10
  tail -n 10 "$tmp/$1.err"
  { echo "== $1, status $2"; grep -v '^ok' "$out" | head -n 60; tail -n 60 "$tmp/$1.err"; } >>"$results/failures.txt"
}

# programs FILE: runs the test programs that it lists, one a line with its arguments, several at a time:
# what takes longest is compiling, by one core each
programs() {
  cat >"$tmp/one" <<'TEXT'
build=$1 tmp=$2 last=$3 name=$4
shift 4
[ "$(date +%s)" -lt "$last" ] || exit 0
timeout 300 "$build/test/$name" "$@" >"$tmp/$name.out" 2>"$tmp/$name.err"
echo $? >"$tmp/$name.status"
TEXT
  last=$((begin + 60 * minutes))
  within "$(left)" xargs -P "$at_once" -L 1 sh "$tmp/one" "$build" "$tmp" $last <"$1"
  while read -r name _; do
    if [ -e "$tmp/$name.status" ]; then
      took_part "$name" "$(cat "$tmp/$name.status")"
    else
      skip "$name: the time is over"
    fi
  done <"$1"
}

# With the backend that OP2_TEST_BACKEND names, tests of loops run all their cases on it.
part_tests() {
  ls "$build/test" | sed -n 's/^\(t54[03]-devices[a-z-]*\)$/\1/p' >"$tmp/own"
  programs "$tmp/own"
  for source in $(grep -l 'RUN(' "$root"/test/*/t[1-9]*.c); do
    name=$(basename "$source" .c)
    [ ! -x "$build/test/$name" ] || echo "$name"
  done >"$tmp/loops"
  printf 't548-device-meanings\nt909-random-ranks 20\n' >>"$tmp/loops"
  OP2_TEST_BACKEND=cuda
  export OP2_TEST_BACKEND
  programs "$tmp/loops"
  unset OP2_TEST_BACKEND
}

part_random() {
  echo "t600-random 150" >"$tmp/random"
  OP2_TEST_BACKEND=cuda
  export OP2_TEST_BACKEND
  programs "$tmp/random"
  unset OP2_TEST_BACKEND
}

# ---- airfoil ----

published='100 5.02186e-04 200 3.41746e-04 300 2.63430e-04 400 2.16288e-04 500 1.84659e-04 600 1.60866e-04
700 1.42253e-04 800 1.27627e-04 900 1.15810e-04 1000 1.06011e-04'
strategies='repeat owner gather staged unstaged atomics'

part_figures() {
  for strategy in $strategies; do
    within 60 env OP2_DEVICE_STRATEGY="$strategy" OP2_VERIFY=0 "$build/bench/airfoil/airfoil" --backend cuda \
      --mesh classic --iterations 1000 --every 100 >"$tmp/out" 2>"$tmp/err"
    status=$?
    cut_short $status && { skip "airfoil by $strategy: all the time is over"; continue; }
    count $status "airfoil by $strategy runs"
    [ $status -eq 0 ] || tail -n 10 "$tmp/err"
    got=$(awk '/^[0-9]+ / { printf "%d %.5e ", $1, $2 }' "$tmp/out")
    # shellcheck disable=SC2086
    [ "$(echo $got)" = "$(echo $published)" ]
    count $? "airfoil's published figures by $strategy, not $got"
    say "airfoil by $strategy: $(sed -n 's/^time_per_iteration_ms \([0-9.]*\).*/\1/p' "$tmp/out") ms a step"
  done
}

# The toolkit's own tool looks for memory errors, races, and barriers that some threads do not reach.
part_sanitizer() {
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
  [ -n "$sanitizer" ] || { skip "compute-sanitizer is not here"; return; }
  cat >"$tmp/check" <<'TEXT'
OP2_DEVICE_STRATEGY=$5 timeout 120 "$1" --tool "$4" --error-exitcode 9 "$2/bench/airfoil/airfoil" \
  --backend cuda --mesh 16x24 --iterations 3 >"$3/$4-$5.out" 2>&1
echo $? >"$3/$4-$5.status"
TEXT
  for tool in memcheck racecheck synccheck; do
    for strategy in $strategies; do echo "$tool $strategy"; done
  done >"$tmp/checks"
  within "$(left)" xargs -P "$at_once" -L 1 sh "$tmp/check" "$sanitizer" "$build" "$tmp" <"$tmp/checks"
  while read -r tool strategy; do
    status=$(cat "$tmp/$tool-$strategy.status" 2>/dev/null || echo 124)
    [ "$status" -eq 124 ] && { skip "$tool by $strategy: it took too long"; continue; }
    count "$status" "$tool on airfoil by $strategy"
    [ "$status" -eq 0 ] && continue
    { echo "== $tool, $strategy"; head -n 80 "$tmp/$tool-$strategy.out"; } >>"$results/failures.txt"
    tail -n 5 "$tmp/$tool-$strategy.out"
  done <"$tmp/checks"
  say "compute-sanitizer has ended"
}

# ---- speed ----

part_speed() {
  file=$results/$(date +%Y-%m-%d)-$(echo "$chip" | tr 'A-Z' 'a-z' | sed 's/nvidia//; s/[^a-z0-9]\{1,\}/-/g; s/^-//; s/-$//').txt
  say "measuring, into $file"
  (
    unset OP2_TEST_QUICK OP2_VERIFY
    within "$(left)" "$root/bench/gpu.sh" --build "$build" --out "$file"
  )
  status=$?
  if cut_short $status; then
    skip "bench/gpu.sh: the time is over; $file has what was measured by then"
  else
    count $status "bench/gpu.sh"
  fi
}

for part in ${parts:-figures sanitizer random speed tests}; do
  if over; then
    skip "$part: $minutes minutes are over"
  else
    say "== $part"
    "part_$part"
  fi
done
end
