#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The benchmark of temporaries: it prints three times and their ratios, which are not checked here;
# the bits are the same with dats that stay and with those that each step makes, on each backend;
# wrong options are refused.
set -u
. "$(dirname "$0")/../support/tap.sh"

temporaries=$build/bench/temporaries/temporaries
if [ -z "$build" ] || [ ! -x "$temporaries" ]; then
  skip "no build with benchmarks"
  done_testing
fi

runs() { # NAME OPTION...
  name=$1
  shift
  # The benchmark ignores the environment's setting of recycling.
  OP2_RECYCLE=0 "$temporaries" --rounds 1 --steps 20 --size 30 "$@" >"$tmp/out" 2>"$tmp/why"
  result $? "$name: it runs, and the bits are the same"
  [ ! -s "$tmp/why" ] || diag "$(cat "$tmp/why")"
  awk '
    $1 == "staying" { one = $2 }
    $1 ~ /^(staying|passing|OP2_RECYCLE=0)$/ && $2 > 0 && $3 > 0 {
      r = $2 / one
      n += r > $3 - 0.1 - 0.1 * r && r < $3 + 0.1 + 0.1 * r
    }
    /^same bits$/ { n++ }
    END { exit n != 4 }' "$tmp/out"
  result $? "$name: three times with their ratios"
}
runs "as it comes"
runs "one thread" --backend sequential
runs "two threads" --backend openmp --threads 2

refuses() { # OPTION...
  "$temporaries" "$@" >"$tmp/out" 2>&1
  [ $? -eq 2 ]
  result $? "$*: refused"
}
refuses --steps 0
refuses --size
refuses --nonsense 3
refuses --threads x

done_testing
