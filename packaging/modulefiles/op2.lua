-- SPDX-License-Identifier: BSD-3-Clause
-- Module file for Lmod: MODULEPATH/op2/1.0.0.lua, with the prefix of the installation for `prefix`.
-- doc/clusters.md says how variants for several MPIs are kept apart.
local prefix = "/opt/op2/1.0.0"

help([[op2 1.0.0: lazily evaluated parallel loops over unstructured meshes.
Programs are built with the flags of pkg-config op2 (op2-mpi, op2-hdf5, op2-petsc, op2-meshfile), or by
CMake's find_package(op2 1.0). A C compiler is needed when they run, unless OP2_CACHE_DIR has their loops.]])
whatis("Name: op2")
whatis("Version: 1.0.0")
whatis("Category: library")
whatis("Description: Lazily evaluated parallel loops over unstructured meshes")

conflict("op2")

prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("LD_LIBRARY_PATH", pathJoin(prefix, "lib"))
prepend_path("LIBRARY_PATH", pathJoin(prefix, "lib"))
prepend_path("CPATH", pathJoin(prefix, "include"))
prepend_path("PKG_CONFIG_PATH", pathJoin(prefix, "lib", "pkgconfig"))
prepend_path("CMAKE_PREFIX_PATH", prefix)
prepend_path("MANPATH", pathJoin(prefix, "share", "man"))
prepend_path("XDG_DATA_DIRS", pathJoin(prefix, "share"))
