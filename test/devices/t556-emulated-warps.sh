#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What warps ask of shared memory at once, in all functions of the applications by all strategies, on
# the emulation of a device: two words of a bank at most where elements have rows of their own or values
# are reduced. Where a map leads to rows that a block has staged, or to increments that elements leave
# for their targets, this depends on the mesh's numbers: four. Quick runs have some of them.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/app.sh"

OP2_CACHE_DIR=$tmp/cache
OP2_TEST_EMULATION=warps=1
OP2_TEST_NVRTC=
export OP2_CACHE_DIR OP2_TEST_EMULATION OP2_TEST_NVRTC

# warps STRATEGY PROGRAM OPTION...
warps() {
  what="$2 by $1"
  app=$build/bench/$2/$2
  OP2_DEVICE_STRATEGY=$1
  OP2_CACHE_DIR=$tmp/cache/$1-$2
  export OP2_DEVICE_STRATEGY OP2_CACHE_DIR
  shift 2
  "$app" "$@" --backend cuda >"$tmp/out" 2>"$tmp/why"
  result $? "$what: runs"
  grep '^# warps: ' "$tmp/why" >"$tmp/warps"
  diag "$what:"
  sed 's/^# warps: /#   /' "$tmp/warps"
  awk '{
      most = $4 ~ /owner|block/ ? 4 : 2
      sub(":", "", $4)
      if ($5 > most) { print "#   " $3 " " $4 ": " $5 " words, not " most; bad = 1 }
    }
    END { exit bad || NR == 0 }' "$tmp/warps"
  result $? "$what: few words of a bank"
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

if [ "${OP2_TEST_QUICK:-0}" != 0 ]; then
  warps staged airfoil --mesh 16x24 --iterations 2 --every 1
  warps owner airfoil --mesh 16x24 --iterations 2 --every 1
  warps staged tsunami --mesh 16x12 --iterations 2 --every 1
else
  for strategy in repeat owner gather staged unstaged atomics; do
    warps $strategy airfoil --mesh 60x40 --iterations 2 --every 1
    warps $strategy tsunami --mesh 32x24 --iterations 2 --every 1
    warps $strategy cg --mesh 30x25 --iterations 2 --check 1
    warps $strategy heat --mesh 30x25 --iterations 2 --every 1
    warps $strategy euler --size 16x16 --iterations 2 --every 1
    warps $strategy aero --mesh 16x16 --newton 1
    warps $strategy fem --levels 2
  done
fi

done_testing
