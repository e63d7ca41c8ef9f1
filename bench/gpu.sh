#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How fast applications are on an NVIDIA or AMD device: each loop as a share of the speed at which the
# device copies its memory, measured in the same run; each strategy for increments; and the host beside it.
#   bench/gpu.sh [--amd] [--build DIR] [--out FILE] [--more] [--sample] [PART...]
#   bench/gpu.sh --list   prints the parts in their order, with the seconds that each is expected to take
# PARTs, all in this order if none is named:
#   airfoil          GB/s of each loop on 2,880,000 cells, counting each byte that it needs once, and the
#                    share of a copy's
#   strategies       airfoil on these cells with each strategy (OP2_DEVICE_STRATEGY)
#   tsunami, cg      as airfoil
#   airfoil-classic  as airfoil, on 720,000 cells
#   host             time per iteration on the device, on all cores of the host, and on two of them
#   airfoil-largest  as airfoil, on 11,520,000 cells
# --amd is for an AMD device, by the backend hip in place of cuda.
# --out adds what is printed to a file, --more leaves the heading out. --sample takes tiny meshes, to try
# the script on the emulated device: its times mean nothing. The first run of each program fills the cache
# of binaries and is not shown. Nothing is asserted: timings belong to the machine and the moment. Without
# a device it ends with status 77.
set -eu

say() { echo "gpu: $*" >&2; }
die() { say "$*"; exit 1; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
out=
more=no
sample=no
backend=cuda
parts=
all='airfoil strategies tsunami cg airfoil-classic host airfoil-largest'

# expected PART: prints the seconds that it takes on an H100 or H200 with 16 cores, rounded up
expected() {
  case $1 in
    strategies | host | airfoil-largest) echo 60 ;;
    *) echo 30 ;;
  esac
}

while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;;
    --list)
      for part in $all; do echo "$part $(expected "$part")"; done
      exit 0
      ;;
    --more) more=yes ;;
    --sample) sample=yes ;;
    --amd) backend=hip ;;
    --build | --out)
      [ $# -gt 1 ] || die "a value is missing after $1"
      [ "$1" = --out ] && out=$2 || build=$2
      shift
      ;;
    *)
      case " $all " in *" $1 "*) ;; *) die "unknown argument $1 (--help lists them)" ;; esac
      parts="$parts $1"
      ;;
  esac
  shift
done
[ -x "$build/bench/airfoil/airfoil" ] || die "$build has no built benchmarks"
status=0
megabytes=1024 warmup=20
[ $sample = no ] || megabytes=4 warmup=2
copied=$("$build/bench/device/device_copy" $megabytes 20 $backend) || status=$?
[ $status -eq 0 ] || exit $status
copy=${copied##* }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -m 700 "$folder/cache"
OP2_CACHE_DIR=${OP2_CACHE_DIR:-$folder/cache}
export OP2_CACHE_DIR

show() { if [ -n "$out" ]; then tee -a "$out"; else cat; fi; }

# run NAME OPTION...: runs the program twice and prints the output of the second run. In the first
# iterations loops are measured one by one, and fused ones are compiled.
run() {
  name=$1
  shift
  for output in /dev/null "$folder/output"; do
    if ! "$build/bench/$name/$name" "$@" --warmup $warmup >"$output" 2>"$folder/error"; then
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

# sizes PROBLEM MESH ITERATIONS: sets `problem` and `iterations`, to tiny ones for a sample
sizes() {
  problem="--mesh $1"
  iterations=$2
  [ $sample = no ] || problem="--mesh 16x24" iterations=4
}

# table PROGRAM MESH ITERATIONS
table() {
  sizes "$2" "$3"
  # shellcheck disable=SC2086 # options
  loops "$1" --backend $backend $problem --iterations $iterations
}

part_airfoil() { table airfoil 800x1200 200; }
part_airfoil_classic() { table airfoil classic 200; }
part_airfoil_largest() { table airfoil 1600x2400 100; }
part_tsunami() { table tsunami 800x800 200; }
part_cg() { table cg 800x1200 200; }

part_strategies() {
  sizes 800x1200 100
  echo "== airfoil $problem, ms per iteration by strategy"
  for strategy in default repeat owner gather staged unstaged atomics; do
    OP2_DEVICE_STRATEGY=$strategy
    [ "$strategy" = default ] && unset OP2_DEVICE_STRATEGY || export OP2_DEVICE_STRATEGY
    # shellcheck disable=SC2086 # options
    printf '%-10s %s\n' "$strategy" "$(once airfoil --backend $backend $problem --iterations $iterations)"
  done
  unset OP2_DEVICE_STRATEGY
}

beside() { # PROGRAM MESH ITERATIONS
  sizes "$2" "$3"
  # shellcheck disable=SC2086 # options
  {
    device=$(once "$1" --backend $backend $problem --iterations $((iterations * 4)))
    cores=$(once "$1" --backend openmp $problem --iterations $iterations)
    two=$(OP2_THREADS=2 once "$1" --backend openmp $problem --iterations $iterations)
  }
  echo "$1 $problem|$device|$cores|$two" |
    awk -F'|' '{ printf "%-32s %10.4f %10.3f %10.3f %8.1f %8.1f\n", $1, $2, $3, $4, $3 / $2, $4 / $2 }'
}

part_host() {
  echo "== ms per iteration: device, all $(nproc) cores, two cores; and the device's advantage over both"
  beside airfoil 800x1200 50
  beside airfoil classic 100
  beside tsunami 800x800 50
  beside cg 800x1200 50
}

[ $more = yes ] || {
  echo "date:     $(date +%Y-%m-%d)"
  echo "commit:   $(git -C "$root" rev-parse --short HEAD 2>/dev/null || cat "$root/COMMIT" 2>/dev/null || echo 'not known')"
  driver=
  [ $backend = hip ] ||
    driver=", driver $(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1)"
  echo "device:   ${copied% *}$driver"
  echo "host:     $(nproc) cores, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)"
  echo "copy:     $copy GB/s, read and written"
} | show
for part in ${parts:-$all}; do "part_$(echo "$part" | tr - _)" | show; done
[ ! -e "$folder/failed" ] || die "some programs failed"
