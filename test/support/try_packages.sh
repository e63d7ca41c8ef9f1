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
[ "$(wc -l <../commands)" -ge 6 ]
while read -r command; do
  step "  $command"
  sh -e -c "$command" </dev/null >../log 2>&1 || { cat ../log; exit 1; }
done <../commands
tail -n 3 ../log
step "step 8 on one rank and on four: the same line"
mpirun -n 1 ./a.out channel.msh 0.1 one.pvd >../one 2>&1
mpirun -n 4 ./a.out channel.msh 0.1 four.pvd >../four 2>&1
tail -n 1 ../one ../four
[ -s one.pvd ] && [ -s four.pvd ]
step "a report and a timeline"
OP2_TRACE=$work/trace.json ./build/03-mesh >/dev/null
op2-trace "$work/trace.json" >/dev/null
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
