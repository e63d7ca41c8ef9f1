#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The library's kernels beside twins by hand (bench/kernels), with one thread and with two.
#   bench/kernels.sh [--build DIR] [--threads "1 2"] [OPTION...]
# Other options are those of the program (--help lists them), which measures all forms of a kernel in
# turn and compares their results. Nothing is asserted of times: each figure that a ratio is held
# against and does not reach is printed below its line, and counted at the end. The build folder
# (default build) is made if it is not there.
set -eu

say() { echo "kernels: $*" >&2; }
die() { say "$*"; exit 1; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
threads="1 2"
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help)
      sed -n '3,/^set /s/^# \{0,1\}//p' "$0"
      [ ! -x "$build/bench/kernels/kernels" ] || "$build/bench/kernels/kernels" --help
      exit 0
      ;;
    --build | --threads) ;;
    *) break ;;
  esac
  [ $# -gt 1 ] || die "a value is missing after $1"
  case $1 in
    --build) build=$2 ;;
    --threads) threads=$2 ;;
  esac
  shift 2
done

[ -e "$build/build.ninja" ] || meson setup --buildtype release "$build" "$root" >&2
ninja -C "$build" bench/kernels/kernels >&2
awk '$1 > 0.5 { exit 1 }' /proc/loadavg 2>/dev/null ||
  say "warning: this machine is busy (load $(cut -d' ' -f1 /proc/loadavg 2>/dev/null)): times will be off"
sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1
status=0
for n in $threads; do
  "$build/bench/kernels/kernels" --threads "$n" "$@" || status=$?
done
exit $status
