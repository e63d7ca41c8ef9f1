#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Install what the tests need, build, and run all tests. Tells each test as it ends, closes with a
# line "N passed, N failed, N skipped" and fails if anything did. What is built and every log stay in
# the folder build-test (or in $OP2_TEST_OUT).
#   test/run.sh             all builds, from scratch, at reduced sizes: without the longest tests, and
#                           without long ones in builds other than release
#   test/run.sh --long      the same at larger sizes with all tests, README's lines in a bare Debian
#                           included; OP2_TEST_FULL=1 has all combinations where else a choice is
#                           tried
#   test/run.sh --quick     the release build only, without long tests, building on what is there
#   test/run.sh --smoke     of these some of every kind, in half a minute once they are built
#   test/run.sh -k NAME     only tests whose name contains NAME
#   test/run.sh --minutes N on a slow machine: after N minutes (75, if not given, and with --quick,
#                           --smoke or --long as many as it takes) no test is begun, soon after none
#                           runs on, and what is left is skipped, with this reason. Each build gets
#                           a share of the time
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
out=${OP2_TEST_OUT:-$root/build-test}
quick=no
smoke=no
long=no
only=
minutes=
found=no
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=yes ;;
    --smoke) quick=yes smoke=yes ;;
    --long) long=yes ;;
    -k)
      only=${2:-}
      [ -n "$only" ] || { echo "run.sh: a name is missing after -k" >&2; exit 2; }
      shift
      ;;
    --minutes)
      minutes=${2:-}
      case $minutes in
        '' | *[!0-9]*) echo "run.sh: a whole number is missing after --minutes" >&2; exit 2 ;;
      esac
      shift
      ;;
    -h | --help) awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;;
    *)
      echo "run.sh: unknown argument '$1' (--quick, --smoke, --long, -k NAME, --minutes N, --help)" >&2
      exit 2
      ;;
  esac
  shift
done
[ $quick$long != yesyes ] || { echo "run.sh: a run is either long or quick" >&2; exit 2; }

begin=$(date +%s)
say() { printf '%5s s  %s\n' $(($(date +%s) - begin)) "$*"; }

[ $quick$long != nono ] || minutes=${minutes:-75}
# The tests are ended by test/within at this time.
OP2_TEST_DEADLINE=
OP2_TEST_GRACE=
within=
export OP2_TEST_DEADLINE OP2_TEST_GRACE
# share PERCENT: what follows must end in the first PERCENT hundredths of the time
share() {
  [ -n "$minutes" ] || return 0
  OP2_TEST_DEADLINE=$((begin + minutes * 60 * $1 / 100))
  OP2_TEST_GRACE=$((minutes * 60 / 20))
  within="'$root/test/within'"
}
# time_left: prints the seconds until then; a day if there is no limit
time_left() {
  [ -n "$minutes" ] || { echo 86400; return; }
  echo $((OP2_TEST_DEADLINE - $(date +%s)))
}

# out_of_time NAME: sets `left` to the seconds until then; true if there are none, so that this
# build is skipped
out_of_time() {
  left=$(time_left)
  [ "$left" -lt 1 ] || return 1
  stage_skip "$1: not built: the time of this run is up"
}

# guarded COMMAND...: runs the command such that a signal to this script is handled at once and
# passed on; otherwise the shell would handle it only after the command has ended.
running=
guarded() {
  "$@" &
  running=$!
  wait $running
  set -- $?
  running=
  return "$1"
}
interrupted() { # STATUS
  trap '' INT TERM HUP
  [ -z "$running" ] || { kill -TERM "$running" 2>/dev/null; wait "$running"; }
  say "interrupted, logs are in $out"
  exit "$1"
}
trap 'interrupted 129' HUP
trap 'interrupted 130' INT
trap 'interrupted 143' TERM

"$root/test/deps.sh" test || {
  echo "run.sh: the tests need packages that could not be installed" >&2
  echo "0 passed, 1 failed, 0 skipped"
  exit 1
}

stages=$out/stages.tap
if [ -n "$(ls -A "$out" 2>/dev/null)" ] && [ ! -e "$stages" ]; then
  echo "run.sh: $out holds something else; not overwritten" >&2
  exit 2
fi
[ $quick = yes ] || rm -rf "$out"
mkdir -p "$out/cache" || exit 1
chmod 700 "$out/cache"
# All builds of this run share compiled loops.
OP2_TEST_CACHE=$out/cache
# They are more than the library would keep, and each context that compiles would count them.
OP2_CACHE_MB=0
export OP2_TEST_CACHE OP2_CACHE_MB
stage_count=0
logs="stages=stages.tap" # relative to $out, since its name may contain blanks
rm -f "$out"/*.tap "$out"/*/meson-logs/results*
: >"$stages"

