# SPDX-License-Identifier: BSD-3-Clause
"""Recipe for Spack: packages/op2/package.py of a repository of recipes. It has not been built; a test
compares its dependencies, options and version with those of the sources."""
from spack.package import *


class Op2(MesonPackage):
    """Lazily evaluated parallel loops over unstructured meshes, with code that is generated and compiled
    at run time, through StarPU, OpenMP, CUDA, HIP or OpenCL, over ranks of MPI."""

    # Sources are taken from a checkout: spack dev-build op2@1.0.0, in its folder.
    license("BSD-3-Clause")

    version("1.0.0")

    variant("starpu", default=True, description="Dispatch through StarPU")
    variant("hwloc", default=True, description="Cores and cache sizes from hwloc")
    variant("openmp", default=True, description="The openmp backend")
    variant("scotch", default=True, description="Renumbering of meshes")
    variant("mpi", default=True, description="Contexts of several ranks over MPI")
    variant("hdf5", default=True, description="Meshes and values in HDF5 files")
    variant("petsc", default=False, description="Matrices as those of PETSc, and its solvers", when="+mpi")
    variant("zlib", default=True, description="Compressed results")
    variant("libdeflate", default=True, description="Faster compression of results")
    variant("expat", default=True, description="Meshes in XML files of VTK")
    variant("fortran", default=True, description="The module op2 for programs in Fortran")
    variant("opencl", default=False, description="The opencl backend")
    variant("compat", default=True, description="The interfaces of OP2 for C++ and Fortran")

    # A C compiler is needed at run time, too.
    depends_on("c", type=("build", "run"))
    depends_on("cxx", type="build", when="+compat")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("meson@1.0:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type=("build", "run"))
    depends_on("xxhash")
    depends_on("starpu@1.3", when="+starpu")
    depends_on("hwloc@2:", when="+hwloc")
    depends_on("scotch@7:+mpi", when="+scotch+mpi")
    depends_on("scotch@7:~mpi", when="+scotch~mpi")
    depends_on("mpi", when="+mpi")
    depends_on("hdf5+mpi", when="+hdf5+mpi")
    depends_on("hdf5~mpi", when="+hdf5~mpi")
    depends_on("petsc@3.18:+mpi+double~complex", when="+petsc")
    depends_on("zlib-api", when="+zlib")
    depends_on("libdeflate", when="+libdeflate")
    depends_on("expat", when="+expat")
    depends_on("opencl-c-headers", type="build", when="+opencl")

    def meson_args(self):
        features = ["starpu", "hwloc", "openmp", "scotch", "mpi", "hdf5", "petsc", "zlib", "libdeflate", "expat", "fortran", "opencl"]
        args = ["-Dtests=false", "-Dbench=false", "-Dverify=false", "-Dpython=disabled", "-Dpng=disabled", "-Ddocs=disabled"]
        for feature in features:
            state = "enabled" if self.spec.satisfies("+" + feature) else "disabled"
            args.append("-D{0}={1}".format(feature, state))
        args.append("-Dcompat={0}".format("true" if self.spec.satisfies("+compat") else "false"))
        return args
