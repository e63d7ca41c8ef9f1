# SPDX-License-Identifier: BSD-3-Clause
"""What VTK and meshio read of a file of shallow_water: exits with 77 if one of them is not there.

vtu_readers.py MESH VTU: the mesh is of triangles in Gmsh's format."""
import sys

try:
    import meshio
    import numpy
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError as missing:
    print(missing)
    sys.exit(77)

mesh = meshio.read(sys.argv[1])
triangles = numpy.vstack([block.data for block in mesh.cells if block.type == "triangle"])
ours = meshio.read(sys.argv[2])
reader = vtk.vtkXMLUnstructuredGridReader()
reader.SetFileName(sys.argv[2])
reader.Update()
grid = reader.GetOutput()
cells = grid.GetCellData()
checks = {
    "meshio has the triangles": numpy.array_equal(triangles, ours.cells[0].data),
    "meshio has the points": numpy.array_equal(mesh.points, ours.points),
    "VTK has as many cells": grid.GetNumberOfCells() == len(triangles),
    "VTK has the values that meshio has": numpy.array_equal(
        vtk_to_numpy(cells.GetArray("depth")), ours.cell_data["depth"][0].ravel()),
    "VTK has vectors of three": cells.GetArray("velocity").GetNumberOfComponents() == 3,
}
for name, good in checks.items():
    print(name if good else "not so: " + name)
sys.exit(not all(checks.values()))