# stage STATUS NAME [LOG]: records one result of the run itself
stage() {
  stage_count=$((stage_count + 1))
  if [ "$1" -eq 0 ]; then
    echo "ok $stage_count - $2" >>"$stages"
    return 0
  fi
  echo "not ok $stage_count - $2" >>"$stages"
  say "FAILED: $2"
  if [ $# -gt 2 ]; then
    grep -E '(error|warning|ERROR):|FAILED:|undefined reference' "$3" | head -n 20 |
      sed 's/^/# /' | tee -a "$stages"
    echo "# log: $3" | tee -a "$stages"
  fi
  return 1
}

stage_skip() {
  stage_count=$((stage_count + 1))
  echo "ok $stage_count # SKIP $*" >>"$stages"
}

# build NAME MESON-OPTION...: configures and compiles, which must give no warning; with sanitizers
# gcc has false warnings, which are ignored
build() {
  name=$1
  shift
  out_of_time "$name" && return 1
  say "$name  building"
  if [ ! -e "$out/$name/build.ninja" ]; then
    guarded meson setup "$out/$name" "$root" "$@" >"$out/$name.setup.log" 2>&1
    stage $? "$name: configure" "$out/$name.setup.log" || return 1
  fi
  out_of_time "$name" && return 1
  guarded "$root/test/progress" "$name" "$out/$name.build.log" $begin \
    timeout "$left" ninja -C "$out/$name" -k 0 ${targets:-}
  set -- $? "$@"
  if [ "$1" -eq 124 ] && ! grep -q '^FAILED:' "$out/$name.build.log"; then
    stage_skip "$name: built in part: the time of this run is up"
    return 1
  fi
  stage "$1" "$name: compile" "$out/$name.build.log" || return 1
  case " $* " in *" -Db_sanitize="*) return 0 ;; esac
  ! grep -q 'warning:' "$out/$name.build.log"
  stage $? "$name: no compiler warnings" "$out/$name.build.log"
  return 0
}

# run_tests NAME WRAPPER MESON-TEST-OPTION...: runs the tests that were built and that -k selects
run_tests() {
  name=$1
  wrapper=$2
  shift 2
  if [ -n "$only" ]; then
    picked=$(meson test -C "$out/$name" --list "$@" 2>/dev/null | sed 's|.* / ||' |
      grep -F -e "$only")
    [ -n "$picked" ] || return 0
    found=yes
    set -- "$@" $picked
  fi
  say "$name  testing"
  wrapper="$within${wrapper:+ $wrapper}"
  [ -z "$wrapper" ] || set -- --wrapper "$wrapper" "$@"
  guarded "$root/test/progress" "$name" "$out/$name.test.log" $begin \
    meson test -C "$out/$name" --no-rebuild --num-processes "$at_once" --logbase results "$@"
  # Meson adds the wrapper's name.
  logs="$logs $name=$(cd "$out" && echo "$name"/meson-logs/results*.json)"
}

# sanitizer FLAGS: sets `wrapper` to the command that programs under this sanitizer need. Where the
# kernel randomises addresses over a wider range than the sanitizer's shadow memory permits, they
# run only with a fixed layout. Fails if they do not run at all.
sanitizer() {
  echo 'int main(void) { return 0; }' >"$out/probe.c"
  cc "-fsanitize=$1" -o "$out/probe" "$out/probe.c" 2>"$out/probe.log" || return 1
  for wrapper in "" "setarch -R"; do
    runs=0
    while [ $runs -lt 10 ] && $wrapper "$out/probe" >>"$out/probe.log" 2>&1; do
      runs=$((runs + 1))
    done
    [ $runs -lt 10 ] || return 0
  done
  return 1
}

# leave_out SUITE BUILD RUNS OPTION...: sets `left_out` to the option that leaves a suite of long tests
# out of those that the options select, unless -k selects them, and says which these are
leave_out() {
  left_out=
  [ -z "$only" ] || return 0
  suite=$1 suite_build=$2 runs=$3
  shift 3
  long_tests=$(meson test -C "$out/$suite_build" --no-rebuild --list "$@" 2>/dev/null |
    sed -n "s|^[^ ]*+$suite\(+[^ ]*\)\{0,1\} / ||p")
  [ -n "$long_tests" ] || return 0
  left_out="--no-suite $suite"
  # shellcheck disable=SC2086 # in one line
  stage_skip "$suite_build: the $suite tests are not in $runs (-k NAME runs them):" $long_tests
}

# Tests wait for disks, for ranks that start and for processes that end, so one more than there are
# cores runs at a time.
at_once=${MESON_TESTTHREADS:-$(($(nproc) + 1))}

