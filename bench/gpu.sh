#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How fast applications are on an NVIDIA device: each loop as a share of the speed at which the device
# copies its memory, measured in the same run; each strategy for increments; and the host beside it.
#   bench/gpu.sh [--build DIR] [--out FILE] [--quick] [PART...]
# PARTs, all if none is named:
#   loops       GB/s of each loop of airfoil (720,000, 2,880,000 and 11,520,000 cells), tsunami and cg,
#               counting each byte that it needs once, and their share of a copy's
#   strategies  airfoil on 2,880,000 cells with each strategy (OP2_DEVICE_STRATEGY)
#   host        time per iteration on the device, on all cores of the host, and on two of them
# --out adds what is printed to a file. --quick takes the least sizes only. The first run of each program
# fills the cache of binaries and is not shown. Nothing is asserted: timings belong to the machine and
# the moment. Without a device it ends with status 77.
set -eu

say() { echo "gpu: $*" >&2; }
die() { say "$*"; exit 1; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
out=
quick=no
parts=
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '3,/^set /s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --quick) quick=yes ;;
    --build | --out)
      [ $# -gt 1 ] || die "a value is missing after $1"
      [ "$1" = --out ] && out=$2 || build=$2
      shift
      ;;
    loops | strategies | host) parts="$parts $1" ;;
    *) die "unknown argument $1 (--help lists them)" ;;
  esac
  shift
done
parts=${parts:-loops strategies host}
[ -x "$build/bench/airfoil/airfoil" ] || die "$build has no built benchmarks"
status=0
copied=$("$build/bench/device/device_copy") || status=$?
[ $status -eq 0 ] || exit $status
copy=${copied##* }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -m 700 "$folder/cache"
OP2_CACHE_DIR=$folder/cache
export OP2_CACHE_DIR

tell() { if [ -n "$out" ]; then tee -a "$out"; else cat; fi; }

# program NAME: prints its path; `problem` has its problem and options by size
program() { echo "$build/bench/$1/$1"; }

# run NAME OPTION...: runs the program twice and prints the output of the second run. In the first
# iterations loops are measured one by one, and fused ones are compiled.
run() {
  name=$1
  shift
  for output in /dev/null "$folder/output"; do
    if ! "$(program "$name")" "$@" --warmup 20 >"$output" 2>"$folder/error"; then
      cat "$folder/error" >&2
      echo "$*" >>"$folder/failed"
      return 1
    fi
  done
  cat "$folder/output"
}

# once NAME OPTION...: prints the milliseconds per iteration
once() {
  run "$@" | sed -n 's/^time_per_iteration_ms \([0-9.]*\).*/\1/p'
}

# loops NAME OPTION...: prints the time per iteration, and the table of its loops with their shares of a
# copy's speed, where each loop has launches of its own
loops() {
  echo "== $*"
  echo "time_per_iteration_ms $(once "$@")"
  echo "one loop at a time:"
  OP2_FUSE=0
  export OP2_FUSE
  run "$@" >"$folder/table"
  unset OP2_FUSE
  awk -v copy="$copy" '
    /^time_per_iteration_ms/ { print }
    /^loop +set +calls/ { table = 1; printf "%-20s %-8s %8s %10s %8s %8s\n", $1, $2, $3, "us/call", "GB/s", "of copy"; next }
    /^waiting|^compiling|^preparing|^$/ { table = 0 }
    table && NF == 7 { printf "%-20s %-8s %8d %10.1f %8.1f %7.0f%%\n", $1, $2, $3, 1e6 * $4 / $3, $7, 100 * $7 / copy }
  ' "$folder/table"
}

large() { [ $quick = no ]; }

part_loops() {
  loops airfoil --backend cuda --mesh classic --iterations 200
  if large; then
    loops airfoil --backend cuda --mesh 800x1200 --iterations 200
    loops airfoil --backend cuda --mesh 1600x2400 --iterations 100
  fi
  loops tsunami --backend cuda --mesh 800x800 --iterations 200
  loops cg --backend cuda --mesh 800x1200 --iterations 200
}

part_strategies() {
  mesh=800x1200
  large || mesh=classic
  echo "== airfoil --mesh $mesh, ms per iteration by strategy"
  for strategy in default $(strategies); do
    OP2_DEVICE_STRATEGY=$strategy
    [ "$strategy" = default ] && unset OP2_DEVICE_STRATEGY || export OP2_DEVICE_STRATEGY
    printf '%-10s %s\n' "$strategy" "$(once airfoil --backend cuda --mesh $mesh --iterations 100)"
  done
  unset OP2_DEVICE_STRATEGY
}

strategies() { echo repeat owner gather staged unstaged atomics; }

beside() {
  device=$(once "$1" --backend cuda $2 --iterations $(($3 * 4)))
  all=$(once "$1" --backend openmp $2 --iterations "$3")
  two=$(OP2_THREADS=2 once "$1" --backend openmp $2 --iterations "$3")
  echo "$1 $2|$device|$all|$two" |
    awk -F'|' '{ printf "%-32s %10.4f %10.3f %10.3f %8.1f %8.1f\n", $1, $2, $3, $4, $3 / $2, $4 / $2 }'
}

part_host() {
  echo "== ms per iteration: device, all $(nproc) cores, two cores; and the device's advantage over both"
  beside airfoil "--mesh classic" 100
  if large; then
    beside airfoil "--mesh 800x1200" 50
    beside tsunami "--mesh 800x800" 50
    beside cg "--mesh 800x1200" 50
  fi
}

{
  echo "date:     $(date +%Y-%m-%d)"
  echo "commit:   $(git -C "$root" rev-parse --short HEAD 2>/dev/null || echo 'not known')"
  echo "device:   ${copied% *}, driver $(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1)"
  echo "host:     $(nproc) cores, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)"
  echo "copy:     $copy GB/s, read and written"
} | tell
for part in $parts; do "part_$part" | tell; done
[ ! -e "$folder/failed" ] || die "some programs failed"
