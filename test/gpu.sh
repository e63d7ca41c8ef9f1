#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Everything about NVIDIA or AMD devices on a node that has one, in two jobs of at most nine minutes: builds,
# compares airfoil with its published figures, looks for errors of memory, measures, and runs the tests
# of loops. Needs a compiler, Meson, Ninja, Python and CUDA's driver and NVRTC, or the HIP runtime and
# hipRTC, no network.
#   test/gpu.sh [--amd] [--job 1|2] [--results DIR] [--build DIR] [--libraries DIR] [--minutes N] [PART...]
#   test/gpu.sh --plan      prints all steps of both jobs in their order with the seconds that each is
#                           expected to take; it takes the other options as well
#   test/gpu.sh --sample    a few small steps of each job, in three minutes for both and the build
#   test/gpu.sh --emulated  on the emulated device that the tests have, where there is none
#   test/gpu.sh build       only builds what the steps need, for which no device is needed
# PARTs, all in this order if none is named:
#   figures    job 1: airfoil's published figures by every strategy for increments
#   sanitizer  job 1: compute-sanitizer over every strategy and over reductions, on a small mesh
#   random     job 1: random programs
#   speed      job 2: bench/gpu.sh
#   tests      job 2: the tests of loops
# --amd        an AMD device by the backend hip, in place of an NVIDIA device by cuda; it has no sanitizer
# --results    whatever is to be kept is written there: what is printed here, figures, times, and what a
#              failed step said (default: results in the folder of the build)
# --build      what was built elsewhere; else it is built here, in the folder build-gpu, unless that
#              has come ready-made, as from test/gpu-archive.sh --built
# --libraries  the folder with include and lib of what test/gpu-archive.sh packs (default: the folder
#              that holds this source tree, if it has these)
# --minutes    all of it ends after so many (default 9 for each job)
# A step that is expected to take longer than the time that is left is not begun, and one that is still
# running then is ended: both are left out, are named, and do not count as passed. Closes with a line "N
# passed, N failed, N skipped, N left out", and fails if anything did. Without a device it reports that
# and ends with status 77.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
build='' results='' libraries='' minutes='' jobs='' parts=''
plan=no sample=no emulated=no backend=cuda maker=NVIDIA
wrong() { echo "gpu.sh: $*" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;;
    build | figures | sanitizer | random | speed | tests) parts="$parts $1" ;;
    --plan) plan=yes ;;
    --sample) sample=yes ;;
    --emulated) emulated=yes ;;
    --amd) backend=hip maker=AMD ;;
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
if [ -x "$build/bench/airfoil/airfoil" ] && [ ! -e "$build/build.ninja" ]; then ready=$build; fi
results=${results:-$build/results}

# ---- the steps ----

cores=$(nproc)
at_once=$((cores > 2 ? cores / 2 : cores))
strategies='repeat owner gather staged unstaged atomics'
tools='memcheck racecheck synccheck'
small=$sample
[ $emulated = no ] || small=yes

measurements() {
  if [ $sample = yes ]; then printf 'airfoil 0\nstrategies 0\n'; else "$root/bench/gpu.sh" --list; fi
}

# loop_tests: prints the tests of loops, those of devices first
loop_tests() {
  if [ $sample = yes ]; then
    echo t130-direct
    return
  fi
  echo t540-devices
  echo t543-devices-ranks
  echo t548-device-meanings
  for topic in operations matrices schedule mesh codegen; do
    grep -l 'RUN(' "$root/test/$topic"/t[1-9]*.c
  done | sed 's/.*\///; s/\.c$//'
  printf '%s\n' t541-places t546-time-loop
  echo t909-random-ranks
}

# width PART: prints how many of its steps run at a time: what takes longest in them is compiling
width() {
  case $1 in sanitizer | tests) echo $at_once ;; *) echo 1 ;; esac
}

# expected PART SECONDS: prints how many seconds a step of it takes, where SECONDS is for a device
expected() {
  if [ $small = no ]; then
    echo "$2"
  else
    case $1 in
      figures) echo 4 ;;
      random | speed) echo 15 ;;
      *) echo 20 ;;
    esac
  fi
}

