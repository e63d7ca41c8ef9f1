#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Recipes of packaging/ for Spack, EasyBuild, conda, Docker, Apptainer, module systems and Meson agree
# with the sources: options and their values, dependencies, versions. None is built. With
# OP2_TEST_BARE=1, as in test/run.sh --long, EasyBuild's own dry run (PyPI) finds what its recipe needs.
set -u
. "$(dirname "$0")/../support/tap.sh"

python=
for try in python3 /usr/bin/python3; do
  [ -n "$python" ] || ! "$try" -c 'import yaml' 2>/dev/null || python=$try
done
if [ -z "$python" ]; then
  skip "python3-yaml is not installed: recipes are not compared"
  done_testing
fi
recipes() { "$python" "$src/test/support/recipes.py" "$1"; }
clean "the recipes agree with the sources" recipes "$src"

# plants NAME PATTERN FILE SCRIPT: checks that a change of a file, by sed, is found
plants() {
  rm -rf "$tmp/planted"
  mkdir -p "$tmp/planted/include/op2" "$tmp/planted/test"
  cp -R "$src/packaging" "$src/meson.build" "$src/meson_options.txt" "$src/LICENSE" "$tmp/planted"
  cp "$src/include/op2/version.h" "$tmp/planted/include/op2"
  cp "$src/test/deps.sh" "$tmp/planted/test"
  sed -i "$4" "$tmp/planted/$3"
  catches "$1" "$2" recipes "$tmp/planted"
}
spack=packaging/spack/package.py
conda=packaging/conda/meta.yaml
easybuild=packaging/easybuild/op2-1.0.0-foss-2023a.eb
plants "an option that is gone" 'variant zlib is no option' meson_options.txt "/^option('zlib'/d"
plants "an option that is new" 'debian: option glue is not decided' meson_options.txt \
  "\$a option('glue', type: 'feature', value: 'auto', description: 'Glue')"
plants "a value that an option cannot have" 'easybuild: option fortran cannot be true' $easybuild \
  's/-Dfortran=enabled/-Dfortran=true/'
plants "another version of the sources" 'spack: versions .* and not 1.9.0' include/op2/version.h \
  's/VERSION_MINOR 0/VERSION_MINOR 9/'
plants "a later least version" 'conda: libhwloc 2 is not the least version' meson.build \
  "s/'least': '>= 2.0'/'least': '>= 2.9'/"
plants "another least version" 'spack: petsc 3.20 is not the least version' $spack 's/petsc@3.18/petsc@3.20/'
plants "a dependency that is none" 'spack: nothing of the build is called boost' $spack \
  's/depends_on("xxhash")/depends_on("boost")/'
plants "a variant that is none" 'depends on variant cuda' $spack 's/when="+petsc"/when="+cuda"/'
plants "a dependency of conda's that is none" 'conda: nothing of the build is called eigen' $conda \
  's/- scotch >=7/- eigen/'
plants "a recipe of another name" 'is not that of its contents' $easybuild "s/'2023a'/'2024a'/"
plants "module files that differ" 'the module files differ' packaging/modulefiles/op2.tcl '/MANPATH/d'
plants "a word that Docker does not know" 'Dockerfile: RUM' packaging/docker/Dockerfile 's/^RUN apt/RUM apt/'
plants "a wrap of a library that is none" 'does not provide op2-vtk' packaging/meson/op2.wrap \
  's/op2-meshfile/op2-vtk/'
rm -rf "$tmp/planted"

# A program of Meson takes the sources by the wrap, where no library is installed.
if ! git -C "$src" rev-parse --git-dir >/dev/null 2>&1; then
  skip "this is no clone: the wrap is not tried"
elif [ "${OP2_TEST_BARE:-0}" != 1 ]; then
  skip "the wrap is not tried: OP2_TEST_BARE=1 is not set (test/run.sh --long sets it)"
else
  mkdir -p "$tmp/user/subprojects"
  sed "s|^url = .*|url = file://$src|" "$src/packaging/meson/op2.wrap" >"$tmp/user/subprojects/op2.wrap"
  printf '%s\n' "project('user', 'c')" "dependency('op2-meshfile')" >"$tmp/user/meson.build"
  runs "Meson takes the library by its wrap" env PKG_CONFIG_PATH= \
    meson setup "$tmp/user/build" "$tmp/user" --wrap-mode forcefallback
fi

if [ "${OP2_TEST_BARE:-0}" != 1 ]; then
  skip "EasyBuild does not try its recipe: OP2_TEST_BARE=1 is not set (test/run.sh --long sets it)"
  done_testing
fi
if ! python3 -m venv "$tmp/eb" >"$tmp/log" 2>&1 ||
  ! "$tmp/eb/bin/pip" -q install 'easybuild<5' setuptools >"$tmp/log" 2>&1; then
  skip "EasyBuild cannot be had: $(tail -n 1 "$tmp/log")"
  done_testing
fi
# A dry run asks a system of modules what there is: there is nothing.
modules=$(ls /usr/lib/*/modulecmd.tcl /usr/share/modules/libexec/modulecmd.tcl 2>/dev/null | head -n 1)
if [ -z "$modules" ]; then
  skip "EasyBuild needs a system of modules (package environment-modules)"
  done_testing
fi
mkdir -p "$tmp/modules/libexec" "$tmp/run"
ln -s "$modules" "$tmp/modules/libexec/modulecmd.tcl"
as_root=
[ "$(id -u)" != 0 ] || as_root=--allow-use-as-root-and-accept-consequences
# shellcheck disable=SC2086 # a word or none
(cd "$tmp/run" && env MODULESHOME="$tmp/modules" PATH="$tmp/eb/bin:$PATH" EASYBUILD_PREFIX="$tmp/prefix" \
  EASYBUILD_MODULES_TOOL=EnvironmentModules EASYBUILD_MODULE_SYNTAX=Tcl \
  eb $as_root --dry-run "$src/$easybuild") >"$tmp/log" 2>&1
result $? "EasyBuild's dry run"
diag "$(grep -c '^ \* \[' "$tmp/log") recipes are needed"
runs "it would make the module op2/1.0.0-foss-2023a" grep -q '(module: op2/1.0.0-foss-2023a)' "$tmp/log"
runs "of what its recipe names" grep -q '(module: PETSc/3.20.3-foss-2023a)' "$tmp/log"

done_testing
