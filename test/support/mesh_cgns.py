# SPDX-License-Identifier: BSD-3-Clause
"""Writes CGNS files by the rules of the format (SIDS, and its mapping to HDF5), of one zone or several."""
import numpy

TYPES = {"vertex": 2, "line": 3, "line3": 4, "triangle": 5, "triangle6": 6, "quad": 7, "quad8": 8, "quad9": 9, "tetra": 10,
         "tetra10": 11, "pyramid": 12, "wedge": 14, "wedge15": 15, "wedge18": 16, "hexahedron": 17,
         "hexahedron20": 18, "hexahedron27": 19, "pyramid13": 21}
MIXED = 20
# VTK's node, which is meshio's, for each of the file's.
HEX = list(range(12)) + [16, 17, 18, 19, 12, 13, 14, 15, 24, 22, 21, 23, 20, 25, 26]
WEDGE = list(range(9)) + [12, 13, 14, 9, 10, 11, 15, 16, 17]
ORDERS = {"hexahedron20": HEX[:20], "hexahedron27": HEX, "wedge15": WEDGE[:15], "wedge18": WEDGE}
CODES = {"int32": "I4", "int64": "I8", "float32": "R4", "float64": "R8", "int8": "C1"}


def node(parent, name, label, data=None):
    """A node of the tree: a group with its label, type and name, and its data."""
    made = parent.create_group(name, track_order=True)
    if isinstance(data, str):
        data = numpy.frombuffer(data.encode(), "int8")
    code = CODES[str(data.dtype)] if data is not None else "MT"
    for attribute, text, width in (("name", name, 33), ("label", label, 33), ("type", code, 3)):
        made.attrs.create(attribute, numpy.bytes_(text), dtype=f"S{width}")
    if data is not None:
        made.create_dataset(" data", data=data)
    return made


def section(zone, name, number, first, rows, count):
    """A section of elements, which may be of several kinds: a list of (number of the kind, nodes)."""
    made = node(zone, name, "Elements_t", numpy.array([number, 0], "int32"))
    flat, starts = [], [0]
    for kind, row in rows:
        flat += ([kind] if number == MIXED else []) + [int(n) for n in row]
        starts.append(len(flat))
    node(made, "ElementRange", "IndexRange_t", numpy.array([first, first + count - 1], "int32"))
    node(made, "ElementConnectivity", "DataArray_t", numpy.array(flat, "int64"))
    if number == MIXED:
        node(made, "ElementStartOffset", "DataArray_t", numpy.array(starts, "int64"))


def boundary(conditions, name, where, items, ranged, family=None):
    made = node(conditions, name, "BC_t", "FamilySpecified" if family else "BCWall")
    if where:
        node(made, "GridLocation", "GridLocation_t", where)
    if ranged:
        node(made, "PointRange", "IndexRange_t", numpy.array([[items[0]], [items[-1]]], "int32"))
    else:
        node(made, "PointList", "IndexArray_t", numpy.array([items], "int32").T)
    if family:
        node(made, "FamilyName", "FamilyName_t", family)


def start(file, dimension, space):
    """What every file begins with; the base is returned."""
    for attribute, text, width in (("name", "HDF5 MotherNode", 33), ("label", "Root Node of HDF5 File", 33), ("type", "MT", 3)):
        file.attrs.create(attribute, numpy.bytes_(text), dtype=f"S{width}")
    node(file, "CGNSLibraryVersion", "CGNSLibraryVersion_t", numpy.array([4.0], "float32"))
    return node(file, "Base", "CGNSBase_t", numpy.array([dimension, space], "int32"))


def link(parent, name, soft, target):
    """A link to the node of this path, which `soft` makes."""
    made = parent.create_group(name, track_order=True)
    for attribute, text, width in (("name", name, 33), ("label", "", 33), ("type", "LK", 3)):
        made.attrs.create(attribute, numpy.bytes_(text), dtype=f"S{width}")
    made[" link"] = soft(target)


def start_zone(base, name, points, cells, space):
    """A zone with its coordinates."""
    zone = node(base, name, "Zone_t", numpy.array([[len(points)], [cells], [0]], "int32"))
    node(zone, "ZoneType", "ZoneType_t", "Unstructured")
    place = node(zone, "GridCoordinates", "GridCoordinates_t")
    for k in range(space):
        node(place, "Coordinate" + "XYZ"[k], "DataArray_t", points[:, k].astype("float64"))
    return zone


def move(file, soft, path, to, name):
    """Move a node, and leave a link to it in its place."""
    file.move(path, f"{to}/{name}")
    parent, _, own = path.rpartition("/")
    link(file[parent], own, soft, f"/{to}/{name}")


def write_zones(h5py, path, mesh, parts):
    """Write a zone for each part: its points, and its cells as (block, row). The last one is a link, and so are its
    coordinates, and one of these."""
    with h5py.File(path, "w", track_order=True) as file:
        base = start(file, 3, 3)
        node(file, "Elsewhere", "UserDefinedData_t")
        for z, (points, cells) in enumerate(parts):
            number = {p: i + 1 for i, p in enumerate(points)}
            zone = start_zone(base, f"zone {z}", mesh.points[points], len(cells), 3)
            rows = [(TYPES[mesh.cells[b].type], [number[int(p)] for p in mesh.cells[b].data[i]]) for b, i in cells]
            section(zone, "all", MIXED, 1, rows, len(rows))
        last = f"Base/zone {len(parts) - 1}"
        for linked in (f"{last}/GridCoordinates/CoordinateY", f"{last}/GridCoordinates", last):
            move(file, h5py.SoftLink, linked, "Elsewhere", linked.rpartition("/")[2] + " there")


def write(h5py, path, mesh, want, dice, space, mixed):
    """Write a mesh as one zone: a section for each block, or one for all; boundary conditions of the elements of each
    block but the first, and of some nodes. The groups are added to what should be read."""
    blocks = [(block.type, block.data[:, ORDERS.get(block.type, slice(None))] + 1) for block in mesh.cells]
    ends = numpy.cumsum([0] + [len(rows) for _, rows in blocks])
    top = max(want.dimension.values())
    fixed = sorted(dice.sample(range(len(mesh.points)), 5))
    with h5py.File(path, "w", track_order=True) as file:
        base = start(file, top, space)
        zone = start_zone(base, "the zone", mesh.points, len(want.cells), space)
        if mixed:
            rows = [(TYPES[kind], row) for kind, data in blocks for row in data]
            section(zone, "all", MIXED, 1, rows, len(rows))
        else:
            for b, (kind, data) in enumerate(blocks):
                section(zone, f"section {b}", TYPES[kind], int(ends[b]) + 1, [(TYPES[kind], row) for row in data], len(data))
        conditions = node(zone, "ZoneBC", "ZoneBC_t")
        for b in range(1, len(blocks)):
            items = list(range(int(ends[b]) + 1, int(ends[b + 1]) + 1))
            boundary(conditions, f"part {b}", "FaceCenter", items, b % 2 == 1, "family" if b == 1 else None)
        boundary(conditions, "fixed", None, [n + 1 for n in fixed], False)
        family = node(base, "family", "Family_t")
        node(family, "group", "FamilyName_t", "the group")
    first = 0
    for b, block in enumerate(mesh.cells):
        is_top = want.tops[block.type]
        for i, row in enumerate(block.data):
            for name in (f"part {b}", "family", "the group") if b == 1 else (f"part {b}",) if b else ():
                want.add(name, want.dimension[block.type], {int(n) for n in row}, first + i if is_top else None)
        first += len(block.data) if is_top else 0
    for n in fixed:
        want.add("fixed", 0, {n}, None)
