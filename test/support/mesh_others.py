# SPDX-License-Identifier: BSD-3-Clause
"""Compares what op2_mesh_read() has of mesh files with what meshio reads, alone and on 3 ranks.

mesh_others.py MESH_SHOW FOLDER MANY FILE...: files are made in the folder by meshio and, where it is
there, by Gmsh: all of them if MANY is 1, else a sample; the named files are compared as well. Each is
compared, and then read again when it has been cut short or a node is not there, which must be an error. Prints TAP;
exits with 77 without meshio."""
import contextlib
import io
import os
import re
import sys

from mesh_compare import MIXES, by_meshio, by_op2, check, checks, dice, differences, meshio, random_mesh, shape

try:
    import gmsh
except (ImportError, OSError):
    gmsh = None

show, folder, many, given = sys.argv[1], sys.argv[2], sys.argv[3] == "1", sys.argv[4:]
FORMATS = [("gmsh22", False, ".msh"), ("gmsh22", True, ".msh"), ("gmsh", False, ".msh"),
           ("gmsh", True, ".msh"), ("su2", False, ".su2")]


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
        got = by_op2(show, ranks, paths + bad)
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
