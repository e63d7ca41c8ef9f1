#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Build StarPU from Debian's source package, with workers for CUDA devices (toolkit 12 or 13) and for any
# number of cores, and pack it with what it needs. No package but apt's and a compiler's is asked for, no
# device, and no rights.
#   test/starpu-cuda.sh FOLDER               work there; makes FOLDER/starpu-cuda.tar.gz
#   test/starpu-cuda.sh FOLDER --cuda DIR    the toolkit, else /usr/local/cuda
#   test/starpu-cuda.sh FOLDER --cores N     workers that there may be, else 64
# The archive may be unpacked anywhere. To build op2 with it:
#   PKG_CONFIG_PATH=WHERE/starpu-cuda/lib/pkgconfig meson setup build
set -eu

say() { echo "starpu-cuda: $*" >&2; }
die() { say "$*"; exit 1; }

folder=
cuda=/usr/local/cuda
cores=64
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;;
    --cuda) cuda=${2:?} && shift ;;
    --cores) cores=${2:?} && shift ;;
    -*) die "unknown option '$1'" ;;
    *) folder=$1 ;;
  esac
  shift
done
[ -n "$folder" ] || die "which folder? (--help)"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
[ -e "$cuda/include/cuda_runtime.h" ] || die "no CUDA toolkit in $cuda"
cudart=$(find -L "$cuda" -name libcudart_static.a 2>/dev/null | head -n 1)
[ -n "$cudart" ] || die "no libcudart_static.a in $cuda"
jobs=$(nproc)

# ---- the source, by apt with lists of its own ----

apt_here() { # TOOL ARGUMENT...: runs it with the sources of this system's packages
  tool=$1 && shift
  "$tool" -qq -o Dir::Etc::SourceList="$folder/apt/sources.list" \
    -o Dir::Etc::SourceParts="$folder/apt" -o Dir::State::Lists="$folder/apt/lists" \
    -o Dir::Cache="$folder/apt/cache" -o APT::Sandbox::User="$(id -un)" "$@"
}

fetch() {
  rm -rf "$folder/apt" "$folder/src"
  mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
  for list in /etc/apt/sources.list.d/*.sources; do
    [ ! -e "$list" ] || sed 's/^Types:.*/Types: deb-src/' "$list" >"$folder/apt/$(basename "$list")"
  done
  for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -e "$list" ] || sed -n 's/^deb /deb-src /p' "$list"
  done >"$folder/apt/sources.list"
  apt_here apt-get update
  (cd "$folder" && apt_here apt-get source --download-only starpu)
  # apt has verified the source against the signed lists.
  dpkg-source -x --no-check "$folder"/starpu_*.dsc "$folder/src" >/dev/null 2>&1
}

# ---- functions that CUDA 12 and 13 no longer have ----

