#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The benchmark of kernels: each kernel gives the results of its twins by hand, with one thread and
# with two, and the same bits in scalar code; a twin that is wrong is reported; each kernel has a
# line, whose times are not checked; wrong options are refused.
set -u
. "$(dirname "$0")/../support/tap.sh"

kernels=$build/bench/kernels/kernels
if [ -z "$build" ] || [ ! -x "$kernels" ]; then
  skip "no build with benchmarks and OpenMP"
  done_testing
fi

"$kernels" --list | awk '{ print $1 }' >"$tmp/names"
count=$(wc -l <"$tmp/names")
[ "$count" -ge 50 ]
result $? "--list has all kernels ($count)"

runs() { # NAME OPTION...: all kernels
  name=$1
  shift
  "$kernels" --sizes 300 --rounds 1 --least 0 --stream 0 "$@" >"$tmp/out" 2>"$tmp/why"
  result $? "$name: it runs, and the results are the twins'"
  [ ! -s "$tmp/why" ] || diag "$(cat "$tmp/why")"
  awk -v count="$count" '$1 == "results:" { n = $2; good = $4 == 0 } END { exit !(good && n >= 2 * count) }' "$tmp/out"
  result $? "$name: at least two results of each kernel were compared ($(grep '^results:' "$tmp/out"))"
}
runs "two threads" --backend openmp --threads 2
runs "one thread" --backend sequential --all

# Each line has the ratio of the times that stand beside it.
awk 'NR == FNR { names[$1] = 1; left++; next }
  ($1 in names) && $2 > 0 {
    if (names[$1] == 1) { names[$1] = 2; left-- }
    r = $4 / $3
    if (!(r > $8 - 0.1 - 0.1 * r && r < $8 + 0.1 + 0.1 * r)) { print "line " FNR ": " r " is not " $8; bad = 1 }
  }
  END { if (left) print left " kernels have no line"; exit bad || left }' "$tmp/names" "$tmp/out" >"$tmp/why"
result $? "each kernel has lines with the ratio of their times"
[ ! -s "$tmp/why" ] || diag "$(cat "$tmp/why")"

"$kernels" --spoil --backend sequential --sizes 300 --rounds 1 --least 0 --stream 0 >"$tmp/out" 2>"$tmp/why"
[ $? -eq 1 ]
result $? "with a wrong value in each twin it fails"
awk -v count="$count" 'NR == FNR { seen += / elements: the result of (scalar|simd|lanes|stream|libmvec|product) differs/; next }
  $1 == "results:" { twins = $2 - count; different = $4 }
  END { exit !(twins > 0 && seen == twins && different == twins) }' "$tmp/why" "$tmp/out"
result $? "and reports each twin ($(grep '^results:' "$tmp/out"))"

"$kernels" --kernels axpy,hash --sizes 70,90 --rounds 2 --least 0 --stream 1 >"$tmp/out" 2>&1
[ $? -eq 0 ] && [ "$(awk '$2 == 70 || $2 == 90' "$tmp/out" | wc -l)" -eq 4 ] && grep -q '^memory: ' "$tmp/out"
result $? "--kernels, --sizes and --stream choose what is measured"

refuses() { # OPTION...
  "$kernels" "$@" >"$tmp/out" 2>&1
  [ $? -eq 2 ]
  result $? "$*: refused"
}
refuses --kernels nonsense
refuses --kernels axpy,
refuses --sizes 0
refuses --sizes 10,x
refuses --sizes 10,
refuses --rounds 0
refuses --least -1
refuses --nonsense 3

done_testing
