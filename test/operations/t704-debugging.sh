#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The methods of doc/debugging.md work: a kernel that prints, a debugger that stops in kernels, and
# the checked mode.
. "${OP2_TEST_SOURCE:-$(dirname "$0")/../..}/test/support/tap.sh"

program=${build:-.}/test/example-debugging
if [ ! -x "$program" ]; then
  skip "the example is not built"
  done_testing
fi
export OP2_CACHE_DIR="$tmp/cache" OP2_LOG=1
file=$src/test/support/example-debugging.c

# holds NAME PATTERN: checks that the last command printed a match
holds() {
  if grep -q -e "$2" "$tmp/said"; then
    result 0 "$1"
  else
    result 1 "$1"
    diag "no line matches '$2':"
    diag "$(tail -40 "$tmp/said")"
  fi
}

for backend in sequential openmp starpu; do
  OP2_BACKEND=$backend OP2_THREADS=1 "$program" >"$tmp/said" 2>&1
  if [ $? -ne 0 ] && grep -q "not available" "$tmp/said"; then
    skip "$(cat "$tmp/said")"
    continue
  fi
  holds "$backend: a kernel prints" "^x is 6$"
  [ "$(grep -c '^x is ' "$tmp/said")" -eq 3 ]
  result $? "$backend: once for each element"
done

if ! command -v gdb >/dev/null; then
  skip "there is no gdb"
  done_testing
fi
export OP2_BACKEND=sequential OP2_CFLAGS="-O0 -g"
line=$(grep -n '^ *"  printf' "$file" | cut -d: -f1)
# debug COMMAND...: runs the commands in gdb, which ignores SIGTERM while it waits for input or a
# process
debug() {
  set -- -ex "set breakpoint pending on" "$@"
  timeout -k 5 60 gdb -q -nx -batch "$@" "$program" </dev/null >"$tmp/said" 2>&1
  if grep -q -i "ptrace.*not permitted\|could not trace" "$tmp/said"; then
    skip "gdb may not trace processes here"
    done_testing
  fi
}
for run in "when it is compiled" "from the cache"; do
  debug -ex "break shout" -ex "run" -ex "print *x" -ex "up" -ex "print op2_element"
  holds "gdb stops in a kernel, $run" "shout (x=0x"
  holds "in the user's own line" "example-debugging.c:$line"
  holds "and shows its values" "= 2$"
  holds "and the element" "= 0$"
done
debug -ex "break shout if *x > 5" -ex "run" -ex "up" -ex "print op2_element"
holds "a condition holds for one element" "= 2$"
kernel=$(grep -n '^OP2_KERNEL' "$file" | cut -d: -f1)
debug -ex "break example-debugging.c:$kernel" -ex "run" -ex "continue" -ex "info args" -ex "backtrace"
holds "gdb stops at the line of an OP2_KERNEL" "^#0 .*twice_k[0-9a-f]* (x="
export OP2_EAGER=1
debug -ex "break shout" -ex "run" -ex "backtrace"
holds "in eager mode below the call that queued the loop" " in op2_par_loop_at "
done_testing
