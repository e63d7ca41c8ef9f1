#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every application runs small on the emulated device of the backend in OP2_TEST_BACKEND, cuda or hip: its
# numbers are those of the sequential backend, no error is reported, and the code that it compiles is also
# accepted by the real NVRTC or hipRTC, if that is installed.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/app.sh"

OP2_CACHE_DIR=$tmp/cache
export OP2_CACHE_DIR

# all_near COUNT: succeeds if device and host printed COUNT lines of numbers that agree up to
# rounding
all_near() {
  lines "$tmp/device" >"$tmp/left"
  lines "$tmp/host" >"$tmp/right"
  paste "$tmp/left" "$tmp/right" | awk -v count="$1" '
    {
      for (i = 1; i <= NF / 2; i++) {
        other = $(i + NF / 2)
        off = $i - other; if (off < 0) off = -off
        size = other < 0 ? -other : other
        if (!(off <= 1e-10 * size)) { print "# differs: " $0; bad = 1 }
      }
    }
    END { if (NR != count) { print "# " NR " lines, not " count; bad = 1 }; exit bad }'
}

on_device() { # NUMBERS LINES PROGRAM OPTION...
  numbers=$1
  count=$2
  name=$3
  app=$build/bench/$3/$3
  shift 3
  "$app" "$@" --backend sequential >"$tmp/host" 2>"$tmp/why"
  result $? "$name on the host"
  said "$tmp/why"
  "$app" "$@" --backend "${OP2_TEST_BACKEND:-cuda}" >"$tmp/device" 2>"$tmp/why"
  result $? "$name on the device"
  grep -q 'the real [A-Za-z]* took' "$tmp/why" || skip "$name: there is no real compiler to compile it as well"
  said "$tmp/why"
  ! grep 'emulation:' "$tmp/why" | grep -qv 'the real [A-Za-z]* took'
  result $? "$name: nothing is reported"
  all_near "$count"
  result $? "$name: the host's numbers"
}

case ${LD_LIBRARY_PATH:-} in
  *test/emulation*) ;;
  *)
    skip "the emulation is not here: LD_LIBRARY_PATH is to have its folder, test/emulation"
    done_testing ;;
esac
[ -x "$build/bench/airfoil/airfoil" ] || {
  skip "no build with benchmarks"
  done_testing
}

on_device 1 4 airfoil --mesh 8x12 --iterations 4 --every 1
on_device 1 4 heat --mesh 6x5 --iterations 4 --every 1
on_device 1 5 cg --mesh 6x5 --iterations 4 --check 1
on_device 5 4 tsunami --mesh 8x6 --iterations 4 --every 1
on_device 3 4 euler --size 4x4 --iterations 4 --every 1

done_testing
