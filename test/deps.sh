#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Install the Debian packages that the named groups need and that are not there yet.
#   test/deps.sh build          the library and its benchmarks
#   test/deps.sh build demo     also the graph and the picture of the demonstration
#   test/deps.sh build mpi      also MPI, for contexts over several ranks
#   test/deps.sh build opencl   also OpenCL, with PoCL for a device
#   test/deps.sh hip            AMD's HIP runtime with hipRTC (18 MB), alone; it compiles without a device
#   test/deps.sh build hdf5     also HDF5, for meshes in files; built with that MPI
#   test/deps.sh build petsc    also PETSc, for matrices as its own and its solvers; built with that MPI
#   test/deps.sh build fortran  also a Fortran compiler, for the module op2
#   test/deps.sh build python   also what pip needs to build the package op2 for Python
#   test/deps.sh docs           what makes the site and the reference (doc/build.sh), alone
#   test/deps.sh test           everything the tests use; also, by packages on PyPI, into
#                               ~/.cache/op2-test, interfaces of profilers and, where no CUDA toolkit
#                               is, NVRTC
# With --list, print the packages of the groups and install nothing.
set -eu

say() { echo "deps: $*" >&2; }
die() { say "$*"; exit 1; }

build="gcc libc6-dev meson ninja-build pkg-config libstarpu-dev libhwloc-dev libxxhash-dev"
build="$build libscotch-dev zlib1g-dev libdeflate-dev libexpat1-dev"
demo="$build graphviz libpng-dev"
mpi="libopenmpi-dev openmpi-bin libptscotch-dev"
hdf5="libhdf5-openmpi-dev"
petsc="libpetsc-real-dev"
fortran="gfortran"
python="python3-dev python3-pip python3-setuptools python3-venv python3-wheel python3-cffi python3-numpy"
docs="doxygen python3-sphinx python3-myst-parser furo"
opencl="opencl-c-headers ocl-icd-libopencl1 pocl-opencl-icd"
hip="libamdhip64-5 libhiprtc-builtins5"
# gcc includes the run-time libraries of its sanitizers and of OpenMP; clang's OpenMP is a separate
# package. MPICH is tested in addition to Debian's default MPI.
test="$demo $mpi $hdf5 $petsc $opencl $hip $fortran valgrind hdf5-tools libmpich-dev mpich g++ clang libomp-dev"
test="$test likwid python3-pyelftools python3-yaml binutils cmake debootstrap gdb $python python3-pytest python3-mpi4py python3-petsc4py mypy"
test="$test $docs man-db mandoc python3-meshio python3-h5py python3-netcdf4"

list=no
fetches=no
wanted=
for group; do
  case $group in
    --list) list=yes ;;
    -h | --help) awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;;
    build) wanted="$wanted $build" ;;
    demo) wanted="$wanted $demo" ;;
    mpi) wanted="$wanted $mpi" ;;
    opencl) wanted="$wanted $opencl" ;;
    hip) wanted="$wanted $hip" ;;
    hdf5) wanted="$wanted $mpi $hdf5" ;;
    petsc) wanted="$wanted $mpi $petsc" ;;
    fortran) wanted="$wanted $fortran" ;;
    python) wanted="$wanted $python" ;;
    docs) wanted="$wanted $docs" ;;
    test) wanted="$wanted $test" fetches=yes ;;
    *) die "unknown group '$group' (there are: build, demo, mpi, opencl, hip, hdf5, petsc, fortran, python, docs, test)" ;;
  esac
done
[ -n "$wanted" ] || die "which groups? (build, demo, mpi, opencl, hip, hdf5, petsc, fortran, python, docs, test)"
wanted=$(printf '%s\n' $wanted | sort -u)
if [ $list = yes ]; then
  printf '%s\n' $wanted
  exit 0
fi

if [ ! -e /proc/self ]; then
  say "warning: /proc is not mounted here (mount -t proc proc /proc): sanitizers cannot run, and" \
    "cores and caches are guessed"
fi

if ! command -v dpkg-query >/dev/null 2>&1; then
  die "this is not a Debian system; please install the equivalents of:" $wanted
fi

# NVIDIA's compiler needs neither a device nor root; pip verifies its digest. Without it, tests
# report what they skip.
fetch_nvrtc() {
  cuda=${HOME:-/root}/.cache/op2-test/cuda
  for folder in "${CUDA_HOME:-/usr/local/cuda}" /usr/local/cuda "$cuda"; do
    [ ! -e "$folder/lib64/libnvrtc.so.13" ] || return 0
  done
  say "fetching NVRTC"
  mkdir -p "$cuda.new" &&
    python3 -m pip download -q --no-deps -d "$cuda.new" 'nvidia-cuda-nvrtc>=13,<14' >&2 &&
    python3 -m zipfile -e "$cuda.new"/*.whl "$cuda.new" &&
    ln -s nvidia/cu13/lib "$cuda.new/lib64" &&
    [ -e "$cuda.new/lib64/libnvrtc.so.13" ] &&
    rm -f "$cuda.new"/*.whl && rm -rf "$cuda" && mv "$cuda.new" "$cuda" && return 0
  rm -rf "$cuda.new"
  say "NVRTC could not be fetched: texts for NVIDIA's devices are not compiled by it"
}

# NVTX's header, and Intel's own part of a program with ITT, which t724 compares ours with.
fetch_markers() {
  markers=${HOME:-/root}/.cache/op2-test/markers
  [ ! -d "$markers" ] || return 0
  say "fetching NVTX's header and ittapi"
  mkdir -p "$markers.new" &&
    python3 -m pip download -q --no-deps -d "$markers.new" 'nvidia-nvtx>=13,<14' ittapi >&2 &&
    for wheel in "$markers.new"/*.whl; do
      python3 -m zipfile -e "$wheel" "$markers.new" || break
    done &&
    rm -f "$markers.new"/*.whl && mv "$markers.new" "$markers" && return 0
  rm -rf "$markers.new"
  say "they could not be fetched: t724 skips what needs them"
}

fetch() {
  [ $fetches = yes ] || return 0
  fetch_nvrtc
  fetch_markers
}

missing=
for package in $wanted; do
  state=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [ "$state" = "install ok installed" ] || missing="$missing $package"
done
if [ -z "$missing" ]; then
  fetch
  exit 0
fi

say "installing:$missing"
if [ "$(id -u)" = 0 ]; then
  as_root=
elif command -v sudo >/dev/null 2>&1; then
  as_root=sudo
else
  die "these packages are missing and neither root nor sudo is at hand; as root, run:
  apt-get update && apt-get install --no-install-recommends$missing"
fi

apt() { # it waits if another installation holds the lock
  $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" </dev/null >&2
}
apt update || die "apt-get update failed: is there a network, and a mirror in /etc/apt?"
apt install --no-install-recommends $missing || die "could not install:$missing"
fetch
