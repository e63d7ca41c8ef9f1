# SPDX-License-Identifier: BSD-3-Clause
"""Makes files of other formats of the plane mesh in this folder: python3 make_formats.py, with the packages meshio and h5py."""
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../../support"))
import mesh_vtu  # noqa: E402
from mesh_compare import meshio  # noqa: E402


def plane():
    """The mesh, with one group of each cell, by its number."""
    read = meshio.read(os.path.join(here, "plane-4.msh"))
    groups = read.cell_data["gmsh:physical"]
    return meshio.Mesh(read.points, read.cells, cell_data={"gmsh:physical": groups})


os.chdir(here)
mesh_vtu.write("plane.vtu", plane(), "ascii", "UInt32", False, "LittleEndian", 1, None)
mesh_vtu.write("plane-b.vtu", plane(), "raw", "UInt64", True, "BigEndian", 3, None)
meshio.xdmf.write("plane.xdmf", plane(), data_format="XML")
meshio.xdmf.write("plane-h.xdmf", plane(), data_format="HDF", compression=None)
mesh_vtu.write("plane.pvtu", plane(), "binary", "UInt32", False, "LittleEndian", 3, None)