# table: prints JOB PART STEP SECONDS for all steps in their order. Seconds are those of a node with an
# H100 or H200; how long building takes depends on the cores.
table() {
  [ -n "$ready" ] || echo "1 build job-1 $((20 + 400 / cores))"
  for name in $strategies; do echo "1 figures $name $(expected figures 10)"; done
  for tool in $tools; do
    for name in owner gather staged unstaged atomics reductions repeat; do
      echo "1 sanitizer $tool-$name $(expected sanitizer 20)"
    done
  done
  echo "1 random t600-random $(expected random 60)"
  [ -n "$ready" ] || echo "2 build job-2 $((20 + 800 / cores))"
  measurements | while read -r name seconds; do
    echo "2 speed $name $(expected speed "$seconds")"
  done
  for name in $(loop_tests); do echo "2 tests $name $(expected tests 20)"; done
}

wanted() { # PART
  case " ${parts:-$1} build " in *" $1 "*) true ;; *) false ;; esac
}

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
table | while read -r job part name seconds; do
  case "$jobs " in
    *" $job "*) if wanted "$part"; then echo "$job $part $name $seconds"; fi ;;
  esac
done >"$tmp/table"
if [ $sample = yes ]; then limit=80; else limit=$((60 * ${minutes:-9})); fi

# Time is counted in tenths of seconds, since several steps may run at a time.
show_plan() {
  echo "job   at s  takes s  step (a job ends after $limit s)"
  before=
  while read -r job part name seconds; do
    [ "$job" = "$before" ] || at=0
    before=$job
    note=
    [ $((at / 10 + seconds)) -le $limit ] || note=", if time is left"
    printf '%3s  %5s  %7s  %s\n' "$job" $((at / 10)) "$seconds" "$part $name$note"
    at=$((at + 10 * seconds / $(width "$part")))
  done <"$tmp/table"
}
if [ $plan = yes ]; then
  show_plan
  exit 0
fi

# ---- what is reported ----

mkdir -p "$results" || exit 2
results=$(cd "$results" && pwd)
log=$results/job$(echo "$jobs" | tr ' ' -).txt
begin=$(date +%s)
took() { echo $(($(date +%s) - begin)); }
say() { printf '%5s s  %s\n' "$(took)" "$*" | tee -a "$log"; }
keep() { tee -a "$results/failures.txt"; }
passed=0 failed=0 skipped=0 left=0 left_out=
pass() { passed=$((passed + 1)); }
fail() {
  failed=$((failed + 1))
  say "FAILED: $*"
}
skip() {
  skipped=$((skipped + 1))
  say "skipped: $*"
}
leave() { # STEP
  left=$((left + 1))
  left_out="$left_out, $1"
}
end() {
  [ $left -eq 0 ] || say "no time was left for: ${left_out#, }"
  echo "$passed passed, $failed failed, $skipped skipped, $left left out" | tee -a "$log"
  [ $failed -eq 0 ]
  exit
}

# ---- the device and the libraries ----

