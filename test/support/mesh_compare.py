# SPDX-License-Identifier: BSD-3-Clause
"""What op2_mesh_read() and meshio have of mesh files, and how they differ; random meshes for both. Exits with 77
without meshio."""
import contextlib
import io
import random
import re
import subprocess
import sys
import warnings

try:
    import meshio
    import numpy
except ImportError as missing:
    print(missing)
    sys.exit(77)

warnings.simplefilter("ignore")
# meshio knows these kinds when it reads, but its meshes refuse them.
if hasattr(meshio._mesh, "topological_dimension"):
    for kind in ("wedge15", "wedge18", "wedge40", "pyramid13", "pyramid14", "pyramid30"):
        meshio._mesh.topological_dimension.setdefault(kind, 3)
dice = random.Random(5)
checks = []

# By meshio's names: our type and the dimension.
SHAPES = {"vertex": (0, 0), "line": (1, 1), "triangle": (2, 2), "quad": (3, 2), "tetra": (4, 3),
          "pyramid": (5, 3), "wedge": (6, 3), "hexahedron": (7, 3)}
# meshio's node of each of Gmsh's: the inverse of VTK's order.
GMSH_ORDER = {
    "tetra10": [0, 1, 2, 3, 4, 5, 6, 7, 9, 8],
    "hexahedron20": [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 9, 17, 10, 18, 19, 12, 15, 13, 14],
    "hexahedron27": [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 9, 17, 10, 18, 19, 12, 15, 13, 14,
                     24, 22, 20, 21, 23, 25, 26],
    "wedge15": [0, 1, 2, 3, 4, 5, 6, 8, 12, 7, 13, 14, 9, 11, 10],
    "pyramid13": [0, 1, 2, 3, 4, 5, 8, 9, 6, 10, 7, 11, 12]}
# Arrays with numbers of groups, of which 0 is none.
GROUPS = ["gmsh:physical", "cell_tags", "CellEntityIds", "medit:ref"]
# meshio turns the triangles of a wedge round when it reads or writes VTK's files.
VTK_ORDER = {"wedge": [0, 2, 1, 3, 5, 4]}


def check(good, name, more=""):
    checks.append(good)
    print(f"{'ok' if good else 'not ok'} {len(checks)} - {name}")
    if not good and more:
        print("# " + str(more)[:300])


def shape(kind):
    return SHAPES[re.match("[a-z]+", kind).group()]


# ---- what meshio reads ---------------------------------------------------------------------------

class Read:
    """Points, cells as (type, nodes), groups by name as sets of nodes and of cells, and their sizes."""

    def __init__(self):
        self.points, self.cells = [], []
        self.nodes, self.members, self.sizes = {}, {}, {}

    def add(self, name, dimension, element, cell):
        self.nodes.setdefault(name, set()).update(element)
        self.members.setdefault(name, set())
        self.sizes[name, dimension] = self.sizes.get((name, dimension), 0) + 1
        if cell is not None:
            self.members[name].add(cell)


def group_names(mesh, markers, dimension, block, i):
    """The names of the groups of element i of a block."""
    if markers:
        tag = int(mesh.cell_data["su2:tag"][block][i])
        return [markers[tag - 1]] if tag else []
    found = [name for name, sets in mesh.cell_sets.items()
             if name in mesh.field_data and mesh.field_data[name][1] == dimension
             and sets[block] is not None and i in sets[block]]
    data = next((mesh.cell_data[name] for name in GROUPS if name in mesh.cell_data), None)
    tag = int(data[block][i]) if data else 0
    named = [n for n, (t, d) in mesh.field_data.items() if t == tag and d == dimension]
    return list(dict.fromkeys(found + (named if named else [str(tag)] if tag else [])))


def by_meshio(path):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        mesh = meshio.read(path)
    markers = []
    if path.endswith(".su2"):
        markers = re.findall(r"^MARKER_TAG= *(\S+)", open(path).read(), re.M)
    return of_mesh(mesh, markers, VTK_ORDER if path.endswith(".vtu") else {})


def of_mesh(mesh, markers=(), more_orders={}):
    """What should be read of a file that has this mesh of meshio's."""
    read = Read()
    read.points = [tuple(float(x) for x in p) + (0.0,) * (3 - len(p)) for p in mesh.points]
    dimension = max(shape(block.type)[1] for block in mesh.cells)
    first = {}
    for b, block in enumerate(mesh.cells):
        kind, of = shape(block.type)
        order = more_orders.get(block.type, GMSH_ORDER.get(block.type, slice(None)))
        for i, nodes in enumerate(block.data):
            row = tuple(int(n) for n in nodes[order])
            cell = None
            if of == dimension:
                cell = first.setdefault((kind, row), len(read.cells))
                if cell == len(read.cells):
                    read.cells.append((kind, row))
            for name in group_names(mesh, markers, of, b, i):
                read.add(name, of, row, cell)
    return read


