#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Everything about NVIDIA devices on a machine that has one: builds, runs the tests of loops on it, compares
# airfoil with its published figures, looks for errors of memory, and measures. Needs a compiler and the
# CUDA toolkit (or NVRTC alone), no network.
#   test/gpu.sh [--build DIR] [--archive FILE] [--results DIR] [--minutes N] [--no-bench]
# --build     what was built elsewhere, tests and benchmarks included; else it is built here, which takes
#             Meson and Ninja, in the folder build-gpu
# --archive   of StarPU and the libraries that are needed, as test/starpu-cuda.sh makes it
# --results   where DATE-CHIP.txt is written (default bench/results)
# --minutes   no further test is begun after so many (default 8); all of it ends two minutes later, and
#             bench/gpu.sh has what the tests leave
# Closes with a line "N passed, N failed, N skipped", and fails if anything did. Without a device it says
# so and ends with status 77.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
build=
archive=
results=$root/bench/results
minutes=8
bench=yes
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;;
    --no-bench) bench=no ;;
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
left() { echo $((60 * (minutes + 2) - $(took))); }
# within SECONDS COMMAND...: runs the command for at most SECONDS and at most the remaining time;
# the status is 124 if that was too short
within() {
  most=$(left)
  [ "$most" -gt 0 ] || return 124
  [ "$most" -lt "$1" ] || most=$1
  shift
  timeout "$most" "$@"
}
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
  prefix=$(find "$tmp/archive" -type d -name pkgconfig | head -n 1)
  [ -n "$prefix" ] || { echo "gpu.sh: no pkgconfig folder in $archive" >&2; exit 2; }
  library=$(dirname "$prefix")
  include=$(dirname "$library")/include
  PKG_CONFIG_PATH=$prefix
  CPATH=$include
  LIBRARY_PATH=$library
  LD_LIBRARY_PATH=$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export PKG_CONFIG_PATH CPATH LIBRARY_PATH LD_LIBRARY_PATH
fi

if [ -z "$build" ]; then
  build=$root/build-gpu
  say "building"
  if [ ! -e "$build/build.ninja" ]; then
    meson setup "$build" "$root" --buildtype=release >"$tmp/setup.log" 2>&1
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

# ---- tests ----

# program NAME ARGUMENT...: runs a test program and counts each of its checks
program() {
  name=$1
  shift
  [ -x "$build/test/$name" ] || { skip "$name: not built"; return; }
  over && { skip "$name: $minutes minutes are over"; return; }
  within 300 "$build/test/$name" "$@" >"$tmp/out" 2>"$tmp/err"
  status=$?
  cut_short $status && { skip "$name: all the time is over"; return; }
  passes=$(grep -c '^ok' "$tmp/out")
  skips=$(grep -c '^ok.*# SKIP' "$tmp/out")
  fails=$(grep -c '^not ok' "$tmp/out")
  if ! grep -q '^1\.\.' "$tmp/out" && [ "$fails" -eq 0 ]; then fails=1; fi
  passed=$((passed + passes - skips)) failed=$((failed + fails)) skipped=$((skipped + skips))
  say "$name $*: $((passes - skips)) passed, $fails failed, $skips skipped"
  [ "$fails" -eq 0 ] && [ $status -eq 0 ] && return
  [ "$fails" -gt 0 ] || { failed=$((failed + 1)); say "FAILED: $name ends with status $status"; }
  grep '^not ok' "$tmp/out" | head -n 10
  tail -n 10 "$tmp/err"
}

program t540-devices
program t543-devices-ranks
export OP2_TEST_BACKEND=cuda
# These tests run their cases on the backend that OP2_TEST_BACKEND names.
for source in $(grep -l 'RUN(' "$root"/test/t[1-9]*.c); do
  name=$(basename "$source" .c)
  program "$name"
done
program t600-random 100
program t909-random-ranks 20
unset OP2_TEST_BACKEND

# These are the published results of airfoil.
published='100 5.02186e-04 200 3.41746e-04 300 2.63430e-04 400 2.16288e-04 500 1.84659e-04 600 1.60866e-04
700 1.42253e-04 800 1.27627e-04 900 1.15810e-04 1000 1.06011e-04'
within 60 env OP2_VERIFY=0 "$build/bench/airfoil/airfoil" --backend cuda --mesh classic --iterations 1000 \
  --every 100 >"$tmp/out" 2>"$tmp/err"
status=$?
if cut_short $status; then
  skip "airfoil: all the time is over"
else
  count $status "airfoil runs"
  got=$(awk '/^[0-9]+ / { printf "%d %.5e ", $1, $2 }' "$tmp/out")
  [ "$(echo $got)" = "$(echo $published)" ]
  count $? "airfoil's published figures, not $got"
fi

# The toolkit's own tool looks for memory errors and races.
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
if [ -z "$sanitizer" ]; then
  skip "compute-sanitizer is not here"
else
  for tool in memcheck racecheck; do
    if over; then
      skip "$tool: $minutes minutes are over"
      continue
    fi
    within 90 "$sanitizer" --tool $tool --error-exitcode 9 "$build/bench/airfoil/airfoil" --backend cuda \
      --mesh 16x24 --iterations 3 >"$tmp/out" 2>&1
    status=$?
    if [ $status -eq 124 ]; then
      skip "$tool: it took too long"
    else
      count $status "$tool on airfoil"
      [ $status -eq 0 ] || tail -n 20 "$tmp/out"
    fi
  done
fi

# ---- speed ----

if [ $bench = yes ]; then
  file=$results/$(date +%Y-%m-%d)-$(echo "$chip" | tr 'A-Z' 'a-z' | sed 's/nvidia//; s/[^a-z0-9]\{1,\}/-/g; s/^-//; s/-$//').txt
  say "measuring, into $file"
  unset OP2_TEST_QUICK OP2_VERIFY
  within "$(left)" "$root/bench/gpu.sh" --build "$build" --out "$file"
  status=$?
  if cut_short $status; then
    skip "bench/gpu.sh: $((minutes + 2)) minutes are over; $file has what was measured by then"
  else
    count $status "bench/gpu.sh"
  fi
fi
end