# The runtime is looked for as the library does it.
name_amd_device() {
  python3 - 2>/dev/null <<'TEXT'
import ctypes, os
homes = [os.environ[home] + "/lib/" for home in ("ROCM_PATH", "HIP_PATH") if os.environ.get(home)]
hip = None
for folder in [""] + homes + ["/opt/rocm/lib/"]:
    for end in ("so.7", "so.6", "so.5", "so"):
        try:
            hip = hip or ctypes.CDLL(folder + "libamdhip64." + end)
        except OSError:
            pass
device, version, name = ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(256)
assert not hip.hipInit(0) and not hip.hipDeviceGet(ctypes.byref(device), 0)
assert not hip.hipDeviceGetName(name, 256, device)
hip.hipRuntimeGetVersion(ctypes.byref(version))
print("%s, HIP %d.%d" % (name.value.decode(), version.value // 10000000, version.value // 100000 % 100))
TEXT
}

# The driver itself is asked where NVIDIA's program is not.
name_device() {
  if [ $backend = hip ]; then
    name_amd_device
    return
  fi
  if [ $emulated = no ]; then
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1 |
      grep . && return
  fi
  python3 - 2>/dev/null <<'TEXT'
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
device, version, name = ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(128)
assert not cuda.cuInit(0) and not cuda.cuDeviceGet(ctypes.byref(device), 0)
assert not cuda.cuDeviceGetName(name, 128, device)
cuda.cuDriverGetVersion(ctypes.byref(version))
print("%s, CUDA %d.%d" % (name.value.decode(), version.value // 1000, version.value % 1000 // 10))
TEXT
}

find_device() {
  device=$(name_device)
  if [ -z "$device" ]; then
    echo "gpu.sh: there is no $maker device here" >&2
    exit 77
  fi
  say "$device"
  chip=$(echo "${device%%,*}" | tr '[:upper:]' '[:lower:]' |
    sed 's/nvidia//; s/amd//; s/[^a-z0-9]\{1,\}/-/g; s/^-//; s/-$//')
  times=$results/$(date +%Y-%m-%d)-$chip.txt
}

if [ -z "$libraries" ] && [ -e "$root/../include/xxhash.h" ]; then libraries=$root/..; fi
if [ -n "$libraries" ]; then
  [ -d "$libraries/include" ] || wrong "no folder include in $libraries"
  libraries=$(cd "$libraries" && pwd)
  CPATH=$libraries/include:$libraries/include/starpu/1.3${CPATH:+:$CPATH}
  LIBRARY_PATH=$libraries/lib${LIBRARY_PATH:+:$LIBRARY_PATH}
  LD_LIBRARY_PATH=$libraries/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export CPATH LIBRARY_PATH LD_LIBRARY_PATH
fi

# The emulated device is there when it has been built.
set_up() {
  LD_LIBRARY_PATH=$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  if [ $emulated = yes ]; then
    LD_LIBRARY_PATH=$build/test/emulation:$LD_LIBRARY_PATH
    CUDA_HOME=$build/test/emulation CUDA_PATH=$build/test/emulation
    export CUDA_HOME CUDA_PATH
  fi
  mkdir -m 700 "$tmp/cache"
  OP2_TEST_SOURCE=$root OP2_TEST_BUILD=$build OP2_CACHE_DIR=$tmp/cache OP2_TEST_CACHE=$tmp/cache
  XDG_CACHE_HOME=$tmp/cache OMP_WAIT_POLICY=passive HWLOC_HIDE_ERRORS=2
  export LD_LIBRARY_PATH OP2_TEST_SOURCE OP2_TEST_BUILD OP2_CACHE_DIR OP2_TEST_CACHE XDG_CACHE_HOME
  export OMP_WAIT_POLICY HWLOC_HIDE_ERRORS
}

# ---- building ----

# targets JOB: prints what its steps need
targets() {
  printf '%s\n' bench/airfoil/airfoil bench/device/device_copy
  [ $emulated = no ] ||
    printf 'test/emulation/%s\n' libcuda.so.1 libnvrtc.so.13 libamdhip64.so.7 libhiprtc.so.7
  if [ "$1" = 1 ]; then
    printf 'test/%s\n' t600-random t160-reduce t161-where
  else
    printf '%s\n' bench/cg/cg bench/tsunami/tsunami
    loop_tests | sed 's/^/test\//'
  fi
}

# built NAME STATUS: counts a part of the building; without it there is nothing to run
built() {
  if [ "$2" -eq 0 ]; then
    pass
    return
  fi
  fail "$1, status $2"
  { echo "== $1"; tail -n 30 "$tmp/build.log"; } | keep
  end
}

# Some tests may not be among what this configuration builds.
build_job() { # JOB
  most=$((deadline - $(date +%s)))
  if [ ! -e "$build/build.ninja" ]; then
    say "configuring"
    timeout $most meson setup "$build" "$root" --buildtype=release \
      -Dmpi=disabled -Dhdf5=disabled -Dfortran=disabled -Dpython=disabled -Dcompat=false \
      -Dpng=disabled -Dzlib=disabled -Dexpat=disabled \
      >"$tmp/build.log" 2>&1
    set -- "$1" $?
    sed -n '/Optional parts/,$p' "$tmp/build.log" >"$results/configuration.txt"
    built configure "$2"
  fi
  say "building"
  ninja -C "$build" -t targets all | sed -n 's/: .*//p' | sort >"$tmp/known"
  targets "$1" | sort -u | comm -12 - "$tmp/known" >"$tmp/targets"
  timeout $most xargs ninja -C "$build" -k 0 <"$tmp/targets" >"$tmp/build.log" 2>&1
  built build $?
  say "built"
}

# ---- the command of each step, and what is made of its result ----

# Each check that TAP reports is counted.
judge_tests() { # STEP STATUS
  out=$tmp/$1.out
  passes=$(grep -c '^ok' "$out")
  skips=$(grep -c '^ok.*# SKIP' "$out")
  fails=$(grep -c '^not ok' "$out")
  passed=$((passed + passes - skips)) skipped=$((skipped + skips))
  say "$1: $((passes - skips)) passed, $fails failed, $skips skipped"
  if [ "$2" -eq 0 ] && [ "$fails" -eq 0 ] && grep -q '^1\.\.' "$out"; then return; fi
  [ "$fails" -eq 0 ] || failed=$((failed + fails - 1))
  fail "$1, status $2"
  { echo "== $1, status $2"; grep -v '^ok' "$out" | head -n 60; tail -n 60 "$tmp/$1.err"; } | keep
}
judge_random() { judge_tests "$@"; }

testing='env OP2_TEST_QUICK=1 OP2_VERIFY=1 OP2_TRIAL=0'
on_device="$testing OP2_TEST_BACKEND=$backend"

command_tests() { # STEP
  case $1 in
    # These have their own cases for each kind of device.
    t540-devices | t543-devices-ranks) echo "$testing '$build/test/$1'" ;;
    t909-random-ranks) echo "$on_device '$build/test/$1' 20" ;;
    *) echo "$on_device '$build/test/$1'" ;;
  esac
}

command_random() {
  programs=150
  [ $small = no ] || programs=10
  [ $sample = no ] || programs=2
  echo "$on_device '$build/test/$1' $programs"
}

published='100 5.02186e-04 200 3.41746e-04 300 2.63430e-04 400 2.16288e-04 500 1.84659e-04 600 1.60866e-04
700 1.42253e-04 800 1.27627e-04 900 1.15810e-04 1000 1.06011e-04'
problem="--mesh classic --iterations 1000 --every 100"
[ $small = no ] || problem="--mesh 16x24 --iterations 20 --every 10"

command_figures() {
  echo "OP2_DEVICE_STRATEGY=$1 exec '$build/bench/airfoil/airfoil' --backend $backend $problem"
}
residuals() { awk '/^[0-9]+ / { printf "%d %.5e ", $1, $2 }' "$1"; }

# What a small mesh has to give is computed by the backend `sequential`.
judge_figures() {
  if [ $small = yes ] && [ ! -e "$tmp/sequential" ]; then
    # shellcheck disable=SC2086 # options
    "$build/bench/airfoil/airfoil" --backend sequential $problem >"$tmp/sequential" 2>"$tmp/why" ||
      { fail "airfoil on the host"; tail -n 10 "$tmp/why" | keep; }
    published=$(residuals "$tmp/sequential")
  fi
  cp "$tmp/$1.out" "$results/airfoil-$1.txt"
  got=$(residuals "$tmp/$1.out")
  # shellcheck disable=SC2086 # blanks do not count
  if [ "$2" -eq 0 ] && [ -n "$got" ] && [ "$(echo $got)" = "$(echo $published)" ]; then
    pass
    ms=$(sed -n 's/^time_per_iteration_ms \([0-9.]*\).*/\1/p' "$tmp/$1.out")
    say "airfoil by $1: the right figures, $ms ms a step"
  else
    fail "airfoil's figures by $1: $got"
    { echo "== airfoil by $1, status $2: $got"; tail -n 20 "$tmp/$1.err"; } | keep
  fi
}

sanitizer=
[ $backend = hip ] || sanitizer=$(PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin:/usr/local/cuda/bin \
  command -v compute-sanitizer)

# The toolkit's own tool looks for memory errors, races, and barriers that some threads do not reach.
command_sanitizer() {
  call="'$sanitizer' --tool ${1%%-*} --error-exitcode 9"
  case $1 in
    *-reductions)
      echo "$on_device $call '$build/test/t160-reduce' && $on_device $call '$build/test/t161-where'" ;;
    *)
      echo "OP2_DEVICE_STRATEGY=${1#*-} $call '$build/bench/airfoil/airfoil' --backend $backend" \
        "--mesh 16x24 --iterations 3" ;;
  esac
}
judge_sanitizer() {
  case $2 in
    0) pass ;;
    124) skip "$1: it took too long" ;;
    *)
      fail "compute-sanitizer, $1"
      { echo "== $1"; head -n 80 "$tmp/$1.out"; tail -n 20 "$tmp/$1.err"; } | keep
      ;;
  esac
}

