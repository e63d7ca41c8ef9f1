# SPDX-License-Identifier: BSD-3-Clause
"""Makes the mesh files of this folder with Gmsh: python3 make.py, with the package gmsh."""
import glob

import gmsh


def save(name):
    """The mesh in all formats of Gmsh that are read."""
    for version, suffix in ((2.2, "2"), (4.1, "4")):
        for binary in (0, 1):
            gmsh.option.setNumber("Mesh.MshFileVersion", version)
            gmsh.option.setNumber("Mesh.Binary", binary)
            gmsh.write(f"{name}-{suffix}{'b' if binary else ''}.msh")


def scatter():
    """Numbers of nodes and elements that are neither contiguous nor ascending."""
    tags = gmsh.model.mesh.getNodes()[0]
    gmsh.model.mesh.renumberNodes(list(tags), [1000 * ((7 * int(t)) % 101) + int(t) for t in tags])


def plane():
    """Two squares side by side, [0, 2] x [0, 1], of triangles and of quadrilaterals."""
    gmsh.model.add("plane")
    geo = gmsh.model.geo
    p = [geo.addPoint(x, y, 0) for x, y in ((0, 0), (1, 0), (2, 0), (2, 1), (1, 1), (0, 1))]
    l = [geo.addLine(p[a], p[b]) for a, b in ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (1, 4))]
    left = geo.addPlaneSurface([geo.addCurveLoop([l[0], l[6], l[4], l[5]])])
    right = geo.addPlaneSurface([geo.addCurveLoop([l[1], l[2], l[3], -l[6]])])
    for line in l:
        geo.mesh.setTransfiniteCurve(line, 4)
    geo.mesh.setTransfiniteSurface(right)
    geo.mesh.setRecombine(2, right)
    geo.synchronize()
    gmsh.model.addPhysicalGroup(1, [l[0], l[1], l[3], l[4]], 7, name="walls")
    gmsh.model.addPhysicalGroup(1, [l[5]], 3, name="inlet")
    gmsh.model.addPhysicalGroup(1, [l[2]], 12)
    gmsh.model.addPhysicalGroup(1, [l[0], l[1]], 8, name="lower walls")
    gmsh.model.addPhysicalGroup(2, [left, right], 1, name="all water")
    gmsh.model.addPhysicalGroup(2, [right], 2, name="right")
    gmsh.model.addPhysicalGroup(0, [p[0]], 1, name="corner")
    gmsh.model.mesh.generate(2)


def solid():
    """A cube of a hexahedron, with a pyramid on top that has two tetrahedra beside it, and a prism
    at its side."""
    gmsh.model.add("solid")
    x = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1),
         (0.5, 0.5, 2), (2, 0, 1), (2, 1, 1), (1.5, 0.5, 3)]
    gmsh.model.addDiscreteEntity(3, 1)
    gmsh.model.addDiscreteEntity(2, 5)
    gmsh.model.mesh.addNodes(3, 1, list(range(1, 13)), [c for p in x for c in p])
    gmsh.model.mesh.addElementsByType(1, 5, [1], [1, 2, 3, 4, 5, 6, 7, 8])
    gmsh.model.mesh.addElementsByType(1, 7, [2], [5, 6, 7, 8, 9])
    gmsh.model.mesh.addElementsByType(1, 6, [3], [2, 6, 10, 3, 7, 11])
    gmsh.model.mesh.addElementsByType(1, 4, [4, 5], [6, 7, 9, 12, 6, 10, 11, 12])
    gmsh.model.mesh.addElementsByType(5, 3, [6, 7], [1, 4, 3, 2, 1, 2, 6, 5])
    gmsh.model.mesh.addElementsByType(5, 2, [8], [5, 6, 9])
    gmsh.model.addPhysicalGroup(3, [1], 1, name="body")
    gmsh.model.addPhysicalGroup(2, [5], 2, name="fixed")


def channel():
    """A channel [0, 6] x [0, 2] round a pier, of triangles."""
    gmsh.model.add("channel")
    occ = gmsh.model.occ
    occ.cut([(2, occ.addRectangle(0, 0, 0, 6, 2))], [(2, occ.addDisk(1.5, 1, 0, 0.25, 0.25))])
    occ.synchronize()
    groups = {"inlet": [], "outlet": [], "walls": []}
    for dim, tag in gmsh.model.getEntities(1):
        x = occ.getCenterOfMass(dim, tag)[0]
        groups["inlet" if abs(x) < 1e-6 else "outlet" if abs(x - 6) < 1e-6 else "walls"].append(tag)
    for name, tags in groups.items():
        gmsh.model.addPhysicalGroup(1, tags, name=name)
    gmsh.model.addPhysicalGroup(2, [tag for _, tag in gmsh.model.getEntities(2)], name="water")
    gmsh.option.setNumber("Mesh.MeshSizeMax", 0.5)
    gmsh.option.setNumber("Mesh.MeshSizeFromCurvature", 14)
    gmsh.model.mesh.generate(2)
    gmsh.option.setNumber("Mesh.MshFileVersion", 2.2)
    gmsh.option.setNumber("Mesh.Binary", 0)
    gmsh.write("channel.msh")


def scatter_text(name):
    """Gmsh numbers the nodes of format 2 anew: numbers that are not contiguous, in the text."""
    out, section = [], ""
    for line in open(name).read().split("\n"):
        words = line.split()
        if line.startswith("$"):
            section = line
        elif section == "$Nodes" and len(words) == 4:
            line = " ".join([str(13 * int(words[0]) - 100)] + words[1:])
        elif section == "$Elements" and len(words) > 3:
            front = 3 + int(words[2])
            line = " ".join(words[:front] + [str(13 * int(w) - 100) for w in words[front:]])
        out.append(line)
    open(name, "w").write("\n".join(out))


gmsh.initialize()
gmsh.option.setNumber("General.Terminal", 0)
plane()
scatter()
save("plane")
gmsh.model.mesh.setOrder(2)
gmsh.option.setNumber("Mesh.MshFileVersion", 4.1)
gmsh.option.setNumber("Mesh.Binary", 0)
gmsh.write("plane-order2.msh")
gmsh.model.mesh.setOrder(1)
gmsh.write("plane.su2")
gmsh.open("plane-4.msh")
gmsh.write("plane.cgns")
solid()
scatter()
save("solid")
gmsh.write("solid.su2")
scatter_text("plane-2.msh")
channel()
gmsh.finalize()
# No text of the project has blanks at the end of a line.
for path in glob.glob("*.su2") + [name for name in glob.glob("*.msh") if not name.endswith("b.msh")]:
    text = open(path).read()
    open(path, "w").write("".join(line.rstrip() + "\n" for line in text.rstrip().split("\n")))
