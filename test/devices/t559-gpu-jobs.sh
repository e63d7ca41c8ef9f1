#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# test/gpu.sh with the emulated device: a sample of both jobs, from this build. If OP2_TEST_BARE=1, as in
# test/run.sh --long, also as on a node that has little: in a bare Debian with compilers, Python, Meson and
# Ninja, without a network, from the archive that test/gpu-archive.sh makes.
set -u
. "$(dirname "$0")/../support/tap.sh"

[ -n "$build" ] && [ -e "$build/test/emulation/libcuda.so.1" ] || {
  skip "there is no build with the emulated device"
  done_testing
}

# all_right FILE: checks what the script has printed of both jobs
all_right() {
  [ "$(grep -c 'airfoil by [a-z]*: the right figures' "$1")" = 6 ] &&
    grep -q 'strategies has been measured' "$1" &&
    grep -q 't130-direct: [1-9][0-9]* passed, 0 failed' "$1" &&
    tail -n 1 "$1" | grep -q '^[1-9][0-9]* passed, 0 failed, [0-9]* skipped, 0 left out$' || {
    tail -n 40 "$1"
    return 1
  }
}

begin=$(date +%s)
"$src/test/gpu.sh" --emulated --sample --build "$build" --results "$tmp/results" >"$tmp/out" 2>&1
result $? "a sample of both jobs"
runs "it has done all" all_right "$tmp/out"
diag "it took $(($(date +%s) - begin)) s"
runs "what was printed is kept" all_right "$tmp/results/job-1-2.txt"
runs "figures and times are kept" \
  test -s "$tmp/results/airfoil-owner.txt" -a -s "$(ls "$tmp"/results/*-emulation-of-cuda-0.txt)"

"$src/test/gpu.sh" --amd --emulated --sample --build "$build" --results "$tmp/amd" >"$tmp/out" 2>&1
result $? "the same with an emulated AMD device"
runs "it has done all" all_right "$tmp/out"
runs "figures and times are kept" \
  test -s "$tmp/amd/airfoil-owner.txt" -a -s "$(ls "$tmp"/amd/*-emulation-of-hip-0.txt)"
runs "the backend is hip" grep -q -e '--backend hip' "$tmp/amd/"*-emulation-of-hip-0.txt

if [ "${OP2_TEST_BARE:-0}" != 1 ]; then
  skip "not tried in a bare Debian: OP2_TEST_BARE=1 is not set (test/run.sh --long sets it)"
  done_testing
fi
if ! git -C "$src" rev-parse --git-dir >/dev/null 2>&1; then
  skip "not tried in a bare Debian: this is no clone, or git is missing"
  done_testing
fi

"$src/test/gpu-archive.sh" "$tmp/archive" >"$tmp/log" 2>&1 || {
  diag "StarPU is taken as installed here: $(tail -n 1 "$tmp/log")"
  "$src/test/gpu-archive.sh" "$tmp/archive" --installed >"$tmp/log" 2>&1
}
result $? "the archive is made"
archive=$tmp/archive/op2-gpu.tar.gz
[ -e "$archive" ] || {
  diag "$(tail -n 20 "$tmp/log")"
  done_testing
}
diag "$(tail -n 1 "$tmp/log")"
runs "it has at most 60 MB" test "$(stat -c %s "$archive")" -le 60000000
tar -tzf "$archive" >"$tmp/packed"
unlicensed() { # FILE: prints the libraries of the archive that the list of licences lacks
  tar -xzOf "$archive" op2-gpu/licences/LIST >"$tmp/licences"
  sed -n 's|^op2-gpu/lib/\(lib.*\)\.so[.0-9]*$|\1|p' "$1" | sort -u | while read -r library; do
    grep -q -F -e "${library%-[0-9].[0-9]}" "$tmp/licences" || echo "$library"
  done
}
clean "each library has its licence" unlicensed "$tmp/packed"
echo op2-gpu/lib/libplanted.so.1 >"$tmp/planted"
catches "a library without a licence" '^libplanted$' unlicensed "$tmp/planted"

# The clone that chroot.sh makes is not used.
cat >"$tmp/script" <<'END'
set -ex
mkdir /opt/node
mv op2-gpu.tar.gz /opt/node
cd /opt/node
rm -rf /srv/op2/*
apt-get -q update
apt-get -q -y install --no-install-recommends gcc g++ libc6-dev python3 meson ninja-build
for absent in pkg-config git nvidia-smi; do ! command -v $absent; done
! ls -d /usr/include/xxhash.h /usr/include/hwloc* /usr/include/starpu
exec unshare -n sh -ex -c '
  [ "$(grep -c : /proc/net/dev)" = 1 ] # the loopback device alone
  tar -xzf op2-gpu.tar.gz
  status=0
  op2-gpu/op2/test/gpu.sh --emulated --sample --results results >/dev/null || status=$?
  cat results/configuration.txt
  cat results/job-1-2.txt
  exit $status'
END
sh "$src/test/chroot.sh" --tree --add "$archive" sh -c "$(cat "$tmp/script")" </dev/null \
  >"$tmp/out" 2>"$tmp/log"
status=$?
if [ $status -eq 77 ]; then
  skip "not tried in a bare Debian: $(grep '^chroot: ' "$tmp/log" | tail -n 1)"
  done_testing
fi
result $status "a bare Debian without a network builds and runs it"
[ $status -eq 0 ] || diag "$(tail -n 40 "$tmp/log")"
runs "it has done all" all_right "$tmp/out"
for part in starpu hwloc scotch opencl openmp; do
  runs "$part is found there" grep -q "^ *$part *: yes" "$tmp/out"
done

done_testing
