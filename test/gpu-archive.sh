#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Pack everything that test/gpu.sh needs on a node that has a compiler, Meson and a device, but no network
# and no packages, into one archive that can be unpacked anywhere: this source tree; xxHash, hwloc, Scotch
# and OpenCL's headers as installed here; StarPU, built from Debian's source package with workers for CUDA
# devices (toolkit 12 or 13) and for any number of cores; their licences. Neither a device nor root's
# rights are needed.
#   test/gpu-archive.sh FOLDER               work there; makes FOLDER/op2-gpu.tar.gz
#   test/gpu-archive.sh FOLDER --cuda DIR    the toolkit, else /usr/local/cuda
#   test/gpu-archive.sh FOLDER --cores N     workers that there may be, else 64
#   test/gpu-archive.sh FOLDER --installed   StarPU as installed here: building it takes minutes
#   test/gpu-archive.sh FOLDER --built       also the programs, built here: this saves a minute of each job
# On the node, which needs a C library that is not older than the one here:
#   tar -xzf op2-gpu.tar.gz
#   op2-gpu/op2/test/gpu.sh --job 1 --results DIR
# To build something else with it, CPATH is to have op2-gpu/include and op2-gpu/include/starpu/1.3,
# LIBRARY_PATH and LD_LIBRARY_PATH op2-gpu/lib.
set -eu

say() { echo "gpu-archive: $*" >&2; }
die() { say "$*"; exit 1; }

folder=
cuda=/usr/local/cuda
cores=64
starpu=built
programs=no
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;;
    --cuda) cuda=${2:?} && shift ;;
    --cores) cores=${2:?} && shift ;;
    --installed) starpu=installed ;;
    --built) programs=yes ;;
    -*) die "unknown option '$1'" ;;
    *) folder=$1 ;;
  esac
  shift
done
[ -n "$folder" ] || die "which folder? (--help)"
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
all=$folder/op2-gpu
rm -rf "$all"
mkdir -p "$all/include" "$all/lib" "$all/licences"

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
  [ -e "$cuda/include/cuda_runtime.h" ] || die "no CUDA toolkit in $cuda"
  cudart=$(find -L "$cuda" -name libcudart_static.a 2>/dev/null | head -n 1)
  [ -n "$cudart" ] || die "no libcudart_static.a in $cuda"
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
  rm -rf "$folder/build"
  mkdir "$folder/build"
  cd "$folder/build"
  "$folder/src/configure" -q --prefix="$all" --libdir="$all/lib" \
    --enable-cuda --with-cuda-include-dir="$cuda/include" --with-cuda-lib-dir="$folder/shim" \
    --enable-maxcpus="$cores" --disable-opencl --disable-mpi --disable-starpufft --disable-socl \
    --disable-starpurm --disable-build-doc --disable-build-examples --disable-build-tests \
    --disable-static --disable-fortran --disable-starpupy \
    ac_cv_lib_cusparse_cusparseCreate=no ac_cv_lib_nvidia_ml_nvmlInit=no \
    NVCC="$cuda/bin/nvcc" LIBS='-lpthread -ldl -lrt' >configure.log 2>&1 ||
    die "configure failed: $folder/build/configure.log"
  grep -q '^#define STARPU_USE_CUDA 1' include/starpu_config.h || die "configure has not found CUDA"
  # The library looks for the libraries that it needs in its own folder.
  if ! { make -s -j "$(nproc)" -C src LDFLAGS="-Wl,-rpath,'\$\$ORIGIN'" && make -s -C src install &&
    make -s install-am; } >make.log 2>&1; then
    die "make failed: $folder/build/make.log"
  fi
}

# ---- packing ----

# take_licence FILE: takes the licence of the package that has this file, and notes where it is from
take_licence() {
  real=$(readlink -f "$1")
  # Where /lib is a link to /usr/lib, a package may have its files in either.
  package=$(dpkg -S "$real" "${real#/usr}" 2>/dev/null | sed -n '1s/:.*//p')
  [ -n "$package" ] || die "no package has $1, so its licence is not known"
  cp -L "/usr/share/doc/$package/copyright" "$all/licences/$package.txt"
  printf '%-24s %s %s\n' "$(basename "$1")" "$package" \
    "$(dpkg-query -W -f '${Version}\n' "$package" | head -n 1)" >>"$all/licences/LIST"
}

