#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Install Debian packages of op2 on a bare Debian, and try what pages say there.
#   test/support/try_packages.sh PACKAGES.tar
# It runs as root, in the top folder of the sources, on a machine that may be spoilt (test/chroot.sh).
# Each step is printed with a + before it; the last line is "all steps have ended well".
set -eu

case ${1:-} in
  -h | --help) awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;;
  '') echo "try_packages: which packages?" >&2; exit 1 ;;
esac
top=$(pwd)
work=$(mktemp -d)
export DEBIAN_FRONTEND=noninteractive
# Ranks of Open MPI are started by root, and are more than there are cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none HWLOC_HIDE_ERRORS=2

step() { echo "+ $*"; }
install() { apt-get -q -y install --no-install-recommends "$@" >"$work/apt" 2>&1 || { cat "$work/apt"; exit 1; }; }
right() { [ "$("$@")" = "101 11 110" ] || { echo "$* is wrong"; exit 1; }; } # COMMAND...

step "install the packages"
mkdir "$work/packages"
tar -x -C "$work/packages" -f "$1"
apt-get -q update >/dev/null
# The library's users have a compiler; --no-install-recommends leaves it out.
install "$work"/packages/*.deb gcc g++ libc6-dev pkg-config cmake make meson openmpi-bin
install gmsh python3-meshio

cd "$work"
step "README's program, as README compiles it"
awk '/^```$/ && inside { exit } inside { print } /^```c$/ { inside = 1 }' "$top/README.md" >program.c
sed -n 's/^    \(cc program\.c .*\)/\1/p' "$top/README.md" >compile
[ -s compile ]
sh -e compile
right ./a.out
step "the same with warnings, in C and C++, and by Meson"
cp program.c program.cc
# shellcheck disable=SC2046 # words
c++ -Wall -Wextra -Werror -std=c++17 program.cc -o in-cxx $(pkg-config --cflags --libs op2)
right ./in-cxx
mkdir by-meson
cp program.c by-meson
cat >by-meson/meson.build <<'END_MESON'
project('user', 'c', default_options: ['werror=true', 'warning_level=2'])
executable('program', 'program.c', dependencies: dependency('op2', version: '>= 1.0'))
END_MESON
(cd by-meson && meson setup build && ninja -C build) >log 2>&1 || { cat log; exit 1; }
right by-meson/build/program

step "each command of the tutorial, as printed, on the installed examples"
cp -R /usr/share/doc/op2/examples tutorial
cd tutorial
sed -n 's/^    \(\(cmake\|cd build\|cc\|mpirun\) .*\)/\1/p' /usr/share/doc/op2/doc/tutorial.md >../commands
[ "$(wc -l <../commands)" -ge 5 ]
while read -r command; do
  step "  $command"
  sh -e -c "$command" </dev/null >../log 2>&1 || { cat ../log; exit 1; }
done <../commands
tail -n 3 ../log
step "step 8 by Meson and by CMake in its own folder"
cd 08-ranks
(meson setup by-meson && ninja -C by-meson && cmake -B by-cmake && cmake --build by-cmake) >../../log 2>&1 ||
  { cat ../../log; exit 1; }
cd ..
step "on a mesh that gmsh makes, on one rank and on four, the three programs print one line"
cat >made.geo <<'END_GEO'
Point(1) = {0, 0, 0, 0.06}; Point(2) = {2, 0, 0, 0.06}; Point(3) = {2, 1, 0, 0.06}; Point(4) = {0, 1, 0, 0.06};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
Physical Curve("walls") = {1, 3}; Physical Curve("outlet") = {2}; Physical Curve("inlet") = {4};
Physical Surface("water") = {1};
END_GEO
gmsh -v 2 -2 -format msh41 made.geo -o made.msh >../log 2>&1 || { cat ../log; exit 1; }
: >../lines
for program in ./a.out 08-ranks/by-meson/08-ranks 08-ranks/by-cmake/08-ranks; do
  for ranks in 1 4; do
    mpirun -n $ranks $program made.msh 0.1 made-$ranks.pvd >../log 2>&1 || { cat ../log; exit 1; }
    grep '^volume' ../log >>../lines
  done
done
sort -u ../lines
[ "$(wc -l <../lines)" -eq 6 ] && [ "$(sort -u ../lines | wc -l)" -eq 1 ]
step "its picture is read by meshio, from one rank and from four"
cat >read.py <<'END_PYTHON'
import glob
import meshio

def cells(pattern):
    files = sorted(glob.glob(pattern))
    assert files, pattern
    meshes = [meshio.read(file) for file in files]
    names = {name for mesh in meshes for name in mesh.cell_data}
    assert names, pattern
    return sum(len(block.data) for mesh in meshes for block in mesh.cells), names

one, four = cells("made-1-*[0-9].vtu"), cells("made-4-*-r*.vtu")
print(one, four)
assert one == four and one[0] > 500
END_PYTHON
python3 read.py
step "a report and a timeline, of step 8 on two ranks"
OP2_REPORT=1 OP2_TRACE=$work/trace.json mpirun -n 2 ./a.out made.msh 0.02 seen.pvd >../log 2>&1
grep -q 'GB/s' ../log || { cat ../log; exit 1; }
op2-trace "$work"/trace*.json >../log
grep -q 'critical path' ../log || { cat ../log; exit 1; }
cd ..

step "tools"
op2-info >info
grep -q '^op2 1\.' info
grep -q '^  starpu  *can be used' info
for tool in op2-info op2-cache op2-precompile op2-trace op2-c++; do "$tool" --help >/dev/null; done
op2-cache list >/dev/null

# block LANGUAGE PAGE: prints the first program of a page
block() {
  awk -v language="$1" '/^```/ && inside { exit } inside { print } $0 == "```" language { inside = 1 }' "$2"
}
step "the program of doc/python.md"
block python "$top/doc/python.md" >program.py
python3 program.py >printed
cat printed
[ "$(tr -dc '0-9 \n' <printed | tr -s ' ')" = "101 11 110" ]
step "the program of doc/fortran.md"
block fortran "$top/doc/fortran.md" >program.f90
# shellcheck disable=SC2046 # words
gfortran program.f90 -o in-fortran $(pkg-config --cflags --libs op2-fortran)
./in-fortran >printed
cat printed
grep -q '101\.0.* 11\.0.* 110\.0' printed

step "nothing is left when the packages are removed"
apt-get -q -y purge '?installed ?name(op2)' >"$work/apt" 2>&1 || { cat "$work/apt"; exit 1; }
left=$(find /usr /etc /var/lib -path "*/op2*" -o -name 'libop2*' | grep -v -e /var/lib/dpkg -e /usr/share/python3 || true)
[ -z "$left" ] || { echo "left: $left"; exit 1; }
cd "$top"
rm -rf "$work"
echo "all steps have ended well"
