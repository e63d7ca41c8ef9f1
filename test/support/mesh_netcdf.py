# SPDX-License-Identifier: BSD-3-Clause
"""Writes Exodus II files by the rules of the format, in each format of netCDF, with names and sets."""
import numpy

NAMES = {"vertex": "SPHERE", "line": "BAR2", "line3": "BAR3", "triangle": "TRI3", "triangle6": "tri6", "quad": "QUAD4",
         "quad8": "QUAD8", "quad9": "QUAD9", "tetra": "TETRA4", "tetra10": "TETRA10", "pyramid": "PYRAMID5",
         "pyramid13": "PYRAMID13", "wedge": "WEDGE", "wedge15": "WEDGE15", "hexahedron": "HEX8",
         "hexahedron20": "HEX20", "hexahedron27": "HEX27"}
# VTK's node, which is meshio's, for each of the file's.
HEX = list(range(12)) + [16, 17, 18, 19, 12, 13, 14, 15, 26, 24, 25, 20, 21, 22, 23]
ORDERS = {"hexahedron20": HEX[:20], "hexahedron27": HEX, "wedge15": list(range(9)) + [12, 13, 14, 9, 10, 11]}
# The nodes of each side, from 1, those of higher order included.
SIDES = {
    "triangle6": [[1, 2, 4], [2, 3, 5], [3, 1, 6]],
    "quad9": [[1, 2, 5], [2, 3, 6], [3, 4, 7], [4, 1, 8]],
    "tetra10": [[1, 2, 4, 5, 9, 8], [2, 3, 4, 6, 10, 9], [1, 4, 3, 8, 10, 7], [1, 3, 2, 7, 6, 5]],
    "pyramid13": [[1, 2, 5, 6, 11, 10], [2, 3, 5, 7, 12, 11], [3, 4, 5, 8, 13, 12], [1, 5, 4, 10, 13, 9],
                  [1, 4, 3, 2, 9, 8, 7, 6]],
    "wedge15": [[1, 2, 5, 4, 7, 11, 13, 10], [2, 3, 6, 5, 8, 12, 14, 11], [1, 4, 6, 3, 10, 15, 12, 9],
                [1, 3, 2, 9, 8, 7], [4, 5, 6, 13, 14, 15]],
    "hexahedron27": [[1, 2, 6, 5, 9, 14, 17, 13, 26], [2, 3, 7, 6, 10, 15, 18, 14, 25], [3, 4, 8, 7, 11, 16, 19, 15, 27],
                     [1, 5, 8, 4, 13, 20, 16, 12, 24], [1, 4, 3, 2, 12, 11, 10, 9, 22], [5, 6, 7, 8, 17, 18, 19, 20, 23]]}


def sides_of(kind):
    """The sides of a kind: those of the largest kind of its shape, without the nodes that it has not."""
    shape = kind.rstrip("0123456789")
    largest = next((name for name in SIDES if name.rstrip("0123456789") == shape), None)
    nodes = {"triangle": 3, "quad": 4, "tetra": 4, "pyramid": 5, "wedge": 6, "hexahedron": 8}.get(kind)
    nodes = nodes or int(kind[len(shape):] or 0)
    return [[n for n in side if n <= nodes] for side in SIDES[largest]] if largest else []


def blocks_of(mesh):
    """The rows of each block in the file's order of nodes, from 1."""
    return [block.data[:, ORDERS.get(block.type, slice(None))] + 1 for block in mesh.cells]


def texts(file, name, words, dimension):
    variable = file.createVariable(name, "S1", (dimension, "len_name"))
    rows = numpy.zeros((len(words), 33), "S1")
    for i, word in enumerate(words):
        rows[i, :len(word)] = list(word)
    variable[:] = rows


def write(netcdf, path, form, mesh, want, dice, space):
    """Write a mesh with a name for each block but the first, a side set of the first block and a node set; add
    the groups to what should be read, of which a copy without groups is given."""
    blocks = blocks_of(mesh)
    kinds = [block.type for block in mesh.cells]
    cells = sum(len(b) for b, kind in zip(blocks, kinds) if want.tops[kind])
    numbers = numpy.cumsum([0] + [len(b) for b in blocks])
    integers = "i4" if "CLASSIC" in form or "OFFSET" in form else "i8"
    sides = sides_of(kinds[0])
    pairs = [(e, s) for e in range(len(blocks[0])) for s in range(len(sides)) if dice.random() < 0.3] if sides else []
    fixed = sorted(dice.sample(range(len(mesh.points)), 7))
    with netcdf.Dataset(path, "w", format=form) as file:
        for name, n in (("len_name", 33), ("num_nodes", len(mesh.points)), ("num_el_blk", len(blocks)),
                        ("time_step", None), ("sets", 1), ("num_fixed", 7), ("num_sides", max(1, len(pairs)))):
            file.createDimension(name, n)
        file.createVariable("time_whole", "f8", ("time_step",))[:] = [0.0, 1.0]
        for k in range(space):
            file.createVariable("coord" + "xyz"[k], "f8", ("num_nodes",))[:] = mesh.points[:, k]
        file.createVariable("eb_prop1", "i4", ("num_el_blk",))[:] = [10 * (b + 1) for b in range(len(blocks))]
        texts(file, "eb_names", [f"part {b}" if b else "" for b in range(len(blocks))], "num_el_blk")
        for b, block in enumerate(blocks):
            file.createDimension(f"el{b}", len(block))
            file.createDimension(f"nod{b}", block.shape[1])
            variable = file.createVariable(f"connect{b + 1}", integers, (f"el{b}", f"nod{b}"))
            variable.elem_type = NAMES[kinds[b]]
            variable[:] = block
        if pairs:
            file.createVariable("elem_ss1", integers, ("num_sides",))[:] = [e + 1 for e, _ in pairs]
            file.createVariable("side_ss1", integers, ("num_sides",))[:] = [s + 1 for _, s in pairs]
            texts(file, "ss_names", ["the wall"], "sets")
        file.createVariable("node_ns1", integers, ("num_fixed",))[:] = [f + 1 for f in fixed]
        file.createVariable("ns_prop1", "i4", ("sets",))[:] = [77]
    first = 0
    for b, kind in enumerate(kinds):
        name, top = f"part {b}" if b else "10", want.tops[kind]
        for i, row in enumerate(mesh.cells[b].data):
            want.add(name, want.dimension[kind], {int(n) for n in row}, first + i if top else None)
        first += len(blocks[b]) if top else 0
    assert first == cells == len(want.cells) and numbers[-1] >= cells
    for e, s in pairs:
        want.add("the wall", want.dimension[kinds[0]] - 1, {int(blocks[0][e][n - 1]) - 1 for n in sides[s]}, None)
    for node in fixed:
        want.add("77", 0, {node}, None)
