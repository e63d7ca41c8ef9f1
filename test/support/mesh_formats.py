# SPDX-License-Identifier: BSD-3-Clause
"""Compares what op2_mesh_read() has of files of VTK, XDMF, Exodus and CGNS with the meshes that they were made of, and with what meshio
reads, alone and on 3 ranks.

mesh_formats.py MESH_SHOW FOLDER MANY: files are made in the folder, all of them if MANY is 1, else a sample. Each
is read as it is, cut short, and with bytes changed: a short file is an error, and none ends the program. Prints TAP;
exits with 77 without meshio."""
import contextlib
import io
import os
import sys

from mesh_compare import (GROUPS, MIXES, NODES, Read, by_meshio, by_op2, check, checks, dice, differences, meshio, numpy,
                          of_mesh, random_mesh, shape)
import mesh_cgns
import mesh_netcdf
import mesh_vtu
import mesh_xdmf

try:
    import h5py
except ImportError:
    h5py = None
try:
    import netCDF4
except ImportError:
    netCDF4 = None
FORMS = ["XML", "Binary"] + (["HDF"] if h5py else [])

show, folder, many = sys.argv[1], sys.argv[2], sys.argv[3] == "1"


# Our node of each of VTK's, which meshio takes as they are.
FILE_ORDER = {"wedge18": list(numpy.argsort([0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11, 15, 17, 16]))}


def quietly(write, *args, **options):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        write(*args, **options)


