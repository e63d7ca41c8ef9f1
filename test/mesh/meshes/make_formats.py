# SPDX-License-Identifier: BSD-3-Clause
"""Makes files of other formats of the plane mesh in this folder: python3 make_formats.py, with the packages meshio, h5py and
netCDF4."""
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../../support"))
import mesh_netcdf  # noqa: E402
import mesh_vtu  # noqa: E402
import netCDF4  # noqa: E402
from mesh_compare import dice, meshio, of_mesh, shape  # noqa: E402


def plane():
    """The mesh, with one group of each cell, by its number."""
    read = meshio.read(os.path.join(here, "plane-4.msh"))
    groups = read.cell_data["gmsh:physical"]
    return meshio.Mesh(read.points, read.cells, cell_data={"gmsh:physical": groups})


def wanted(mesh):
    """What should be read, to which the writers add groups."""
    want = of_mesh(meshio.Mesh(mesh.points, mesh.cells))
    want.dimension = {block.type: shape(block.type)[1] for block in mesh.cells}
    want.tops = {kind: dimension == 2 for kind, dimension in want.dimension.items()}
    return want


os.chdir(here)
mesh_vtu.write("plane.vtu", plane(), "ascii", "UInt32", False, "LittleEndian", 1, None)
mesh_vtu.write("plane-b.vtu", plane(), "raw", "UInt64", True, "BigEndian", 3, None)
meshio.xdmf.write("plane.xdmf", plane(), data_format="XML")
meshio.xdmf.write("plane-h.xdmf", plane(), data_format="HDF", compression=None)
mesh_vtu.write("plane.pvtu", plane(), "binary", "UInt32", False, "LittleEndian", 3, None)
mesh_netcdf.write(netCDF4, "plane.e", "NETCDF3_CLASSIC", plane(), wanted(plane()), dice, 2)
