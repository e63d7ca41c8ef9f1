#%Module1.0
# SPDX-License-Identifier: BSD-3-Clause
# Module file for Environment Modules: MODULEPATH/op2/1.0.0, with the prefix of the installation for
# `prefix`. doc/clusters.md says how variants for several MPIs are kept apart.
set prefix /opt/op2/1.0.0

proc ModulesHelp {} {
    puts stderr "op2 1.0.0: lazily evaluated parallel loops over unstructured meshes."
    puts stderr "Programs are built with the flags of pkg-config op2 (op2-mpi, op2-hdf5, op2-petsc,"
    puts stderr "op2-meshfile), or by CMake's find_package(op2 1.0). A C compiler is needed when they run,"
    puts stderr "unless OP2_CACHE_DIR has their loops."
}
module-whatis "op2 1.0.0: lazily evaluated parallel loops over unstructured meshes"

conflict op2

prepend-path PATH              $prefix/bin
prepend-path LD_LIBRARY_PATH   $prefix/lib
prepend-path LIBRARY_PATH      $prefix/lib
prepend-path CPATH             $prefix/include
prepend-path PKG_CONFIG_PATH   $prefix/lib/pkgconfig
prepend-path CMAKE_PREFIX_PATH $prefix
prepend-path MANPATH           $prefix/share/man
prepend-path XDG_DATA_DIRS     $prefix/share