# The source tree is taken as it is, with what has not been committed.
take_source() {
  mkdir "$all/op2"
  git -C "$source" rev-parse --git-dir >/dev/null 2>&1 || die "$source is not a clone"
  (cd "$source" && git ls-files -z --cached --others --exclude-standard |
    tar -c --null --files-from=- --ignore-failed-read 2>/dev/null) | tar -x -C "$all/op2"
  cp "$source/LICENSE" "$all/licences/op2.txt"
  git -C "$source" describe --always --dirty >"$all/op2/COMMIT"
}

# take_library NAME: the shared library that -lNAME links, under the name by which programs ask for it
take_library() {
  file=$(${CC:-cc} -print-file-name="lib$1.so")
  [ -e "$file" ] || die "lib$1.so is not here"
  soname=$(objdump -p "$file" | sed -n 's/^ *SONAME *//p')
  cp -L "$file" "$all/lib/$soname"
  [ "$soname" = "lib$1.so" ] || ln -sf "$soname" "$all/lib/lib$1.so"
  take_licence "$file"
}

# take_headers PATTERN...: what <PATTERN> includes, with the parts that belong to this processor
take_headers() {
  for folder_of in /usr/include "/usr/include/$(${CC:-cc} -print-multiarch)"; do
    for pattern in "$@"; do
      for header in "$folder_of"/$pattern; do
        [ -e "$header" ] || continue
        cp -RL "$header" "$all/include/"
        take_licence "$(find -L "$header" -type f | head -n 1)"
      done
    done
  done
}

take_libraries() {
  for name in xxhash hwloc scotch scotcherr; do take_library $name; done
  take_headers xxhash.h hwloc.h hwloc CL scotch/scotch.h
  [ $starpu = built ] || { take_library starpu-1.3 && take_headers starpu; }
}

