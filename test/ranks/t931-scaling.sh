#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The counts of doc/scaling.md at 2 and 8 ranks are those of its model, and wrong ones are detected;
# k-way partitioning gives the same parts each time. Counted are messages and bytes of a time step
# of airfoil.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/app.sh"
application airfoil "--mesh 2x2" 1

OP2_CACHE_DIR=${OP2_TEST_CACHE:-$tmp/cache}
export OP2_CACHE_DIR
unset OP2_EAGER OP2_FUSE OP2_OVERLAP OP2_MERGE

# tables NAMES RANKS: writes the tables to $tmp/out, and messages to $tmp/why
tables() {
  sh "$src/bench/scaling.sh" --build "$build" --mpi "${OP2_TEST_MPI:-none}" --meshes 100x150 --tables "$1" \
    --ranks "$2" >"$tmp/out" 2>"$tmp/why"
}
tables tiles 1
status=$?
if [ $status -eq 77 ]; then
  skip "$(cat "$tmp/why")"
  done_testing
fi
[ $status -eq 0 ]
result $? "one rank has and sends nothing"
said "$tmp/why"

tables tiles "2 8"
result $? "tiles by formula"
said "$tmp/why"
grep 'off$' "$tmp/out" | while read -r line; do diag "$line"; done
[ "$(grep -c ' [1-9][0-9]* .* exact$' "$tmp/out")" -eq 14 ] &&
  [ "$(grep -c ' [1-9][0-9]* .* \(mean\|nearly\)$' "$tmp/out")" -eq 8 ]
result $? "every count of the table is there, and none is zero"

OP2_MERGE=0 tables tiles 2
[ $? -eq 1 ] && [ "$(grep 'off$' "$tmp/out" | awk '{ print $1 }' | tr '\n' ' ')" = "exchanges messages " ]
result $? "a message for each dat is noticed"

# per_step NAME: sets $messages and $bytes of all ranks together in a time step, by airfoil --counts
# on 4 ranks
per_step() {
  OMP_WAIT_POLICY=passive sh "$src/test/mpirun.sh" "$OP2_TEST_MPI" 120 4 "$app" --mesh 30x40 --iterations 8 \
    --every 0 --threads 1 --partition coordinates --backend "$1" --counts >"$tmp/out" 2>"$tmp/why" || return
  messages=$(awk '$1 == "count" && $2 == "messages" { print $3 }' "$tmp/out")
  bytes=$(awk '$1 == "count" && $2 == "bytes" { print $3 }' "$tmp/out")
  halo=$(awk '$1 == "count" && $2 ~ /^cells_(exec|nonexec)$/ { n += $3 } END { print n }' "$tmp/out")
  pairs=$(awk '$1 == "count" && $2 == "neighbours" { print $3 }' "$tmp/out")
}
usable_backends
for backend in $backends; do
  [ "$backend" != check ] || continue
  per_step "$backend" && ours=$messages volume=$bytes &&
    [ "$ours" -eq $((2 * pairs)) ] && [ "$volume" -eq $((2 * 40 * halo)) ]
  result $? "$backend: $ours messages of $volume bytes a step: one for each neighbour and stage, of what is stale and read"
  OP2_MERGE=0 OP2_OVERLAP=0 per_step "$backend" && [ "$messages" -ge $((2 * ours)) ] && [ "$bytes" -eq "$volume" ]
  result $? "$backend: a message for each dat and loop makes $messages of $bytes bytes"
  said "$tmp/why"
done

# Fitted sizes are valid for one release of PT-Scotch.
tables parts 8
status=$?
said "$tmp/why"
if grep -q OP2_ERR_UNAVAILABLE "$tmp/why"; then
  skip "$(grep -m 1 OP2_ERR_UNAVAILABLE "$tmp/why")"
  done_testing
fi
[ $status -le 1 ] && ! grep -q 'exact .*off$' "$tmp/out" &&
  [ "$(grep -c ' [1-9][0-9]* .* exact$' "$tmp/out")" -eq 3 ]
result $? "messages and bytes of k-way parts follow from their halos"
cp "$tmp/out" "$tmp/once"
tables parts 8
cmp "$tmp/once" "$tmp/out" >"$tmp/why" 2>&1
result $? "k-way gives the same parts again"
said "$tmp/why"
done_testing
