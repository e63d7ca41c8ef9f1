#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run a program on several ranks of this machine by the mpirun of the MPI that it was built with: as
# any user, on more ranks than cores, without a network, and not longer than a limit.
#   test/mpirun.sh KIND LIMIT RANKS PROGRAM ARGUMENT...
# KIND is openmpi or mpich, LIMIT in seconds. The status is that of mpirun, 124 after the limit, or 77
# with a reason on stderr where there is no such mpirun.
set -u

case ${1:-} in
  -h | --help) awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;;
esac
[ $# -ge 4 ] || { echo "mpirun.sh: KIND LIMIT RANKS PROGRAM are needed (--help)" >&2; exit 2; }
kind=$1 limit=$2 ranks=$3
shift 3

# found PATTERN NAME...: prints the first mpirun that exists and whose version matches
found() {
  pattern=$1
  shift
  for name; do
    command -v "$name" >/dev/null 2>&1 || continue
    ! "$name" --version 2>&1 | grep -q -i -e "$pattern" || { echo "$name"; return; }
  done
}
case $kind in
  openmpi) launcher=$(found 'open mpi' mpirun.openmpi mpirun mpiexec) ;;
  mpich) launcher=$(found 'hydra' mpirun.mpich mpiexec.hydra mpirun mpiexec) ;;
  *) echo "this build has no MPI" >&2; exit 77 ;;
esac
[ -n "$launcher" ] || { echo "there is no mpirun of $kind" >&2; exit 77; }

if [ "$kind" = openmpi ]; then
  # All ranks are on this machine: no other hosts are contacted, and messages go through shared
  # memory.
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_plm=isolated OMPI_MCA_oob_tcp_if_include=lo
  OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
  OMPI_MCA_rmaps_base_oversubscribe=1
  export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_plm \
    OMPI_MCA_oob_tcp_if_include OMPI_MCA_pml OMPI_MCA_btl \
    OMPI_MCA_btl_vader_single_copy_mechanism OMPI_MCA_rmaps_base_oversubscribe
  set -- --oversubscribe ${OP2_TEST_BIND:---bind-to none} -n "$ranks" "$@"
else
  UCX_TLS=${UCX_TLS:-self,posix,sysv} UCX_LOG_LEVEL=${UCX_LOG_LEVEL:-error}
  export UCX_TLS UCX_LOG_LEVEL
  set -- -launcher fork -iface lo ${OP2_TEST_BIND:-} -n "$ranks" "$@"
fi
# Leaks are not checked, since MPI itself has some.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS
# A launcher that does not end on request is killed together with its ranks.
exec timeout -k 5 "$limit" "$launcher" "$@" </dev/null
