#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The benchmark of overhead: queued loops give the values of the loops by hand on every backend,
# however they are flushed; the tables have a line for each case, and their times are not checked.
set -u
. "$(dirname "$0")/../support/tap.sh"

overhead=$build/bench/overhead/overhead
if [ -z "$build" ] || [ ! -x "$overhead" ]; then
  skip "no build with benchmarks"
  done_testing
fi

# The switches change how loops run, but not their results.
for settings in "" OP2_FUSE=0 OP2_REPLAY=0 OP2_EAGER=1; do
  env ${settings:+"$settings"} "$overhead" --check >"$tmp/out" 2>"$tmp/why"
  result $? "${settings:-as it comes}: the values are those of the loops by hand"
  grep -v '^agrees:' "$tmp/out" | sed 's/^/# /'
  [ ! -s "$tmp/why" ] || diag "$(cat "$tmp/why")"
  backends=$(grep -c ': 1 elements, 1 arguments$' "$tmp/out")
  agreed=$(grep -c '^agrees:' "$tmp/out")
  [ "$backends" -ge 1 ] && [ "$agreed" -eq $((9 * backends)) ]
  result $? "${settings:-as it comes}: nine cases on each of $backends backends ($agreed)"
done

# The program of bench/trace.sh, which compiles it with other builds.
for backend in sequential openmp; do
  "$build/bench/overhead/short" $backend 2 >"$tmp/out" 2>"$tmp/why"
  if grep -q OP2_ERR_UNAVAILABLE "$tmp/why"; then
    skip "$backend: $(cat "$tmp/why")"
    continue
  fi
  grep -Eq '^time_us [0-9.]+$' "$tmp/out"
  result $? "2,000 short loops on $backend have a time"
done

runs_table() { # NAME OPTION...
  name=$1
  shift
  "$overhead" --batches 3 --loops 100 "$@" >"$tmp/out" 2>"$tmp/why"
  result $? "$name: runs"
  [ ! -s "$tmp/why" ] || diag "$(cat "$tmp/why")"
}

# rows BACKEND: prints lines of the second table that have 13 columns, of which the last ten are
# figures or dashes
rows() {
  awk -v backend="$1" '
    $1 == backend && NF == 13 {
      for (i = 4; i <= NF; i++) if ($i !~ /^(-?[0-9]+|-)$/) next
      n++
    }
    END { print n + 0 }' "$tmp/out"
}

runs_table "each backend"
recorded=$(awk 'NF == 3 && $1 ~ /^[148]$/ && $2 > 0 && $3 > 0 && $3 <= $2' "$tmp/out" | wc -l)
[ "$recorded" -eq 3 ]
result $? "recording is shown for 1, 4 and 8 arguments ($recorded lines)"
for backend in starpu openmp sequential; do
  if grep -q "^$backend: not available" "$tmp/out"; then
    skip "$(grep "^$backend: not available" "$tmp/out")"
    continue
  fi
  [ "$(rows $backend)" -eq 9 ]
  result $? "$backend: three sizes with three numbers of arguments ($(rows $backend) lines)"
done

runs_table "one backend" --backend sequential
[ "$(rows sequential)" -eq 9 ] && [ "$(rows openmp)" -eq 0 ] && [ "$(rows starpu)" -eq 0 ]
result $? "--backend shows one"

refuses() { # OPTION...
  "$overhead" "$@" >"$tmp/out" 2>"$tmp/why"
  [ $? -eq 2 ] && grep -q 'usage: overhead' "$tmp/why"
  result $? "$*: refused"
}
refuses --batches 0
refuses --batches
refuses --loops 3x
refuses --loops 1000000
refuses --backend nonsense
refuses --nonsense 3

done_testing
