#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The benchmark of results: it prints times of loops without output and with it, which are not checked
# here, and the bits are the same; it leaves no files; wrong options are refused.
set -u
. "$(dirname "$0")/../support/tap.sh"

output=$build/bench/output/output
if [ -z "$build" ] || [ ! -x "$output" ]; then
  skip "no build with benchmarks"
  done_testing
fi
for backend in sequential openmp; do
  "$output" --size 40x30 --steps 20 --files 5 --folder "$tmp" --backend $backend --threads 2 >"$tmp/out" 2>"$tmp/why"
  status=$?
  if grep -q 'not available\|no openmp' "$tmp/why"; then
    skip "$backend: $(cat "$tmp/why")"
    continue
  fi
  result $status "$backend: it runs"
  [ ! -s "$tmp/why" ] || diag "$(cat "$tmp/why")"
  runs "$backend: the same bits" grep -q '^same bits$' "$tmp/out"
  runs "$backend: two times and their ratio" awk '$1 == 1 && $2 > 0 && $3 > 0 && $4 > 0 { n = NF } END { exit n != 5 }' "$tmp/out"
done
clean "no files are left" sh -c "ls '$tmp' | grep bench-output; true"
for wrong in '--steps 0' '--size 3' '--nonsense 3'; do
  "$output" $wrong >"$tmp/out" 2>&1
  [ $? -eq 2 ]
  result $? "$wrong: refused"
done
done_testing
