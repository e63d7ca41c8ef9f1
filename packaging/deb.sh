#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Build Debian packages from this source tree, uncommitted changes included.
#   packaging/deb.sh [--source | --symbols] [--lintian] [OUT]
# They go into the folder OUT (the present one), with their source package. --source packs the source
# only, --symbols writes the packages' lists of symbols only. --lintian also runs lintian, and fails if
# it finds anything but what an upload into Debian's archive would need. What is needed for a
# build is in packaging/debian/control: mk-build-deps of devscripts installs it, or
#   apt-get install debhelper chrpath dh-python && test/deps.sh build mpi hdf5 petsc opencl fortran python
set -eu

say() { echo "deb: $*" >&2; }
die() { say "$*"; exit 1; }

root=$(cd "$(dirname "$0")/.." && pwd)
lintian=no
binary=yes
symbols=no
out=.
for arg; do
  case $arg in
    -h | --help) awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;;
    --lintian) lintian=yes ;;
    --source) binary=no ;;
    --symbols) symbols=yes ;;
    -*) die "unknown option $arg (--help lists them)" ;;
    *) out=$arg ;;
  esac
done
version=$(awk '/define OP2_VERSION_M|define OP2_VERSION_P/ { printf "%s%s", dot, $3; dot = "." }' \
  "$root/include/op2/version.h")
grep -q "^op2 ($version-" "$root/packaging/debian/changelog" ||
  die "packaging/debian/changelog does not begin with version $version"
mkdir -p "$out"
out=$(cd "$out" && pwd)

# list LIBRARY PACKAGE DEVELOPMENT SYMBOL...: appends to a package's list in $folder the symbols of a
# library: those that are given, and what doc/abi has. Each came with the version of its node.
list() {
  library=$1 package=$2 development=$3
  shift 3
  {
    echo "lib$library.so.${version%%.*} $package #MINVER#"
    echo "* Build-Depends-Package: $development"
    for symbol; do echo " $symbol 1.0.0"; done
    sed -n "s/^library lib$library.so: \([^ ]*\), OP2_\(.*\)/ \1@OP2_\2 \2.0/p" \
      "$root"/doc/abi/*.txt | sort -u
  } >>"$folder/$package.symbols"
}
# all_symbols DIR: writes the lists of all packages into a folder
all_symbols() {
  folder=$1
  rm -f "$folder"/*.symbols
  node=OP2_1.0@OP2_1.0
  # The tables for companions belong to one build, and so do their packages.
  list op2 libop2-1 libop2-dev $node OP2_PRIVATE@OP2_PRIVATE op2i_companion@OP2_PRIVATE
  list op2-meshfile libop2-meshfile1 libop2-dev $node
  list op2-mpi libop2-mpi1 libop2-mpi-dev $node
  list op2-hdf5 libop2-hdf5-1 libop2-mpi-dev $node OP2_PRIVATE@OP2_PRIVATE op2i_hdf5_tree@OP2_PRIVATE
  list op2-petsc libop2-petsc1 libop2-petsc-dev $node
  for library in op2-compat op2-compat-hdf5 op2-compat-mpi; do
    list $library libop2-compat1 libop2-compat-dev $node
  done
  # What a Fortran compiler makes of modules has no list: the version of the node stands for all.
  node='(symver)OP2_1.0'
  list op2-fortran libop2-fortran1 libop2-fortran-dev "$node"
  list op2-hdf5-fortran libop2-hdf5-fortran1 libop2-fortran-dev "$node"
  list op2-mpi-fortran libop2-mpi-fortran1 libop2-fortran-dev "$node"
  list op2-compat-fortran libop2-compat1 libop2-compat-dev "$node"
  list op2-compat-hdf5-fortran libop2-compat1 libop2-compat-dev "$node"
}

if [ $symbols = yes ]; then
  all_symbols "$out"
  exit 0
fi
for tool in dpkg-buildpackage dh; do
  command -v $tool >/dev/null 2>&1 || die "$tool is missing: apt-get install dpkg-dev debhelper"
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# ---- the source package ----

tree=$tmp/op2-$version
mkdir "$tree"
if git -C "$root" rev-parse --git-dir >/dev/null 2>&1; then
  (cd "$root" && git ls-files -z --cached --others --exclude-standard |
    tar -c --null --files-from=- --ignore-failed-read) | tar -x -C "$tree"
else
  (cd "$root" && tar -c --exclude='./build*' --exclude='*.o' .) | tar -x -C "$tree"
fi
rm -rf "$tree/packaging/debian"
tar -c -C "$tmp" --owner=0 --group=0 --sort=name "op2-$version" | xz -1 >"$tmp/op2_$version.orig.tar.xz"
cp -R "$root/packaging/debian" "$tree/debian"
all_symbols "$tree/debian"

# ---- the packages ----

(cd "$tree" && if [ $binary = yes ]; then
  dpkg-buildpackage -us -uc
else
  dpkg-buildpackage -us -uc -S -d -nc
fi) >&2
find "$tmp" -maxdepth 1 -type f -exec cp {} "$out" \;
say "in $out: $(cd "$tmp" && find . -maxdepth 1 -type f | sed 's|^\./||' | sort | tr '\n' ' ')"
if [ $lintian = yes ]; then
  # A number of a bug that asks for the package, a page of its own and a place to watch for releases
  # are what Debian's archive wants.
  archive=initial-upload-closes-no-bugs,no-homepage-field,debian-watch-file-is-missing
  lintian --fail-on none -i --pedantic --display-info --tag-display-limit 0 --allow-root \
    --suppress-tags "$archive" "$tmp"/*.changes >"$tmp/lintian" || die "lintian failed"
  cat "$tmp/lintian"
  ! grep -q '^[A-Z]: ' "$tmp/lintian" || die "lintian has found something"
  say "lintian has found nothing"
fi