# A path of this machine must not stay, and programs that include StarPU's headers do not have the
# toolkit's.
settle_starpu() {
  strip --strip-unneeded "$all"/lib/libstarpu-1.3.so.*.*
  rm -rf "$all/bin" "$all/share" "$all/lib/starpu" "$all"/lib/*.la
  cp "$folder/src/COPYING.LGPL" "$all/licences/starpu-LGPL.txt"
  cp "$folder/src/debian/copyright" "$all/licences/starpu.txt"
  version=$(sed -n 's/^Version: //p' "$folder"/starpu_*.dsc | head -n 1)
  cat >>"$all/licences/LIST" <<TEXT
libstarpu-1.3            starpu $version, Debian's source with the changes that op2/test/gpu-archive.sh makes;
                         it contains libcudart_static of NVIDIA's toolkit, whose agreement permits that
TEXT
  sed -i -e 's,^prefix=.*,prefix=${pcfiledir}/../..,' -e "s,$all,\${prefix},g" \
    -e '/^Requires/d' -e '/^Libs.private/d' -e 's, -[IL]/[^ ]*,,g' "$all"/lib/pkgconfig/*.pc
  echo '#define STARPU_DONT_INCLUDE_CUDA_HEADERS 1' >>"$all/include/starpu/1.3/starpu_config.h"
  if grep -q -F -e "$folder" "$all"/lib/pkgconfig/*.pc; then die "a path of this machine has stayed"; fi
}

# All libraries that these need are packed, but the C library's, the compiler's and drivers of devices, and
# those must not be needed.
take_needed() {
  ldd "$all"/lib/*.so* >"$folder/needed"
  while read -r name _ file _; do
    case $name in
      *: | libc.* | libm.* | libdl.* | librt.* | libpthread.* | libgcc_s.* | libstdc++.*) continue ;;
      linux-vdso* | *ld-linux*) continue ;;
      libcu* | libnv*) die "it needs $name, which only machines with CUDA have" ;;
    esac
    [ -e "$file" ] || die "it needs $name, which is not here"
    [ ! -e "$all/lib/$name" ] || continue
    cp -L "$file" "$all/lib/$name"
    take_licence "$file"
  done <"$folder/needed"
}

pack() {
  tar -C "$folder" -czf "$folder/op2-gpu.tar.gz" op2-gpu
}

# foreign: prints what the programs need and neither the archive nor any node with a compiler has
foreign() {
  find "$all/op2/build-gpu" -type f -perm -u+x -exec ldd {} + 2>/dev/null | awk -v all="$all/" '
    /=>/ && index($3, all) != 1 && $1 !~ /^(libc|libm|libdl|librt|libpthread|libgcc_s|libgomp)\.so/ {
      print $1 }' | sort -u
}

# Programs find the library by its place relative to theirs.
take_programs() {
  "$all/op2/test/gpu.sh" build --results "$folder/building" >"$folder/building.log" 2>&1 ||
    die "the programs could not be built: $folder/building.log"
  (
    cd "$all/op2/build-gpu"
    rm -rf build.ninja .ninja* meson-* compile_commands.json
    find . -depth -name '*.p' -exec rm -rf {} +
    find . -type f ! -perm -u+x ! -name '*.so*' ! -name '*.h' -delete
    find . -type f -exec strip --strip-unneeded {} + 2>/dev/null || true
    find . -type d -empty -delete
  )
  needed=$(LD_LIBRARY_PATH=$all/lib foreign)
  [ -z "$needed" ] || die "the programs need" $needed
}

# ---- check of the packages ----

# In another folder than the one it was built in, programs compile and start with nothing but what is packed,
# StarPU with a CPU worker and without a device; its header and library agree on the sizes of structures.
try() {
  rm -rf "$folder/try"
  mkdir "$folder/try"
  tar -C "$folder/try" -xzf "$folder/op2-gpu.tar.gz"
  cd "$folder/try"
  cat >try.c <<'TEXT'
#include <CL/cl.h>
#include <stdio.h>
#include <scotch.h>
#include <starpu.h>
#include <string.h>
#include <xxhash.h>
static union { struct starpu_conf conf; unsigned char bytes[65536]; } room;
int main(void) {
  size_t size = sizeof room;
  SCOTCH_Graph graph;
  memset(&room, 0xA5, sizeof room);
  if (starpu_conf_init(&room.conf)) return 1;
  while (size > 0 && room.bytes[size - 1] == 0xA5) size--;
  if (size > sizeof(struct starpu_conf) || size + 16 < sizeof(struct starpu_conf)) return 2;
  room.conf.ncpus = 1;
  if (starpu_init(&room.conf)) return 3;
  printf("%u workers, room for %d\n", starpu_cpu_worker_get_count(), STARPU_NMAXWORKERS);
  starpu_shutdown();
  return SCOTCH_graphInit(&graph) || XXH64("", 0, 0) == 0 ? 4 : 0;
}
TEXT
  here=$folder/try/op2-gpu
  CPATH=$here/include:$here/include/starpu/1.3 LIBRARY_PATH=$here/lib ${CC:-cc} -DCL_TARGET_OPENCL_VERSION=120 \
    try.c -o try -lstarpu-1.3 -lhwloc -lscotch -lscotcherr -lxxhash
  LD_LIBRARY_PATH=$here/lib XDG_CACHE_HOME=$folder/try STARPU_NCUDA=0 ./try ||
    die "what was packed does not start (status $?)"
  LD_LIBRARY_PATH=$here/lib ldd ./try | grep -q "$here/lib/libhwloc" || die "its libraries are not used"
}

if [ $starpu = built ]; then
  fetch
  adapt
  make_shim
  build
  settle_starpu
fi
take_source
take_libraries
take_needed
[ $programs = no ] || take_programs
pack
try
size=$(stat -c %s "$folder/op2-gpu.tar.gz")
[ "$size" -le 60000000 ] || die "$size bytes are more than the 60 MB that are meant"
say "$size bytes in $folder/op2-gpu.tar.gz"
