#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# On a system where only the program's own folder is writable, and without a home, the default
# backend is not StarPU, which needs a folder: there is a message, and the results are the same.
set -u
. "${OP2_TEST_SOURCE:-$(dirname "$0")/../..}/test/support/tap.sh"

airfoil=$build/bench/airfoil/airfoil
if [ -z "$build" ] || [ ! -x "$airfoil" ]; then
  skip "airfoil was not built"
  done_testing
fi
mkdir "$tmp/program"
steps="--mesh 12x24 --iterations 20 --every 0"
# shellcheck disable=SC2086
if ! OP2_CACHE_DIR=$tmp/cache "$airfoil" $steps --backend starpu --dump-q "$tmp/q" >"$tmp/out" 2>&1; then
  skip "$(tail -n 1 "$tmp/out")"
  done_testing
fi

# The program runs in a mount namespace of its own, where all mounts except for one folder become
# read-only.
cat >"$tmp/fix" <<'EOF'
folder=$1
shift
mount --make-rprivate / && mount --bind "$folder" "$folder" || exit 99
awk '{ print $2 }' /proc/self/mounts | while read -r point; do
  [ "$point" = "$folder" ] || mount -o remount,bind,ro "$point"
done 2>/dev/null
for place in /tmp /var/tmp /dev/shm; do
  [ ! -w "$place" ] || { echo "$place can still be written to"; exit 99; }
done
cd "$folder" || exit 99
exec "$@"
EOF

# confined COMMAND...: runs the program there; the status is 99 where the system does not permit it
confined() {
  if [ "$(id -u)" -eq 0 ]; then set -- unshare -m sh "$tmp/fix" "$tmp/program" "$@"
  else set -- unshare -r -m sh "$tmp/fix" "$tmp/program" "$@"
  fi
  env -u HOME -u TMPDIR -u XDG_CACHE_HOME -u STARPU_HOME -u OP2_BACKEND \
    OP2_CACHE_DIR="$tmp/program/cache" OP2_THREADS=2 "$@"
}

if ! confined true >"$tmp/out" 2>&1; then
  skip "no file system can be made read-only here: $(head -n 1 "$tmp/out")"
  done_testing
fi

# shellcheck disable=SC2086
confined "$airfoil" $steps --dump-q "$tmp/program/q" >"$tmp/out" 2>"$tmp/err"
result $? "the program runs"
diag "$(cat "$tmp/err")"
runs "by another backend" grep -q -E '^backend (openmp|sequential),' "$tmp/out"
runs "and says why" grep -q 'starpu cannot be used: StarPU needs a folder it can write to' "$tmp/err"
runs "with the same bits" cmp "$tmp/q" "$tmp/program/q"

# shellcheck disable=SC2086
confined "$airfoil" $steps --backend starpu >"$tmp/out" 2>"$tmp/err"
[ $? -eq 1 ]
result $? "StarPU, asked for by name, is an error and no abort"
runs "which says what it needs" grep -q 'StarPU needs a folder it can write to' "$tmp/err"
done_testing
