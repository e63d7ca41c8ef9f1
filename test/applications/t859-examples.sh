#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The programs of examples/ that are no step of the tutorial print what they should, on several backends
# and numbers of ranks; and each folder, as it is installed, is built by CMake and by Meson (three of them
# unless OP2_TEST_FULL=1).
set -u
. "$(dirname "$0")/../support/tap.sh"

examples=$src/examples
folders() { (cd "$examples" && ls -d */ | tr -d /); }
runs "there are at least 14" test "$(folders | wc -l)" -ge 14
if [ -z "$build" ] || [ ! -x "$build/examples/poisson" ]; then
  skip "this build has no examples"
  done_testing
fi
mesh=$examples/channel.msh
unset OP2_VERIFY

# prints PATTERN COMMAND...: succeeds if a line of what the command prints matches as a whole
prints() {
  pattern=$1
  shift
  (cd "$tmp" && "$@") >"$tmp/printed" 2>"$tmp/err"
  status=$?
  [ $status -eq 0 ] && grep -q -x -e "$pattern" "$tmp/printed" && return
  cat "$tmp/printed" "$tmp/err"
  return 1
}
absent() { # NAME REASON: says that this build lacks an example
  [ ! -x "$build/examples/$1" ] && skip "$1: $2"
}

for backend in sequential openmp check; do
  export OP2_BACKEND=$backend
  runs "poisson, $backend: the error is that of linear elements" \
    prints 'solved, the largest error is [1-9]\.[0-9]e-03' "$build/examples/poisson" "$mesh" "$tmp/poisson.vtu"
  runs "poisson, $backend: the file is written" grep -q '<VTKFile type="UnstructuredGrid"' "$tmp/poisson.vtu"
  rm -f "$tmp/poisson.vtu"
  runs "subsets, $backend" prints 'all: 1497, cold: 0' "$build/examples/subsets" "$tmp/subsets.dot"
  absent heat "there is no C++ compiler" ||
    runs "heat, $backend" prints 'the hottest node has 0\.[0-9]*, and the heat is the same' "$build/examples/heat" 200
  absent ring "there is no Fortran" ||
    runs "ring, $backend" prints 'heat 50\.000, the hottest node has 0\.[0-9]*' "$build/examples/ring"
done
runs "subsets: sizes" prints '500 hot, 499 loose, 500 cold' "$build/examples/subsets" "$tmp/subsets.dot"
runs "subsets: the graph has its loops" grep -q 'warm' "$tmp/subsets.dot"
if command -v dot >/dev/null 2>&1; then
  runs "and is one of Graphviz" dot -Tsvg -o "$tmp/subsets.svg" "$tmp/subsets.dot"
else
  skip "there is no Graphviz to draw the graph"
fi

# The heat of a rod that ends are insulated from goes to its mean.
if [ -x "$build/examples/heat" ]; then
  runs "heat: more steps are cooler" sh -c "
    a=\$('$build/examples/heat' 100 | awk '{ print \$5 + 0 }')
    b=\$('$build/examples/heat' 4000 | awk '{ print \$5 + 0 }')
    awk -v a=\"\$a\" -v b=\"\$b\" 'BEGIN { exit !(a > b && b > 0.6) }'"
fi

export OP2_BACKEND=openmp OP2_THREADS=2
sections() { OP2_TRACE=$tmp/trace.json "$build/examples/sections" 1000 20; }
runs "sections" prints '20 steps, |q|^2 = 5\.0.*e+02' sections
for line in '^section  *begun' '^step ' '^norm ' '^total ' '^programs: ' "^loops:"; do
  runs "sections: a line with $line" grep -q -e "$line" "$tmp/printed"
done
runs "sections: the timeline is JSON" python3 -c "import json, sys; json.load(open(sys.argv[1]))" "$tmp/trace.json"
runs "and has the sections" grep -q '"name": *"step"' "$tmp/trace.json"

if absent files-ranks "this build has no MPI, or no HDF5 with it"; then
  :
else
  program=$build/examples/files-ranks
  kind=openmpi
  ! ldd "$program" | grep -q libmpich || kind=mpich
  export OP2_THREADS=1 OP2_BACKEND=sequential
  for ranks in 1 3; do
    sh "$src/test/mpirun.sh" $kind 120 $ranks true >/dev/null 2>&1
    [ $? -ne 77 ] || { skip "there is no mpirun"; continue; }
    runs "files-ranks on $ranks ranks" prints 'weighted sum [0-9.]*' \
      sh "$src/test/mpirun.sh" $kind 120 $ranks "$program" "$tmp/ring.h5"
    mv "$tmp/printed" "$tmp/ranks-$ranks"
    mv "$tmp/smooth.h5" "$tmp/smooth-$ranks.h5"
  done
  if [ -e "$tmp/ranks-3" ]; then
    runs "the sum does not depend on the ranks" cmp "$tmp/ranks-1" "$tmp/ranks-3"
    if command -v h5diff >/dev/null 2>&1; then
      runs "nor does the file" h5diff "$tmp/smooth-1.h5" "$tmp/smooth-3.h5"
    else
      skip "there is no h5diff to compare files"
    fi
  fi
fi

# ---- as a user's copies ----

needs_library libop2.so
stage=$tmp/stage
runs "meson install" meson install -C "$build" --no-rebuild --quiet --destdir "$stage"
installed=$(find "$stage" -type d -path '*/op2/examples')
lib=$(dirname "$(find "$stage" -name op2.pc)")
PKG_CONFIG_PATH=$lib
CMAKE_PREFIX_PATH=$(dirname "$(dirname "$lib")")
LD_LIBRARY_PATH=$(dirname "$lib")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PKG_CONFIG_PATH CMAKE_PREFIX_PATH LD_LIBRARY_PATH
missing() { # prints files of the examples that are not installed, and the other way round
  (cd "$examples" && find . -type f ! -path ./meson.build | sort) >"$tmp/have"
  (cd "$installed" && find . -type f | sort) | diff "$tmp/have" -
}
clean "all of them are installed" missing
some='poisson heat ring'
[ "${OP2_TEST_FULL:-0}" != 1 ] || some=$(folders)
by_cmake() {
  (cd "$installed/$1" && cmake -B build -Wno-dev && cmake --build build && [ -x "build/$1" ])
}
by_meson() {
  (cd "$installed/$1" && meson setup build-meson && ninja -C build-meson && [ -x "build-meson/$1" ])
}
for example in $some; do
  [ -x "$build/examples/$example" ] || continue
  if command -v cmake >/dev/null 2>&1; then
    runs "$example is built by its CMakeLists.txt" by_cmake "$example"
  else
    skip "$example: there is no cmake"
  fi
  runs "$example is built by its meson.build" by_meson "$example"
done
runs "a copy runs" prints 'solved, .*' "$installed/poisson/build-meson/poisson" "$installed/channel.msh"

done_testing
