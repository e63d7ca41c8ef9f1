#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Module op2_hdf5: files of HDF5, VTKHDF and checkpoints are written and read in Fortran. A program that
# is killed or stopped by SIGTERM goes on from its checkpoint to the same bits.
set -u
. "$(dirname "$0")/../support/tap.sh"
program=$build/test/fortran_hdf5
if [ -z "$build" ] || [ ! -x "$program" ]; then
  skip "no build with Fortran and HDF5"
  done_testing
fi
cd "$tmp" || exit 1

cases_pass() {
  "$program" "$src/examples/channel.msh" >"$tmp/out" 2>"$tmp/err" && ! grep -q '^not ok' "$tmp/out" &&
    grep -q '^1\.\.[1-9]' "$tmp/out"
}
export OP2_BACKEND OP2_EAGER
for OP2_BACKEND in sequential openmp; do
  for OP2_EAGER in 0 1; do
    rm -f ./*.h5 ./*.vtkhdf
    cases_pass
    result $? "$OP2_BACKEND, OP2_EAGER=$OP2_EAGER: $(sed -n 's/^1\.\.//p' "$tmp/out") checks"
    [ ! -s "$tmp/err" ] || diag "$(grep '^not ok' "$tmp/out"; cat "$tmp/err")"
  done
done

OP2_BACKEND=sequential OP2_EAGER=0
whole=$("$program" run whole 0 20 2>"$tmp/err") || diag "$(cat "$tmp/err")"
runs "20 steps are computed" test "${whole%% *}" = 20
part=$("$program" run part 0 -11 9 2>/dev/null)
runs "kill -9 ends the program at step 11" test -z "$part"
part=$("$program" run part 9 20)
runs "from the checkpoint of step 9 to the same bits ($part)" test "$part" = "$whole"
part=$("$program" run stopped 0 -10 15)
runs "SIGTERM stops the program at its step" test "${part%% *}" = 10
part=$("$program" run stopped 10 20)
runs "which goes on to the same bits" test "$part" = "$whole"

if command -v ldd >/dev/null 2>&1 && [ -e "$build/fortran/libop2-fortran.so" ]; then
  loads() { ldd "$1" | grep -q libhdf5; }
  loads_none() { ! loads "$1"; }
  runs "libop2-hdf5-fortran loads HDF5" loads "$build/fortran/libop2-hdf5-fortran.so"
  runs "libop2-fortran does not" loads_none "$build/fortran/libop2-fortran.so"
fi
done_testing
