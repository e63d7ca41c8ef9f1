#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The texts of all applications by all strategies are compiled by the real hipRTC for gfx90a, gfx906
# and gfx1030, on the emulated AMD device, where all of their loops run. Quick runs have two
# applications, and compile each text for one of the three.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/app.sh"

OP2_CACHE_DIR=$tmp/cache
OP2_TEST_EMULATION=check=0
export OP2_CACHE_DIR OP2_TEST_EMULATION

# texts STRATEGY PROGRAM OPTION...
texts() {
  what="$2 by $1"
  app=$build/bench/$2/$2
  OP2_DEVICE_STRATEGY=$1
  export OP2_DEVICE_STRATEGY
  shift 2
  "$app" "$@" --backend hip >"$tmp/out" 2>"$tmp/why"
  result $? "$what: runs"
  took=$(sed -n 's/^# emulation: the real hipRTC took \([0-9]*\) texts.*/\1/p' "$tmp/why")
  if [ -n "$took" ]; then
    count=$((count + took))
  else
    skip "$what: there is no real hipRTC (test/deps.sh hip)"
  fi
  ! grep -v 'the real hipRTC took' "$tmp/why" | grep -q .
  result $? "$what: nothing is reported"
  said "$tmp/why"
  grep -q '^device: .* 0 loops on the host' "$tmp/out"
  result $? "$what: no loop runs on the host"
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

count=0
if [ "${OP2_TEST_QUICK:-0}" != 0 ]; then
  texts owner airfoil --mesh 8x12 --iterations 2 --every 1
  texts staged heat --mesh 6x5 --iterations 2 --every 1
else
  for strategy in repeat owner gather staged unstaged atomics; do
    texts $strategy airfoil --mesh 8x12 --iterations 2 --every 1
    texts $strategy tsunami --mesh 8x6 --iterations 2 --every 1
    texts $strategy cg --mesh 6x5 --iterations 2 --check 1
    texts $strategy heat --mesh 6x5 --iterations 2 --every 1
    texts $strategy euler --size 4x4 --iterations 2 --every 1
    texts $strategy aero --mesh 4x4 --newton 1
    texts $strategy fem --levels 1
  done
fi
diag "$count texts"

done_testing