# The compute mode of a device is read as an attribute; cuBLAS has only the interface with handles.
adapt() {
  cd "$folder/src/src/drivers/cuda"
  sed -i 's/if (props\[devid\]\.computeMode == cudaComputeModeExclusive)/int mode = 0;\
	if (cudaDeviceGetAttribute(\&mode, cudaDevAttrComputeMode, devid) == cudaSuccess \&\& mode == cudaComputeModeExclusiveProcess)/' \
    driver_cuda.c
  sed -i 's/#include <cublas\.h>/#include <cublas_v2.h>/' driver_cuda.h
  sed -i -e '/#include <cublas\.h>/d' -e 's/cublasStatus cublasst = cublasInit();/cublasStatus_t cublasst = CUBLAS_STATUS_SUCCESS;/' \
    -e '/cublasShutdown();/s/.*/;/' -e '/cublasSetKernelStream(/s/.*/;/' starpu_cublas.c
  if grep -n 'computeMode\|cublasInit\|cublasSetKernelStream\|<cublas\.h>' ./*.c ./*.h; then
    die "this version of StarPU is not the one that is known here"
  fi
}

# Loading the library must not need CUDA: its run-time library is linked in, and cuBLAS, which only
# programs with kernels of their own would use, is replaced by functions that fail.
make_shim() {
  mkdir -p "$folder/shim"
  cp "$cudart" "$folder/shim/libcudart.a"
  cat >"$folder/shim/cublas.c" <<'TEXT'
int cublasCreate_v2(void **handle) { return handle ? 1 : 7; }
int cublasDestroy_v2(void *handle) { return handle ? 1 : 7; }
int cublasSetStream_v2(void *handle, void *stream) { return handle && stream ? 1 : 7; }
TEXT
  ${CC:-cc} -O2 -fPIC -c "$folder/shim/cublas.c" -o "$folder/shim/cublas.o"
  rm -f "$folder/shim/libcublas.a"
  ar rc "$folder/shim/libcublas.a" "$folder/shim/cublas.o"
}

# ---- building ----

build() {
  rm -rf "$folder/build" "$folder/starpu-cuda"
  mkdir "$folder/build"
  cd "$folder/build"
  "$folder/src/configure" -q --prefix="$folder/starpu-cuda" --libdir="$folder/starpu-cuda/lib" \
    --enable-cuda --with-cuda-include-dir="$cuda/include" --with-cuda-lib-dir="$folder/shim" \
    --enable-maxcpus="$cores" --disable-opencl --disable-mpi --disable-starpufft --disable-socl \
    --disable-starpurm --disable-build-doc --disable-build-examples --disable-build-tests \
    --disable-static --disable-fortran --disable-starpupy \
    ac_cv_lib_cusparse_cusparseCreate=no ac_cv_lib_nvidia_ml_nvmlInit=no \
    NVCC="$cuda/bin/nvcc" LIBS='-lpthread -ldl -lrt' >configure.log 2>&1 ||
    die "configure failed: $folder/build/configure.log"
  grep -q '^#define STARPU_USE_CUDA 1' include/starpu_config.h || die "configure has not found CUDA"
  # The library looks for the libraries that it needs in its own folder.
  if ! { make -s -j "$jobs" -C src LDFLAGS="-Wl,-rpath,'\$\$ORIGIN'" && make -s -C src install &&
    make -s install-am; } >make.log 2>&1; then
    die "make failed: $folder/build/make.log"
  fi
}

# ---- packing ----

# hwloc is packed with all libraries that it needs; the C library, the compiler's libraries and
# drivers of devices are not packed, and drivers must not be needed. Programs can include StarPU's
# headers without the toolkit's headers.
pack() {
  cd "$folder/starpu-cuda"
  strip --strip-unneeded lib/libstarpu-1.3.so.*.*
  rm -rf bin share lib/starpu lib/*.la
  # ldd also lists the libraries that these libraries need.
  ldd lib/libstarpu-1.3.so >"$folder/needed"
  while read -r name _ file _; do
    case $name in
      libc.* | libm.* | libdl.* | librt.* | libpthread.* | libgcc_s.* | libstdc++.*) continue ;;
      linux-vdso* | *ld-linux*) continue ;;
      libcu* | libnv*) die "it needs $name, which only machines with CUDA have" ;;
    esac
    [ -e "$file" ] || die "it needs $name, which is not here"
    cp -L "$file" lib/
  done <"$folder/needed"
  cp "$folder/src/COPYING.LGPL" .
  hwloc=$(pkg-config --variable=includedir hwloc)
  cp -r "$hwloc/hwloc" "$hwloc/hwloc.h" include/starpu/1.3/
  sed -i -e 's,^prefix=.*,prefix=${pcfiledir}/../..,' -e "s,$folder/starpu-cuda,\${prefix},g" \
    -e '/^Requires/d' -e '/^Libs.private/d' -e 's, -[IL]/[^ ]*,,g' \
    -e 's/^Cflags:/& -DSTARPU_DONT_INCLUDE_CUDA_HEADERS/' lib/pkgconfig/*.pc
  if grep -q -F -e "$folder" lib/pkgconfig/*.pc; then die "a path of this machine has stayed"; fi
  tar -C "$folder" -czf "$folder/starpu-cuda.tar.gz" starpu-cuda
}

# ---- check of the packages ----

# In another folder than the one it was built in, the header and the library agree on the sizes of
# structures, and the library starts, with a CPU worker and without a device.
try() {
  rm -rf "$folder/try"
  mkdir "$folder/try"
  tar -C "$folder/try" -xzf "$folder/starpu-cuda.tar.gz"
  cd "$folder/try"
  cat >try.c <<'TEXT'
#include <starpu.h>
#include <stdio.h>
#include <string.h>
static union { struct starpu_conf conf; unsigned char bytes[65536]; } room;
int main(void) {
  size_t size = sizeof room;
  memset(&room, 0xA5, sizeof room);
  if (starpu_conf_init(&room.conf)) return 1;
  while (size > 0 && room.bytes[size - 1] == 0xA5) size--;
  if (size > sizeof(struct starpu_conf) || size + 16 < sizeof(struct starpu_conf)) return 2;
  room.conf.ncpus = 1;
  if (starpu_init(&room.conf)) return 3;
  printf("%u workers, room for %d\n", starpu_cpu_worker_get_count(), STARPU_NMAXWORKERS);
  starpu_shutdown();
#ifdef STARPU_USE_CUDA
  return 0;
#else
  return 4;
#endif
}
TEXT
  pc=$folder/try/starpu-cuda/lib/pkgconfig
  # shellcheck disable=SC2046
  ${CC:-cc} try.c -o try \
    $(PKG_CONFIG_PATH="$pc" pkg-config --cflags --libs starpu-1.3) \
    -Wl,-rpath,"$folder/try/starpu-cuda/lib"
  XDG_CACHE_HOME=$folder/try STARPU_NCUDA=0 ./try || die "what was built does not start (status $?)"
  readelf -d starpu-cuda/lib/libstarpu-1.3.so | grep -q 'RUNPATH.*\[$ORIGIN\]' ||
    die "it would look for hwloc elsewhere"
}

fetch
adapt
make_shim
build
pack
try
say "$(ls -l "$folder/starpu-cuda.tar.gz" | awk '{ print $5 }') bytes in $folder/starpu-cuda.tar.gz"
