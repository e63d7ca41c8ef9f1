# SPDX-License-Identifier: BSD-3-Clause
"""Writes XDMF files as FEniCSx does: a grid for the mesh, and one for each array of marks."""

NAMES = {"tetra": "Tetrahedron", "triangle": "Triangle", "line": "PolyLine"}


def topology(heavy, name, path, block):
    """The element of a topology, whose numbers are in the file of HDF5."""
    heavy[path] = block.data
    n, nodes = block.data.shape
    return (f'<Topology TopologyType="{NAMES[block.type]}" NumberOfElements="{n}" NodesPerElement="{nodes}">\n'
            f'<DataItem Dimensions="{n} {nodes}" NumberType="Int" Format="HDF">{name}:{path}</DataItem>\n</Topology>\n')


def marked(heavy, name, what, block, marks):
    """A grid of marked elements over the nodes of the mesh."""
    heavy[f"/MeshTags/{what}/Values"] = marks
    return (f'<Grid Name="{what}" GridType="Uniform">\n'
            '<xi:include xpointer="xpointer(/Xdmf/Domain/Grid/Geometry)" />\n'
            + topology(heavy, name, f"/MeshTags/{what}/topology", block)
            + f'<Attribute Name="{what}" AttributeType="Scalar" Center="Cell">\n'
            f'<DataItem Dimensions="{len(marks)} 1" Format="HDF">{name}:/MeshTags/{what}/Values</DataItem>\n'
            "</Attribute>\n</Grid>\n")


def write_fenics(path, mesh, marks, h5py):
    """A mesh of two blocks, cells and facets, with the marks of both."""
    name = path.split("/")[-1][:-5] + ".h5"
    cells, facets = mesh.cells
    with h5py.File(path[:-5] + ".h5", "w") as heavy:
        heavy["/Mesh/mesh/geometry"] = mesh.points
        n = len(mesh.points)
        text = ('<?xml version="1.0"?>\n<!DOCTYPE Xdmf SYSTEM "Xdmf.dtd" []>\n'
                '<Xdmf Version="3.0" xmlns:xi="https://www.w3.org/2001/XInclude">\n<Domain>\n'
                '<Grid Name="mesh" GridType="Uniform">\n' + topology(heavy, name, "/Mesh/mesh/topology", cells)
                + '<Geometry GeometryType="XYZ">\n'
                f'<DataItem Dimensions="{n} 3" Format="HDF">{name}:/Mesh/mesh/geometry</DataItem>\n</Geometry>\n</Grid>\n'
                + marked(heavy, name, "facet_tags", facets, marks[0]) + marked(heavy, name, "cell_tags", cells, marks[1]))
        heavy["/Function/f/0"] = mesh.points[:, 0]
        text += ('<Grid Name="f" GridType="Collection" CollectionType="Temporal">\n<Grid Name="f" GridType="Uniform">\n'
                 """<xi:include xpointer="xpointer(/Xdmf/Domain/Grid[@GridType='Uniform'][1]/*)" />\n<Time Value="0" />\n"""
                 f'<Attribute Name="f" AttributeType="Scalar" Center="Node">\n<DataItem Dimensions="{n} 1" Format="HDF">'
                 f"{name}:/Function/f/0</DataItem>\n</Attribute>\n</Grid>\n</Grid>\n</Domain>\n</Xdmf>\n")
    with open(path, "w") as out:
        out.write(text)


def renamed(want):
    """Groups by the marks themselves, of which 0 is one: of_mesh() was given numbers from 1."""
    lower = {str(k + 1): str(k) for k in range(20)}
    want.sizes = {(lower[name], dimension): n for (name, dimension), n in want.sizes.items()}
    want.nodes = {lower[name]: nodes for name, nodes in want.nodes.items()}
    want.members = {lower[name]: cells for name, cells in want.members.items()}
    return want
