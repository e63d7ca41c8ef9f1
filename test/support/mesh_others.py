# SPDX-License-Identifier: BSD-3-Clause
"""Compares what op2_mesh_read() has of mesh files with what meshio reads, alone and on 3 ranks.

mesh_others.py MESH_SHOW FOLDER MANY FILE...: files are made in the folder by meshio and, where it is
there, by Gmsh: all of them if MANY is 1, else a sample; the named files are compared as well. Each is
compared, and then read again when it has been cut short or a node is not there, which must be an error. Prints TAP;
exits with 77 without meshio."""
import contextlib
import io
import os
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
try:
    import gmsh
except (ImportError, OSError):
    gmsh = None

warnings.simplefilter("ignore")
# meshio knows these kinds when it reads, but its meshes refuse them.
if hasattr(meshio._mesh, "topological_dimension"):
    for kind in ("wedge15", "wedge18", "wedge40", "pyramid13", "pyramid14", "pyramid30"):
        meshio._mesh.topological_dimension.setdefault(kind, 3)
show, folder, many, given = sys.argv[1], sys.argv[2], sys.argv[3] == "1", sys.argv[4:]
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
    tag = int(mesh.cell_data["gmsh:physical"][block][i]) if "gmsh:physical" in mesh.cell_data else 0
    named = [n for n, (t, d) in mesh.field_data.items() if t == tag and d == dimension]
    return list(dict.fromkeys(found + (named if named else [str(tag)] if tag else [])))


def by_meshio(path):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        mesh = meshio.read(path)
    markers = []
    if path.endswith(".su2"):
        markers = re.findall(r"^MARKER_TAG= *(\S+)", open(path).read(), re.M)
    read = Read()
    read.points = [tuple(float(x) for x in p) for p in mesh.points]
    dimension = max(shape(block.type)[1] for block in mesh.cells)
    first = {}
    for b, block in enumerate(mesh.cells):
        kind, of = shape(block.type)
        for i, nodes in enumerate(block.data):
            row = tuple(int(n) for n in nodes[GMSH_ORDER.get(block.type, slice(None))])
            cell = None
            if of == dimension:
                cell = first.setdefault((kind, row), len(read.cells))
                if cell == len(read.cells):
                    read.cells.append((kind, row))
            for name in group_names(mesh, markers, of, b, i):
                read.add(name, of, row, cell)
    return read


# ---- what op2 reads ------------------------------------------------------------------------------

def by_op2(ranks, paths):
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


# ---- files ---------------------------------------------------------------------------------------

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
FORMATS = [("gmsh22", False, ".msh"), ("gmsh22", True, ".msh"), ("gmsh", False, ".msh"),
           ("gmsh", True, ".msh"), ("su2", False, ".su2")]


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


def write_su2(mesh, kinds, path):
    """By hand: meshio's writer leaves out the names of markers, and mixes of types."""
    vtk = {"line": 3, "triangle": 5, "quad": 9, "tetra": 10, "hexahedron": 12, "wedge": 13, "pyramid": 14}
    top = max(shape(kind)[1] for kind in kinds)
    rows = [(vtk[b.type], shape(b.type)[1], row) for b in mesh.cells if b.type in vtk for row in b.data]
    with open(path, "w") as out:
        cells = [(v, row) for v, d, row in rows if d == top]
        dice.shuffle(cells)
        print(f"% made for a test\nNDIME= {top}\nNELEM= {len(cells)}", file=out)
        for c, (v, row) in enumerate(cells):
            print(v, *row, c, file=out)
        print(f"NPOIN= {len(mesh.points)}", file=out)
        for i, p in enumerate(mesh.points):
            print(*[repr(float(x)) for x in p[:top]], i, file=out)
        sides = [(v, row) for v, d, row in rows if d == top - 1]
        print("NMARK= 2", file=out)
        for m, part in enumerate((sides[::2], sides[1::2])):
            print(f"MARKER_TAG= side_{m}\nMARKER_ELEMS= {len(part)}", file=out)
            for v, row in part:
                print(v, *row, file=out)