# ---- what op2 reads ------------------------------------------------------------------------------

def by_op2(show, ranks, paths):
    """For each path a Read, or the message of the error."""
    run = subprocess.run([show, str(ranks)] + paths, stdout=subprocess.PIPE, text=True, check=True)
    all_read, read, name = {}, None, None
    for line in run.stdout.splitlines():
        word, _, rest = line.partition(" ")
        if word == "file":
            path, read = rest, Read()
            all_read[path] = read
        elif word == "error":
            all_read[path] = rest
        elif word == "x":
            read.points.append(tuple(float(x) for x in rest.split()))
        elif word == "c":
            kind, *nodes = rest.split()
            read.cells.append((int(kind), tuple(int(n) for n in nodes)))
        elif word == "g":
            dimension, elements, _, _, name = rest.split(" ", 4)
            if elements != "0":
                read.sizes[name, int(dimension)] = int(elements)
        elif word == "n" and rest:
            read.nodes[name] = {int(n) for n in rest.split()}
            read.members.setdefault(name, set())
        elif word == "e" and rest:
            read.members[name] = {int(n) for n in rest.split()}
    return all_read


def by_type(read):
    """Cells by type, as meshio has them of SU2, with groups that follow."""
    order = sorted(range(len(read.cells)), key=lambda c: read.cells[c][0])
    place = {c: i for i, c in enumerate(order)}
    read.cells = [read.cells[c] for c in order]
    read.members = {name: {place[c] for c in cells} for name, cells in read.members.items()}


def differences(ours, theirs, sort):
    if isinstance(ours, str):
        return [ours]
    if sort:
        by_type(ours)
        by_type(theirs)
    found = []
    if [p[:len(q)] for p, q in zip(theirs.points, ours.points)] != ours.points or \
            len(ours.points) != len(theirs.points):
        found.append("points")
    if any(any(p[len(q):]) for p, q in zip(theirs.points, ours.points)):
        found.append("z was left out")
    for what in ("cells", "sizes", "nodes", "members"):
        if getattr(ours, what) != getattr(theirs, what):
            found.append(f"{what}: {getattr(ours, what)} and not {getattr(theirs, what)}")
    return found


# ---- random meshes ---------------------------------------------------------------------------------

NODES = {"line": 2, "line3": 3, "line4": 4, "triangle": 3, "triangle6": 6, "triangle10": 10,
         "triangle15": 15, "quad": 4, "quad8": 8, "quad9": 9, "quad16": 16, "tetra": 4, "tetra10": 10,
         "tetra20": 20, "hexahedron": 8, "hexahedron20": 20, "hexahedron27": 27, "hexahedron64": 64,
         "wedge": 6, "wedge15": 15, "wedge18": 18, "pyramid": 5, "pyramid13": 13, "pyramid14": 14}
MIXES = [("line",), ("triangle", "line"), ("quad", "line"), ("triangle", "quad", "line", "vertex"),
         ("triangle6", "line3"), ("quad8", "triangle6", "line3"), ("quad9", "line3"),
         ("triangle10", "line4"), ("quad16", "line4"), ("triangle15",), ("tetra", "triangle"),
         ("hexahedron", "quad"), ("wedge", "pyramid", "tetra", "hexahedron", "triangle", "quad", "line"),
         ("tetra10", "triangle6"), ("hexahedron20", "quad8"), ("hexahedron27", "quad9"),
         ("wedge15", "pyramid13"), ("wedge18", "pyramid14"), ("tetra20",), ("hexahedron64",)]


def random_mesh(kinds, plane, grouped):
    """Elements of random nodes: readers do not ask for their places."""
    size = dice.randint(70, 120)
    points = numpy.array([[dice.uniform(-1e3, 1e3), dice.gauss(0, 1e-7), 0 if plane else dice.random()]
                          for _ in range(size)])
    cells = [(kind, numpy.array([dice.sample(range(size), NODES.get(kind, 1))
                                 for _ in range(dice.randint(2, 30))])) for kind in kinds]
    mesh = meshio.Mesh(points, cells)
    # Format 4.1 has the entities that nodes are on.
    mesh.point_data["gmsh:dim_tags"] = numpy.array(
        [(shape(kinds[i % len(kinds)])[1], i % len(kinds) + 1) for i in range(size)])
    entity = [numpy.full(len(rows), b + 1) for b, (_, rows) in enumerate(cells)]
    mesh.cell_data["gmsh:geometrical"] = entity
    mesh.cell_data["gmsh:physical"] = [numpy.full(len(rows), b + 3) for b, (_, rows) in enumerate(cells)]
    if grouped:
        for b, (kind, _) in enumerate(cells):
            if b != 1:
                mesh.field_data[f"part {b} of {kind}"] = numpy.array([b + 3, shape(kind)[1]])
    return mesh