def sample(every):
    """All of them, or some that are not those of other formats."""
    return every if many else dice.sample(every, max(1, len(every) // 6))


def numbered(kinds, n):
    """A mesh with groups by numbers, in an array of this name; and with it what should be read."""
    mesh = random_mesh(kinds, plane=shape(kinds[0])[1] < 3 and n % 3 > 0, grouped=False)
    groups = mesh.cell_data["gmsh:physical"]
    data = {GROUPS[n % len(GROUPS)]: groups, "values": [g * 0.5 for g in groups]}
    return meshio.Mesh(mesh.points, mesh.cells, cell_data=data), of_mesh(mesh, more_orders=FILE_ORDER)


def writable(kinds):
    return all(kind in meshio._vtk_common.meshio_to_vtk_type for kind in kinds)


def vtu_by_meshio():
    """By meshio, and compared with what it reads: text, base64, compressed or not."""
    for n, kinds in enumerate(sample([k for k in MIXES if writable(k)])):
        for binary, compression in sample([(True, "zlib"), (True, None), (False, None)]):
            path = f"{folder}/meshio-{n}-{kinds[0]}-{'binary' if binary else 'text'}-{compression}.vtu"
            mesh, _ = numbered(kinds, n)
            quietly(meshio.vtu.write, path, mesh, binary=binary, compression=compression)
            yield path, None


def vtu_by_hand():
    """Every combination of encoding, header, compression, order of bytes, and number of pieces."""
    every = [(form, header, compressed, order, pieces) for form in ("ascii", "binary", "raw", "base64")
             for header in ("UInt32", "UInt64") for compressed in (False, True)
             for order in ("LittleEndian", "BigEndian") for pieces in (1, 3)]
    kinds_of = [k for k in MIXES if writable(k)]
    for n, (form, header, compressed, order, pieces) in enumerate(sample(every)):
        for index in (False, True) if pieces > 1 else (False,):
            end = "pvtu" if index else "vtu"
            path = f"{folder}/hand-{n}-{form}-{header}-{order}{'-zlib' if compressed else ''}-{pieces}.{end}"
            mesh, want = numbered(kinds_of[n % len(kinds_of)], n)
            yield path, mesh_vtu.write(path, mesh, form, header, compressed, order, pieces, want)


# XDMF's kinds that meshio writes in files of several kinds.
LINEAR = {"vertex", "line", "triangle", "quad", "tetra", "pyramid", "wedge", "hexahedron"}


def xdmf_by_meshio():
    """By meshio, with the numbers in the file, in HDF5 and in binary files."""
    xdmf = meshio.xdmf.common.meshio_to_xdmf_type
    kinds_of = [k for k in MIXES if all(kind in xdmf for kind in k) and LINEAR.issuperset(k)]
    kinds_of += [(kind,) for kind in NODES if kind in xdmf and kind not in LINEAR and kind != "hexahedron64"]
    for n, kinds in enumerate(sample(kinds_of)):
        for form in FORMS if many else FORMS[n % len(FORMS):][:1]:
            path = f"{folder}/meshio-{n}-{kinds[0]}-{form}.xdmf"
            mesh, want = numbered(kinds, n)
            quietly(meshio.xdmf.write, path, mesh, data_format=form)
            yield path, want


def xdmf_of_fenics():
    """As FEniCSx writes a mesh with marks of some facets and of its cells, which have values in time."""
    if not h5py:
        return
    for n in range(2):
        mesh, _ = numbered([("tetra", "triangle"), ("triangle", "line")][n], n)
        tops, facets = mesh.cells
        marks = [numpy.array([dice.choice((2, 5)) for _ in facets.data]), numpy.array([dice.choice((0, 7)) for _ in tops.data])]
        path = f"{folder}/fenics-{n}.xdmf"
        mesh_xdmf.write_fenics(path, mesh, marks, h5py)
        data = {"gmsh:physical": [marks[1] + 1, marks[0] + 1]}
        want = of_mesh(meshio.Mesh(mesh.points, mesh.cells, cell_data=data))
        yield path, mesh_xdmf.renamed(want)


def ungrouped(kinds, plane):
    """A mesh, and what should be read of it without groups, with the dimensions of its kinds."""
    mesh = random_mesh(kinds, plane=plane, grouped=False)
    mesh = meshio.Mesh(mesh.points, mesh.cells)
    want = of_mesh(mesh, more_orders=FILE_ORDER)
    want.dimension = {kind: shape(kind)[1] for kind in kinds}
    want.tops = {kind: want.dimension[kind] == max(want.dimension.values()) for kind in kinds}
    return mesh, want


def exodus():
    """By the rules of Exodus, in each format of netCDF, and by meshio."""
    if not netCDF4:
        return
    forms = ["NETCDF4", "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"]
    kinds_of = [k for k in MIXES if all(kind in mesh_netcdf.NAMES for kind in k)]
    for n, kinds in enumerate(sample(kinds_of)):
        plane = shape(kinds[0])[1] < 3
        for form in forms:
            path = f"{folder}/{form}-{n}-{kinds[0]}.e"
            mesh, want = ungrouped(kinds, plane)
            mesh_netcdf.write(netCDF4, path, form, mesh, want, dice, 2 if plane else 3)
            yield path, want
    for n, kinds in enumerate([("tetra", "triangle"), ("quad", "line", "vertex")]):
        path = f"{folder}/meshio-{n}.e"
        mesh, want = ungrouped(kinds, False)
        for b, block in enumerate(mesh.cells):
            for i, row in enumerate(block.data):
                want.add(str(b), want.dimension[block.type], {int(p) for p in row}, i if b == 0 else None)
        quietly(meshio.exodus.write, path, mesh)
        yield path, want


def cgns():
    """By the rules of CGNS: sections of one kind or mixed ones."""
    if not h5py:
        return
    kinds_of = [k for k in MIXES if all(kind in mesh_cgns.TYPES for kind in k)] + [("pyramid13", "wedge18")]
    for n, kinds in enumerate(sample(kinds_of)):
        plane = shape(kinds[0])[1] < 3
        for mixed in (False, True):
            path = f"{folder}/{'mixed' if mixed else 'sections'}-{n}-{kinds[0]}.cgns"
            mesh, want = ungrouped(kinds, plane)
            mesh_cgns.write(h5py, path, mesh, want, dice, 2 if plane else 3, mixed)
            yield path, want


def zones():
    """A CGNS file of three zones, which are groups of cells, with nodes between them."""
    if not h5py:
        return
    mesh, _ = ungrouped(("tetra", "hexahedron", "wedge"), False)
    path = f"{folder}/zones.cgns"
    parts = list(mesh_vtu.pieces_of(mesh, 3))
    mesh_cgns.write_zones(h5py, path, mesh, parts)
    want = mesh_vtu.renumbered(mesh, parts, of_mesh)
    for z, (_, cells) in enumerate(parts):
        first = len(cells) and sum(len(before) for _, before in parts[:z])
        for c in range(first, first + len(cells)):
            want.add(f"zone {z}", 3, set(want.cells[c][1]), c)
    yield path, want


def vtk_kinds():
    """Kinds of VTK that are those of others in another order, and a cell that another piece has as its own."""
    points = [(dice.random(), dice.random(), dice.random()) for _ in range(12)]
    cells = [(11, range(8)), (8, (8, 9, 10, 11)), (7, (0, 4, 8)), (7, (0, 4, 8, 9)), (4, (3, 7)), (2, (5,)), (70, range(9)), (12, range(8))]
    ours = [(1, 0, [0, 1, 3, 2, 4, 5, 7, 6]), (2, 0, [8, 9, 11, 10]), (3, 0, [0, 4, 8]), (4, 0, [0, 4, 8, 9]), (5, 0, [3, 7]),
            (6, 0, [5]), (7, 0, list(range(9)))]
    dimensions = [3, 2, 2, 2, 1, 0, 2]
    want = Read()
    want.points, want.cells = points, [(7, tuple(ours[0][2]))]
    for (group, _, nodes), dimension in zip(ours, dimensions):
        want.add(str(group), dimension, set(nodes), 0 if dimension == 3 else None)
    path = f"{folder}/kinds.vtu"
    mesh_vtu.write_text(path, points, cells, {"CellEntityIds": range(1, 9), "vtkGhostType": [0] * 7 + [1]})
    yield path, want


def all_files():
    for make in (vtu_by_meshio, vtu_by_hand, vtk_kinds, xdmf_by_meshio, xdmf_of_fenics, exodus, cgns, zones):
        yield from make()


def refusals():
    """Files that are in order, but not read: the path, and words of the error."""
    if not h5py:
        return
    mesh, want = ungrouped(("tetra", "triangle"), False)
    changes = {
        "NGON_n": lambda file: file["Base/the zone/section 0/ data"].write_direct(numpy.array([22, 0], "int32")),
        "type 77 are not known": lambda file: file["Base/the zone/section 0/ data"].write_direct(numpy.array([77, 0], "int32")),
        "a zone of type Structured": lambda file: file.pop("Base/the zone/ZoneType"),
        "the base has no zones": lambda file: file.pop("Base/the zone"),
        "a second base": lambda file: mesh_cgns.node(file, "Other", "CGNSBase_t", numpy.array([3, 3], "int32")),
        "element 1 has node 9999": lambda file: file["Base/the zone/section 0/ElementConnectivity/ data"].write_direct(
            numpy.array([9999]), dest_sel=numpy.s_[:1]),
        "should have": lambda file: file["Base/the zone/ data"].write_direct(numpy.array([[5], [1], [0]], "int32")),
        "neither one of CGNS nor of Exodus": lambda file: file.pop("Base"),
        "element 99999 is not there": lambda file: file["Base/the zone/ZoneBC/part 1/PointRange/ data"].write_direct(
            numpy.array([[99999], [99999]], "int32")),
        "a coordinate is not a finite number": lambda file: file["Base/the zone/GridCoordinates/CoordinateX/ data"].write_direct(
            numpy.array([numpy.nan]), dest_sel=numpy.s_[:1]),
    }
    for n, (words, alter) in enumerate(changes.items()):
        path = f"{folder}/refused-{n}.cgns"
        mesh_cgns.write(h5py, path, mesh, want, dice, 3, False)
        with h5py.File(path, "r+") as file:
            alter(file)
        yield path, words
    if not netCDF4:
        return
    alterations = {
        "elements of type NFACED with 4 nodes": lambda file: file["connect1"].setncattr("elem_type", "NFACED"),
        "cell 0 has point 9998 of": lambda file: file["connect1"].__setitem__((0, 0), 9999),
        "a side of an element is not there": lambda file: file["side_ss1"].__setitem__(0, 9),
        "an element is not there": lambda file: file["elem_ss1"].__setitem__(0, 9999),
        "a node is not there": lambda file: file["node_ns1"].__setitem__(0, 0),
        "the block has no elem_type": lambda file: file["connect1"].delncattr("elem_type"),
    }
    for n, (words, alter) in enumerate(alterations.items()):
        for form in ("NETCDF4", "NETCDF3_CLASSIC"):
            path = f"{folder}/refused-{n}-{form}.e"
            mesh_netcdf.write(netCDF4, path, form, mesh, want, dice, 3)
            with netCDF4.Dataset(path, "r+") as file:
                alter(file)
            yield path, words


# ---- damages -------------------------------------------------------------------------------------

def cut(path):
    """A file that is cut short."""
    data = open(path, "rb").read()
    bad = f"{folder}/short-{os.path.basename(path)}"
    with open(bad, "wb") as out:
        out.write(data[:int(len(data) * dice.uniform(0.3, 0.9))])
    return bad


def change(path, k):
    """A file with other bytes; or one that refers to such a file of HDF5."""
    bad = f"{folder}/changed-{k}-{os.path.basename(path)}"
    heavy = path.replace(".xdmf", ".h5")
    if path.endswith(".xdmf") and os.path.exists(heavy) and k % 2:
        text = open(path).read()
        open(bad, "w").write(text.replace(os.path.basename(heavy), os.path.basename(bad) + ".h5"))
        damage(heavy, bad + ".h5")
    else:
        damage(path, bad)
    return bad


def damage(path, bad):
    data = bytearray(open(path, "rb").read())
    for _ in range(dice.choice((1, 3, 20))):
        at = dice.randrange(len(data))
        data[at:at + dice.randint(0, 3)] = bytes(dice.randrange(256) for _ in range(dice.randint(0, 3)))
    with open(bad, "wb") as out:
        out.write(data)


def main():
    wants = {path: want or by_meshio(path) for path, want in all_files()}
    short = [cut(path) for path in list(wants)[::1 if many else 3]]
    changed = [change(path, k) for path in wants for k in range(12 if many else 2)]
    for ranks in (0, 3):
        got = by_op2(show, ranks, list(wants) + short)
        words = f"{ranks} ranks" if ranks else "alone"
        for path, want in wants.items():
            found = differences(got[path], want, False)
            check(not found, f"{words}: {os.path.basename(path)}", found)
        for path in short:
            refused = isinstance(got[path], str)
            check(refused, f"{words}: {os.path.basename(path)} is an error", "it was read")
    words_of = dict(refusals())
    got = by_op2(show, 0, list(words_of))
    for path, words in words_of.items():
        said = got[path] if isinstance(got[path], str) else "it was read"
        check(words in said and path in said, f"{os.path.basename(path)}: {words}", said)
    got = by_op2(show, 0, changed)
    refused = sum(isinstance(read, str) for read in got.values())
    check(len(got) == len(changed), f"of {len(changed)} changed files {refused} are errors", len(got))
    print(f"# {len(wants)} files, {len(short)} short ones, {len(changed)} changed ones")
    check(len(wants) >= (100 if many else 10), "as many files as were asked for", len(wants))
    print(f"1..{len(checks)}")
    return not all(checks)


sys.exit(main())