amd=
[ $backend = cuda ] || amd=--amd

# The file of times gets one heading.
command_speed() {
  [ $small = no ] || set -- "$1" --sample
  [ ! -e "$times" ] || set -- "$@" --more
  echo "exec '$root/bench/gpu.sh' $amd --build '$build' --out '$times' $*"
}
judge_speed() {
  if [ "$2" -eq 0 ]; then
    pass
    say "$1 has been measured, into ${times##*/}"
    tee -a "$log" <"$tmp/$1.out"
  else
    fail "bench/gpu.sh $1, status $2"
    { echo "== bench/gpu.sh $1"; tail -n 30 "$tmp/$1.err"; } | keep
  fi
}

# ---- running ----

# A step is begun only if it is expected to end in time. Its status is "late" if it does not.
cat >"$tmp/one" <<'TEXT'
name=$1 seconds=$2
now=$(date +%s)
[ $((now + seconds)) -le "$deadline" ] || exit 0
most=$((deadline - now))
[ $most -lt 240 ] || most=240
timeout -k 5 $most sh "$tmp/$name.sh" >"$tmp/$name.out" 2>"$tmp/$name.err"
status=$?
[ $status -ne 124 ] || [ "$(date +%s)" -lt "$deadline" ] || status=late
echo $status >"$tmp/$name.status"
TEXT

