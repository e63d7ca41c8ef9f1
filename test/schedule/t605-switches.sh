#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The random programs of t600 with combinations of vector code, fusion, replay and trials of scalar code:
# OP2_TEST_RANDOM_COUNT programs for each (default 2), other programs each time, and other kernels
# for each width. Every second combination is run, so that any two of the three switches are tried
# with all their values; OP2_TEST_FULL=1 runs every one, each with different kernels. Code for
# devices has no vectors, so it would be compiled alike for every width: one program of each
# combination runs there, all with OP2_TEST_FULL=1.
. "${OP2_TEST_SOURCE:-$(dirname "$0")/../..}/test/support/tap.sh"
random=${build:-.}/test/t600-random

if [ ! -x "$random" ]; then
  skip "the random programs are not built"
  done_testing
fi
count=${OP2_TEST_RANDOM_COUNT:-2}
[ "${OP2_TEST_FULL:-}" = 1 ] || export OP2_TEST_RANDOM_DEVICES=1
# The run's cache is used if there is one: kernels are compiled once for each width.
OP2_TEST_CACHE=${OP2_TEST_CACHE:-$tmp/cache}
export OP2_TEST_CACHE
# This test is about the code that is generated and the order in which it runs, not about how well
# it is optimised.
export OP2_TEST_CFLAGS="-O1 -march=native -fno-math-errno -ffp-contract=off"
export POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable

seed=100
runs=0
for simd in 64 32 16 0; do
  for fuse in 2 0; do
    for replay in 1 0; do
      seed=$((seed + 1))
      kernels=$seed
      if [ "${OP2_TEST_FULL:-}" != 1 ]; then
        [ $(((simd / 16 + fuse / 2 + replay) % 2)) -eq 0 ] || continue
        kernels=$((simd + 300))
      fi
      # Trials end with scalar code, or with vector code, or there are none.
      runs=$((runs + 1))
      trial=$(((runs + 1) % 3 + 1))
      [ $trial -gt 1 ] || trial=0
      switches="OP2_SIMD=$simd OP2_FUSE=$fuse OP2_REPLAY=$replay OP2_TRIAL=$trial OP2_TEST_RANDOM_KERNELS=$kernels"
      env $switches "$random" "$count" $seed >"$tmp/out" 2>&1
      result $? "$switches, $count programs of seed $seed"
      grep '^not ok' "$tmp/out" | sed 's/^/# /'
      grep '^# seed' "$tmp/out" | head -5
      grep 'loops were fused' "$tmp/out" >>"$tmp/seen"
      sed -n "s/^# \([0-9]*\) contexts tried.*/$simd $trial \1/p" "$tmp/out" >>"$tmp/tried"
    done
  done
done
awk '{ f += $2; r += $6; lines++; if (!$2) f0++ }
  END { printf "# %d loops fused, %d programs run again\n", f, r
        exit !(f > 0 && r > 0 && f0 >= lines / 2) }' "$tmp/seen"
result $? "what is switched on happens, and what is switched off does not"
awk '{ n += $3; if ((!$1 || !$2) && $3) wrong++ }
  END { printf "# %d contexts tried scalar code\n", n
        exit !(n > 0 && !wrong) }' "$tmp/tried"
result $? "scalar code is tried where vector code runs and trials are on"
done_testing
