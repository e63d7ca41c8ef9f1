#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run every test program that solves or multiplies by a matrix with each switch of the scheduler at
# each of its values, and with some of them together: an hour on two cores. Writes TAP; the output of a
# program that fails is kept in DIR. Programs with cases run them lazily and eagerly anyway.
#   test/switches.sh BUILD              all of them, in a build folder that has the tests
#   test/switches.sh BUILD NAME...      only these programs
#   test/switches.sh --keep DIR ...     where outputs of programs that fail go (else switches-failed)
# OP2_TEST_CACHE, if set, is the folder of compiled loops; without it they are compiled in a folder
# that is removed.
set -u

keep=switches-failed
build=
programs=
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;;
    --keep) keep=${2:?a folder is missing after --keep}; shift ;;
    -*) echo "switches.sh: unknown argument '$1' (--keep DIR, --help)" >&2; exit 2 ;;
    *) if [ -z "$build" ]; then build=$1; else programs="$programs $1"; fi ;;
  esac
  shift
done
root=$(cd "$(dirname "$0")/.." && pwd)
[ -n "$build" ] && [ -d "$build/test" ] || {
  echo "switches.sh: name a build folder that has the tests (--help)" >&2
  exit 2
}
build=$(cd "$build" && pwd)

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Programs over MPI are left to their scripts, and PoCL's optimiser would take most of the time.
OP2_TEST_SOURCE=$root OP2_TEST_BUILD=$build OP2_TEST_QUICK=1 OP2_VERIFY=1
OMP_WAIT_POLICY=passive HWLOC_HIDE_ERRORS=2 POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
OP2_TEST_CACHE=${OP2_TEST_CACHE:-$tmp/cache}
export OP2_TEST_SOURCE OP2_TEST_BUILD OP2_TEST_QUICK OP2_VERIFY OP2_TEST_CACHE
export OMP_WAIT_POLICY HWLOC_HIDE_ERRORS POCL_EXTRA_BUILD_FLAGS
mkdir -p -m 700 "$OP2_TEST_CACHE"

if [ -z "$programs" ]; then
  programs=$(cd "$root/test" && grep -lE '\bop2_(solve|solver|mat_mult)' ./*/t*.c |
    sed 's|.*/\(.*\)\.c$|\1|')
fi

count=0
failed=0
# check SWITCH: the library has an option of this name
check() {
  grep -qE "^(TEXT|FLAG|NUMBER)\($1," "$root/lib/context/options.def" && return
  echo "switches.sh: there is no switch OP2_$1" >&2
  exit 2
}
for switch in REPLAY EAGER FUSE TEAM SLICES QUEUE_MAX PROGRAM_BYTES TRIAL; do check $switch; done
# try PROGRAM SWITCH...: one check
try() {
  program=$1
  shift
  count=$((count + 1))
  if OP2_TEST_SWITCHES="$*" timeout 900 "$build/test/$program" >"$tmp/out" 2>&1 && grep -q '^1\.\.' "$tmp/out"; then
    echo "ok $count - $program: $*"
    return
  fi
  failed=$((failed + 1))
  echo "not ok $count - $program: $*"
  grep '^not ok' "$tmp/out" | head -n 5 | sed 's/^/# /'
  mkdir -p "$keep"
  cp "$tmp/out" "$keep/$program-$count"
}

for program in $programs; do
  case $program in *-petsc-ranks) continue ;; esac
  if [ ! -x "$build/test/$program" ]; then
    count=$((count + 1))
    echo "ok $count # SKIP $program is not built"
    continue
  fi
  try "$program" OP2_REPLAY=1
  for switch in REPLAY=0 EAGER=1 FUSE=0 FUSE=2 TEAM=0 TEAM=1 SLICES=0 SLICES=1 \
    QUEUE_MAX=1 QUEUE_MAX=7 PROGRAM_BYTES=0 PROGRAM_BYTES=20000 TRIAL=2 TRIAL=3; do
    try "$program" "OP2_$switch"
  done
  try "$program" OP2_REPLAY=0 OP2_EAGER=1
  try "$program" OP2_REPLAY=0 OP2_FUSE=2 OP2_TEAM=1
  try "$program" OP2_FUSE=2 OP2_QUEUE_MAX=7
  try "$program" OP2_TEAM=1 OP2_SLICES=1
  try "$program" OP2_EAGER=1 OP2_SLICES=1 OP2_TEAM=1
  try "$program" OP2_REPLAY=0 OP2_QUEUE_MAX=1 OP2_SLICES=0
done
echo "1..$count"
echo "# $failed of $count failed"
[ $count -gt 0 ] && [ $failed -eq 0 ]
