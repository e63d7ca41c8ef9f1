# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the files of test/support/vtkhdf_make.c as XDMF, as TAP: xdmf_check.py STEM TIMES NODES CELLS"""
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

import h5py
import numpy as np

#: Numbers of nodes of XDMF's types; the number comes in the data where it is None.
NODES = {1: None, 2: None, 4: 3, 5: 4, 6: 4, 7: 5, 8: 6, 9: 8, 0x22: 3, 0x23: 9, 0x24: 6, 0x25: 8, 0x26: 10}


def check(name, good):
    check.n += 1
    check.failed += not good
    print(f"{'ok' if good else 'not ok'} {check.n} - {name}")


check.n = check.failed = 0


def data(item, folder):
    """The values that a DataItem refers to, which have its shape and type."""
    path, _, dataset = item.text.partition(":")
    with h5py.File(folder / path) as file:
        values = file[dataset][()]
    shape = tuple(int(d) for d in item.get("Dimensions").split())
    kind = {"Float": "f", "Int": "i", "UInt": "u", "Char": "i", "UChar": "u"}[item.get("NumberType")]
    right = values.size == np.prod(shape) and values.shape[0] == shape[0]
    check(f"{item.text} is what the text says", right and values.dtype.kind == kind and
          values.dtype.itemsize == int(item.get("Precision")))
    return values.reshape(shape)


def first_nodes(mixed):
    """The first node of each cell, and whether there are cells of higher order."""
    firsts, at, high = [], 0, False
    while at < len(mixed):
        nodes, high = NODES[mixed[at]], high or mixed[at] > 0x10
        at += 1
        if nodes is None:
            nodes = mixed[at]
            at += 1
        firsts.append(mixed[at])
        at += nodes
    check("the topology ends with a cell", at == len(mixed))
    return firsts, high


def one_time(grid, folder, t, sizes):
    x = data(grid.find("Geometry/DataItem"), folder)
    firsts, high = first_nodes(data(grid.find("Topology/DataItem"), folder))
    check("nodes and cells", (len(x), len(firsts)) == sizes and
          int(grid.find("Topology").get("NumberOfElements")) == sizes[1])
    check(f"time {t}", float(grid.find("Time").get("Value")) == t)
    found = {a.get("Name"): (a, data(a.find("DataItem"), folder)) for a in grid.findall("Attribute")}
    check("attributes", list(found) == ["u", "place", "corner", "number"])
    centers = [a.get("Center") for a, _ in found.values()]
    check("where they are", centers == ["Node", "Node", "Cell", "Cell"])
    check("u", np.array_equal(found["u"][1], x[:, 0] + 100 * t))
    check("place", np.array_equal(found["place"][1], x))
    check("corner", np.array_equal(found["corner"][1], x[firsts]))
    check("number", np.all(found["number"][1] == 1000 * t))
    return high


def by_meshio(path, times, sizes):
    try:
        import meshio
    except ImportError:
        print("ok # SKIP there is no meshio")
        return
    with meshio.xdmf.TimeSeriesReader(path) as reader:
        points, cells = reader.read_points_cells()
        check("meshio: nodes and cells", (len(points), sum(len(c.data) for c in cells)) == sizes)
        check("meshio: times", reader.num_steps == times)
        for k in range(times):
            t, on_nodes, on_cells = reader.read_data(k)
            corner = np.concatenate(on_cells["corner"])
            check(f"meshio: values of time {t}", t == 0.5 * k and
                  np.array_equal(on_nodes["u"].ravel(), points[:, 0] + 100 * t) and
                  np.array_equal(corner, np.concatenate([points[c.data[:, 0]] for c in cells])))


def main(stem, times, *sizes):
    sizes = tuple(map(int, sizes))
    path = pathlib.Path(stem + ".xdmf")
    grids = ElementTree.parse(path).getroot().findall("Domain/Grid/Grid")
    check("times", len(grids) == int(times))
    high = [one_time(grid, path.parent, 0.5 * k, sizes) for k, grid in enumerate(grids)]
    if any(high):
        print("ok # SKIP meshio reads no mixed cells of higher order")
    else:
        by_meshio(path, int(times), sizes)
    print(f"1..{check.n}")
    return check.failed > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