# slowness: prints a factor, 1 to 8, for the time limits of single tests. These are ten times what
# tests take on a machine that compiles ten small files in less than half a second; machines that
# are shared need several times that on some days.
slowness() {
  printf '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { return 0; }\n' >"$out/probe.c"
  since=$(date +%s%3N)
  for _ in 1 2 3 4 5 6 7 8 9 10; do cc -O2 -c -o "$out/probe.o" "$out/probe.c" || break; done
  took=$((1 + ($(date +%s%3N) - since) / 500))
  if [ $took -gt 8 ]; then echo 8; else echo $took; fi
}

asan_options() { # LEAKS: 1 to detect leaks
  ASAN_OPTIONS=detect_leaks=$1:strict_string_checks=1:detect_stack_use_after_return=1
  export ASAN_OPTIONS
}

# asan_works: calls sanitizer() for addresses; leaks are not checked without /proc or under a
# debugger
asan_works() {
  asan_options 1
  sanitizer address,undefined && return 0
  asan_options 0
  sanitizer address,undefined || return 1
  stage_skip "asan: leaks cannot be looked for here (is /proc mounted?)"
}

if [ $long = no ]; then
  OP2_TEST_QUICK=1
  export OP2_TEST_QUICK
else
  OP2_TEST_BARE=1
  export OP2_TEST_BARE
fi
picked_suite=
left_out=
targets=
[ $smoke = no ] || { targets=smoke-tests picked_suite="--suite smoke"; }
slow=$(slowness)
share "$([ $quick = yes ] && echo 100 || echo 60)"
if build release --buildtype=release; then
  case $quick$smoke$long in
    yesnono) leave_out long release "quick runs" ;;
    nonono) leave_out longest release "this run, but in --long ones" ;;
  esac
  run_tests release "" $picked_suite $left_out --timeout-multiplier "$slow"
fi
targets=

if [ $quick = no ]; then
  OP2_TEST_QUICK=1
  export OP2_TEST_QUICK
  # hwloc's plugins have small leaks (those of libpciaccess, for example) and are unloaded before
  # the leak check, so that no suppression could name them. The plugins find devices, which are not
  # needed here, so they are not loaded.
  HWLOC_PLUGINS_PATH=$out/none
  UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
  TSAN_OPTIONS=second_deadlock_stack=1
  export HWLOC_PLUGINS_PATH UBSAN_OPTIONS TSAN_OPTIONS

  # Reports of sanitizers have line numbers; most of the time is spent in compiling. The module for
  # Fortran has no memory of its own, and the package for Python would have to load a sanitizer first.
  checked="--buildtype=debug -Doptimization=1 -Dc_args=-g1 -Dfortran=disabled -Dpython=disabled"

  share 85
  if asan_works; then
    # The shadow device is used too: values that are out of date are overwritten there.
    OP2_SHADOW=1
    export OP2_SHADOW
    targets=unit-tests
    # shellcheck disable=SC2086 # options
    if build asan $checked -Db_sanitize=address,undefined; then
      [ $long = yes ] || leave_out long asan "this run, but in --long ones" --suite unit
      run_tests asan "$wrapper" --suite unit $left_out --timeout-multiplier $((3 * slow))
    fi
    targets=
    unset OP2_SHADOW
  else
    stage_skip "asan: programs built with -fsanitize=address do not run here, see $out/probe.log"
  fi
  share 92
  if sanitizer thread; then
    targets=tsan-tests # only these tests and what they need
    # shellcheck disable=SC2086 # options
    build tsan $checked -Db_sanitize=thread -Dbench=false &&
      run_tests tsan "$wrapper" --suite tsan --timeout-multiplier $((3 * slow))
    targets=
  else
    stage_skip "tsan: programs built with -fsanitize=thread do not run here, see $out/probe.log"
  fi
  share 100
  # This build is made for its warnings only; nothing of it is run. clang compiles no Fortran.
  CC=clang
  export CC
  build clang --buildtype=release -Doptimization=0 -Dtests=false -Dfortran=disabled
  unset CC
  # These are the tests with the other MPI and what they need.
  if pkg-config --exists mpich; then
    targets=mpi-tests
    build mpich --buildtype=release -Dmpi_of=mpich -Dbench=false &&
      run_tests mpich "" --suite mpi --timeout-multiplier "$slow"
    targets=
  else
    stage_skip "mpich: it is not installed"
  fi
  targets=unit-tests
  if build bare --buildtype=release -Dstarpu=disabled -Dhwloc=disabled -Dopenmp=disabled \
    -Dpng=disabled -Dmpi=disabled -Dfortran=disabled -Dpython=disabled; then
    [ $long = yes ] || leave_out long bare "this run, but in --long ones" --suite unit
    run_tests bare "" --suite unit --no-suite text $left_out --timeout-multiplier "$slow"
  fi
  targets=
fi

if [ -n "$only" ]; then
  [ $found = yes ]
  stage $? "there are tests named *$only*"
fi
echo "1..$stage_count" >>"$stages"
say "done, logs are in $out"
cd "$out" && exec "$root/test/tap-summary" $logs