def make_by_meshio(most):
    paths = []
    for n in range(10000):
        kinds = MIXES[n % len(MIXES)] if many else MIXES[(7 * n) % len(MIXES)]
        name, binary, end = FORMATS[(n + n // len(MIXES)) % len(FORMATS)]
        if len(paths) == most:
            return paths
        linear = all(not re.search("[0-9]", kind) for kind in kinds)
        if name == "su2" and (not linear or kinds[0] == "line" or len(kinds) < 2):
            continue
        path = f"{folder}/meshio-{n}-{name}{'-binary' if binary else ''}-{kinds[0]}{end}"
        mesh = random_mesh(kinds, plane=shape(kinds[0])[1] < 3 and n % 3 > 0, grouped=n % 4 > 0)
        with contextlib.redirect_stdout(io.StringIO()):
            if name == "su2":
                write_su2(mesh, kinds, path)
            else:
                meshio.write(path, mesh, file_format=name, binary=binary)
        paths.append(path)


def gmsh_plane(order, quads, incomplete):
    geo = gmsh.model.geo
    p = [geo.addPoint(x, y, 0, 0.4) for x, y in ((0, 0), (1, 0), (2, 0), (2, 1), (1, 1), (0, 1))]
    l = [geo.addLine(p[a], p[b]) for a, b in ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (1, 4))]
    left = geo.addPlaneSurface([geo.addCurveLoop([l[0], l[6], l[4], l[5]])])
    right = geo.addPlaneSurface([geo.addCurveLoop([l[1], l[2], l[3], -l[6]])])
    if quads:
        for line in l:
            geo.mesh.setTransfiniteCurve(line, 4)
        geo.mesh.setTransfiniteSurface(right)
        geo.mesh.setRecombine(2, right)
    geo.synchronize()
    gmsh.model.addPhysicalGroup(1, [l[0], l[1], l[3], l[4]], 7, name="the walls")
    gmsh.model.addPhysicalGroup(1, [l[5]], 3, name="inlet")
    gmsh.model.addPhysicalGroup(1, [l[2]], 12)
    gmsh.model.addPhysicalGroup(2, [left, right], 1, name="all water")
    if quads:
        gmsh.model.addPhysicalGroup(2, [right], 2, name="right")
    finish(2, order, incomplete)


def gmsh_solid(order, layers, recombine, incomplete):
    occ = gmsh.model.geo
    p = [occ.addPoint(x, y, 0, 0.6) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
    l = [occ.addLine(p[k], p[(k + 1) % 4]) for k in range(4)]
    base = occ.addPlaneSurface([occ.addCurveLoop(l)])
    if recombine == 2:
        occ.mesh.setTransfiniteSurface(base)
        occ.mesh.setRecombine(2, base)
    made = occ.extrude([(2, base)], 0, 0, 1.5, [layers] if layers else [], recombine=recombine > 0)
    occ.synchronize()
    gmsh.model.addPhysicalGroup(3, [made[1][1]], 5, name="inside")
    gmsh.model.addPhysicalGroup(2, [base], 6, name="floor")
    gmsh.model.addPhysicalGroup(2, [made[0][1]], 7)
    finish(3, order, incomplete)


def gmsh_pyramids(order):
    """A block of hexahedra, and pyramids between it and tetrahedra."""
    geo = gmsh.model.geo
    p = [geo.addPoint(x, y, 0, 0.5) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
    l = [geo.addLine(p[k], p[(k + 1) % 4]) for k in range(4)]
    base = geo.addPlaneSurface([geo.addCurveLoop(l)])
    geo.mesh.setTransfiniteSurface(base)
    geo.mesh.setRecombine(2, base)
    made = geo.extrude([(2, base)], 0, 0, 1, [2], recombine=True)
    above = geo.extrude([(2, made[0][1])], 0, 0, 1)
    geo.synchronize()
    gmsh.model.addPhysicalGroup(3, [made[1][1], above[1][1]], 1, name="both")
    finish(3, order, False)


def gmsh_sphere(order):
    gmsh.model.occ.addSphere(0, 0, 0, 1)
    gmsh.model.occ.synchronize()
    gmsh.option.setNumber("Mesh.MeshSizeMin", 0.6)
    gmsh.model.addPhysicalGroup(2, [1], 1, name="skin")
    finish(2, order, False)
    gmsh.option.setNumber("Mesh.MeshSizeMin", 0)


def gmsh_line(order):
    geo = gmsh.model.geo
    line = geo.addLine(geo.addPoint(0, 0, 0, 0.1), geo.addPoint(1, 2, 0, 0.2))
    geo.synchronize()
    gmsh.model.addPhysicalGroup(1, [line], 4, name="string")
    finish(1, order, False)


def finish(dimension, order, incomplete):
    gmsh.option.setNumber("Mesh.SecondOrderIncomplete", 1 if incomplete else 0)
    gmsh.model.mesh.generate(dimension)
    gmsh.model.mesh.setOrder(order)


MODELS = [lambda: gmsh_plane(1, True, False), lambda: gmsh_solid(2, 2, 1, True),
          lambda: gmsh_plane(2, True, True), lambda: gmsh_solid(1, 2, 2, False),
          lambda: gmsh_plane(2, True, False), lambda: gmsh_plane(3, False, False),
          lambda: gmsh_plane(4, False, False), lambda: gmsh_solid(1, 0, 0, False),
          lambda: gmsh_solid(2, 0, 0, False), lambda: gmsh_solid(3, 0, 0, False),
          lambda: gmsh_solid(1, 2, 1, False), lambda: gmsh_solid(2, 2, 1, False),
          lambda: gmsh_solid(2, 2, 2, True), lambda: gmsh_solid(2, 2, 2, False),
          lambda: gmsh_pyramids(1), lambda: gmsh_pyramids(2), lambda: gmsh_sphere(1),
          lambda: gmsh_sphere(2), lambda: gmsh_line(1), lambda: gmsh_line(3)]


def make_by_gmsh(most):
    if not gmsh:
        return []
    gmsh.initialize(readConfigFiles=False)
    gmsh.option.setNumber("General.Terminal", 0)
    paths = []
    for n, model in enumerate(MODELS):
        gmsh.clear()
        gmsh.model.add(f"model {n}")
        model()
        for version in (2.2, 4.1):
            for binary in (0, 1):
                if len(paths) == most or (most < 4 * len(MODELS) and (n + binary + (version > 3)) % 4 > 2):
                    continue
                gmsh.option.setNumber("Mesh.MshFileVersion", version)
                gmsh.option.setNumber("Mesh.Binary", binary)
                paths.append(f"{folder}/gmsh-{n}-{version}{'-binary' if binary else ''}.msh")
                gmsh.write(paths[-1])
    gmsh.finalize()
    return paths


def damage(path):
    """A file that is cut short, or of text with an element whose node is not there."""
    data = open(path, "rb").read()
    bad = f"{folder}/damaged-{os.path.basename(path)}"
    text = b"\0" not in data
    start = data.find(b"$Elements")
    if text and start > 0 and dice.random() < 0.5:
        lines = data[start:data.find(b"$EndElements")].rstrip().split(b"\n")
        words = lines[-1].split()
        lines[-1] = b" ".join(words[:-1] + [b"987654321"])
        data = data[:start] + b"\n".join(lines) + b"\n$EndElements\n"
    elif path.endswith(".su2"):
        data = data[:data.find(b"NPOIN") + dice.randint(20, 200)]
    else:
        data = data[:int(len(data) * dice.uniform(0.3, 0.9))]
    with open(bad, "wb") as out:
        out.write(data)
    return bad


def main():
    paths = given + make_by_meshio(60 if many else 9) + (make_by_gmsh(80 if many else 6))
    bad = [damage(path) for path in paths[::1 if many else 3]]
    theirs = {}
    for path in paths:
        try:
            theirs[path] = by_meshio(path)
        except Exception as error:  # whatever meshio raises
            print(f"# meshio does not read {os.path.basename(path)}: {type(error).__name__} {error}")
    for ranks in (0, 3):
        got = by_op2(ranks, paths + bad)
        words = f"{ranks} ranks" if ranks else "alone"
        for path, want in theirs.items():
            found = differences(got[path], want, path.endswith(".su2"))
            check(not found, f"{words}: {os.path.basename(path)} as meshio reads it", found)
        for path in bad:
            refused = isinstance(got[path], str) and os.path.basename(path) in got[path]
            check(refused, f"{words}: {os.path.basename(path)} is an error",
                  got[path] if isinstance(got[path], str) else "it was read")
    by = {what: sum(os.path.basename(p).startswith(what) for p in theirs) for what in ("meshio", "gmsh")}
    print(f"# {len(theirs)} files, {by['meshio']} by meshio, {by['gmsh']} by Gmsh, and {len(bad)} damaged")
    check(len(theirs) >= (60 if many else 9), "as many files as were asked for", len(theirs))
    print(f"1..{len(checks)}")
    return not all(checks)


sys.exit(main())