judge() { # PART STEP
  status=$(cat "$tmp/$2.status" 2>/dev/null || echo late)
  if [ "$status" = late ]; then leave "$1 $2"; else "judge_$1" "$2" "$status"; fi
}

run_part() { # JOB PART
  grep "^$1 $2 " "$tmp/table" >"$tmp/steps" || return 0
  if [ "$2" = sanitizer ] && [ -z "$sanitizer" ]; then
    skip "sanitizer: there is no compute-sanitizer for memcheck, racecheck and synccheck"
    return
  fi
  say "== $2"
  if [ "$(width "$2")" -gt 1 ]; then
    while read -r _ _ name _; do "command_$2" "$name" >"$tmp/$name.sh"; done <"$tmp/steps"
    awk '{ print $3, $4 }' "$tmp/steps" |
      tmp=$tmp deadline=$deadline xargs -P "$(width "$2")" -L 1 sh "$tmp/one"
    while read -r _ _ name _ <&3; do judge "$2" "$name"; done 3<"$tmp/steps"
  else
    while read -r _ _ name seconds <&3; do
      "command_$2" "$name" >"$tmp/$name.sh"
      tmp=$tmp deadline=$deadline sh "$tmp/one" "$name" "$seconds"
      judge "$2" "$name"
    done 3<"$tmp/steps"
  fi
}

# A sample's time begins when it is built, and building alone has no limit to speak of.
run_job() { # JOB
  [ "$parts" = " build" ] || grep -v ' build ' "$tmp/table" | grep -q "^$1 " || return 0
  begin=$(date +%s)
  deadline=$((begin + limit))
  [ $sample = no ] && [ "$parts" != " build" ] || deadline=$((begin + 3600))
  say "== job $1"
  [ -n "$ready" ] || build_job "$1"
  [ "$parts" != " build" ] || return 0
  [ -x "$build/bench/airfoil/airfoil" ] || wrong "$build has no programs"
  [ -d "$tmp/cache" ] || set_up
  [ $emulated = no ] || find_device
  [ $sample = no ] || deadline=$(($(date +%s) + limit))
  for part in figures sanitizer random speed tests; do run_part "$1" $part; done
  say "job $1 has ended"
}

: >"$log"
[ $emulated = yes ] || [ "$parts" = " build" ] || find_device
show_plan | tee -a "$log"
for job in $jobs; do run_job "$job"; done
end
